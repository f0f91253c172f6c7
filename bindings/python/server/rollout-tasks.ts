// Rollouts that a client asks for, from games and children of a batch, cut into tasks that the threads share.
//
// A task is some of the rollouts of one row. The cut follows from what is asked for alone, and each task has a place of its
// own for what it comes to: the same sums, to the last bit, for any number of threads.
import { MAX_POWERS } from '../../../engine/internal.js';
import { fieldReader, orElse, wholeNumber } from '../../../engine/rules/shape.js';
import { optionShape, seedOption } from '../../../selfplay/question/option.js';
import { playoutNames, searchOptions, valueNames } from '../../../selfplay/search/options.js';
import type { Layout } from './layout.js';

/** Tasks that one command has at most. */
export const MOST_TASKS = 4096;
/** Rollouts of a task: a millisecond or two, whoever plays; values alone cost as much as a phase-step. */
const STEPS_A_TASK = { dumbbot: 40, policy: 1000, uniform: 1000, agent: 4 } as const;

/** What the threads share. */
export interface RolloutMemory {
  /** WORDS numbers that say what is asked for. */
  readonly words: Int32Array;
  /** By task: sums of the values by power, and of their squares. */
  readonly sums: Float64Array;
}

// Of the words: first row, rollouts of a row and of a task, the number of the first rollout, phase-steps (the first ones of
// games that wait for a movement phase counted, if they are children), ...
/** Places of the words. */
export const FIRST_ROW = 0;
export const COUNT = 1;
export const TASK_SIZE = 2;
export const FIRST = 3;
export const HORIZON = 4;
export const AFTER = 5;
export const PLAYOUT = 6;
export const VALUE = 7;
export const SEED = 8;
export const AGENT = 9;
export const FIRST_TASK = 10;
export const PLACE = 11;
export const GROUP = 12;
const WORDS = 16;

export const sumsOf = (powers: number): number => 2 * powers;

export const makeRolloutMemory = (): RolloutMemory => ({
  words: new Int32Array(new SharedArrayBuffer(4 * WORDS)),
  sums: new Float64Array(new SharedArrayBuffer(8 * MOST_TASKS * sumsOf(MAX_POWERS))),
});

/** Rollouts that a client asks for. */
export interface AskedRollouts {
  /** Rows of the batch and of its children. */
  readonly first: number;
  readonly end: number;
  /** Rollouts of each row, and the number of the first one. */
  readonly count: number;
  readonly from: number;
  /** Place of the first row among all that are asked about, and how many in a row have the same chance. */
  readonly place: number;
  readonly group: number;
  /** Phase-steps to the value. */
  readonly horizon: number;
  /** True if the phase-step that has led to a child is the first one. */
  readonly after: boolean;
  /** Place in playoutNames; -1 for an agent. */
  readonly playout: number;
  readonly value: number;
  readonly seed: number;
  /** Number of the agent; 0 for none. */
  readonly agent: number;
}

/** @throws LepantoError that names what is wrong */
export const readRollouts = (request: object, { games, children }: Layout): AskedRollouts => {
  const field = fieldReader(request, 'rollouts');
  const agent = field('agent', orElse(wholeNumber(0, 255), 0));
  const first = field('first', wholeNumber(0, games + children));
  return {
    first,
    end: field('end', wholeNumber(first, games + children)),
    count: field('count', wholeNumber(1, 2 ** 31 - 1)),
    from: field('from', wholeNumber(0, 2 ** 31 - 1)),
    place: field('place', wholeNumber(0, 2 ** 31 - 1)),
    group: field('group', wholeNumber(1, 2 ** 31 - 1)),
    horizon: field('horizon', optionShape(searchOptions.depth)),
    after: field('after', (found) => found === true),
    playout: agent > 0 ? -1 : playoutNames.indexOf(field('playout', optionShape(searchOptions.playout))),
    value: valueNames.indexOf(field('value', optionShape(searchOptions.value))),
    seed: field('seed', optionShape(seedOption.seed)),
    agent,
  };
};

/** Rollouts of one task. */
const taskSize = ({ playout, horizon, count }: AskedRollouts): number => {
  const steps = STEPS_A_TASK[playout < 0 ? 'agent' : playoutNames[playout]];
  return Math.min(count, Math.max(1, Math.floor(steps / (horizon + 1))));
};

/**
 * Plays what is asked for.
 * @param run does so many tasks with all threads
 * @returns by row, the sums of the values by power and of their squares
 */
export const runRollouts = async (
  asked: AskedRollouts,
  powers: number,
  { words, sums }: RolloutMemory,
  run: (tasks: number) => Promise<unknown>,
): Promise<Float64Array> => {
  const size = taskSize(asked);
  const each = Math.ceil(asked.count / size);
  const tasks = each * (asked.end - asked.first);
  const width = sumsOf(powers);
  const total = new Float64Array((asked.end - asked.first) * width);
  words[FIRST_ROW] = asked.first;
  words[COUNT] = asked.count;
  words[TASK_SIZE] = size;
  words[FIRST] = asked.from;
  words[HORIZON] = asked.horizon;
  words[AFTER] = asked.after ? 1 : 0;
  words[PLAYOUT] = asked.playout;
  words[VALUE] = asked.value;
  words[SEED] = asked.seed;
  words[AGENT] = asked.agent;
  words[PLACE] = asked.place;
  words[GROUP] = asked.group;
  for (let first = 0; first < tasks; first += MOST_TASKS) {
    const some = Math.min(MOST_TASKS, tasks - first);
    words[FIRST_TASK] = first;
    await run(some);
    for (let task = 0; task < some; task++) {
      const row = Math.floor((first + task) / each);
      for (let i = 0; i < width; i++) total[row * width + i] += sums[task * width + i];
    }
  }
  return total;
};
