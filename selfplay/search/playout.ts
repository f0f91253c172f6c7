// Rollouts of the search: given orders of all powers in the current phase, then play by DumbBot or a sampler of the
// engine up to a horizon, and the value of the position there.

import { board } from '../../engine/adjudicate/movement/index.js';
import {
  adjudicate,
  type CompiledMap,
  Game,
  hashSeed,
  makeResults,
  orderLocation,
  SUM_OF_CENTERS,
  SUM_OF_SQUARES,
  scoreInto,
} from '../../engine/internal.js';
import { isAfterLastYear } from '../../engine/play/batch.js';
import * as Step from '../../engine/play/step.js';
import * as T from '../../engine/rules/types.js';
import * as Values from '../evaluation/board-values.js';
import {
  makeShares,
  type NearCenters,
  nearCentersOf,
  OWNS_BIT,
  SEASON_SHIFT,
  STANDS_BIT,
} from '../evaluation/center-shares.js';
import { dumbbotMoves, seedDumbbot } from '../heuristics/dumbbot.js';
import type { HorizonOptions } from './options.js';

// Rebound for speed (engine/adjudicate/movement/passes.ts).
const { boardCenters, boardOwners, POLICY, UNIFORM } = Step;

/** An order set of one power in two forms: packed, and as board orders, converted once for many rollouts. */
export interface BoardOrders {
  readonly packed: Int32Array;
  /**
   * `at`: provinces of the units. `orders`: board order (boardOrder()) of each of them. Both are empty outside movement
   * phases.
   */
  readonly at: Int32Array;
  readonly orders: Int32Array;
}

/** Values the orders of all powers in one position. */
export interface Assessor {
  /** Converts packed orders of one power to the format of worth(). */
  prepare(orders: Int32Array): BoardOrders;
  /**
   * Returns the value to one power, 0 to 1, of the position after the orders.
   * @param profile orders of each power, indexed by power; null for none: rollouts draw its moves, lookahead allows
   *   it only for a power without units
   * @param seed seed of the random numbers
   * @param index number of the rollout, which together with the seed determines its random numbers
   */
  worth(profile: readonly (BoardOrders | null)[], power: T.Power, seed: number, index: number): number;
}

// Imports are rebound for speed (engine/adjudicate/movement/passes.ts).
const { readBoard } = Values;
const { unit } = board;
const stream = new Int32Array(2);
const fixedAt = new Int32Array(T.MAX_LOCATIONS);
const fixedOrders = new Int32Array(T.MAX_LOCATIONS);
const packed = new Int32Array(2 * T.MAX_LOCATIONS);
const chosen = new Int32Array(T.MAX_LOCATIONS);
const results = makeResults();
const weights = new Float64Array(T.MAX_POWERS);
const expected = new Float64Array(T.MAX_POWERS);

// Weights of the expected centres at the horizon. Fitted to the owners of centres four years later, in 300 games of
// dumbbot, greedy, policy and search. In spring, a unit near a centre counts as much as owning it; in fall, a unit in
// the centre counts most.
const shares = makeShares({
  owns: [0.85, 0.35],
  standsIn: [0.97, 1.43],
  isNear: [1.08, 0.85],
  exponent: 1.58,
  unit: 1,
});

/** Presence of each power in each centre, as words of center-shares.ts, at index centre * powerCount + power. */
const held = new Int32Array(T.MAX_LOCATIONS * T.MAX_POWERS);
const occupied = new Int32Array(T.MAX_LOCATIONS + 1);

/**
 * Writes the expected number of centres of each power to `expected`, indexed by power. Estimates it from owners,
 * occupants and units near each centre.
 */
