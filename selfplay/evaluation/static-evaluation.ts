// Static evaluation: the value of a position to a power without playing on, and of order sets, which are resolved on the
// board first.
//
// A power can expect a share of each centre: more if it owns the centre, has a unit there, or has more units next to it
// than others; of one without an owner a part is nobody's, so that to be in it is more than to be next to it. Units that it
// can build count, and units far from the centres of others are drawn to them a little. Its value is its part of the sum of
// the squares of what all can expect, so a power gains by growing and by cutting down the greatest. After moves, what the
// next turn usually changes can be added (next-turn.ts): a centre that too few guard is lost, one beside own units is taken.
//
// Armies are drawn over water too. In adjustments a centre that draws some units draws others less: else a power would build
// one kind alone. There, units in own centres count more than others.

import { board, KEY_MASK, POWER_SHIFT } from '../../engine/adjudicate/movement/index.js';
import { type CompiledMap, type Game, lowestBit, orderNextKey, unitKey } from '../../engine/internal.js';
import type { RandomGame } from '../../engine/play/step.js';
import { mix } from '../../engine/rules/random.js';
import * as T from '../../engine/rules/types.js';
import { makeShares, OWNS_BIT, SEASON_SHIFT, SHARE_WORDS, STANDS_BIT } from './center-shares.js';
import { crossingTablesOf, type EvaluationTables, FAR, plainTablesOf } from './evaluation-tables.js';
import { MINE, NO_PATTERN, nextTurn, OTHERS, PATTERNS, patternOf } from './next-turn.js';
import { defaultWeights, type EvaluationWeights } from './weights.js';

const { unit, order, success, dislodgedBy } = board;

/** Units are counted in halves: a dislodged one is one less, half of one, because it may have nowhere to go. */
const WHOLE = 2;

/** A key and the halves of a unit in one word. */
const HALVES_BITS = 2;
const HALVES_MASK = 3;
/** Powers have the bit of their number modulo this; those above are found by steps of as many. */
const BITS = 32;
/** A centre in whole numbers: 255 of them fit in 31 bits. */
const SCALE = 1 << 23;
/** Samples of the others with counts of their own; the count behind theirs is that of evaluatePosition(). */
const MOST_COUNTS = 16;

// ---- the weights in use ----
let inUse: EvaluationWeights | undefined;
const shares = new Float64Array(SHARE_WORDS);
let free = 0;
let build = 0;
let crossing = 0;
let garrison = 0;
let crowd = 0;
let next = 0;
/** By moves between a unit and a centre: how much it draws the unit, in centres. */
const draws = new Float64Array(FAR + 1);

/** By pattern: what the next turn changes, in units of 1 / SCALE. */
const changeOf = new Int32Array(PATTERNS);

const useWeights = (weights: EvaluationWeights): void => {
  if (weights === inUse) return;
  inUse = weights;
  ({ free, build, crossing, garrison, crowd, next } = weights);
  const { own, ownMid, stand, standMid, near, nearMid, exponent, pull, decay } = weights;
  for (let i = 0; i < PATTERNS; i++) changeOf[i] = Math.round(next * nextTurn[i] * SCALE);
  shares.set(
    makeShares({ owns: [own, ownMid], standsIn: [stand, standMid], isNear: [near, nearMid], exponent, unit: WHOLE }),
  );
  for (let moves = 0; moves < FAR; moves++) draws[moves] = pull * decay ** moves;
};

// ---- the position ----
let map: CompiledMap | undefined;
let current: EvaluationTables | undefined;
let powerCount = 0;
let centerCount = 0;
let victoryCenters = 0;
/** True if owners change after what is tried. */
let isFall = false;
const owners = new Int32Array(T.MAX_LOCATIONS);
/** By power, then key: how much the centres of others draw a unit of the power there, in centres; NaN while not known. */
let pulls = new Float64Array(0);
/** Provinces with units, and the power of each unit. */
const occupied = new Int32Array(T.MAX_LOCATIONS);
const powerOf = new Int32Array(T.MAX_LOCATIONS);
let unitCount = 0;
/** Units by power, as places in occupied: those of power q are unitsBy[firstUnits[q] .. firstUnits[q + 1]). */
const unitsBy = new Int32Array(T.MAX_LOCATIONS);
const firstUnits = new Int32Array(T.MAX_POWERS + 1);
/** Counts the positions that were read. */
let positions = 0;

