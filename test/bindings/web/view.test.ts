// Tests the server of `lepanto view` and what its pages are made of, without a browser.
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
import { callLepanto, makeFolder, runLepanto } from '../../tools/command.js';
import { rejection } from '../../tools/errors.js';
import { examplePage, writeExamplePage } from '../../tools/example-page.js';
import { storedGames } from '../../tools/recorded.js';
import { killRunning, start, startServer, until } from '../../tools/running.js';

const place = makeFolder('view');
const runs = join(place, 'runs');

process.chdir(place);
const lepanto = async (command: string, ...more: string[]): Promise<string> => {
  const { code, out, err } = await callLepanto([...command.split(' '), ...more]);
  assert.is(code, 0, err);
  return out;
};

/** Makes a directory in the place of the tests, and returns its path. */
const makeLibrary = (...names: string[]): string => {
  const path = join(place, ...names);
  mkdirSync(path, { recursive: true });
  return path;
};

/** Values of some fields of rows, row by row. */
const fieldsOf = <Row, Key extends keyof Row>(rows: readonly Row[], ...keys: Key[]): Row[Key][][] =>
  rows.map((row) => keys.map((key) => row[key]));

const isRising = (values: readonly number[]): boolean => values.every((value, i) => i === 0 || value >= values[i - 1]);

/** What a request has that is not the usual. */
interface Asked {
  readonly headers?: Record<string, string>;
  readonly method?: string;
  readonly body?: string;
}

/** A server of pages. Paths are relative to its token; whole addresses are taken as they are. */
class Viewer {
  constructor(readonly address: string) {}

  static async start(...args: string[]): Promise<Viewer> {
    return new Viewer((await startServer(['view', ...args], place)).address);
  }

  /** Status and text of the answer to a request. */
  ask(path = '', { headers = {}, method = 'GET', body = '' }: Asked = {}): Promise<[number, string]> {
    return new Promise((resolve, reject) => {
      const asked = request(new URL(path, this.address), { method, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => resolve([response.statusCode ?? 0, text]));
      });
      asked.on('error', reject).end(body);
    });
  }

  async status(path?: string, asked?: Asked): Promise<number> {
    return (await this.ask(path, asked))[0];
  }

  /** Text of an answer that is no error. */
  async text(path: string): Promise<string> {
    const [status, text] = await this.ask(path);
    assert.is(status, 200, text);
    return text;
  }

  async json<T>(path: string): Promise<T> {
    return JSON.parse(await this.text(path));
  }

  /** The games of a run that fit a query, once all of them are indexed. */
  games(query: string): Promise<GamesAnswer> {
    return this.indexed(`api/games?${query}`, ({ progress }) => progress.left);
  }

  /** What is found in a run, once all of its games are indexed. */
  find(text: string, run = 'main'): Promise<FindAnswer> {
    return this.indexed(`api/find?run=${run}&query=${encodeURIComponent(text)}`, ({ left }) => left);
  }

  private async indexed<T>(path: string, left: (answer: T) => number): Promise<T> {
    let answer = await this.json<T>(path);
    await until('the index', async () => {
      if (left(answer) > 0) answer = await this.json(path);
      return left(answer) === 0;
    });
    return answer;
  }

  /** Answer to a question that is sent. */
  post(path: string, body: string): Promise<[number, string]> {
    return this.ask(path, { method: 'POST', body });
  }
}

const view = suite('view');
let viewer: Viewer;

view.before(async () => {
  mkdirSync(runs);
  await lepanto('selfplay --games 600 --until 1903 --agents random --seed 5 --out runs/main --quiet');
  await lepanto('selfplay --games 3 --until 1902 --agents dumbbot --out outside --quiet');
  viewer = await Viewer.start('runs');
});
view.after(killRunning);

view('serves pages to the token and the names of this machine alone', async () => {
  const { address } = viewer;
  const { port, pathname: token } = new URL(address);
  assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/);
  assert.is(await viewer.status(), 200);
  assert.is(await viewer.status('', { headers: { Host: `localhost:${port}` } }), 200);
  const evil = `evil.example evil.example:${port} 127.0.0.1 127.0.0.1.evil.example:${port} 127.0.0.1:${port}:x`;
  for (const Host of evil.split(' ')) assert.is(await viewer.status('', { headers: { Host } }), 403, Host);
  const [, forwarded] = await viewer.ask('', { headers: { Host: '127.0.0.1:1' } });
  assert.match(forwarded, new RegExp(`^got port 1, wanted ${port}, .*ssh -L ${port}:127\\.0\\.0\\.1:${port}`));
  for (const path of ['/', '/x/', `${token.slice(0, -2)}0/`, `/${token.slice(1).toUpperCase()}`, '//', '/%2e%2e/'])
    if (path !== token) assert.is(await viewer.status(`http://127.0.0.1:${port}${path}`), 403, path);
  assert.is(await viewer.status('', { headers: { Origin: 'https://evil.example' } }), 403);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
    assert.is(await viewer.status('', { method }), 405, method);
  for (const path of ['api/search', 'api/orders', 'api/save']) assert.is(await viewer.status(path), 405);
  assert.match((await viewer.post('api/save', '{"name":"x"}')).join(), /^403,got a game to save/);
});

