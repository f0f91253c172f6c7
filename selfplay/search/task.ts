// Cuts the work of a search into tasks, for workers or for one thread.
import { Game, type Power } from '../../engine/internal.js';
import type { Weights } from '../nets/weights.js';
import { openSetup, type PackedSetup } from '../workers/setup.js';
import { appraise } from './appraise.js';
import { compare, type Limit, type Problem, playRounds, type Sums } from './match.js';
import { netOf } from './net-views.js';

/** One piece of work. */
export type Task =
  | {
      readonly kind: 'compare';
      readonly power: Power;
      readonly among: readonly number[];
      readonly part: number;
      readonly limit: Limit;
    }
  | {
      readonly kind: 'appraise';
      readonly power: Power;
      readonly among: readonly number[];
      readonly part: number;
      readonly limit: Limit;
      readonly weights: Weights;
    }
  | {
      readonly kind: 'regret';
      readonly powers: readonly Power[];
      readonly strategies: readonly Float64Array[];
      readonly anchor: number;
      readonly first: number;
      readonly rounds: number;
      readonly control: Int32Array;
    };

/** Does the tasks of a search, several at the same time if it can. */
export interface Crew {
  /** Tasks that it does at the same time. */
  readonly workers: number;
  /** Results in the order of the tasks, each a list of sums (of one power, or by power). */
  readonly work: (problem: Problem, tasks: readonly Task[]) => Sums[][] | Promise<Sums[][]>;
}

/** Rounds of a part begin here, so that no two parts share one. */
const PART_STRIDE = 1 << 16;

const doTask = (problem: Problem, task: Task): Sums[] | Promise<Sums[]> => {
  switch (task.kind) {
    case 'compare':
      return [compare(problem, task.power, task.among, task.part * PART_STRIDE, task.limit)];
    case 'appraise':
      return appraiseTask(problem, task);
    default:
      return playRounds(problem, task.powers, task.strategies, task.anchor, task.first, task.rounds, task.control);
  }
};

const appraiseTask = async (problem: Problem, task: Task & { readonly kind: 'appraise' }): Promise<Sums[]> => {
  const net = netOf(problem.game.map, task.weights);
  return [await appraise(net, problem, task.power, task.among, task.part * PART_STRIDE, task.limit)];
};

/** Works in this thread, one task after the other. */
export const alone: Crew = {
  workers: 1,
  work: (problem, tasks) => {
    const results = tasks.map((task) => doTask(problem, task));
    return results.some((one) => one instanceof Promise) ? Promise.all(results) : (results as Sums[][]);
  },
};

/** A task with its problem, as it travels to a worker. */
export interface PackedTask extends Omit<Problem, 'game'> {
  readonly setup: PackedSetup;
  readonly state: Uint8Array;
  readonly task: Task;
}

/** In the worker: does one task. */
export const doPackedTask = ({ setup, state, task, ...problem }: PackedTask): Sums[] | Promise<Sums[]> => {
  const { map, rules } = openSetup(setup);
  return doTask({ ...problem, game: new Game(map, rules, state) }, task);
};
