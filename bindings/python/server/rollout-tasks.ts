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
  /** What is asked for: numbers in the order of `fields`. */
  readonly asked: Int32Array;
  /** By task: sums of the values by power, and of their squares. */
  readonly sums: Float64Array;
}

export const sumsOf = (powers: number): number => 2 * powers;

export const makeRolloutMemory = (): RolloutMemory => ({
  asked: new Int32Array(new SharedArrayBuffer(4 * fields.length)),
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
  /** 1 if the phase-step that has led to a child is the first one, else 0. */
  readonly after: number;
  /** Place in playoutNames; -1 for an agent. */
  readonly playout: number;
  readonly value: number;
  readonly seed: number;
  /** Number of the agent; 0 for none. */
  readonly agent: number;
  /** Number of the first task of a round. */
  readonly firstTask: number;
}

const fields = [
  ...['first', 'end', 'count', 'from', 'place', 'group', 'horizon', 'after'],
  ...['playout', 'value', 'seed', 'agent', 'firstTask'],
] as const;

const writeAsked = ({ asked }: RolloutMemory, rollouts: AskedRollouts): void =>
  fields.forEach((name, i) => {
    asked[i] = rollouts[name];
  });

/** In a thread: what is asked for in this round. */
export const readAsked = ({ asked }: RolloutMemory): AskedRollouts =>
  Object.fromEntries(fields.map((name, i) => [name, asked[i]])) as unknown as AskedRollouts;

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
    after: field('after', (found) => (found === true ? 1 : 0)),
    playout: agent > 0 ? -1 : playoutNames.indexOf(field('playout', optionShape(searchOptions.playout))),
    value: valueNames.indexOf(field('value', optionShape(searchOptions.value))),
    seed: field('seed', optionShape(seedOption.seed)),
    agent,
    firstTask: 0,
  };
};

/** Rollouts of a task at most, and tasks of each row. */
export const taskSizes = ({ playout, horizon, count }: AskedRollouts): { size: number; each: number } => {
  const steps = STEPS_A_TASK[playout < 0 ? 'agent' : playoutNames[playout]];
  const size = Math.min(count, Math.max(1, Math.floor(steps / (horizon + 1))));
  return { size, each: Math.ceil(count / size) };
};

/**
 * Plays what is asked for.
 * @param run does so many tasks with all threads
 * @returns by row, the sums of the values by power and of their squares
 */
export const runRollouts = async (
  asked: AskedRollouts,
  powers: number,
  memory: RolloutMemory,
  run: (tasks: number) => Promise<unknown>,
): Promise<Float64Array> => {
  const { each } = taskSizes(asked);
  const tasks = each * (asked.end - asked.first);
  const width = sumsOf(powers);
  const total = new Float64Array((asked.end - asked.first) * width);
  for (let firstTask = 0; firstTask < tasks; firstTask += MOST_TASKS) {
    const some = Math.min(MOST_TASKS, tasks - firstTask);
    writeAsked(memory, { ...asked, firstTask });
    await run(some);
    for (let task = 0; task < some; task++) {
      const row = Math.floor((firstTask + task) / each);
      for (let i = 0; i < width; i++) total[row * width + i] += memory.sums[task * width + i];
    }
  }
  return total;
};