view('every answer forbids what the page does not need', async () => {
  const paths = 'board editor play compare?run=main&game=3&phase=F1901M run?run=main replay?run=main&game=3';
  for (const path of ['', ...paths.split(' ')]) {
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
  for (const name of [...'.. ../outside ../../etc /etc main/.. main/../../outside main%00'.split(' '), '', 'none'])
    for (const path of ['run', 'replay', 'compare', 'api/games', 'api/find', 'arena'])
      assert.is(await viewer.status(`${path}?run=${encodeURIComponent(name)}`), 404, name);
});

/** Addresses without a page, with their status. */
const NO_PAGES: readonly (readonly [path: string, status: number])[] = [
  ['run?run=%3Cb%3Enope', 404],
  ['nowhere', 404],
  ['replay?run=main&game=600', 404],
  ['replay?run=main&game=x', 400],
  ['arena?run=nope', 404],
  ['compare?run=main&game=600&phase=S1901M', 404],
  ['compare?run=main&game=-1&phase=S1901M', 400],
  ['compare?run=main&game=3', 400],
  ['compare?run=main&game=3&phase=S1999M', 400],
  ['compare?run=main&game=3&phase=%3Cb%3E', 400],
  ['compare?run=main&game=3&phase=__proto__', 400],
];

view('an error of a page is a page with a way back, one of data a line of text', async () => {
  for (const [path, wanted] of NO_PAGES) {
    const response = await fetch(viewer.address + path);
    assert.is(response.status, wanted, path);
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; .*frame-ancestors 'none'$/);
    const html = await response.text();
    assert.match(html, /<h1>.*role="alert">.*<a href=".\/">/s);
    assert.not.match(html, '<b>');
  }
  assert.match(
    (await viewer.ask('api/games?run=nope')).join(),
    /^404,run: got "nope", wanted one of the list of runs\n$/,
  );
});

/** Names of the runs and arenas of a library, sorted. */
const namesIn = (library: RunLibrary, kind: 'arenas' | 'runs'): string[] =>
  library
    .list()
    [kind].map(({ name }) => name)
    .sort();

view('links are not followed: neither to a run nor to a shard', async () => {
  const library = makeLibrary('linked');
  const link = (from: string, ...to: string[]): void => symlinkSync(join(place, 'outside', from), join(library, ...to));
  cpSync(join(place, 'outside'), join(library, 'own'), { recursive: true });
  link('.', 'link');
  makeLibrary('linked/shard');
  cpSync(join(place, 'outside', 'manifest.json'), join(library, 'shard', 'manifest.json'));
  link('games-00000.lep', 'shard', 'games-00000.lep');
  makeLibrary('linked/manifest');
  link('manifest.json', 'manifest', 'manifest.json');
  const found = new RunLibrary(library);
  assert.equal(namesIn(found, 'runs'), ['own', 'shard']);
  const shard = found.open('shard');
  shard?.refresh();
  assert.is(shard?.left, 0);
  assert.match([...(shard?.faults.values() ?? [])].join(), /^games-00000.lep: got a link/);
  assert.match(JSON.stringify(found.find('shard')), /"done":0,.*"state":"(running|stopped)"/);
  // A run in the place of another one is not taken for it.
  const before = found.open('own');
  assert.is(found.open('own'), before);
  utimesSync(join(library, 'own', 'manifest.json'), 1, 1);
  assert.is.not(found.open('own'), before);
  // What becomes a link later is not opened either.
  rmSync(join(library, 'own'), { recursive: true });
  link('.', 'own');
  assert.is(found.open('own'), undefined);
});

