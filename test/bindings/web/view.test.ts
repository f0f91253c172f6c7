// Tests the server of `lepanto view` and what its pages are made of, without a browser.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inflateSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSource, recordsOf, wholeRecord } from '../../../bindings/formats/games/recorded-run.js';
import { findArenaGames, type OpenArenas } from '../../../bindings/web/arena-tables.js';
import { furthestApart, readComparisons } from '../../../bindings/web/compared-phases.js';
import { pageDocument, policyOf } from '../../../bindings/web/document.js';
import type {
  Deflated,
  FindAnswer,
  GamesAnswer,
  ReplayData,
  RunList,
  RunRow,
  SearchAnswer,
} from '../../../bindings/web/page-data.js';
import { replayPage } from '../../../bindings/web/replay-page.js';
import { RunIndex } from '../../../bindings/web/run-index.js';
import { RunLibrary } from '../../../bindings/web/run-library.js';
import { ScoreBook } from '../../../bindings/web/score-book.js';
import { writePlayground } from '../../../bindings/web/view-pages.js';
import { viewServer } from '../../../bindings/web/view-server.js';
import { newGame, standard } from '../../../engine/internal.js';
import { orders } from '../../../engine/notation/json/position.js';
import { callLepanto, type Ended, entry, makeFolder, runLepanto } from '../../tools/command.js';
import { examplePage, writeExamplePage } from '../../tools/example-page.js';
import { storedGames } from '../../tools/recorded.js';

const place = makeFolder('view');
const runs = join(place, 'runs');

process.chdir(place);
const run = (...args: string[]): Promise<Ended> => callLepanto(args);
const lepanto = async (...args: string[]): Promise<string> => {
  const { code, out, err } = await run(...args);
  assert.is(code, 0, err);
  return out;
};

interface Viewer {
  readonly child: ChildProcess;
  readonly address: string;
  readonly port: number;
}

const viewers: ChildProcess[] = [];

const startView = async (...args: string[]): Promise<Viewer> => {
  const child = spawn(process.execPath, [entry, 'view', ...args], { cwd: place, stdio: ['ignore', 'pipe', 'pipe'] });
  viewers.push(child);
  const [text] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  return { child, address: text.trim(), port: Number(new URL(text.trim()).port) };
};

/** The status and the text of an answer to a request with headers of its own. */
const ask = (
  address: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body = '',
): Promise<[number, string]> =>
  new Promise((resolve, reject) => {
    const asked = request(address, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve([response.statusCode ?? 0, text]));
    });
    asked.on('error', reject).end(body);
  });

const statusOf = async (address: string, headers?: Record<string, string>, method?: string): Promise<number> =>
  (await ask(address, headers, method))[0];

const gamesOf = async ({ address }: Viewer, query: string): Promise<GamesAnswer> => {
  const [status, text] = await ask(`${address}api/games?${query}`);
  assert.is(status, 200, text);
  return JSON.parse(text) as GamesAnswer;
};

/** The games, once all of them are indexed. */
const allGames = async (viewer: Viewer, query: string): Promise<GamesAnswer> => {
  for (let i = 0; i < 10_000; i++) {
    const answer = await gamesOf(viewer, query);
    if (answer.progress.left === 0) return answer;
    await setTimeout(25);
  }
  throw new Error('the index is not made');
};

const view = suite('view');
let viewer: Viewer;

view.before(async () => {
  mkdirSync(runs);
  await lepanto(...'selfplay --games 600 --until 1903 --agents random --seed 5 --out runs/main --quiet'.split(' '));
  await lepanto('selfplay', '--games', '3', '--until', '1902', '--agents', 'dumbbot', '--out', 'outside', '--quiet');
  viewer = await startView('runs');
});
view.after(() => {
  for (const child of viewers) child.kill('SIGKILL');
});

view('serves pages to the token and the names of this machine alone', async () => {
  const { address, port } = viewer;
  assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/);
  assert.is(await statusOf(address), 200);
  const token = new URL(address).pathname;
  assert.is(await statusOf(`http://127.0.0.1:${port}${token}`, { Host: `localhost:${port}` }), 200);
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    '127.0.0.1',
    `127.0.0.1.evil.example:${port}`,
    `127.0.0.1:${port}:x`,
  ])
    assert.is(await statusOf(address, { Host: host }), 403, host);
  const forwarded = (await ask(address, { Host: '127.0.0.1:1' }))[1];
  assert.match(forwarded, new RegExp(`^got port 1, wanted ${port}, .*ssh -L ${port}:127\\.0\\.0\\.1:${port}`));
  for (const path of ['/', '/x/', `${token.slice(0, -2)}0/`, `/${token.slice(1).toUpperCase()}`, '//', '/%2e%2e/'])
    if (path !== token) assert.is(await statusOf(`http://127.0.0.1:${port}${path}`), 403, path);
  assert.is(await statusOf(address, { Origin: 'https://evil.example' }), 403);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
    assert.is(await statusOf(address, {}, method), 405, method);
  for (const path of ['api/search', 'api/orders', 'api/save']) assert.is(await statusOf(address + path), 405);
  assert.match((await ask(`${address}api/save`, {}, 'POST', '{"name":"x"}')).join(), /^403,got a game to save/);
});

view('every answer forbids what the page does not need', async () => {
  for (const path of [
    '',
    ...'board editor play compare?run=main&game=3&phase=F1901M run?run=main replay?run=main&game=3'.split(' '),
  ]) {
    const { headers } = await fetch(viewer.address + path);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; /, path);
    assert.match(policy, /frame-ancestors 'none'$/);
    assert.not.match(policy, /unsafe|\*|https?:/);
    assert.is(headers.get('x-content-type-options'), 'nosniff');
    assert.is(headers.get('referrer-policy'), 'no-referrer');
  }
});

