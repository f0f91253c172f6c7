// Writes files atomically: to a temporary file in the same directory, which is then renamed.
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

/** Suffix of the names of temporary files. */
export const PART = '.part';

const HOST = hostname().replace(/[^\w.-]/g, '_');

/** Returns the path of the temporary file for a file. It is unique to this machine, process and thread. */
export const partOf = (path: string): string => `${path}.${HOST}-${process.pid}-${threadId}${PART}`;

/** Matches the end of the name of a temporary file, after the name of its file. Groups: machine and process id. */
const OWNER = /^\.(.+)-(\d+)-\d+\.part$/;

/** Time without a write after which a temporary file of another machine counts as abandoned, in milliseconds. */
const STALE_MS = 3_600_000;

/** True if a process with this id runs on this machine. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/**
 * True if the process that wrote a temporary file has ended. On another machine, true after STALE_MS without a write.
 * @param path path of the final file
 * @param part path of the temporary file
 */
const isLeftOver = (path: string, part: string): boolean => {
  const [, host, pid] = OWNER.exec(part.slice(path.length)) ?? [];
  if (host === HOST) return !isAlive(Number(pid));
  if (host === undefined) return true;
  const found = lstatSync(part, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > STALE_MS;
};

/**
 * Removes temporary files of processes that have ended from a directory. Errors of removal are ignored.
 * @param names names of the entries of the directory
 * @param ownerOf returns the name of the final file for the name of a temporary file; undefined for a name to keep
 * @param recursive true to remove temporary directories too; by default directories stay
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
      // A remaining temporary file does no harm.
    }
  }
};

/** Descriptions of system errors, by error code. */
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

/** Describes a system error of a file or a stream. Returns the system's own message for an unknown code. */
export const describeTrouble = (error: unknown): string => {
  const { code = '', syscall, message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' && syscall === 'mkdir' ? 'it cannot be made there' : (troubles[code] ?? message);
};

/**
 * Makes a LepantoError that names a file that cannot be read, with the reason.
 * @param error error of the file system
 */
export const readError = (path: string, error: unknown): Error => {
  const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  const trouble = isMissing ? 'there is no such file' : describeTrouble(error);
  return new LepantoError('file', `cannot read ${path}: ${trouble}`, { cause: error });
};

/**
 * Makes a LepantoError that names a file that cannot be written, with the reason.
 * @param error error of the file system
 */
export const writeError = (path: string, error: unknown): Error =>
  new LepantoError('file', `cannot write ${path}: ${describeTrouble(error)}`, { cause: error });

/**
 * Returns the status of a file; undefined if the file does not exist or the path is invalid.
 * @throws Error of the file system, for other failures
 */
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
 * Makes a directory and its missing parents. Does not use the `recursive` option of mkdir, which never returns under
 * /proc, and reports a missing directory on a read-only disk.
 * @throws LepantoError that names the directory that cannot be made, with the reason
 */
export const makeDirectories = (path: string): void => {
  const missing: string[] = [];
  for (let at = resolve(path); statOf(at)?.isDirectory() !== true && at !== dirname(at); at = dirname(at))
    missing.push(at);
  for (const directory of missing.reverse()) {
    try {
      mkdirSync(directory);
    } catch (error) {
      // Another process may have made the directory.
      if (statOf(directory)?.isDirectory() !== true) throw writeError(directory, error);
    }
  }
};

/** True for an existing device, pipe or terminal, which cannot be replaced by a renamed file. */
const isSpecial = (path: string): boolean => {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
};

/**
 * Creates a temporary file and returns its descriptor. Replaces one left by a dead process with the same id.
 * @throws Error of the file system, or LepantoError if a directory has its name
 */
const openPart = (part: string): number => {
  try {
    return openSync(part, 'wx');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  if (lstatSync(part, { throwIfNoEntry: false })?.isDirectory())
    throw new LepantoError('file', `${basename(part)}, its temporary file, is a directory`);
  // Removes a symbolic link, not its target.
  rmSync(part, { force: true });
  return openSync(part, 'wx');
};

/**
 * A file that is written in pieces and appears at its path when it is finished. Devices and pipes are written directly.
 * If the constructor, write() or finish() fails, it throws a LepantoError that names the file and leaves no temporary
 * file. abandon() never throws.
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

  /**
   * Runs one step of the writing. If it fails, removes the temporary file.
   * @throws LepantoError that names the file if the step fails
   */
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

  /** Closes the temporary file and renames it to the path. */
  finish(): void {
    this.step(() => {
      this.open = false;
      closeSync(this.fd);
      if (this.part !== this.path) renameSync(this.part, this.path);
    });
  }

  /** Closes and removes the temporary file, so that the old file stays. Never throws. */
  abandon(): void {
    try {
      if (this.open) closeSync(this.fd);
      if (this.part !== this.path) rmSync(this.part, { force: true });
    } catch {
      // The caller reports an earlier error, which must not be replaced.
    }
    this.open = false;
  }
}

/**
 * Begins a large file: removes temporary files for the same path left by killed processes, and creates a new one.
 * @throws LepantoError that names the file if it cannot be created
 */
export const beginFile = (path: string): WholeFile => {
  const [directory, own] = [dirname(path), basename(path)];
  const names = existsSync(directory) ? readdirSync(directory) : [];
  removeLeftOvers(directory, names, (name) => (name.startsWith(`${own}.`) ? own : undefined));
  return new WholeFile(path);
};

/** Writes a file atomically. @throws LepantoError that names the file; the old file then stays */
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

/**
 * Flushes a file and its directory entry to disk and waits for it, so that both survive a power failure.
 * @throws LepantoError that names the file
 */
export const settleNow = (path: string): void => {
  try {
    syncNow(path);
  } catch (error) {
    throw writeError(path, error);
  }
  try {
    syncNow(dirname(path));
  } catch {
    // Some systems cannot open a directory, see settleOnDisk().
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
 * Flushes a file and its directory entry to disk, so that both survive a power failure.
 * @throws LepantoError that names the file
 */
export const settleOnDisk = async (path: string): Promise<void> => {
  try {
    await syncPath(path);
  } catch (error) {
    throw writeError(path, error);
  }
  // Windows and some network file systems cannot open a directory. There the order of the system's writes must suffice.
  await syncPath(dirname(path)).catch(() => {});
};
