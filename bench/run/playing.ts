// Makes the timed chunks of random play: whole games, and one-year rollouts from spring 1901.

import type { CompiledMap } from '../../engine/map/compiled-map.js';
import { standard } from '../../engine/map/standard.js';
import { Batch } from '../../engine/play/batch.js';
import { POLICY, type Sampler, UNIFORM } from '../../engine/play/step.js';
import { hashGame, newGame } from '../../engine/position/game.js';
import { DATC_3_2, type Rules } from '../../engine/rules/options.js';
import { hashSeed, mix } from '../../engine/rules/random.js';
import { addRollouts, makeRolloutSums } from '../../selfplay/rollouts/rollout.js';
import { startTimer } from './timer.js';

/** Last year of the games on the standard map. A game without a winner by then is a draw. */
export const LAST_YEAR = 1910;
/** Number of phase-steps in a one-year rollout. */
export const YEAR_STEPS = 2;

export const playNames = ['policy', 'uniform', 'year'] as const;
/**
 * Kind of random play. `policy`, `uniform`: whole games with the heuristic or the uniform sampler. `year`: one-year
 * rollouts with the heuristic sampler.
 */
export type PlayName = (typeof playNames)[number];

/** A chunk of random play. The same seed gives the same games in every run. */
export interface Play {
  /** Number of games or rollouts in the chunk. */
  readonly games: number;
  /**
   * Plays the chunk and returns the number of its phase-steps. A phase-step is a movement phase of one game with the
   * retreats and adjustments after it.
   */
  run(): number;
  /** Plays the chunk and returns a hash of its results, an unsigned 32-bit integer. */
  check(): number;
}

const combine = (sum: number, word: number): number => mix(Math.imul(sum, 31) + word);

/** Map and rules of the games. */
export interface Setting {
  readonly map: CompiledMap;
  readonly rules: Rules;
}

/** Number of years from the first to the last year of a game, the same on every map. */
const YEARS = LAST_YEAR - standard.startYear;

/** Makes a chunk of whole games to the tenth year. @param games number of games */
export const makePlayouts = (sampler: Sampler, games: number, seed: number, { map, rules }: Setting): Play => {
  const batch = new Batch(map, rules, games, { until: map.startYear + YEARS });
  const run = (): number => {
    batch.reset(seed);
    return batch.playout(sampler);
  };
  const check = (): number => {
    let sum = run();
    for (let i = 0; i < games; i++) {
      const [low, high] = hashGame(batch.game(i));
      sum = combine(combine(combine(sum, low), high), batch.steps[i]);
    }
    return sum >>> 0;
  };
  return { games, run, check };
};

const makeYears = (games: number, seed: number): Play => {
  const start = newGame(standard, DATC_3_2);
  const options = { horizon: YEAR_STEPS, count: games, seed };
  const run = (): number => {
    const sums = makeRolloutSums(standard.powerCount);
    addRollouts(start, options, sums);
    return sums.steps;
  };
  const check = (): number => {
    const sums = makeRolloutSums(standard.powerCount);
    addRollouts(start, options, sums);
    const words = new Int32Array(sums.sums.buffer.slice(0));
    return words.reduce(combine, sums.steps) >>> 0;
  };
  return { games, run, check };
};

/**
 * Makes a chunk of random play on the standard map.
 * @param games number of games or rollouts; 128 games or 2,048 rollouts take about 3 ms
 */
export const makePlay = (name: PlayName, games: number, seed: number): Play =>
  name === 'year'
    ? makeYears(games, seed)
    : makePlayouts(name === 'policy' ? POLICY : UNIFORM, games, seed, { map: standard, rules: DATC_3_2 });

/** Returns the number of games or rollouts in a chunk that takes a few milliseconds. */
export const chunkOf = (name: PlayName): number => (name === 'year' ? 4096 : 256);

/** Plays chunks with other seeds for the given time, so that V8 compiles the code. */
export const warmUp = (name: PlayName, milliseconds: number): void => {
  const spent = startTimer();
  for (let seed = 0; spent() < milliseconds; seed++)
    makePlay(name, chunkOf(name) >> 2, hashSeed(0x7761_726d, seed)).run();
};
