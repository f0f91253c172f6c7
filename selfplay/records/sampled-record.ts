// Records games in which agents of one sampler (engine/play/step.ts) have all seats while playing them: runs with
// `random` or with `policy` in all seats. The games are those of play() (games/sampled-steps.ts), and the bytes those of
// encodeGame(), without objects in between.
//
// A step leaves on the board what the record needs: the moves with their results, the retreats, the adjustments. The
// loops over units have no branches: orders are random, and mispredicted branches would make the record cost more than
// the game. Sums of places end in | 0, so that V8 need not ask whether they are still small. test/selfplay/records/sampled.test.ts
// holds the bytes to those of encodeGame() for the same games.
import { crc32 } from 'node:zlib';
import * as B from '../../engine/adjudicate/movement/index.js';
import { outcomeByte } from '../../engine/adjudicate/order-results.js';
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
import { isAfterLastYear } from '../../engine/play/batch.js';
import * as P from '../../engine/play/step.js';
import * as O from '../../engine/rules/order.js';
import { movementResultBy } from '../../engine/rules/results.js';
import { scratch } from '../../engine/rules/scratch.js';
import * as T from '../../engine/rules/types.js';
import { type Ending, EndingWatch, mayEndLong } from '../games/ending.js';
import { gameSeed, recordState } from '../games/game-record.js';
import {
  phasePiece,
  type ReadyPhase,
  type RecordPiece,
  RecordWriter,
  readyPhase,
  scorePiece,
} from './record-writer.js';
import { makeSummary, type Summary } from './summary.js';

const { places, unit, order, success, byConvoy, matched, destination } = B.board;
const { retreats, open, met, adjustments, counts } = P.played;
const boardUnits = P.boardUnits;
const powerOfWord = P.powerOfWord;
const packedByWord = B.packedByWord;
const orderLocation = O.orderLocation;
const orderTarget = O.orderTarget;
const orderType = O.orderType;
const resultBy = movementResultBy;
const RAIL = O.RAIL;
const STOPS = T.STOPS;
const SUCCEEDS = T.SUCCEEDS;

/** Buffer of all shards of this thread, written one after another. */
const writer = new RecordWriter();

/** More than one step, or the rest of a game, can add: three phases with orders and results for every location. */
const ROOM = 3 * (128 + 5 * 2 * T.MAX_LOCATIONS) + 4096;

const SEASONS = 3;
const PHASES = 3;

/** Heads of phases without a state, made when first used: by year since a start, season and phase. */
const makeHeads = (startYear: number): ((year: number, season: number, phase: number) => ReadyPhase) => {
  const made: (ReadyPhase | undefined)[] = [];
  return (year, season, phase) => {
    const place = ((year - startYear) * SEASONS + season) * PHASES + phase;
    const there = made[place];
    if (there !== undefined) return there;
    const head = readyPhase(nameOfPhase(year, season, phase));
    made[place] = head;
    return head;
  };
};

/** Orders of a retreat phase and their results. */
const orders = scratch(T.MAX_LOCATIONS);
const results = new Uint8Array(T.MAX_LOCATIONS);
/** What is added to the result of a dislodged unit: by 1 if a location was open to it, else 0. */
const FATES = Uint8Array.of(outcomeByte(0, T.DESTROYED), outcomeByte(0, T.DISLODGED));
/** Result of a retreat: by 1 if it met another, else 0. */
const MEETINGS = Uint8Array.of(T.SUCCEEDS, T.FAILS);

// ---- the moves ----

/** Where the next unit of each power goes among the orders, by power + 1; and where that of each province went. */
const nextOf = scratch(T.MAX_POWERS + 2);
const slotOf = scratch(T.MAX_LOCATIONS);

/**
 * Writes a phase with the orders on the board by power, and their results without fates; returns where these begin.
 * @param head null if it is there, and the state of the phase behind it
 */
const writeMoves = (head: ReadyPhase | null, powerCount: number, locationCount: number): number => {
  const locations = locationCount | 0;
  let n = 0;
  for (let q = 1; q <= powerCount; q++) {
    nextOf[q] = n;
    n = (n + boardUnits[q]) | 0;
  }
  const orderAt = (head === null ? writer.orders(n) : writer.readyPhase(head, n)) | 0;
  const resultAt = (writer.at - n) | 0;
  const { bytes, view } = writer;
  let rides = 0;
  for (let i = 0; i < n; i++) {
    const p = places[i];
    const o = order[p];
    const word = unit[p];
    const power = powerOfWord(word);
    const slot = nextOf[power];
    nextOf[power] = slot + 1;
    slotOf[p] = slot;
    view.setInt32((orderAt + (slot << 2)) | 0, packedByWord(o, word, locations), true);
    const type = orderType(o);
    bytes[(resultAt + slot) | 0] = resultBy(type, success[p] & 1, matched[p], byConvoy[p]);
    // Negative for a ride.
    rides |= (type ^ RAIL) - 1;
  }
  if (rides < 0) writeStops(resultAt, n);
  return resultAt;
};

/** Results of rides by railroad that end before their target. */
const writeStops = (resultAt: number, n: number): void => {
  for (let i = 0; i < n; i++) {
    const p = places[i];
    if (orderType(order[p]) === RAIL && success[p] === 1 && destination[p] !== orderTarget(order[p]))
      writer.bytes[resultAt + slotOf[p]] = STOPS;
  }
};

/** Writes a phase with the first orders of a list, and their results from `results`. */
const writeListed = (head: ReadyPhase, listed: Int32Array, n: number): void => {
  const orderAt = writer.readyPhase(head, n);
  writer.fillOrders(orderAt, listed, results, n);
};

