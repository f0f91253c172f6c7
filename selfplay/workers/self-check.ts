// Measures how fast this thread is. About one start of V8 in 25 stays twice as slow for good, because a function was
// deoptimized at the wrong moment. A worker plays this after its start; the pool replaces it if it is far slower than the
// others.
import { DATC_3_2, newGame, standard } from '../../engine/internal.js';
import { Batch } from '../../engine/play/batch.js';
import { POLICY, UNIFORM } from '../../engine/play/step.js';
import { addRollouts, makeRolloutSums } from '../rollouts/rollout.js';

const LAST_YEAR = 1910;
/** Games of a round by each sampler; with the rollouts one to two milliseconds. */
const GAMES = 12;
const ROLLOUTS = 100;
/** Two years: long enough for retreats and builds. */
const HORIZON = 4;
/** Rounds of other seeds before the clock counts: every branch has been seen by then, and compiled. */
const WARM_ROUNDS = 40;
/** The least of several rounds is free of what else the processor had to do. */
const TIMED_ROUNDS = 10;

/** Plays to 1910 by both samplers (convoys, dislodgements, retreats, builds), and rollouts. Returns the phase-steps. */
const playRound = (batch: Batch, seed: number): number => {
  let steps = 0;
  for (const sampler of [POLICY, UNIFORM] as const) {
    batch.reset(seed);
    steps += batch.playout(sampler);
  }
  const sums = makeRolloutSums(standard.powerCount);
  addRollouts(newGame(standard, DATC_3_2), { horizon: HORIZON, count: ROLLOUTS, seed }, sums);
  return steps + sums.steps;
};

/** Warms this thread up, then measures it: nanoseconds for a phase-step of a fixed mixture, the least of some rounds. */
export const checkSelf = (): number => {
  const batch = new Batch(standard, DATC_3_2, GAMES, { until: LAST_YEAR });
  for (let round = 1; round <= WARM_ROUNDS; round++) playRound(batch, round);
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < TIMED_ROUNDS; round++) {
    const begin = performance.now();
    const steps = playRound(batch, 0);
    least = Math.min(least, ((performance.now() - begin) * 1e6) / steps);
  }
  return least;
};
