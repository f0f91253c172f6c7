// Games of a sampler of the engine (engine/sampling/stepper.ts), recorded as they are played: what a run with `random` or with `policy`
// in all seats is made of. The bytes are those that encodeGame() would write (record.ts), without objects in between.
//
// A step leaves on the board what the record wants of it: the moves with their results, the retreats, the adjustments.
// The loops over units have no branches: orders are random, and a processor that guesses wrong at each of them takes
// longer over the record than over the game.
import {
  COMPLETED,
  type CompiledMap,
  declareDraw,
  type Game,
  hashSeed,
  nameOfPhase,
  newGame,
  phaseName,
  type Rules,
  scoreInto,
  scoreNames,
} from '../../engine/internal.js';
import * as O from '../../engine/order.js';
import { board } from '../../engine/resolve/index.js';
import * as P from '../../engine/sampling/stepper.js';
import * as T from '../../engine/types.js';
import { gameSeed, recordState } from '../games/play.js';
import { encodeShard } from './record.js';
import { makeSummary, type Summary } from './summary.js';

const { places, order, success, byConvoy, matched } = board;
const { retreats, open, met, adjustments, counts } = P.played;
const boardUnits = P.boardUnits;
const boardPower = P.boardPower;
const boardLocation = P.boardLocation;
const packedOrder = P.packedOrder;
const orderLocation = O.orderLocation;
const orderType = O.orderType;
const DESTROYED = T.DESTROYED;
const DISLODGED = T.DISLODGED;
const SUCCEEDS = T.SUCCEEDS;
const FAILS = T.FAILS;

// ---- the bytes ----

let out = new Uint8Array(1 << 20);
/** For words at any place. */
let words = new DataView(out.buffer);
let at = 0;

/** More than one step, or the rest of a game, can add: three phases with orders and results for every location. */
const ROOM = 3 * (128 + 5 * 2 * T.MAX_LOCATIONS) + 4096;

const reserve = (): void => {
  if (at + ROOM <= out.length) return;
  const larger = new Uint8Array(2 * out.length);
  larger.set(out);
  out = larger;
  words = new DataView(out.buffer);
};

const ascii = (letters: string): number[] => Array.from(letters, (letter) => letter.charCodeAt(0));
/** A text of up to 31 letters in msgpack. */
const text = (letters: string): number[] => [0xa0 | letters.length, ...ascii(letters)];
const mapOf = (size: number): number => 0x80 | size;
/** Head of so many bytes in msgpack. */
const bytesOf = (length: number): number[] => (length < 256 ? [0xc4, length] : [0xc5, length >> 8, length & 255]);
const NIL = 0xc0;

/** Bytes that are written again and again: as whole words, little-endian, the last one filled up. */
interface Piece {
  readonly size: number;
  readonly words: Int32Array;
}

const piece = (bytes: readonly number[]): Piece => {
  const filled = new Int32Array((bytes.length + 3) >> 2);
  new Uint8Array(filled.buffer).set(bytes);
  return { size: bytes.length, words: filled };
};

/** What fills up the last word is written too; whatever comes next is written over it. */
const write = ({ size, words: filled }: Piece): void => {
  const view = words;
  const begin = at;
  for (let i = 0; i < filled.length; i++) view.setInt32(begin + 4 * i, filled[i], true);
  at = begin + size;
};

const INDEX_KEY = piece([mapOf(4), ...text('index')]);
const SEED_KEY = piece(text('seed'));
const PHASES_KEY = piece(text('phases'));
const SCORES_KEY = piece([...text('scores'), mapOf(scoreNames.length)]);

/** Orders and results of a phase at most. */
const MOST_ORDERS = 2 * T.MAX_LOCATIONS;
const heads = (key: string, width: number): Piece[] =>
  Array.from({ length: MOST_ORDERS + 1 }, (_, n) => piece([...text(key), ...bytesOf(width * n)]));
/** What comes before so many orders, and before so many results. */
const ORDER_HEADS = heads('orders', 4);
const RESULT_HEADS = heads('results', 1);

/** A whole number from -2^31 to 2^32 - 1 in msgpack. */
const writeWhole = (value: number): void => {
  let size = 4;
  if (value >= -32 && value < 128) size = 0;
  else if (value >= -128 && value < 256) size = 1;
  else if (value >= -32768 && value < 65536) size = 2;
  if (size > 0) out[at++] = (value < 0 ? 0xd0 : 0xcc) + (size >> 1);
  for (let shift = 8 * Math.max(size, 1) - 8; shift >= 0; shift -= 8) out[at++] = value >> shift;
};

const SEASONS = 3;
const PHASES = 3;

