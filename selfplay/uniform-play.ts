// Games of the sampler of uniform random orders (engine/play.ts), recorded as they are played: what a run with `random`
// in all seats is made of. The bytes are those that encodeGame() would write (record.ts), without objects in between.
//
// A step of the board plays a movement phase with the retreats and adjustments after it. The record wants them apart,
// so the positions in between are made here from the orders and results that the board keeps:
//
//   before --moves--> between --retreats--> between --builds and removals--> after (store())
import {
  type CompiledMap,
  declareDraw,
  Game,
  hashSeed,
  newGame,
  type Rules,
  retreatLocations,
  SOLO,
  scoreInto,
  scoreNames,
  UNIFORM,
} from '../engine/index.js';
import * as O from '../engine/order.js';
import * as P from '../engine/play.js';
import { board, findContested } from '../engine/resolve.js';
import { NEXT_KEY_SHIFT } from '../engine/sample.js';
import * as T from '../engine/types.js';
import { COMPLETED, gameSeed } from './play.js';
import { encodeShard } from './record.js';
import { makeSummary, type Summary } from './summary.js';

const { places, unit, order, success, dislodgedBy, byConvoy, matched, destination } = board;
const { retreats, adjustments, counts } = P.played;
const orderType = O.orderType;
const HOLD = O.HOLD;
const MOVE = O.MOVE;
const CONVOY = O.CONVOY;
const SUPPORT_HOLD = O.SUPPORT_HOLD;
const SUPPORT_MOVE = O.SUPPORT_MOVE;
const KEY_SHIFT = NEXT_KEY_SHIFT;

// ---- the bytes ----

let out = new Uint8Array(1 << 16);
let at = 0;

/** Most bytes that one step can add: three phases, each with a state, orders and results of a unit in every province. */
const STEP_ROOM = 3 * (64 + 2048 + 5 * 2 * T.MAX_LOCATIONS);

const reserve = (room: number): void => {
  if (at + room <= out.length) return;
  const larger = new Uint8Array(2 * out.length + room);
  larger.set(out);
  out = larger;
};

const writeBytes = (bytes: Uint8Array, length: number): void => {
  // Locals: a variable of the module would be written back for every byte.
  const into = out;
  const begin = at;
  for (let i = 0; i < length; i++) into[begin + i] = bytes[i];
  at = begin + length;
};

/** The same for more than a hundred bytes, where set() is faster than a loop. */
const writeView = (view: Uint8Array): void => {
  out.set(view, at);
  at += view.length;
};

const ascii = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
/** A text of up to 31 letters in msgpack. */
const text = (letters: string): Uint8Array => Uint8Array.of(0xa0 | letters.length, ...ascii(letters));
const join = (...parts: Uint8Array[]): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]));
const mapOf = (size: number): Uint8Array => Uint8Array.of(0x80 | size);

const INDEX_KEY = join(mapOf(4), text('index'));
const SEED_KEY = text('seed');
const PHASES_KEY = text('phases');
const SCORES_KEY = join(text('scores'), mapOf(scoreNames.length));
const SCORE_KEYS = scoreNames.map(text);
const PHASE_KEY = join(mapOf(4), text('phase'));
const STATE_KEY = text('state');
const ORDERS_KEY = text('orders');
const RESULTS_KEY = text('results');
const COMPLETED_TEXT = text(COMPLETED);

const writeKey = (key: Uint8Array): void => writeBytes(key, key.length);

/** Head of so many bytes in msgpack. */
const writeLength = (length: number): void => {
  if (length < 256) {
    out[at++] = 0xc4;
    out[at++] = length;
    return;
  }
  out[at++] = 0xc5;
  out[at++] = length >> 8;
  out[at++] = length & 255;
};

const writeWord = (value: number): void => {
  out[at++] = value;
  out[at++] = value >> 8;
  out[at++] = value >> 16;
  out[at++] = value >> 24;
};

