// Random play on the board, turn after turn, without a detour over the bytes of a game. A *step* is a turn: orders for
// every unit, the moves, the retreats and, after a fall, the adjustments. (The benchmark calls it a phase-step.)
//
// Ten verbs: load() puts a game on the board, store() writes it back, release() gives the board up; snapshot() and
// restore() begin again from one position; playOpen() plays the retreats or adjustments that a game waits for; step()
// plays a turn, which begin() and finish() do in two halves; stepToCenters() plays the last one of a rollout. The rest of
// this file converts orders and tells what was played.
//
// There is one board a thread. The game that was loaded keeps it until release(), or until anything else loads a game: to
// play on after that is an error. Functions that load a game for one call (Batch, rollouts, agents) release the board.
//
// Everything is drawn from the stream of the game: two words that its owner keeps. The calendar is that of adjudicate()
// (adjudicate/turn.ts): test/engine/play/sampling.test.ts plays both in lockstep.

import { board, dislodgedUnits, KEY_MASK, locationOfWord, POWER_SHIFT, toBoard } from '../adjudicate/movement/index.js';
import * as C from '../adjudicate/turn.js';
import type { CompiledMap } from '../map/compiled-map.js';
import type { Game } from '../position/game.js';
import * as O from '../rules/order.js';
import * as R from '../rules/random.js';
import { scratch } from '../rules/scratch.js';
import * as T from '../rules/types.js';
import * as D from './draws.js';

// Imports rebound, so that V8 folds them like constants of this module.
const { places, unit, order } = board;
const { owners, centersOf, unitsOf, waiting, waitingWords, ways, retreatTo, met } = C.loaded;
const { adjusting, due, sites } = C.adjustments;
const unitShift = POWER_SHIFT;
const keyMask = KEY_MASK;
const { checkBoard, boardCount, boardSeason, boardWinner, waitingUnits } = C;
const dislodged = dislodgedUnits;
const {
  resolveMoves,
  endMoves,
  endSeason,
  endFallByMoves,
  openRetreats,
  landRetreats,
  listAdjusting,
  listSites,
  putUnit,
  removeAt,
  toNextYear,
} = C;
const { drawPolicy, drawUniform, useSeasonForDraws } = D;
const { mix, GOLDEN } = R;
const { FALL, SPRING, MAX_LOCATIONS } = T;
const UNIFORM_SAMPLER = 0;
const POLICY_SAMPLER = 1;

export const UNIFORM = 0 as const;
export const POLICY = 1 as const;
/**
 * How random play draws the orders of a movement phase: UNIFORM over all legal orders of each unit, or by a POLICY of
 * mostly moves, with supports that match a unit which could move or hold there (play/sampler.ts).
 */
export const Sampler = { UNIFORM, POLICY } as const;
export type Sampler = (typeof Sampler)[keyof typeof Sampler];
/** Names by code. */
export const samplers = ['uniform', 'policy'] as const;

export { boardYear, NO_SNAPSHOT, release, snapshot } from '../adjudicate/turn.js';
export { boardCount, boardSeason, boardWinner };
/** Owner + 1 by centre of the game on the board, its centres by power + 1, and its units by power + 1. */
export const boardOwners = owners;
export const boardCenters = centersOf;
export const boardUnits = unitsOf;

// ---- what can be built, by province, for maps in use ----
let map: CompiledMap | undefined;
/** How many units can be built in a province, and from p << BUILD_SHIFT on their orders and keys + 1. */
const buildCount = scratch(MAX_LOCATIONS);
const BUILD_SHIFT = 3;
const buildOrders = scratch(MAX_LOCATIONS << BUILD_SHIFT);
const buildKeys = scratch(MAX_LOCATIONS << BUILD_SHIFT);

const useMap = (next: CompiledMap): void => {
  D.useMapForDraws(next);
  if (next === map) return;
  map = next;
  for (const p of next.centers) listBuilds(next, p);
};

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

// ---- the stream of the game ----
let streamLow = 0;
let streamHigh = 0;

const readStream = (stream: Int32Array, at: number): void => {
  streamLow = stream[at];
  streamHigh = stream[at + 1];
};

/** The next 32 random bits. */
const nextBase = (): number => {
  streamLow = (streamLow + GOLDEN) | 0;
  streamHigh = (streamHigh + 0x7f4a_7c15) | 0;
  return mix(streamLow ^ mix(streamHigh));
};

/** A number from 0 to n - 1 by the upper 24 of 32 random bits, for n up to 255. No result is likelier by n / 2^24. */
const below = (bits: number, n: number): number => Math.imul(bits >>> 8, n) >>> 24;

