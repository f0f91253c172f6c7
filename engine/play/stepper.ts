// Random play on the board, phase-step after phase-step, without a detour over the bytes of a game.
//
// load() puts a game on the board, playOpen() plays the retreats or adjustments that it waits for, step() one phase-step
// (orders for every unit, the moves, the retreats and, after a fall, the adjustments), store() writes the board back.
// Everything is drawn from the stream of the game: two words that its owner keeps. Rules and results are those of
// adjudicate(): test/engine/play/sampling.test.ts plays both in lockstep.
//
// There is one board. The game that was loaded keeps it until the next load(), release() or adjudicate(); to play on
// after that is an error. Functions that load a game for one call (Batch, rollouts, agents) release the board at the end.

import { board, findContested, resolveOrders, useMap, useRules } from '../adjudicate/movement/index.js';
import * as W from '../adjudicate/movement/ownership.js';
import { getsIn, ORDINARY, weightOfRetreat } from '../adjudicate/retreat.js';
import { isBarredRetreat } from '../legal/lists.js';
import type { CompiledMap, SpecialTables } from '../map/compiled-map.js';
import type { Game } from '../position/game.js';
import * as O from '../rules/order.js';
import * as R from '../rules/random.js';
import { scratch } from '../rules/scratch.js';
import * as T from '../rules/types.js';
import * as D from './draws.js';
import * as S from './sampler.js';

const { places, unit, order, success, dislodgedBy, byConvoy, destination } = board;
const lastClaim = W.lastClaim;
const drawPolicy = D.drawPolicy;
const drawUniform = D.drawUniform;
const useSeasonForDraws = D.useSeasonForDraws;
const mix = R.mix;
const GOLDEN = R.GOLDEN;

const MAX_LOCATIONS = T.MAX_LOCATIONS;
const MAX_POWERS = T.MAX_POWERS;
const WORDS = T.WORDS;
const LAND = T.LAND;
const orderNextKey = O.orderNextKey;
const fromBoard = O.fromBoard;
const SPRING = T.SPRING;
const FALL = T.FALL;
const UNIFORM_SAMPLER = 0;
const POLICY_SAMPLER = 1;
/** Draws nothing: see endYear(). */
const NO_SAMPLER = -1;

export const UNIFORM = UNIFORM_SAMPLER;
export const POLICY = POLICY_SAMPLER;
/**
 * How random play draws the orders of a movement phase: UNIFORM over all legal orders of each unit, or by a POLICY of
 * mostly moves, with supports that match a unit which could move or hold there (sampling/sampler.ts).
 */
export const Sampler = { UNIFORM, POLICY } as const;
export type Sampler = (typeof Sampler)[keyof typeof Sampler];
/** Names by code. */
export const samplers = ['uniform', 'policy'] as const;

const KEY_MASK = 0xffff;
const POWER_SHIFT = 16;

// ---- tables of the map in use ----
let map: CompiledMap | undefined;
let locationCount = 0;
let provinceCount = 0;
let powerCount = 0;
let centerCount = 0;
let victoryCenters = 0;
/** Rules of its own; null on most maps. */
let special: SpecialTables | null = null;
const centers = scratch(MAX_LOCATIONS);
/** By province: its place in `centers`, or NO_CENTER. */
const centerAt = scratch(MAX_LOCATIONS);
const NO_CENTER = MAX_LOCATIONS;
const provinceOf = scratch(MAX_LOCATIONS);
/** Provinces with coasts, and the first coast of each. */
const coastal = scratch(MAX_LOCATIONS);
const firstCoast = scratch(MAX_LOCATIONS);
let coastalCount = 0;
const moveOffsets = scratch(2 * MAX_LOCATIONS + 1);
let moveTargets = new Int32Array(0);
/** Where a power may build, as places in `centers`: homes[homeOffsets[q] .. homeOffsets[q + 1]). */
const homes = scratch(MAX_LOCATIONS * MAX_POWERS);
const homeOffsets = scratch(MAX_POWERS + 1);
/** By province: how many units can be built there, and from p << BUILD_SHIFT on their orders and keys + 1. */
const buildCount = scratch(MAX_LOCATIONS);
const BUILD_SHIFT = 3;
const buildOrders = scratch(MAX_LOCATIONS << BUILD_SHIFT);
const buildKeys = scratch(MAX_LOCATIONS << BUILD_SHIFT);

/** The claim of the game on the board (resolve/ownership.ts). */
let claim = -1;