/** A whole number from -2^31 to 2^32 - 1 in msgpack. */
const writeWhole = (value: number): void => {
  let size = 4;
  if (value >= -32 && value < 128) size = 0;
  else if (value >= -128 && value < 256) size = 1;
  else if (value >= -32768 && value < 65536) size = 2;
  if (size > 0) out[at++] = (value < 0 ? 0xd0 : 0xcc) + (size >> 1);
  for (let shift = 8 * Math.max(size, 1) - 8; shift >= 0; shift -= 8) out[at++] = value >> shift;
};

const LETTERS = ascii('SFWMRA');
const PHASE_LETTERS = 3;

/** Names of years: 'S' 1901 'M' has six letters. */
const writePhase = (game: Game, season: number, phase: number): void => {
  writeKey(PHASE_KEY);
  const digits = String(game.year);
  out[at++] = 0xa0 | (digits.length + 2);
  out[at++] = LETTERS[season];
  for (let i = 0; i < digits.length; i++) out[at++] = digits.charCodeAt(i);
  out[at++] = LETTERS[PHASE_LETTERS + phase];
};

/** @param view of the bytes of a game that a record holds */
const writeState = (view: Uint8Array): void => {
  writeKey(STATE_KEY);
  writeLength(view.length);
  writeView(view);
};

/** Orders and results of a phase, as they are written. */
const orders = new Int32Array(2 * T.MAX_LOCATIONS);
const results = new Uint8Array(2 * T.MAX_LOCATIONS);
/** Little-endian: see playsUniform(). */
const orderBytes = new Uint8Array(orders.buffer);

/** Views of the first n orders, by n. */
const orderViews: Uint8Array[] = Array.from({ length: orders.length + 1 }, (_, n) => orderBytes.subarray(0, 4 * n));

const writeOrders = (count: number): void => {
  writeKey(ORDERS_KEY);
  writeLength(4 * count);
  writeView(orderViews[count]);
  writeKey(RESULTS_KEY);
  writeLength(count);
  writeBytes(results, count);
};

// ---- the moves ----

/** Provinces with units before the moves, by power, then ascending; and their number. */
const movers = new Int32Array(T.MAX_LOCATIONS);
let moverCount = 0;
const firstOf = new Int32Array(T.MAX_POWERS + 2);
const fateOf = new Uint8Array(T.MAX_LOCATIONS);

/** Provinces with units, ascending. */
const found = new Int32Array(T.MAX_LOCATIONS + 1);

const listMovers = (game: Game): void => {
  const { bytes, layout, map } = game;
  const { units } = layout;
  const { provinceCount, powerCount } = map;
  for (let q = 0; q <= powerCount + 1; q++) firstOf[q] = 0;
  let n = 0;
  for (let p = 0; p < provinceCount; p++) {
    found[n] = p;
    n += -bytes[units + p] >>> 31;
  }
  for (let i = 0; i < n; i++) firstOf[(bytes[units + found[i]] >> 1) + 1]++;
  for (let q = 1; q <= powerCount; q++) firstOf[q] += firstOf[q - 1];
  for (let i = 0; i < n; i++) movers[firstOf[bytes[units + found[i]] >> 1]++] = found[i];
  moverCount = n;
};

/** The order of the unit in a province as order.ts packs it: the board has no coasts, and a key in the upper bits. */
const packedOrder = (game: Game, province: number): number => {
  const location = game.unitLocation(province);
  const o = order[province];
  const type = orderType(o);
  if (type === HOLD) return O.hold(location);
  if (type === SUPPORT_HOLD) return O.supportHold(location, O.orderTarget(o));
  if (type === SUPPORT_MOVE) return O.supportMove(location, O.orderAux(o), O.orderTarget(o));
  if (type === CONVOY) return O.convoy(location, O.orderAux(o), O.orderTarget(o));
  const key = (o >>> KEY_SHIFT) - 1;
  const to = key < game.map.locationCount ? key : key - game.map.locationCount;
  return O.orderVia(o) === 1 ? O.moveVia(location, to) : O.move(location, to);
};

