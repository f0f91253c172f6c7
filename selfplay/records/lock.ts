// Keeps a file or a directory for one process at a time: PATH.lock says whose it is.
//
// The lock of a process of this machine that has ended counts for nothing. Of a process of another machine nothing can be
// known here: the message says what to do.
import { constants, copyFileSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { LepantoError } from '../../engine/rules/error.js';
import { isAlive, partOf, writeError, writeWhole } from './whole-file.js';

/** How often a place is looked at again, and after how long. */
const MOST_TRIES = 400;
const PAUSE_MS = 5;

interface Holder {
  readonly pid: number;
  readonly host: string;
}

/** Null for a lock that nobody can have written, undefined if there is none. */
const readHolder = (lock: string): Holder | null | undefined => {
  try {
    const { pid, host } = JSON.parse(readFileSync(lock, 'utf8')) as Partial<Holder>;
    return Number.isSafeInteger(pid) && typeof host === 'string' ? { pid: Number(pid), host } : null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : null;
  }
};

const isCurrent = ({ pid, host }: Holder): boolean => host !== hostname() || isAlive(pid);

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

/**
 * Removes a lock that counts for nothing. One process at a time may look and remove: between the look of one and its
 * removal another could have put its own lock there.
 */
const clear = (lock: string, own: string, guard: string): void => {
  if (!place(own, guard)) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    return;
  }
  try {
    const holder = readHolder(lock);
    if (holder === null || (holder !== undefined && !isCurrent(holder))) rmSync(lock, { force: true });
  } finally {
    rmSync(guard, { force: true });
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
  const guard = `${lock}.clear`;
  try {
    writeFileSync(own, JSON.stringify({ pid: process.pid, host: hostname() }));
    for (let tries = 0; !place(own, lock); tries++) {
      const holder = readHolder(lock) ?? null;
      if (holder?.pid === process.pid && holder.host === hostname()) return () => {};
      if (holder !== null && isCurrent(holder))
        throw new LepantoError(
          'file',
          `${path} is in use by process ${holder.pid} on ${holder.host}, wanted another one (if that has ended, remove ${lock})`,
        );
      if (tries === MOST_TRIES)
        throw new LepantoError('file', `${lock} counts for nothing, and ${guard} stays; wanted neither (remove both)`);
      clear(lock, own, guard);
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
  return holder?.host === hostname() && (holder.pid === 0 || !isAlive(holder.pid));
};
