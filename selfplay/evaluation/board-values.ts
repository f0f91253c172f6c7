// Computes the value of each location to a power, from the units and the owners of the centres in a position.
//
// The values are those of DumbBot, published with the DAIDE project (David Norman, 2002; constants of release 8). A
// centre of another power is worth the size of its owner; all neutral centres together count as one more power. An own
// centre is worth the size of the largest power that could move in. A location is worth the weighted sum of the centres
// within ten moves, with higher weights for nearer ones. The weights are in a table, made once per map. Two coasts of a
// province count half each on the way (DumbBot takes the better one).
//
// A key identifies a location and a unit type: the location for an army, locationCount + location for a fleet.
//
// Searches spend most of their time here. Loops avoid unpredictable branches and use local names for the arrays of the
// module, as in engine/adjudicate/movement/passes.ts. Every sum is added in one fixed order, so that no value depends
// on earlier results. test/selfplay/agents/dumbbot.test.ts has a simple version of this algorithm.
import { type CompiledMap, type Game, lowestBit, perMap, unitKey } from '../../engine/internal.js';
import * as T from '../../engine/rules/types.js';
import { WORDS } from '../../engine/rules/types.js';

const DEPTH = 10;
/**
 * Weight of a centre in the value of a location, indexed by the number of moves to the centre. In a fall, distance 0
 * has the highest weight, because a unit in a centre captures it.
 */
const SPRING_WEIGHTS = [100, 1000, 30, 10, 6, 5, 4, 3, 2, 1];
const FALL_WEIGHTS = [1000, 100, 30, 10, 6, 5, 4, 3, 2, 1];
/**
 * Divisor when the worth of a centre at a location and its neighbours, four on average, is summed. It keeps the sums of
 * all distances in one range.
 */
const SPREAD = 5;
const STRENGTH_WEIGHT = 1000;
const COMPETITION_WEIGHT = 1000;
/** Weight of the threat to an own centre in the value of a build or removal there. */
const WINTER_DEFENCE_WEIGHT = 1000;

/** Weights of one season, and cached values of units for one set of owners. */
interface Season {
  /** Weight of a centre in the value of a unit, indexed by key, then by centre. */
  readonly weights: Float64Array;
  readonly attackWeight: number;
  readonly defenceWeight: number;
  /**
   * `base`: value of a unit if other powers owned all centres, indexed by key. `hasBase`: 1 if `base` is up to date for
   * `owners`, else 0, indexed by key.
   */
  readonly base: Float64Array;
  readonly hasBase: Int32Array;
  /** Owner of each centre for which `base` was computed, indexed by centre; -1 for none. */
  readonly owners: Int32Array;
}

/** Tables of a map for the values of its locations. A key identifies a location and a unit type. */
interface Tables {
  readonly spring: Season;
  readonly fall: Season;
  readonly winter: Season;
  readonly provinceOf: Int32Array;
  /** Key of the unit after each move, indexed like map.moveTargets. */
  readonly keysAfter: Int32Array;
  /** Distinct provinces that a unit can move to: provinces[offsets[key]] to provinces[offsets[key + 1] - 1]. */
  readonly offsets: Int32Array;
  readonly provinces: Int32Array;
}

/** Returns the location of a key. A key identifies a location and a unit type. */
export const keyLocation = (map: CompiledMap, key: number): T.Location =>
  key < map.locationCount ? key : key - map.locationCount;

/**
 * Returns the key of a unit after a move.
 * @param key key of the unit before the move: its location and type
 * @param to location of the move's target
 */
export const keyAfter = (map: CompiledMap, key: number, to: T.Location): number =>
  key < map.locationCount ? map.locationProvince[to] : map.locationCount + to;

const listProvinces = (map: CompiledMap): { offsets: Int32Array; provinces: Int32Array } => {
  const keys = 2 * map.locationCount;
  const offsets = new Int32Array(keys + 1);
  const provinces: number[] = [];
  for (let key = 0; key < keys; key++) {
    for (let w = 0; w < WORDS; w++)
      for (let rest = map.reach[key * WORDS + w]; rest !== 0; rest &= rest - 1)
        provinces.push(w * 32 + lowestBit(rest));
    offsets[key + 1] = provinces.length;
  }
  return { offsets, provinces: Int32Array.from(provinces) };
};

