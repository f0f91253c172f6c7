// Values orders by lookahead. One-turn lookahead adjudicates the orders of all powers and evaluates the next position
// (static-evaluation.ts). It uses no random numbers and is much faster than a rollout. Two-turn lookahead takes about a
// hundred times as long, but distinguishes order sets with equal values after one turn.
import {
  adjudicate,
  type Game,
  hashGame,
  MOVEMENT,
  makeResults,
  orderLocation,
  PLAYING,
  type Power,
  Random,
} from '../../engine/internal.js';
import { RandomGame } from '../../engine/play/step.js';
import { LepantoError } from '../../engine/rules/error.js';
import { MAX_LOCATIONS } from '../../engine/rules/types.js';
import { settleAll } from '../evaluation/settle-orders.js';
import { evaluateOrders, readPosition } from '../evaluation/static-evaluation.js';
import { defaultWeights } from '../evaluation/weights.js';
import { responseWorth } from '../heuristics/best-response.js';
import { type HorizonOptions, weightsOf } from './options.js';
import { type Assessor, type BoardOrders, joinPacked, Playouts, putOrders } from './playout.js';

/** Values orders by one-turn lookahead in one position, which must be a movement phase. */
export class Lookahead implements Assessor {
  private readonly given: Int32Array;
  private readonly onBoard = new RandomGame();

  constructor(
    protected readonly game: Game,
    private readonly weights = defaultWeights,
  ) {
    if (game.phase !== MOVEMENT)
      throw new LepantoError('argument', 'lookahead: got another phase, wanted a movement phase');
    this.given = new Int32Array(game.map.provinceCount);
  }

  private see(): void {
    const { onBoard } = this;
    if (onBoard.restore()) return;
    readPosition(this.game, this.weights);
    onBoard.load(this.game);
    onBoard.snapshot();
  }

  prepare(orders: Int32Array): BoardOrders {
    this.see();
    const at = orders.map((order) => this.game.map.locationProvince[orderLocation(order)]);
    return { packed: orders, at, orders: orders.map((order) => this.onBoard.boardOrder(order)) };
  }

  /**
   * Returns the value to one power, 0 to 1, of the position after the orders: its part of the sum of the squared
   * expected centres of all powers.
   * @param profile orders of each power, indexed by power; null only for a power without units
   */
  worth(profile: readonly (BoardOrders | null)[], power: Power): number {
    this.see();
    const { given } = this;
    for (const one of profile) if (one !== null) putOrders(one, given);
    return evaluateOrders(this.onBoard, given, power);
  }
}

const packed = new Int32Array(MAX_LOCATIONS);

/**
 * Values orders by two-turn lookahead. Adjudicates the orders, plays retreats and adjustments, and values the power's
 * best response in the next movement phase, in which the others play like DumbBot.
 */
export class SecondTurn extends Lookahead {
  private readonly results = makeResults();
  private readonly after = this.game.clone();
  /**
   * Values of the last round, keyed by power and hash of the position. In half of all cases another order set leads to
   * the same position.
   */
  private readonly known = new Map<string, number>();
  private knownRound = '';

  override worth(profile: readonly (BoardOrders | null)[], power: Power, seed = 0, round = 0): number {
    const { after, known } = this;
    after.copyFrom(this.game);
    adjudicate(after, packed, joinPacked(profile, packed), this.results);
    const chance = `${seed} ${round}`;
    if (chance !== this.knownRound) known.clear();
    this.knownRound = chance;
    const key = [power, ...hashGame(after)].join();
    const value = known.get(key) ?? this.worthAfter(power, seed, round);
    known.set(key, value);
    return value;
  }

  /**
   * Returns the value to a power of the position in `after`, 0 to 1.
   * @param round number of the round, which together with `seed` determines the random choices
   */
  private worthAfter(power: Power, seed: number, round: number): number {
    const { after } = this;
    settleAll(after);
    if (after.status !== PLAYING) return after.winner === power ? 1 : 0;
    return responseWorth(after, power, new Random(seed, round, 0x2d));
  }
}

/** Returns the object that values orders as the options demand: by lookahead of one or two turns, or by rollouts. */
export const makeAssessor = (game: Game, options: HorizonOptions): Assessor => {
  if (options.value === 'second') return new SecondTurn(game);
  const weights = weightsOf(options);
  return weights === null ? new Playouts(game, options) : new Lookahead(game, weights);
};