const refuseBoard = (what: string): never => {
  throw new Error(`${what}: got a board that was taken or released since load(), wanted load() right before`);
};

/** One compare a call. @throws LepantoError if the board is another's by now */
const checkBoard = (what: string): void => {
  if (lastClaim[0] !== claim) refuseBoard(what);
};

/** Rules in use: retreats to where a convoyed attacker came from (DATC 4.A.5). */
let originIsOpen = true;

// ---- the game on the board, beside the units ----
let count = 0;
let year = 0;
let season: number = SPRING;
let winner = -1;
/** The phase that load() found; MOVEMENT once playOpen() has played it. */
let openPhase: number = T.MOVEMENT;
/** Dislodged units that load() found. */
let waitingCount = 0;
/** Owner + 1 by centre; NO_CENTER has a place that is read and means nothing. */
const owner = scratch(MAX_LOCATIONS + 1);
/** Centres and units by power + 1, kept up to date. */
const centersOf = scratch(MAX_POWERS + 1);
const unitsOf = scratch(MAX_POWERS + 1);
/** The stream of the game. */
let streamLow = 0;
let streamHigh = 0;

/** The word of a unit in province 0, by the byte that a game has for it (types.ts); 0 for none. */
const wordInZero = scratch(256);

const useMapForPlay = (next: CompiledMap): void => {
  useMap(next);
  D.useMapForDraws(next);
  if (next === map) return;
  map = next;
  locationCount = next.locationCount;
  provinceCount = next.provinceCount;
  powerCount = next.powerCount;
  centerCount = next.centerCount;
  victoryCenters = next.victoryCenters;
  special = next.special;
  centers.set(next.centers);
  for (let p = 0; p < provinceCount; p++) centerAt[p] = next.centerIndex[p] < 0 ? NO_CENTER : next.centerIndex[p];
  provinceOf.set(next.locationProvince);
  coastalCount = next.coastalProvinces.length;
  for (let k = 0; k < coastalCount; k++) {
    coastal[k] = next.coastalProvinces[k];
    firstCoast[k] = next.firstCoast[coastal[k]];
  }
  moveOffsets.set(next.moveOffsets);
  moveTargets = Int32Array.from(next.moveTargets);
  let n = 0;
  for (let q = 0; q < powerCount; q++) {
    homeOffsets[q] = n;
    for (let c = 0; c < centerCount; c++) if (next.buildAnywhere || next.homePower[c] === q) homes[n++] = c;
  }
  for (let c = 0; c < centerCount; c++) listBuilds(next, centers[c]);
  homeOffsets[powerCount] = n;
  // A fleet's key begins at locationCount, an army's at 0.
  for (let there = 2; there < wordInZero.length; there++)
    wordInZero[there] = ((there >> 1) << POWER_SHIFT) | (1 + (there & 1) * locationCount);
  // Units of another map may still stand on the board.
  unit.fill(0);
};

const listBuilds = (next: CompiledMap, p: number): void => {
  let n = 0;
  const add = (packed: number, key: number): void => {
    buildOrders[(p << BUILD_SHIFT) + n] = packed;
    buildKeys[(p << BUILD_SHIFT) + n++] = key + 1;
  };
  add(O.buildArmy(p), p);
  if (next.kind[p] !== LAND && next.coastCount[p] === 0) add(O.buildFleet(p), locationCount + p);
  for (let i = 0; i < next.coastCount[p]; i++)
    add(O.buildFleet(next.firstCoast[p] + i), locationCount + next.firstCoast[p] + i);
  buildCount[p] = n;
};

/** Gives the board up: until the next load() every step is refused. */
export const release = (): void => {
  W.claimBoard();
};

/** Gives the board up like release(), for who may want it back as it is: resume() takes the number. */
export const pause = (): number => W.claimBoard();

/** Takes the board back after pause(), if nobody has claimed it since. @returns false if somebody has: load() again */
export const resume = (paused: number): boolean => {
  if (lastClaim[0] !== paused) return false;
  claim = paused;
  return true;
};

/**
 * Puts a game on the board, which is its own until the next load(), release() or adjudicate(). If it waits for retreats
 * or adjustments, playOpen() must be the next call.
 * @param stream the two words of its random stream, at `at` and `at + 1`
 */
