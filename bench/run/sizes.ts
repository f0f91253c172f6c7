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
  /** Whether there are rows for recorded games, for every preset and map, and for Python. */
  readonly others: boolean;
  /** Speed against workers, cost against units and horizon: milliseconds for each point, 0 for none. */
  readonly curve: number;
}

export const sizes: Readonly<Record<Size['name'], Size>> = {
  smoke: {
    name: 'smoke',
    processes: 1,
    least: 1,
    limit: 10,
    sets: 200,
    warmUp: 60,
    row: 10,
    threads: 20,
    again: 0,
    job: 0.1,
    others: false,
    curve: 0,
  },
  quick: {
    name: 'quick',
    processes: 4,
    least: 2,
    limit: 15,
    sets: 4000,
    warmUp: 600,
    row: 100,
    threads: 150,
    again: 0,
    job: 1,
    others: false,
    curve: 0,
  },
  normal: {
    name: 'normal',
    processes: 7,
    least: 3,
    limit: 33,
    sets: 4000,
    warmUp: 900,
    row: 150,
    threads: 250,
    again: 0,
    job: 1,
    others: false,
    curve: 0,
  },
  full: {
    name: 'full',
    processes: 20,
    least: 10,
    limit: 230,
    sets: 4000,
    warmUp: 1000,
    row: 200,
    threads: 300,
    again: 120,
    job: 1,
    others: true,
    curve: 300,
  },
};

export const isSizeName = (name: string): name is Size['name'] => Object.hasOwn(sizes, name);
