// Gives the heuristics their view of a position: where the units are, who owns the centres, and what each location is
// worth to a power.
//
// The values are those of DumbBot, published with the DAIDE project (David Norman, 2002; constants of release 8): a
// centre of another power is worth the size of its owner, an own centre the size of the greatest power that could move
// in; a location is worth what lies within ten moves of it, nearer things more. That sum is linear in the worth of the
// centres, so its weights are in a table, made once per map. Two coasts of a province count half each on the way (in
// DumbBot the better one counts).
import {
  type CompiledMap,
  FALL,
  type Game,
  type Location,
  lowestBit,
  MAX_LOCATIONS,
  MAX_POWERS,
  NO_UNIT,
  type Power,
  type Province,
  unitKey,
  unitPower,
} from '../../engine/internal.js';
import { WORDS } from '../../engine/types.js';

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

interface Tables {
  /** By key, then by centre. */
  readonly spring: Float64Array;
  readonly fall: Float64Array;
  /** Provinces that a unit of a key can move to, each once: provinces[offsets[key] .. offsets[key + 1]). */
  readonly offsets: Int32Array;
  readonly provinces: Int32Array;
}

const tables = new WeakMap<CompiledMap, Tables>();

/** Location of the unit with this key. */
export const keyLocation = (map: CompiledMap, key: number): Location =>
  key < map.locationCount ? key : key - map.locationCount;

/** Key that a unit has after a move to a location. */
export const keyAfter = (map: CompiledMap, key: number, to: Location): number =>
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

/** Locations of a province that the unit can enter: more than one only for coasts. */
const entrances = (map: CompiledMap, key: number, province: Province): number => {
  let n = 0;
  for (let i = map.moveOffsets[key]; i < map.moveOffsets[key + 1]; i++)
    if (map.locationProvince[map.moveTargets[i]] === province) n++;
  return n;
};

/** The worth of one centre, one move further away by every call. */
const spread = (map: CompiledMap, from: Float64Array): Float64Array => {
  const out = new Float64Array(from.length);
  for (let key = 0; key < from.length; key++) {
    let sum = from[key];
    for (let i = map.moveOffsets[key]; i < map.moveOffsets[key + 1]; i++) {
      const to = map.moveTargets[i];
      sum += from[keyAfter(map, key, to)] / entrances(map, key, map.locationProvince[to]);
    }
    out[key] = sum / SPREAD;
  }
  return out;
};

const makeTables = (map: CompiledMap): Tables => {
  const keys = 2 * map.locationCount;
  const { centerCount } = map;
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
      worth = spread(map, worth) as Float64Array<ArrayBuffer>;
    }
  }
  return { spring, fall, ...listProvinces(map) };
};

const tablesOf = (map: CompiledMap): Tables => {
  const known = tables.get(map);
  if (known !== undefined) return known;
  const made = makeTables(map);
  tables.set(map, made);
  return made;
};

// ---- the position looked at ----

/** By province: key + 1 of the unit there, 0 for none; its power, -1 for none. By centre: its owner, -1 for nobody. */
export const keyAt = new Int32Array(MAX_LOCATIONS);
export const powerAt = new Int32Array(MAX_LOCATIONS);
export const ownerOf = new Int32Array(MAX_LOCATIONS);
/** Units of each power that are in a province or can move to it: see unitsNear(). */
const near = new Int32Array(MAX_LOCATIONS * MAX_POWERS);
/** Size of a power: 1 for nobody, 1 + q for a power; grows with the square of its centres. */
const sizes = new Float64Array(MAX_POWERS + 1);
const centersOf = new Int32Array(MAX_POWERS + 1);

let map: CompiledMap | undefined;
let current: Tables | undefined;
let powerCount = 0;
let provinceCount = 0;
let centerCount = 0;
/** The weights of the season. */
let weights = new Float64Array(0);
let attackWeight = 0;
let defenceWeight = 0;