export const load = (game: Game, stream: Int32Array, at = 0): void => {
  claim = W.claimBoard();
  useMapForPlay(game.map);
  useRules(game.rules);
  originIsOpen = game.rules.retreatToConvoyOrigin === 0;
  for (let q = 0; q <= powerCount; q++) {
    unitsOf[q] = 0;
    centersOf[q] = 0;
  }
  const { bytes, offset, layout } = game;
  const units = offset + layout.units;
  const coasts = offset + layout.coasts;
  let n = 0;
  // Locals: a variable of the module would be read again after every word that is written.
  const provinces = provinceCount;
  for (let p = 0; p < provinces; p++) {
    const there = bytes[(units + p) | 0];
    const isThere = (0 - there) >> 31;
    // Coasts come below.
    unit[p] = wordInZero[there] + (p & isThere);
    places[n] = p;
    n = (n - isThere) | 0;
  }
  count = n;
  for (let i = 0; i < n; i++) unitsOf[unit[places[i]] >>> POWER_SHIFT]++;
  const coastals = coastalCount;
  for (let k = 0; k < coastals; k++) {
    const coast = bytes[(coasts + k) | 0];
    if (coast !== 0) unit[coastal[k]] += firstCoast[k] + coast - 1 - coastal[k];
  }
  const owners = offset + layout.owners;
  const all = centerCount;
  for (let c = 0; c < all; c++) {
    const there = bytes[(owners + c) | 0];
    owner[c] = there;
    centersOf[there]++;
  }
  year = game.year;
  season = game.season;
  useSeasonForDraws(season === FALL);
  openPhase = game.phase;
  winner = game.winner;
  if (openPhase === T.RETREAT) loadWaiting(game);
  streamLow = stream[at];
  streamHigh = stream[at + 1];
};

const loadWaiting = (game: Game): void => {
  waitingCount = game.dislodgedCount;
  for (let i = 0; i < waitingCount; i++) {
    const { province, location, unit: there, attacker } = game.dislodged(i);
    const key = (there & 1) === T.FLEET ? locationCount + location : location;
    waiting[i] = province;
    waitingWords[i] = ((there >> 1) << POWER_SHIFT) | (key + 1);
    barred[i] = attacker;
  }
  contested.fill(0);
  for (let p = 0; p < provinceCount; p++) if (game.isContested(p)) contested[p >> 5] |= 1 << (p & 31);
};

/**
 * Writes the game on the board back, over the game that was loaded or another of its map: it waits for a movement phase,
 * or somebody has won it. The board keeps it.
 * @throws LepantoError if the board was taken since load()
 */
export const store = (game: Game, stream: Int32Array, at = 0): void => {
  checkBoard('store()');
  const { bytes, offset, layout } = game;
  const units = offset + layout.units;
  const coasts = offset + layout.coasts;
  // Locals: a variable of the module would be read again after every byte that is written.
  const provinces = provinceCount;
  const armyKeys = locationCount;
  for (let p = 0; p < provinces; p++) {
    const there = unit[p];
    bytes[(units + p) | 0] = ((there >>> POWER_SHIFT) << 1) | (((armyKeys - (there & KEY_MASK)) | 0) >>> 31);
  }
  const coastals = coastalCount;
  for (let k = 0; k < coastals; k++) {
    const key = (unit[coastal[k]] & KEY_MASK) - 1;
    bytes[(coasts + k) | 0] = key >= armyKeys ? key - armyKeys - firstCoast[k] + 1 : 0;
  }
  const owners = offset + layout.owners;
  const all = centerCount;
  for (let c = 0; c < all; c++) bytes[(owners + c) | 0] = owner[c];
  if (game.phase === T.RETREAT) game.clearRetreats();
  game.year = year;
  game.season = winner < 0 ? season : T.WINTER;
  game.phase = winner < 0 ? T.MOVEMENT : T.ADJUSTMENT;
  game.status = winner < 0 ? T.PLAYING : T.SOLO;
  game.winner = winner;
  stream[at] = streamLow;
  stream[at + 1] = streamHigh;
};

// ---- the same start many times ----

const startPlaces = scratch(MAX_LOCATIONS);
const startWords = scratch(MAX_LOCATIONS);
const startOwner = scratch(MAX_LOCATIONS + 1);
const startCentersOf = scratch(MAX_POWERS + 1);
const startUnitsOf = scratch(MAX_POWERS + 1);
let startCount = 0;
let startYear = 0;
let startSeason: number = SPRING;
let startWinner = -1;

