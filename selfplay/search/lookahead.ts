// One-turn lookahead: adjudicates the orders of all powers and evaluates the next position (static-evaluation.ts). Nothing is
// drawn or played on, so that a search affords many of these for each rollout.
import { type Game, MOVEMENT, orderLocation, type Power } from '../../engine/internal.js';
import { boardOrder, NO_SNAPSHOT, release, restore, snapshot } from '../../engine/play/step.js';
import { LepantoError } from '../../engine/rules/error.js';
import { beginTrials, evaluateOrders, readPosition } from '../evaluation/static-evaluation.js';
import type { HorizonOptions } from './options.js';
import { type Assessor, type BoardOrders, Playouts } from './playout.js';
import { SecondTurn } from './second-turn.js';

const noStream = new Int32Array(2);

/** Values orders in one position, which waits for a movement phase. */
export class Lookahead implements Assessor {
  private readonly given: Int32Array;
  /** Number of the position on the board, for restore(). */
  private start: number = NO_SNAPSHOT;

  constructor(private readonly game: Game) {
    if (game.phase !== MOVEMENT)
      throw new LepantoError('argument', 'lookahead: got another phase, wanted a movement phase');
    this.given = new Int32Array(game.map.provinceCount);
  }

  private see(): void {
    if (restore(this.start, noStream)) return;
    readPosition(this.game);
    beginTrials(this.game);
    this.start = snapshot();
  }

  prepare(orders: Int32Array): BoardOrders {
    this.see();
    const at = orders.map((order) => this.game.map.locationProvince[orderLocation(order)]);
    const onBoard = orders.map((order) => boardOrder(order));
    release();
    return { packed: orders, at, orders: onBoard };
  }

  /** What orders of every unit are worth to a power: its part of the centres that all can expect, by their squares. */
  worth(profile: readonly (BoardOrders | null)[], power: Power): number {
    this.see();
    const { given } = this;
    for (const one of profile) {
      if (one === null) continue;
      const { at, orders } = one;
      for (let i = 0; i < at.length; i++) given[at[i]] = orders[i];
    }
    const worth = evaluateOrders(given, power);
    release();
    return worth;
  }
}

/** The assessor for some options: lookahead of one turn or two where the horizon is a position after them, else rollouts. */
export const makeAssessor = (game: Game, options: HorizonOptions): Assessor => {
  if (options.value === 'second') return new SecondTurn(game);
  return options.value === 'static' ? new Lookahead(game) : new Playouts(game, options);
};
