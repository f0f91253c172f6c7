// One phase of a game with the words of the package `diplomacy`: for the Game class of the Python package.
import { adjudicate, type Game, makeResults, phaseName } from '../../../engine/internal.js';
import { resultWords, statedPosition } from '../../formats/games/package-state.js';
import { homesOf } from '../../formats/games/zobrist.js';

/** A position as the package says it, without its timestamp and influence. */
export const diplomacyState = (game: Game): object => {
  const homes = homesOf(game.map);
  const { units, retreats, centers, builds, hash } = statedPosition(game, homes);
  return {
    name: phaseName(game),
    zobrist_hash: hash(),
    units,
    retreats,
    centers,
    homes,
    builds,
    winner: game.winner,
  };
};

/** Results by unit of the phase that a game stands at; the game itself is left as it was. */
export const diplomacyResults = (game: Game, orders: readonly number[]): Record<string, string[]> => {
  const results = makeResults();
  adjudicate(game.clone(), Int32Array.from(orders), orders.length, results);
  return resultWords(game.map, game.phase, results);
};
