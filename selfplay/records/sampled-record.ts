// Records games in which agents of one sampler (engine/sampling/stepper.ts) have all seats while playing them: runs with
// `random` or with `policy` in all seats. The games are those of play() (games/sampled-steps.ts), and the bytes those of
// encodeGame(), without objects in between.
//
// A step leaves on the board what the record needs: the moves with their results, the retreats, the adjustments. The
// loops over units have no branches: orders are random, and mispredicted branches would make the record cost more than
// the game.
import { crc32 } from 'node:zlib';
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
import { movementResultBy } from '../../engine/results.js';
import * as P from '../../engine/sampling/stepper.js';
import * as T from '../../engine/types.js';
import { type Ending, EndingWatch, mayEndLong } from '../games/ending.js';
import { outcomeByte } from '../games/outcomes.js';
import { gameSeed, recordState } from '../games/play.js';
import { phasePiece, type RecordPiece, RecordWriter, scorePiece } from './record-writer.js';
import { makeSummary, type Summary } from './summary.js';

const { places, order, success, byConvoy, matched, destination } = board;
const { retreats, open, met, adjustments, counts } = P.played;
const boardUnits = P.boardUnits;
const boardPower = P.boardPower;
const boardLocation = P.boardLocation;
const packedOrder = P.packedOrder;
const orderLocation = O.orderLocation;
const orderTarget = O.orderTarget;
const orderType = O.orderType;
const resultBy = movementResultBy;
const RAIL = O.RAIL;
const STOPS = T.STOPS;
const DESTROYED = T.DESTROYED;
const DISLODGED = T.DISLODGED;
const SUCCEEDS = T.SUCCEEDS;
const FAILS = T.FAILS;

/** Buffer of all shards of this thread, written one after another. */
const writer = new RecordWriter();

/** More than one step, or the rest of a game, can add: three phases with orders and results for every location. */
const ROOM = 3 * (128 + 5 * 2 * T.MAX_LOCATIONS) + 4096;

const SEASONS = 3;
const PHASES = 3;

/** Heads of phases without a state, made when first used: by year since a start, season and phase. */
const makeHeads = (startYear: number): ((year: number, season: number, phase: number) => RecordPiece) => {
  const made: (RecordPiece | undefined)[] = [];
  return (year, season, phase) => {
    const place = ((year - startYear) * SEASONS + season) * PHASES + phase;
    const there = made[place];
    if (there !== undefined) return there;
    const head = phasePiece(nameOfPhase(year, season, phase), null);
    made[place] = head;
    return head;
  };
};

/** Orders of a retreat or adjustment phase and their results. */
const orders = new Int32Array(2 * T.MAX_LOCATIONS);
const results = new Uint8Array(2 * T.MAX_LOCATIONS);

// ---- the moves ----

/** Where the next unit of each power goes among the orders, by power + 1; and where that of each province went. */
const nextOf = new Int32Array(T.MAX_POWERS + 2);
const slotOf = new Int32Array(T.MAX_LOCATIONS);

/** Writes the orders on the board by power, and their results without fates; returns where these begin. */
const writeMoves = (powerCount: number): number => {
  let n = 0;
  for (let q = 1; q <= powerCount; q++) {
    nextOf[q] = n;
    n += boardUnits[q];
  }
  const orderAt = writer.orders(n);
  const resultAt = writer.at - n;
  const { bytes, view } = writer;
  for (let i = 0; i < n; i++) {
    const p = places[i];
    const o = order[p];
    const slot = nextOf[boardPower(p)]++;
    slotOf[p] = slot;
    view.setInt32(orderAt + 4 * slot, packedOrder(o, boardLocation(p)), true);
    bytes[resultAt + slot] = resultBy(orderType(o), success[p] & 1, matched[p], byConvoy[p]);
    if (orderType(o) === RAIL && success[p] === 1 && destination[p] !== orderTarget(o)) bytes[resultAt + slot] = STOPS;
  }
  return resultAt;
};

// ---- games ----

const stream = new Int32Array(2);
const value = new Float64Array(T.MAX_POWERS);

interface SampledShard {
  /** As encodeShard() writes them; the next call writes over them. */
  readonly bytes: Uint8Array;
  /** CRC-32 of the bytes. */
  readonly crc: number;
  readonly summary: Summary;
}

/** Some games of a run. */
interface SampledGames {
  /** UNIFORM or POLICY. */
  readonly sampler: number;
  /** Seed of the run. */
  readonly seed: number;
  /** The first game, and the one after the last. */
  readonly begin: number;
  readonly end: number;
  readonly ending: Ending;
}

/** True for games that this file plays: on maps that begin with moves, and ended by nothing in the middle of a year. */
export const isRecordable = (map: CompiledMap, ending: Ending): boolean =>
  map.startPhase === T.MOVEMENT && !mayEndLong(ending, map.startYear);

/** Plays and writes games of one map by some rules. */
class Recorder {
  declare readonly map: CompiledMap;
  declare readonly rules: Rules;
  declare private readonly start: Game;
  declare private readonly end: Game;
  declare private readonly headOf: (year: number, season: number, phase: number) => RecordPiece;
  /** The first and the last phase up to the bytes of their states; these. */
  declare private readonly first: RecordPiece;
  declare private readonly last: RecordPiece;
  declare private readonly firstState: Uint8Array;
  declare private readonly lastState: Uint8Array;
  declare private readonly scoreHeads: readonly RecordPiece[];
  declare private readonly centers: Int32Array;
  declare summary: Summary;