/** Everything of a phase up to its state. */
const phaseHead = (name: string): number[] => [mapOf(4), ...text('phase'), ...text(name), ...text('state')];

/** Heads of phases without a state, made when first used: by year since a start, season and phase. */
const makeHeads = (startYear: number): ((year: number, season: number, phase: number) => Piece) => {
  const made: (Piece | undefined)[] = [];
  return (year, season, phase) => {
    const place = ((year - startYear) * SEASONS + season) * PHASES + phase;
    const there = made[place];
    if (there !== undefined) return there;
    const head = piece([...phaseHead(nameOfPhase(year, season, phase)), NIL]);
    made[place] = head;
    return head;
  };
};

/** Orders of a retreat or adjustment phase and their results, to be written by writeOrders(). */
const orders = new Int32Array(MOST_ORDERS);
const results = new Uint8Array(MOST_ORDERS);

const writeOrders = (count: number): void => {
  write(ORDER_HEADS[count]);
  for (let i = 0; i < count; i++) words.setInt32(at + 4 * i, orders[i], true);
  at += 4 * count;
  write(RESULT_HEADS[count]);
  for (let i = 0; i < count; i++) out[at + i] = results[i];
  at += count;
};

// ---- the moves ----

/** Where the next unit of each power goes among the orders, by power + 1; and where that of each province went. */
const nextOf = new Int32Array(T.MAX_POWERS + 2);
const slotOf = new Int32Array(T.MAX_LOCATIONS);
const FATE_SHIFT = 4;

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

/** Writes the orders on the board by power, and their results without fates; returns where these begin. */
const writeMoves = (powerCount: number): number => {
  let n = 0;
  for (let q = 1; q <= powerCount; q++) {
    nextOf[q] = n;
    n += boardUnits[q];
  }
  write(ORDER_HEADS[n]);
  const orderAt = at;
  at += 4 * n;
  write(RESULT_HEADS[n]);
  const resultAt = at;
  const into = out;
  const wide = words;
  for (let i = 0; i < n; i++) {
    const p = places[i];
    const o = order[p];
    const slot = nextOf[boardPower(p)]++;
    slotOf[p] = slot;
    wide.setInt32(orderAt + 4 * slot, packedOrder(o, boardLocation(p)), true);
    const flags =
      ((success[p] & 1) << DONE_BIT) | ((-matched[p] >>> 31) << MATCHED_BIT) | (byConvoy[p] << CONVOYED_BIT);
    into[resultAt + slot] = RESULT_TABLE[orderType(o) | flags];
  }
  at = resultAt + n;
  return resultAt;
};

// ---- games ----

const stream = new Int32Array(2);
const value = new Float64Array(T.MAX_POWERS);

export interface SampledShard {
  /** As encodeShard() writes them; the next call writes over them. */
  readonly bytes: Uint8Array;
  readonly summary: Summary;
}

/** True where this file plays what the record says: maps that begin with moves, hosts that are little-endian. */
export const playsSampled = (map: CompiledMap): boolean =>
  map.startPhase === T.MOVEMENT && new Uint8Array(Int32Array.of(1).buffer)[0] === 1;

/** Plays and writes games of one map by some rules. */
class Recorder {
  declare readonly map: CompiledMap;
  declare readonly rules: Rules;
  declare private readonly start: Game;
  declare private readonly end: Game;
  declare private readonly headOf: (year: number, season: number, phase: number) => Piece;
  /** The first phase up to its orders, and the last one up to the bytes of its state; these. */
  declare private readonly first: Piece;
  declare private readonly last: Piece;
  declare private readonly lastState: Uint8Array;
  declare private readonly scoreHeads: readonly Piece[];
  declare private readonly centers: Int32Array;
  declare summary: Summary;

  constructor(map: CompiledMap, rules: Rules) {
    this.map = map;
    this.rules = rules;
    this.start = newGame(map, rules);
    this.end = newGame(map, rules);
    this.headOf = makeHeads(map.startYear);
    const state = recordState(this.start);
    this.first = piece([...phaseHead(phaseName(this.start)), ...bytesOf(state.length), ...state]);
    this.last = piece([...phaseHead(COMPLETED), ...bytesOf(state.length)]);
    this.lastState = this.end.bytes.subarray(0, state.length);
    this.scoreHeads = scoreNames.map((name) => piece([...text(name), ...bytesOf(8 * map.powerCount)]));
    this.centers = new Int32Array(map.powerCount);
    this.summary = makeSummary(map.powerCount);
  }

