// The record of a game, and the bytes of a position in it. What only reads records needs no agents.

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

/** One phase as it was played. */
export interface PhaseRecord extends PlayedPhase {
  /** What agents weighed for their orders, ascending by power, where that is kept and one of them says. */
  readonly targets?: readonly PolicyTargets[];
  /** The messages of the phase, in the order of time, where there are any. */
  readonly messages?: readonly Message[];
}

/** A whole game as it was played. */
export interface GameRecord {
  /** Place of the game in its run. */
  readonly index: number;
  /** Seed of the game itself; in a run it follows from the run's seed and the index. */
  readonly seed: number;
  /** By power: place of its agent among those of the run. Only in a run whose seats differ from game to game. */
  readonly agents?: Uint16Array;
  /** From the first phase to the position after the last one. */
  readonly phases: readonly PhaseRecord[];
  /** By scoring system and power. */
  readonly scores: Scores;
}

/** A phase as it is stored. */
export interface StoredPhase extends Omit<PhaseRecord, 'state'> {
  /** Null where it follows from the phase before. */
  readonly state: Uint8Array | null;
}

/** A game as it is stored: any GameRecord is one too. */
export interface StoredGame extends Omit<GameRecord, 'phases'> {
  /** From the first phase to the position after the last one. */
  readonly phases: readonly StoredPhase[];
  /** Name of the map; only outside a run, and where it is not standard. */
  readonly map?: string;
  /** Name of the rules; only outside a run, and where they are not datc-3.2. */
  readonly rules?: string;
}

/** Bytes of a game's state that a record holds: dislodged units and contested provinces only in a retreat phase. */
export const recordedSize = (game: Game): number =>
  game.phase === RETREAT ? game.layout.stride : game.layout.contested;

/** Puts a recorded position into a game. checkGame() checks more. @throws LepantoError for the length of another map */
export const loadState = (game: Game, state: Uint8Array): void => {
  const { stride, contested } = game.layout;
  if (state.length !== stride && state.length !== contested)
    throw new LepantoError('argument', `state: got ${state.length} bytes, wanted ${contested} or ${stride}`);
  game.bytes.fill(0, game.offset, game.offset + stride);
  game.bytes.set(state, game.offset);
};

/** Returns the seed of a game in a run. No two games of a run have the same seed, because hashSeed() is a bijection of the index. */
export const gameSeed = (runSeed: number, index: number): number => hashSeed(runSeed, index);

export const recordState = (game: Game): Uint8Array => game.bytes.slice(game.offset, game.offset + recordedSize(game));

/**
 * Plays one phase of a game in place, as adjudicate() does, and returns its record.
 * @param orders packed legal orders of all powers, by power
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

/** Scores by power, by the name of the scoring system (engine/rules/score.ts). */
export type Scores = Readonly<Record<ScoreName, readonly number[]>>;

export const byScore = (read: (name: ScoreName, system: number) => readonly number[]): Scores =>
  Object.fromEntries(scoreNames.map((name, system) => [name, read(name, system)])) as unknown as Scores;

const score = new Float64Array(MAX_POWERS);

/** Scores for centres by power. @param winner power with a solo; -1 if none */
export const scoresOf = (centers: ArrayLike<number>, winner: number): Scores => {
  const powers = centers.length;
  return byScore((_, system) => {
    scoreInto(system, centers, 0, powers, winner, score);
    const list: number[] = [];
    for (let power = 0; power < powers; power++) list.push(score[power]);
    return list;
  });
};

/** Scores of a game in its current position. */
export const gameScores = (game: Game): Scores => {
  const centers = new Int32Array(game.map.powerCount);
  game.countCenters(centers);
  return scoresOf(centers, game.status === SOLO ? game.winner : -1);
};