/** Keeps the game on the board for rewind(). Call it right after load(), for a game that waits for a movement phase. */
export const keepStart = (): void => {
  checkBoard('keepStart()');
  startCount = count;
  startYear = year;
  startSeason = season;
  startWinner = winner;
  for (let i = 0; i < count; i++) {
    startPlaces[i] = places[i];
    startWords[i] = unit[places[i]];
  }
  startOwner.set(owner);
  startCentersOf.set(centersOf);
  startUnitsOf.set(unitsOf);
};

/**
 * Does what load() of the game that keepStart() kept would do, in half the time: it touches what is occupied and owned.
 * That is all that differs, because the board still has the map, the rules and the empty provinces of that load().
 * @param stream as for load()
 * @throws LepantoError if the board was taken since load()
 */
export const rewind = (stream: Int32Array, at = 0): void => {
  checkBoard('rewind()');
  const before = count;
  for (let i = 0; i < before; i++) unit[places[i]] = 0;
  const n = startCount;
  for (let i = 0; i < n; i++) {
    const p = startPlaces[i];
    places[i] = p;
    unit[p] = startWords[i];
  }
  const all = centerCount;
  for (let c = 0; c < all; c++) owner[c] = startOwner[c];
  const powers = powerCount;
  for (let q = 0; q <= powers; q++) {
    centersOf[q] = startCentersOf[q];
    unitsOf[q] = startUnitsOf[q];
  }
  count = n;
  year = startYear;
  season = startSeason;
  winner = startWinner;
  streamLow = stream[at];
  streamHigh = stream[at + 1];
};

/** The year and season that the game on the board stands at, and the power that has won it (-1: none). */
export const boardYear = (): number => year;
export const boardSeason = (): number => season;
export const boardWinner = (): number => winner;
/** Centres by power + 1 of the game on the board. */
export const boardCenters = centersOf;
/** Owner + 1 by centre of the game on the board. */
export const boardOwners = owner;
/** Units on the board: the first so many of board.places have one. */
export const boardCount = (): number => count;
/** Units by power + 1 of the game on the board. */
export const boardUnits = unitsOf;
/** Power + 1 of a unit by its word on the board. */
export const powerOfWord = (word: number): number => word >>> POWER_SHIFT;
/** Power + 1 of the unit in a province of the board, 0 if there is none; and the location that it stands on. */
export const boardPower = (province: number): number => unit[province] >>> POWER_SHIFT;
export const boardLocation = (province: number): number => locationOf(unit[province]);

/** The next 32 random bits of the game's stream. */
const nextBase = (): number => {
  streamLow = (streamLow + GOLDEN) | 0;
  streamHigh = (streamHigh + 0x7f4a_7c15) | 0;
  return mix(streamLow ^ mix(streamHigh));
};

/** A number from 0 to n - 1 by the upper 24 of 32 random bits, for n up to 255. No result is likelier by n / 2^24. */
const below = (bits: number, n: number): number => Math.imul(bits >>> 8, n) >>> 24;

/**
 * What the last step() or playOpen() ordered after the moves, packed as in order.ts: counts[0] retreats and disbands,
 * with the number of locations that were open to each, and 1 for each that met another and was disbanded; counts[1]
 * builds, waivings and removals. The movement orders of a step, and their results, stay on the board
 * (resolve/board.ts) by the provinces that the units had before.
 */
export const played = {
  retreats: new Int32Array(MAX_LOCATIONS),
  open: new Int32Array(MAX_LOCATIONS),
  met: new Int32Array(MAX_LOCATIONS),
  adjustments: new Int32Array(2 * MAX_LOCATIONS),
  counts: new Int32Array(2),
};
const playedRetreats = played.retreats;
const playedOpen = played.open;
const playedMet = played.met;
const playedAdjustments = played.adjustments;
const playedCounts = played.counts;

const recordAdjustment = (packed: number): void => {
  playedAdjustments[playedCounts[1]++] = packed;
};

/** Location of a key on a map with so many: those of fleets begin there. No branch. */
const locationOfKey = (key: number, locations: number): number =>
  (key - (locations & ((((locations - 1) | 0) - key) >> 31))) | 0;

/** Location of a unit by its word. */
const locationOf = (word: number): number => locationOfKey(((word & KEY_MASK) - 1) | 0, locationCount);

// ---- moves ----

/** What stands where after the moves, before it is put there. */
const words = scratch(MAX_LOCATIONS);

