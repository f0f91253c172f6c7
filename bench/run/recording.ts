// What does it cost to record? Self-play with `random` in all seats, records written, beside the same number of games of
// the same sampler that nobody writes down (uniform_playouts_per_second of the benchmark), in turn on the same workers.
//
//   node dist/bench/run/recording.js [--games N] [--times N] [--workers N] [--seed S]
//
// A line of JSON for each turn, then the medians. Rates are games/s by the clock; `cpu` is processor time in us a game.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DATC_3_2, standard } from '../../engine/internal.js';
import { UNIFORM } from '../../engine/play/step.js';
import { makeCounters, runSelfplay } from '../../selfplay/records/run.js';
import { defaultWorkers, makePool } from '../../selfplay/workers/pool.js';
import { LAST_YEAR } from './playing.js';
import { median } from './statistics.js';

const { values } = parseArgs({
  options: {
    games: { type: 'string', default: '40960' },
    times: { type: 'string', default: '7' },
    workers: { type: 'string', default: String(defaultWorkers()) },
    seed: { type: 'string', default: '1' },
  },
});
const [games, times, workers, seed] = [values.games, values.times, values.workers, values.seed].map(Number);

interface Turn {
  readonly rate: number;
  readonly cpu: number;
}

const clock = async (run: () => Promise<unknown>): Promise<Turn> => {
  const begin = performance.now();
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return { rate: (1000 * games) / (performance.now() - begin), cpu: (user + system) / games };
};

const sizeOf = (directory: string): number =>
  readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);

const agents = standard.powerNames.map(() => 'random');
const spec = { map: 'standard', rules: DATC_3_2.name, agents, games, until: LAST_YEAR };
const pool = makePool({ workers });
await pool.ready();
const ratios: number[] = [];
const cpuRatios: number[] = [];
let bytes = 0;
for (let turn = 0; turn < times; turn++) {
  const directory = mkdtempSync(join(tmpdir(), 'lepanto-recording-'));
  try {
    const options = { directory, commit: null, workers, pool, counters: makeCounters() };
    const played = await clock(() =>
      pool.playouts({ map: standard, rules: DATC_3_2, games, until: LAST_YEAR, seed: seed + turn, sampler: UNIFORM }),
    );
    const recorded = await clock(() => runSelfplay({ spec: { ...spec, seed: seed + turn }, ...options }));
    bytes = sizeOf(directory) / games;
    ratios.push(recorded.rate / played.rate);
    cpuRatios.push(played.cpu / recorded.cpu);
    process.stdout.write(`${JSON.stringify({ turn, played, recorded, ratio: ratios[turn], bytes })}\n`);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
await pool.close();
const summary = { games, until: LAST_YEAR, workers, ratio: median(ratios), cpu_ratio: median(cpuRatios), bytes };
process.stdout.write(`${JSON.stringify(summary)}\n`);