view('a run has stopped once its process has ended, and agents have short names', async () => {
  const library = makeLibrary('ended');
  const run = join(library, 'run');
  cpSync(join(place, 'outside'), run, { recursive: true });
  rmSync(join(run, 'games-00000.lep'));
  const { check: _, ...manifest } = JSON.parse(readFileSync(join(run, 'manifest.json'), 'utf8'));
  const [, ...others]: string[] = manifest.agents;
  manifest.agents[0] = 'search:rollouts=123:ms=0:depth=0';
  writeFileSync(join(run, 'manifest.json'), JSON.stringify(manifest));
  const stateOf = (name: string) => new RunLibrary(library).find(name)?.state;
  assert.is(stateOf('run'), 'running');
  assert.equal(new RunLibrary(library).find('run')?.briefs, ['search:rollouts=123', ...others]);
  // Killed as it plays.
  const args = 'selfplay --games 100000 --agents random --until 1901 --out ended/long --quiet --workers 1';
  const { child, ended } = start(args.split(' '));
  await until('a game', () => existsSync(join(library, 'long', 'playing.json')));
  assert.is(stateOf('long'), 'running');
  child.kill('SIGKILL');
  await ended;
  assert.is(stateOf('long'), 'stopped');
  await lepanto('selfplay --games 2 --agents random --until 1901 --out ended/short --quiet');
  assert.not(existsSync(join(library, 'short', 'playing.json')));
});

const opened = async (library: string | RunLibrary, name: string): Promise<OpenArenas> => {
  const found = await (typeof library === 'string' ? new RunLibrary(library) : library).arenasOf(name);
  if (found === null) throw new Error(`there is no arena ${name}`);
  return found;
};

/** Headings and first rows of a table. */
const cut = (table: OpenArenas['tables'][0]['tables'][0], columns?: number) => [
  table.columns.map(({ title }) => title).slice(0, columns),
  ...table.rows.map((row) => row.slice(0, columns)),
];

view('arenas are listed, and shown as the tables that lepanto arena prints', async () => {
  const library = makeLibrary('arenas');
  const write = (name: string, value: object): void =>
    writeFileSync(join(makeLibrary('arenas', name), 'arena.json'), JSON.stringify(value));
  const game = { seats: [0, 1, 1, 1, 1, 1, 1], centers: [4, 5, 5, 5, 5, 5, 5], winner: -1, years: 2 };
  const origin = {
    ...{ map: 'standard', rules: 'datc-3.2', agents: ['random', '<b>', 'hold'], scoring: 'sum_of_squares' },
    ...{ protocol: 'population', until: 1902, seed: 1 },
  };
  const games = [game, game, null, game];
  write('one', {
    arenas: [
      { origin: { ...origin, protocol: '1v6' }, games },
      { origin, games },
    ],
  });
  write('two', { arenas: 7 });
  const found = new RunLibrary(library);
  assert.equal(namesIn(found, 'arenas'), ['one', 'two']);
  assert.ok(found.list().arenas.every(({ state }) => state === 'whole'));
  const {
    tables: [first, second],
  } = await opened(found, 'one');
  assert.match(first.title, /^2 games, 1v6, to the end of 1902/);
  const [standings, , meetings] = first.tables;
  assert.equal(cut(standings, 2), [
    ['agent', 'games'],
    ['random', ['2', 'arena=1&agent=random']],
    ['<b>', ['2', 'arena=1&agent=%3Cb%3E']],
    ['hold', ['0', 'arena=1&agent=hold']],
  ]);
  // One seat of the first against six of the other, and of nobody against itself.
  assert.equal(cut(meetings), [
    ['mean score of the row against', 'random', '<b>', 'hold'],
    ['random', '-', ['0.096 +- 0.000 (2)', 'arena=1&agent=random&other=%3Cb%3E'], '-'],
    ['<b>', '-', '-', '-'],
    ['hold', '-', '-', '-'],
  ]);
  assert.is(second.tables.length, 3);
  assert.is(found.arenasOf('..'), null);
  for (const wrong of [
    7,
    [{ origin, games: [{ ...game, seats: [9, 1, 1, 1, 1, 1, 1] }] }],
    [{ origin, games: [{ ...game, centers: [4] }] }],
    [{ origin: { ...origin, agents: 7 }, games: [] }],
  ]) {
    write('two', { arenas: wrong });
    assert.match(await rejection(opened(library, 'two')), /arena\.json: got another file/, JSON.stringify(wrong));
  }
  const own = await Viewer.start(library);
  assert.not.match(await own.text('arena?run=one'), '1v6');
  assert.match(await own.text('api/arena?run=one'), 'games, 1v6, to the end of 1902');
  assert.match((await own.ask('api/arena?run=two')).join(), /^500,.*arena\.json: got another file/);
  for (const name of ['none', '..', 'one/..'])
    for (const path of ['arena', 'api/arena'])
      assert.is(await own.status(`${path}?run=${encodeURIComponent(name)}`), 404);
});

