// Sizes of `lepanto bench`: smoke, quick, normal and full.

export interface Size {
  readonly name: 'smoke' | 'quick' | 'normal' | 'full';
  /** Maximum number of processes. They run one after the other. */
  readonly processes: number;
  /** Number of processes that run in any case. */
  readonly least: number;
  /** Time after which no further process starts, in seconds, once `least` processes have run. */
  readonly limit: number;
  /** Number of order sets of each family. */
  readonly sets: number;
  /** Time of the warm-up in milliseconds. */
  readonly warmUp: number;
  /** Time of each row on one thread in milliseconds. */
  readonly row: number;
  /** Time of each row on all threads in milliseconds. */
  readonly threads: number;
  /** Time of each row with the package `benchmark` in milliseconds; 0 for none. */
  readonly again: number;
  /** Size of a job on all threads, as a fraction of a whole job (threads.ts). */
  readonly job: number;
  /** True to add rows for recorded games and for every preset and map. */
  readonly others: boolean;
}

const usual = { sets: 4000, again: 0, job: 1, others: false };
const full = { again: 120, others: true };

const listed: readonly Size[] = [
  { ...usual, name: 'smoke', processes: 1, least: 1, limit: 10, warmUp: 60, row: 10, threads: 20, sets: 200, job: 0.1 },
  { ...usual, name: 'quick', processes: 4, least: 2, limit: 15, warmUp: 600, row: 100, threads: 150 },
  { ...usual, name: 'normal', processes: 7, least: 3, limit: 33, warmUp: 900, row: 150, threads: 250 },
  { ...usual, name: 'full', processes: 20, least: 10, limit: 230, warmUp: 1000, row: 200, threads: 300, ...full },
];

/** Returns the size with a name. @throws Error that lists the names if the name is unknown */
export const sizeOf = (name: string): Size => {
  const found = listed.find((size) => size.name === name);
  if (found !== undefined) return found;
  throw new Error(`size: got "${name}", wanted one of ${listed.map((size) => size.name).join(', ')}`);
};
