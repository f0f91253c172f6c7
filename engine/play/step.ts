// Random play on the board, turn after turn, without writing positions to the bytes of a game. A *step* is a turn:
// orders for every unit, their adjudication, the retreats, and the adjustments after a fall. (The benchmark calls it a
// phase-step.)
//
// A RandomGame is a GameOnBoard (adjudicate/turn.ts), with load(), store(), snapshot() and restore(), that draws its
// orders. playOpen() plays pending retreats or adjustments. step() plays a turn; begin() and finish() are its two
// halves. stepToCenters() plays the last turn of a rollout. The board belongs to the object that loaded a game last;
// other objects throw if they continue to play. So every module that plays has its own RandomGame.
//
// All draws come from the random stream of the game. Seasons and years advance as in adjudicate()
// (adjudicate/calendar.ts): test/engine/play/sampling.test.ts plays both in lockstep.

import { board, dislodgedUnits, KEY_MASK, locationOfWord, POWER_SHIFT, toBoard } from '../adjudicate/movement/index.js';
import { adjustments as found, GameOnBoard, gameArrays, listSites } from '../adjudicate/turn.js';
import type { CompiledMap } from '../map/compiled-map.js';
import * as O from '../rules/order.js';
import * as R from '../rules/random.js';
import { scratch } from '../rules/scratch.js';
import * as T from '../rules/types.js';
import { drawPolicy, drawUniform, drawUniformBy } from './draw-orders.js';

// Local copies of imports are faster (see adjudicate/movement/passes.ts).
const { places, unit, order } = board;
const { owners, centersOf, unitsOf, waiting, waitingWords, ways, retreatTo, met } = gameArrays;
const { adjusting, due, sites } = found;
const unitShift = POWER_SHIFT;
const keyMask = KEY_MASK;
const { mix, GOLDEN } = R;
const { FALL, SPRING, MAX_LOCATIONS } = T;
const UNIFORM_SAMPLER = 0;
const POLICY_SAMPLER = 1;

export const UNIFORM = 0 as const;
export const POLICY = 1 as const;
/**
 * Samplers of movement orders for random play. UNIFORM draws from all legal orders of each unit. POLICY draws mostly
 * moves, and supports for units that can move or hold there (play/sampler.ts).
 */
export const Sampler = { UNIFORM, POLICY } as const;
export type Sampler = (typeof Sampler)[keyof typeof Sampler];
/** Names of the samplers, indexed by Sampler. */
export const samplers = ['uniform', 'policy'] as const;

/** Owner + 1 of each centre of the game on the board, indexed as map.centers; 0 for no owner. */
export const boardOwners = owners;
/**
 * Number of centres of each power in the game on the board, indexed by power + 1. Element 0 counts centres without an
 * owner.
 */
export const boardCenters = centersOf;
/** Number of units of each power in the game on the board, indexed by power + 1. */
export const boardUnits = unitsOf;

// ---- possible builds of the map in use ----
let map: CompiledMap | undefined;
/** Number of units that can be built in a centre: an army, and a fleet on each coast. Indexed by province. */
const buildCount = scratch(MAX_LOCATIONS);
const BUILD_SHIFT = 3;
/** Build orders in province p, packed, from index p << BUILD_SHIFT on. */
const buildOrders = scratch(MAX_LOCATIONS << BUILD_SHIFT);
/** Keys + 1 of the units of `buildOrders` (unit type and location, map/compiled-map.ts), with the same indices. */
const buildKeys = scratch(MAX_LOCATIONS << BUILD_SHIFT);

const listBuilds = (next: CompiledMap, p: number): void => {
  let n = 0;
  const add = (packed: number, key: number): void => {
    buildOrders[(p << BUILD_SHIFT) + n] = packed;
    buildKeys[(p << BUILD_SHIFT) + n++] = key + 1;
  };
  const { locationCount, coastCount, firstCoast } = next;
  add(O.buildArmy(p), p);
  if (next.kind[p] !== T.LAND && coastCount[p] === 0) add(O.buildFleet(p), locationCount + p);
  for (let i = 0; i < coastCount[p]; i++) add(O.buildFleet(firstCoast[p] + i), locationCount + firstCoast[p] + i);
  buildCount[p] = n;
};