// ---- games ----

const onBoard = new P.RandomGame();
const stream = new Int32Array(2);
const value = new Float64Array(T.MAX_POWERS);

/** Games of a shard as they were played. */
export interface PlayedShard {
  /** As encodeShard() writes them, unless they were taken; valid until this thread plays the next ones. */
  readonly bytes: Uint8Array;
  /** Number of all bytes, and their CRC-32. */
  readonly size: number;
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
  private readonly start: Game = newGame(this.map, this.rules);
  private readonly end: Game = newGame(this.map, this.rules);
  private readonly headOf: (year: number, season: number, phase: number) => ReadyPhase = makeHeads(this.map.startYear);
  /** The first and the last phase up to the bytes of their states; these. */
  declare private readonly first: RecordPiece;
  declare private readonly last: RecordPiece;
  declare private readonly firstState: Uint8Array;
  declare private readonly lastState: Uint8Array;
  declare private readonly scoreHeads: readonly RecordPiece[];
  private readonly centers = new Int32Array(this.map.powerCount);
  declare summary: Summary;

  constructor(
    readonly map: CompiledMap,
    readonly rules: Rules,
  ) {
    this.firstState = recordState(this.start);
    const { length } = this.firstState;
    this.first = phasePiece(phaseName(this.start), length);
    this.last = phasePiece(COMPLETED, length);
    this.lastState = this.end.bytes.subarray(0, length);
    this.scoreHeads = scoreNames.map((name) => scorePiece(name, map.powerCount));
    this.summary = makeSummary(map.powerCount);
  }

  /**
   * Plays and writes one step; returns the number of phases.
   * @param head as writeMoves() takes it
   */
  private step(sampler: number, head: ReadyPhase | null, year: number, season: number): number {
    onBoard.begin(sampler);
    const resultAt = writeMoves(head, this.map.powerCount, this.map.locationCount);
    onBoard.finish(sampler);
    const phases = counts[0] === 0 ? 1 : 1 + this.writeRetreats(resultAt, year, season);
    if (counts[1] === 0) return phases;
    // All adjustments succeed.
    results.fill(SUCCEEDS, 0, counts[1]);
    writeListed(this.headOf(year, T.WINTER, T.ADJUSTMENT), adjustments, counts[1]);
    return phases + 1;
  }

  /** Writes the fates of the dislodged units, and their retreats; returns 0 if there are none. */
  private writeRetreats(resultAt: number, year: number, season: number): number {
    const { locationProvince } = this.map;
    const { bytes } = writer;
    const dislodged = counts[0];
    let n = 0;
    for (let i = 0; i < dislodged; i++) {
      const province = locationProvince[orderLocation(retreats[i])];
      const hasWay = (0 - open[i]) >>> 31;
      bytes[resultAt + slotOf[province]] |= FATES[hasWay];
      orders[n] = retreats[i];
      results[n] = MEETINGS[met[i]];
      n += hasWay;
    }
    if (n === 0) return 0;
    writeListed(this.headOf(year, season, T.RETREAT), orders, n);
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
    onBoard.load(start, stream);
    while (onBoard.winner < 0 && !isAfterLastYear(onBoard.year, until) && !this.isOver(watch)) {
      writer.reserve(ROOM);
      const { year, season } = onBoard;
      const head = steps > 0 ? this.headOf(year, season, T.MOVEMENT) : this.beginFirst();
      phases += this.step(sampler, head, year, season);
      steps++;
    }
    onBoard.store(end, stream);
    if (onBoard.winner < 0) declareDraw(end);
    writer.reserve(ROOM);
    writer.piece(this.last);
    writer.raw(this.lastState);
    writer.orders(0);
    writer.endPhases(phases + 1);
    end.countCenters(this.centers);
    this.writeScores(onBoard.winner);
    writer.endGame();
    this.count(phases, steps);
    return steps;
  }

  /** Writes the first phase up to its orders. */
  private beginFirst(): null {
    writer.piece(this.first);
    writer.raw(this.firstState);
    return null;
  }

  private isOver(watch: EndingWatch | null): boolean {
    if (watch === null) return false;
    onBoard.store(this.end, stream);
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
    const { winner } = onBoard;
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

/** Games between two reports, which fit into the cache of a processor: their bytes are checked and taken from there. */
const REPORT_GAMES = 16;

/**
 * Plays and records some games of a run, for which isRecordable() must be true.
 * @param onGames called now and then with the games and phase-steps since the last call
 * @param take takes the bytes since the last call, which are gone afterwards. Default: all are in the result
 */
export const playSampledShard = (
  map: CompiledMap,
  rules: Rules,
  { sampler, seed, begin, end, ending }: SampledGames,
  onGames: (games: number, steps: number) => void,
  take?: (bytes: Uint8Array) => void,
): PlayedShard => {
  if (recorder?.map !== map || recorder.rules !== rules) recorder = new Recorder(map, rules);
  recorder.summary = makeSummary(map.powerCount);
  writer.beginShard();
  let crc = 0;
  let size = 0;
  let checked = 0;
  for (let index = begin; index < end; ) {
    const last = Math.min(end, index + REPORT_GAMES);
    const games = last - index;
    let steps = 0;
    for (; index < last; index++) steps += recorder.play(sampler, gameSeed(seed, index), index, ending);
    onGames(games, steps);
    const bytes = writer.bytes.subarray(checked, writer.at);
    crc = crc32(bytes, crc);
    size += bytes.length;
    if (take !== undefined) {
      take(bytes);
      writer.rewind();
    }
    checked = writer.at;
  }
  return { bytes: writer.bytes.subarray(0, writer.at), size, crc, summary: recorder.summary };
};
