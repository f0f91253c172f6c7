// Says how much `lepanto bench` and its variants measure.

export interface Size {
  readonly name: 'smoke' | 'quick' | 'normal' | 'full';
  /** Processes, run one by one: at least `least`, and no further one that would exceed `limit` seconds. */
  readonly processes: number;
  readonly least: number;
  readonly limit: number;
  /** Order sets of each family. */
  readonly sets: number;
  /** Milliseconds: of warm-up, of each row on one thread, of each row on all, of each row by `benchmark` (0: none). */
  readonly warmUp: number;
  readonly row: number;
  readonly threads: number;
  readonly again: number;
  /** Size of a job of the pool, as a share of a tenth of a second. */
  readonly job: number;
  /** Whether there are rows for recorded games and for every preset and map. */
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

/** @throws Error that lists the names */
export const sizeOf = (name: string): Size => {
  const found = listed.find((size) => size.name === name);
  if (found !== undefined) return found;
  throw new Error(`size: got "${name}", wanted one of ${listed.map((size) => size.name).join(', ')}`);
};
