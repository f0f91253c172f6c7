// Writes files that appear whole or not at all: writes them next to their place and renames them.
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { threadId } from 'node:worker_threads';
import { LepantoError } from '../../engine/rules/error.js';

/** Suffix of the name of a file that is not whole yet. */
export const PART = '.part';

const HOST = hostname().replace(/[^\w.-]/g, '_');

/** Path of the temporary file of this thread for a file: no other thread, process or machine writes there. */
export const partOf = (path: string): string => `${path}.${HOST}-${process.pid}-${threadId}${PART}`;

/** What follows the name of a file in that of its temporary file: machine, process and thread. */
const OWNER = /^\.(.+)-(\d+)-\d+\.part$/;

/** After so long without a write, the temporary file of a process on another machine is left over. */
const STALE_MS = 3_600_000;

/** True while a process of this machine runs. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** True if nobody writes the temporary file of a file any more. */
const isLeftOver = (path: string, part: string): boolean => {
  const [, host, pid] = OWNER.exec(part.slice(path.length)) ?? [];
  if (host === HOST) return !isAlive(Number(pid));
  if (host === undefined) return true;
  const found = lstatSync(part, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > STALE_MS;
};

/**
 * Removes the temporary files of processes that were killed.
 * @param names the entries of the directory
 * @param ownerOf returns the name of the file that a temporary file may be of; undefined for a file of others
 * @param recursive true where they are directories of ours; else a directory stays: nobody here has made it
 */
export const removeLeftOvers = (
  directory: string,
  names: readonly string[],
  ownerOf: (name: string) => string | undefined,
  recursive = false,
): void => {
  for (const name of names) {
    const own = ownerOf(name);
    if (own === undefined || !name.endsWith(PART) || !isLeftOver(join(directory, own), join(directory, name))) continue;
    try {
      rmSync(join(directory, name), { force: true, recursive });
    } catch {
      // It is in nobody's way.
    }
  }
};

/** What is wrong, by the code of an error of the system. */
const troubles: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the quota of the disk is used up',
  EFBIG: 'the file would be larger than the system allows',
  EIO: 'the disk reports an input/output error',
  EROFS: 'the file system is read-only',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  ENOENT: 'its directory does not exist',
  ENOTDIR: 'a file is in the way of its directory',
  EEXIST: 'a file is in the way',
  EISDIR: 'a directory is in the way',
  ENAMETOOLONG: 'its name is too long',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
};

/** What is wrong with a file or a stream, in words; the system's own if there are none here. */
export const describeTrouble = (error: unknown): string => {
  const { code = '', syscall, message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' && syscall === 'mkdir' ? 'it cannot be made there' : (troubles[code] ?? message);
};

/** An error that names the file that could not be read, and says why. */
export const readError = (path: string, error: unknown): Error => {
  const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  const trouble = isMissing ? 'there is no such file' : describeTrouble(error);
  return new LepantoError('file', `cannot read ${path}: ${trouble}`, { cause: error });
};

/** An error that names the file that could not be written, and says why. */
export const writeError = (path: string, error: unknown): Error =>
  new LepantoError('file', `cannot write ${path}: ${describeTrouble(error)}`, { cause: error });

/** What is at a path; undefined where nothing is, or nothing can be. */
export const statOf = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR' || code === 'ENAMETOOLONG' || code === 'ERR_INVALID_ARG_VALUE') return undefined;
    throw error;
  }
};

/**
 * Makes a directory and those above it, where they are not there. Not with mkdir's own `recursive`: under /proc that
 * never ends, and on a read-only disk it says that a directory is missing.
 * @throws LepantoError that names the directory and says why, if it cannot be made
 */
export const makeDirectories = (path: string): void => {
  const missing: string[] = [];
  for (let at = resolve(path); statOf(at)?.isDirectory() !== true && at !== dirname(at); at = dirname(at))
    missing.push(at);
  for (const directory of missing.reverse()) {
    try {
      mkdirSync(directory);
    } catch (error) {
      // Another process may have made it.
      if (statOf(directory)?.isDirectory() !== true) throw writeError(directory, error);
    }
  }
};

/** True for something that a file cannot replace: a device, a pipe, a terminal. */
const isSpecial = (path: string): boolean => {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
};

/** Makes a temporary file that is not there yet. One that a dead process with the same number has left is replaced. */
const openPart = (part: string): number => {
  try {
    return openSync(part, 'wx');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  if (lstatSync(part, { throwIfNoEntry: false })?.isDirectory())
    throw new LepantoError('file', `${basename(part)}, its temporary file, is a directory`);
  // A link goes, and not what it leads to.
  rmSync(part, { force: true });
  return openSync(part, 'wx');
};

/**
 * A file being written. Devices and pipes are written directly, because a file cannot replace them.
 * Every method but abandon() throws an Error that names the file, and then leaves no temporary file.
 */
export class WholeFile {
  declare private readonly part: string;
  declare private readonly fd: number;
  private open = true;

  constructor(readonly path: string) {
    try {
      this.part = isSpecial(path) ? path : partOf(path);
      this.fd = this.part === path ? openSync(path, 'w') : openPart(this.part);
    } catch (error) {
      throw writeError(path, error);
    }
  }

  /** Runs a step; if it fails, abandons the file. */
  private step(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.abandon();
      throw writeError(this.path, error);
    }
  }

  write(data: Uint8Array | string): void {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    this.step(() => {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.fd, bytes, done);
    });
  }

  /** Puts the file in its place. */
  finish(): void {
    this.step(() => {
      this.open = false;
      closeSync(this.fd);
      if (this.part !== this.path) renameSync(this.part, this.path);
    });
  }

  /** Keeps the old file, and removes the temporary one. */
  abandon(): void {
    try {
      if (this.open) closeSync(this.fd);
      if (this.part !== this.path) rmSync(this.part, { force: true });
    } catch {
      // An earlier error is being reported, and it is the one that matters.
    }
    this.open = false;
  }
}

/** Begins a file that takes long, without what killed processes have left of it. @throws LepantoError that names it */
export const beginFile = (path: string): WholeFile => {
  const [directory, own] = [dirname(path), basename(path)];
  const names = existsSync(directory) ? readdirSync(directory) : [];
  removeLeftOvers(directory, names, (name) => (name.startsWith(`${own}.`) ? own : undefined));
  return new WholeFile(path);
};

/** Writes a whole file. @throws LepantoError that names it; then the old file is still there */
export const writeWhole = (path: string, content: Uint8Array | string): void => {
  const file = new WholeFile(path);
  file.write(content);
  file.finish();
};

const syncNow = (path: string): void => {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
};

/** As settleOnDisk(), for a caller that cannot wait for a promise. */
export const settleNow = (path: string): void => {
  try {
    syncNow(path);
  } catch (error) {
    throw writeError(path, error);
  }
  try {
    syncNow(dirname(path));
  } catch {
    // As in settleOnDisk().
  }
};

const syncPath = async (path: string): Promise<void> => {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
};

/**
 * Waits until the disk has a file and its name, so that both survive a power failure.
 * @throws LepantoError that names the file
 */
export const settleOnDisk = async (path: string): Promise<void> => {
  try {
    await syncPath(path);
  } catch (error) {
    throw writeError(path, error);
  }
  // Windows and some network file systems cannot open a directory: there the system's own order of writing must do.
  await syncPath(dirname(path)).catch(() => {});
};