const useMap = (next: CompiledMap): void => {
  if (next === map) return;
  map = next;
  current = tablesOf(next);
  powerCount = next.powerCount;
  provinceCount = next.provinceCount;
  centerCount = next.centerCount;
  stamp++;
};

const countNear = (): void => {
  const { offsets, provinces } = current as Tables;
  near.fill(0, 0, provinceCount * powerCount);
  for (let p = 0; p < provinceCount; p++) {
    if (keyAt[p] === 0) continue;
    const key = keyAt[p] - 1;
    const power = powerAt[p];
    near[p * powerCount + power]++;
    for (let i = offsets[key]; i < offsets[key + 1]; i++) near[provinces[i] * powerCount + power]++;
  }
};

/** By province: the most units that one power has there or next to it, that power, and the most of another one. */
const mostNear = new Int32Array(MAX_LOCATIONS);
const nearest = new Int32Array(MAX_LOCATIONS);
const nextNear = new Int32Array(MAX_LOCATIONS);

const rankNear = (): void => {
  for (let p = 0, at = 0; p < provinceCount; p++) {
    let most = 0;
    let next = 0;
    let power = -1;
    for (let q = 0; q < powerCount; q++, at++) {
      const n = near[at];
      if (n > most) {
        next = most;
        most = n;
        power = q;
      } else if (n > next) next = n;
    }
    mostNear[p] = most;
    nextNear[p] = next;
    nearest[p] = power;
  }
};

/** By centre: the size of its owner. */
const ownerSizes = new Float64Array(MAX_LOCATIONS);

const measureSizes = (): void => {
  centersOf.fill(0, 0, powerCount + 1);
  for (let c = 0; c < centerCount; c++) centersOf[ownerOf[c] + 1]++;
  for (let q = 0; q <= powerCount; q++) sizes[q] = centersOf[q] * centersOf[q] + 4 * centersOf[q] + 16;
  for (let c = 0; c < centerCount; c++) ownerSizes[c] = sizes[ownerOf[c] + 1];
};

// Most of the worth of a location is the same for all powers and in all rollouts: the worth of all centres as if another
// power owned them. It is cached by key as long as owners and weights stay the same.
const base = new Float64Array(2 * MAX_LOCATIONS);
const baseStamp = new Int32Array(2 * MAX_LOCATIONS);
let stamp = 1;
const stampedOwner = new Int32Array(MAX_LOCATIONS);
let stampedSeason = -1;

/** Clears the cache if it belongs to other owners or to another season. */
const refreshBase = (season: number): void => {
  let same = season === stampedSeason;
  for (let c = 0; c < centerCount; c++) {
    if (ownerOf[c] !== stampedOwner[c]) same = false;
    stampedOwner[c] = ownerOf[c];
  }
  stampedSeason = season;
  if (!same) stamp++;
};

/** Call this after filling keyAt, powerAt and ownerOf. */
const look = (season: number): void => {
  viewerStamp++;
  const { spring, fall } = current as Tables;
  const autumn = season === FALL;
  weights = (autumn ? fall : spring) as Float64Array<ArrayBuffer>;
  attackWeight = autumn ? 600 : 700;
  defenceWeight = autumn ? 400 : 300;
  refreshBase(season);
  measureSizes();
  countNear();
  rankNear();
};

/** Looks at a game, to which the functions below refer until the next look. */
export const seeGame = (game: Game): void => {
  useMap(game.map);
  for (let p = 0; p < provinceCount; p++) {
    const unit = game.unitAt(p);
    keyAt[p] = unit === NO_UNIT ? 0 : unitKey(game, p) + 1;
    powerAt[p] = unit === NO_UNIT ? -1 : unitPower(unit);
  }
  for (let c = 0; c < centerCount; c++) ownerOf[c] = game.owner(c);
  look(game.season);
};

/**
 * Looks at the units of the board (engine/resolve/board.ts), each a word of power + 1 << 16 | key + 1.
 * @param owners owner + 1 by centre, from `at` on
 */