/** Reads the position of a game, which the functions below evaluate. @param by constants of the evaluation */
export const readPosition = (game: Game, by = defaultWeights): void => {
  useWeights(by);
  map = game.map;
  current = (crossing > 0 ? crossingTablesOf : plainTablesOf)(map);
  ({ powerCount, centerCount, victoryCenters } = map);
  isFall = game.season === T.FALL;
  for (let c = 0; c < centerCount; c++) owners[c] = game.owner(c);
  const size = powerCount * 2 * map.locationCount;
  if (pulls.length < size) pulls = new Float64Array(size);
  pulls.fill(Number.NaN, 0, size);
  positions++;
  unitCount = 0;
  for (let p = 0; p < map.provinceCount; p++) {
    if (game.unitAt(p) === T.NO_UNIT) continue;
    powerOf[unitCount] = T.unitPower(game.unitAt(p));
    occupied[unitCount++] = p;
  }
  let listed = 0;
  for (let q = 0; q < powerCount; q++) {
    for (let i = 0; i < unitCount; i++) if (powerOf[i] === q) unitsBy[listed++] = i;
    firstUnits[q + 1] = listed;
  }
  byOrders.clear();
  byEnds.clear();
};

/** Sums up what draws a unit of a power: each centre that it does not own. @param at place in pulls */
const findPull = (power: T.Power, key: number, at: number): number => {
  const { moves } = current as EvaluationTables;
  let sum = 0;
  for (let c = 0, i = key * centerCount; c < centerCount; c++, i++) if (owners[c] !== power) sum += draws[moves[i]];
  pulls[at] = sum;
  return sum;
};

/** What draws a unit of a power, in centres. @param row of the power in pulls */
const pullOf = (power: T.Power, key: number, row: number): number => {
  const known = pulls[row + key];
  return Number.isNaN(known) ? findPull(power, key, row + key) : known;
};

/** All bits set where two numbers differ, none where they are equal. */
const ifDifferent = (a: number, b: number): number => ((a ^ b) | (0 - (a ^ b))) >> 31;

// ---- the value of a position ----
const NOBODY = -1;

/** Units in a state of the game, where each is counted, and the share of each power in each centre. */
class Count {
  /** The position that it belongs to, by the number of readPosition(). */
  position = 0;
  /**
   * By unit, in the order of occupied: where it is counted, as a key + 1 in the upper bits and its halves; 0 for nowhere.
   * In evaluatePosition() by province: the unit that is counted there, as a word of the board.
   */
  readonly counted = new Int32Array(T.MAX_LOCATIONS);
  /** By centre: the power that has a unit in it, and who owns it then, -1 for none. */
  readonly stands = new Int32Array(T.MAX_LOCATIONS);
  readonly holders = new Int32Array(T.MAX_LOCATIONS);
  /** By centre: bits of powers that may have a share: the owner, and those with units near now or in a trial before. */
  readonly bitsOf = new Int32Array(T.MAX_LOCATIONS);
  /** By centre, then power: halves of units near, and the share in units of 1 / SCALE. */
  readonly near: Int32Array;
  readonly parts: Int32Array;
  /** By power: the sum of its shares, and the centres that it owns then. */
  readonly sums = new Int32Array(T.MAX_POWERS);
  readonly owned = new Int32Array(T.MAX_POWERS);
  /** Where the next turn counts: the power that sees, the pattern of each centre, and what changes in all of them. */
  viewer = NOBODY;
  readonly patterns = new Int32Array(T.MAX_LOCATIONS);
  change = 0;
  /** Centres to be shared anew, and by centre whether it is among them. */
  readonly changed = new Int32Array(T.MAX_LOCATIONS);
  readonly hasChanged = new Uint8Array(T.MAX_LOCATIONS);
  changes = 0;

  constructor(readonly size: number) {
    this.near = new Int32Array(size);
    this.parts = new Int32Array(size);
  }

  /** No unit is counted any more, and every centre is to be shared. */
  clear(): void {
    this.position = positions;
    this.counted.fill(0);
    this.stands.fill(-1, 0, centerCount);
    this.holders.fill(-1, 0, centerCount);
    this.sums.fill(0, 0, powerCount);
    this.owned.fill(0, 0, powerCount);
    this.bitsOf.fill(0, 0, centerCount);
    this.near.fill(0, 0, centerCount * powerCount);
    this.parts.fill(0, 0, centerCount * powerCount);
    this.look(NOBODY);
  }

  /** Every centre is to be shared, and seen by a power. */
  look(viewer: T.Power): void {
    this.viewer = viewer;
    this.patterns.fill(NO_PATTERN, 0, centerCount);
    this.change = 0;
    this.hasChanged.fill(1, 0, centerCount);
    for (let c = 0; c < centerCount; c++) this.changed[c] = c;
    this.changes = centerCount;
  }
}