// ---- load and store ----

/**
 * Puts a game on the board, which belongs to it until release() or until another game is loaded. If it waits for retreats
 * or adjustments, playOpen() must be the next call.
 * @param stream the two words of its random stream, at `at` and `at + 1`
 */
export const load = (game: Game, stream: Int32Array, at = 0): void => {
  C.load(game);
  useMap(game.map);
  useSeasonForDraws(game.season === FALL);
  readStream(stream, at);
};

/**
 * Writes the game on the board back, over the game that was loaded or another of its map: it waits for a movement phase,
 * or a power has won it. The board keeps it.
 * @throws LepantoError if the board was taken since load()
 */
export const store = (game: Game, stream: Int32Array, at = 0): void => {
  checkBoard('store()');
  C.store(game);
  stream[at] = streamLow;
  stream[at + 1] = streamHigh;
};

/**
 * Does what load() of the game of snapshot() would do, in half the time.
 * @param stream as for load()
 * @returns false if another game has been on the board since: load it again
 */
export const restore = (number: number, stream: Int32Array, at = 0): boolean => {
  if (!C.restore(number)) return false;
  readStream(stream, at);
  return true;
};

// ---- what was played ----

/**
 * What the last step or playOpen() ordered after the moves, packed as in order.ts: counts[0] retreats and disbands,
 * with the number of locations that were open to each, and 1 for each that met another and was disbanded; counts[1]
 * builds, waivings and removals. The movement orders of a step, and their results, stay on the board by the provinces
 * that the units had before.
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

/** Power + 1 of a unit by its word on the board. */
export const powerOfWord = (word: number): number => word >>> unitShift;
/** Power + 1 of the unit in a province of the board, 0 if there is none; and its location. */
export const boardPower = (province: number): number => unit[province] >>> unitShift;
export const boardLocation = (province: number): number => locationOfWord(unit[province]);

/**
 * A movement order as the board has it.
 * @param packed a legal order of order.ts for a unit of the game on the board; no support may name a coast
 * @throws LepantoError if the board was taken since load()
 */
export const boardOrder = (packed: number): number => {
  checkBoard('boardOrder()');
  const province = (map as CompiledMap).locationProvince[O.orderLocation(packed)];
  return toBoard((unit[province] & keyMask) - 1, packed);
};

// ---- random retreats ----

/** Units that cannot retreat are recorded as disbanded too. */
const drawRetreats = (sampler: number): void => {
  const units = waitingUnits();
  const base = nextBase();
  counts[0] = units;
  for (let i = 0; i < units; i++) {
    const n = openRetreats(i);
    const to = chooseRetreat(n, mix(base + Math.imul(waiting[i] + 1, GOLDEN)), sampler);
    const at = locationOfWord(waitingWords[i]);
    open[i] = n;
    retreatTo[i] = to;
    retreats[i] = to < 0 ? O.disband(at) : O.retreat(at, to);
  }
  landRetreats();
};

/** A location of the first n ways, or -1 to disband: as likely as each of them, or 1 in 16 in the policy. */
const chooseRetreat = (n: number, bits: number, sampler: number): number => {
  if (n === 0) return -1;
  if (sampler === UNIFORM_SAMPLER) {
    const k = below(bits, n + 1);
    return k < n ? ways[k] : -1;
  }
  return (bits & 15) === 0 ? -1 : ways[below(mix(bits), n)];
};

// ---- random adjustments ----

const drawAdjustments = (sampler: number): void => {
  const n = listAdjusting();
  if (n > 0) {
    const base = nextBase() | 1;
    for (let i = 0; i < n; i++) {
      const q = adjusting[i];
      const bits = mix((base + Math.imul(q, GOLDEN)) | 0);
      if (due[q] > 0) build(q, due[q], bits, sampler);
      else removeUnits(q, -due[q], bits);
    }
  }
  toNextYear();
};

/**
 * Builds what is due: a random free site each time, and there any unit that can be built; waiving is as likely as each
 * of them when orders are uniform, and 1 in 16 in the policy.
 */
const build = (powerPlusOne: number, most: number, random: number, sampler: number): void => {
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
    putUnit(p, (powerPlusOne << unitShift) | buildKeys[b]);
  }
};

/** Places in `places` of a power's units, ascending. */
const own = scratch(MAX_LOCATIONS + 1);