/** Results of all moves, indexed like map.moveTargets. */
interface Moves {
  /** Key of the unit after the move. */
  readonly keysAfter: Int32Array;
  /**
   * Number of locations of the target province that the unit can enter; above 1 only if it can enter several coasts.
   */
  readonly entrances: Int32Array;
}

const listMoves = (map: CompiledMap): Moves => {
  const { moveOffsets, moveTargets, locationProvince } = map;
  const keysAfter = new Int32Array(moveTargets.length);
  const entrances = new Int32Array(moveTargets.length);
  const counts = new Int32Array(map.provinceCount);
  for (let key = 0; key < 2 * map.locationCount; key++) {
    const [begin, end] = [moveOffsets[key], moveOffsets[key + 1]];
    counts.fill(0);
    for (let i = begin; i < end; i++) counts[locationProvince[moveTargets[i]]]++;
    for (let i = begin; i < end; i++) {
      keysAfter[i] = keyAfter(map, key, moveTargets[i]);
      entrances[i] = counts[locationProvince[moveTargets[i]]];
    }
  }
  return { keysAfter, entrances };
};

/**
 * Returns the worth of a centre with one move more than in `from`, indexed by key. It is the worth at the key plus the
 * worth at each key that the unit can move to, divided by SPREAD. Several coasts of one province count as one target.
 * @param from worth of the centre, indexed by key
 */
const spread = ({ moveOffsets }: CompiledMap, { keysAfter, entrances }: Moves, from: Float64Array): Float64Array => {
  const out = new Float64Array(from.length);
  for (let key = 0; key < from.length; key++) {
    let sum = from[key];
    for (let i = moveOffsets[key]; i < moveOffsets[key + 1]; i++) sum += from[keysAfter[i]] / entrances[i];
    out[key] = sum / SPREAD;
  }
  return out;
};

const makeSeason = (map: CompiledMap, weights: Float64Array, attackWeight: number, defenceWeight: number): Season => ({
  ...{ weights, attackWeight, defenceWeight },
  base: new Float64Array(2 * map.locationCount),
  hasBase: new Int32Array(2 * map.locationCount),
  owners: new Int32Array(map.centerCount),
});

const makeTables = (map: CompiledMap): Tables => {
  const keys = 2 * map.locationCount;
  const { centerCount } = map;
  const moves = listMoves(map);
  const spring = new Float64Array(keys * centerCount);
  const fall = new Float64Array(keys * centerCount);
  for (let c = 0; c < centerCount; c++) {
    let worth = new Float64Array(keys);
    for (let key = 0; key < keys; key++)
      worth[key] = map.locationProvince[keyLocation(map, key)] === map.centers[c] ? 1 : 0;
    for (let n = 0; n < DEPTH; n++) {
      for (let key = 0; key < keys; key++) {
        spring[key * centerCount + c] += SPRING_WEIGHTS[n] * worth[key];
        fall[key * centerCount + c] += FALL_WEIGHTS[n] * worth[key];
      }
      worth = spread(map, moves, worth) as Float64Array<ArrayBuffer>;
    }
  }
  return {
    spring: makeSeason(map, spring, 700, 300),
    fall: makeSeason(map, fall, 600, 400),
    winter: makeSeason(map, fall, 700, 300),
    provinceOf: Int32Array.from({ length: keys }, (_, key) => map.locationProvince[keyLocation(map, key)]),
    keysAfter: moves.keysAfter,
    ...listProvinces(map),
  };
};

const tablesOf = perMap(makeTables);

// ---- the position ----

/**
 * `keyAt`: key + 1 of the unit in a province, 0 for none. `powerAt`: power of this unit, -1 for none. Both are indexed
 * by province. `ownerOf`: owner of a centre, -1 for none, indexed by centre.
 */
export const keyAt = new Int32Array(T.MAX_LOCATIONS);
export const powerAt = new Int32Array(T.MAX_LOCATIONS);
export const ownerOf = new Int32Array(T.MAX_LOCATIONS);
/**
 * `unitsBy`: provinces with units of power q, ascending, from index q * provinceCount on. `unitCounts`: number of
 * units, indexed by power.
 */
