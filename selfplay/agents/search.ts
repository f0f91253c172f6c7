// The agent `search`, which chooses movement orders by Monte Carlo search (search/monte-carlo.ts).
import { MOVEMENT } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { settleOrders } from '../evaluation/settle-orders.js';
import type { Agent, AgentKind, Answer, OptionValue, Question } from '../question/agent.js';
import { wholeIn } from '../question/option.js';
import { searchMoves } from '../search/monte-carlo.js';
import { expectMap } from '../search/opponent-file.js';
import { budgetOptions, modelOption, type SearchOptions, searchDefaults, searchOptions } from '../search/options.js';
import type { OpponentFile } from '../search/read-opponent.js';

/** Value of the options `rollouts` and `ms` that means: no limit. */
const NO_BOUND = 0;
const bound = (option: number, granted: number): number =>
  Math.min(option === NO_BOUND ? Number.POSITIVE_INFINITY : option, granted);

/**
 * Reads the file of a named opponent. The hash is the one that the file must have; '' for any.
 * @throws LepantoError if the file is invalid or has another hash
 */
export type ReadOpponent = (path: string, hash: string) => OpponentFile;

/**
 * Calls `run` and returns its result.
 * @throws LepantoError if `run` throws; the message begins with the name of the option `model`
 */
const ofModel = <T>(run: () => T): T => {
  try {
    return run();
  } catch (error) {
    throw new LepantoError('agent', `agent search, option model: ${(error as Error).message}`);
  }
};

type GivenOptions = Omit<SearchOptions, 'model'> & {
  readonly ms: number;
  readonly model: string;
  readonly hash: string;
};

const make = (given: Readonly<Record<string, OptionValue>>, read: ReadOpponent): Agent => {
  // The agent's other options have the names and ranges of SearchOptions.
  const { rollouts, ms, model: path, hash, ...others } = given as unknown as GivenOptions;
  const file = path === '' ? null : ofModel(() => read(path, hash));
  const model = file?.opponent;
  // The hash in the agent's text keeps a run to one file. Without a file, the text is that of older versions.
  const named = file === null ? {} : { model: path, hash: file.hash };
  const options = { rollouts, ms, ...(others as unknown as Readonly<Record<string, OptionValue>>), ...named };
  const asked = rollouts === NO_BOUND && ms === NO_BOUND ? searchDefaults.rollouts : rollouts;
  const search = async ({ game, power, random, budget, past }: Question): Promise<Answer> => {
    if (game.phase !== MOVEMENT) {
      const out = new Int32Array(game.map.provinceCount);
      const orders = out.slice(0, settleOrders(game, power, out));
      return { orders, candidates: [{ orders, probability: 1, value: Number.NaN, error: Number.NaN }] };
    }
    if (model !== undefined) ofModel(() => expectMap(model, game.map));
    const { powers } = await searchMoves(game, {
      ...others,
      model,
      powers: [power],
      seed: random.next(),
      past,
      rollouts: bound(asked, budget.rollouts),
      milliseconds: bound(ms, budget.milliseconds),
    });
    const { ranked } = powers[power];
    if (ranked.length === 0) return { orders: new Int32Array(0), candidates: [] };
    let left = random.fraction();
    const chosen = ranked.find(({ probability }) => {
      left -= probability;
      return left < 0;
    });
    return { orders: (chosen ?? ranked[0]).orders, candidates: ranked };
  };
  const answer = async (questions: readonly Question[]): Promise<Answer[]> => {
    const answers: Answer[] = [];
    for (const question of questions) answers.push(await search(question));
    return answers;
  };
  return { name: 'search', options, answer };
};

/** Returns the agent kind `search`. @param read reads the file of a named opponent */
export const searchKind = (read: ReadOpponent): AgentKind => ({
  name: 'search',
  help: 'Monte Carlo move search with an opponent model that learns from the orders seen',
  options: {
    rollouts: {
      ...wholeIn(0, budgetOptions.rollouts.most),
      default: NO_BOUND,
      help: `budget of a choice in rollouts, 0: none (${searchDefaults.rollouts} if ms is 0 too)`,
    },
    ms: {
      ...wholeIn(0, budgetOptions.milliseconds.most),
      default: NO_BOUND,
      help: 'budget of a choice in milliseconds, 0: none; play then depends on the machine',
    },
    ...searchOptions,
    model: { ...modelOption.model, default: '', file: true },
    hash: { help: 'first 12 digits of the SHA-256 of the model file, to check', default: '', text: true },
  },
  cost: 256,
  make: (options) => make(options, read),
});