/** Removes random units of a power: those with the greatest hashes, whatever the order of `places`. */
const removeUnits = (powerPlusOne: number, most: number, random: number): void => {
  let last = boardCount();
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
      // The province in the low byte: no two are equal.
      const hash = ((mix((random + Math.imul(p + 1, GOLDEN)) | 0) >>> 9) << 8) | p;
      const greater = (greatest - hash) >> 31;
      greatest ^= (greatest ^ hash) & greater;
      chosen ^= (chosen ^ k) & greater;
    }
    const there = list[chosen];
    recordAdjustment(O.remove(locationOfWord(unit[at[there]])));
    removeAt(there);
    last--;
    n--;
    // The last unit of all takes its place: if that is one of the power's, it is the last of `own` too, and that stays.
    if (list[n] !== last) for (let k = chosen; k < n; k++) list[k] = list[k + 1];
  }
};

// ---- steps ----

/** Gives every unit an order: drawn, but for the fixed ones. With all of them fixed the stream moves on all the same. */
const drawOrders = (sampler: number, fixedAt: Int32Array, fixed: Int32Array, fixedCount: number): void => {
  const count = boardCount();
  const base = nextBase();
  if (fixedCount < count) {
    useSeasonForDraws(boardSeason() === FALL);
    if (sampler === POLICY_SAMPLER) drawPolicy(count, base);
    else drawUniform(count, base);
  }
  for (let i = 0; i < fixedCount; i++) order[fixedAt[i]] = fixed[i];
};

/** What follows orders that are resolved, with random retreats and adjustments. */
const playResolved = (sampler: number): void => {
  clearPlayed();
  endMoves();
  if (waitingUnits() > 0) drawRetreats(sampler);
  if (endSeason()) drawAdjustments(sampler);
};

/**
 * Plays the retreats or adjustments at random that load() found; then the board waits for a movement phase.
 * @param sampler UNIFORM or POLICY
 * @returns the power that has won, -1 while none has
 * @throws LepantoError if the board was taken since load()
 */
export const playOpen = (sampler: number): number => {
  checkBoard('playOpen()');
  if (boardWinner() >= 0) return boardWinner();
  clearPlayed();
  const phase = C.boardPhase();
  if (phase === T.RETREAT) drawRetreats(sampler);
  if (phase === T.ADJUSTMENT || (phase === T.RETREAT && endSeason())) drawAdjustments(sampler);
  return boardWinner();
};

const none = new Int32Array(0);

/**
 * Plays a turn of the game on the board: orders for every unit, the moves, retreats, and adjustments after a fall.
 * Nothing happens once a power has won. Units without a fixed order draw what they would have drawn without any: so
 * alternatives compare on common random numbers.
 * @param sampler UNIFORM or POLICY
 * @param fixedAt provinces of units, none twice
 * @param fixed boardOrder()s of theirs, by the same index
 * @param fixedCount how many of them to read. Default: none
 * @returns the power that has won, -1 while none has
 * @throws LepantoError if the board was taken since load()
 */
export const step = (sampler: number, fixedAt = none, fixed = none, fixedCount = 0): number => {
  checkBoard('step()');
  if (boardWinner() >= 0) return boardWinner();
  drawOrders(sampler, fixedAt, fixed, fixedCount);
  resolveMoves(0);
  playResolved(sampler);
  return boardWinner();
};

/**
 * The first half of a step, for callers that read the orders with their results and units: they are on the board until
 * finish() moves them. No power may have won. Without finish() the position does not change, and the next orders may be
 * tried at once.
 * @param sampler as for step(); default: nothing is drawn, because every unit's order is on the board already
 * @returns the number of dislodged units
 * @throws LepantoError if the board was taken since load()
 */
export const begin = (sampler?: number): number => {
  checkBoard('begin()');
  if (sampler !== undefined) drawOrders(sampler, none, none, 0);
  return resolveMoves(0);
};

/** The second half of a step. @throws LepantoError if the board was taken since begin() */
export const finish = (sampler: number): void => {
  checkBoard('finish()');
  playResolved(sampler);
};

/**
 * A last step, for callers that then read boardCenters and boardWinner() alone: both are as after step(). What cannot
 * change them is left out: in a spring all that follows the orders, in a fall the adjustments. So units and season are
 * not as after step(), and the next call must be load() or restore().
 * @returns the power that has won, -1 while none has
 * @throws LepantoError if the board was taken since load()
 */
export const stepToCenters = (sampler: number): number => {
  checkBoard('stepToCenters()');
  if (boardWinner() >= 0) return boardWinner();
  drawOrders(sampler, none, none, 0);
  resolveMoves(0);
  if (boardSeason() === SPRING) return boardWinner();
  if (dislodged() === 0) endFallByMoves();
  else {
    endMoves();
    drawRetreats(sampler);
    endSeason();
  }
  return boardWinner();
};
