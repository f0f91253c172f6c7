// The agent that chooses its orders by Monte Carlo move search (search/monte-carlo.ts).
import { MOVEMENT } from '../../engine/internal.js';
import { settleOrders } from '../evaluation/settle-orders.js';
import type { Agent, AgentKind, Answer, OptionValue, Question } from '../question/agent.js';
import { wholeIn } from '../question/option.js';
import { searchMoves } from '../search/monte-carlo.js';
import { budgetOptions, type SearchOptions, searchDefaults, searchOptions } from '../search/options.js';

/** 0 means no bound of this kind. */
const NO_BOUND = 0;
const bound = (option: number, granted: number): number =>
  Math.min(option === NO_BOUND ? Number.POSITIVE_INFINITY : option, granted);

const make = (options: Readonly<Record<string, OptionValue>>): Agent => {
  // The options of the agent have the names and the ranges of the search's.
  const { rollouts, ms, ...others } = options as unknown as SearchOptions & { readonly ms: number };
  const asked = rollouts === NO_BOUND && ms === NO_BOUND ? searchDefaults.rollouts : rollouts;
  const search = async ({ game, power, random, budget, past }: Question): Promise<Answer> => {
    if (game.phase !== MOVEMENT) {
      const out = new Int32Array(game.map.provinceCount);
      const orders = out.slice(0, settleOrders(game, power, out));
      return { orders, candidates: [{ orders, probability: 1, value: Number.NaN, error: Number.NaN }] };
    }
    const { powers } = await searchMoves(game, {
      ...others,
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

export const search: AgentKind = {
  name: 'search',
  help: 'Monte Carlo move search against a mixture of the types of players that the opponents seem to be',
  options: {
    rollouts: {
      ...wholeIn(0, budgetOptions.rollouts.most),
      default: NO_BOUND,
      help: `rollouts a choice, 0 for no bound (${searchDefaults.rollouts} without ms)`,
    },
    ms: {
      ...wholeIn(0, budgetOptions.milliseconds.most),
      default: NO_BOUND,
      help: 'milliseconds a choice, 0 for no bound; the play then depends on the machine',
    },
    ...searchOptions,
  },
  cost: 256,
  make,
};