// Here and below bounds are locals, because a variable of the module would be read again after every word that is
// written, and 0 - a stands for -a, because that is -0 for a = 0 and V8 leaves the integers for it.
const moveUnits = (): void => {
  const n = count;
  const at = places;
  const on = unit;
  const moved = words;
  for (let i = 0; i < n; i++) {
    const p = at[i];
    const there = on[p];
    const moves = (0 - success[p]) | 0;
    const o = order[p];
    on[p] = 0;
    // A unit that does not move keeps its key in its order too.
    moved[i] = there ^ ((there ^ orderNextKey(o)) & KEY_MASK & moves);
    at[i] = p ^ ((p ^ destination[p]) & moves);
  }
  for (let i = 0; i < n; i++) on[at[i]] = moved[i];
};

// ---- dislodgements and retreats ----

const contested = scratch(WORDS);
const waiting = scratch(MAX_LOCATIONS);
const waitingWords = scratch(MAX_LOCATIONS);
const barred = scratch(MAX_LOCATIONS);
const choices = scratch(MAX_LOCATIONS);
const retreatTo = scratch(MAX_LOCATIONS);
const arrivals = scratch(MAX_LOCATIONS);

/** Takes the dislodged units off the board, and moves the others. */
const moveAndRetreat = (sampler: number): void => {
  findContested(count, contested);
  let n = 0;
  let left = 0;
  for (let i = 0; i < count; i++) {
    const p = places[i];
    if (dislodgedBy[p] === 0) {
      places[left++] = p;
      continue;
    }
    const attacker = dislodgedBy[p] - 1;
    waiting[n] = p;
    waitingWords[n] = unit[p];
    barred[n++] = byConvoy[attacker] === 1 && originIsOpen ? -1 : attacker;
    unitsOf[unit[p] >>> POWER_SHIFT]--;
    unit[p] = 0;
  }
  count = left;
  moveUnits();
  retreatUnits(n, sampler);
};

/** Units that cannot retreat are written as disbanded too. */
const retreatUnits = (n: number, sampler: number): void => {
  const base = nextBase();
  playedCounts[0] = n;
  for (let i = 0; i < n; i++) {
    const key = (waitingWords[i] & KEY_MASK) - 1;
    let open = 0;
    for (let k = moveOffsets[key]; k < moveOffsets[key + 1]; k++) {
      const to = provinceOf[moveTargets[k]];
      if (unit[to] !== 0 || to === barred[i] || ((contested[to >> 5] >>> (to & 31)) & 1) === 1) continue;
      if (special !== null && isBarredRetreat(special, waiting[i], to, season)) continue;
      choices[open++] = moveTargets[k];
    }
    playedOpen[i] = open;
    retreatTo[i] = chooseRetreat(open, mix(base + Math.imul(waiting[i] + 1, GOLDEN)), sampler);
    const at = locationOf(waitingWords[i]);
    playedRetreats[i] = retreatTo[i] < 0 ? O.disband(at) : O.retreat(at, retreatTo[i]);
    if (retreatTo[i] >= 0) arrivals[provinceOf[retreatTo[i]]] += arrivalWeight(i);
  }
  for (let i = 0; i < n; i++) {
    playedMet[i] = 0;
    if (retreatTo[i] < 0) continue;
    if (!getsIn(arrivalWeight(i), arrivals[provinceOf[retreatTo[i]]])) {
      playedMet[i] = 1;
      continue;
    }
    const fleet = (waitingWords[i] & KEY_MASK) > locationCount;
    place(waitingWords[i] >>> POWER_SHIFT, fleet, retreatTo[i]);
  }
  for (let i = 0; i < n; i++) if (retreatTo[i] >= 0) arrivals[provinceOf[retreatTo[i]]] = 0;
};

const arrivalWeight = (i: number): number => {
  const fleet = (waitingWords[i] & KEY_MASK) > locationCount;
  return special === null || fleet ? ORDINARY : weightOfRetreat(special, waiting[i], provinceOf[retreatTo[i]]);
};

/** A location of the first `open` choices, or -1 to disband: as likely as each of them, or 1 in 16 in the policy. */
const chooseRetreat = (open: number, bits: number, sampler: number): number => {
  if (open === 0) return -1;
  if (sampler === UNIFORM_SAMPLER) {
    const k = below(bits, open + 1);
    return k < open ? choices[k] : -1;
  }
  return (bits & 15) === 0 ? -1 : choices[below(mix(bits), open)];
};