export const unitsBy = new Int32Array(T.MAX_POWERS * T.MAX_LOCATIONS);
export const unitCounts = new Int32Array(T.MAX_POWERS);
/** Number of a power's units that are in a province or can move there, indexed by power * provinceCount + province. */
const near = new Int32Array(T.MAX_POWERS * T.MAX_LOCATIONS);
/**
 * `sizes`: size of a power, which grows with the square of its number of centres. `centersOf`: number of its centres.
 * Index 0 for no owner, q + 1 for power q.
 */
const sizes = new Int32Array(T.MAX_POWERS + 1);
const centersOf = new Int32Array(T.MAX_POWERS + 1);

let map: CompiledMap | undefined;
let current: Tables | undefined;
let powerCount = 0;
let provinceCount = 0;
let centerCount = 0;
let seen: Season | undefined;
let valued: Season | undefined;

const useMap = (next: CompiledMap): void => {
  if (next === map) return;
  map = next;
  current = tablesOf(next);
  powerCount = next.powerCount;
  provinceCount = next.provinceCount;
  centerCount = next.centerCount;
};

/** Size (`sizes`) of the owner of each centre, indexed by centre. */
const ownerSizes = new Float64Array(T.MAX_LOCATIONS);
/** Centres of power q, ascending: the first centersOf[q + 1] elements from index (q + 1) * centerCount on. */
const centersBy = new Int32Array((T.MAX_POWERS + 1) * T.MAX_LOCATIONS);

const measureSizes = (): void => {
  const all = centerCount;
  const powers = powerCount;
  const owners = ownerOf;
  const counts = centersOf;
  const centers = centersBy;
  const size = sizes;
  const sizeAt = ownerSizes;
  for (let q = 0; q <= powers; q++) counts[q] = 0;
  for (let c = 0; c < all; c++) {
    const q = (owners[c] + 1) | 0;
    const n = counts[q];
    centers[(Math.imul(q, all) + n) | 0] = c;
    counts[q] = n + 1;
  }
  for (let q = 0; q <= powers; q++) size[q] = Math.imul(counts[q], counts[q] + 4) + 16;
  for (let c = 0; c < all; c++) sizeAt[c] = size[(owners[c] + 1) | 0];
};

const occupied = new Int32Array(T.MAX_LOCATIONS + 1);

const listUnits = (): void => {
  const provinces = provinceCount;
  const powers = powerCount;
  const keys = keyAt;
  const owners = powerAt;
  const list = occupied;
  const counts = unitCounts;
  const units = unitsBy;
  let n = 0;
  for (let p = 0; p < provinces; p++) {
    list[n] = p;
    n = (n + ((0 - keys[p]) >>> 31)) | 0;
  }
  for (let q = 0; q < powers; q++) counts[q] = 0;
  for (let i = 0; i < n; i++) {
    const p = list[i];
    const q = owners[p];
    const count = counts[q];
    units[(Math.imul(q, provinces) + count) | 0] = p;
    counts[q] = count + 1;
  }
};

/**
 * Indexes of the nonzero elements of `near`. The indexes of power q are touched[nearOffsets[q]] to
 * touched[nearOffsets[q + 1] - 1].
 */
const touched = new Int32Array(T.MAX_POWERS * T.MAX_LOCATIONS + 1);
const nearOffsets = new Int32Array(T.MAX_POWERS + 1);
let touchedCount = 0;

const countNear = (): void => {
  const { offsets, provinces } = current as Tables;
  const powers = powerCount;
  const stride = provinceCount;
  const before = touchedCount;
  const counts = near;
  const places = touched;
  const begins = nearOffsets;
  const units = unitsBy;
  const unitsOf = unitCounts;
  const keys = keyAt;
  for (let i = 0; i < before; i++) counts[places[i]] = 0;
  let n = 0;
  for (let q = 0; q < powers; q++) {
    const row = Math.imul(q, stride);
    const end = (row + unitsOf[q]) | 0;
    begins[q] = n;
    for (let i = row; i < end; i++) {
      const p = units[i];
      const key = (keys[p] - 1) | 0;
      const last = offsets[(key + 1) | 0];
      const here = (row + p) | 0;
      const there = counts[here];
      places[n] = here;
      counts[here] = there + 1;
      n = (n + ((there - 1) >>> 31)) | 0;
      for (let k = offsets[key]; k < last; k++) {
        const at = (row + provinces[k]) | 0;
        const count = counts[at];
        places[n] = at;
        counts[at] = count + 1;
        n = (n + ((count - 1) >>> 31)) | 0;
      }
    }
  }
  begins[powers] = n;
  touchedCount = n;
};

