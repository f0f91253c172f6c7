// Games of the sampler of uniform random orders (engine/play.ts), recorded as they are played: what a run with `random`
// in all seats is made of. The bytes are those that encodeGame() would write (record.ts), without objects in between.
//
// The parts of a step leave on the board what the record wants of it: the moves with their orders and results, then the
// retreats, then the adjustments. The loops over units have no branches: orders are random, and a processor that guesses
// wrong at each of them takes longer over the record than over the game.
import {
  type CompiledMap,
  declareDraw,
  Game,
  hashSeed,
  newGame,
  type Rules,
  scoreInto,
  scoreNames,
  UNIFORM,
} from '../engine/index.js';
import * as O from '../engine/order.js';
import * as P from '../engine/play.js';
import { board } from '../engine/resolve.js';
import { NEXT_KEY_SHIFT } from '../engine/sample.js';
import { DISLODGED_COUNT } from '../engine/state.js';
import * as T from '../engine/types.js';
import { COMPLETED, gameSeed } from './play.js';
import { encodeShard } from './record.js';
import { makeSummary, type Summary } from './summary.js';

const { places, unit, order, success, byConvoy, matched } = board;
const { open, adjustments, counts } = P.played;
const { boardUnits } = P;
const POWER_SHIFT = P.UNIT_POWER_SHIFT;
const KEY_MASK = P.UNIT_KEY_MASK;
const orderType = O.orderType;
const orderTarget = O.orderTarget;
const orderLocation = O.orderLocation;
const TYPE_BITS = 15;
const KEY_SHIFT = NEXT_KEY_SHIFT;
const DESTROYED = T.DESTROYED;
const DISLODGED = T.DISLODGED;
const SUCCEEDS = T.SUCCEEDS;
const FAILS = T.FAILS;

// ---- the bytes ----

let out = new Uint8Array(1 << 20);
/** For words at any place. */
let words = new DataView(out.buffer);
let at = 0;

/** Most bytes that one step can add: three phases, each with a state, orders and results of a unit in every province. */
const STEP_ROOM = 3 * (64 + 2048 + 5 * 2 * T.MAX_LOCATIONS);

/** Makes room; true if the bytes are others then. */
const reserve = (room: number): boolean => {
  if (at + room <= out.length) return false;
  const larger = new Uint8Array(2 * out.length + room);
  larger.set(out);
  out = larger;
  words = new DataView(out.buffer);
  return true;
};

const writeBytes = (bytes: Uint8Array, length: number): void => {
  // Locals: a variable of the module would be written back for every byte.
  const into = out;
  const begin = at;
  for (let i = 0; i < length; i++) into[begin + i] = bytes[i];
  at = begin + length;
};

const ascii = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
/** A text of up to 31 letters in msgpack. */
const text = (letters: string): Uint8Array => Uint8Array.of(0xa0 | letters.length, ...ascii(letters));
const join = (...parts: Uint8Array[]): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]));
const mapOf = (size: number): Uint8Array => Uint8Array.of(0x80 | size);
/** Head of so many bytes in msgpack. */
const bytesOf = (length: number): Uint8Array =>
  length < 256 ? Uint8Array.of(0xc4, length) : Uint8Array.of(0xc5, length >> 8, length & 255);

const INDEX_KEY = join(mapOf(4), text('index'));
const SEED_KEY = text('seed');
const PHASES_KEY = text('phases');
const SCORES_KEY = join(text('scores'), mapOf(scoreNames.length));
const SCORE_KEYS = scoreNames.map(text);
const STATE_KEY = text('state');
const PHASE_KEY = join(mapOf(4), text('phase'));

/** Orders and results of a phase at most. */
const MOST_ORDERS = 2 * T.MAX_LOCATIONS;
const heads = (key: string, width: number): Uint8Array[] =>
  Array.from({ length: MOST_ORDERS + 1 }, (_, n) => join(text(key), bytesOf(width * n)));
/** What comes before so many orders, and before so many results. */
const ORDER_HEADS = heads('orders', 4);
const RESULT_HEADS = heads('results', 1);

const writeKey = (key: Uint8Array): void => writeBytes(key, key.length);

