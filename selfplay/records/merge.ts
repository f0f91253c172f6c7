// Puts the parts of a run, as several machines have played them, into one directory.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { LepantoError } from '../../engine/rules/error.js';
import {
  findOther,
  findStranger,
  MANIFEST,
  type Manifest,
  readManifest,
  refuseOther,
  refuseStrange,
  writeManifest,
} from './manifest.js';
import { decodeGame, shardName } from './record.js';
import { shardCount, shardRange } from './run-spec.js';
import { sealShard } from './shard.js';
import { checkOf, checkPath, placesOfShard, readPlace, type ShardCheck, soundCheck } from './shard-file.js';
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

/** What mergeRuns() has done. */
export interface MergeResult {
  readonly manifest: Manifest;
  /** Shards of the whole run. */
  readonly shards: number;
  /** Shards that were copied. */
  readonly copied: number;
  /** Numbers of those that the directory still lacks, or has without a check. */
  readonly missing: readonly number[];
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
const openTarget = async (directory: string, manifest: Manifest): Promise<void> => {
  makeDirectories(directory);
  const names = readdirSync(directory).filter((name) => !name.endsWith(PART));
  if (names.includes(MANIFEST)) refuseOther(directory, readManifest(directory), manifest);
  else if (names.length > 0) refuseStrange(directory, names[0]);
  else await writeManifest(directory, manifest);
};

/** Why a shard is not of a run, by its number of games and its first one; null if it may be. */
const findStray = (manifest: Manifest, shard: number, path: string, { games }: ShardCheck): string | null => {
  const [begin, end] = shardRange(manifest, shard);
  if (games !== end - begin) return `got ${games} games, wanted ${end - begin}`;
  try {
    const [place] = placesOfShard(path);
    const first = decodeGame(readPlace(path, place), path);
    return first.index === begin ? findStranger(manifest, first) : `got game ${first.index}, wanted ${begin}`;
  } catch (error) {
    return (error as Error).message;
  }
};

/** Copies a shard, if it is sound, of the run and not there yet. @returns true if it was copied */
const mergeShard = async (
  manifest: Manifest,
  shard: number,
  [from, to]: readonly [from: string, to: string],
  onLeftOut: MergeOptions['onLeftOut'],
): Promise<boolean> => {
  const check = soundCheck(from);
  if (check === null) return false;
  const wrong = typeof check === 'string' ? check : findStray(manifest, shard, from, check);
  const has = soundCheck(to);
  if (wrong !== null || typeof check === 'string') onLeftOut?.(from, wrong ?? '');
  else if (has === null || typeof has === 'string') {
    const bytes = readFileSync(from);
    const copied = checkOf(from, check.games, bytes);
    if (copied.crc32 !== check.crc32)
      throw new LepantoError(
        'file',
        `${from}: got crc32 ${copied.crc32}, wanted ${check.crc32}: it changed while it was copied`,
      );
    // No check may lie beside another file than its own, however this ends.
    rmSync(checkPath(to), { force: true });
    writeWhole(to, bytes);
    await sealShard(to, check);
    return true;
  } else if (has.crc32 !== check.crc32) onLeftOut?.(from, `got crc32 ${check.crc32}, wanted ${has.crc32} as in ${to}`);
  return false;
};

/**
 * Copies the shards of all parts into one directory. Each is compared with its check; one without a check was being
 * written when its machine stopped, and is left out. Of two that differ the one that is there stays.
 * @throws LepantoError if the parts are not of one run, if the directory holds something else, or if a file cannot be written
 */
export const mergeRuns = async (options: MergeOptions): Promise<MergeResult> => {
  const { parts, directory, onLeftOut, onPart } = options;
  const manifest = commonManifest(parts);
  await openTarget(directory, manifest);
  const shards = Array.from({ length: shardCount(manifest) }, (_, shard) => shard);
  let copied = 0;
  for (const part of parts) {
    for (const shard of resolve(part) === resolve(directory) ? [] : shards) {
      const places = [join(part, shardName(shard)), join(directory, shardName(shard))] as const;
      if (await mergeShard(manifest, shard, places, onLeftOut)) copied++;
    }
    onPart?.();
  }
  const isThere = (path: string): boolean => existsSync(path) && existsSync(checkPath(path));
  const missing = shards.filter((shard) => !isThere(join(directory, shardName(shard))));
  return { manifest, shards: shards.length, copied, missing };
};
