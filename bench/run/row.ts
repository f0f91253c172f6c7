// Defines what a row of the benchmark is.

/** Path of a number in the result: ['resolves_per_second', 'mid dense']. */
export type RowPath = readonly [string] | readonly [string, string];

export interface Row {
  /** Names of the row, with the operations of each in a chunk: one run gives both phase-steps and playouts. */
  readonly counts: readonly { readonly path: RowPath; readonly operations: number }[];
  /** Called before the chunks of this row; not timed. */
  readonly prepare: () => void;
  /** Runs the chunk; returns a number that depends on its results. */
  readonly run: () => number;
  /** A hash of the results of a chunk. */
  readonly check: () => number;
}