// Layout of a word that ranks powers by their number of units: the power in the low bits, the number above.
const RANK_SHIFT = 8;
const RANK_MASK = 0xff;
/**
 * Rank words of the power with most units in a province or next to it (`mostNear`), and of the second (`nextNear`),
 * indexed by province; 0 for none.
 */
const mostNear = new Int32Array(T.MAX_LOCATIONS);
const nextNear = new Int32Array(T.MAX_LOCATIONS);

const lesser = (a: number, b: number): number => b ^ ((a ^ b) & ((a - b) >> 31));

const rankNear = (): void => {
  const powers = powerCount;
  const stride = provinceCount;
  const counts = near;
  const places = touched;
  const begins = nearOffsets;
  const firsts = mostNear;
  const seconds = nextNear;
  for (let p = 0; p < stride; p++) {
    firsts[p] = 0;
    seconds[p] = 0;
  }
  for (let q = 0; q < powers; q++) {
    const row = Math.imul(q, stride);
    const end = begins[q + 1];
    for (let i = begins[q]; i < end; i++) {
      const at = places[i];
      const p = (at - row) | 0;
      const word = (counts[at] << RANK_SHIFT) | q;
      const most = firsts[p];
      const next = seconds[p];
      const fewer = lesser(word, most);
      firsts[p] = most ^ word ^ fewer;
      seconds[p] = next ^ fewer ^ lesser(next, fewer);
    }
  }
};

const refreshBase = (season: Season): void => {
  const { owners, hasBase } = season;
  const all = centerCount;
  const seenOwners = ownerOf;
  let changed = 0;
  for (let c = 0; c < all; c++) {
    const owner = seenOwners[c];
    changed |= owners[c] ^ owner;
    owners[c] = owner;
  }
  if (changed !== 0) hasBase.fill(0);
};

let ranked = false;

/** Updates all tables after keyAt, powerAt and ownerOf were filled. @param season season of the position */
const refresh = (season: number): void => {
  const { spring, fall } = current as Tables;
  seen = season === T.FALL ? fall : spring;
  viewer = -1;
  refreshBase(seen);
  measureSizes();
  listUnits();
  countNear();
  ranked = false;
};

/** Loads the position of a game. The functions below evaluate it until another position is loaded. */
export const readGame = (game: Game): void => {
  useMap(game.map);
  for (let p = 0; p < provinceCount; p++) {
    const unit = game.unitAt(p);
    keyAt[p] = unit === T.NO_UNIT ? 0 : unitKey(game, p) + 1;
    powerAt[p] = unit === T.NO_UNIT ? -1 : T.unitPower(unit);
  }
  for (let c = 0; c < centerCount; c++) ownerOf[c] = game.owner(c);
  refresh(game.season);
};

/**
 * Loads a position in the format of the engine's board (engine/adjudicate/movement/board.ts).
 * @param next map of the position
 * @param unit words ((power + 1) << 16) | (key + 1), indexed by province; 0 for none
 * @param owners owner + 1, indexed by centre; 0 for none
 */
export const readBoard = (next: CompiledMap, unit: Int32Array, owners: Int32Array, season: number): void => {
  useMap(next);
  const provinces = provinceCount;
  const keys = keyAt;
  const powers = powerAt;
  const seenOwners = ownerOf;
  for (let p = 0; p < provinces; p++) {
    const word = unit[p];
    keys[p] = word & 0xffff;
    powers[p] = (word >>> 16) - 1;
  }
  const all = centerCount;
  for (let c = 0; c < all; c++) seenOwners[c] = owners[c] - 1;
  refresh(season);
};