const place = (powerPlusOne: number, fleet: boolean, location: number): void => {
  const p = provinceOf[location];
  unit[p] = (powerPlusOne << POWER_SHIFT) | ((fleet ? locationCount + location : location) + 1);
  places[count++] = p;
  unitsOf[powerPlusOne]++;
};

// ---- the end of a year ----

/** Centres that changed hands this year, by place in `centers`; and their owners + 1. */
const taken = scratch(MAX_LOCATIONS + 1);
const takenBy = scratch(MAX_LOCATIONS + 1);

/** Whoever would have a unit in a centre after the moves owns it: nobody is dislodged, and the units stay where they are. */
const takeByMoves = (): void => {
  const n = count;
  const none = NO_CENTER;
  let changed = 0;
  for (let i = 0; i < n; i++) {
    const p = places[i];
    const there = unit[p] >>> POWER_SHIFT;
    const c = centerAt[p ^ ((p ^ destination[p]) & ((0 - success[p]) | 0))];
    taken[changed] = c;
    takenBy[changed] = there;
    changed += ((0 - (there ^ owner[c])) & (c - none)) >>> 31;
  }
  for (let i = 0; i < changed; i++) changeOwner(taken[i], takenBy[i]);
};

const changeOwner = (center: number, powerPlusOne: number): void => {
  centersOf[owner[center]]--;
  owner[center] = powerPlusOne;
  centersOf[powerPlusOne]++;
};

/** Whoever has a unit in a centre owns it. */
const takeCenters = (): void => {
  const all = centerCount;
  let n = 0;
  for (let c = 0; c < all; c++) {
    const there = unit[centers[c]] >>> POWER_SHIFT;
    taken[n] = c;
    // Another power's unit is there: neither 0 nor the owner.
    n += ((0 - there) & (0 - (there ^ owner[c]))) >>> 31;
  }
  for (let i = 0; i < n; i++) changeOwner(taken[i], unit[centers[taken[i]]] >>> POWER_SHIFT);
};

/** Power + 1 that owns the one centre that counts nothing for it; 0, which is nobody, for none. */
const uncountedOwner = ({ uncounted, uncountedPower }: SpecialTables): number =>
  uncounted >= 0 && owner[uncounted] === uncountedPower + 1 ? uncountedPower + 1 : 0;

/** Victory, by who owns the centres by now; then adjustments, where a sampler for them is given. */
const endYear = (sampler: number): void => {
  const idle = special === null ? 0 : uncountedOwner(special);
  centersOf[idle]--;
  findVictory();
  if (winner < 0 && sampler !== NO_SAMPLER) adjustUnits(sampler);
  centersOf[idle]++;
};

const findVictory = (): void => {
  const powers = powerCount;
  let most = 0;
  for (let q = 1; q <= powers; q++) most = Math.max(most, centersOf[q]);
  if (most >= victoryCenters) findWinner();
};

/** Powers + 1 that build or remove. */
const unbalanced = scratch(MAX_POWERS + 1);

/** Lists those powers first, without branches: which of them it is nothing can predict. */
const adjustUnits = (sampler: number): void => {
  const powers = powerCount;
  let n = 0;
  for (let q = 1; q <= powers; q++) {
    unbalanced[n] = q;
    n += (0 - (centersOf[q] ^ unitsOf[q])) >>> 31;
  }
  if (n > 0) {
    const base = nextBase() | 1;
    for (let i = 0; i < n; i++) {
      const q = unbalanced[i];
      const due = centersOf[q] - unitsOf[q];
      const bits = mix((base + Math.imul(q, GOLDEN)) | 0);
      if (due > 0) build(q, due, bits, sampler);
      else removeUnits(q, -due, bits);
    }
  }
  year++;
};

const findWinner = (): void => {
  let leader = 1;
  let tied = 0;
  for (let q = 2; q <= powerCount; q++) {
    if (centersOf[q] > centersOf[leader]) {
      leader = q;
      tied = 0;
    } else if (centersOf[q] === centersOf[leader]) tied = 1;
  }
  if (tied === 0) winner = leader - 1;
};

const sites = scratch(MAX_LOCATIONS + 1);