/**
 * What is counted stays from one trial to the next: only units that end elsewhere are counted anew, and only the centres
 * near them are shared anew. Trials against different samples of the others have counts of their own. Shares are whole
 * numbers, so that no sum depends on the trials before it.
 */
const counts: Count[] = [];

const takeCount = (slot: number): Count => {
  const size = centerCount * powerCount;
  let count = counts[slot];
  if (count === undefined || count.size < size) {
    count = new Count(size);
    counts[slot] = count;
  }
  if (count.position !== positions) count.clear();
  return count;
};

/** By power: what it has in a centre. */
const ofCenter = new Float64Array(T.MAX_POWERS);
/** Units of this trial that are to be counted, and one more place, which is written and not read. */
const moved = new Int32Array(T.MAX_LOCATIONS + 1);

/**
 * Counts a unit where it is, or no longer.
 * @param halves 2 for a unit, 1 for one that is dislodged from there; less than 0 to take it back
 */
const countUnit = (count: Count, key: number, power: T.Power, halves: number): void => {
  const { offsets, near, centerOf } = current as EvaluationTables;
  const { near: nearBy, changed, hasChanged, bitsOf } = count;
  const bit = 1 << power;
  const powers = powerCount;
  const end = offsets[key + 1];
  let n = count.changes;
  for (let i = offsets[key]; i < end; i++) {
    const c = near[i];
    nearBy[(Math.imul(c, powers) + power) | 0] += halves;
    bitsOf[c] |= bit;
    changed[n] = c;
    n = (n + (hasChanged[c] ^ 1)) | 0;
    hasChanged[c] = 1;
  }
  count.changes = n;
  const center = centerOf[key];
  if (center >= 0 && halves === WHOLE) count.stands[center] = power;
  else if (center >= 0 && halves === -WHOLE) count.stands[center] = -1;
};

/** Units that a power could build: no more than it has free homes. */
const countBuilds = ({ stands, owned }: Count, power: T.Power, units: number): number => {
  let sites = 0;
  for (const c of (current as EvaluationTables).homes[power]) if (stands[c] < 0 && owners[c] === power) sites++;
  return Math.max(0, Math.min(sites, owned[power] - units));
};

/** What each power has in the centres that have changed, as a part of what all have there. @param season as for patternOf() */
const shareChanged = (count: Count, season: number): void => {
  const { near, bitsOf, parts, sums, holders, stands, owned, changed, hasChanged, patterns, viewer } = count;
  const first = season << SEASON_SHIFT;
  const powers = powerCount;
  const whose = (power: number): number => (power < 0 ? 0 : power === viewer ? MINE : OTHERS);
  const end = count.changes;
  for (let i = 0; i < end; i++) {
    const c = changed[i];
    hasChanged[c] = 0;
    const row = Math.imul(c, powers);
    const there = stands[c];
    const owner = isFall && there >= 0 ? there : owners[c];
    const holder = holders[c];
    if (owner !== holder) {
      if (holder >= 0) owned[holder]--;
      if (owner >= 0) owned[owner]++;
      holders[c] = owner;
    }
    if (owner >= 0) bitsOf[c] |= 1 << owner;
    const bits = bitsOf[c];
    let sum = owner < 0 ? free : 0;
    let most = 0;
    // No branches but for the ends of the loops, which are the same in both.
    for (let left = bits; left !== 0; left &= left - 1)
      for (let q = lowestBit(left); q < powers; q += BITS) {
        const units = near[row + q];
        const word = units | (OWNS_BIT & ~ifDifferent(q, owner)) | (STANDS_BIT & ~ifDifferent(q, there));
        const weight = shares[first | word];
        ofCenter[q] = weight;
        sum += weight;
        const theirs = units & ifDifferent(q, viewer);
        most ^= (most ^ theirs) & ((most - theirs) >> 31);
      }
    const scale = SCALE / sum;
    for (let left = bits; left !== 0; left &= left - 1)
      for (let q = lowestBit(left); q < powers; q += BITS) {
        const part = (ofCenter[q] * scale) | 0;
        sums[q] += part - parts[row + q];
        parts[row + q] = part;
      }
    if (viewer === NOBODY) continue;
    const pattern = patternOf(season, whose(owner), whose(there), near[row + viewer], most);
    count.change += changeOf[pattern] - changeOf[patterns[c]];
    patterns[c] = pattern;
  }
  count.changes = 0;
};

/**
 * The part of a power in the squares of what all can expect.
 * @param season 0 before the moves of a spring, else 1
 * @param more what the power can expect besides centres
 * @param units that the power has
 */
