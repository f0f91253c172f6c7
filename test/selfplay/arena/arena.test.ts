// Tests seats, standings and that an arena does not depend on its workers; also statistics of recorded games.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { barPlot, linePlot } from '../../../bindings/draw/plots.js';
import { DATC_3_2, standard } from '../../../engine/internal.js';
import { parseAgents } from '../../../selfplay/agents/registry.js';
import { runArena } from '../../../selfplay/arena/arena.js';
import { type ArenaSpec, seatsOf } from '../../../selfplay/arena/protocol.js';
import { summarizeArena } from '../../../selfplay/arena/standings.js';
import { makeFaults } from '../../../selfplay/crew/faults.js';
import type { Pool } from '../../../selfplay/crew/pool.js';
import { gameSeed } from '../../../selfplay/games/game-record.js';
import { playGame } from '../../../selfplay/games/play.js';
import { GameCursor } from '../../../selfplay/records/game-cursor.js';
import { GameTableWriter } from '../../../selfplay/records/game-table.js';
import { encodeGame } from '../../../selfplay/records/record.js';
import { addOrders, addTable, errorOf, makeStats, meanOf, moveCounts } from '../../../selfplay/records/stats.js';
import { Replay } from '../../../selfplay/records/verify.js';
import { rejection } from '../../tools/errors.js';
import { withPool } from '../../tools/runs.js';

const spec: ArenaSpec = {
  map: 'standard',
  rules: 'datc-3.2',
  agents: ['dumbbot', 'random', 'policy'],
  protocol: '1v6',
  scoring: 'sum_of_squares',
  games: 14,
  until: 1903,
  seed: 9,
};

const seats = suite('seats');

/** Who sits where in a game of an arena, as indices of its agents. */
const seatings: readonly (readonly [protocol: '1v6' | '6v1', game: number, seats: readonly number[]])[] = [
  ['1v6', 0, [0, 1, 1, 1, 1, 1, 1]],
  ['1v6', 6, [1, 1, 1, 1, 1, 1, 0]],
  ['1v6', 8, [2, 0, 2, 2, 2, 2, 2]],
  ['1v6', 14, [0, 1, 1, 1, 1, 1, 1]],
  ['6v1', 9, [0, 0, 2, 0, 0, 0, 0]],
];
seats('1v6 and 6v1 rotate the single seat, then take the next opponent', () => {
  for (const [protocol, game, wanted] of seatings) assert.equal(seatsOf({ ...spec, protocol }, game, 7), wanted);
});

seats('round-robin has every ordered pair, in every seat', () => {
  const found = new Set<string>();
  for (let index = 0; index < 42; index++) found.add(seatsOf({ ...spec, protocol: 'round-robin' }, index, 7).join());
  assert.is(found.size, 42);
});

seats('random seats are dealt as evenly as they can be', () => {
  const counts = [0, 0, 0];
  for (let index = 0; index < 300; index++) {
    const dealt = seatsOf({ ...spec, protocol: 'random-seats' }, index, 7);
    const own = [0, 1, 2].map((agent) => dealt.filter((one) => one === agent).length);
    assert.ok(Math.min(...own) >= 2 && Math.max(...own) <= 3);
    for (const agent of dealt) counts[agent]++;
  }
  for (const count of counts) assert.ok(Math.abs(count - 700) < 40, `got ${counts}`);
});

const standings = suite('standings');

standings('standings count scores, solos, most centres and survivors', () => {
  const [a, b] = summarizeArena({ ...spec, agents: ['a', 'b'] }, [
    { seats: [0, 1, 1, 1, 1, 1, 1], centers: [18, 8, 8, 0, 0, 0, 0], winner: 0, years: 3 },
    { seats: [1, 0, 1, 1, 1, 1, 1], centers: [4, 6, 6, 6, 6, 6, 0], winner: -1, years: 3 },
  ]);
  const second = 36 / (5 * 36 + 16);
  assert.ok(Math.abs(a.score - (1 + second) / 2) < 1e-12);
  assert.ok(Math.abs(a.error - (1 - second) / 2) < 1e-12, `error ${a.error}`);
  assert.equal([a.games, a.seats, a.solos, a.most, a.centers], [2, 2, 1, 1, 12]);
  assert.equal([b.seats, b.most, b.survived, b.defeated], [12, 0, 7, 5]);
  assert.equal([a.powers.AUSTRIA.games, a.powers.AUSTRIA.score, a.powers.GERMANY], [1, 1, undefined]);
});

