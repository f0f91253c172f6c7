// Scores a finished game for each power, by every scoring system.
import { type Game, type ScoreName, SOLO, scoreInto, scoreNames } from '../../engine/internal.js';

/** Scores by power, by the name of the scoring system (engine/rules/score.ts). */
export type Scores = Readonly<Record<ScoreName, readonly number[]>>;

/** Lists by scoring system. */
export const byScore = (read: (name: ScoreName, system: number) => readonly number[]): Scores =>
  Object.fromEntries(scoreNames.map((name, system) => [name, read(name, system)])) as unknown as Scores;

/** Scores for centres by power. @param winner power with a solo; -1 if none */
export const scoresOf = (centers: ArrayLike<number>, winner: number): Scores => {
  const out = new Float64Array(centers.length);
  return byScore((_, system) => {
    scoreInto(system, centers, 0, centers.length, winner, out);
    return Array.from(out);
  });
};

/** Scores of a game in its current position. */
export const gameScores = (game: Game): Scores => {
  const centers = new Int32Array(game.map.powerCount);
  game.countCenters(centers);
  return scoresOf(centers, game.status === SOLO ? game.winner : -1);
};