/**
 * Returns the number of units of the strongest other power in a province or next to it. setViewer() must have been
 * called for this position.
 */
export const competition = (power: T.Power, province: T.Province): number => {
  const most = mostNear[province];
  const next = nextNear[province];
  // Takes the second if the power itself has most units.
  const self = (((most ^ power) & RANK_MASK) - 1) >> 31;
  return (most ^ ((most ^ next) & self)) >> RANK_SHIFT;
};

/** Returns the size (`sizes`) of the largest other power with a unit in a province or next to it; 0 for none. */
const threat = (power: T.Power, province: T.Province): number => {
  const powers = powerCount;
  const stride = provinceCount;
  const counts = near;
  const sizeOf = sizes;
  let most = 0;
  for (let q = 0, at = province; q < powers; q++, at = (at + stride) | 0) {
    const size = sizeOf[q + 1] & ((0 - counts[at]) >> 31) & (((power - q) | (q - power)) >> 31);
    most ^= (most ^ size) & ((most - size) >> 31);
  }
  return most;
};

/**
 * `own`: centres of the viewer, the power of setViewer(). `ownExcess`: worth of each centre to the viewer minus its
 * worth in `base`, indexed like `own`.
 */
const own = new Int32Array(T.MAX_LOCATIONS);
const ownExcess = new Float64Array(T.MAX_LOCATIONS);
let ownCount = 0;
let viewer = -1;

/**
 * Value of a unit to the viewer (the power of setViewer()), indexed by key. Valid only after valueMoves() or valueAt()
 * has computed the key.
 */
export const values = new Float64Array(2 * T.MAX_LOCATIONS);
const hasValue = new Int32Array(2 * T.MAX_LOCATIONS);
/** Keys whose `values` are valid, the first valueCount elements. */
const valueKeys = new Int32Array(2 * T.MAX_LOCATIONS + 1);
let valueCount = 0;

/**
 * Sets the power whose values the functions below compute.
 * @param winter true for adjustment phases
 */
export const setViewer = (power: T.Power, winter = false): void => {
  const season = winter ? (current as Tables).winter : (seen as Season);
  if (power === viewer && season === valued) return;
  viewer = power;
  valued = season;
  const known = valueCount;
  const flags = hasValue;
  const keys = valueKeys;
  const owned = centersBy;
  const list = own;
  const excess = ownExcess;
  for (let i = 0; i < known; i++) flags[keys[i]] = 0;
  valueCount = 0;
  if (!ranked) rankNear();
  ranked = true;
  if (winter) refreshBase(season);
  const { centers } = map as CompiledMap;
  const { attackWeight, defenceWeight } = season;
  const asAnothers = attackWeight * sizes[power + 1];
  const first = Math.imul(power + 1, centerCount);
  const n = centersOf[power + 1];
  ownCount = n;
  for (let i = 0; i < n; i++) {
    const c = owned[(first + i) | 0];
    list[i] = c;
    excess[i] = defenceWeight * threat(power, centers[c]) - asAnothers;
  }
};

/** Keys whose `base` is out of date, padded to a multiple of four. */
const bare = new Int32Array(2 * T.MAX_LOCATIONS + 3);

/**
 * Computes `base` for the first `count` keys in `bare`. Adds four independent sums at a time, for speed, each in the
 * order of the centres.
 */
const sumBases = (season: Season, count: number): void => {
  const { weights, attackWeight, base } = season;
  const all = centerCount;
  const keys = bare;
  const sizeAt = ownerSizes;
  for (let i = count; (i & 3) !== 0; i++) keys[i] = keys[0];
  for (let i = 0; i < count; i += 4) {
    const row0 = Math.imul(keys[i], all);
    const row1 = Math.imul(keys[i + 1], all);
    const row2 = Math.imul(keys[i + 2], all);
    const row3 = Math.imul(keys[i + 3], all);
    let sum0 = 0;
    let sum1 = 0;
    let sum2 = 0;
    let sum3 = 0;
    for (let c = 0; c < all; c++) {
      const size = sizeAt[c];
      sum0 += weights[(row0 + c) | 0] * attackWeight * size;
      sum1 += weights[(row1 + c) | 0] * attackWeight * size;
      sum2 += weights[(row2 + c) | 0] * attackWeight * size;
      sum3 += weights[(row3 + c) | 0] * attackWeight * size;
    }
    base[keys[i]] = sum0;
    base[keys[i + 1]] = sum1;
    base[keys[i + 2]] = sum2;
    base[keys[i + 3]] = sum3;
  }
};

