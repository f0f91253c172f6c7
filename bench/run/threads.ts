// Measures random play on several threads, in the worker pool that Lepanto itself uses.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { standard } from '../../engine/map/standard.js';
import { POLICY, UNIFORM } from '../../engine/play/step.js';
import { newGame } from '../../engine/position/game.js';
import { DATC_3_2 } from '../../engine/rules/options.js';
import { mix } from '../../engine/rules/random.js';
import { defaultWorkers, makePool, type Pool } from '../../selfplay/crew/pool.js';
import { runSelfplay } from '../../selfplay/records/run.js';
import { LAST_YEAR, type PlayName, YEAR_STEPS } from './playing.js';

/** Returns the number of workers for "all threads": one for each available processor. */
export const allThreads = defaultWorkers;

/** Kind of a job. RECORDED plays the games of `uniform` as self-play, and writes every game to a file. */
export type JobName = PlayName | typeof RECORDED;
export const RECORDED = 'recorded';

/** Rates of a job: phase-steps per second (`steps`), and games or rollouts per second (`games`). */
export interface Rates {
  readonly steps: number;
  readonly games: number;
  /** Hash of the results of a job. The hash is the same for any number of workers. */
  readonly checksum: number;
}

export interface Threads {
  /**
   * Plays jobs on all threads for at least the given time. Returns their rates. Rejects if a job gives different
   * results when repeated.
   */
  readonly measure: (play: JobName, milliseconds: number) => Promise<Rates>;
  readonly close: () => Promise<void>;
}

const SEED = 20_251_121;
/**
 * Number of games or rollouts of a whole job. A job takes a tenth of a second on two threads, so that its start and end
 * hardly matter. A recorded job has more overhead and takes a second.
 */
const JOB_GAMES: Readonly<Record<JobName, number>> = { policy: 16_000, uniform: 6000, year: 200_000, recorded: 40_960 };

interface Played {
  readonly games: number;
  readonly steps: number;
  readonly checksum: number;
}

const playYears = async (pool: Pool, count: number): Promise<Played> => {
  const start = newGame(standard, DATC_3_2);
  const { steps, mean, error } = await pool.rollouts(start, { horizon: YEAR_STEPS, count, seed: SEED });
  return { games: count, steps, checksum: hashOf(new Int32Array(Float64Array.of(...mean, ...error).buffer)) };
};

const hashOf = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((sum, value) => mix(Math.imul(sum, 31) + value), 0) >>> 0;

const record = async (pool: Pool, games: number, directory: string): Promise<Played> => {
  const agents = standard.powerNames.map(() => 'random');
  const spec = { map: standard.name, rules: DATC_3_2.name, agents, games, until: LAST_YEAR, seed: SEED };
  const { summary, bytes } = await runSelfplay({ spec, directory, commit: null, workers: pool.workers, pool });
  const { phaseSteps, centers, solos } = summary;
  return { games, steps: phaseSteps, checksum: hashOf([phaseSteps, bytes, ...centers, ...solos]) };
};

/** Worker threads, and the temporary folder for the files of recorded jobs. */
interface Place {
  readonly pool: Pool;
  readonly folder: string;
}

const playJob = ({ pool, folder }: Place, play: JobName, share: number): Promise<Played> => {
  const games = Math.ceil(JOB_GAMES[play] * share);
  if (play === 'year') return playYears(pool, games);
  if (play === RECORDED) return record(pool, games, mkdtempSync(join(folder, 'run-')));
  const sampler = play === 'policy' ? POLICY : UNIFORM;
  return pool.playouts({ map: standard, rules: DATC_3_2, games, until: LAST_YEAR, seed: SEED, sampler });
};

const measure = async (place: Place, play: JobName, share: number, milliseconds: number): Promise<Rates> => {
  const begin = performance.now();
  let games = 0;
  let steps = 0;
  let spent = 0;
  let checksum: number | null = null;
  do {
    const played = await playJob(place, play, share);
    if (checksum !== null && played.checksum !== checksum)
      throw new Error(`${play}: the same job gave other results, checksums ${checksum} and ${played.checksum}`);
    checksum = played.checksum;
    games += played.games;
    steps += played.steps;
    spent = performance.now() - begin;
  } while (spent < milliseconds);
  return { steps: (1000 * steps) / spent, games: (1000 * games) / spent, checksum };
};

/**
 * Starts worker threads for jobs.
 * @param count number of workers
 * @param share size of a job as a fraction of a whole job, above 0, at most 1
 */
export const openThreads = async (count: number, share = 1): Promise<Threads> => {
  const pool = makePool({ workers: count });
  const folder = mkdtempSync(join(tmpdir(), 'lepanto-bench-'));
  return {
    measure: (play, milliseconds) => measure({ pool, folder }, play, share, milliseconds),
    close: async () => {
      await pool.close();
      rmSync(folder, { recursive: true });
    },
  };
};