/** As adjudicate() says it. */
const resultOf = (province: number): number => {
  const type = orderType(order[province]);
  if (type === HOLD) return T.STANDS;
  const done = success[province];
  if (type === MOVE)
    return byConvoy[province] === 1 && matched[province] === 0 ? T.INVALID : done === 1 ? T.SUCCEEDS : T.FAILS;
  if (matched[province] === 0) return T.INVALID;
  if (type === CONVOY) return done === 1 ? T.AVAILABLE : T.DISRUPTED;
  return done === 1 ? T.GIVEN : T.CUT;
};

const anyDislodged = (): boolean => {
  let any = 0;
  for (let i = 0; i < moverCount; i++) any |= dislodgedBy[movers[i]];
  return any !== 0;
};

const writeMoves = (game: Game, dislodged: boolean): void => {
  for (let i = 0; i < moverCount; i++) {
    const p = movers[i];
    orders[i] = packedOrder(game, p);
    results[i] = resultOf(p);
    if (dislodged && dislodgedBy[p] !== 0) results[i] |= fateOf[p] << 4;
  }
  writeOrders(moverCount);
};

const savedUnits = new Int32Array(unit.length);
const savedPlaces = new Int32Array(places.length);
const contested = new Int32Array(T.WORDS);

/** findContested() asks the board for the units before the moves; it is left as it was. */
const markContested = (between: Game): void => {
  savedUnits.set(unit);
  savedPlaces.set(places);
  unit.fill(0);
  for (let i = 0; i < moverCount; i++) {
    places[i] = movers[i];
    unit[movers[i]] = 1;
  }
  findContested(moverCount, contested);
  unit.set(savedUnits);
  places.set(savedPlaces);
  for (let p = 0; p < between.map.provinceCount; p++) if ((contested[p >> 5] >>> (p & 31)) & 1) between.setContested(p);
};

/** Plays the moves on the bytes: the position before the retreats, with the units that wait for theirs. */
const applyMoves = (before: Game, between: Game, dislodged: boolean): void => {
  const { map, layout } = before;
  const { coastalIndex, firstCoast, locationCount } = map;
  const { units, coasts, owners } = layout;
  const from = before.bytes;
  const to = between.bytes;
  to.set(from);
  to.fill(0, units, owners);
  for (let i = 0; i < moverCount; i++) {
    const p = movers[i];
    if (dislodgedBy[p] !== 0) continue;
    const moves = destination[p] !== p && success[p] === 1;
    const q = moves ? destination[p] : p;
    to[units + q] = from[units + p];
    if (coastalIndex[q] < 0) continue;
    const key = (order[p] >>> KEY_SHIFT) - 1;
    const location = !moves ? before.unitLocation(p) : key < locationCount ? key : key - locationCount;
    to[coasts + coastalIndex[q]] = location === q ? 0 : location - firstCoast[q] + 1;
  }
  if (dislodged) listDislodged(before, between);
};

const openRetreats = new Int32Array(T.MAX_LOCATIONS);

const listDislodged = (before: Game, between: Game): void => {
  markContested(between);
  const originIsOpen = before.rules.retreatToConvoyOrigin === 0;
  for (let p = 0; p < before.map.provinceCount; p++) {
    if (before.unitAt(p) === T.NO_UNIT || dislodgedBy[p] === 0) continue;
    const attacker = dislodgedBy[p] - 1;
    const barred = byConvoy[attacker] === 1 && originIsOpen ? -1 : attacker;
    const location = before.unitLocation(p);
    const open = retreatLocations(between, before.unitAt(p), location, barred, openRetreats);
    fateOf[p] = open > 0 ? T.DISLODGED : T.DESTROYED;
    if (open > 0) between.addDislodged(before.unitAt(p), location, barred);
  }
  if (between.dislodgedCount === 0) between.clearRetreats();
};

// ---- retreats and adjustments ----