standings('games do not depend on the number of workers', async () => {
  const one = await runArena(spec, { workers: 1 });
  for (const workers of [2, 3]) assert.equal(await runArena(spec, { workers }), one);
  assert.is(one.games.length, 14);
  for (const { centers } of one.games) assert.ok(centers.reduce((sum, n) => sum + n, 0) <= 34);
});

standings('a worker that crashes changes nothing: its games are played again', async () => {
  const calm = await runArena(spec, { workers: 1 });
  for (const how of ['exit', 'memory'] as const)
    await withPool({ workers: 2, faults: makeFaults('games 4 to 5', how, 2) }, async (pool) => {
      const played: number[] = [];
      assert.equal(await runArena(spec, { workers: 2, pool, onGame: (n) => played.push(n) }), calm);
      assert.is(pool.crashed, 2, how);
      assert.equal(
        played,
        calm.games.map((_, i) => i + 1),
      );
    });
});

standings(
  'games that crash three workers, or an agent that fails, end the arena; the pool can be used again',
  async () => {
    const refusal = (change: Partial<ArenaSpec>, pool?: Pool) =>
      rejection(runArena({ ...spec, ...change }, { workers: 2, ...(pool && { pool }) }));
    const unknown = { agents: ['dumbbot', 'nobody'] };
    await withPool({ workers: 2, faults: makeFaults('games 4 to 5', 'exit', 3) }, async (pool) => {
      assert.match(await refusal({}, pool), /^games 4 to 5: 3 worker threads have crashed, .*code.* 9/);
      assert.match(await refusal(unknown, pool), 'got "nobody"');
      assert.is((await runArena({ ...spec, games: 2 }, { workers: 2, pool })).games.length, 2);
    });
    assert.match(await refusal(unknown), 'got "nobody"');
    assert.match(await refusal({ agents: ['dumbbot'] }), 'agents: got 1, wanted');
  },
);

const stats = suite('stats');

stats('sums of two recorded games', async () => {
  const made = makeStats(7);
  const table = new GameTableWriter(standard, DATC_3_2);
  const replay = new Replay(standard, DATC_3_2);
  const cursor = new GameCursor();
  let moves = 0;
  for (let index = 0; index < 2; index++) {
    const record = await playGame({
      seed: gameSeed(1, index),
      index,
      agents: parseAgents('dumbbot', 7),
      until: 1902 + index,
    });
    assert.is(replay.play(cursor.open(encodeGame(record))), null);
    table.add(cursor, replay);
    addOrders(made, cursor);
    for (const { orders } of record.phases) moves += orders.filter((order) => (order & 15) === 2).length;
  }
  addTable(made, table.table());
  assert.equal([made.games, made.draws, moveCounts(made).moves], [2, 2, moves]);
  assert.equal([meanOf(made.years), errorOf(made.years), made.lengths], [2.5, 0.5, { 2: 1, 3: 1 }]);
  assert.equal(
    Object.entries(made.centers).map(([year, centers]) => [year, centers[0].count]),
    [
      ['1901', 2],
      ['1902', 2],
      ['1903', 1],
    ],
  );
  const total = made.centers[1903].reduce((sum, of) => sum + of.sum, 0);
  assert.ok(total > 22 && total <= 34);
});

stats('plots are SVG with a line or bar for each name', () => {
  const line = { name: 'A & B', colour: 'red', dashes: '', points: [[1901, 3] as const, [1903, 4] as const] };
  const lines = linePlot({ title: 'Centres', unit: 'mean', lines: [line], from: 1901 });
  assert.match(lines, /^<svg /);
  assert.match(lines, /A &amp; B/);
  // From the left edge 56 to 600, from the bottom 356 to 40.
  assert.equal(/<polyline points="([^"]*)"/.exec(lines)?.[1], '56.0,119.0 600.0,40.0');
  const bars = barPlot('Lengths', Object.entries({ 1: 2, 2: 3 }), 'games');
  assert.is(bars.match(/<rect/g)?.length, 3);
});

seats.run();
standings.run();
stats.run();
