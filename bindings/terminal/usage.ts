// Checks arguments of the commands: reads numbers and words from text, refuses wrong ones, and checks output paths.
import { existsSync, realpathSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { LepantoError } from '../../engine/rules/error.js';
import { ARENA_FILE, COMPARISONS_FILE, INDEX_FILE, MANIFEST, PLAYING } from '../../selfplay/records/manifest.js';
import { describeTrouble, makeDirectories, partOf, statOf } from '../../selfplay/records/whole-file.js';
import { noShards, shardsOf } from '../formats/games/read.js';

/** Thrown for a wrong call of a command: exit code 2. */
export class UsageError extends LepantoError {
  constructor(message: string) {
    super('usage', message);
  }
}

/** An error as one of usage, with its option named once: 'agent: got "x"' becomes '--agents: got "x"'. */
export const asUsage = (option: string, error: unknown): UsageError => {
  const { message } = error as Error;
  return new UsageError(`--${option}: ${message.replace(new RegExp(`^${option}?: `), '')}`);
};

/** Runs a check of outside input, and turns its error into one of usage. */
export const orUsage = <T>(option: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    throw asUsage(option, error);
  }
};

/** Bytes of all recorded games under a path, at least 1. @throws LepantoError if there is none */
export const sizeOfGames = (path: string): number => {
  const found = statOf(path);
  if (found === undefined) throw new LepantoError('file', `cannot read ${path}: there is no such file or directory`);
  const shards = shardsOf(path);
  if (found.size === 0) throw new LepantoError('file', `${path}: got an empty file, wanted recorded games`);
  if (found.isDirectory() && shards.length === 0) throw noShards(path);
  return Math.max(1, shards.length > 0 ? shards.reduce((sum, shard) => sum + statSync(shard).size, 0) : found.size);
};

/** Makes a directory and those above it. @throws UsageError that says why it cannot be */
export const makeDirectory = (option: string, path: string): void => {
  const refuse = (trouble: string): never => {
    throw new UsageError(`${option}: got "${path}", ${trouble}, wanted a directory`);
  };
  if (path === '') refuse('which is no name');
  try {
    makeDirectories(path);
  } catch (error) {
    refuse(`but ${describeTrouble((error as Error).cause)}`);
  }
};

/** What there is at a path that will be read. @throws LepantoError if nothing is there, or a directory */
export const checkInput = (path: string): Stats => {
  const found = statOf(path);
  if (found === undefined) throw new LepantoError('file', `cannot read ${path}: there is no such file`);
  if (found.isDirectory()) throw new LepantoError('file', `cannot read ${path}: it is a directory`);
  return found;
};

/** Bytes written to find out whether a disk takes any. */
const PROBE_SIZE = 4096;

/** Writes some bytes next to a path, and removes them. @throws the error of the system */
const tryWriting = (path: string): void => {
  const temporary = partOf(path);
  try {
    writeFileSync(temporary, Buffer.alloc(PROBE_SIZE));
  } finally {
    rmSync(temporary, { force: true });
  }
};

/** Endings of a page. */
export const HTML_ENDINGS = ['.html', '.htm'] as const;

const SHARD_FILE = /^games-\d{5,15}\.(lep|table)$/;

/** True for a file of a run or an arena, or a name under which a file would turn its directory into one. */
export const belongsToRun = (path: string): boolean => {
  const [folder, name] = [dirname(path), basename(path).toLowerCase()];
  if ([MANIFEST, ARENA_FILE, PLAYING].includes(name)) return true;
  const inRun = [MANIFEST, ARENA_FILE].some((own) => existsSync(join(folder, own)));
  if (SHARD_FILE.test(name)) return inRun || existsSync(join(folder, name.replace(/lep$/, 'table')));
  return inRun && [INDEX_FILE, COMPARISONS_FILE].includes(name);
};

/** The path of a file without links; the path itself where there is no such file. */
const realPath = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

/**
 * Refuses a path that a user names for output and that no file should be written to, before any work is done for it: a
 * file of a run, a name without its ending, and whatever checkWritable() refuses. Every command that writes a file under a
 * name of the user's calls it.
 * @param endings of the kind of file that is written: ['.svg']; none where any name will do
 * @throws UsageError that says why
 */
export const checkFile = (option: string, path: string, endings: readonly string[] = []): void => {
  const found = path === '' ? undefined : statOf(path);
  const isSpecial = found !== undefined && !found.isFile() && !found.isDirectory();
  if (path !== '' && [path, realPath(path)].some(belongsToRun))
    throw new UsageError(`${option}: got "${path}", which is a file of a run, wanted another name`);
  checkWritable(option, path);
  if (endings.length > 0 && !isSpecial && !endings.some((ending) => path.toLowerCase().endsWith(ending)))
    throw new UsageError(`${option}: got "${path}", wanted a name that ends in ${endings.join(' or ')}`);
};

/**
 * Refuses a path that no file can be written to: a directory, a name in no directory, a full disk, a read-only one.
 * @throws UsageError that says why
 */
export const checkWritable = (option: string, path: string): void => {
  const refuse = (trouble: string): never => {
    throw new UsageError(`${option}: got "${path}", ${trouble}, wanted a file`);
  };
  if (path === '') refuse('which is no name');
  const found = statOf(path);
  if (found?.isDirectory()) refuse('which is a directory');
  const above = dirname(resolve(path));
  if (!statOf(above)?.isDirectory()) refuse(`but ${above} is no directory`);
  // Devices and pipes are written directly.
  if (found !== undefined && !found.isFile()) return;
  try {
    tryWriting(path);
  } catch (error) {
    refuse(`but ${describeTrouble(error)}`);
  }
};

/** The only path of a command, or what stands for none. @param wanted 'one file or directory' */
export const onePath = (command: string, paths: readonly string[], wanted: string, otherwise?: string): string => {
  const [path = otherwise] = paths;
  if (path !== undefined && paths.length <= 1) return path;
  throw new UsageError(`${command}: got ${paths.length} paths, wanted ${wanted}`);
};