const arrivals = new Int32Array(T.MAX_LOCATIONS);

/** What the board ordered for a dislodged unit. Units without a retreat are in its list too; it has no order. */
const retreatOf = (map: CompiledMap, province: number): number => {
  for (let i = 0; i < counts[0]; i++)
    if (map.locationProvince[O.orderLocation(retreats[i])] === province) return retreats[i];
  return O.NONE;
};

/** Writes the retreat phase and plays it on the bytes. */
const writeRetreats = (between: Game, season: number): void => {
  between.phase = T.RETREAT;
  writePhase(between, season, T.RETREAT);
  writeState(between.bytes);
  const { locationProvince } = between.map;
  const n = between.dislodgedCount;
  for (let i = 0; i < n; i++) {
    orders[i] = retreatOf(between.map, between.dislodged(i).province);
    if (orderType(orders[i]) !== O.DISBAND) arrivals[locationProvince[O.orderTarget(orders[i])]]++;
  }
  for (let i = 0; i < n; i++) {
    const disbands = orderType(orders[i]) === O.DISBAND;
    const alone = disbands || arrivals[locationProvince[O.orderTarget(orders[i])]] === 1;
    results[i] = alone ? T.SUCCEEDS : T.FAILS;
    if (disbands || !alone) continue;
    const { unit: there } = between.dislodged(i);
    between.placeUnit(T.unitPower(there), T.unitType(there), O.orderTarget(orders[i]));
  }
  for (let i = 0; i < n; i++) arrivals[locationProvince[O.orderTarget(orders[i])]] = 0;
  writeOrders(n);
  between.clearRetreats();
};

/** Writes the adjustment phase. Owners are those after it: adjustments change none. */
const writeAdjustments = (between: Game, view: Uint8Array, after: Game): void => {
  const { owners, contested: end } = between.layout;
  for (let i = owners; i < end; i++) between.bytes[i] = after.bytes[i];
  between.season = T.WINTER;
  between.phase = T.ADJUSTMENT;
  writePhase(between, T.WINTER, T.ADJUSTMENT);
  writeState(view);
  for (let i = 0; i < counts[1]; i++) {
    orders[i] = adjustments[i];
    results[i] = T.SUCCEEDS;
  }
  writeOrders(counts[1]);
};

// ---- games ----

const stream = new Int32Array(2);
const value = new Float64Array(T.MAX_POWERS);
const valueBytes = new Uint8Array(value.buffer);

/** Scores as little-endian bytes; adds those that the summary wants. */
const writeScores = (centers: Int32Array, powers: number, winner: number, summary: Summary): void => {
  writeKey(SCORES_KEY);
  for (let system = 0; system < scoreNames.length; system++) {
    scoreInto(system, centers, 0, powers, winner, value);
    if (scoreNames[system] === 'sum_of_squares') for (let q = 0; q < powers; q++) summary.sumOfSquares[q] += value[q];
    if (scoreNames[system] === 'survivors') for (let q = 0; q < powers; q++) summary.survived[q] += value[q];
    writeKey(SCORE_KEYS[system]);
    writeLength(8 * powers);
    writeBytes(valueBytes, 8 * powers);
  }
};

export interface UniformShard {
  /** As encodeShard() writes them. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly summary: Summary;
}

/** True where this file plays what the record says: maps that begin with moves, hosts that are little-endian. */
export const playsUniform = (map: CompiledMap): boolean =>
  map.startPhase === T.MOVEMENT && new Uint8Array(Int32Array.of(1).buffer)[0] === 1;

class Recorder {
  declare readonly game: Game;
  declare readonly between: Game;
  declare readonly start: Game;
  /** The bytes of both that a record holds outside retreats. */
  declare readonly gameView: Uint8Array;
  declare readonly betweenView: Uint8Array;
  declare readonly summary: Summary;
  declare readonly centers: Int32Array;