const useMap = (next: CompiledMap): void => {
  if (next === map) return;
  map = next;
  for (const p of next.centers) listBuilds(next, p);
};

// ---- orders of the last step ----

/**
 * Orders of the last step() or playOpen() in the phases after the moves, packed as in order.ts. counts[0] is the number
 * of retreats and disbands; `open` has the number of possible retreats of each unit, and `met` is 1 if two units met
 * and were disbanded. counts[1] is the number of builds, waives and removals. The movement orders and their results
 * remain on the board, by the province of the unit before the moves.
 */
export const played = {
  retreats: new Int32Array(MAX_LOCATIONS),
  open: new Int32Array(MAX_LOCATIONS),
  met,
  adjustments: new Int32Array(2 * MAX_LOCATIONS),
  counts: new Int32Array(2),
};
const { retreats, open, adjustments, counts } = played;

const recordAdjustment = (packed: number): void => {
  adjustments[counts[1]++] = packed;
};

const clearPlayed = (): void => {
  counts[0] = 0;
  counts[1] = 0;
};

/** Returns power + 1 of a unit from its word on the board (adjudicate/movement/board.ts); 0 for no unit. */
export const powerOfWord = (word: number): number => word >>> unitShift;
/** Returns power + 1 of the unit in a province of the board; 0 if there is none. */
export const boardPower = (province: number): number => unit[province] >>> unitShift;
/** Returns the location of the unit in a province of the board. The province must have a unit. */
export const boardLocation = (province: number): number => locationOfWord(unit[province]);

/** Returns an integer from 0 to n - 1, from the upper 24 of 32 random bits. n is at most 255. Bias below n / 2^24. */
const below = (bits: number, n: number): number => Math.imul(bits >>> 8, n) >>> 24;

/**
 * Draws one of the first n locations of `ways` for a retreat, or -1 to disband. UNIFORM: all equally likely. POLICY: -1
 * with probability 1/16. Returns -1 if n is 0.
 * @param bits 32 random bits
 * @param sampler UNIFORM or POLICY
 */
const chooseRetreat = (n: number, bits: number, sampler: number): number => {
  if (n === 0) return -1;
  if (sampler === UNIFORM_SAMPLER) {
    const k = below(bits, n + 1);
    return k < n ? ways[k] : -1;
  }
  return (bits & 15) === 0 ? -1 : ways[below(mix(bits), n)];
};

/** Indices in `places` of the units of a power, ascending. */
const own = scratch(MAX_LOCATIONS + 1);

const none = new Int32Array(0);

/**
 * A game on the board that draws its orders at random. load() puts a game on the board; the board then belongs to this
 * object until another one loads a game.
 */
export class RandomGame extends GameOnBoard {
  /** Returns the next 32 random bits of the game's stream, and advances the stream. */
  private nextBase(): number {
    this.streamLow = (this.streamLow + GOLDEN) | 0;
    this.streamHigh = (this.streamHigh + 0x7f4a_7c15) | 0;
    return mix(this.streamLow ^ mix(this.streamHigh));
  }

  /**
   * Returns a movement order as a board order.
   * @param packed legal order of a unit in the game, as in order.ts; a support must not name a coast
   * @throws LepantoError if the board was taken since load()
   */
  boardOrder(packed: number): number {
    this.check('boardOrder()');
    const province = this.map.locationProvince[O.orderLocation(packed)];
    return toBoard((unit[province] & keyMask) - 1, packed);
  }

  // ---- random retreats ----

  /**
   * Draws and plays the retreats of all dislodged units, and records them in `played`. Units without a retreat are
   * recorded as disbanded.
   * @param sampler UNIFORM or POLICY
   */
  private drawRetreats(sampler: number): void {
    const units = this.waitingCount;
    const base = this.nextBase();
    counts[0] = units;
    for (let i = 0; i < units; i++) {
      const n = this.openRetreats(i);
      const to = chooseRetreat(n, mix(base + Math.imul(waiting[i] + 1, GOLDEN)), sampler);
      const at = locationOfWord(waitingWords[i]);
      open[i] = n;
      retreatTo[i] = to;
      retreats[i] = to < 0 ? O.disband(at) : O.retreat(at, to);
    }
    this.landRetreats();
  }

  // ---- random adjustments ----