view('runs are named by the list alone: no path leads out of the directory', async () => {
  for (const name of [...'.. ../outside ../../etc /etc main/.. main/../../outside main%00'.split(' '), '', 'none']) {
    const query = `run=${encodeURIComponent(name)}`;
    for (const path of ['run', 'replay', 'compare', 'api/games', 'api/find', 'arena'])
      assert.is(await statusOf(`${viewer.address}${path}?${query}`), 404, name);
  }
});

view('an error of a page is a page with a way back, one of data a line of text', async () => {
  for (const [path, wanted] of [
    ['run?run=%3Cb%3Enope', 404],
    ['nowhere', 404],
    ['replay?run=main&game=600', 404],
    ['replay?run=main&game=x', 400],
    ['arena?run=nope', 404],
    ['compare?run=main&game=3&phase=S1999M', 400],
  ] as const) {
    const response = await fetch(viewer.address + path);
    assert.is(response.status, wanted, path);
    assert.match(
      response.headers.get('content-security-policy') ?? '',
      /^default-src 'none'; .*frame-ancestors 'none'$/,
    );
    const html = await response.text();
    assert.match(html, /<h1>.*role="alert">.*<a href=".\/">/s);
    assert.not.match(html, '<b>nope');
  }
  assert.match(
    (await ask(`${viewer.address}api/games?run=nope`)).join(),
    /^404,run: got "nope", wanted one of the list of runs\n$/,
  );
});

view('links are not followed: neither to a run nor to a shard', async () => {
  const library = join(place, 'linked');
  cpSync(join(place, 'outside'), join(library, 'own'), { recursive: true });
  symlinkSync(join(place, 'outside'), join(library, 'link'));
  mkdirSync(join(library, 'shard'));
  cpSync(join(place, 'outside', 'manifest.json'), join(library, 'shard', 'manifest.json'));
  symlinkSync(join(place, 'outside', 'games-00000.lep'), join(library, 'shard', 'games-00000.lep'));
  mkdirSync(join(library, 'manifest'));
  symlinkSync(join(place, 'outside', 'manifest.json'), join(library, 'manifest', 'manifest.json'));
  const found = new RunLibrary(library);
  assert.equal(
    found
      .list()
      .runs.map(({ name }) => name)
      .sort(),
    ['own', 'shard'],
  );
  const shard = found.open('shard');
  shard?.refresh();
  assert.is(shard?.left, 0);
  assert.match([...(shard?.faults.values() ?? [])].join(), /^games-00000.lep: got a link/);
  assert.match(JSON.stringify(found.find('shard')), /"done":0,.*"state":"(running|stopped)"/);
  // A run in the place of another one is not taken for it.
  assert.is(found.open('own'), found.open('own'));
  const before = found.open('own');
  utimesSync(join(library, 'own', 'manifest.json'), 1, 1);
  assert.is.not(found.open('own'), before);
  // What becomes a link later is not opened either.
  rmSync(join(library, 'own'), { recursive: true });
  symlinkSync(join(place, 'outside'), join(library, 'own'));
  assert.is(found.open('own'), undefined);
});

view('a run has stopped once its process has ended, and agents have short names', async () => {
  const library = join(place, 'ended');
  const run = join(library, 'run');
  cpSync(join(place, 'outside'), run, { recursive: true });
  rmSync(join(run, 'games-00000.lep'));
  const manifest = JSON.parse(readFileSync(join(run, 'manifest.json'), 'utf8')) as { agents: string[] };
  const [search] = manifest.agents;
  manifest.agents[0] = 'search:rollouts=123:ms=0:depth=0';
  writeFileSync(join(run, 'manifest.json'), JSON.stringify({ ...manifest, check: undefined }));
  const row = (): RunRow | undefined => new RunLibrary(library).find('run');
  assert.is(row()?.state, 'running');
  assert.is(row()?.briefs.join(), ['search:rollouts=123', ...manifest.agents.slice(1)].join());
  assert.is(search, manifest.agents[1]);
  // Killed as it plays.
  const args = 'selfplay --games 100000 --agents random --until 1901 --out ended/long --quiet --workers 1'.split(' ');
  const child = spawn(process.execPath, [entry, ...args], { cwd: place });
  const long = (): RunRow | undefined => new RunLibrary(library).find('long');
  while (!existsSync(join(library, 'long', 'playing.json'))) await setTimeout(20);
  assert.is(long()?.state, 'running');
  child.kill('SIGKILL');
  await once(child, 'close');
  assert.is(long()?.state, 'stopped');
  await lepanto(...'selfplay --games 2 --agents random --until 1901 --out ended/short --quiet'.split(' '));
  assert.not(existsSync(join(library, 'short', 'playing.json')));
});

const opened = async (library: RunLibrary, name: string): Promise<OpenArenas> => {
  const found = await library.arenasOf(name);
  if (found === null) throw new Error(`there is no arena ${name}`);
  return found;
};

const refused = async (library: RunLibrary, name: string, why: RegExp, what = name): Promise<void> => {
  const message = await opened(library, name).then(
    () => '',
    (error: Error) => error.message,
  );
  assert.match(message, why, what);
};

