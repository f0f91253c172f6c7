// How strong the agents are, and how fast the search: measurements, not tests. node dist/bench/strength/strength.js WHAT [SEED]
//
//   dumbbot   dumbbot against six random, 700 games to 1910
//   search    search with 1 s a move in each of 2 games at a time against six dumbbots, 70 games to 1908; greedy and
//             dumbbot in the same seats, 700 games
//   curve     the same with 50, 200 and 1000 ms
//   rollouts  the same with 250, 1,000, 4,000 and 16,000 rollouts, 140 games each: the machine does not matter
//   rivals    search with 1,000 and 4,000 rollouts against six greedy, and six policy, 28 games
//   root      rollouts a second in a search, beside raw rollouts of the same horizon
import {
  adjudicate,
  DATC_3_2,
  type Game,
  makeResults,
  newGame,
  Random,
  SUM_OF_SQUARES,
  standard,
} from '../../engine/internal.js';
import { POLICY } from '../../engine/play/step.js';
import { dumbbotOrders } from '../../selfplay/agents/dumbbot.js';
import { runArena } from '../../selfplay/arena/arena.js';
import type { ArenaSpec } from '../../selfplay/arena/protocol.js';
import { rollout } from '../../selfplay/rollouts/rollout.js';
import { findAllCandidates } from '../../selfplay/search/candidates.js';
import { searchMoves } from '../../selfplay/search/monte-carlo.js';
import { type HorizonOptions, searchDefaults } from '../../selfplay/search/options.js';
import { Playouts } from '../../selfplay/search/playout.js';

const [what = '', seedText = '1'] = process.argv.slice(2);
const seed = Number(seedText);

const measure = async (agents: readonly string[], games: number, until: number): Promise<void> => {
  const spec: ArenaSpec = {
    map: 'standard',
    rules: 'datc-3.2',
    agents,
    protocol: '1v6',
    scoring: 'sum_of_squares',
    games,
    until,
    seed,
  };
  const begin = performance.now();
  const { standings } = await runArena(spec, { workers: 2 });
  const [{ score, error, most, solos, centers }] = standings;
  const share = most / games;
  const line = {
    agents,
    games,
    until,
    seed,
    score,
    error,
    most: share,
    most_error: Math.sqrt((share * (1 - share)) / games),
    solos: solos / games,
    centers,
    seconds: (performance.now() - begin) / 1000,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
};

/** A fall of the fourth year that dumbbots have played. */
const middleGame = (): Game => {
  const game = newGame(standard, DATC_3_2);
  const random = new Random(seed);
  const one = new Int32Array(standard.provinceCount);
  const orders = new Int32Array(2 * standard.provinceCount);
  const results = makeResults();
  while (game.year < 1904 || game.season !== 1) {
    let n = 0;
    for (let power = 0; power < standard.powerCount; power++) {
      const count = dumbbotOrders(game, power, one, random.next());
      orders.set(one.subarray(0, count), n);
      n += count;
    }
    adjudicate(game, orders, n, results);
  }
  return game;
};

/** Rollouts a second of processor time: other programs do not disturb it. */
const speed = async (count: number, run: () => number | Promise<number>): Promise<number> => {
  await run();
  const begin = process.cpuUsage();
  const played = await run();
  const { user, system } = process.cpuUsage(begin);
  return (Math.max(played, count) * 1e6) / (user + system);
};

const rawPlayouts = (game: Game, options: HorizonOptions, count: number): number => {
  const candidates = findAllCandidates(game, seed, () => 40);
  const playouts = new Playouts(game, options);
  const profile = candidates.map(({ sets }) => playouts.prepare(sets[0]));
  const value = new Float64Array(standard.powerCount);
  for (let i = 0; i < count; i++) playouts.play(profile, seed, i, value);
  return count;
};

const measureRoot = async (): Promise<void> => {
  const game = middleGame();
  const kinds: (HorizonOptions & { readonly count: number })[] = [
    { depth: 2, playout: 'policy', value: 'sum_of_squares', count: 100_000 },
    { depth: 2, playout: 'dumbbot', value: 'heuristic', count: 10_000 },
  ];
  for (const { count, ...options } of kinds) {
    const { playout, depth, value } = options;
    const search = await speed(
      0,
      async () =>
        (await searchMoves(game, { ...searchDefaults, ...options, powers: [2], rollouts: count, seed })).rollouts,
    );
    const raw = await speed(count, () => rawPlayouts(game, options, count));
    const engine = await speed(
      count,
      () => rollout(game, { horizon: depth, count, seed, sampler: POLICY, score: SUM_OF_SQUARES }).count,
    );
    const line = { playout, depth, value, search, raw, share: search / raw, engine_rollouts: engine };
    process.stdout.write(`${JSON.stringify({ ...line, share_of_engine: search / engine })}\n`);
  }
};

const runs: Readonly<Record<string, () => Promise<void>>> = {
  dumbbot: () => measure(['dumbbot', 'random'], 700, 1910),
  search: async () => {
    for (const one of ['greedy', 'dumbbot']) await measure([one, 'dumbbot'], 700, 1908);
    await measure(['search:ms=1000', 'dumbbot'], 70, 1908);
  },
  curve: async () => {
    for (const ms of [50, 200, 1000]) await measure([`search:ms=${ms}`, 'dumbbot'], 70, 1908);
  },
  rollouts: async () => {
    for (const rollouts of [250, 1000, 4000, 16_000])
      await measure([`search:rollouts=${rollouts}`, 'dumbbot'], 140, 1908);
  },
  rivals: async () => {
    for (const rival of ['greedy', 'policy'])
      for (const rollouts of [1000, 4000]) await measure([`search:rollouts=${rollouts}`, rival], 28, 1908);
  },
  root: measureRoot,
};

const chosen = runs[what];
if (chosen === undefined) {
  process.stderr.write(`strength: got "${what}", wanted one of ${Object.keys(runs).join(', ')}\n`);
  process.exitCode = 2;
} else await chosen();