  /** Plays and writes one step, its head excepted; returns the number of phases. */
  private step(sampler: number, year: number, season: number): number {
    const begun = P.beginStep(sampler);
    const resultAt = writeMoves(this.map.powerCount);
    P.finishStep(begun, sampler);
    const phases = counts[0] === 0 ? 1 : 1 + this.writeRetreats(resultAt, year, season);
    if (counts[1] === 0) return phases;
    write(this.headOf(year, T.WINTER, T.ADJUSTMENT));
    for (let i = 0; i < counts[1]; i++) {
      orders[i] = adjustments[i];
      results[i] = SUCCEEDS;
    }
    writeOrders(counts[1]);
    return phases + 1;
  }

  /** What became of the units that the moves dislodged, and their retreats; returns 0 if there are none. */
  private writeRetreats(resultAt: number, year: number, season: number): number {
    const { locationProvince } = this.map;
    const dislodged = counts[0];
    for (let i = 0; i < dislodged; i++) {
      const province = locationProvince[orderLocation(retreats[i])];
      out[resultAt + slotOf[province]] |= (open[i] > 0 ? DISLODGED : DESTROYED) << FATE_SHIFT;
    }
    let n = 0;
    for (let i = 0; i < dislodged; i++) {
      orders[n] = retreats[i];
      results[n] = met[i] === 0 ? SUCCEEDS : FAILS;
      if (open[i] > 0) n++;
    }
    if (n === 0) return 0;
    write(this.headOf(year, season, T.RETREAT));
    writeOrders(n);
    return 1;
  }

  /** Plays and writes one game with the length before it. */
  play(sampler: number, seed: number, index: number, until: number): number {
    const { start, end } = this;
    // As Batch.restart(): the game is that of a batch with this seed.
    stream[0] = hashSeed(seed, 1);
    stream[1] = hashSeed(seed, 2);
    reserve();
    const begin = at;
    at += 4;
    write(INDEX_KEY);
    writeWhole(index);
    write(SEED_KEY);
    writeWhole(seed);
    write(PHASES_KEY);
    const head = at;
    at += 3;
    let phases = 0;
    let steps = 0;
    P.load(start, stream);
    while (P.boardWinner() < 0 && P.boardYear() <= until) {
      reserve();
      const year = P.boardYear();
      const season = P.boardSeason();
      write(steps === 0 ? this.first : this.headOf(year, season, T.MOVEMENT));
      phases += this.step(sampler, year, season);
      steps++;
    }
    P.store(end, stream);
    if (P.boardWinner() < 0) declareDraw(end);
    write(this.last);
    out.set(this.lastState, at);
    at += this.lastState.length;
    writeOrders(0);
    writePhaseCount(head, phases + 1);
    end.countCenters(this.centers);
    this.writeScores(P.boardWinner());
    words.setInt32(begin, at - begin - 4, true);
    this.count(phases, steps);
    return steps;
  }

  /** Scores as little-endian bytes; adds those that the summary wants. */
  private writeScores(winner: number): void {
    const { centers, summary } = this;
    const powers = centers.length;
    write(SCORES_KEY);
    for (let system = 0; system < scoreNames.length; system++) {
      scoreInto(system, centers, 0, powers, winner, value);
      if (scoreNames[system] === 'sum_of_squares') for (let q = 0; q < powers; q++) summary.sumOfSquares[q] += value[q];
      if (scoreNames[system] === 'survivors') for (let q = 0; q < powers; q++) summary.survived[q] += value[q];
      write(this.scoreHeads[system]);
      for (let q = 0; q < powers; q++) words.setFloat64(at + 8 * q, value[q], true);
      at += 8 * powers;
    }
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

let recorder: Recorder | undefined;

/** Games between two reports. */
const REPORT_GAMES = 16;

/**
 * Plays and records the games begin .. end of a run.
 * @param sampler UNIFORM or POLICY
 * @param onGames called now and then with the games and phase-steps since the last call
 */
export const playSampledShard = (
  map: CompiledMap,
  rules: Rules,
  sampler: number,
  runSeed: number,
  begin: number,
  end: number,
  until: number,
  onGames: (games: number, steps: number) => void,
): SampledShard => {
  if (recorder?.map !== map || recorder.rules !== rules) recorder = new Recorder(map, rules);
  recorder.summary = makeSummary(map.powerCount);
  const head = encodeShard([]);
  out.set(head);
  at = head.length;
  for (let index = begin; index < end; ) {
    const last = Math.min(end, index + REPORT_GAMES);
    const games = last - index;
    let steps = 0;
    for (; index < last; index++) steps += recorder.play(sampler, gameSeed(runSeed, index), index, until);
    onGames(games, steps);
  }
  P.release();
  return { bytes: out.subarray(0, at), summary: recorder.summary };
};