view('arenas are listed, and shown as the tables that lepanto arena prints', async () => {
  const library = join(place, 'arenas');
  const game = { seats: [0, 1, 1, 1, 1, 1, 1], centers: [4, 5, 5, 5, 5, 5, 5], winner: -1, years: 2 };
  const origin = { map: 'standard', rules: 'datc-3.2', agents: ['random', '<b>', 'hold'], scoring: 'sum_of_squares' };
  const arena = (protocol: string) => ({
    origin: { ...origin, protocol, until: 1902, seed: 1 },
    games: [game, game, null, game],
  });
  mkdirSync(join(library, 'one'), { recursive: true });
  mkdirSync(join(library, 'two'));
  writeFileSync(join(library, 'one', 'arena.json'), JSON.stringify({ arenas: [arena('1v6'), arena('population')] }));
  writeFileSync(join(library, 'two', 'arena.json'), '{"arenas":7}');
  const found = new RunLibrary(library);
  assert.equal(
    found
      .list()
      .arenas.map(({ name, state }) => [name, state])
      .sort(),
    [
      ['one', 'whole'],
      ['two', 'whole'],
    ],
  );
  const {
    tables: [first, second],
  } = await opened(found, 'one');
  assert.match(first.title, /^2 games, 1v6, to the end of 1902/);
  const [standings, , meetings] = first.tables;
  assert.equal(
    [standings.columns.map(({ title }) => title), ...standings.rows].map(([name, games]) => [name, games]),
    [
      ['agent', 'games'],
      ['random', ['2', 'arena=1&agent=random']],
      ['<b>', ['2', 'arena=1&agent=%3Cb%3E']],
      ['hold', ['0', 'arena=1&agent=hold']],
    ],
  );
  // One seat of the first against six of the other, and of nobody against itself.
  assert.equal(
    meetings.columns.map(({ title }) => title),
    ['mean score of the row against', 'random', '<b>', 'hold'],
  );
  assert.equal(meetings.rows, [
    ['random', '-', ['0.096 +- 0.000 (2)', 'arena=1&agent=random&other=%3Cb%3E'], '-'],
    ['<b>', '-', '-', '-'],
    ['hold', '-', '-', '-'],
  ]);
  assert.is(second.tables.length, 3);
  assert.is(found.arenasOf('..'), null);
  await refused(found, 'two', /arena\.json: got another file/);
  for (const [name, wrong] of [
    ['seats', { ...arena('population'), games: [{ ...game, seats: [9, 1, 1, 1, 1, 1, 1] }] }],
    ['centers', { ...arena('population'), games: [{ ...game, centers: [4] }] }],
    ['agents', { origin: { ...arena('1v6').origin, agents: 7 }, games: [] }],
  ] as const) {
    writeFileSync(join(library, 'two', 'arena.json'), JSON.stringify({ arenas: [wrong] }));
    await refused(new RunLibrary(library), 'two', /arena\.json: got another file/, name);
  }
  const viewer = await startView(library);
  const [status, page] = await ask(`${viewer.address}arena?run=one`);
  assert.is(status, 200);
  assert.not.match(page, '1v6');
  assert.match((await ask(`${viewer.address}api/arena?run=one`))[1], 'games, 1v6, to the end of 1902');
  assert.match((await ask(`${viewer.address}api/arena?run=two`)).join(), /^500,.*arena\.json: got another file/);
  for (const name of ['none', '..', 'one/..'])
    for (const path of ['arena', 'api/arena'])
      assert.is(await statusOf(`${viewer.address}${path}?run=${encodeURIComponent(name)}`), 404);
});

/** A directory with a gate between agents that differ in every game, its games kept. */
const playGate = async (out: string): Promise<void> => {
  const gate = 'arena --gate random --against hold --games 2 --looks 2 --p 0.01 --until 1901 --workers 1 --quiet';
  assert.is((await run(...gate.split(' '), '--out', out)).code, 1);
};

view('games of an arena are found by cell, the worst first, and replayed by their numbers', async () => {
  const library = join(place, 'kept');
  mkdirSync(library);
  await playGate('kept/gate');
  const found = new RunLibrary(library);
  assert.equal(found.list().runs, []);
  while (found.advance());
  const { tables, gates, ...open } = await opened(found, 'gate');
  const [{ passed, course, pairs, limit, lost }] = gates;
  assert.equal([passed, pairs, limit, lost], [false, 2, 0.005, 'agent=random&sort=score']);
  assert.equal(
    course.map(([count]) => count),
    [2, 3, 4],
  );
  const [scores] = course.slice(-1).map(([, gain]) => gain);
  assert.match(gates[0].table.rows[0].join(' '), new RegExp(`^each other 4 .* ${scores.toFixed(3)}`));
  assert.equal(
    tables.map(({ title }) => title.slice(0, 12)),
    ['4 games, 1v6', '4 games, 1v6'],
  );
  const all = { ...open, tables, gates };
  const look = (filter: object, by: string | null = 'score', isDown = false) =>
    findArenaGames(all, filter, by === null ? null : { by, isDown }, [0, 50], () => true);
  const worst = look({ agent: 'random' }).rows.map(({ score }) => score ?? Number.NaN);
  assert.is(worst.length, 8);
  assert.equal(
    worst,
    [...worst].sort((a, b) => a - b),
  );
  assert.equal(
    look({ agent: 'random', other: 'hold' }, null).rows.map(({ arena, game, seats }) => [arena, game, seats]),
    ['Austria', 'England', 'France', 'Germany'].map((power, game) => [1, game, `random: ${power}; hold: the others`]),
  );
  assert.is(look({ arena: 2, agent: 'random', power: 'AUSTRIA' }).games, 3);
  const ofFrance = look({}, 'FRANCE', true).rows.map(({ centers }) => centers[2]);
  assert.equal(
    ofFrance,
    [...ofFrance].sort((a, b) => b - a),
  );
  // Each half of a gate is named by who plays whom, and is no gauntlet.
  assert.equal(
    tables.map(({ heading }) => heading),
    ['random against 6 hold', 'hold against 6 random'],
  );
  for (const none of [{ agent: 'nobody' }, { arena: 3 }, { agent: 'random', power: '__proto__' }])
    assert.is(look(none).games, 0);
  const viewer = await startView(library);
  const status = (query: string): Promise<number> => statusOf(`${viewer.address}${query}`);
  const [, page] = await ask(`${viewer.address}replay?run=gate&arena=2&game=1`);
  assert.match(page, 'Game 1 of arena 2 in gate');
  assert.match(page, '"from":"api/replay?run=gate&arena=2&game=1"');
  const [, data] = await ask(`${viewer.address}api/replay?run=gate&arena=2&game=1`);
  assert.equal((JSON.parse(data) as Deflated).links, {
    before: 'replay?run=gate&arena=2&game=0',
    after: 'replay?run=gate&arena=2&game=2',
    edit: 'board?run=gate%2F2',
    'go-on': 'play?run=gate%2F2',
    compare: 'compare?run=gate%2F2',
  });
  assert.is(await status('run?run=gate/1'), 200);
  for (const query of ['arena=3&game=0', 'arena=1&game=4', 'arena=0&game=0', 'arena=__proto__', 'arena=1&game=-1'])
    assert.not.equal(await status(`api/replay?run=gate&${query}`), 200, query);
  for (const name of ['gate/9', 'gate/../gate/1', '../kept/gate/1', 'gate/1/.', 'gate/0'])
    assert.is(await status(`run?run=${encodeURIComponent(name)}`), 404, name);
  // What becomes a link is not followed.
  rmSync(join(library, 'gate', '1'), { recursive: true });
  symlinkSync(join(place, 'outside'), join(library, 'gate', '1'));
  for (const path of ['replay', 'api/replay']) assert.is(await status(`${path}?run=gate&arena=1&game=0`), 404);
  assert.is(await status('run?run=gate/1'), 404);
});

