// Static evaluation: values a position for one power without rollouts. Order sets are adjudicated on the board first.
//
// Each power expects a share of each centre. The share is larger if the power owns the centre, has a unit in it, or has
// more units near it than others. Part of a neutral centre belongs to no power, so that a unit in it counts more than a
// unit next to it. Units that can be built add to the expectation, and so do units close to centres that their power
// does not own (the pull). The value of a power is its part of the sum of the squared expectations, 0 to 1, so a power
// gains by growing and by weakening the largest power. After moves, the usual change of the next turn can be added
// (next-turn.ts).
//
// The pull on armies also counts routes over water. In adjustment phases, each further unit adds less to the pull of a
// centre, because a power would otherwise build only armies or only fleets. Units in own centres then get a bonus.
//
// A key identifies a location and a unit type: the location for an army, locationCount + location for a fleet.

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

/**
 * Weight of a unit when the units near a centre are counted. A dislodged unit weighs 1, half as much, because it may
 * have no retreat.
 */
const WHOLE = 2;

/**
 * HALVES_BITS: number of low bits of a word that hold the weight of a unit (1 or 2). The bits above hold key + 1.
 * HALVES_MASK: mask of the low bits.
 */
const HALVES_BITS = 2;
const HALVES_MASK = 3;
/**
 * Number of bits of a bit set of powers. Power q has bit q % BITS, so several powers may share a bit; loops visit all
 * of them.
 */
const BITS = 32;
/** Fixed-point factor of shares: one centre is SCALE. 255 centres fit in 31 bits. */
const SCALE = 1 << 23;
/** Number of entries of `counts` for samples. The entry with this index belongs to evaluatePosition(). */
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
/** Attraction of a unit to a centre that its power does not own, in centres, indexed by the moves between them. */
const draws = new Float64Array(FAR + 1);

/**
 * Usual change of the expectation in a centre during the next turn, in units of 1 / SCALE centres, indexed by pattern:
 * the class of the situation around the centre (next-turn.ts).
 */
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
/** True if the position is in a fall, when centres change owners after the moves. */
let isFall = false;
const owners = new Int32Array(T.MAX_LOCATIONS);
/**
 * Sum of a unit's attraction to the centres that its power does not own, in centres, indexed by power, then key. NaN
 * until it is computed.
 */
let pulls = new Float64Array(0);
/** `occupied`: provinces with units, ascending. `powerOf`: power of each of these units, indexed like `occupied`. */
const occupied = new Int32Array(T.MAX_LOCATIONS);
const powerOf = new Int32Array(T.MAX_LOCATIONS);
let unitCount = 0;
/**
 * Units grouped by power, as indexes into `occupied`. The units of power q are unitsBy[firstUnits[q]] to
 * unitsBy[firstUnits[q + 1] - 1].
 */
const unitsBy = new Int32Array(T.MAX_LOCATIONS);
const firstUnits = new Int32Array(T.MAX_POWERS + 1);
/** Number of calls of readPosition() so far. Identifies the current position. */
let positions = 0;

/** Loads the position that the functions below evaluate. @param by weights of the evaluation */
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

/**
 * Computes the pull on a unit of a power, writes it to pulls[at] and returns it: the sum of its attraction to the
 * centres that the power does not own, in centres.
 * @param key key of the unit: its type and location
 * @param at index in `pulls`
 */
const findPull = (power: T.Power, key: number, at: number): number => {
  const { moves } = current as EvaluationTables;
  let sum = 0;
  for (let c = 0, i = key * centerCount; c < centerCount; c++, i++) if (owners[c] !== power) sum += draws[moves[i]];
  pulls[at] = sum;
  return sum;
};

/**
 * Returns the pull on a unit of a power, in centres: the sum of its attraction to the centres that the power does not
 * own.
 * @param row index in `pulls` of the power's first key
 */
const pullOf = (power: T.Power, key: number, row: number): number => {
  const known = pulls[row + key];
  return Number.isNaN(known) ? findPull(power, key, row + key) : known;
};

