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

/** Record of a phase: position, orders and results, and the targets and messages if there are any. */
export interface PhaseRecord extends PlayedPhase {
  /** Policy targets of the powers whose agents gave any, ascending by power. Undefined if there are none. */
  readonly targets?: readonly PolicyTargets[];
  /** Messages of the phase, ascending by time. Undefined if there are none. */
  readonly messages?: readonly Message[];
}

/** The record of a whole game. */
export interface GameRecord {
  /** Index of the game in its run, from 0. */
  readonly index: number;
  /** Seed of this game. In a run, gameSeed() derives it from the seed of the run and the index. */
  readonly seed: number;
  /**
   * Agent of each power, as index in the run's list of agents, indexed by power. Only in runs whose agents change
   * places between games.
   */
  readonly agents?: Uint16Array;
  /** All phases in order. The last entry is the final position, without orders. */
  readonly phases: readonly PhaseRecord[];
  /** Final scores by each scoring system. */
  readonly scores: Scores;
}

/** A phase as stored in a file, which may leave out the position. */
export interface StoredPhase extends Omit<PhaseRecord, 'state'> {
  /** Position before the orders; null if it is left out because replaying the previous phase gives it. */
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

/**
 * Returns the number of bytes of a position in a record. Dislodged units and contested provinces are stored only in
 * retreat phases.
 */
export const recordedSize = (game: Game): number =>
  game.phase === RETREAT ? game.layout.stride : game.layout.contested;

/**
 * Copies a recorded position into a game. Checks only the number of bytes; checkGame() validates the position.
 * @throws LepantoError if the number of bytes does not fit the map
 */
export const loadState = (game: Game, state: Uint8Array): void => {
  const { stride, contested } = game.layout;
  if (state.length !== stride && state.length !== contested)
    throw new LepantoError('argument', `state: got ${state.length} bytes, wanted ${contested} or ${stride}`);
  game.bytes.fill(0, game.offset, game.offset + stride);
  game.bytes.set(state, game.offset);
};

/**
 * Returns the seed of a game in a run. Different indices give different seeds.
 * @param index index of the game, from 0
 */
export const gameSeed = (runSeed: number, index: number): number => hashSeed(runSeed, index);

/** Returns a copy of a game's position as the bytes that a record stores. */
export const recordState = (game: Game): Uint8Array => game.bytes.slice(game.offset, game.offset + recordedSize(game));

/**
 * Plays one phase of a game in place and returns the record of the phase.
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

/** Returns the final position of a game as the last entry of a record's phases: COMPLETED, without orders. */
export const endPhase = (game: Game): PhaseRecord => ({
  phase: COMPLETED,
  state: recordState(game),
  orders: new Int32Array(0),
  results: new Uint8Array(0),
});

/** Scores of a game, keyed by the name of the scoring system (engine/rules/score.ts). Each list is indexed by power. */
export type Scores = Readonly<Record<ScoreName, readonly number[]>>;

/**
 * Builds the scores of a game.
 * @param read returns the scores by one system, indexed by power; its arguments are name and index of the system
 */
export const byScore = (read: (name: ScoreName, system: number) => readonly number[]): Scores =>
  Object.fromEntries(scoreNames.map((name, system) => [name, read(name, system)])) as unknown as Scores;

const score = new Float64Array(MAX_POWERS);

/**
 * Returns the scores by all systems.
 * @param centers number of supply centres, indexed by power
 * @param winner power with a solo victory; -1 for none
 */
export const scoresOf = (centers: ArrayLike<number>, winner: number): Scores => {
  const powers = centers.length;
  return byScore((_, system) => {
    scoreInto(system, centers, 0, powers, winner, score);
    const list: number[] = [];
    for (let power = 0; power < powers; power++) list.push(score[power]);
    return list;
  });
};

/** Returns the scores by all systems for the current position of a game. */
export const gameScores = (game: Game): Scores => {
  const centers = new Int32Array(game.map.powerCount);
  game.countCenters(centers);
  return scoresOf(centers, game.status === SOLO ? game.winner : -1);
};
