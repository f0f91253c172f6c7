// Checks arguments of the commands: reads numbers and words from text, refuses wrong ones, and checks output paths.
import { rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { LepantoError } from '../../engine/rules/error.js';
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
const probe = (path: string): void => {
  const temporary = partOf(path);
  try {
    writeFileSync(temporary, Buffer.alloc(PROBE_SIZE));
  } finally {
    rmSync(temporary, { force: true });
  }
};

/**
 * Refuses a path that no file can be written to, before any work is done for it: a directory, a name in no directory, a
 * full disk, a read-only one.
 * @throws UsageError that says why
 */
export const checkFile = (option: string, path: string): void => {
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
    probe(path);
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