  private drawAdjustments(sampler: number): void {
    const n = this.listAdjusting();
    if (n > 0) {
      useMap(this.map);
      const base = this.nextBase() | 1;
      for (let i = 0; i < n; i++) {
        const q = adjusting[i];
        const bits = mix((base + Math.imul(q, GOLDEN)) | 0);
        if (due[q] > 0) this.build(q, due[q], bits, sampler);
        else this.removeUnits(q, -due[q], bits);
      }
    }
    this.toNextYear();
  }

  /**
   * Builds up to `most` units of a power, each on a random free site, and records the builds and waives in `played`. On
   * a site, UNIFORM chooses each possible unit and a waive with equal probability; POLICY waives with probability 1/16.
   * @param powerPlusOne number of the power, + 1
   * @param random 32 random bits
   * @param sampler UNIFORM or POLICY
   */
  private build(powerPlusOne: number, most: number, random: number, sampler: number): void {
    let bits = random;
    let n = listSites(powerPlusOne);
    for (let left = most; left > 0 && n > 0; left--) {
      bits = mix(bits + GOLDEN);
      const k = below(bits, n);
      const p = sites[k];
      sites[k] = sites[--n];
      bits = mix(bits + GOLDEN);
      const options = buildCount[p];
      const what = sampler === UNIFORM_SAMPLER ? below(bits, options + 1) : below(bits << 4, options);
      if (sampler === UNIFORM_SAMPLER ? what === options : bits >>> 28 === 0) {
        recordAdjustment(O.waive(powerPlusOne - 1));
        continue;
      }
      const b = (p << BUILD_SHIFT) + what;
      recordAdjustment(buildOrders[b]);
      this.putUnit(p, (powerPlusOne << unitShift) | buildKeys[b]);
    }
  }

  /**
   * Removes `most` units of a power, and records the removals in `played`. They are the units with the greatest hashes
   * of their province, so that the order of `places` does not matter.
   * @param powerPlusOne number of the power, + 1
   * @param random 32 random bits, part of the hashes
   */
  private removeUnits(powerPlusOne: number, most: number, random: number): void {
    let last = this.count;
    const at = places;
    const list = own;
    let n = 0;
    for (let i = 0; i < last; i++) {
      list[n] = i;
      n += (((unit[at[i]] >>> unitShift) ^ powerPlusOne) - 1) >>> 31;
    }
    for (let left = most; left > 0; left--) {
      let greatest = 0;
      let chosen = 0;
      for (let k = 0; k < n; k++) {
        const p = at[list[k]];
        // The province in the low byte makes all hashes different.
        const hash = ((mix((random + Math.imul(p + 1, GOLDEN)) | 0) >>> 9) << 8) | p;
        const greater = (greatest - hash) >> 31;
        greatest ^= (greatest ^ hash) & greater;
        chosen ^= (chosen ^ k) & greater;
      }
      const there = list[chosen];
      recordAdjustment(O.remove(locationOfWord(unit[at[there]])));
      this.removeAt(there);
      last--;
      n--;
      // removeAt() moves the last unit of the board to the free place. If it belongs to this power, it is the last
      // element of `own`, which then needs no change.
      if (list[n] !== last) for (let k = chosen; k < n; k++) list[k] = list[k + 1];
    }
  }

  // ---- steps ----

  /**
   * Gives every unit a fixed or drawn order. The stream advances even if all orders are fixed.
   * @param sampler UNIFORM or POLICY
   * @param fixedAt provinces of the units with fixed orders
   * @param fixed their orders, in the board's format, with the same indices
   * @param fixedCount number of fixed orders
   */
  private drawOrders(sampler: number, fixedAt: Int32Array, fixed: Int32Array, fixedCount: number): void {
    const count = this.count;
    const base = this.nextBase();
    if (fixedCount < count) {
      const isFall = this.season === FALL;
      if (sampler === POLICY_SAMPLER) drawPolicy(this.map, isFall, count, base);
      else drawUniform(this.map, isFall, count, base);
    }
    for (let i = 0; i < fixedCount; i++) order[fixedAt[i]] = fixed[i];
  }

  /**
   * Plays the rest of a turn after its orders are resolved, with random retreats and adjustments.
   * @param sampler UNIFORM or POLICY
   */
  private playResolved(sampler: number): void {
    clearPlayed();
    this.endMoves();
    if (this.waitingCount > 0) this.drawRetreats(sampler);
    if (this.endSeason()) this.drawAdjustments(sampler);
  }

