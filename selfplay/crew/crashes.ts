// What a crash of a thread is, and how often a task may cause one.
import { LepantoError } from '../../engine/rules/error.js';

export const MOST_CRASHES = 3;

/** The thread of a task has ended, or has to: the task can be run again in another one. */
export class Crash extends Error {
  override readonly name = 'Crash';

  constructor(readonly reason: Error) {
    super(reason.message, { cause: reason });
  }
}

export const tooManyCrashes = (what: string, cause: Error): Error =>
  new LepantoError('worker', `${what} has crashed ${MOST_CRASHES} workers, the last one with: ${cause.message}`, {
    cause,
  });