/** Plays a gate that is not passed, between agents that differ in every game, and keeps its games. */
const playGate = async (options: string): Promise<void> => {
  const gate = `arena --gate random --against hold --games 2 --until 1901 --workers 1 --quiet ${options}`;
  assert.is((await callLepanto(gate.split(' '))).code, 1);
};

view('games of an arena are found by cell, the worst first, and replayed by their numbers', async () => {
  const library = makeLibrary('kept');
  await playGate('--looks 2 --p 0.01 --out kept/gate');
  const found = new RunLibrary(library);
  assert.equal(found.list().runs, []);
  while (found.advance());
  const all = await opened(found, 'gate');
  const { tables, gates } = all;
  const [{ passed, course, pairs, limit, lost, table }] = gates;
  assert.equal([passed, pairs, limit, lost], [false, 2, 0.005, 'agent=random&sort=score']);
  assert.equal(fieldsOf(course, 0).flat(), [2, 3, 4]);
  assert.match(table.rows[0].join(' '), new RegExp(`^each other 4 .* ${course[2][1].toFixed(3)}`));
  // Each half of a gate is named by who plays whom, and is no gauntlet.
  assert.equal(
    tables.map(({ title, heading }) => [title.slice(0, 12), heading]),
    [
      ['4 games, 1v6', 'random against 6 hold'],
      ['4 games, 1v6', 'hold against 6 random'],
    ],
  );
  const look = (filter: object, by: string | null = 'score', isDown = false) =>
    findArenaGames(all, filter, by === null ? null : { by, isDown }, [0, 50], () => true);
  const worst = look({ agent: 'random' }).rows.map(({ score }) => score ?? Number.NaN);
  assert.ok(worst.length === 8 && isRising(worst), worst.join());
  const cell = look({ agent: 'random', other: 'hold' }, null).rows;
  const seats = ['Austria', 'England', 'France', 'Germany'].map((power) => `random: ${power}; hold: the others`);
  assert.equal(
    fieldsOf(cell, 'arena', 'game', 'seats'),
    [...seats.entries()].map((seat) => [1, ...seat]),
  );
  assert.is(look({ arena: 2, agent: 'random', power: 'AUSTRIA' }).games, 3);
  assert.ok(isRising(look({}, 'FRANCE', true).rows.map(({ centers }) => -centers[2])));
  for (const none of [{ agent: 'nobody' }, { arena: 3 }, { agent: 'random', power: '__proto__' }])
    assert.is(look(none).games, 0);
  const own = await Viewer.start(library);
  const page = await own.text('replay?run=gate&arena=2&game=1');
  assert.match(page, 'Game 1 of arena 2 in gate');
  assert.match(page, '"from":"api/replay?run=gate&arena=2&game=1"');
  assert.equal((await own.json<Deflated>('api/replay?run=gate&arena=2&game=1')).links, {
    before: 'replay?run=gate&arena=2&game=0',
    after: 'replay?run=gate&arena=2&game=2',
    edit: 'board?run=gate%2F2',
    'go-on': 'play?run=gate%2F2',
    compare: 'compare?run=gate%2F2',
  });
  assert.is(await own.status('run?run=gate/1'), 200);
  for (const query of ['arena=3&game=0', 'arena=1&game=4', 'arena=0&game=0', 'arena=__proto__', 'arena=1&game=-1'])
    assert.not.equal(await own.status(`api/replay?run=gate&${query}`), 200, query);
  for (const name of ['gate/9', 'gate/../gate/1', '../kept/gate/1', 'gate/1/.', 'gate/0'])
    assert.is(await own.status(`run?run=${encodeURIComponent(name)}`), 404, name);
  // What becomes a link is not followed.
  rmSync(join(library, 'gate', '1'), { recursive: true });
  symlinkSync(join(place, 'outside'), join(library, 'gate', '1'));
  for (const path of ['replay?run=gate&arena=1&game=0', 'api/replay?run=gate&arena=1&game=0', 'run?run=gate/1'])
    assert.is(await own.status(path), 404, path);
});

