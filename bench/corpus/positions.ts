// Collects mid-game positions from games of the heuristic sampler, determined by a seed.
import { standard } from '../../engine/map/standard.js';
import { POLICY, RandomGame } from '../../engine/play/step.js';
import { Game, newGame } from '../../engine/position/game.js';
import { DATC_3_2 } from '../../engine/rules/options.js';
import { hashSeed } from '../../engine/rules/random.js';
import { NO_UNIT } from '../../engine/rules/types.js';

/** Minimum number of units in a mid-game position. */
const MID_UNITS = 30;
/** First year in which a position counts as mid-game. */
const MID_YEAR = standard.startYear + 4;
/** Last year of a game. The board has been full for some years by then. */
const LAST_YEAR = standard.startYear + 11;

const countUnits = (game: Game): number => {
  let n = 0;
  for (let p = 0; p < standard.provinceCount; p++) if (game.unitAt(p) !== NO_UNIT) n++;
  return n;
};

/**
 * Returns a function that returns the next mid-game spring position at each call, at most one for each year of a game.
 * The positions depend only on the seed.
 */
export const openMidGames = (seed: number): (() => Game) => {
  const start = newGame(standard, DATC_3_2);
  const stream = new Int32Array(2);
  const onBoard = new RandomGame();
  let games = 0;
  let game = start;
  let over = true;
  /**
   * Plays a year from `game`. Returns false if a power won. Loads the position again, so that callers may use the board
   * between two positions.
   */
  const playYear = (): boolean => {
    onBoard.load(game, stream);
    if (onBoard.step(POLICY) >= 0 || onBoard.step(POLICY) >= 0) return false;
    game = new Game(standard, DATC_3_2);
    onBoard.store(game, stream);
    return true;
  };
  return () => {
    for (;;) {
      if (over) {
        game = start;
        stream[0] = hashSeed(seed, games, 1);
        stream[1] = hashSeed(seed, games++, 2);
      }
      const won = !playYear();
      over = won || game.year >= LAST_YEAR;
      if (!won && game.year >= MID_YEAR && countUnits(game) >= MID_UNITS) return game;
    }
  };
};

/** Returns the first `size` mid-game positions of a seed, as openMidGames() finds them. */
export const midPositions = (seed: number, size: number): Game[] => {
  const next = openMidGames(seed);
  return Array.from({ length: size }, () => next());
};