view('a gauntlet has its own table, the worst first, and each family its own heading', async () => {
  const library = join(place, 'gauntlets');
  mkdirSync(library);
  const gauntlet =
    'arena --gauntlet dumbbot --families random,hold --games 2 --until 1901 --seed 1 --workers 1 --quiet';
  const printed = await lepanto(...gauntlet.split(' '), '--out', 'gauntlets/one');
  const { tables } = await opened(new RunLibrary(library), 'one');
  assert.equal(
    tables.map(({ heading }) => heading),
    ['Gauntlet of dumbbot', 'dumbbot against 6 random', 'dumbbot against 6 hold', 'dumbbot at a mixed table'],
  );
  const rows = tables[0].tables[0].rows.map(([name, games]) => [name, games]);
  const order = [...printed.matchAll(/^(6 random|6 hold|a mixed table) /gm)].map(([, name]) => name);
  assert.is(order.length, 3);
  const places = ['6 random', '6 hold', 'a mixed table'];
  assert.equal(
    rows,
    order.map((name) => [name, ['2', `arena=${places.indexOf(name) + 1}&agent=dumbbot`]]),
  );
});

view('a gate that is none, or has no games, harms nobody', async () => {
  const library = join(place, 'gates of others');
  mkdirSync(join(library, 'one'), { recursive: true });
  const file = join(library, 'one', 'arena.json');
  const gate = {
    ...{ agent: '<b>', against: 'hold', anchors: ['random'], map: 'standard', rules: 'datc-3.2' },
    ...{ scoring: 'sum_of_squares', until: 1901, seed: 1, games: 28, looks: 1e9, p: 0.05 },
  };
  writeFileSync(file, JSON.stringify({ arenas: [], gates: [gate] }));
  const { gates } = await opened(new RunLibrary(library), 'one');
  assert.equal([gates[0].passed, gates[0].reason, gates[0].course], [null, 'stopped', []]);
  for (const wrong of [{ ...gate, p: 2 }, { ...gate, games: '28' }, { ...gate, anchors: 'x' }, null, 7]) {
    writeFileSync(file, JSON.stringify({ arenas: [], gates: [wrong] }));
    await refused(new RunLibrary(library), 'one', /arena\.json: got another file/);
  }
});

view('imported games are listed and replayed; what is no game, or a link, is not', async () => {
  const library = join(place, 'imported');
  mkdirSync(library);
  await lepanto('convert', 'outside', 'imported/saved.jsonl', '--quiet');
  await lepanto('convert', 'outside', 'imported/records.lep', '--quiet');
  symlinkSync(join(library, 'saved.jsonl'), join(library, 'link.jsonl'));
  writeFileSync(join(library, 'notes.json'), '{"phase": []}');
  writeFileSync(join(library, 'broken.json'), '{"phases": [7]}');
  const found = new RunLibrary(library);
  const names = found.list().imports.map(({ name, kind }) => `${name} ${kind}`);
  assert.equal(names.sort(), ['broken.json JSON', 'records.lep records', 'saved.jsonl JSON']);
  const viewer = await startView(library);
  const saved = await allGames(viewer, 'run=saved.jsonl');
  const records = await allGames(viewer, 'run=records.lep');
  assert.is(saved.games, 3);
  assert.equal(saved.rows, records.rows);
  assert.match((await ask(`${viewer.address}replay?run=saved.jsonl&game=2`))[1], 'Game 2 of saved.jsonl');
  for (const name of ['saved.jsonl', 'records.lep'])
    assert.is(await statusOf(`${viewer.address}api/replay?run=${name}&game=2`), 200);
  // The page of each kind of row opens, and so do the phases of its games.
  for (const name of ['saved.jsonl', 'records.lep', 'broken.json']) {
    const [status, text] = await ask(`${viewer.address}run?run=${name}`);
    assert.is(status, 200, text);
  }
  for (const name of ['saved.jsonl', 'records.lep']) {
    const [status, text] = await ask(`${viewer.address}compare?run=${name}&game=1&phase=F1901M`);
    assert.is(status, 200, text);
    const { games, hits, found } = await findIn(viewer, 'position of game 1 in S1901M', name);
    assert.equal([games, found, hits[2]], [3, 3, { game: 2, phase: 'S1901M' }]);
    const { openings } = await findIn(viewer, 'openings of France', name);
    assert.is(openings?.[0].games, 3);
  }
  const { games, progress } = await allGames(viewer, 'run=broken.json');
  assert.is(games, 0);
  assert.match(progress.faults.join(), /^game 0: /);
  for (const name of ['link.jsonl', 'notes.json', '../imported/saved.jsonl', 'saved.jsonl/..'])
    assert.is(await statusOf(`${viewer.address}run?run=${encodeURIComponent(name)}`), 404, name);
});