view('a gauntlet has its own table, the worst first, and each family its own heading', async () => {
  const gauntlet =
    'arena --gauntlet dumbbot --families random,hold --games 2 --until 1901 --seed 1 --workers 1 --quiet';
  const printed = await lepanto(`${gauntlet} --out gauntlets/one`);
  const { tables } = await opened(join(place, 'gauntlets'), 'one');
  const headings = ['Gauntlet of dumbbot', 'dumbbot against 6 random', 'dumbbot against 6 hold'];
  assert.equal(fieldsOf(tables, 'heading').flat(), [...headings, 'dumbbot at a mixed table']);
  const order = [...printed.matchAll(/^(6 random|6 hold|a mixed table) /gm)].map(([, name]) => name);
  assert.is(order.length, 3);
  const places = ['6 random', '6 hold', 'a mixed table'];
  assert.equal(
    cut(tables[0].tables[0], 2).slice(1),
    order.map((name) => [name, ['2', `arena=${places.indexOf(name) + 1}&agent=dumbbot`]]),
  );
});

view('a gate that is none, or has no games, harms nobody', async () => {
  const library = join(place, 'gates of others');
  const gate = {
    ...{ agent: '<b>', against: 'hold', anchors: ['random'], map: 'standard', rules: 'datc-3.2' },
    ...{ scoring: 'sum_of_squares', until: 1901, seed: 1, games: 28, looks: 1e9, p: 0.05 },
  };
  const write = (one: unknown): void =>
    writeFileSync(
      join(makeLibrary('gates of others', 'one'), 'arena.json'),
      JSON.stringify({ arenas: [], gates: [one] }),
    );
  write(gate);
  const { gates } = await opened(library, 'one');
  assert.equal([gates[0].passed, gates[0].reason, gates[0].course], [null, 'stopped', []]);
  for (const wrong of [{ ...gate, p: 2 }, { ...gate, games: '28' }, { ...gate, anchors: 'x' }, null, 7]) {
    write(wrong);
    assert.match(await rejection(opened(library, 'one')), /arena\.json: got another file/);
  }
});

view('imported games are listed and replayed; what is no game, or a link, is not', async () => {
  const library = makeLibrary('imported');
  const names = ['saved.jsonl', 'records.lep'];
  for (const name of names) await lepanto(`convert outside imported/${name} --quiet`);
  symlinkSync(join(library, 'saved.jsonl'), join(library, 'link.jsonl'));
  writeFileSync(join(library, 'notes.json'), '{"phase": []}');
  writeFileSync(join(library, 'broken.json'), '{"phases": [7]}');
  const imports = new RunLibrary(library).list().imports.map(({ name, kind }) => `${name} ${kind}`);
  assert.equal(imports.sort(), ['broken.json JSON', 'records.lep records', 'saved.jsonl JSON']);
  const own = await Viewer.start(library);
  const [saved, records] = [await own.games('run=saved.jsonl'), await own.games('run=records.lep')];
  assert.is(saved.games, 3);
  assert.equal(saved.rows, records.rows);
  // The page of each kind of row opens, and so do the phases of its games.
  for (const name of names) {
    assert.match(await own.text(`replay?run=${name}&game=2`), `Game 2 of ${name}`);
    for (const path of ['run?', 'api/replay?game=2&', 'compare?game=1&phase=F1901M&'])
      await own.text(`${path}run=${name}`);
    const { games, hits, found } = await own.find('position of game 1 in S1901M', name);
    assert.equal([games, found, hits[2]], [3, 3, { game: 2, phase: 'S1901M' }]);
    assert.is((await own.find('openings of France', name)).openings?.[0].games, 3);
  }
  await own.text('run?run=broken.json');
  const { games, progress } = await own.games('run=broken.json');
  assert.is(games, 0);
  assert.match(progress.faults.join(), /^game 0: /);
  for (const name of ['link.jsonl', 'notes.json', '../imported/saved.jsonl', 'saved.jsonl/..'])
    assert.is(await own.status(`run?run=${encodeURIComponent(name)}`), 404, name);
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
  const training = makeLibrary('trained', 'net');
  cpSync(join(place, 'outside'), join(training, 'games', 'teacher-0-0000'), { recursive: true });
  writeFileSync(join(training, 'config.toml'), 'seed = 12\n');
  writeFileSync(join(training, 'metrics.jsonl'), '{"gate":"net-0001.safetensors"}\n');
  await playGate('--looks 1 --seed 1 --out trained/net/gates/net-0001');
  const found = new RunLibrary(join(place, 'trained'));
  const { runs: games, arenas } = found.list();
  assert.equal(fieldsOf(games, 'name', 'seed'), [['net/games/teacher-0-0000', 1]]);
  assert.equal(fieldsOf(arenas, 'name', 'state'), [['net/gates/net-0001', 'whole']]);
  const { gates } = await opened(found, 'net/gates/net-0001');
  assert.equal(fieldsOf(gates, 'agent', 'against'), [['random', 'hold']]);
});

