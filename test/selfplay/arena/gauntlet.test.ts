// Tests measuring one agent against a field: seats and seeds, worst first, games that are kept, reports.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  BotUses,
  gauntletReport,
  reportMarkdown,
  reportRecord,
  reportText,
} from '../../../bindings/reports/arena-report.js';
import { parseAgent } from '../../../selfplay/agents/registry.js';
import { runArena } from '../../../selfplay/arena/arena.js';
import { type GauntletSpec, gauntletArenas, gauntletFamilies, runGauntlet } from '../../../selfplay/arena/gauntlet.js';
import { KeptGames } from '../../../selfplay/arena/kept-games.js';
import { arenaGameSeed, seatsOf } from '../../../selfplay/arena/protocol.js';
import { makeFolder } from '../../tools/command.js';
import { rejection } from '../../tools/errors.js';

const directory = makeFolder('field');

const spec: GauntletSpec = {
  map: 'standard',
  rules: 'datc-3.2',
  agent: 'guard',
  families: ['dumbbot', 'random', 'policy'],
  scoring: 'sum_of_squares',
  games: 7,
  until: 1902,
  seed: 9,
};

const gauntlet = suite('gauntlet');

gauntlet('six of each family, then a mixed table; seeds and seats of the agent are the same', () => {
  const arenas = gauntletArenas(spec);
  assert.equal(
    arenas.map(({ protocol, agents }) => [protocol, ...agents].join()),
    ['1v6,guard,dumbbot', '1v6,guard,random', '1v6,guard,policy', 'mixed,guard,dumbbot,random,policy'],
  );
  const other = gauntletArenas({ ...spec, agent: 'hold' });
  for (let index = 0; index < 14; index++)
    for (const arena of [...arenas, ...other]) {
      assert.is(arenaGameSeed(arena, index), arenaGameSeed(arenas[0], index));
      assert.is(seatsOf(arena, index, 7).indexOf(0), index % 7);
    }
  assert.equal(seatsOf(arenas[3], 0, 7), [0, 1, 2, 3, 1, 2, 3]);
  assert.equal(seatsOf(arenas[3], 9, 7), [2, 3, 0, 1, 2, 3, 1]);
  assert.is(gauntletArenas({ ...spec, families: ['hold'] }).length, 1);
  assert.is(gauntletFamilies.length, 6, 'six different ones at the mixed table');
  for (const family of gauntletFamilies) parseAgent(family);
});

gauntlet('the worst family comes first; the games are those of arenas, with any number of workers', async () => {
  const played: number[] = [];
  const result = await runGauntlet(spec, { workers: 1, onGame: (n) => played.push(n) });
  assert.equal(
    played,
    Array.from({ length: 29 }, (_, n) => n),
  );
  assert.is(result.games, 28);
  assert.equal(await runGauntlet(spec, { workers: 2 }), result);
  const scores = result.rows.map(({ standing }) => standing.score);
  assert.equal(
    scores,
    [...scores].sort((a, b) => a - b),
  );
  assert.equal(result.rows.map(({ family }) => family).sort(), ['dumbbot', null, 'policy', 'random'].sort());
  for (const [a, arena] of gauntletArenas(spec).entries()) {
    const row = result.rows.find(({ family }) => family === (spec.families[a] ?? null));
    assert.equal(row?.standing, (await runArena(arena, { workers: 1 })).standings[0]);
  }
});

gauntlet('games are kept: what is there is not played again, more games are added, other arenas stay', async () => {
  const path = join(directory, 'kept.json');
  const whole = await runGauntlet(spec, { workers: 1 });
  const few = { ...spec, games: 3 };
  await runGauntlet(few, { workers: 1, kept: new KeptGames(path) });
  const begun: number[] = [];
  const play = (of: GauntletSpec, onGame = (_: number): unknown => null) =>
    runGauntlet(of, { workers: 1, kept: new KeptGames(path), onGame });
  assert.equal(await play(spec, (n) => begun.push(n)), whole);
  assert.equal([begun[0], begun.length], [12, 17]);
  const before = readFileSync(path, 'utf8');
  await play(spec, (n) => assert.is(n, 28));
  assert.is(readFileSync(path, 'utf8'), before);
  await play({ ...few, agent: 'hold' });
  assert.equal(new KeptGames(path).of(gauntletArenas(spec)[1]).length, 7);
  assert.equal(
    readdirSync(directory).filter((name) => name !== 'kept.json' && name !== 'kept.json.lock'),
    [],
  );
});

gauntlet('a field that is stopped has the games so far, and keeps them', async () => {
  const kept = new KeptGames(join(directory, 'stopped.json'));
  const controller = new AbortController();
  const onGame = (n: number): void => {
    if (n === 9) controller.abort();
  };
  const result = await runGauntlet(spec, { workers: 1, kept, signal: controller.signal, onGame });
  assert.ok(result.games >= 9 && result.games < 28, `${result.games} games`);
  const again = new KeptGames(join(directory, 'stopped.json'));
  assert.equal(await runGauntlet(spec, { workers: 1, kept: again }), await runGauntlet(spec, { workers: 1 }));
});

gauntlet('files that keep no arenas are refused, and stay as they were', async () => {
  const path = join(directory, 'other.json');
  for (const text of ['', '{', '[]', '{"arenas":[{}]}', '{"arenas":[{"origin":{},"games":[1]}]}']) {
    writeFileSync(path, text);
    assert.throws(() => new KeptGames(path), /other\.json: got another file, wanted games of an arena/);
    assert.is(readFileSync(path, 'utf8'), text);
  }
  assert.throws(() => new KeptGames(directory), /got a directory with \S+ but no arena.json/);
  const refusal = await rejection(runGauntlet({ ...spec, families: [] }, { workers: 1 }));
  assert.match(refusal, 'families: got none, wanted at least 1');
});

gauntlet('a report is a table, Markdown and one object', async () => {
  const named: GauntletSpec = { ...spec, families: ['reply:plans=16', 'reply:plans=2'], games: 1, until: 1901 };
  const result = await runGauntlet(named, { workers: 1 });
  const text = reportText(gauntletReport(named, result), 1.5);
  assert.match(text, /^guard: 3 games to the end of 1901, seed 9, sum_of_squares, parity 0\.143, 1\.5 s$/m);
  for (const name of ['6 reply', '6 reply:plans=2', 'a mixed table'])
    assert.match(text, new RegExp(`^${name} +1 +0\\.`, 'm'));
  const bots = new BotUses();
  const use = {
    requests: 1,
    unanswered: 0,
    refused: 0,
    orders: 1,
    cost: null,
    unit: '',
    tokens: null,
    seconds: 0,
    slowest: 0,
  };
  bots.add(['guard', 'reply:plans=2'].map((agent) => ({ ...use, agent, name: `bot ${agent.length}` })));
  assert.match(reportText(gauntletReport(named, result, bots), 1.5), /^bot 5: 3 games (.|\n)*^6 bot 13 +1 +0\./m);
  const [head, rule, ...rows] = reportMarkdown(gauntletReport(named, result)).trim().split('\n');
  assert.match(head, /^\| against \| games \| mean score \|/);
  assert.is(rule.split('|').length, head.split('|').length);
  assert.is(rows.filter((row) => row.startsWith('| ')).length, 3);
  const {
    played,
    reproducible,
    rows: all,
  } = JSON.parse(JSON.stringify(reportRecord(gauntletReport(named, result), 1, 1.5)));
  assert.equal([played, reproducible, all.length], [3, true, 3]);
  assert.is(all[0].standing.score, result.rows[0].standing.score);
});

gauntlet.run();