view('the list has mean scores', () => {
  const book = new ScoreBook();
  const path = join(runs, 'main');
  const scores = (changed: number) => book.scoresOf(path, () => openSource(path), 1, changed);
  assert.is(scores(1), null);
  while (book.advance());
  assert.equal(
    scores(2)?.map(([agent, score]) => [agent, score.toFixed(6)]),
    [['random', (1 / 7).toFixed(6)]],
  );
});

view('the games of the gates and teachers of a training run are listed', async () => {
  const library = join(place, 'trained');
  const training = join(library, 'net');
  cpSync(join(place, 'outside'), join(training, 'games', 'teacher-0-0000'), { recursive: true });
  writeFileSync(join(training, 'config.toml'), 'seed = 12\n');
  writeFileSync(join(training, 'metrics.jsonl'), '{"gate":"net-0001.safetensors"}\n');
  const gate = 'arena --gate random --against hold --games 2 --looks 1 --until 1901 --seed 1 --workers 1 --quiet';
  // 1: the gate was not passed.
  assert.is((await run(...gate.split(' '), '--out', 'trained/net/gates/net-0001')).code, 1);
  const found = new RunLibrary(library);
  assert.equal(
    found.list().runs.map(({ name, seed }) => [name, seed]),
    [['net/games/teacher-0-0000', 1]],
  );
  assert.equal(
    found.list().arenas.map(({ name, state }) => [name, state]),
    [['net/gates/net-0001', 'whole']],
  );
  const { gates } = await opened(found, 'net/gates/net-0001');
  assert.equal(
    gates.map(({ agent, against }) => [agent, against]),
    [['random', 'hold']],
  );
});

view('games are filtered and counted as their records say', async () => {
  const source = openSource(join(runs, 'main'));
  const records = storedGames(source);
  const all = await allGames(viewer, 'run=main');
  assert.is(all.games, 600);
  assert.is(all.rows.length, 50);
  const mean = (power: number): number =>
    records.reduce((sum, { scores }) => sum + scores.sum_of_squares[power], 0) / 600;
  all.powers.forEach(({ score, agent }, power) => {
    assert.ok(Math.abs(score[0] - mean(power)) < 1e-9);
    assert.is(agent, 'random');
  });
  const index = new RunIndex(source);
  index.refresh();
  while (index.advance());
  const rows = index.find({}, 'sum_of_squares', 0, 600).rows;
  assert.equal(
    rows.map(({ game }) => game),
    records.map((record) => record.index),
  );
  const wanted = rows.filter(({ centers }) => centers[2] >= 6 && centers[2] <= 7).map(({ game }) => game);
  const found = await allGames(viewer, 'run=main&owner=FRANCE&centers-from=6&centers-to=7');
  assert.is(found.games, wanted.length);
  assert.ok(wanted.length > 10);
  assert.equal(
    found.rows.map(({ game }) => game),
    wanted.slice(0, 50),
  );
  const byTurkey = (await allGames(viewer, 'run=main&sort=TURKEY&down=1&rows=600')).rows;
  assert.equal(
    byTurkey.map(({ game }) => game),
    [...rows].sort((a, b) => b.centers[6] - a.centers[6] || a.game - b.game).map(({ game }) => game),
  );
  const second = await allGames(viewer, 'run=main&owner=FRANCE&centers-from=6&centers-to=7&from=10');
  assert.equal(second.rows[0], found.rows[10]);
  assert.is((await allGames(viewer, 'run=main&years-from=4')).games, 0);
  assert.is((await allGames(viewer, 'run=main&years-from=3&years-to=3')).games, 600);
  assert.is(
    (await allGames(viewer, 'run=main&winner=solo')).games + (await allGames(viewer, 'run=main&winner=draw')).games,
    600,
  );
  const large = await allGames(viewer, 'run=main&centers-from=9');
  const ofSome = await Promise.all(
    standard.powerNames.map((power) => allGames(viewer, `run=main&owner=${power}&centers-from=9`)),
  );
  assert.ok(large.games < 600 && large.games >= Math.max(...ofSome.map(({ games }) => games)));
  assert.ok(large.rows.every(({ centers }) => Math.max(...centers) >= 9));
  for (const query of ['winner=NOBODY', 'owner=x', 'years-from=-1', 'from=1e9', 'centers-from=abc'])
    assert.is(await statusOf(`${viewer.address}api/games?run=main&${query}`), 400, query);
  for (const path of ['replay', 'api/replay'])
    assert.is(await statusOf(`${viewer.address}${path}?run=main&game=600`), 404);
});

const findIn = async ({ address }: Viewer, text: string, run = 'main'): Promise<FindAnswer> => {
  for (let i = 0; i < 10_000; i++) {
    const [status, body] = await ask(`${address}api/find?run=${run}&query=${encodeURIComponent(text)}`);
    assert.is(status, 200, body);
    const answer = JSON.parse(body) as FindAnswer;
    if (answer.left === 0) return answer;
    await setTimeout(25);
  }
  throw new Error('the index is not made');
};

