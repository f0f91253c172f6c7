// Cuts the work of a search into tasks, for workers or for one thread.
import { Game, type Power } from '../../engine/internal.js';
import { openSetup, type PackedSetup } from '../workers/setup.js';
import { compare, type Limit, type Problem, playRounds, type Rounds, type Sums } from './match.js';

/** One piece of work. */
export type Task =
  | {
      readonly kind: 'compare';
      readonly power: Power;
      readonly among: readonly number[];
      readonly part: number;
      readonly limit: Limit;
    }
  | Rounds;

/** Does the tasks of a search, several at the same time if it can. */
export interface Crew {
  /** Tasks that it does at the same time. */
  readonly workers: number;
  /** Results in the order of the tasks, each a list of sums (of one power, or by power). */
  readonly work: (problem: Problem, tasks: readonly Task[]) => Sums[][] | Promise<Sums[][]>;
}

/** Rounds of a part begin here, so that no two parts share one. */
const PART_STRIDE = 1 << 16;

const doTask = (problem: Problem, task: Task): Sums[] =>
  task.kind === 'compare'
    ? [compare(problem, task.power, task.among, task.part * PART_STRIDE, task.limit)]
    : playRounds(problem, task);

/** Works in this thread, one task after the other. */
export const alone: Crew = { workers: 1, work: (problem, tasks) => tasks.map((task) => doTask(problem, task)) };

/** A task with its problem, as it travels to a worker. */
export interface PackedTask extends Omit<Problem, 'game'> {
  readonly setup: PackedSetup;
  readonly state: Uint8Array;
  readonly task: Task;
}

/** In the worker: does one task. */
export const doPackedTask = ({ setup, state, task, ...problem }: PackedTask): Sums[] => {
  const { map, rules } = openSetup(setup);
  return doTask({ ...problem, game: new Game(map, rules, state) }, task);
};
