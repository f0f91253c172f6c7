// Positions to draw orders for: those that games of the policy sampler pass through, each game fixed by a seed.
import { standard } from '../../engine/map/standard.js';
import { hashSeed } from '../../engine/random.js';
import { DATC_3_2 } from '../../engine/rules.js';
import { load, POLICY, step, store } from '../../engine/sampling/stepper.js';
import { Game, newGame } from '../../engine/state.js';
import { NO_UNIT } from '../../engine/types.js';

/** Positions of the middle game have this many units at least, and are of this year or later. */
const MID_UNITS = 30;
const MID_YEAR = standard.startYear + 4;
/** Games end here: the board has long been full. */
const LAST_YEAR = standard.startYear + 11;

const countUnits = (game: Game): number => {
  let n = 0;
  for (let p = 0; p < standard.provinceCount; p++) if (game.unitAt(p) !== NO_UNIT) n++;
  return n;
};

/** A stream of positions of the middle game in spring, at most one a year of each game. The seed fixes it. */
export const openMidGames = (seed: number): (() => Game) => {
  const start = newGame(standard, DATC_3_2);
  const stream = new Int32Array(2);
  let games = 0;
  let game = start;
  let over = true;
  /** Plays a year; false if somebody won in it. Whoever asks for positions may use the board in between. */
  const playYear = (): boolean => {
    load(game, stream);
    if (step(POLICY) >= 0 || step(POLICY) >= 0) return false;
    game = new Game(standard, DATC_3_2);
    store(game, stream);
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

/** The first positions of the stream. */
export const midPositions = (seed: number, size: number): Game[] => {
  const next = openMidGames(seed);
  return Array.from({ length: size }, () => next());
};