view('games are filtered and counted as their records say', async () => {
  const source = openSource(join(runs, 'main'));
  const records = storedGames(source);
  const all = await viewer.games('run=main');
  assert.equal([all.games, all.rows.length], [600, 50]);
  all.powers.forEach(({ score, agent }, power) => {
    const mean = records.reduce((sum, { scores }) => sum + scores.sum_of_squares[power], 0) / 600;
    assert.ok(Math.abs(score[0] - mean) < 1e-9);
    assert.is(agent, 'random');
  });
  const index = new RunIndex(source);
  index.refresh();
  while (index.advance());
  const { rows } = index.find({}, 'sum_of_squares', 0, 600);
  const numbers = (list: readonly { readonly game: number }[]): number[] => fieldsOf(list, 'game').flat();
  assert.equal(numbers(rows), fieldsOf(records, 'index').flat());
  const wanted = numbers(rows.filter(({ centers }) => centers[2] >= 6 && centers[2] <= 7));
  const found = await viewer.games('run=main&owner=FRANCE&centers-from=6&centers-to=7');
  assert.is(found.games, wanted.length);
  assert.ok(wanted.length > 10);
  assert.equal(numbers(found.rows), wanted.slice(0, 50));
  assert.equal(
    numbers((await viewer.games('run=main&sort=TURKEY&down=1&rows=600')).rows),
    numbers(rows.toSorted((a, b) => b.centers[6] - a.centers[6] || a.game - b.game)),
  );
  const second = await viewer.games('run=main&owner=FRANCE&centers-from=6&centers-to=7&from=10');
  assert.equal(second.rows[0], found.rows[10]);
  const count = async (query: string): Promise<number> => (await viewer.games(`run=main&${query}`)).games;
  assert.equal([await count('years-from=4'), await count('years-from=3&years-to=3')], [0, 600]);
  assert.is((await count('winner=solo')) + (await count('winner=draw')), 600);
  const large = await viewer.games('run=main&centers-from=9');
  const ofSome = await Promise.all(standard.powerNames.map((power) => count(`owner=${power}&centers-from=9`)));
  assert.ok(large.games < 600 && large.games >= Math.max(...ofSome));
  assert.ok(large.rows.every(({ centers }) => Math.max(...centers) >= 9));
  for (const query of ['winner=NOBODY', 'owner=x', 'years-from=-1', 'from=1e9', 'centers-from=abc'])
    assert.is(await viewer.status(`api/games?run=main&${query}`), 400, query);
  assert.is(await viewer.status('api/replay?run=main&game=600'), 404);
});

/** Queries that a page may not ask. */
const REFUSED_QUERIES = [
  '',
  'x',
  'position /etc/passwd',
  'position of game 0 of ../outside in S1901M',
  'position of game 600 in S1901M',
  '<b>',
  'a'.repeat(5000),
];

view('games are found as lepanto find does, without a file written or one named by a page', async () => {
  const found = await viewer.find('A VIE - TYR in S1901');
  const tyrol = orders(newGame(), { AUSTRIA: ['A VIE - TYR'] })[0];
  const wanted = storedGames(openSource(join(runs, 'main')))
    .filter(({ phases }) => phases[0].orders.includes(tyrol))
    .map(({ index }) => index);
  assert.equal([found.games, found.found], [600, wanted.length]);
  assert.equal(
    found.hits,
    wanted.slice(0, 50).map((game) => ({ game, phase: 'S1901M' })),
  );
  assert.is((await viewer.find('position of game 599 in S1901M')).found, 600);
  const { openings } = await viewer.find('openings of France and A VIE - TYR in S1901');
  assert.equal(fieldsOf(openings ?? [], 'power', 'agent', 'games'), [['FRANCE', 'random', wanted.length]]);
  for (const text of REFUSED_QUERIES) {
    const [status, body] = await viewer.ask(`api/find?run=main&query=${encodeURIComponent(text)}`);
    assert.equal([status, body.includes('root:')], [400, false], text);
  }
  const strange = /^(?!(games-\d+\.(lep|table)|(manifest|playing)\.json)$)/;
  assert.equal(
    readdirSync(join(runs, 'main')).filter((name) => strange.test(name)),
    [],
  );
});

