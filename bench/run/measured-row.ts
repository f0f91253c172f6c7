// Types of a row of the benchmark.

/**
 * Path of a number in the result: field, and name in the field if it has several: ['resolves_per_second', 'mid dense'].
 */
export type RowPath = readonly [string] | readonly [string, string];

export interface Row {
  /**
   * Numbers that the row gives, each with its path in the result and its number of operations in a chunk. A row of
   * games has two: phase-steps and playouts.
   */
  readonly counts: readonly { readonly path: RowPath; readonly operations: number }[];
  /** Called once before the chunks of this row are timed. */
  readonly prepare: () => void;
  /** Runs the chunk once. Returns a number that depends on its results, so that V8 cannot remove the work. */
  readonly run: () => number;
  /** Runs the chunk once and returns a hash of its results. */
  readonly check: () => number;
}
