// Errors for crashed threads, and the maximum number of crashes of a task.
import { LepantoError } from '../../engine/rules/error.js';

/** Number of crashes after which a task or chunk is not repeated. */
export const MOST_CRASHES = 3;

/** Thrown if a thread ended while it ran a task. The task can be repeated in another thread. */
export class Crash extends Error {
  override readonly name = 'Crash';

  constructor(readonly reason: Error) {
    super(reason.message, { cause: reason });
  }
}

/**
 * Returns the error for a task or chunk that has crashed MOST_CRASHES workers.
 * @param what name of the task or chunk
 * @param cause error of the last crash
 */
export const tooManyCrashes = (what: string, cause: Error): Error =>
  new LepantoError(
    'worker',
    `${what}: ${MOST_CRASHES} worker threads have crashed, the last one with: ${cause.message}`,
    {
      cause,
    },
  );
