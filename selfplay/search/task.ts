// Runs the tasks of a search, in a pool of workers or in this thread.
import { Game, type Power } from '../../engine/internal.js';
import { openMapAndRules, type PackedMapAndRules, packMapAndRules } from '../crew/map-and-rules.js';
import type { Pool } from '../crew/pool.js';
import { compare, type Limit, type Problem, playRounds, type Rounds, type Sums } from './match.js';

/**
 * A task of a search. 'compare': compares the candidates `among` (indexes) of one power; parts with different numbers
 * (`part`) have different random numbers. 'regret': plays rounds of regret matching.
 */
export type Task =
  | {
      readonly kind: 'compare';
      readonly power: Power;
      readonly among: readonly number[];
      readonly part: number;
      readonly limit: Limit;
    }
  | Rounds;

/** Runs the tasks of a search, in parallel if there are several workers. */
export interface Executor {
  /** Number of tasks that run at the same time. */
  readonly workers: number;
  /**
   * Runs tasks of a search and returns one result for each, in the order of the tasks. A result is a list of sums: a
   * single one for a comparison, one for each power for regret matching.
   */
  readonly run: (problem: Problem, tasks: readonly Task[]) => Sums[][] | Promise<Sums[][]>;
}

/** Distance between the numbers of the first rounds of two parts, so that no two parts share a round. */
const PART_STRIDE = 1 << 16;

const doTask = (problem: Problem, task: Task): Sums[] =>
  task.kind === 'compare'
    ? [compare(problem, task.power, task.among, task.part * PART_STRIDE, task.limit)]
    : playRounds(problem, task);

/** Runs the tasks of a search one after another in this thread. */
export const inThisThread: Executor = {
  workers: 1,
  run: (problem, tasks) => tasks.map((task) => doTask(problem, task)),
};

interface PackedTask extends Omit<Problem, 'game'> {
  readonly mapAndRules: PackedMapAndRules;
  readonly state: Uint8Array;
  readonly task: Task;
}

/** Runs one task of a search in a worker. Must be exported, because the pool calls it by name. */
export const doPackedTask = ({ mapAndRules, state, task, ...problem }: PackedTask): Sums[] => {
  const { map, rules } = openMapAndRules(mapAndRules);
  return doTask({ ...problem, game: new Game(map, rules, state) }, task);
};

/**
 * Returns an executor that runs tasks in a pool. With a budget in rollouts, the result is the same for any number of
 * workers, and after crashes.
 */
export const executorOn = (pool: Pool): Executor => ({
  workers: pool.workers,
  run: ({ game, ...problem }, tasks) => {
    const { map, rules, layout, bytes, offset } = game;
    const mapAndRules = packMapAndRules(map, rules);
    const state = bytes.slice(offset, offset + layout.stride);
    const doOne = (task: Task): Promise<Sums[]> => {
      const data: PackedTask = { ...problem, mapAndRules, state, task };
      return pool.call({ module: import.meta.url, name: 'doPackedTask', data }, { label: `search, ${task.kind}` });
    };
    return Promise.all(tasks.map(doOne));
  },
});
