// Looks one phase-step ahead: what orders of all powers lead to at once, by the prospects of the position. Nothing is drawn
// and nothing played on, so that a search can take many looks for each rollout.
import { type Game, MOVEMENT, orderLocation, type Power } from '../../engine/internal.js';
import { boardOrder, NO_SNAPSHOT, release, restore, snapshot } from '../../engine/play/step.js';
import { LepantoError } from '../../engine/rules/error.js';
import { beginTrials, seeProspects, tryOrders } from '../heuristics/prospects.js';
import type { HorizonOptions } from './options.js';
import { type Assessor, type BoardOrders, Playouts } from './playout.js';

const noStream = new Int32Array(2);

/** Values orders in one position, which waits for a movement phase. */
export class Looks implements Assessor {
  declare private readonly game: Game;
  /** Orders by province of their units. */
  declare private readonly given: Int32Array;
  /** Number of the position on the board, for restore(). */
  declare private start: number;

  constructor(game: Game) {
    if (game.phase !== MOVEMENT)
      throw new LepantoError('argument', 'looks: got another phase, wanted a movement phase');
    this.game = game;
    this.given = new Int32Array(game.map.provinceCount);
    this.start = NO_SNAPSHOT;
  }

  private see(): void {
    if (restore(this.start, noStream)) return;
    seeProspects(this.game);
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
    const worth = tryOrders(given, power);
    release();
    return worth;
  }
}

/** Who judges by some options: looks where the horizon is the next position, else rollouts. */
export const makeAssessor = (game: Game, options: HorizonOptions): Assessor =>
  options.value === 'prospects' ? new Looks(game) : new Playouts(game, options);