export const seeBoard = (next: CompiledMap, unit: Int32Array, owners: Uint8Array, at: number, season: number): void => {
  useMap(next);
  for (let p = 0; p < provinceCount; p++) {
    keyAt[p] = unit[p] & 0xffff;
    powerAt[p] = (unit[p] >>> 16) - 1;
  }
  for (let c = 0; c < centerCount; c++) ownerOf[c] = owners[at + c] - 1;
  look(season);
};

/** Units of a power that are in a province or can move to it. */
export const unitsNear = (power: Power, province: Province): number => near[province * powerCount + power];

/** Units that the strongest other power has in a province or next to it. */
export const competition = (power: Power, province: Province): number =>
  nearest[province] === power ? nextNear[province] : mostNear[province];

/** Size of the greatest other power with a unit that could move into an own centre. */
const threat = (power: Power, province: Province): number => {
  let most = 0;
  const row = province * powerCount;
  for (let q = 0; q < powerCount; q++) if (q !== power && near[row + q] > 0 && sizes[q + 1] > most) most = sizes[q + 1];
  return most;
};

/** Own centres of the power of valuesFor(): how much more they are worth to it than to the others. */
const own = new Int32Array(MAX_LOCATIONS);
const ownExcess = new Float64Array(MAX_LOCATIONS);
let ownCount = 0;
/** By centre: how much it needs defence, 0 if it is another power's. */
const defence = new Float64Array(MAX_LOCATIONS);
let viewer = 0;

/** Cache of valueAt() for this viewer. */
const known = new Float64Array(2 * MAX_LOCATIONS);
const knownStamp = new Int32Array(2 * MAX_LOCATIONS);
let viewerStamp = 1;

/** Sets the power for which the values below are. @param winter true for builds and removals */
export const valuesFor = (power: Power, winter = false): void => {
  viewer = power;
  viewerStamp++;
  const { centers } = map as CompiledMap;
  if (winter) {
    weights = (current as Tables).fall as Float64Array<ArrayBuffer>;
    attackWeight = 700;
    defenceWeight = 300;
    stamp++;
    stampedSeason = -1;
  }
  ownCount = 0;
  const asAnothers = attackWeight * sizes[power + 1];
  for (let c = 0; c < centerCount; c++) {
    defence[c] = 0;
    if (ownerOf[c] !== power) continue;
    defence[c] = threat(power, centers[c]);
    own[ownCount] = c;
    ownExcess[ownCount++] = defenceWeight * defence[c] - asAnothers;
  }
};

const baseOf = (key: number): number => {
  if (baseStamp[key] === stamp) return base[key];
  let sum = 0;
  const row = key * centerCount;
  for (let c = 0; c < centerCount; c++) sum += weights[row + c] * attackWeight * ownerSizes[c];
  base[key] = sum;
  baseStamp[key] = stamp;
  return sum;
};

const proximity = (key: number): number => {
  let sum = baseOf(key);
  const row = key * centerCount;
  for (let i = 0; i < ownCount; i++) sum += weights[row + own[i]] * ownExcess[i];
  return sum;
};

/** Worth of having a unit of this key in a movement or retreat phase. */
export const valueAt = (key: number): number => {
  if (knownStamp[key] === viewerStamp) return known[key];
  const province = (map as CompiledMap).locationProvince[keyLocation(map as CompiledMap, key)];
  const strength = near[province * powerCount + viewer];
  const value = proximity(key) + STRENGTH_WEIGHT * strength - COMPETITION_WEIGHT * competition(viewer, province);
  known[key] = value;
  knownStamp[key] = viewerStamp;
  return value;
};

/** Worth of having a unit of this key in an adjustment phase, after valuesFor(power, true). */
export const winterValueOf = (key: number): number => {
  const m = map as CompiledMap;
  const center = m.centerIndex[m.locationProvince[keyLocation(m, key)]];
  return proximity(key) + (center < 0 ? 0 : WINTER_DEFENCE_WEIGHT * defence[center]);
};