const expectCenters = (map: CompiledMap, { offsets, near }: NearCenters, season: number): void => {
  const { powerCount, provinceCount, centerCount, centers } = map;
  const units = unit;
  const list = occupied;
  const cells = held;
  const owners = boardOwners;
  const shareOf = shares;
  const ofCenter = weights;
  const sums = expected;
  cells.fill(0, 0, centerCount * powerCount);
  let count = 0;
  for (let p = 0; p < provinceCount; p++) {
    list[count] = p;
    count = (count + ((0 - units[p]) >>> 31)) | 0;
  }
  for (let i = 0; i < count; i++) {
    const word = units[list[i]];
    const power = (word >>> 16) - 1;
    const key = (word & 0xffff) - 1;
    const end = offsets[key + 1];
    for (let k = offsets[key]; k < end; k++) cells[(near[k] + power) | 0]++;
  }
  for (let q = 0; q < powerCount; q++) sums[q] = 0;
  const first = season << SEASON_SHIFT;
  for (let c = 0, row = 0; c < centerCount; c++, row = (row + powerCount) | 0) {
    const there = units[centers[c]] >>> 16;
    const owner = owners[c];
    if (there !== 0) cells[(row + there - 1) | 0] |= STANDS_BIT;
    if (owner !== 0) cells[(row + owner - 1) | 0] |= OWNS_BIT;
    let sum = 0;
    for (let q = 0; q < powerCount; q++) {
      const weight = shareOf[first | cells[(row + q) | 0]];
      ofCenter[q] = weight;
      sum += weight;
    }
    if (sum > 0) for (let q = 0; q < powerCount; q++) sums[q] += ofCenter[q] / sum;
  }
};

const worths = new Float64Array(T.MAX_POWERS);

/** Writes the board orders of one power to `into`, indexed by province. */
export const putOrders = ({ at, orders }: BoardOrders, into: Int32Array): void => {
  for (let i = 0; i < at.length; i++) into[at[i]] = orders[i];
};

/** Writes the packed orders of all powers to `out`, one power after the other, and returns their number. */
export const joinPacked = (profile: readonly (BoardOrders | null)[], out: Int32Array): number => {
  let n = 0;
  for (const one of profile) {
    if (one === null) continue;
    out.set(one.packed, n);
    n += one.packed.length;
  }
  return n;
};

/** Values orders by rollouts in one position of any phase. */
export class Playouts implements Assessor {
  private readonly sampler: number = this.options.playout === 'uniform' ? UNIFORM : POLICY;
  private readonly dumb: boolean = this.options.playout === 'dumbbot';
  private readonly near: NearCenters = nearCentersOf(this.game.map);
  private readonly onBoard = new Step.RandomGame();
  private readonly first = new Game(this.game.map, this.game.rules);

  constructor(
    readonly game: Game,
    readonly options: HorizonOptions,
  ) {}

  prepare(orders: Int32Array): BoardOrders {
    const { game, onBoard } = this;
    if (game.phase !== T.MOVEMENT) return { packed: orders, at: new Int32Array(0), orders: new Int32Array(0) };
    onBoard.load(game);
    const at = orders.map((order) => game.map.locationProvince[orderLocation(order)]);
    return { packed: orders, at, orders: orders.map((order) => onBoard.boardOrder(order)) };
  }

  /**
   * Plays one rollout and writes its value to each power, 0 to 1, to `out`. The board keeps the position for the next
   * rollout.
   * @param profile orders of each power in the current phase, indexed by power. null: the sampler draws the power's
   *   movement orders; in another phase it has no orders
   * @param index number of the rollout, which together with `seed` determines its random numbers
   * @param out values, indexed by power
   */
  play(profile: readonly (BoardOrders | null)[], seed: number, index: number, out: Float64Array): void {
    const { onBoard } = this;
    const { depth } = this.options;
    stream[0] = hashSeed(seed, index, 1);
    stream[1] = hashSeed(seed, index, 2);
    const done = this.game.phase === T.MOVEMENT ? this.playFirst(profile) : this.playOpenPhase(profile);
    for (let k = done; k < depth && onBoard.winner < 0; k++) this.playNext(hashSeed(seed, index, 16 + k));
    this.evaluate(out, onBoard.winner >= 0);
  }