const valueCounted = (count: Count, power: T.Power, season: number, more: number, units: number): number => {
  const { sums, owned } = count;
  const powers = powerCount;
  shareChanged(count, season);
  const built = isFall && build > 0 ? build * countBuilds(count, power, units) : 0;
  const own = Math.max(0, sums[power] + (more + built) * SCALE + count.change);
  let squares = own * own;
  for (let q = 0; q < powers; q++) {
    if (isFall && owned[q] >= victoryCenters) return q === power ? 1 : 0;
    if (q !== power) squares += sums[q] * sums[q];
  }
  return squares === 0 ? 0 : (own * own) / squares;
};

// ---- the value of order sets ----

/** By unit, in the order of occupied: where the orders resolved last have brought it, as Count.counted has it. */
const ends = new Int32Array(T.MAX_LOCATIONS);

const TABLE_BITS = 11;
const HASH_BITS = 32;

/** Values that are known by a list of a number for each unit of the position: one for each hash of the list. */
class KnownValues {
  private readonly values = new Float64Array(1 << TABLE_BITS);
  /** By place: the power whose value it is, + 1, 0 for none; and by place, then unit, the list. */
  private readonly powers = new Int32Array(1 << TABLE_BITS);
  private lists = new Int32Array(0);

  clear(): void {
    const size = unitCount << TABLE_BITS;
    if (this.lists.length < size) this.lists = new Int32Array(size);
    this.powers.fill(0);
  }

  /** The value to a power after a list, -1 if it is not known. */
  find(hash: number, list: Int32Array, power: T.Power): number {
    const at = hash >>> (HASH_BITS - TABLE_BITS);
    if (this.powers[at] !== power + 1) return -1;
    const { lists } = this;
    const count = unitCount;
    const first = Math.imul(at, count);
    for (let i = 0; i < count; i++) if (lists[(first + i) | 0] !== list[i]) return -1;
    return this.values[at];
  }

  add(hash: number, list: Int32Array, power: T.Power, value: number): void {
    const at = hash >>> (HASH_BITS - TABLE_BITS);
    const { lists } = this;
    const count = unitCount;
    const first = Math.imul(at, count);
    for (let i = 0; i < count; i++) lists[(first + i) | 0] = list[i];
    this.powers[at] = power + 1;
    this.values[at] = value;
  }
}

/** One order set in five is equal to one before it, and three in five bring all units to where one before them did. */
const byOrders = new KnownValues();
const byEnds = new KnownValues();
/** Odd numbers by which the hash multiplies the number of each unit. */
const factors = Int32Array.from({ length: T.MAX_LOCATIONS }, (_, i) => mix(i + 1) | 1);
/** By unit, in the order of occupied: its order on the board. */
const tried = new Int32Array(T.MAX_LOCATIONS);

/** Puts orders on the board, and in `tried`. Returns their hash. @param orders by province */
const putOrders = (orders: Int32Array): number => {
  const count = unitCount;
  let hash = 0;
  for (let i = 0; i < count; i++) {
    const p = occupied[i];
    const packed = orders[p];
    order[p] = packed;
    tried[i] = packed;
    hash = (hash + Math.imul(packed, factors[i])) | 0;
  }
  return hash;
};

/** Writes `ends` after the orders on the board are resolved. Returns their hash. No branch. */
const findEnds = (): number => {
  const count = unitCount;
  let hash = 0;
  for (let i = 0; i < count; i++) {
    const p = occupied[i];
    const word = unit[p];
    const isDislodged = (0 - dislodgedBy[p]) >>> 31;
    // A unit that does not move has its own key in its order too.
    const goes = (0 - (success[p] & (isDislodged ^ 1))) | 0;
    const after = (word ^ ((word ^ orderNextKey(order[p])) & goes)) & KEY_MASK;
    const end = (after << HALVES_BITS) | (WHOLE - isDislodged);
    ends[i] = end;
    hash = (hash + Math.imul(end, factors[i])) | 0;
  }
  return hash;
};

/** Counts all units where they are by `ends`. */
const countEnds = (count: Count): void => {
  const { counted } = count;
  const all = unitCount;
  let n = 0;
  for (let i = 0; i < all; i++) {
    moved[n] = i;
    n = (n + (ifDifferent(counted[i], ends[i]) & 1)) | 0;
  }
  for (let k = 0; k < n; k++) {
    const i = moved[k];
    const before = counted[i];
    if (before !== 0) countUnit(count, (before >> HALVES_BITS) - 1, powerOf[i], -(before & HALVES_MASK));
  }
  for (let k = 0; k < n; k++) {
    const i = moved[k];
    counted[i] = ends[i];
    countUnit(count, (ends[i] >> HALVES_BITS) - 1, powerOf[i], ends[i] & HALVES_MASK);
  }
};

