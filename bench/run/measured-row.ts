// Types of a row of the benchmark.

/** Path of a number in the result: ['resolves_per_second', 'mid dense']. */
export type RowPath = readonly [string] | readonly [string, string];

export interface Row {
  /**
   * Names of the row, each with its number of operations in a chunk. A run of games has two: phase-steps and playouts.
   */
  readonly counts: readonly { readonly path: RowPath; readonly operations: number }[];
  /** Called once before the chunks of this row. Not timed. */
  readonly prepare: () => void;
  /** Runs the chunk. Returns a number that depends on its results. */
  readonly run: () => number;
  /** Runs the chunk and returns a hash of its results. */
  readonly check: () => number;
}
