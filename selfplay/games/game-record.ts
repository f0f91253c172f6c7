// Types of game records, and conversion of positions to and from their bytes. Imports no agents.

import { recordResults } from '../../engine/adjudicate/order-results.js';
import {
  adjudicate,
  COMPLETED,
  type Game,
  hashSeed,
  MAX_POWERS,
  makeResults,
  phaseName,
  RETREAT,
  type Results,
  type ScoreName,
  SOLO,
  scoreInto,
  scoreNames,
} from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import type { PlayedPhase } from '../question/agent.js';
import type { Message } from '../question/message.js';
import type { PolicyTargets } from './targets.js';

/** The record of a phase: position, orders and results, with targets and messages if the game has them. */
export interface PhaseRecord extends PlayedPhase {
  /** Policy targets of the powers whose agents gave any, ascending by power. Undefined if there are none. */
  readonly targets?: readonly PolicyTargets[];
  /** Messages of the phase in the order sent. Undefined if there are none. */
  readonly messages?: readonly Message[];
}

/** The record of a whole game. */
export interface GameRecord {
  /** Index of the game in its run, from 0. */
  readonly index: number;
  /** Seed of this game. In a run it is derived from the run's seed and the index: see gameSeed(). */
  readonly seed: number;
  /** Indices of the seats' agents in the run's list, by power. Only in runs whose seats change between games. */
  readonly agents?: Uint16Array;
  /** All phases in order. The last entry is the final position, without orders. */
  readonly phases: readonly PhaseRecord[];
  /** Final scores by scoring system and power. */
  readonly scores: Scores;
}

/** A phase as stored in a file: a PhaseRecord whose position may be left out. */
export interface StoredPhase extends Omit<PhaseRecord, 'state'> {
  /** The position before the orders, or null if replaying the previous phase gives it. */
  readonly state: Uint8Array | null;
}

/** A game as stored in a file. Every GameRecord is a StoredGame. */
export interface StoredGame extends Omit<GameRecord, 'phases'> {
  /** All phases in order. The last entry is the final position, without orders. */
  readonly phases: readonly StoredPhase[];
  /** Name of the map. Only set outside a run, and if it is not standard. */
  readonly map?: string;
  /** Name of the rules. Only set outside a run, and if they are not datc-3.2. */
  readonly rules?: string;
}

/** Returns the number of state bytes in a record. Only retreat phases store dislodged units and contested provinces. */
export const recordedSize = (game: Game): number =>
  game.phase === RETREAT ? game.layout.stride : game.layout.contested;

/**
 * Copies a recorded position into a game. Checks only the length: checkGame() validates the position.
 * @throws LepantoError if the number of bytes does not fit the map
 */
export const loadState = (game: Game, state: Uint8Array): void => {
  const { stride, contested } = game.layout;
  if (state.length !== stride && state.length !== contested)
    throw new LepantoError('argument', `state: got ${state.length} bytes, wanted ${contested} or ${stride}`);
  game.bytes.fill(0, game.offset, game.offset + stride);
  game.bytes.set(state, game.offset);
};

/** Returns the seed of a game in a run. Seeds in a run are distinct, because hashSeed() is a bijection of the index. */
export const gameSeed = (runSeed: number, index: number): number => hashSeed(runSeed, index);

/** Returns a copy of a game's position as the bytes that a record stores: see recordedSize(). */
export const recordState = (game: Game): Uint8Array => game.bytes.slice(game.offset, game.offset + recordedSize(game));

/**
 * Plays one phase of a game in place, as adjudicate() does, and returns its record.
 * @param orders packed legal orders of all powers, ascending by power
 * @param results overwritten with the result of each order; default: a new object
 */
export const playPhase = (game: Game, orders: Int32Array, results: Results = makeResults()): PhaseRecord => {
  const { phase } = game;
  const name = phaseName(game);
  const state = recordState(game);
  adjudicate(game, orders, orders.length, results);
  return { phase: name, state, orders, results: recordResults(game, phase, orders, results) };
};

/** Returns the position of a game as the last phase of its record: COMPLETED, without orders. */
export const endPhase = (game: Game): PhaseRecord => ({
  phase: COMPLETED,
  state: recordState(game),
  orders: new Int32Array(0),
  results: new Uint8Array(0),
});

/** Scores of a game: a list indexed by power for each scoring system, keyed by its name (engine/rules/score.ts). */
export type Scores = Readonly<Record<ScoreName, readonly number[]>>;

/** Builds Scores from a function that returns the list of one scoring system, given its name and index. */
export const byScore = (read: (name: ScoreName, system: number) => readonly number[]): Scores =>
  Object.fromEntries(scoreNames.map((name, system) => [name, read(name, system)])) as unknown as Scores;

const score = new Float64Array(MAX_POWERS);

/** Returns the scores of all systems. @param centers supply centres by power @param winner power with a solo, or -1 */
export const scoresOf = (centers: ArrayLike<number>, winner: number): Scores => {
  const powers = centers.length;
  return byScore((_, system) => {
    scoreInto(system, centers, 0, powers, winner, score);
    const list: number[] = [];
    for (let power = 0; power < powers; power++) list.push(score[power]);
    return list;
  });
};

/** Returns the scores of all systems for a game's current position. */
export const gameScores = (game: Game): Scores => {
  const centers = new Int32Array(game.map.powerCount);
  game.countCenters(centers);
  return scoresOf(centers, game.status === SOLO ? game.winner : -1);
};