/** What a power has if all units are where `ends` says. @param hash of them */
const valueEnds = (hash: number, power: T.Power, sample: number): number => {
  const known = byEnds.find(hash, ends, power);
  if (known >= 0) return known;
  const count = takeCount(sample % MOST_COUNTS);
  if (next > 0 && count.viewer !== power) count.look(power);
  countEnds(count);
  const row = power * 2 * (map as CompiledMap).locationCount;
  const first = firstUnits[power];
  const last = firstUnits[power + 1];
  let pull = 0;
  for (let k = first; k < last; k++) {
    const end = ends[unitsBy[k]];
    if ((end & HALVES_MASK) === WHOLE) pull += pullOf(power, (end >> HALVES_BITS) - 1, row);
  }
  const value = valueCounted(count, power, isFall ? 0 : 1, pull, last - first);
  byEnds.add(hash, ends, power, value);
  return value;
};

/**
 * Returns what a power has after some movement orders in the position of readPosition().
 * @param trial has loaded that position
 * @param orders boardOrder()s by province
 * @param sample trials with the same number in turn are quicker the more orders they share
 */
export const evaluateOrders = (trial: RandomGame, orders: Int32Array, power: T.Power, sample = 0): number => {
  const hash = putOrders(orders);
  const known = byOrders.find(hash, tried, power);
  if (known >= 0) return known;
  trial.begin();
  const value = valueEnds(findEnds(), power, sample);
  byOrders.add(hash, tried, power, value);
  return value;
};

/**
 * Of the last evaluateOrders(): the pattern of each centre (next-turn.ts), and the squares of what the others can expect.
 * @param trial and sample as there
 */
export const seenAfter = (
  trial: RandomGame,
  power: T.Power,
  sample = 0,
): { readonly patterns: Int32Array; readonly others: number } => {
  trial.begin();
  findEnds();
  const count = takeCount(sample % MOST_COUNTS);
  countEnds(count);
  count.look(power);
  shareChanged(count, isFall ? 0 : 1);
  const patterns = count.patterns.slice(0, centerCount);
  count.look(NOBODY);
  const { sums } = count;
  let others = 0;
  for (let q = 0; q < powerCount; q++) if (q !== power) others += (sums[q] / SCALE) ** 2;
  return { patterns, others };
};

const ownKeys = new Int32Array(T.MAX_LOCATIONS);

/** What draws so many of ownKeys in adjustments, and what they are worth in own centres. */
const settledPull = (power: T.Power, count: number): number => {
  const { moves, centerOf } = current as EvaluationTables;
  const most = draws[0];
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const center = centerOf[ownKeys[i]];
    if (center >= 0 && owners[center] === power) sum += garrison;
  }
  for (let c = 0; c < centerCount; c++) {
    if (owners[c] === power) continue;
    let drawn = 0;
    for (let i = 0; i < count; i++) drawn += draws[moves[ownKeys[i] * centerCount + c]];
    if (drawn > 0) sum += most * (drawn / most) ** crowd;
  }
  return sum;
};

/** What a power has in the position of readPosition(), or a copy with other units. For retreats and adjustments. */
export const evaluatePosition = (game: Game, power: T.Power): number => {
  const isWinter = game.phase === T.ADJUSTMENT;
  const state = takeCount(MOST_COUNTS);
  const { counted } = state;
  const row = power * 2 * game.map.locationCount;
  let pull = 0;
  let own = 0;
  for (let p: T.Province = 0; p < game.map.provinceCount; p++) {
    const there = game.unitAt(p);
    const word = there === T.NO_UNIT ? 0 : ((T.unitPower(there) + 1) << POWER_SHIFT) | (unitKey(game, p) + 1);
    const before = counted[p];
    if (word !== before) {
      if (before !== 0) countUnit(state, (before & KEY_MASK) - 1, (before >>> POWER_SHIFT) - 1, -WHOLE);
      if (word !== 0) countUnit(state, (word & KEY_MASK) - 1, (word >>> POWER_SHIFT) - 1, WHOLE);
      counted[p] = word;
    }
    if (word >>> POWER_SHIFT !== power + 1) continue;
    const key = (word & KEY_MASK) - 1;
    if (!isWinter) pull += pullOf(power, key, row);
    ownKeys[own++] = key;
  }
  if (isWinter) pull = settledPull(power, own);
  return valueCounted(state, power, game.season === T.SPRING ? 1 : 0, pull, own);
};
