// Locks a file or a directory for one process at a time, by a file PATH.lock that names the process.
//
// The lock of a process of this machine that has ended is stale and is removed. Whether a process of another machine
// runs cannot be known here, so its lock stays and the error message says how to remove it.
import { constants, copyFileSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { LepantoError } from '../../engine/rules/error.js';
import { isAlive, partOf, writeError, writeWhole } from './whole-file.js';

/** MOST_TRIES: maximum number of attempts to take a lock. PAUSE_MS: pause between two attempts in milliseconds. */
const MOST_TRIES = 400;
const PAUSE_MS = 5;

interface Holder {
  readonly pid: number;
  readonly host: string;
}

/** Reads which process holds a lock. Returns undefined if there is no lock, null if its content is invalid. */
const readHolder = (lock: string): Holder | null | undefined => {
  try {
    const { pid, host } = JSON.parse(readFileSync(lock, 'utf8')) as Partial<Holder>;
    return Number.isSafeInteger(pid) && typeof host === 'string' ? { pid: Number(pid), host } : null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : null;
  }
};

const isCurrent = ({ pid, host }: Holder): boolean => host !== hostname() || isAlive(pid);

/**
 * Creates a lock file unless it exists. On file systems with hard links, the file appears with its whole content at
 * once.
 * @param own path of a temporary file with the content
 * @param lock path of the lock file
 * @returns true if created, false if the lock exists
 * @throws Error of the file system
 */
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
 * Removes a lock file that is invalid or names a process that has ended. A guard file lets only one process at a time
 * check and remove: otherwise another process could create its own lock between the two steps. If the guard exists,
 * removes nothing and waits PAUSE_MS.
 * @param own path of a temporary file with the content of the guard
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
 * Locks a path for this process by the file PATH.lock. If this process holds the lock already, the returned function
 * does nothing.
 * @returns function that releases the lock; the exit of the process also releases it
 * @throws LepantoError that names the process holding the lock, or if the lock cannot be written
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
          `${path} is in use by process ${holder.pid} on ${holder.host}, wanted a free one (if that process has ended, remove ${lock})`,
        );
      if (tries === MOST_TRIES) throw new LepantoError('file', `${lock} is stale and ${guard} exists; remove both`);
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

/**
 * Writes a file that says which process works in its directory. The file locks nothing. Errors of writing are ignored.
 * @param pid id of the process; 0 marks the work as ended
 */
export const markWork = (path: string, pid = process.pid): void => {
  try {
    writeWhole(path, JSON.stringify({ pid, host: hostname() }));
  } catch {}
};

/** Marks the work of this process as ended, in a file of markWork(). Does nothing if the file names another process. */
export const markEnded = (path: string): void => {
  if (readHolder(path)?.pid === process.pid) markWork(path, 0);
};

/**
 * True if a file of markWork() says that its work has ended, or names a process of this machine that has ended. Always
 * false for the file of another machine.
 */
export const isWorkEnded = (path: string): boolean => {
  const holder = readHolder(path);
  return holder?.host === hostname() && (holder.pid === 0 || !isAlive(holder.pid));
};
