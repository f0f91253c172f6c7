// Puts the parts of a run, as several machines have played them, into one directory.
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
  writeManifest,
} from './manifest.js';
import { shardName } from './record.js';
import { shardCount } from './run-spec.js';
import { makeDirectories, PART, writeWhole } from './whole-file.js';

/** How mergeRuns() merges. */
export interface MergeOptions {
  /** Run directories, each with some shards of one run. */
  readonly parts: readonly string[];
  /** Where the run will lie: an empty or a new directory, or one that holds some of it. It may be one of the parts. */
  readonly directory: string;
  /** Called for a file that is not copied, because it is damaged or other than the one that is there. */
  readonly onLeftOut?: (file: string, what: string) => void;
  /** Called for each part that is done. */
  readonly onPart?: () => void;
}

/** The manifest that all parts share. @throws LepantoError that names the part that holds another run */
const commonManifest = (parts: readonly string[]): Manifest => {
  const [first, ...others] = parts;
  const manifest = readManifest(first);
  for (const part of others) {
    const other = findOther(readManifest(part), manifest);
    if (other !== null)
      throw new LepantoError(
        'file',
        `${part} is no part of the run in ${first}: its ${other.replace('here', 'there')}`,
      );
  }
  return manifest;
};

/** Makes the directory of the run, or checks an existing one. @throws LepantoError if it holds something else */
const openTarget = (directory: string, manifest: Manifest): void => {
  makeDirectories(directory);
  const names = readdirSync(directory).filter((name) => !name.endsWith(PART));
  if (names.includes(MANIFEST)) refuseOther(directory, readManifest(directory), manifest);
  else if (names.length > 0) refuseStrange(directory, names[0]);
  else writeManifest(directory, manifest);
};

/** Copies a shard, if it is sound, of the run and not there yet. @returns true if it was copied */
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
    // First, so that a table never lies next to another file than its own, however this ends.
    removeTable(to);
    writeWhole(to, bytes);
    await sealShard(to, table.bytes);
    return true;
  } else if (has.crc !== table.crc) onLeftOut?.(from, `got crc32 ${table.crc}, wanted ${has.crc} as in ${to}`);
  return false;
};

/**
 * Copies the shards of all parts into one directory. Each is compared with its table; one without a table was being
 * written when its machine stopped, and is left out. Of two that differ the one that is there stays.
 * @throws LepantoError if the parts are not of one run, if the directory holds something else, or if a file cannot be written
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
    /** Shards of the whole run, and those that were copied. */
    ...{ shards: shards.length, copied },
    /** Numbers of those that the directory still lacks, or has without a table. */
    missing,
  };
};
