// Checks arguments of commands: values from other parsers, input files and output paths.

import { existsSync, realpathSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { LepantoError } from '../../engine/rules/error.js';
import { ARENA_FILE, MANIFEST, meaningOf } from '../../selfplay/records/manifest.js';
import { describeTrouble, makeDirectories, partOf, statOf } from '../../selfplay/records/whole-file.js';
import { noShards, shardsOf } from '../formats/games/read.js';

/** Thrown for wrong arguments of a command, which then exits with code 2. */
export class UsageError extends LepantoError {
  constructor(message: string) {
    super('usage', message);
  }
}

/**
 * Converts an error to a UsageError that names the option once: 'agent: got "x"' becomes '--agents: got "x"'.
 * @param option name of the option, without dashes
 */
export const asUsage = (option: string, error: unknown): UsageError => {
  const { message } = error as Error;
  return new UsageError(`--${option}: ${message.replace(new RegExp(`^${option}?: `), '')}`);
};

/**
 * Returns the result of `read`, a parser of user input.
 * @param option name of the option, without dashes
 * @throws UsageError with the parser's message, which names the option once
 */
export const orUsage = <T>(option: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    throw asUsage(option, error);
  }
};

/**
 * Returns the total size in bytes of the recorded games under a path, at least 1.
 * @throws LepantoError if nothing is there, the file is empty, or the directory has no shards
 */
export const sizeOfGames = (path: string): number => {
  const found = statOf(path);
  if (found === undefined) throw new LepantoError('file', `cannot read ${path}: there is no such file or directory`);
  const shards = shardsOf(path);
  if (found.size === 0) throw new LepantoError('file', `${path}: got an empty file, wanted recorded games`);
  if (found.isDirectory() && shards.length === 0) throw noShards(path);
  return Math.max(1, shards.length > 0 ? shards.reduce((sum, shard) => sum + statSync(shard).size, 0) : found.size);
};

/**
 * Creates a directory and its parents, unless it exists.
 * @param option option that names it, for the error: '--out'
 * @throws UsageError with the reason if that is not possible
 */
export const makeDirectory = (option: string, path: string): void => {
  const refuse = (trouble: string): never => {
    throw new UsageError(`${option}: got "${path}", ${trouble}, wanted a directory`);
  };
  if (path === '') refuse('which is not a name');
  try {
    makeDirectories(path);
  } catch (error) {
    refuse(`but ${describeTrouble((error as Error).cause)}`);
  }
};

/** Returns the file status of an input path. @throws LepantoError if it does not exist or is a directory */
export const checkInput = (path: string): Stats => {
  const found = statOf(path);
  if (found === undefined) throw new LepantoError('file', `cannot read ${path}: there is no such file`);
  if (found.isDirectory()) throw new LepantoError('file', `cannot read ${path}: it is a directory`);
  return found;
};

/** Number of bytes written to check that a disk is writable. */
const PROBE_SIZE = 4096;

/** Writes a temporary file next to a path and removes it. @throws Error of the system if that fails */
const tryWriting = (path: string): void => {
  const temporary = partOf(path);
  try {
    writeFileSync(temporary, Buffer.alloc(PROBE_SIZE));
  } finally {
    rmSync(temporary, { force: true });
  }
};

/** Allowed extensions of files for web pages, for checkFile(). */
export const HTML_ENDINGS = ['.html', '.htm'] as const;

/** True for the path of a file of a run or an arena, or where a file would be taken for one. */
export const belongsToRun = (path: string): boolean => {
  const [folder, name] = [dirname(path), basename(path).toLowerCase()];
  const meaning = meaningOf(name);
  if (meaning === 'mark') return true;
  const inRun = [MANIFEST, ARENA_FILE].some((own) => existsSync(join(folder, own)));
  if (meaning === 'shard') return inRun || existsSync(join(folder, name.replace(/lep$/, 'table')));
  return inRun && meaning === 'cache';
};

/** Returns a path with its symbolic links resolved, or unchanged if nothing is there. */
const realPath = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

/**
 * Checks a path that a user names for output, before any work is done for it. Refuses files of a run, other extensions,
 * and all paths that checkWritable() refuses. Every command with such an option calls it.
 * @param option option of the path, for messages: '--out'
 * @param endings allowed extensions: ['.svg']; empty for any
 * @throws UsageError with the reason
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
 * Refuses a path that cannot be written: '', a directory, a path in a directory that does not exist, a full or
 * read-only disk. Writes and removes a temporary file next to it to find out.
 * @param option option of the path, for messages: '--out'
 * @throws UsageError with the reason
 */
export const checkWritable = (option: string, path: string): void => {
  const refuse = (trouble: string): never => {
    throw new UsageError(`${option}: got "${path}", ${trouble}, wanted a file`);
  };
  if (path === '') refuse('which is not a name');
  const found = statOf(path);
  if (found?.isDirectory()) refuse('which is a directory');
  const above = dirname(resolve(path));
  if (!statOf(above)?.isDirectory()) refuse(`but ${above} is not a directory`);
  // Devices and pipes are written without a temporary file next to them, so no attempt to write one is needed.
  if (found !== undefined && !found.isFile()) return;
  try {
    tryWriting(path);
  } catch (error) {
    refuse(`but ${describeTrouble(error)}`);
  }
};

/**
 * Returns the only path among a command's arguments, or the default.
 * @param command name of the command, for the error
 * @param wanted description of the expected path: 'one file or directory'
 * @param otherwise default if no path is given; undefined if one is required
 * @throws UsageError for several paths, or none without a default
 */
export const onePath = (command: string, paths: readonly string[], wanted: string, otherwise?: string): string => {
  const [path = otherwise] = paths;
  if (path !== undefined && paths.length <= 1) return path;
  throw new UsageError(`${command}: got ${paths.length} paths, wanted ${wanted}`);
};