/** Returns -1 (all bits set) if two integers differ, 0 if they are equal. */
const ifDifferent = (a: number, b: number): number => ((a ^ b) | (0 - (a ^ b))) >> 31;

// ---- the value of a position ----
const NOBODY = -1;

/** Units near each centre in one position, and the share of each power in each centre. Updated unit by unit. */
class Count {
  /**
   * Value of `positions` at the last clear(). If `positions` has changed since, these counts belong to an earlier
   * position.
   */
  position = 0;
  /**
   * The unit as counted, 0 if it is not counted, indexed like `occupied`: key + 1 in the high bits, weight in the low
   * bits. In evaluatePosition(), indexed by province: word of the counted unit in the format of the board.
   */
  readonly counted = new Int32Array(T.MAX_LOCATIONS);
  /**
   * `stands`: power with a unit in the centre. `holders`: owner of the centre after the moves. Both are indexed by
   * centre; -1 for none.
   */
  readonly stands = new Int32Array(T.MAX_LOCATIONS);
  readonly holders = new Int32Array(T.MAX_LOCATIONS);
  /**
   * Bit set of the powers that may have a share of the centre, indexed by centre: its owner, and all powers that have
   * had units near it since clear().
   */
  readonly bitsOf = new Int32Array(T.MAX_LOCATIONS);
  /**
   * `near`: sum of the weights of a power's units near a centre. `parts`: share of the power, in units of 1 / SCALE
   * centres. Both are indexed by centre, then power.
   */
  readonly near: Int32Array;
  readonly parts: Int32Array;
  /**
   * `sums`: sum of a power's shares, in units of 1 / SCALE centres. `owned`: number of centres that it owns after the
   * moves. Both are indexed by power.
   */
  readonly sums = new Int32Array(T.MAX_POWERS);
  readonly owned = new Int32Array(T.MAX_POWERS);
  /**
   * For the usual change of the next turn. `viewer`: power whose change is computed. `patterns`: situation around each
   * centre as the viewer sees it (next-turn.ts), indexed by centre. `change`: sum of the changes, in units of 1 / SCALE
   * centres.
   */
  viewer = NOBODY;
  readonly patterns = new Int32Array(T.MAX_LOCATIONS);
  change = 0;
  /**
   * `changed`: centres whose shares are out of date, the first `changes` elements. `hasChanged`: 1 for the centres in
   * this list, else 0, indexed by centre.
   */
  readonly changed = new Int32Array(T.MAX_LOCATIONS);
  readonly hasChanged = new Uint8Array(T.MAX_LOCATIONS);
  changes = 0;

  constructor(readonly size: number) {
    this.near = new Int32Array(size);
    this.parts = new Int32Array(size);
  }

  /** Removes all units and marks every centre as out of date. */
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

  /**
   * Sets the power whose change of the next turn is computed, NOBODY for none, and marks every centre as out of date.
   */
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
 * Counts, indexed by sample number. They persist from one order set to the next, so that only units with another final
 * location, and the centres near them, are updated. Shares are integers, so that no sum depends on the order sets
 * evaluated before.
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

/** Presence of each power in one centre, indexed by power. A share is the power's part of the sum. */
const ofCenter = new Float64Array(T.MAX_POWERS);
/** Units to count again, as indexes into `occupied`. The last element may be written but is never read. */
const moved = new Int32Array(T.MAX_LOCATIONS + 1);

/**
 * Adds a unit to the counts, or removes it.
 * @param key key of the unit: its location and type
 * @param halves weight of the unit: 2, or 1 if it is dislodged; negative to remove the unit
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

/**
 * Returns the number of units that a power could build: limited by its free home centres, and by its centres minus its
 * units.
 * @param units number of its units
 */
const countBuilds = ({ stands, owned }: Count, power: T.Power, units: number): number => {
  let sites = 0;
  for (const c of (current as EvaluationTables).homes[power]) if (stands[c] < 0 && owners[c] === power) sites++;
  return Math.max(0, Math.min(sites, owned[power] - units));
};

/**
 * Updates the shares of all powers in the centres that are out of date.
 * @param season season of the position: 0 after a fall, 1 after a spring
 */
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
    // Only the loop conditions branch, for speed; they are the same in both loops.
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
 * Returns the value of the counted position to a power: its part of the sum of the squared expectations, 0 to 1.
 * @param season season of the counted position: 0 after a fall, 1 after a spring
 * @param more pull and bonus of the power's units, in centres, which are added to its expectation
 * @param units number of units of the power
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

/**
 * Location and weight of each unit after the last adjudication, in the format of Count.counted, indexed like
 * `occupied`.
 */
const ends = new Int32Array(T.MAX_LOCATIONS);

const TABLE_BITS = 11;
const HASH_BITS = 32;

/**
 * Hash table of values to a power. The key is a list with one number for each unit. A new entry replaces the entry in
 * the same slot.
 */
class KnownValues {
  private readonly values = new Float64Array(1 << TABLE_BITS);
  /**
   * Entries of the table. `powers`: power + 1, indexed by slot; 0 for an empty slot. `lists`: key of the entry, indexed
   * by slot * unitCount + index in the list.
   */
  private readonly powers = new Int32Array(1 << TABLE_BITS);
  private lists = new Int32Array(0);

