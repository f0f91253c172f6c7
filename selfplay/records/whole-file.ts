// Writes files that appear whole or not at all: writes them next to their place and renames them.
import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Suffix of the name of a file that is not whole yet. */
export const PART = '.part';

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
  EISDIR: 'a directory is in the way',
  ENAMETOOLONG: 'its name is too long',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
};

/** What is wrong with a file or a stream, in words; the system's own if there are none here. */
export const describeTrouble = (error: unknown): string => {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return troubles[code] ?? message;
};

/** An error that names the file that could not be written, and says why. */
export const writeError = (path: string, error: unknown): Error =>
  new Error(`cannot write ${path}: ${describeTrouble(error)}`, { cause: error });

/** True for something that a file cannot replace: a device, a pipe, a terminal. */
const isSpecial = (path: string): boolean => {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
};

/**
 * A file being written. Devices and pipes are written directly, because a file cannot replace them.
 * Every method but abandon() throws an Error that names the file, and then leaves no temporary file.
 */
export class WholeFile {
  declare readonly path: string;
  declare private readonly part: string;
  declare private readonly fd: number;
  declare private open: boolean;

  /** @param part path of the temporary file */
  constructor(path: string, part = path + PART) {
    this.path = path;
    try {
      this.part = isSpecial(path) ? path : part;
      this.fd = openSync(this.part, 'w');
    } catch (error) {
      throw writeError(path, error);
    }
    this.open = true;
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

/** Writes a whole file. @throws Error that names it; then the old file is still there */
export const writeWhole = (path: string, content: Uint8Array | string): void => {
  const file = new WholeFile(path);
  file.write(content);
  file.finish();
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
 * @throws Error that names the file
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
