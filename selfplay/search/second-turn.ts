// The second turn of order sets: they are adjudicated against samples of the others, retreats and builds are settled, and
// in the position after them the power gives its best response to what DumbBot would do in the others' place. What it can
// expect then tells sets apart that look alike after one turn.
import {
  adjudicate,
  type Game,
  hasOrders,
  MOVEMENT,
  makeResults,
  orderLocation,
  PLAYING,
  type Power,
  Random,
} from '../../engine/internal.js';
import { MAX_LOCATIONS } from '../../engine/rules/types.js';
import { responseWorth } from '../agents/best-response.js';
import { settleOrders } from '../evaluation/settle-orders.js';
import type { Assessor, BoardOrders } from './playout.js';

const given = new Int32Array(MAX_LOCATIONS);
const settled = new Int32Array(MAX_LOCATIONS);

/** Values orders in one position, which waits for a movement phase. */
export class SecondTurn implements Assessor {
  private readonly results = makeResults();

  constructor(private readonly game: Game) {}

  prepare(orders: Int32Array): BoardOrders {
    return { packed: orders, at: orders.map(orderLocation), orders };
  }

  /** What orders of every unit are worth to a power, 0 to 1. */
  worth(profile: readonly (BoardOrders | null)[], power: Power, seed: number, round: number): number {
    const after = this.game.clone();
    let count = 0;
    for (const one of profile) {
      given.set(one?.packed ?? [], count);
      count += one?.packed.length ?? 0;
    }
    adjudicate(after, given, count, this.results);
    this.settle(after);
    if (after.status !== PLAYING) return after.winner === power ? 1 : 0;
    return responseWorth(after, power, new Random(seed, round, 0x2d));
  }

  /** Plays on to the next movement phase, or to the end. */
  private settle(game: Game): void {
    while (game.status === PLAYING && game.phase !== MOVEMENT) {
      let count = 0;
      for (let q: Power = 0; q < game.map.powerCount; q++) {
        if (!hasOrders(game, q)) continue;
        const own = settleOrders(game, q, settled);
        given.set(settled.subarray(0, own), count);
        count += own;
      }
      adjudicate(game, given, count, this.results);
    }
  }
}
