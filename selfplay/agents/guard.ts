// The agent `guard`, which protects its own centres first.
import type { Game, Random } from '../../engine/internal.js';
import * as T from '../../engine/rules/types.js';
import { holdIllegal } from '../evaluation/hold-illegal.js';
import { settleOrders } from '../evaluation/settle-orders.js';
import { defaultWeights } from '../evaluation/weights.js';
import { guardMoves } from '../heuristics/guard.js';
import { plainKind } from '../question/agent.js';

/** Evaluation weights for retreats and adjustments. Armies are attracted only over land. */
const weights = { ...defaultWeights, crossing: 0, crowd: 1 };

const choose = (game: Game, power: T.Power, out: Int32Array, random: Random): number => {
  if (game.phase !== T.MOVEMENT) return settleOrders(game, power, out, weights);
  const count = guardMoves(game, power, out, random);
  holdIllegal(game, out, count);
  return count;
};

/** Protects threatened centres first (heuristics/guard.ts). Chooses retreats and adjustments by static evaluation. */
export const guard = plainKind(
  'guard',
  1,
  'holds and supports its threatened centres, and takes centres that no other power can defend',
  choose,
);
