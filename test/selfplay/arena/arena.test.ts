// Tests seats, standings and that an arena does not depend on its workers; also statistics of recorded games.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { barPlot, linePlot } from '../../../bindings/draw/plots.js';
import { DATC_3_2, standard } from '../../../engine/internal.js';
import { parseAgents } from '../../../selfplay/agents/registry.js';
import { runArena } from '../../../selfplay/arena/arena.js';
import type { ArenaGame } from '../../../selfplay/arena/arena-game.js';
import { type ArenaSpec, seatsOf } from '../../../selfplay/arena/protocol.js';
import { summarizeArena } from '../../../selfplay/arena/standings.js';
import { makeFaults } from '../../../selfplay/crew/faults.js';
import { makePool } from '../../../selfplay/crew/pool.js';
import { gameSeed } from '../../../selfplay/games/game-record.js';
import { playGame } from '../../../selfplay/games/play.js';
import { GameCursor } from '../../../selfplay/records/game-cursor.js';
import { GameTableWriter } from '../../../selfplay/records/game-table.js';
import { encodeGame } from '../../../selfplay/records/record.js';
import { addOrders, addTable, errorOf, makeStats, meanOf, moveCounts } from '../../../selfplay/records/stats.js';
import { Replay } from '../../../selfplay/records/verify.js';
import { rejection } from '../../tools/errors.js';

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

seats('1v6 and 6v1 rotate the single seat, then take the next opponent', () => {
  assert.equal(seatsOf(spec, 0, 7), [0, 1, 1, 1, 1, 1, 1]);
  assert.equal(seatsOf(spec, 6, 7), [1, 1, 1, 1, 1, 1, 0]);
  assert.equal(seatsOf(spec, 8, 7), [2, 0, 2, 2, 2, 2, 2]);
  assert.equal(seatsOf(spec, 14, 7), seatsOf(spec, 0, 7));
  assert.equal(seatsOf({ ...spec, protocol: '6v1' }, 9, 7), [0, 0, 2, 0, 0, 0, 0]);
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

const ended = (seatsThere: number[], centers: number[], winner = -1): ArenaGame => ({
  seats: seatsThere,
  centers,
  winner,
  years: 3,
});

standings('standings count scores, solos, most centres and survivors', () => {
  const two = { ...spec, agents: ['a', 'b'] };
  const [a, b] = summarizeArena(two, [
    ended([0, 1, 1, 1, 1, 1, 1], [18, 8, 8, 0, 0, 0, 0], 0),
    ended([1, 0, 1, 1, 1, 1, 1], [4, 6, 6, 6, 6, 6, 0]),
  ]);
  assert.is(a.games, 2);
  assert.is(a.seats, 2);
  assert.is(b.seats, 12);
  const second = 36 / (5 * 36 + 16);
  assert.ok(Math.abs(a.score - (1 + second) / 2) < 1e-12);
  assert.ok(Math.abs(a.error - (1 - second) / 2) < 1e-12, `error ${a.error}`);
  assert.is(a.solos, 1);
  assert.is(a.most, 1);
  assert.is(b.most, 0);
  assert.is(b.survived, 7);
  assert.is(b.defeated, 5);
  assert.is(a.centers, 12);
  assert.is(a.powers.AUSTRIA.games, 1);
  assert.is(a.powers.AUSTRIA.score, 1);
  assert.is(a.powers.GERMANY, undefined);
});

standings('games do not depend on the number of workers', async () => {
  const one = await runArena(spec, { workers: 1 });
  for (const workers of [2, 3]) assert.equal(await runArena(spec, { workers }), one);
  assert.is(one.games.length, 14);
  for (const { centers } of one.games) assert.ok(centers.reduce((sum, n) => sum + n, 0) <= 34);
});

standings('a worker that crashes changes nothing: its games are played again', async () => {
  const calm = await runArena(spec, { workers: 1 });
  for (const how of ['exit', 'memory'] as const) {
    const pool = makePool({ workers: 2, faults: makeFaults('games 4 to 5', how, 2) });
    const played: number[] = [];
    const result = await runArena(spec, { workers: 2, pool, onGame: (n) => played.push(n) });
    const { crashed } = pool;
    await pool.close();
    assert.equal(result, calm);
    assert.is(crashed, 2, how);
    assert.equal(
      played,
      calm.games.map((_, i) => i + 1),
    );
  }
});

standings(
  'games that crash three workers, or an agent that fails, ends the arena; the pool can be used again',
  async () => {
    const pool = makePool({ workers: 2, faults: makeFaults('games 4 to 5', 'exit', 3) });
    assert.match(
      await rejection(runArena(spec, { workers: 2, pool })),
      /^games 4 to 5: 3 worker threads have crashed, .*code.* 9/,
    );
    const unknown = { ...spec, agents: ['dumbbot', 'nobody'] };
    assert.match(await rejection(runArena(unknown, { workers: 2, pool })), 'got "nobody"');
    assert.is((await runArena({ ...spec, games: 2 }, { workers: 2, pool })).games.length, 2);
    await pool.close();
    assert.match(await rejection(runArena(unknown, { workers: 2 })), 'got "nobody"');
    assert.match(await rejection(runArena({ ...spec, agents: ['dumbbot'] }, { workers: 2 })), 'agents: got 1, wanted');
  },
);

const stats = suite('stats');

stats('sums of two recorded games', async () => {
  const made = makeStats(7);
  const agents = parseAgents('dumbbot', 7);
  const table = new GameTableWriter(standard, DATC_3_2);
  const replay = new Replay(standard, DATC_3_2);
  const cursor = new GameCursor();
  let moves = 0;
  for (let index = 0; index < 2; index++) {
    const record = await playGame({ seed: gameSeed(1, index), index, agents, until: 1902 + index });
    assert.is(replay.play(cursor.open(encodeGame(record))), null);
    table.add(cursor, replay);
    addOrders(made, cursor);
    for (const { orders } of record.phases) moves += orders.filter((order) => (order & 15) === 2).length;
  }
  addTable(made, table.table());
  assert.is(made.games, 2);
  assert.is(made.draws, 2);
  assert.is(moveCounts(made).moves, moves);
  assert.is(meanOf(made.years), 2.5);
  assert.is(errorOf(made.years), 0.5);
  assert.equal(made.lengths, { 2: 1, 3: 1 });
  assert.equal(Object.keys(made.centers), ['1901', '1902', '1903']);
  const counted = [1901, 1902, 1903].map((year) => made.centers[year][0].count);
  assert.equal(counted, [2, 2, 1]);
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
