// Measures how strong one agent is against each of several rivals: one seat against six, or against a mixed table.
//
//   node dist/test/tools/goals.js [--rows A,B] [--agent TEXT] [--games 56] [--until 1908] [--seed 1] [--workers 2]
//                                 [--keep FILE] [--against FILE]
//
// Games follow from the seed, so two agents play the same ones: seat and chance of game N are the same. With --keep every
// game is a line of FILE as soon as it has ended, and the same command again plays only those that are missing. With
// --against another such file, the difference to its games is told too, game by game.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { SUM_OF_SQUARES, scoreInto } from '../../engine/internal.js';
import type { ArenaGame, ArenaTask } from '../../selfplay/arena/arena-game.js';
import type { ArenaSpec } from '../../selfplay/arena/protocol.js';
import { makePool } from '../../selfplay/workers/pool.js';
import { inTurns } from '../../selfplay/workers/turns.js';

const SMALL_SEARCH = 'search:version=1:rollouts=400';

/** The rivals of each row: one for all six seats, or six. */
const rows: Readonly<Record<string, readonly string[]>> = {
  dumbbot: ['dumbbot'],
  greedy: ['greedy'],
  guard: ['guard'],
  reply: ['reply'],
  first: [SMALL_SEARCH],
  mixed: ['dumbbot', 'greedy', 'guard', 'reply', SMALL_SEARCH, 'policy'],
};

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: Object.keys(rows).join(',') },
    agent: { type: 'string', default: 'search:rollouts=2400' },
    games: { type: 'string', default: '56' },
    until: { type: 'string', default: '1908' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: '2' },
    keep: { type: 'string' },
    against: { type: 'string' },
  },
});

/** One game of the agent, as a line of a file. */
interface Line {
  readonly row: string;
  readonly seed: number;
  readonly until: number;
  readonly index: number;
  readonly share: number;
  readonly centers: number;
  readonly solo: boolean;
}

const readLines = (file: string | undefined): Line[] =>
  file === undefined || !existsSync(file)
    ? []
    : readFileSync(file, 'utf8')
        .split('\n')
        .filter((text) => text !== '')
        .map((text) => JSON.parse(text) as Line);

const games = Number(values.games);
const until = Number(values.until);
const seed = Number(values.seed);
const isOurs = (line: Line): boolean => line.seed === seed && line.until === until && line.index < games;
const kept = readLines(values.keep).filter(isOurs);
const other = readLines(values.against).filter(isOurs);

const shareOf = ({ centers, winner }: ArenaGame, power: number): number => {
  const out = new Float64Array(centers.length);
  scoreInto(SUM_OF_SQUARES, Int32Array.from(centers), 0, centers.length, winner, out);
  return out[power];
};

/** Mean and standard error. */
const summary = (list: readonly number[]): [number, number] => {
  const mean = list.reduce((sum, x) => sum + x, 0) / list.length;
  const variance = list.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (list.length - 1);
  return [mean, Math.sqrt(variance / list.length)];
};

const round = (x: number): number => Math.round(x * 1e4) / 1e4;

const pool = makePool({ workers: Number(values.workers) });
const module = new URL('../../selfplay/arena/arena-game.js', import.meta.url).href;

const measure = async (row: string): Promise<void> => {
  const rivals = rows[row] ?? [row];
  const spec: ArenaSpec = {
    map: 'standard',
    rules: 'datc-3.2',
    agents: [values.agent, ...rivals],
    protocol: rivals.length === 1 ? '1v6' : 'random-seats',
    scoring: 'sum_of_squares',
    games,
    until,
    seed,
  };
  const lines = kept.filter((line) => line.row === row);
  const missing = Array.from({ length: games }, (_, i) => i).filter((i) => !lines.some(({ index }) => index === i));
  const begin = performance.now();
  await inTurns(missing.length, Number(values.workers), async (i) => {
    const data: ArenaTask = { spec, index: missing[i] };
    const game = await pool.call<ArenaGame>({ module, name: 'playArenaGame', data });
    const power = game.seats.indexOf(0);
    const share = shareOf(game, power);
    const solo = game.winner === power;
    const line: Line = { row, seed, until, index: missing[i], share, centers: game.centers[power], solo };
    lines.push(line);
    if (values.keep !== undefined) appendFileSync(values.keep, `${JSON.stringify(line)}\n`);
  });
  const [share, error] = summary(lines.map((line) => line.share));
  const pairs = lines.flatMap((line) => {
    const match = other.find((one) => one.row === row && one.index === line.index);
    return match === undefined ? [] : [line.share - match.share];
  });
  const [more, moreError] = summary(pairs);
  const result = {
    row,
    agent: values.agent,
    games: lines.length,
    share: round(share),
    error: round(error),
    centers: round(summary(lines.map(({ centers }) => centers))[0]),
    out: lines.filter(({ centers }) => centers === 0).length,
    solos: lines.filter(({ solo }) => solo).length,
    ...(pairs.length > 1 ? { more: round(more), more_error: round(moreError), pairs: pairs.length } : {}),
    seconds: Math.round((performance.now() - begin) / 1000),
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
};

try {
  for (const row of values.rows.split(',')) await measure(row);
} finally {
  await pool.close();
}