/** Writes the provinces where a power may build to `sites`; returns their number. */
const listSites = (powerPlusOne: number): number => {
  let n = 0;
  for (let k = homeOffsets[powerPlusOne - 1]; k < homeOffsets[powerPlusOne]; k++) {
    const c = homes[k];
    const p = centers[c];
    sites[n] = p;
    // Owned, and empty.
    n += (((owner[c] ^ powerPlusOne) - 1) & (unit[p] - 1)) >>> 31;
  }
  return n;
};

/**
 * Builds what is due: a random free site each time, and there any unit that can be built; waiving is as likely as each
 * of them when orders are uniform, and 1 in 16 in the policy.
 */
const build = (powerPlusOne: number, due: number, random: number, sampler: number): void => {
  let bits = random;
  let n = listSites(powerPlusOne);
  for (let left = due; left > 0 && n > 0; left--) {
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
    unit[p] = (powerPlusOne << POWER_SHIFT) | buildKeys[b];
    places[count++] = p;
    unitsOf[powerPlusOne]++;
  }
};

/** Places in `places` of a power's units, ascending. */
const own = scratch(MAX_LOCATIONS + 1);

/** Removes random units of a power: those with the greatest hashes, so that the order of `places` is no matter. */
const removeUnits = (powerPlusOne: number, due: number, random: number): void => {
  const all = count;
  const at = places;
  const list = own;
  let n = 0;
  for (let i = 0; i < all; i++) {
    list[n] = i;
    n += (((unit[at[i]] >>> POWER_SHIFT) ^ powerPlusOne) - 1) >>> 31;
  }
  let last = all;
  for (let left = due; left > 0; left--) {
    let greatest = 0;
    let chosen = 0;
    for (let k = 0; k < n; k++) {
      const p = at[list[k]];
      // The province in the low byte: no two are equal.
      const hash = ((mix((random + Math.imul(p + 1, GOLDEN)) | 0) >>> 9) << 8) | p;
      const greater = (greatest - hash) >> 31;
      greatest ^= (greatest ^ hash) & greater;
      chosen ^= (chosen ^ k) & greater;
    }
    const there = list[chosen];
    const p = at[there];
    recordAdjustment(O.remove(locationOf(unit[p])));
    unit[p] = 0;
    last--;
    n--;
    // The last unit of all takes its place: if that is one of the power's, it is the last of `own` too, and that stays.
    at[there] = at[last];
    if (list[n] !== last) for (let k = chosen; k < n; k++) list[k] = list[k + 1];
  }
  count = last;
  unitsOf[powerPlusOne] -= due;
};

// ---- one phase-step ----

const clearPlayed = (): void => {
  playedCounts[0] = 0;
  playedCounts[1] = 0;
};

const endSeason = (sampler: number): void => {
  if (season === SPRING) season = FALL;
  else {
    season = SPRING;
    takeCenters();
    endYear(sampler);
  }
};

/** Plays what has been ordered and resolved on the board, with random retreats and adjustments. */
const playResolved = (dislodged: number, sampler: number): void => {
  clearPlayed();
  if (dislodged === 0) moveUnits();
  else moveAndRetreat(sampler);
  endSeason(sampler);
};

/**
 * Plays the retreats or adjustments at random that load() found; then the board waits for a movement phase.
 * @param sampler UNIFORM or POLICY
 * @returns the power that has won, -1 while none has
 * @throws LepantoError if the board was taken since load()
 */
export const playOpen = (sampler: number): number => {
  checkBoard('playOpen()');
  if (winner >= 0) return winner;
  clearPlayed();
  if (openPhase === T.RETREAT) {
    retreatUnits(waitingCount, sampler);
    endSeason(sampler);
  } else if (openPhase === T.ADJUSTMENT) {
    season = SPRING;
    takeCenters();
    endYear(sampler);
  }
  openPhase = T.MOVEMENT;
  return winner;
};

const sample = (sampler: number): void => {
  useSeasonForDraws(season === FALL);
  if (sampler === POLICY_SAMPLER) drawPolicy(count, nextBase());
  else drawUniform(count, nextBase());
};

/** Resolves what is ordered on the board. */
const resolveBoard = (): number => {
  if (special !== null) D.setGivens(map as CompiledMap, special, owner);
  return resolveOrders(count);
};

/**
 * Plays one phase-step of the game on the board: random orders for every unit, the moves, retreats, and adjustments
 * after a fall. Nothing happens once somebody has won.
 * @param sampler UNIFORM or POLICY
 * @returns the power that has won, -1 while none has
 * @throws LepantoError if the board was taken since load()
 */
