// Board values: where the units of a position are, who owns the centres, and what each location is worth to a power.
//
// The values are those of DumbBot, published with the DAIDE project (David Norman, 2002; constants of release 8): a
// centre of another power is worth the size of its owner, an own centre the size of the greatest power that could move
// in; a location is worth what lies within ten moves of it, nearer things more. That sum is linear in the worth of the
// centres, so its weights are in a table, made once per map. Two coasts of a province count half each on the way (in
// DumbBot the better one counts).
//
// Searches spend most of their time here. Loops are free of branches where what comes next is a matter of chance; every
// sum is added up in one order, so that no value depends on what was known before. Where there is a loop, arrays of the
// module have local names, as in engine/adjudicate/movement/passes.ts.
// test/selfplay/agents/dumbbot.test.ts has the plain version of all this.
import { type CompiledMap, type Game, lowestBit, perMap, unitKey } from '../../engine/internal.js';
import * as T from '../../engine/rules/types.js';
import { WORDS } from '../../engine/rules/types.js';

const DEPTH = 10;
/** Weight by distance in moves, in spring; in a fall a unit must already be in the centre. */
const SPRING_WEIGHTS = [100, 1000, 30, 10, 6, 5, 4, 3, 2, 1];
const FALL_WEIGHTS = [1000, 100, 30, 10, 6, 5, 4, 3, 2, 1];
/** A location has four neighbours on average: the sum over them and itself, divided by this, stays in one range. */
const SPREAD = 5;
const STRENGTH_WEIGHT = 1000;
const COMPETITION_WEIGHT = 1000;
/** Weight of the defence that an own centre needs, for builds and removals. */
const WINTER_DEFENCE_WEIGHT = 1000;

/** What decides the worth of a location in one season, and most of that worth as long as the owners stay the same. */
interface Season {
  /** By key, then by centre: how much of the worth of a centre counts at a location. */
  readonly weights: Float64Array;
  readonly attackWeight: number;
  readonly defenceWeight: number;
  /** By key: the worth of all centres as if another power owned them, and whether it is known for these owners. */
  readonly base: Float64Array;
  readonly hasBase: Int32Array;
  /** By centre, -1 for none. */
  readonly owners: Int32Array;
}

interface Tables {
  readonly spring: Season;
  readonly fall: Season;
  readonly winter: Season;
  readonly provinceOf: Int32Array;
  /** By place in map.moveTargets: the key after the move. */
  readonly keysAfter: Int32Array;
  /** Provinces that a unit of a key can move to, each once: provinces[offsets[key] .. offsets[key + 1]). */
  readonly offsets: Int32Array;
  readonly provinces: Int32Array;
}

export const keyLocation = (map: CompiledMap, key: number): T.Location =>
  key < map.locationCount ? key : key - map.locationCount;

/** Key that a unit has after a move to a location. */
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

/** What a move leads to, by its place in moveTargets. */
interface Moves {
  /** The key of the unit there. */
  readonly keysAfter: Int32Array;
  /** Locations of the province that the unit can enter: more than one only for coasts. */
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

/** The worth of one centre, one move further away by every call. */
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

/** By province: key + 1 of the unit there, 0 for none; its power, -1 for none. By centre: its owner, -1 for none. */
export const keyAt = new Int32Array(T.MAX_LOCATIONS);
export const powerAt = new Int32Array(T.MAX_LOCATIONS);
export const ownerOf = new Int32Array(T.MAX_LOCATIONS);
/** Provinces with units, by power and ascending: unitsBy[q * provinceCount ..), of power q unitCounts[q]. */
export const unitsBy = new Int32Array(T.MAX_POWERS * T.MAX_LOCATIONS);
export const unitCounts = new Int32Array(T.MAX_POWERS);
/** By power, then province: units that are there or can move there. */
const near = new Int32Array(T.MAX_POWERS * T.MAX_LOCATIONS);
/** Size of a power: 1 for none, 1 + q for a power; grows with the square of its centres. */
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

/** By centre: the size of its owner. */
const ownerSizes = new Float64Array(T.MAX_LOCATIONS);
/** Centres by owner, ascending: centersBy[(q + 1) * centerCount ..), of power q centersOf[q + 1]. */
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

/** Places of `near` that are not 0: those of power q are touched[nearOffsets[q] .. nearOffsets[q + 1]). */
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

// Words that rank powers by their units: the power in the low bits, their number above it.
const RANK_SHIFT = 8;
const RANK_MASK = 0xff;
/** By province: the words of the two powers that have most units there or next to it, 0 for none. */
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

/** Call this after filling keyAt, powerAt and ownerOf. */
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

/** Reads the position of a game, to which the functions below refer until the next one is read. */
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

/** Reads the board (engine/adjudicate/movement/board.ts): by province power + 1 << 16 | key + 1, by centre owner + 1. */
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

/** Units that the strongest other power has in a province or next to it, after setViewer(). */
export const competition = (power: T.Power, province: T.Province): number => {
  const most = mostNear[province];
  const next = nextNear[province];
  // The next if the power itself has most.
  const self = (((most ^ power) & RANK_MASK) - 1) >> 31;
  return (most ^ ((most ^ next) & self)) >> RANK_SHIFT;
};

/** Size of the greatest other power with a unit that could move into a province, or is there; 0 for none. */
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

/** Own centres of the power of setViewer(): how much more they are worth to it than to the others. */
const own = new Int32Array(T.MAX_LOCATIONS);
const ownExcess = new Float64Array(T.MAX_LOCATIONS);
let ownCount = 0;
let viewer = -1;

/** By key: the worth of having a unit there, for the viewer. Known after valueMoves() or valueAt(). */
export const values = new Float64Array(2 * T.MAX_LOCATIONS);
const hasValue = new Int32Array(2 * T.MAX_LOCATIONS);
/** The keys whose values are known; one more is written at times, but not counted. */
const valueKeys = new Int32Array(2 * T.MAX_LOCATIONS + 1);
let valueCount = 0;

/** Sets the power for which the values below are. @param winter true for builds and removals */
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

/** Keys whose base is to be summed up, padded to a multiple of four. */
const bare = new Int32Array(2 * T.MAX_LOCATIONS + 3);

/** Sums up the base of these keys, four at a time, as no sum waits for another; each in the order of the centres. */
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

/** Makes the values known of valueKeys[from .. valueCount). */
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

/** Makes the values of all keys known that the viewer's units have, or can have after a move. */
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

/** Worth of having a unit of this key in a movement or retreat phase. */
export const valueAt = (key: number): number => {
  if (hasValue[key] === 0) {
    hasValue[key] = 1;
    valueKeys[valueCount++] = key;
    valueKeysFrom(valueCount - 1);
  }
  return values[key];
};

/** Keys that a unit can have after a move, by place in map.moveTargets. */
export const moveKeys = (): Int32Array => (current as Tables).keysAfter;

/** Worth of having a unit of this key in an adjustment phase, after setViewer(power, true). */
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
