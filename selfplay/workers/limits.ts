// What is made up for without a word where threads share work, and where that ends.
import { LepantoError } from '../../engine/rules/error.js';

/** Workers that one task or chunk may crash. */
export const MOST_CRASHES = 3;

/** A worker this many times slower than the fast ones is replaced. */
export const SLOW = 1.4;

export const tooManyCrashes = (what: string, cause: Error): Error =>
  new LepantoError('worker', `${what} has crashed ${MOST_CRASHES} workers, the last one with: ${cause.message}`, {
    cause,
  });
