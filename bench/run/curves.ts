// Measures the curves of the plots: speed against workers, cost against units and horizon. Prints one JSON line.
//
//   node dist/bench/run/curves.js [milliseconds a point]
import { standard } from '../../engine/map/standard.js';
import { POLICY, type Sampler, UNIFORM } from '../../engine/play/step.js';
import { type Game, newGame } from '../../engine/position/game.js';
import { DATC_3_2 } from '../../engine/rules/options.js';
import { Random } from '../../engine/rules/random.js';
import { NO_UNIT } from '../../engine/rules/types.js';
import { addRollouts, makeRolloutSums } from '../../selfplay/rollouts/rollout.js';
import { midPositions } from '../corpus/positions.js';
import { runMain } from './child.js';
import { warmUp, YEAR_STEPS } from './playing.js';
import type { Curves } from './result.js';
import { median } from './statistics.js';
import { allThreads, openThreads } from './threads.js';

const SEED = 31;
const POSITIONS = 256;
const UNIT_COUNTS = [4, 8, 12, 16, 20, 24, 28, 32];
const HORIZONS = [1, 2, 4, 6, 8, 10, 12, 16, 20];
/** How often each point is measured, in turn; the median counts. */
const ROUNDS = 5;

/** Phase-steps a second for one worker up to twice as many as there are processors. */
const measureWorkers = async (milliseconds: number): Promise<Curves['workers']> => {
  const points: { workers: number; phase_steps_per_second: number }[] = [];
  for (let workers = 1; workers <= 2 * allThreads(); workers += workers < 8 ? 1 : 4) {
    const threads = await openThreads(workers);
    const rates: number[] = [];
    await threads.measure('policy', 0);
    for (let i = 0; i < ROUNDS; i++) rates.push((await threads.measure('policy', milliseconds)).steps);
    await threads.close();
    points.push({ workers, phase_steps_per_second: median(rates) });
  }
  return points;
};

/** The position with random units removed until this many are left. */
const thinOut = (game: Game, units: number, random: Random): Game => {
  const copy = game.clone();
  const places = [...Array(standard.provinceCount).keys()].filter((p) => copy.unitAt(p) !== NO_UNIT);
  while (places.length > units) copy.removeUnit(places.splice(random.below(places.length), 1)[0]);
  return copy;
};

type Played = Parameters<typeof addRollouts>[1];

/** Rollouts from these positions, again and again for so long: nanoseconds, phase-steps and rollouts. */
const timeRollouts = (positions: readonly Game[], options: Omit<Played, 'seed'>, milliseconds: number) => {
  const begin = performance.now();
  const sums = makeRolloutSums(standard.powerCount);
  let spent = 0;
  for (let seed = 0; spent < milliseconds; seed++) {
    for (const game of positions) addRollouts(game, { ...options, seed }, sums);
    spent = performance.now() - begin;
  }
  return { ns: spent * 1e6, steps: sums.steps, count: sums.count };
};

/** Measures each point in turn, several times; returns the medians. */
const inTurns = (points: readonly (() => number)[]): number[] => {
  const rounds = Array.from({ length: ROUNDS }, () => points.map((point) => point()));
  return points.map((_, i) => median(rounds.map((round) => round[i])));
};

const measureUnits = (milliseconds: number): Curves['units'] => {
  const random = new Random(SEED);
  const mid = midPositions(SEED, POSITIONS).filter(
    (game) => [...Array(standard.provinceCount).keys()].filter((p) => game.unitAt(p) !== NO_UNIT).length >= 32,
  );
  const groups = UNIT_COUNTS.map((units) => mid.map((game) => thinOut(game, units, random)));
  const timeYears = (sampler: Sampler): number[] =>
    inTurns(
      groups.map((group) => () => {
        const { ns, steps } = timeRollouts(group, { horizon: YEAR_STEPS, count: 4, sampler }, milliseconds / ROUNDS);
        return ns / steps;
      }),
    );
  const policy = timeYears(POLICY);
  const uniform = timeYears(UNIFORM);
  return UNIT_COUNTS.map((units, i) => ({ units, policy: policy[i], uniform: uniform[i] }));
};

const measureHorizon = (milliseconds: number): Curves['horizon'] => {
  const start = [newGame(standard, DATC_3_2)];
  const costs = inTurns(
    HORIZONS.map((horizon) => () => {
      const { ns, count } = timeRollouts(start, { horizon, count: 256 }, milliseconds / ROUNDS);
      return ns / count;
    }),
  );
  return HORIZONS.map((horizon, i) => ({ horizon, nanoseconds: costs[i] }));
};

const main = async ([text = '300']: readonly string[]): Promise<void> => {
  const milliseconds = Number(text);
  if (!(milliseconds > 0)) throw new Error(`milliseconds a point: got "${text}", wanted a number above 0`);
  for (const name of ['policy', 'uniform', 'year'] as const) warmUp(name, 300);
  const units = measureUnits(milliseconds);
  const horizon = measureHorizon(milliseconds);
  const workers = await measureWorkers(milliseconds);
  const curves: Curves = { workers, units, horizon };
  process.stdout.write(`${JSON.stringify(curves)}\n`);
};

await runMain(import.meta.url, main);