  constructor(map: CompiledMap, rules: Rules) {
    this.start = newGame(map, rules);
    this.game = newGame(map, rules);
    this.between = new Game(map, rules);
    const { contested: end } = this.game.layout;
    this.gameView = this.game.bytes.subarray(0, end);
    this.betweenView = this.between.bytes.subarray(0, end);
    this.summary = makeSummary(map.powerCount);
    this.centers = new Int32Array(map.powerCount);
  }

  /** Plays and writes one step; returns the number of phases. */
  step(): number {
    const { game, between } = this;
    const { season } = game;
    listMovers(game);
    writePhase(game, season, T.MOVEMENT);
    writeState(this.gameView);
    P.step(UNIFORM);
    const dislodged = anyDislodged();
    if (dislodged || counts[1] > 0) applyMoves(game, between, dislodged);
    writeMoves(game, dislodged);
    let phases = 1;
    if (dislodged && between.dislodgedCount > 0) {
      writeRetreats(between, season);
      phases++;
    }
    P.store(game, stream);
    if (counts[1] === 0) return phases;
    writeAdjustments(between, this.betweenView, game);
    return phases + 1;
  }

  /** Plays and writes one game with the length before it. */
  play(seed: number, index: number, until: number): number {
    const { game, start, summary, centers } = this;
    const powers = game.map.powerCount;
    game.copyFrom(start);
    // As Batch.restart(): the game is that of a batch with this seed.
    stream[0] = hashSeed(seed, 1);
    stream[1] = hashSeed(seed, 2);
    reserve(STEP_ROOM);
    const begin = at;
    at += 4;
    writeKey(INDEX_KEY);
    writeWhole(index);
    writeKey(SEED_KEY);
    writeWhole(seed);
    writeKey(PHASES_KEY);
    const head = at;
    at += 3;
    let phases = 0;
    let steps = 0;
    P.load(game, stream);
    while (game.status === T.PLAYING) {
      reserve(STEP_ROOM);
      phases += this.step();
      steps++;
      if (game.status === T.PLAYING && game.year > until) declareDraw(game);
    }
    reserve(STEP_ROOM);
    writeKey(PHASE_KEY);
    writeKey(COMPLETED_TEXT);
    writeState(this.gameView);
    writeOrders(0);
    writePhaseCount(head, phases + 1);
    game.countCenters(centers);
    writeScores(centers, powers, game.status === SOLO ? game.winner : -1, summary);
    const end = at;
    at = begin;
    writeWord(end - begin - 4);
    at = end;
    this.count(phases, steps);
    return steps;
  }

  private count(phases: number, steps: number): void {
    const { game, summary, centers } = this;
    summary.games++;
    summary.phases += phases;
    summary.phaseSteps += steps;
    // Two steps a year, and a solo may end one only in a fall.
    summary.years += (steps + 1) >> 1;
    if (game.status === SOLO) summary.solos[game.winner]++;
    else summary.draws++;
    for (let q = 0; q < centers.length; q++) summary.centers[q] += centers[q];
  }
}

/** Head of the list of phases, which was given room for three bytes. */
const writePhaseCount = (head: number, count: number): void => {
  if (count >= 16) {
    out[head] = 0xdc;
    out[head + 1] = count >> 8;
    out[head + 2] = count & 255;
    return;
  }
  out[head] = 0x90 | count;
  out.copyWithin(head + 1, head + 3, at);
  at -= 2;
};

/**
 * Plays and records the games begin .. end of a run.
 * @param onGame called after each game with its phase-steps
 */
export const playUniformShard = (
  map: CompiledMap,
  rules: Rules,
  runSeed: number,
  begin: number,
  end: number,
  until: number,
  onGame: (steps: number) => void,
): UniformShard => {
  const recorder = new Recorder(map, rules);
  const head = encodeShard([]);
  at = 0;
  writeBytes(head, head.length);
  for (let index = begin; index < end; index++) onGame(recorder.play(gameSeed(runSeed, index), index, until));
  return { bytes: out.slice(0, at), summary: recorder.summary };
};