const proximity = ({ weights, base }: Season, key: number): number => {
  const row = Math.imul(key, centerCount);
  const n = ownCount;
  const centers = own;
  const excess = ownExcess;
  let sum = base[key];
  for (let i = 0; i < n; i++) sum += weights[(row + centers[i]) | 0] * excess[i];
  return sum;
};

/**
 * Computes the values of the keys valueKeys[from] to valueKeys[valueCount - 1] to the viewer (the power of
 * setViewer()), and writes them to `values`.
 */
const valueKeysFrom = (from: number): void => {
  const season = valued as Season;
  const { hasBase } = season;
  const { provinceOf } = current as Tables;
  const end = valueCount;
  const power = viewer;
  const row = Math.imul(power, provinceCount);
  const keys = valueKeys;
  const toSum = bare;
  const counts = near;
  const worths = values;
  let n = 0;
  for (let i = from; i < end; i++) {
    const key = keys[i];
    toSum[n] = key;
    n = (n + (hasBase[key] ^ 1)) | 0;
    hasBase[key] = 1;
  }
  sumBases(season, n);
  for (let i = from; i < end; i++) {
    const key = keys[i];
    const province = provinceOf[key];
    const strength = counts[(row + province) | 0];
    worths[key] =
      proximity(season, key) + STRENGTH_WEIGHT * strength - COMPETITION_WEIGHT * competition(power, province);
  }
};

/**
 * Computes `values` for all keys that the units of the viewer (the power of setViewer()) have now or can have after one
 * move.
 */
export const valueMoves = (): void => {
  const { moveOffsets } = map as CompiledMap;
  const { keysAfter } = current as Tables;
  const units = unitsBy;
  const keys = keyAt;
  const flags = hasValue;
  const list = valueKeys;
  const first = Math.imul(viewer, provinceCount);
  const end = (first + unitCounts[viewer]) | 0;
  const from = valueCount;
  let n = from;
  for (let i = first; i < end; i++) {
    const here = (keys[units[i]] - 1) | 0;
    list[n] = here;
    n = (n + (flags[here] ^ 1)) | 0;
    flags[here] = 1;
    const last = moveOffsets[(here + 1) | 0];
    for (let k = moveOffsets[here]; k < last; k++) {
      const key = keysAfter[k];
      list[n] = key;
      n = (n + (flags[key] ^ 1)) | 0;
      flags[key] = 1;
    }
  }
  valueCount = n;
  valueKeysFrom(from);
};

/**
 * Returns the value of a unit to the viewer (the power of setViewer()) in a movement or retreat phase.
 * @param key key of the unit: its location and type
 */
export const valueAt = (key: number): number => {
  if (hasValue[key] === 0) {
    hasValue[key] = 1;
    valueKeys[valueCount++] = key;
    valueKeysFrom(valueCount - 1);
  }
  return values[key];
};

/** Returns the key of the unit after each move on the map of the loaded position, indexed like map.moveTargets. */
export const moveKeys = (): Int32Array => (current as Tables).keysAfter;

/**
 * Returns the value of a unit to the viewer, the power of setViewer(), in an adjustment phase. setViewer(power, true)
 * must have been called.
 * @param key key of the unit: its location and type
 */
export const winterValueOf = (key: number): number => {
  const season = valued as Season;
  const m = map as CompiledMap;
  const center = m.centerIndex[m.locationProvince[keyLocation(m, key)]];
  if (season.hasBase[key] === 0) {
    season.hasBase[key] = 1;
    bare[0] = key;
    sumBases(season, 1);
  }
  const defence = center >= 0 && ownerOf[center] === viewer ? threat(viewer, m.centers[center]) : 0;
  return proximity(season, key) + WINTER_DEFENCE_WEIGHT * defence;
};
