// Splits rollouts from games and children of a batch into chunks that all threads play.
import { MAX_POWERS } from '../../../engine/internal.js';
import { fieldReader, orElse, wholeNumber } from '../../../engine/rules/shape.js';
import { CHUNK_NUMBERS, cutTasks } from '../../../selfplay/crew/rollout-jobs.js';
import { optionShape } from '../../../selfplay/question/option.js';
import { playoutNames, searchOptions, valueNames } from '../../../selfplay/search/options.js';
import type { Layout } from './layout.js';

/** Largest number of chunks in a round of all threads. */
export const MOST_CHUNKS = 4096;
/**
 * Number of turns that a chunk plays, keyed by the way to choose orders. A chunk takes one or two milliseconds; valuing
 * a position counts as one turn.
 */
const STEPS_A_CHUNK = { dumbbot: 40, policy: 1000, uniform: 1000, agent: 4 } as const;

/** Memory for rollouts, shared by all threads. */
export interface RolloutMemory {
  /** The current request, as numbers in the order of `fields`. */
  readonly asked: Int32Array;
  /**
   * Chunks of the round, CHUNK_NUMBERS for each: row (counted from the request's first one), and offset and number of
   * its rollouts.
   */
  readonly chunks: Int32Array;
  /** For each chunk, sums of the values by power, then sums of their squares by power. */
  readonly sums: Float64Array;
}

export const sumsOf = (powers: number): number => 2 * powers;

export const makeRolloutMemory = (): RolloutMemory => ({
  asked: new Int32Array(new SharedArrayBuffer(4 * fields.length)),
  chunks: new Int32Array(new SharedArrayBuffer(4 * CHUNK_NUMBERS * MOST_CHUNKS)),
  sums: new Float64Array(new SharedArrayBuffer(8 * MOST_CHUNKS * sumsOf(MAX_POWERS))),
});

/**
 * Fields of a request for rollouts, which all threads read as numbers:
 *
 *   first, end      rows of the batch and of its children
 *   count, from     rollouts of each row, and the number of the first one
 *   horizon, after  number of phase-steps to the value; 1 if the step that led to a child is the first one, else 0
 *   playout, value  indices in playoutNames (-1 for an agent) and valueNames
 *   agent           number of the agent, 0 for none
 *
 * The seed of a rollout is derived from its row's entry in `seeds` and its number.
 */
const fields = [
  ...(['first', 'end', 'count', 'from', 'horizon', 'after'] as const),
  ...(['playout', 'value', 'agent'] as const),
] as const;
export type AskedRollouts = Readonly<Record<(typeof fields)[number], number>>;

const writeAsked = ({ asked }: RolloutMemory, rollouts: AskedRollouts): void =>
  fields.forEach((name, i) => {
    asked[i] = rollouts[name];
  });

/** Returns the request for rollouts that all threads are working on. */
export const readAsked = ({ asked }: RolloutMemory): AskedRollouts =>
  Object.fromEntries(fields.map((name, i) => [name, asked[i]])) as unknown as AskedRollouts;

/** Reads and checks a JSON request for rollouts. @throws LepantoError if it is invalid */
export const readRollouts = (request: object, { games, children }: Layout): AskedRollouts => {
  const field = fieldReader(request, 'rollouts');
  const agent = field('agent', orElse(wholeNumber(0, 255), 0));
  const first = field('first', wholeNumber(0, games + children));
  return {
    first,
    end: field('end', wholeNumber(first, games + children)),
    count: field('count', wholeNumber(1, 2 ** 31 - 1)),
    from: field('from', wholeNumber(0, 2 ** 31 - 1)),
    horizon: field('horizon', optionShape(searchOptions.depth)),
    after: field('after', (found) => (found === true ? 1 : 0)),
    playout: agent > 0 ? -1 : playoutNames.indexOf(field('playout', optionShape(searchOptions.playout))),
    value: valueNames.indexOf(field('value', optionShape(searchOptions.value))),
    agent,
  };
};

/**
 * Plays the requested rollouts, in as many rounds as their chunks need.
 * @param powers number of powers
 * @param run plays a number of chunks with all threads, and resolves when they are done
 * @returns for each row, sums of the values by power, then sums of their squares by power
 */
export const runRollouts = async (
  asked: AskedRollouts,
  powers: number,
  memory: RolloutMemory,
  run: (chunks: number) => Promise<unknown>,
): Promise<Float64Array> => {
  const { first, end, playout } = asked;
  const width = sumsOf(powers);
  const total = new Float64Array((end - first) * width);
  const steps = STEPS_A_CHUNK[playout < 0 ? 'agent' : playoutNames[playout]];
  writeAsked(memory, asked);
  for (const chunks of cutTasks(new Array<AskedRollouts>(end - first).fill(asked), steps, MOST_CHUNKS)) {
    memory.chunks.set(chunks.flat());
    await run(chunks.length);
    for (const [i, [row]] of chunks.entries())
      for (let k = 0; k < width; k++) total[row * width + k] += memory.sums[i * width + k];
  }
  return total;
};
