// Defines the error class for external input. It imports no other module, so that every module can throw it.

/**
 * Category of an error:
 * `argument` a value given to a function; `rules`, `map` their name, options or rows; `orders` orders that cannot be
 * obeyed; `notation` text that is no order, unit or place; `json` text that is no JSON, or exceeds its limits; `record` a
 * record, saved game or shard of a wrong shape or content; `file` a file that cannot be read or written, or holds
 * something else; `agent` an agent that cannot be loaded, or fails; `action` an action of a batch that cannot be taken;
 * `worker` worker threads that crash or have been closed; `queue` a queue or its stores; `package` an optional package
 * that is not installed; `usage` the arguments of a command.
 */
export type ErrorCode =
  | 'argument'
  | 'rules'
  | 'map'
  | 'orders'
  | 'notation'
  | 'json'
  | 'record'
  | 'file'
  | 'agent'
  | 'action'
  | 'worker'
  | 'queue'
  | 'package'
  | 'usage';

/** Thrown for rejected input. The message names the value received and the values accepted. */
export class LepantoError extends Error {
  /** Name of the class: 'LepantoError'. Tells a LepantoError from other errors. */
  override readonly name: string = 'LepantoError';
  /** Category of the error. */
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** True for a LepantoError with this code. */
export const hasCode = (error: unknown, code: ErrorCode): error is LepantoError =>
  error instanceof LepantoError && error.code === code;

/** Returns the number of edits (a letter added, removed or replaced) that turn one word into another. */
const editDistance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length];
};

/** True if one word may be the other, mistyped: at most 2 letters added, removed or replaced. */
export const isSimilar = (a: string, b: string): boolean => editDistance(a, b) <= 2;