  constructor(map: CompiledMap, rules: Rules) {
    this.map = map;
    this.rules = rules;
    this.start = newGame(map, rules);
    this.end = newGame(map, rules);
    this.headOf = makeHeads(map.startYear);
    this.firstState = recordState(this.start);
    const { length } = this.firstState;
    this.first = phasePiece(phaseName(this.start), length);
    this.last = phasePiece(COMPLETED, length);
    this.lastState = this.end.bytes.subarray(0, length);
    this.scoreHeads = scoreNames.map((name) => scorePiece(name, map.powerCount));
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
    writer.piece(this.headOf(year, T.WINTER, T.ADJUSTMENT));
    for (let i = 0; i < counts[1]; i++) {
      orders[i] = adjustments[i];
      results[i] = SUCCEEDS;
    }
    writer.ordersFrom(orders, results, counts[1]);
    return phases + 1;
  }

  /** Writes the fates of the dislodged units, and their retreats; returns 0 if there are none. */
  private writeRetreats(resultAt: number, year: number, season: number): number {
    const { locationProvince } = this.map;
    const dislodged = counts[0];
    for (let i = 0; i < dislodged; i++) {
      const province = locationProvince[orderLocation(retreats[i])];
      writer.bytes[resultAt + slotOf[province]] |= outcomeByte(0, open[i] > 0 ? DISLODGED : DESTROYED);
    }
    let n = 0;
    for (let i = 0; i < dislodged; i++) {
      orders[n] = retreats[i];
      results[n] = met[i] === 0 ? SUCCEEDS : FAILS;
      if (open[i] > 0) n++;
    }
    if (n === 0) return 0;
    writer.piece(this.headOf(year, season, T.RETREAT));
    writer.ordersFrom(orders, results, n);
    return 1;
  }

  /** Plays and writes one game; returns its phase-steps. */
  play(sampler: number, seed: number, index: number, ending: Ending): number {
    const { start, end } = this;
    const { until, stalemate = 0, chance = 0 } = ending;
    const watch = stalemate > 0 || chance > 0 ? new EndingWatch(ending, start, seed) : null;
    // As Batch.restart(): the game is that of a batch with this seed.
    stream[0] = hashSeed(seed, 1);
    stream[1] = hashSeed(seed, 2);
    writer.beginGame(index, seed);
    let phases = 0;
    let steps = 0;
    P.load(start, stream);
    while (P.boardWinner() < 0 && P.boardYear() <= until && !this.isOver(watch)) {
      writer.reserve(ROOM);
      const year = P.boardYear();
      const season = P.boardSeason();
      if (steps > 0) writer.piece(this.headOf(year, season, T.MOVEMENT));
      else {
        writer.piece(this.first);
        writer.raw(this.firstState);
      }
      phases += this.step(sampler, year, season);
      steps++;
    }
    P.store(end, stream);
    if (P.boardWinner() < 0) declareDraw(end);
    writer.reserve(ROOM);
    writer.piece(this.last);
    writer.raw(this.lastState);
    writer.orders(0);
    writer.endPhases(phases + 1);
    end.countCenters(this.centers);
    this.writeScores(P.boardWinner());
    writer.endGame();
    this.count(phases, steps);
    return steps;
  }

  private isOver(watch: EndingWatch | null): boolean {
    if (watch === null) return false;
    P.store(this.end, stream);
    return watch.isOver(this.end);
  }

  /** Scores as little-endian bytes; adds those that the summary wants. */
  private writeScores(winner: number): void {
    const { centers, summary } = this;
    const powers = centers.length;
    for (let system = 0; system < scoreNames.length; system++) {
      scoreInto(system, centers, 0, powers, winner, value);
      if (scoreNames[system] === 'sum_of_squares') for (let q = 0; q < powers; q++) summary.sumOfSquares[q] += value[q];
      if (scoreNames[system] === 'survivors') for (let q = 0; q < powers; q++) summary.survived[q] += value[q];
      writer.scores(this.scoreHeads[system], value, powers);
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

let recorder: Recorder | undefined;

/** Games between two reports. */
const REPORT_GAMES = 16;

/**
 * Plays and records some games of a run, for which isRecordable() must be true.
 * @param onGames called now and then with the games and phase-steps since the last call
 */
export const playSampledShard = (
  map: CompiledMap,
  rules: Rules,
  { sampler, seed, begin, end, ending }: SampledGames,
  onGames: (games: number, steps: number) => void,
): SampledShard => {
  if (recorder?.map !== map || recorder.rules !== rules) recorder = new Recorder(map, rules);
  recorder.summary = makeSummary(map.powerCount);
  writer.beginShard();
  let crc = 0;
  let checked = 0;
  for (let index = begin; index < end; ) {
    const last = Math.min(end, index + REPORT_GAMES);
    const games = last - index;
    let steps = 0;
    for (; index < last; index++) steps += recorder.play(sampler, gameSeed(seed, index), index, ending);
    onGames(games, steps);
    // While the games are in the processor's cache, which does not hold a shard.
    crc = crc32(writer.bytes.subarray(checked, writer.at), crc);
    checked = writer.at;
  }
  P.release();
  return { bytes: writer.bytes.subarray(0, writer.at), crc, summary: recorder.summary };
};