const writeWord = (value: number): void => {
  words.setInt32(at, value, true);
  at += 4;
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

const SEASON_LETTERS = 'SFW';
const PHASE_LETTERS = 'MRA';

/** Everything of a phase up to the bytes of its state. */
const phaseHead = (name: string, stateSize: number): Uint8Array =>
  join(PHASE_KEY, text(name), STATE_KEY, bytesOf(stateSize));

/** Orders of a phase and their results, to be written by writeOrders(). */
const orders = new Int32Array(MOST_ORDERS);
const results = new Uint8Array(MOST_ORDERS);

const writeOrders = (count: number): void => {
  writeKey(ORDER_HEADS[count]);
  for (let i = 0; i < count; i++) writeWord(orders[i]);
  writeKey(RESULT_HEADS[count]);
  writeBytes(results, count);
};

// ---- the moves ----

/** Provinces with units before the moves, by power; the locations of these units, as orders hold them; their number. */
const movers = new Int32Array(T.MAX_LOCATIONS);
const moverLocations = new Int32Array(T.MAX_LOCATIONS);
let moverCount = 0;
const nextOf = new Int32Array(T.MAX_POWERS + 2);
/** By province of a dislodged unit, in the bits that a result has for it. */
const fateBits = new Int32Array(T.MAX_LOCATIONS);
const FATE_SHIFT = 4;

/** By key + 1 of a unit: its location as an order holds it, and as a target. */
const locationOf = new Int32Array(2 * T.MAX_LOCATIONS + 1);
const targetOf = new Int32Array(2 * T.MAX_LOCATIONS + 1);

const listLocations = ({ locationCount }: CompiledMap): void => {
  for (let key = 0; key < 2 * locationCount; key++) {
    locationOf[key + 1] = O.locationBits(key % locationCount);
    targetOf[key + 1] = O.targetBits(key % locationCount);
  }
};

const listMovers = (powerCount: number): void => {
  let n = 0;
  for (let q = 1; q <= powerCount; q++) {
    nextOf[q] = n;
    n += boardUnits[q];
  }
  moverCount = n;
  for (let i = 0; i < n; i++) {
    const p = places[i];
    const word = unit[p];
    const k = nextOf[word >>> POWER_SHIFT]++;
    movers[k] = p;
    moverLocations[k] = locationOf[word & KEY_MASK];
  }
};

// The board has no coasts, but the key which a unit has after its move; what it keeps in other bits is its own business.

/** By type: the bits of a board order that are the order's too, but for a move's target; and whether it is a move. */
const KEPT_BITS = new Int32Array(16);
const MOVE_BITS = new Int32Array(16);
for (const type of [O.SUPPORT_HOLD, O.SUPPORT_MOVE, O.CONVOY]) KEPT_BITS[type] = TYPE_BITS | O.AUX_BITS | O.TARGET_BITS;
KEPT_BITS[O.HOLD] = TYPE_BITS;
KEPT_BITS[O.MOVE] = TYPE_BITS | O.moveVia(0, 0);
MOVE_BITS[O.MOVE] = O.TARGET_BITS;

/** Results as adjudicate() says them: by type of order, with bits for success, whether it matched, and a convoy. */
const RESULT_TABLE = new Uint8Array(128);
const DONE_BIT = 4;
const MATCHED_BIT = 5;
const CONVOYED_BIT = 6;

const resultOf = (type: number, done: boolean, fits: boolean, convoyed: boolean): number => {
  if (type === O.HOLD) return T.STANDS;
  if (type === O.MOVE) return convoyed && !fits ? T.INVALID : done ? SUCCEEDS : FAILS;
  if (!fits) return T.INVALID;
  if (type === O.CONVOY) return done ? T.AVAILABLE : T.DISRUPTED;
  return done ? T.GIVEN : T.CUT;
};

for (let i = 0; i < RESULT_TABLE.length; i++) {
  const bit = (shift: number): boolean => ((i >> shift) & 1) === 1;
  RESULT_TABLE[i] = resultOf(i & 15, bit(DONE_BIT), bit(MATCHED_BIT), bit(CONVOYED_BIT));
}

/** Bytes that writeMoves() will write. */
const movesSize = (): number => ORDER_HEADS[moverCount].length + RESULT_HEADS[moverCount].length + 5 * moverCount;

const writeMoves = (): void => {
  const n = moverCount;
  const resultHead = RESULT_HEADS[n];
  writeKey(ORDER_HEADS[n]);
  const orderAt = at;
  at += 4 * n;
  writeKey(resultHead);
  const resultAt = at;
  const into = out;
  const wide = words;
  for (let i = 0; i < n; i++) {
    const p = movers[i];
    const o = order[p];
    const type = o & TYPE_BITS;
    const packed = (o & KEPT_BITS[type]) | (targetOf[o >>> KEY_SHIFT] & MOVE_BITS[type]) | moverLocations[i];
    wide.setInt32(orderAt + 4 * i, packed, true);
    const flags =
      ((success[p] & 1) << DONE_BIT) | ((-matched[p] >>> 31) << MATCHED_BIT) | (byConvoy[p] << CONVOYED_BIT);
    into[resultAt + i] = RESULT_TABLE[type | flags] | fateBits[p];
  }
  at = resultAt + n;
};

// ---- games ----

const stream = new Int32Array(2);
const value = new Float64Array(T.MAX_POWERS);
const valueBytes = new Uint8Array(value.buffer);

/** Scores as little-endian bytes; adds those that the summary wants. */
const writeScores = (centers: Int32Array, powers: number, winner: number, summary: Summary): void => {
  const scoreHead = bytesOf(8 * powers);
  writeKey(SCORES_KEY);
  for (let system = 0; system < scoreNames.length; system++) {
    scoreInto(system, centers, 0, powers, winner, value);
    if (scoreNames[system] === 'sum_of_squares') for (let q = 0; q < powers; q++) summary.sumOfSquares[q] += value[q];
    if (scoreNames[system] === 'survivors') for (let q = 0; q < powers; q++) summary.survived[q] += value[q];
    writeKey(SCORE_KEYS[system]);
    writeKey(scoreHead);
    writeBytes(valueBytes, 8 * powers);
  }
};

export interface UniformShard {
  /** As encodeShard() writes them; the next call writes over them. */
  readonly bytes: Uint8Array;
  readonly summary: Summary;
}

/** True where this file plays what the record says: maps that begin with moves, hosts that are little-endian. */
export const playsUniform = (map: CompiledMap): boolean =>
  map.startPhase === T.MOVEMENT && new Uint8Array(Int32Array.of(1).buffer)[0] === 1;

/** Bytes of a state outside its retreats that store() does not write. */
const listGaps = ({ layout, map }: Game): Int32Array => {
  const { units, coasts, owners, contested } = layout;
  const gaps: number[] = [];
  const add = (begin: number, end: number): void => {
    for (let i = begin; i < end; i++) gaps.push(i);
  };
  add(DISLODGED_COUNT, units);
  add(units + map.provinceCount, coasts);
  add(coasts + map.coastalProvinces.length, owners);
  add(owners + map.centerCount, contested);
  return Int32Array.from(gaps);
};

class Recorder {
  declare private readonly map: CompiledMap;
  declare private readonly start: Game;
  /** A state among the bytes that are written. */
  declare private view: Game;
  /** Bytes of a state: outside retreats, and in them. */
  declare private readonly plainSize: number;
  declare private readonly wholeSize: number;
  declare private readonly gaps: Int32Array;
  /** Heads of phases, made when first used: by year since the start, season and phase. */
  declare private readonly heads: (Uint8Array | undefined)[];
  declare private readonly completed: Uint8Array;
  declare private readonly centers: Int32Array;
  declare readonly summary: Summary;

  constructor(map: CompiledMap, rules: Rules) {
    this.map = map;
    this.start = newGame(map, rules);
    this.view = new Game(map, rules, out);
    this.plainSize = this.start.layout.contested;
    this.wholeSize = this.start.layout.stride;
    this.gaps = listGaps(this.start);
    this.heads = [];
    this.completed = phaseHead(COMPLETED, this.plainSize);
    this.centers = new Int32Array(map.powerCount);
    this.summary = makeSummary(map.powerCount);
    listLocations(map);
  }

  private reserve(): void {
    if (reserve(STEP_ROOM)) this.view = new Game(this.map, this.start.rules, out);
  }

  /** Head of a phase: everything before its state. */
  private headOf(year: number, season: number, phase: number): Uint8Array {
    const place = ((year - this.map.startYear) * SEASON_LETTERS.length + season) * PHASE_LETTERS.length + phase;
    const there = this.heads[place];
    if (there !== undefined) return there;
    const size = phase === T.RETREAT ? this.wholeSize : this.plainSize;
    const head = phaseHead(SEASON_LETTERS[season] + String(year) + PHASE_LETTERS[phase], size);
    this.heads[place] = head;
    return head;
  }

  /** Puts the position on the board among the bytes, from this place on. */
  private storeAt(place: number): void {
    const { view, gaps } = this;
    const into = out;
    for (let i = 0; i < gaps.length; i++) into[place + gaps[i]] = 0;
    view.offset = place;
    // store() would look for retreats to clear in what was written here before.
    view.phase = T.MOVEMENT;
    P.store(view, stream);
  }

  /** Plays and writes one step; returns the number of phases. */
  private step(): number {
    const { map } = this;
    const year = P.boardYear();
    const season = P.boardSeason();
    listMovers(map.powerCount);
    writeKey(this.headOf(year, season, T.MOVEMENT));
    this.storeAt(at);
    at += this.plainSize;
    const waiting = P.stepMoves(UNIFORM);
    let phases = 1;
    if (waiting === 0) writeMoves();
    else phases += this.retreat(waiting, year, season);
    if (season === T.SPRING) {
      P.stepSeason(UNIFORM);
      return phases;
    }
    return phases + this.adjust(year);
  }

  /** Plays the retreats, and writes them after the moves that made them; returns 0 if no unit can retreat. */
  private retreat(waiting: number, year: number, season: number): number {
    const { view, map } = this;
    const { locationProvince } = map;
    const head = this.headOf(year, season, T.RETREAT);
    this.storeAt(at + movesSize() + head.length);
    P.stepRetreats(waiting, UNIFORM);
    const n = P.storeRetreats(view, orders);
    const { retreats } = P.played;
    for (let i = 0; i < waiting; i++)
      fateBits[locationProvince[orderLocation(retreats[i])]] = (open[i] > 0 ? DISLODGED : DESTROYED) << FATE_SHIFT;
    writeMoves();
    for (let i = 0; i < waiting; i++) fateBits[locationProvince[orderLocation(retreats[i])]] = 0;
    if (n === 0) return 0;
    writeKey(head);
    at += this.wholeSize;
    // Whoever retreats alone stands there now.
    for (let i = 0; i < n; i++) {
      const alone = orderType(orders[i]) === O.DISBAND || unit[locationProvince[orderTarget(orders[i])]] !== 0;
      results[i] = alone ? SUCCEEDS : FAILS;
    }
    writeOrders(n);
    return 1;
  }

  /** Ends the year, and writes its adjustments; returns 0 if there are none. */
  private adjust(year: number): number {
    const { view } = this;
    const head = this.headOf(year, T.WINTER, T.ADJUSTMENT);
    // The units before the adjustments, and the owners after them: they change none.
    this.storeAt(at + head.length);
    P.stepSeason(UNIFORM);
    const n = counts[1];
    if (n === 0) return 0;
    P.storeOwners(view);
    view.season = T.WINTER;
    view.phase = T.ADJUSTMENT;
    writeKey(head);
    at += this.plainSize;
    for (let i = 0; i < n; i++) {
      orders[i] = adjustments[i];
      results[i] = SUCCEEDS;
    }
    writeOrders(n);
    return 1;
  }

  /** Plays and writes one game with the length before it. */
  play(seed: number, index: number, until: number): number {
    const { start, summary, centers } = this;
    const powers = this.map.powerCount;
    // As Batch.restart(): the game is that of a batch with this seed.
    stream[0] = hashSeed(seed, 1);
    stream[1] = hashSeed(seed, 2);
    this.reserve();
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
    P.load(start, stream);
    while (P.boardWinner() < 0 && P.boardYear() <= until) {
      this.reserve();
      phases += this.step();
      steps++;
    }
    this.reserve();
    writeKey(this.completed);
    this.storeAt(at);
    if (P.boardWinner() < 0) declareDraw(this.view);
    this.view.countCenters(centers);
    at += this.plainSize;
    writeOrders(0);
    writePhaseCount(head, phases + 1);
    writeScores(centers, powers, P.boardWinner(), summary);
    const end = at;
    at = begin;
    writeWord(end - begin - 4);
    at = end;
    this.count(phases, steps);
    return steps;
  }

  private count(phases: number, steps: number): void {
    const { summary, centers } = this;
    const winner = P.boardWinner();
    summary.games++;
    summary.phases += phases;
    summary.phaseSteps += steps;
    // Two steps a year, and a solo may end one only in a fall.
    summary.years += (steps + 1) >> 1;
    if (winner >= 0) summary.solos[winner]++;
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

/** Games between two reports. */
const REPORT_GAMES = 16;

/**
 * Plays and records the games begin .. end of a run.
 * @param onGames called now and then with the games and phase-steps since the last call
 */
export const playUniformShard = (
  map: CompiledMap,
  rules: Rules,
  runSeed: number,
  begin: number,
  end: number,
  until: number,
  onGames: (games: number, steps: number) => void,
): UniformShard => {
  const recorder = new Recorder(map, rules);
  const head = encodeShard([]);
  at = 0;
  writeBytes(head, head.length);
  for (let index = begin; index < end; ) {
    const last = Math.min(end, index + REPORT_GAMES);
    const games = last - index;
    let steps = 0;
    for (; index < last; index++) steps += recorder.play(gameSeed(runSeed, index), index, until);
    onGames(games, steps);
  }
  return { bytes: out.subarray(0, at), summary: recorder.summary };
};