view('agents are compared in recorded positions alone, and what was compared is shown if it is that', async () => {
  assert.match(
    await viewer.text('compare?run=main&game=3&phase=W1902A'),
    /"position":\{"map":"standard","rules":"datc-3.2","phase":"W1902A","units":/,
  );
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
  const shown = await viewer.text('run?run=main');
  rmSync(file);
  assert.match(shown, /"compared":\[\{"agents":\["\\u003c\/script\\u003e","reply"\],"games":1/);
  assert.match(shown, /"page":"compare\?run=main&game=3&phase=S1901M#%7B%22agents%22/);
  symlinkSync(join(place, 'outside', 'manifest.json'), file);
  assert.equal(readComparisons(join(runs, 'main')), []);
  rmSync(file);
});

view('a directory that is itself a run is shown', async () => {
  assert.is((await (await Viewer.start('runs/main')).games('run=.')).games, 600);
});

view('a run without a shard yet has its page, and a far game is there at once', async () => {
  cpSync(join(runs, 'main', 'manifest.json'), join(runs, 'young', 'manifest.json'));
  const own = await Viewer.start('runs');
  await own.text('api/replay?run=main&game=599');
  const { games, progress } = await own.json<GamesAnswer>('api/games?run=young');
  assert.equal([games, progress.run.done, progress.run.state], [0, 0, 'running']);
  await own.text('run?run=young');
  const index = new RunIndex(openSource(join(runs, 'main')));
  index.refresh();
  index.prefer(599);
  while (index.games === 0) index.advance();
  assert.ok(index.has(599) && !index.has(0));
});

view('runs of two maps of one name are both shown', async () => {
  const rows = JSON.parse(await lepanto('map show standard')) as object;
  for (const victory of [18, 17]) {
    writeFileSync(join(place, 'mine.json'), JSON.stringify({ ...rows, name: 'mine', victory }));
    // A process of its own: one knows one map by a name.
    const args = 'selfplay --games 1 --until 1901 --map mine.json --quiet --out'.split(' ');
    const { code, err } = runLepanto([...args, `named alike/${victory}`]);
    assert.is(code, 0, err);
  }
  const found = new RunLibrary(join(place, 'named alike'));
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
  assert.is(await viewer.status(), 200);
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
  await until('a place', async () => {
    const controller = new AbortController();
    const { status } = await fetch(address, { signal: controller.signal });
    controller.abort();
    return status !== 503;
  });
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
  const own = new Viewer(String(await server.listen(0)));
  const ofRun = ['run?run=runs/main', 'replay?run=runs/main&game=599', 'play?run=runs/main', 'compare?run=runs/main'];
  const ofArena = ['arena?run=kept/gate', 'replay?run=kept/gate&arena=2&game=1'];
  for (const path of ['', ...ofRun, ...ofArena, '']) await own.text(path);
  const controller = new AbortController();
  const asked = fetch(`${own.address}api/replay?run=runs/main&game=599`, { signal: controller.signal }).catch(
    () => null,
  );
  // It waits for its game while others are answered.
  assert.is(await own.status(), 200);
  controller.abort();
  assert.is(await asked, null);
  await server.close();
});

/** A request for a search, as text. */
const searchFor = (units: object, change: object = {}): string =>
  JSON.stringify({ position: { phase: 'S1901M', units }, map: 'standard', rules: 'datc-3.2', seed: 3, ...change });

view('a search is answered, and refused by name', async () => {
  const units = { FRANCE: ['A PAR'], GERMANY: ['A MUN'] };
  const search = (change: object) => viewer.post('api/search', searchFor(units, { rollouts: 200, ...change }));
  const told = async (change: object): Promise<SearchAnswer[]> => {
    const [status, text] = await search(change);
    assert.is(status, 200, text);
    return JSON.parse(`[${text.trim().replaceAll('\n', ',')}]`);
  };
  const answers = await told({});
  const done = fieldsOf(answers, 'done').flat();
  assert.ok(done.at(-1) === 1 && isRising(done), done.join());
  // Something is told on the way, and what is told in the end is what lepanto search finds.
  assert.ok(answers.length > 2);
  const { powers, rollouts } = answers[answers.length - 1];
  assert.ok(answers[0].rollouts < rollouts);
  const args = 'search --json --rollouts 200 --seed 3 --top 10 --workers 1 --quiet -'.split(' ');
  const { out } = await callLepanto(args, JSON.stringify({ phase: 'S1901M', units }));
  assert.equal(powers, JSON.parse(out).powers);
  const last = (await told({ power: 'FRANCE' })).at(-1);
  assert.equal([Object.keys(last?.powers ?? {}), Object.keys(last?.replies ?? {}).length], [['FRANCE'], 6]);
  assert.match((await search({ position: { phase: 'X' } })).join(), /^400,phase: got "X"/);
  for (const wrong of [{ rollouts: 'many' }, { seed: -1 }, { seed: undefined }, { power: 'SPAIN' }, { power: 7 }])
    assert.is((await search(wrong))[0], 400);
  assert.is((await viewer.post('api/search', 'x'))[0], 400);
});

view('a search ends with the page that asked for it', async () => {
  const { address } = await Viewer.start('runs', '--workers', '1');
  const units = { FRANCE: ['A PAR', 'A MAR'], GERMANY: ['A MUN', 'A BER'] };
  const search = async (rollouts: number, more: RequestInit = {}): Promise<[number, string]> => {
    const sent = { method: 'POST', body: searchFor(units, { rollouts }), ...more };
    const answer = await fetch(`${address}api/search`, sent);
    return [answer.status, await answer.text()];
  };
  const controller = new AbortController();
  /** Asked again where a short one came first. */
  const searchLong = async (): Promise<unknown> => {
    const [status] = await search(1_000_000_000, { signal: controller.signal });
    return status === 200 ? status : searchLong();
  };
  const long = searchLong().catch((error: Error) => error.name);
  await until('the long search', async () => (await search(30))[0] !== 200);
  assert.equal(await search(30), [400, 'a search is running already\n']);
  controller.abort();
  assert.is(await long, 'AbortError');
  await until('a free server', async () => (await search(30))[0] === 200);
});

view('a port in use and a missing directory are refused, Ctrl-C is the end', async () => {
  const taken = createServer();
  await once(taken.listen(0, '127.0.0.1'), 'listening');
  const { port } = taken.address() as { port: number };
  const busy = await callLepanto(['view', 'runs', '--port', String(port)]);
  taken.close();
  assert.equal([busy.code, busy.err], [2, `lepanto: --port: got ${port}, which is in use, wanted a free one, or 0\n`]);
  const missing = await callLepanto(['view', 'nowhere']);
  assert.is(missing.code, 1);
  assert.match(missing.err, /got "nowhere", wanted a directory/);
  const { child } = await startServer(['view', 'runs'], place);
  child.kill('SIGINT');
  assert.is((await once(child, 'close'))[0], 0);
});

/** Writes the page of a game, and returns it. */
const pageOf = async (source: string, game: number, name: string): Promise<string> => {
  await lepanto(`replay ${source} --game ${game} --html ${name}`);
  return readFileSync(join(place, name), 'utf8');
};

view('the page of a game is small, says why orders failed, and is the same each time', async () => {
  await lepanto('selfplay --games 1 --until 1910 --agents dumbbot --seed 2 --out ten --quiet');
  const html = await pageOf('ten', 0, 'a.html');
  assert.is(html, await pageOf('ten', 0, 'b.html'));
  assert.ok(html.length < 200_000, `${html.length} bytes`);
  assert.not.match(html, /https?:\/\/(?!www\.w3\.org)| style="| onclick=/);
  assert.match(html, /connect-src 'none'/);
});

/** Calls that make no page, with what is said of them. */
const WRONG_CALLS: readonly (readonly [args: readonly string[], error: RegExp])[] = [
  [['replay', 'outside', '--html', 'x.html', '--json'], /--html: got it with --json or --verify/],
  [['replay', 'outside', '--html', 'no/x.html'], /--html: got "no\/x\.html", but .* is not a directory/],
  [['replay', 'outside', '--html', 'x.html', '--play', 'javascript:alert(1)'], /^lepanto: --play: got "/],
  [['replay', 'outside', '--html', 'x.html', '--play', ' java\nscript:alert(1)'], /^lepanto: --play: got "/],
  [['replay', 'outside', '--html', 'x.html', '--play', 'file:///x'], /^lepanto: --play: got "/],
  [['replay', 'outside', '--html', 'x.html', '--play', ''], /^lepanto: --play: got "/],
  [['replay', 'outside', '--play', 'https://x/'], /--play: got it without --html/],
  [['search', '--start', '--html', 'runs'], /--html: got "runs", which is a directory/],
];

view('saved games of others have pages, too, and a wrong call is refused', async () => {
  await lepanto('convert outside saved.jsonl --quiet');
  assert.match(await lepanto('replay saved.jsonl --game 1 --html saved.html'), /^game 1.*: saved\.html \(\d+ kB\)\n$/);
  const saved = gameOf(readFileSync(join(place, 'saved.html'), 'utf8'));
  assert.equal(saved.phases, gameOf(await pageOf('outside', 1, 'own.html')).phases);
  for (const [args, error] of WRONG_CALLS) {
    const { code, err } = await callLepanto(args);
    assert.is(code, 2, args.join(' '));
    assert.match(err, error);
  }
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