  /**
   * Plays the pending retreats or adjustments of the loaded game at random, up to the next movement phase.
   * @param sampler UNIFORM or POLICY
   * @returns power that has won, -1 if none
   * @throws LepantoError if the board was taken since load()
   */
  playOpen(sampler: number): number {
    this.check('playOpen()');
    if (this.winner >= 0) return this.winner;
    clearPlayed();
    const phase = this.phase;
    if (phase === T.RETREAT) this.drawRetreats(sampler);
    if (phase === T.ADJUSTMENT || (phase === T.RETREAT && this.endSeason())) this.drawAdjustments(sampler);
    return this.winner;
  }

  /**
   * Plays a turn of the game on the board: orders for every unit, moves, retreats, and adjustments after a fall. Has no
   * effect after a solo. Fixed orders do not change the orders drawn for other units, so alternatives can be compared
   * on common random numbers.
   * @param sampler UNIFORM or POLICY
   * @param fixedAt provinces of units, each at most once
   * @param fixed orders of these units, as returned by boardOrder(), with the same indices as `fixedAt`
   * @param fixedCount number of fixed orders; default: none
   * @returns power that has won, -1 if none
   * @throws LepantoError if the board was taken since load()
   */
  step(sampler: number, fixedAt = none, fixed = none, fixedCount = 0): number {
    this.check('step()');
    if (this.winner >= 0) return this.winner;
    this.drawOrders(sampler, fixedAt, fixed, fixedCount);
    this.resolveMoves(0);
    this.playResolved(sampler);
    return this.winner;
  }

  /**
   * Plays the first half of a step: draws orders and resolves them. Orders, results and units are then on the board
   * until finish() moves the units. Must not be called after a solo. Without finish() the position does not change, and
   * other orders can be tried.
   * @param sampler sampler of the orders; default: use the orders on the board
   * @returns number of dislodged units
   * @throws LepantoError if the board was taken since load()
   */
  begin(sampler?: number): number {
    this.check('begin()');
    if (sampler !== undefined) this.drawOrders(sampler, none, none, 0);
    return this.resolveMoves(0);
  }

  /**
   * Draws movement orders for every unit from the random bits of its power, without resolving them.
   * @param sampler UNIFORM or POLICY. POLICY draws all orders from the bits of `power`, so only its orders are valid
   * @param bases random bits of each power from randomBits(), indexed by power + 1
   * @throws LepantoError if the board was taken since load()
   */
  drawMoves(sampler: number, bases: Int32Array, power: number): void {
    this.check('drawMoves()');
    const isFall = this.season === FALL;
    if (sampler === POLICY_SAMPLER) drawPolicy(this.map, isFall, this.count, bases[power + 1]);
    else drawUniformBy(this.map, isFall, this.count, bases);
  }

  /**
   * Returns the random bits that begin() would draw from a stream with these two words. Replaces the stream of this
   * object by that stream.
   */
  randomBits(low: number, high: number): number {
    this.streamLow = low;
    this.streamHigh = high;
    return this.nextBase();
  }

  /**
   * Plays the second half of a step, after begin(): moves the units, then plays random retreats and, after a fall,
   * adjustments.
   * @param sampler UNIFORM or POLICY
   * @throws LepantoError if the board was taken since begin()
   */
  finish(sampler: number): void {
    this.check('finish()');
    this.playResolved(sampler);
  }

  /**
   * Plays a last turn, for callers that read only boardCenters and `winner` afterwards, which are as after step().
   * Omits everything that cannot change them: the retreats in spring, and the adjustments after a fall. Units and
   * season are undefined, so the next call must be load() or restore().
   * @param sampler UNIFORM or POLICY
   * @returns power that has won, -1 if none
   * @throws LepantoError if the board was taken since load()
   */
  stepToCenters(sampler: number): number {
    this.check('stepToCenters()');
    if (this.winner >= 0) return this.winner;
    this.drawOrders(sampler, none, none, 0);
    this.resolveMoves(0);
    if (this.season === SPRING) return this.winner;
    if (dislodgedUnits() === 0) this.endFallByMoves();
    else {
      this.endMoves();
      this.drawRetreats(sampler);
      this.endSeason();
    }
    return this.winner;
  }
}
