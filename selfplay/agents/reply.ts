// The agent `reply`, which plays a best response to sampled orders of the others.
import { MOVEMENT } from '../../engine/internal.js';
import { fieldOf } from '../../engine/rules/shape.js';
import { settleOrders } from '../evaluation/settle-orders.js';
import { type EvaluationWeights, weightRanges, weightsFrom } from '../evaluation/weights.js';
import { bestResponse } from '../heuristics/best-response.js';
import { type Agent, type AgentKind, answerEach, type OptionValue, type WriteOrders } from '../question/agent.js';

const PLANS = 16;
const MOST_PLANS = 1000;

/** Returns the options without evaluation weights that have their default values, to keep the agent's text short. */
const withoutDefaults = (options: Readonly<Record<string, OptionValue>>): Record<string, OptionValue> =>
  Object.fromEntries(
    Object.entries(options).filter(
      ([name, value]) =>
        fieldOf(weightRanges, name) === undefined || value !== weightRanges[name as keyof EvaluationWeights].default,
    ),
  );

const make = (options: Readonly<Record<string, OptionValue>>): Agent => {
  const plans = Math.round(Number(options.plans));
  const weights = weightsFrom(options);
  const write: WriteOrders = (game, power, out, random) =>
    game.phase === MOVEMENT
      ? bestResponse(game, power, out, random, { plans, weights })
      : settleOrders(game, power, out, weights);
  return { name: 'reply', options: withoutDefaults(options), answer: answerEach(write), readsPast: false };
};

/**
 * Agent kind `reply`. It plays a best response to sampled orders of the others, and chooses retreats and adjustments by
 * static evaluation.
 */
export const reply: AgentKind = {
  name: 'reply',
  help: 'best response to sampled plans of the other powers, by static evaluation of the next position',
  options: {
    plans: { help: 'number of sampled plans of the other powers', default: PLANS, least: 1, most: MOST_PLANS },
    ...weightRanges,
  },
  cost: 1,
  costBy: 'plans',
  make,
};
