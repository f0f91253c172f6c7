// Keeps a file or a directory for one process at a time: PATH.lock says whose it is.
//
// The lock of a process of this machine that has ended counts for nothing. Of a process of another machine nothing can be
// known here: the message says what to do.
import { constants, copyFileSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { LepantoError } from '../../engine/rules/error.js';
import { isAlive, partOf, writeError, writeWhole } from './whole-file.js';

/** Locks of dead processes that are cleared in a row. */
const MOST_TRIES = 5;

interface Holder {
  readonly pid: number;
  readonly host: string;
}

/** Null for a lock that is gone, or that nobody can have written. */
const readHolder = (lock: string): Holder | null => {
  try {
    const { pid, host } = JSON.parse(readFileSync(lock, 'utf8')) as Partial<Holder>;
    return Number.isSafeInteger(pid) && typeof host === 'string' ? { pid: Number(pid), host } : null;
  } catch {
    return null;
  }
};

const isSame = (a: Holder | null, b: Holder | null): boolean => a?.pid === b?.pid && a?.host === b?.host;

/** Puts the lock in its place, if there is none: at once with all its content, where the file system has links. */
const place = (own: string, lock: string): boolean => {
  try {
    try {
      linkSync(own, lock);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
      copyFileSync(own, lock, constants.COPYFILE_EXCL);
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
};

/** Removes a lock that counts for nothing, unless another process has just put its own there. */
const clear = (lock: string, own: string, dead: Holder | null): void => {
  try {
    renameSync(lock, own);
    if (!isSame(readHolder(own), dead)) place(own, lock);
  } catch {
    // Another process has cleared it.
  }
};

/**
 * Takes a path for this process.
 * @returns gives it back; the end of the process does as well
 * @throws LepantoError that says who has it, or that the lock cannot be written
 */
export const lockPath = (path: string): (() => void) => {
  const lock = `${path}.lock`;
  const own = partOf(lock);
  const here: Holder = { pid: process.pid, host: hostname() };
  try {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      writeFileSync(own, JSON.stringify(here));
      if (place(own, lock)) break;
      const holder = readHolder(lock);
      if (isSame(holder, here)) return () => {};
      if (holder !== null && (holder.host !== here.host || isAlive(holder.pid)))
        throw new LepantoError(
          'file',
          `${path} is in use by process ${holder.pid} on ${holder.host}, wanted another one (if that has ended, remove ${lock})`,
        );
      clear(lock, own, holder);
    }
  } catch (error) {
    throw error instanceof LepantoError ? error : writeError(path, error);
  } finally {
    rmSync(own, { force: true });
  }
  const release = (): void => rmSync(lock, { force: true });
  process.once('exit', release);
  return () => {
    process.off('exit', release);
    release();
  };
};

/** Says in a file that this process is at work there, if the disk takes it: nothing is kept from others. */
export const markWork = (path: string, pid = process.pid): void => {
  try {
    writeWhole(path, JSON.stringify({ pid, host: hostname() }));
  } catch {}
};

/** Says that the work has ended before its end, unless another process is at it now. */
export const markEnded = (path: string): void => {
  if (readHolder(path)?.pid === process.pid) markWork(path, 0);
};

/** True if markWork() was the work of a process of this machine, and that has ended. */
export const isWorkEnded = (path: string): boolean => {
  const holder = readHolder(path);
  return holder !== null && holder.host === hostname() && (holder.pid === 0 || !isAlive(holder.pid));
};