view('games are found as lepanto find does, without a file written or one named by a page', async () => {
  const found = await findIn(viewer, 'A VIE - TYR in S1901');
  assert.is(found.games, 600);
  const records = storedGames(openSource(join(runs, 'main')));
  const tyrol = orders(newGame(), { AUSTRIA: ['A VIE - TYR'] })[0];
  const wanted = records.filter(({ phases }) => phases[0].orders.includes(tyrol)).map(({ index }) => index);
  assert.equal(
    found.hits,
    wanted.slice(0, 50).map((game) => ({ game, phase: 'S1901M' })),
  );
  assert.is(found.found, wanted.length);
  assert.is((await findIn(viewer, 'position of game 599 in S1901M')).found, 600);
  const { openings } = await findIn(viewer, 'openings of France and A VIE - TYR in S1901');
  assert.equal(
    openings?.map(({ power, agent, games }) => [power, agent, games]),
    [['FRANCE', 'random', wanted.length]],
  );
  const refused = [
    '',
    'x',
    'position /etc/passwd',
    'position of game 0 of ../outside in S1901M',
    '<b>',
    'a'.repeat(5000),
  ];
  for (const text of [...refused, 'position of game 600 in S1901M']) {
    const [status, body] = await ask(`${viewer.address}api/find?run=main&query=${encodeURIComponent(text)}`);
    assert.equal([status, body.includes('root:')], [400, false], text);
  }
  assert.equal(
    readdirSync(join(runs, 'main')).filter((name) => !/^(games-\d+\.(lep|table)|(manifest|playing)\.json)$/.test(name)),
    [],
  );
});