export const step = (sampler: number): number => {
  checkBoard('step()');
  if (winner >= 0) return winner;
  sample(sampler);
  playResolved(resolveBoard(), sampler);
  return winner;
};

/**
 * A last step, for whoever then asks for boardCenters and boardWinner() alone: both are as after step(). What cannot
 * change them is left out, which is everything after the orders of a spring are resolved, and the adjustments after a
 * fall; so units and season are not as after step(), and the next call must be load() or rewind().
 * @returns the power that has won, -1 while none has
 * @throws LepantoError if the board was taken since load()
 */
export const stepToCenters = (sampler: number): number => {
  checkBoard('stepToCenters()');
  if (winner >= 0) return winner;
  sample(sampler);
  const dislodged = resolveBoard();
  if (season === SPRING) return winner;
  if (dislodged === 0) takeByMoves();
  else {
    moveAndRetreat(sampler);
    takeCenters();
  }
  endYear(NO_SAMPLER);
  return winner;
};

/**
 * The first half of a step, for whoever must see the orders with their results and the units that they are for: both are
 * on the board until finishStep() moves them. Nobody may have won.
 * @returns what finishStep() must be given
 * @throws LepantoError if the board was taken since load()
 */
export const beginStep = (sampler: number): number => {
  checkBoard('beginStep()');
  sample(sampler);
  return resolveBoard();
};

/** The second half of a step. @throws LepantoError if the board was taken since beginStep() */
export const finishStep = (begun: number, sampler: number): void => {
  checkBoard('finishStep()');
  playResolved(begun, sampler);
};

/**
 * A movement order as the board has it (toBoard()).
 * @param packed a legal order of order.ts for a unit of the game on the board; no support may name a coast
 * @throws LepantoError if the board was taken since load()
 */
export const boardOrder = (packed: number): number => {
  checkBoard('boardOrder()');
  return S.toBoard((unit[provinceOf[O.orderLocation(packed)]] & KEY_MASK) - 1, packed);
};

/**
 * A movement order of the board as order.ts packs it: boardOrder() undone. It has no branches.
 * @param onBoard of the map in use
 * @param at location of its unit before the moves
 */
export const packedOrder = (onBoard: number, at: number): number =>
  fromBoard(onBoard, at, locationOfKey((orderNextKey(onBoard) - 1) | 0, locationCount));

/**
 * packedOrder() for loops that write the orders of all units: with the word of the unit on the board, and the number of
 * locations of the map in use, which is a local of theirs.
 */
export const packedByWord = (onBoard: number, word: number, locations: number): number =>
  fromBoard(
    onBoard,
    locationOfKey(((word & KEY_MASK) - 1) | 0, locations),
    locationOfKey((orderNextKey(onBoard) - 1) | 0, locations),
  );

/**
 * step() with some orders given: random orders for every unit, then those of `fixed` in the place of what was drawn.
 * The other units draw what they would have drawn in step(): alternatives compare on common random numbers.
 * @param fixed boardOrder()s by index, `fixedAt` the provinces of their units
 * @throws LepantoError if the board was taken since load()
 */
export const stepWith = (sampler: number, fixedAt: Int32Array, fixed: Int32Array, fixedCount: number): number => {
  checkBoard('stepWith()');
  if (winner >= 0) return winner;
  sample(sampler);
  for (let i = 0; i < fixedCount; i++) order[fixedAt[i]] = fixed[i];
  playResolved(resolveBoard(), sampler);
  return winner;
};

/**
 * beginStep() where every unit's order is given, by province: boardOrder()s. The game stays where it is, so the next
 * orders may be given at once instead of finishing the step. Nothing is drawn.
 * @throws LepantoError if the board was taken since load()
 */
export const beginGiven = (given: Int32Array): number => {
  checkBoard('beginGiven()');
  for (let i = 0; i < count; i++) order[places[i]] = given[places[i]];
  return resolveBoard();
};

/**
 * stepWith() where every unit's order is given, none twice: the same results, and nothing is drawn for the moves. The
 * stream goes on as if it had been.
 * @throws LepantoError if the board was taken since load()
 */
export const stepGiven = (sampler: number, fixedAt: Int32Array, fixed: Int32Array): number => {
  checkBoard('stepGiven()');
  if (winner >= 0) return winner;
  nextBase();
  for (let i = 0; i < count; i++) order[fixedAt[i]] = fixed[i];
  playResolved(resolveBoard(), sampler);
  return winner;
};