  clear(): void {
    const size = unitCount << TABLE_BITS;
    if (this.lists.length < size) this.lists = new Int32Array(size);
    this.powers.fill(0);
  }

  /** Returns the value stored for a list and a power; -1 if there is none. @param hash hash of the list */
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

/**
 * Values by the orders of all units (`byOrders`), and by their final locations (`byEnds`). 1 in 5 order sets repeats an
 * earlier one; 3 in 5 lead to known final locations.
 */
const byOrders = new KnownValues();
const byEnds = new KnownValues();
/** Odd factors of the hash, indexed like `occupied`. */
const factors = Int32Array.from({ length: T.MAX_LOCATIONS }, (_, i) => mix(i + 1) | 1);
/** Board order of each unit, indexed like `occupied`. */
const tried = new Int32Array(T.MAX_LOCATIONS);

/**
 * Writes orders to the board and to `tried`, and returns their hash.
 * @param orders board orders, indexed by province
 */
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

/**
 * Writes the final locations and weights of the units to `ends`, from the orders just adjudicated on the board, and
 * returns their hash. Free of branches, for speed.
 */
const findEnds = (): number => {
  const count = unitCount;
  let hash = 0;
  for (let i = 0; i < count; i++) {
    const p = occupied[i];
    const word = unit[p];
    const isDislodged = (0 - dislodgedBy[p]) >>> 31;
    // The order of a unit that does not move contains its current key.
    const goes = (0 - (success[p] & (isDislodged ^ 1))) | 0;
    const after = (word ^ ((word ^ orderNextKey(order[p])) & goes)) & KEY_MASK;
    const end = (after << HALVES_BITS) | (WHOLE - isDislodged);
    ends[i] = end;
    hash = (hash + Math.imul(end, factors[i])) | 0;
  }
  return hash;
};

/** Moves the counted units to the locations in `ends`. */
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

/**
 * Returns the value to a power, 0 to 1, of the position with units at `ends`.
 * @param hash hash of `ends`
 * @param sample number of the counts to use
 */
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
 * Returns the value to a power, 0 to 1, after movement orders in the position of readPosition().
 * @param trial board that has loaded that position
 * @param orders board orders (boardOrder()) of all units, indexed by province
 * @param sample number of the counts to use. Successive calls with the same number are faster if they share orders
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
 * Returns the situation around each centre as the power sees it (`patterns`, indexed by centre, see next-turn.ts),
 * after the orders of the last evaluateOrders(). Also returns the sum of the squared expectations of the other powers,
 * in squared centres (`others`). The arguments must equal the arguments of that call.
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

/**
 * Returns the pull on the units ownKeys[0] to ownKeys[count - 1] in an adjustment phase, plus the bonus of those in own
 * centres, in centres.
 */
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

/**
 * Returns the value to a power, 0 to 1, of the position of readPosition(), or of a copy of that position with other
 * units. Used for retreats and adjustments.
 */
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