view('agents are compared in recorded positions alone, and what was compared is shown if it is that', async () => {
  const [status, text] = await ask(`${viewer.address}compare?run=main&game=3&phase=W1902A`);
  assert.is(status, 200);
  assert.match(text, /"position":\{"map":"standard","rules":"datc-3.2","phase":"W1902A","units":/);
  for (const [query, wanted] of Object.entries({
    ...{ 'game=600&phase=S1901M': 404, 'game=-1&phase=S1901M': 400, 'game=3': 400, 'game=3&phase=S1999M': 400 },
    ...{ 'game=3&phase=%3Cb%3E': 400, 'game=3&phase=__proto__': 400 },
  }))
    assert.is(await statusOf(`${viewer.address}compare?run=main&${query}`), wanted, query);
  const file = join(runs, 'main', 'compare.json');
  const phase = { game: 3, phase: 'S1901M', distance: 0.5, power: '</script><b>' };
  const one = { agents: ['</script>', 'reply:plans=16'], code: {}, samples: 8, seed: 1, phases: [phase] };
  const wrong = [{ ...phase, phase: '"><b>' }, { ...phase, distance: 2 }, { ...phase, game: 'javascript:1' }, null];
  const lines = [...wrong.map((other) => [{ ...one, phases: [other] }]), [{ ...one, agents: ['a'] }], { one }, 7];
  for (const line of [...lines.map((value) => JSON.stringify(value)), '{']) {
    writeFileSync(file, line);
    assert.equal(furthestApart('main', join(runs, 'main')), [], line);
  }
  writeFileSync(file, JSON.stringify([one]));
  const shown = (await ask(`${viewer.address}run?run=main`))[1];
  rmSync(file);
  assert.match(shown, /"compared":\[\{"agents":\["\\u003c\/script\\u003e","reply"\],"games":1/);
  assert.match(shown, /"page":"compare\?run=main&game=3&phase=S1901M#%7B%22agents%22/);
  symlinkSync(join(place, 'outside', 'manifest.json'), file);
  assert.equal(readComparisons(join(runs, 'main')), []);
  rmSync(file);
});

view('a directory that is itself a run is shown', async () => {
  const own = await startView('runs/main');
  assert.is((await allGames(own, 'run=.')).games, 600);
  own.child.kill('SIGKILL');
});

view('a run without a shard yet has its page, and a far game is there at once', async () => {
  mkdirSync(join(runs, 'young'));
  cpSync(join(runs, 'main', 'manifest.json'), join(runs, 'young', 'manifest.json'));
  const own = await startView('runs');
  assert.is(await statusOf(`${own.address}api/replay?run=main&game=599`), 200);
  const { games, progress } = await gamesOf(own, 'run=young');
  assert.equal([games, progress.run.done, progress.run.state], [0, 0, 'running']);
  assert.is(await statusOf(`${own.address}run?run=young`), 200);
  own.child.kill('SIGKILL');
  const index = new RunIndex(openSource(join(runs, 'main')));
  index.refresh();
  index.prefer(599);
  while (index.games === 0) index.advance();
  assert.ok(index.has(599) && !index.has(0));
});

view('runs of two maps of one name are both shown', async () => {
  const rows = JSON.parse(await lepanto('map', 'show', 'standard')) as object;
  const library = join(place, 'named alike');
  for (const victory of [18, 17]) {
    const map = join(place, 'mine.json');
    writeFileSync(map, JSON.stringify({ ...rows, name: 'mine', victory }));
    const out = join(library, String(victory));
    // A process of its own: one knows one map by a name.
    const played = runLepanto(['selfplay', '--games', '1', '--until', '1901', '--map', map, '--out', out, '--quiet']);
    assert.is(played.code, 0, played.err);
  }
  const found = new RunLibrary(library);
  for (const name of ['18', '17', '18']) assert.is(found.open(name)?.source.map.victoryCenters, Number(name));
});

view('a damaged shard is named and the rest is shown', () => {
  const damaged = join(place, 'damaged');
  cpSync(join(runs, 'main'), damaged, { recursive: true });
  const shard = join(damaged, 'games-00001.lep');
  writeFileSync(shard, readFileSync(shard).subarray(0, 20_000));
  writeFileSync(join(damaged, 'games-00002.lep'), 'nothing of the kind');
  const index = new RunIndex(openSource(damaged));
  index.refresh();
  while (index.advance());
  assert.is(index.faults.size, 2);
  assert.match([...index.faults.values()].join(), /^games-00001.lep: at offset \d+, length of a game: got/);
  assert.ok(index.games > 256 && index.games < 300, `${index.games} games`);
});

view('the stream of a run ends with its reader', async () => {
  const controller = new AbortController();
  const response = await fetch(`${viewer.address}events?run=main`, { signal: controller.signal });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const first = new TextDecoder().decode((await reader.read()).value);
  assert.match(first, /^data: \{"run":\{"name":"main"/);
  controller.abort();
  assert.is(await statusOf(viewer.address), 200);
});

view('pages that do not read are bounded, and what several want is found out once', async () => {
  let lists = 0;
  const list = (): RunList => {
    lists++;
    return { runs: [], arenas: [], imports: [], cut: false };
  };
  const idle = { directory: place, list, advance: () => false } as unknown as RunLibrary;
  const server = viewServer({ library: idle, search: async () => ({}) as never });
  const address = new URL('events', await server.listen(0));
  const begin = performance.now();
  const sockets = Array.from({ length: 256 }, () => connect(Number(address.port), '127.0.0.1'));
  const head = `GET ${address.pathname} HTTP/1.1\r\nHost: ${address.host}\r\n\r\n`;
  for (const socket of sockets) {
    socket.write(head);
    await once(socket, 'readable');
  }
  // Twice in a second at the most.
  assert.ok(lists <= (performance.now() - begin) / 500 + 2, `${lists} times`);
  assert.is((await fetch(address)).status, 503);
  sockets[0].destroy();
  for (let status = 503; status === 503; ) {
    const controller = new AbortController();
    ({ status } = await fetch(address, { signal: controller.signal }));
    controller.abort();
  }
  await server.close();
});

/** A library in which no game is ever read, however often that is tried. */
class UnreadLibrary extends RunLibrary {
  override open(name: string): RunIndex | undefined {
    const index = super.open(name);
    if (index !== undefined) index.advance = () => true;
    return index;
  }
  override arenasOf = (): Promise<OpenArenas> => new Promise(() => {});
  override advance = (): boolean => true;
}

view('the document of every page is there before a game is read', async () => {
  const server = viewServer({ library: new UnreadLibrary(place), search: async () => ({}) as never });
  const address = await server.listen(0);
  const ofRun = ['run?run=runs/main', 'replay?run=runs/main&game=599', 'play?run=runs/main', 'compare?run=runs/main'];
  const ofArena = ['arena?run=kept/gate', 'replay?run=kept/gate&arena=2&game=1'];
  for (const path of ['', ...ofRun, ...ofArena, '']) assert.is(await statusOf(address + path), 200, path);
  const controller = new AbortController();
  const asked = fetch(`${address}api/replay?run=runs/main&game=599`, { signal: controller.signal }).catch(() => null);
  // It waits for its game while others are answered.
  assert.is(await statusOf(address), 200);
  controller.abort();
  assert.is(await asked, null);
  await server.close();
});

view('a search is answered, and refused by name', async () => {
  const position = { phase: 'S1901M', units: { FRANCE: ['A PAR'], GERMANY: ['A MUN'] } };
  const body = (change: object): string =>
    JSON.stringify({ position, map: 'standard', rules: 'datc-3.2', rollouts: 200, seed: 3, ...change });
  const [status, text] = await ask(`${viewer.address}api/search`, {}, 'POST', body({}));
  assert.is(status, 200, text);
  const told = (lines: string): SearchAnswer[] =>
    lines
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  const answers = told(text);
  const done = answers.map((one) => one.done);
  assert.equal([done.at(-1), [...done].sort((a, b) => a - b)], [1, done]);
  // Something is told on the way, and what is told in the end is what lepanto search finds.
  assert.ok(answers.length > 2, text);
  const { powers, rollouts } = answers[answers.length - 1];
  assert.ok(answers[0].rollouts < rollouts);
  const args = 'search --json --rollouts 200 --seed 3 --top 10 --workers 1 --quiet -'.split(' ');
  assert.equal(powers, JSON.parse((await callLepanto(args, JSON.stringify(position))).out).powers);
  const [, one] = await ask(`${viewer.address}api/search`, {}, 'POST', body({ power: 'FRANCE' }));
  const last = told(one).at(-1);
  assert.equal([Object.keys(last?.powers ?? {}), Object.keys(last?.replies ?? {}).length], [['FRANCE'], 6]);
  const [refused, why] = await ask(`${viewer.address}api/search`, {}, 'POST', body({ position: { phase: 'X' } }));
  assert.is(refused, 400);
  assert.match(why, /^phase: got "X"/);
  for (const wrong of [{ rollouts: 'many' }, { seed: -1 }, { seed: undefined }, { power: 'SPAIN' }, { power: 7 }])
    assert.is((await ask(`${viewer.address}api/search`, {}, 'POST', body(wrong)))[0], 400);
  assert.is((await ask(`${viewer.address}api/search`, {}, 'POST', 'x'))[0], 400);
});

view('a search ends with the page that asked for it', async () => {
  const own = await startView('runs', '--workers', '1');
  const position = { phase: 'S1901M', units: { FRANCE: ['A PAR', 'A MAR'], GERMANY: ['A MUN', 'A BER'] } };
  const body = (rollouts: number): string =>
    JSON.stringify({ position, map: 'standard', rules: 'datc-3.2', seed: 1, rollouts });
  const search = async (rollouts: number, signal?: AbortSignal): Promise<{ status: number; text: string }> => {
    const sent = { method: 'POST', body: body(rollouts), ...(signal && { signal }) };
    const answer = await fetch(`${own.address}api/search`, sent);
    return { status: answer.status, text: await answer.text() };
  };
  const controller = new AbortController();
  /** Asked again where a short one came first. */
  const searchLong = async (): Promise<unknown> => {
    const answer = await search(1_000_000_000, controller.signal);
    return answer.status === 200 ? answer : searchLong();
  };
  const long = searchLong().catch((error: Error) => error.name);
  for (let i = 0; i < 10_000 && (await search(30)).status === 200; i++) await setTimeout(20);
  const refused = await search(30);
  assert.is(refused.status, 400);
  assert.is(refused.text, 'a search is running already\n');
  controller.abort();
  assert.is(await long, 'AbortError');
  let again = await search(30);
  for (let i = 0; i < 10_000 && again.status !== 200; i++) {
    await setTimeout(50);
    again = await search(30);
  }
  assert.is(again.status, 200);
  own.child.kill('SIGKILL');
});

view('a port in use and a missing directory are refused, Ctrl-C is the end', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', () => resolve()));
  const { port } = taken.address() as { port: number };
  const busy = await run('view', 'runs', '--port', String(port));
  taken.close();
  assert.is(busy.code, 2);
  assert.match(busy.err, new RegExp(`^lepanto: --port: got ${port}, which is in use, wanted a free one, or 0\n$`));
  const missing = await run('view', 'nowhere');
  assert.is(missing.code, 1);
  assert.match(missing.err, /got "nowhere", wanted a directory/);
  const { child } = await startView('runs');
  child.kill('SIGINT');
  const [code] = (await once(child, 'close')) as [number | null];
  assert.is(code, 0);
});

view('the page of a game is small, says why orders failed, and is the same each time', async () => {
  await lepanto(...'selfplay --games 1 --until 1910 --agents dumbbot --seed 2 --out ten --quiet'.split(' '));
  const page = async (name: string): Promise<string> => {
    await lepanto('replay', 'ten', '--game', '0', '--html', name);
    return readFileSync(join(place, name), 'utf8');
  };
  const html = await page('a.html');
  assert.is(html, await page('b.html'));
  assert.ok(html.length < 200_000, `${html.length} bytes`);
  assert.not.match(html, /https?:\/\/(?!www\.w3\.org)/);
  assert.not.match(html, / style="| onclick=/);
  assert.match(html, /connect-src 'none'/);
});

view('saved games of others have pages, too, and a wrong call is refused', async () => {
  await lepanto('convert', 'outside', 'saved.jsonl', '--quiet');
  assert.match(
    await lepanto('replay', 'saved.jsonl', '--game', '1', '--html', 'saved.html'),
    /^game 1.*: saved\.html \(\d+ kB\)\n$/,
  );
  await lepanto('replay', 'outside', '--game', '1', '--html', 'own.html');
  const phases = (name: string): unknown => gameOf(readFileSync(join(place, name), 'utf8')).phases;
  assert.equal(phases('saved.html'), phases('own.html'));
  const wrong = async (...args: string[]): Promise<string> => {
    const { code, err } = await run(...args);
    assert.is(code, 2);
    return err;
  };
  assert.match(
    await wrong('replay', 'outside', '--html', 'x.html', '--json'),
    /--html: got it with --json or --verify/,
  );
  assert.match(
    await wrong('replay', 'outside', '--html', 'no/x.html'),
    /--html: got "no\/x\.html", but .* is not a directory/,
  );
  for (const address of ['javascript:alert(1)', ' java\nscript:alert(1)', 'file:///x', ''])
    assert.match(await wrong('replay', 'outside', '--html', 'x.html', '--play', address), /^lepanto: --play: got "/);
  assert.match(await wrong('replay', 'outside', '--play', 'https://x/'), /--play: got it without --html/);
  assert.match(await wrong('search', '--start', '--html', 'runs'), /--html: got "runs", which is a directory/);
});

/** What a page says of its game. */
const gameOf = (html: string): ReplayData & { title: string } => {
  const [, json = ''] = /id="data">(.*?)<\/script>/s.exec(html) ?? [];
  const { deflated } = JSON.parse(json) as { deflated: string };
  const data = JSON.parse(inflateSync(Buffer.from(deflated, 'base64')).toString('utf8')) as ReplayData;
  const [, title = ''] = /<header>(.*?)<\/header>/s.exec(html) ?? [];
  assert.ok(data.phases.length > 4);
  return { title, ...data };
};

view('the committed example is what its command makes', () => {
  writeExamplePage(join(place, 'example.html'));
  const made = gameOf(readFileSync(join(place, 'example.html'), 'utf8'));
  assert.equal(made, gameOf(readFileSync(examplePage, 'utf8')), 'node dist/test/tools/example-page.js makes it anew');
});

view('what is said of a game is shown as text, and its style and script are the only ones', () => {
  const source = openSource(join(place, 'outside'));
  const [{ game: record }] = recordsOf(source);
  if (record === null) throw new Error('got no record');
  const hostile = '</script><img src=x onerror=alert(1)>';
  const parts = replayPage(source, wholeRecord(source, record), { title: hostile, agents: [hostile, ...'ABCDEF'] });
  const html = pageDocument(parts);
  assert.not.match(html, /<img/);
  assert.is([...html.matchAll(/<script/g)].length, 2);
  assert.match(policyOf(parts), /^default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src 'sha256-[\w+/=]+'; /);
});

view('each page has one script of its own, without imports', () => {
  const folder = fileURLToPath(new URL('../../../bindings/web/browser/', import.meta.url));
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'));
  assert.is(names.length, 5);
  for (const name of names) {
    const script = readFileSync(join(folder, name), 'utf8');
    assert.ok(script.length > 500 && script.length < 400_000, name);
    assert.not.match(script, /(^|[;}])import\b|\bimport\(/, name);
  }
  // What a first visit to the playground fetches before a bot is asked.
  writePlayground(join(place, 'playground'));
  const [page, script] = ['index.html', 'board-page.js'].map((name) => statSync(join(place, 'playground', name)).size);
  assert.ok(page + script < 400_000, `${page} + ${script} bytes`);
});

view.run();