  worth(profile: readonly (BoardOrders | null)[], power: T.Power, seed: number, index: number): number {
    this.play(profile, seed, index, worths);
    return worths[power];
  }

  /**
   * Plays one rollout without given orders and writes its value to each power, 0 to 1, to `out`. The sampler draws
   * pending retreats and adjustments. Then `depth` phase-steps are played, or fewer if the game ends earlier.
   * @param until last year of the game; 0 for none
   * @param index number of the rollout, which together with `seed` determines its random numbers
   * @param out values, indexed by power
   */
  playOn(until: number, seed: number, index: number, out: Float64Array): void {
    const { onBoard } = this;
    const { depth } = this.options;
    stream[0] = hashSeed(seed, index, 1);
    stream[1] = hashSeed(seed, index, 2);
    if (!onBoard.restore(stream)) {
      onBoard.load(this.game, stream);
      if (this.game.phase === T.MOVEMENT) onBoard.snapshot();
      else onBoard.playOpen(this.sampler);
    }
    const isOver = (): boolean => onBoard.winner >= 0 || isAfterLastYear(onBoard.year, until);
    for (let k = 0; k < depth && !isOver(); k++) this.playNext(hashSeed(seed, index, 16 + k));
    this.evaluate(out, isOver());
  }

  private playFirst(profile: readonly (BoardOrders | null)[]): number {
    const { onBoard } = this;
    if (!onBoard.restore(stream)) {
      onBoard.load(this.game, stream);
      onBoard.snapshot();
    }
    const provinces = fixedAt;
    const given = fixedOrders;
    let n = 0;
    for (const set of profile) {
      if (set === null) continue;
      const { at, orders } = set;
      for (let i = 0; i < at.length; i++) {
        provinces[n] = at[i];
        given[n++] = orders[i];
      }
    }
    onBoard.step(this.sampler, fixedAt, fixedOrders, n);
    return 1;
  }

  private playOpenPhase(profile: readonly (BoardOrders | null)[]): number {
    const { first } = this;
    first.copyFrom(this.game);
    const n = joinPacked(profile, packed);
    adjudicate(first, packed, n, results);
    this.onBoard.load(first, stream);
    if (first.phase !== T.MOVEMENT) this.onBoard.playOpen(this.sampler);
    return 0;
  }

  private playNext(seed: number): void {
    const { onBoard } = this;
    if (!this.dumb) {
      onBoard.step(this.sampler);
      return;
    }
    const { map } = this.game;
    const { powerCount, locationProvince } = map;
    const orders = chosen;
    const provinces = fixedAt;
    const given = fixedOrders;
    readBoard(map, unit, boardOwners, onBoard.season);
    let n = 0;
    for (let power: T.Power = 0; power < powerCount; power++) {
      seedDumbbot(seed + Math.imul(power, 0x85eb_ca6b));
      const end = dumbbotMoves(map, power, orders, 0);
      for (let i = 0; i < end; i++) {
        const order = orders[i];
        provinces[n] = locationProvince[orderLocation(order)];
        given[n++] = onBoard.boardOrder(order);
      }
    }
    // DumbBot has given every unit an order, so the sampler draws only retreats and adjustments.
    onBoard.step(POLICY, fixedAt, fixedOrders, n);
  }

  private evaluate(out: Float64Array, isOver: boolean): void {
    const { map } = this.game;
    const { value } = this.options;
    if (value !== 'heuristic' || isOver) {
      const system = value === 'sum_of_centers' ? SUM_OF_CENTERS : SUM_OF_SQUARES;
      scoreInto(system, boardCenters, 1, map.powerCount, this.onBoard.winner, out);
      return;
    }
    expectCenters(map, this.near, this.onBoard.season);
    scoreInto(SUM_OF_SQUARES, expected, 0, map.powerCount, -1, out);
  }
}
