// Merges the parts of a run, played on several machines, into one directory.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { crc32 } from 'node:zlib';
import { LepantoError } from '../../engine/rules/error.js';
import { removeTable, sealShard, soundTable, strayIn, tablePath } from './game-table.js';
import {
  findOther,
  MANIFEST,
  type Manifest,
  readManifest,
  refuseOther,
  refuseStrange,
  shardName,
  writeManifest,
} from './manifest.js';
import { shardCount } from './run-spec.js';
import { makeDirectories, PART, writeWhole } from './whole-file.js';

/** Options of mergeRuns(), which joins the parts of a run. */
export interface MergeOptions {
  /** Run directories, each with some shards of one run. */
  readonly parts: readonly string[];
  /**
   * Directory into which the shards are copied: new, empty, or with some shards of the same run. It may be one of the
   * parts.
   */
  readonly directory: string;
  /** Called with a shard that is not copied and the reason: it is damaged, or differs from the one in the target. */
  readonly onLeftOut?: (file: string, what: string) => void;
  /** Called after each part, when its shards have been copied. */
  readonly onPart?: () => void;
}

/**
 * Returns the manifest that all parts share, as written in the first part.
 * @throws LepantoError that names a part with another run, or without a readable manifest
 */
const commonManifest = (parts: readonly string[]): Manifest => {
  const [first, ...others] = parts;
  const manifest = readManifest(first);
  for (const part of others) {
    const other = findOther(readManifest(part), manifest);
    if (other !== null) throw new LepantoError('file', `${part} is no part of the run in ${first}: its ${other}`);
  }
  return manifest;
};

/**
 * Makes the target directory with the manifest, or checks an existing one.
 * @throws LepantoError if the directory holds anything but this run
 */
const openTarget = (directory: string, manifest: Manifest): void => {
  makeDirectories(directory);
  const names = readdirSync(directory).filter((name) => !name.endsWith(PART));
  if (names.includes(MANIFEST)) refuseOther(directory, readManifest(directory), manifest);
  else if (names.length > 0) refuseStrange(directory, names[0]);
  else writeManifest(directory, manifest);
};

/**
 * Copies a shard with its table, if the shard is intact, belongs to the run and is missing or damaged in the target.
 * Does nothing without a table. Calls `onLeftOut` for a shard that is damaged, of another run, or different from the
 * one in the target.
 * @param from path of the shard
 * @param to path of the shard in the target
 * @returns true if copied
 * @throws LepantoError if the shard changes during the copy, or if a file cannot be read or written
 */
const mergeShard = async (
  manifest: Manifest,
  [from, to]: readonly [from: string, to: string],
  onLeftOut: MergeOptions['onLeftOut'],
): Promise<boolean> => {
  const table = soundTable(from);
  if (table === null) return false;
  const wrong = typeof table === 'string' ? table : strayIn(manifest, table);
  const has = soundTable(to);
  if (wrong !== null || typeof table === 'string') onLeftOut?.(from, wrong ?? '');
  else if (has === null || typeof has === 'string') {
    const bytes = readFileSync(from);
    const crc = crc32(bytes);
    if (crc !== table.crc)
      throw new LepantoError('file', `${from}: got crc32 ${crc}, wanted ${table.crc}: it changed while it was copied`);
    // The old table is removed before the shard changes, so that an interruption never leaves a table next to a shard
    // of other games.
    removeTable(to);
    writeWhole(to, bytes);
    await sealShard(to, table.bytes);
    return true;
  } else if (has.crc !== table.crc) onLeftOut?.(from, `got crc32 ${table.crc}, wanted ${has.crc} as in ${to}`);
  return false;
};

/**
 * Copies the shards of all parts into one directory. Checks each shard against its table. A shard without a table may
 * be incomplete and is left out. If two intact shards differ, the first one copied, or the one already in the target,
 * stays.
 * @returns the manifest, the number of shards of the run, the number of copied shards, and the missing shards
 * @throws LepantoError if the parts are of different runs, if the directory holds anything else, or if a file cannot be
 *   written
 */
export const mergeRuns = async (options: MergeOptions) => {
  const { parts, directory, onLeftOut, onPart } = options;
  const manifest = commonManifest(parts);
  openTarget(directory, manifest);
  const shards = Array.from({ length: shardCount(manifest) }, (_, shard) => shard);
  let copied = 0;
  for (const part of parts) {
    for (const shard of resolve(part) === resolve(directory) ? [] : shards) {
      const places = [join(part, shardName(shard)), join(directory, shardName(shard))] as const;
      if (await mergeShard(manifest, places, onLeftOut)) copied++;
    }
    onPart?.();
  }
  const isThere = (path: string): boolean => existsSync(path) && existsSync(tablePath(path));
  const missing = shards.filter((shard) => !isThere(join(directory, shardName(shard))));
  return {
    manifest,
    /** `shards`: number of shards of the whole run. `copied`: number of shards copied by this call. */
    ...{ shards: shards.length, copied },
    /** Numbers of the shards that are missing in the directory, or lack their table. */
    missing,
  };
};
