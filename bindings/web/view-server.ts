// Serves the pages of `lepanto view` to the browser of this machine, each under /TOKEN.
//
// It listens on the loopback interface alone, answers to its own names alone (a name that a stranger's domain server
// points here is refused), wants a random token in every address, and writes nothing but the games that `lepanto play` is
// to save.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ScoreName, scoreNames } from '../../engine/internal.js';
import { formatPosition } from '../../engine/notation/json/position.js';
import { nameOfKey } from '../../selfplay/games/phase-key.js';
import { defaultWeights } from '../../selfplay/nets/weights.js';
import { DamagedIndex } from '../find/columns.js';
import type { LiveIndex } from '../find/make-index.js';
import { OpeningCounter } from '../find/openings.js';
import { readKey } from '../find/phase-keys.js';
import { parseQuery, positionIn, type Query, type QueryContext } from '../find/query.js';
import { hitsIn } from '../find/search.js';
import { agentsIn } from '../formats/games/recorded-run.js';
import { findArenaGames, type OpenArenas } from './arena-tables.js';
import { furthestApart } from './compared-phases.js';
import { type ShownPage, shownPage } from './document.js';
import type { EditorSearch } from './editor-search.js';
import type {
  ArenaAnswer,
  Deflated,
  FindAnswer,
  GameFilter,
  GamesAnswer,
  PositionPageData,
  RunList,
  RunProgress,
  RunRow,
  SearchAnswer,
} from './page-data.js';
import { replayData, replayFrame } from './replay-page.js';
import { PAGE_ROWS, type RunIndex } from './run-index.js';
import type { RunLibrary } from './run-library.js';
import { savePlay } from './save-play.js';
import { ServerAgents } from './server-agents.js';
import {
  arenaPage,
  browserAgents,
  playWorker,
  positionPage,
  replayNavigation,
  runPage,
  runsPage,
} from './view-pages.js';

const NEWS_MS = 1000;
/** Pages that are told news at a time, and bytes that wait for one that does not read: it is told no more until they are gone. */
const MOST_STREAMS = 256;
const MOST_WAITING = 1 << 16;
const MAX_BODY = 1 << 20;
const MAX_SAVED = 1 << 23;
/** Addresses that are posted to. */
const ASKED: readonly string[] = ['/api/search', '/api/orders', '/api/save'];
/** Order sets that are listed of a power, and after each set. */
const MOST_OPENINGS = 8;
/** Milliseconds that shards are indexed for before other requests get their turn. */
const SLICE_MS = 10;

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, SLICE_MS));

class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const wholeNumber = (text: string | null, what: string): number | undefined => {
  if (text === null || text === '') return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new Refusal(400, `${what}: got "${text.slice(0, 20)}", wanted a whole number`);
  return Number(text);
};

/** Two bounds of a query, where at least one of them is given. */
const readRange = (query: URLSearchParams, name: string, most: number): readonly [number, number] | undefined => {
  const from = wholeNumber(query.get(`${name}-from`), `${name}-from`);
  const to = wholeNumber(query.get(`${name}-to`), `${name}-to`);
  return from === undefined && to === undefined ? undefined : [from ?? 0, to ?? most];
};

const readScoring = (query: URLSearchParams): ScoreName =>
  scoreNames.find((name) => name === query.get('scoring')) ?? scoreNames[0];

/** @throws Refusal that names what is wrong */
const readFilter = (query: URLSearchParams, { source: { map } }: RunIndex): GameFilter => {
  const powerOf = (name: string, what: string): number => {
    const power = map.powerNames.indexOf(name);
    if (power < 0)
      throw new Refusal(400, `${what}: got "${name.slice(0, 20)}", wanted one of ${map.powerNames.join(', ')}`);
    return power;
  };
  const winner = query.get('winner');
  const agent = query.get('agent');
  const owner = query.get('owner');
  const years = readRange(query, 'years', 65_535);
  const centers = readRange(query, 'centers', 255);
  if (winner && winner !== 'solo' && winner !== 'draw') powerOf(winner, 'winner');
  if (owner) powerOf(owner, 'owner');
  return {
    ...(winner && { winner }),
    ...(agent && { agent }),
    ...(years && { years }),
    ...(centers && { centers: [owner ? powerOf(owner, 'owner') : -1, ...centers] as const }),
  };
};

/** Does what was asked for. @throws Refusal that says what is wrong with what was given */
const asGiven = async <T>(act: () => T | Promise<T>): Promise<T> => {
  try {
    return await act();
  } catch (error) {
    throw new Refusal(400, (error as Error).message);
  }
};

const readBody = async (request: IncomingMessage, most = MAX_BODY): Promise<unknown> => {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > most) throw new Refusal(413, `got more than ${most} bytes`);
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    throw new Refusal(400, 'got no JSON');
  }
};

const SAFE_HEADERS = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

/** What is sent, and what a page of it may do. */
interface Sent {
  readonly body: string | Buffer;
  readonly type: string;
  readonly policy?: string;
}

const page = ({ html, policy }: ShownPage): Sent => ({
  body: html,
  type: 'text/html; charset=utf-8',
  policy: `${policy}; frame-ancestors 'none'`,
});
const json = (value: unknown): Sent => ({ body: JSON.stringify(value), type: 'application/json' });

/** What reads files little by little. */
interface Advancing {
  /** Reads something more. False if nothing is left. */
  advance(): boolean;
}

/** Answers a request; null where it writes the answer itself, or nobody waits for one. */
type Route = (
  query: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
) => Sent | null | Promise<Sent | null>;

export class ViewServer {
  readonly token = randomBytes(16).toString('hex');
  private readonly server: Server;
  private readonly working = new Set<Advancing>();
  private readonly searched = new WeakMap<RunIndex, LiveIndex>();
  private port = 0;
  private streams = 0;
  private readonly news = new Map<string, { readonly at: number; readonly text: string }>();
  private readonly routes: ReadonlyMap<string, Route> = new Map<string, Route>([
    ['/', () => page(runsPage(this.library.directory, this.list()))],
    ...(['editor', 'play', 'compare'] as const).map((kind): [string, Route] => [
      `/${kind}`,
      async (query) => page(shownPage(positionPage(kind, await this.positionData(query)))),
    ]),
    ['/run', (query) => page(this.runPage(query))],
    ['/arena', (query) => page(arenaPage({ name: this.arenaName(query), rows: PAGE_ROWS }))],
    ['/replay', (query) => page(this.replay(query))],
    ['/api/runs', () => json(this.list())],
    ['/api/arena', async (query) => json(await this.arena(query))],
    ['/api/replay', async (query) => json(await this.replayData(query))],
    ['/api/games', async (query) => json(await this.games(query))],
    ['/api/find', async (query) => json(await this.find(query))],
    ['/play-worker.js', () => this.worker()],
    ['/default.safetensors', () => ({ body: readFileSync(defaultWeights), type: 'application/octet-stream' })],
    ['/api/orders', async (_, request) => json(await this.orders(request))],
    ['/api/save', async (_, request) => json(await this.save(await readBody(request, MAX_SAVED)))],
    ['/api/search', (query, request, response) => this.search(query, request, response)],
    // Server-sent events: RunList, or RunProgress with run=NAME, whenever it changes.
    ['/events', (query, _, response) => this.events(query, response)],
  ]);

  constructor(
    private readonly library: RunLibrary,
    private readonly runSearch: EditorSearch['search'],
    private readonly agents: ServerAgents = ServerAgents.none,
    /** Whether its pages may save games among its runs. */
    private readonly saves: boolean = false,
  ) {
    this.server = createServer((request, response) => {
      this.answer(request, response).catch((error: unknown) => this.refuse(response, error));
    });
  }

  /** Begins to listen. @param port 0 for any that is free @returns the address for the browser */
  async listen(port: number): Promise<string> {
    this.server.listen({ port, host: '127.0.0.1' });
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.port}/${this.token}/`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private arenaName(query: URLSearchParams): string {
    const name = query.get('run') ?? '';
    if (this.library.hasArenas(name)) return name;
    throw new Refusal(404, `got "${name.slice(0, 80)}", wanted the directory of an arena`);
  }

  private async arenas(name: string): Promise<OpenArenas> {
    const arenas = await this.library.arenasOf(name);
    if (arenas === null) throw new Refusal(404, `${name}: it has gone`);
    return arenas;
  }

  private async arena(query: URLSearchParams): Promise<ArenaAnswer> {
    const name = this.arenaName(query);
    const arenas = await this.arenas(name);
    const given = (key: string): string | undefined => query.get(key) || undefined;
    const filter = {
      arena: wholeNumber(query.get('arena'), 'arena'),
      ...{ agent: given('agent'), other: given('other'), power: given('power') },
    };
    const from = wholeNumber(query.get('from'), 'from') ?? 0;
    const isKept = (arena: number): boolean => this.library.runOf(name, arena) !== null;
    const games = findArenaGames(arenas, filter, query.get('sort') === 'score', [from, PAGE_ROWS], isKept);
    return { arenas: arenas.tables, gates: arenas.gates, games };
  }

  /** The query of the run that keeps the games of an arena. */
  private ofArena(query: URLSearchParams, arena: number): URLSearchParams {
    const name = this.arenaName(query);
    const run = this.library.runOf(name, arena);
    if (run === null) throw new Refusal(404, `arena ${arena}: ${name} has kept none of its games`);
    return new URLSearchParams({ run });
  }

  private refuse(response: ServerResponse, error: unknown): void {
    if (response.destroyed || response.writableEnded) return;
    const status = error instanceof Refusal ? error.status : 500;
    const message = error instanceof Error ? error.message : String(error);
    const sent = { body: `${message}\n`, type: 'text/plain; charset=utf-8', policy: "default-src 'none'" };
    if (response.headersSent) response.end(JSON.stringify({ error: message }));
    else this.send(response, sent, status);
  }

  private send(response: ServerResponse, { body, type, policy }: Sent, status = 200): void {
    const headers = { 'Content-Type': type, ...(policy !== undefined && { 'Content-Security-Policy': policy }) };
    response.writeHead(status, { ...SAFE_HEADERS, ...headers }).end(body);
  }

  /** The part of an address behind the token. @throws Refusal for any other host, method or token */
  private check(request: IncomingMessage): URL {
    const { host = '' } = request.headers;
    const [name, port, ...more] = host.split(':');
    if (more.length > 0 || (name !== '127.0.0.1' && name !== 'localhost'))
      throw new Refusal(403, 'got another host, wanted 127.0.0.1 or localhost');
    if (port !== String(this.port))
      throw new Refusal(
        403,
        `got port ${(port ?? '80').slice(0, 8)}, wanted ${this.port}, as lepanto view has printed it: forward the same one, ssh -L ${this.port}:127.0.0.1:${this.port}, or name yours, lepanto view --port`,
      );
    const { origin } = request.headers;
    if (origin !== undefined && origin !== `http://${host}`) throw new Refusal(403, 'got a request of another page');
    const url = new URL(`http://${host}`);
    const [path, query = ''] = (request.url ?? '').split('?', 2);
    const [, token = '', ...rest] = path.split('/');
    const wanted = Buffer.from(this.token);
    const got = Buffer.from(token);
    if (got.length !== wanted.length || !timingSafeEqual(got, wanted))
      throw new Refusal(403, 'got no valid token: open the address that lepanto view has printed');
    url.pathname = `/${rest.join('/')}`;
    url.search = query;
    return url;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = this.check(request);
    if (request.method !== (ASKED.includes(pathname) ? 'POST' : 'GET'))
      throw new Refusal(405, `got ${request.method}, wanted another method`);
    const route = this.routes.get(pathname);
    if (route === undefined) throw new Refusal(404, 'got an unknown address');
    const sent = await route(query, request, response);
    if (sent !== null) this.send(response, sent);
  }

  /** The page of a game before it is read. Games of an arena have their numbers in it. */
  private replay(query: URLSearchParams): ShownPage {
    const arena = wholeNumber(query.get('arena'), 'arena');
    const game = wholeNumber(query.get('game'), 'game') ?? 0;
    const from = `api/replay?${query}`;
    if (arena !== undefined) {
      const name = this.arenaName(query);
      const navigation = replayNavigation([`arena?run=${encodeURIComponent(name)}`, `Arena ${name}`], game);
      const [, { source }] = this.open(this.ofArena(query, arena));
      return shownPage(replayFrame(source, { title: `Game ${game} of arena ${arena} in ${name}`, navigation }, from));
    }
    const [{ name, title, games }, { source }] = this.open(query);
    if (source.manifest !== null && game >= games) throw new Refusal(404, `game ${game}: ${name} has no such game`);
    const navigation = replayNavigation([`run?run=${encodeURIComponent(name)}`, title], game);
    const { agents, seated } = source.manifest ?? {};
    const notes = { title: `Game ${game} of ${title}`, agents: seated ? undefined : agents, navigation };
    return shownPage(replayFrame(source, notes, from));
  }

  private async replayData(query: URLSearchParams): Promise<Deflated> {
    const [arena, game] = [wholeNumber(query.get('arena'), 'arena'), wholeNumber(query.get('game'), 'game') ?? 0];
    const [{ name }, index] = this.open(arena === undefined ? query : this.ofArena(query, arena));
    const record = await this.gameOf(name, index, game, () => index.whole(game));
    const of = (other: number): string => {
      const asked = new URLSearchParams(query);
      asked.set('game', String(other));
      return `replay?${asked}`;
    };
    const run = `run=${encodeURIComponent(name)}`;
    const links = {
      ...(index.has(game - 1) && { before: of(game - 1) }),
      ...(index.has(game + 1) && { after: of(game + 1) }),
      ...{ edit: `editor?${run}`, 'go-on': `play?${run}`, compare: `compare?${run}` },
    };
    const { source } = index;
    return { ...replayData(source, record, agentsIn(source, record)), links };
  }

  /** The run that a page of a position was opened from with its map, and a phase of a game where the query names one. */
  private async positionData(query: URLSearchParams): Promise<PositionPageData> {
    const { agents, saves } = this;
    const data = { ownAgents: browserAgents, agents: agents.names, saves, isStatic: false, position: null };
    if (query.get('run') === null) return { ...data, run: null, own: null };
    const [{ name: run }, index] = this.open(query);
    const { map, rules, manifest } = index.source;
    const rows = manifest?.map.rows;
    const ofRun = { ...data, run, own: rows === undefined ? null : { name: map.name, rows } };
    const game = wholeNumber(query.get('game'), 'game');
    if (game === undefined) return ofRun;
    const stored = await this.gameOf(run, index, game, () => index.read(game));
    return asGiven(() => {
      const found = formatPosition(positionIn(index.source, stored, readKey(query.get('phase') ?? '')));
      return { ...ofRun, position: { map: map.name, rules: rules.name, ...found } };
    });
  }

  private runPage(query: URLSearchParams): ShownPage {
    const [row, index] = this.open(query);
    return runPage(row, index, furthestApart(row.name, index.source.path));
  }

  private async save(asked: unknown): Promise<{ readonly file: string }> {
    if (!this.saves)
      throw new Refusal(403, 'got a game to save, wanted none: lepanto play saves games, lepanto view writes nothing');
    return { file: await asGiven(() => savePlay(this.library.directory, asked)) };
  }

  private worker(): Sent {
    const { script, policy } = playWorker();
    return { body: script, type: 'text/javascript; charset=utf-8', policy };
  }

  private async orders(request: IncomingMessage): Promise<unknown> {
    const body = await readBody(request);
    return asGiven(() => this.agents.ask(body));
  }

  /** The run that a query names; its index is made from here on. */
  private open(query: URLSearchParams): [RunRow, RunIndex] {
    const name = query.get('run') ?? '';
    const { library } = this;
    const index = library.open(name);
    const row = index === undefined ? undefined : library.find(name);
    if (row === undefined || index === undefined)
      throw new Refusal(404, `run: got "${name.slice(0, 200)}", which is not there`);
    this.keepUp(index);
    return [row, index];
  }

  private keepUp(index: RunIndex | LiveIndex): void {
    if (this.working.has(index)) return;
    index.refresh();
    void this.work(index, () => new Promise((resolve) => setImmediate(resolve)));
  }

  /** The list of runs; what it says of their games is found out from here on, while nobody waits for a page. */
  private list(): RunList {
    const list = this.library.list();
    if (!this.working.has(this.library)) void this.work(this.library, pause);
    return list;
  }

  /** Reads in slices of time, after whoever waits for a page now. @param rest lets others have their turn between slices */
  private async work(reader: Advancing, rest: () => Promise<void>): Promise<void> {
    this.working.add(reader);
    try {
      await pause();
      for (let left = true; left && this.server.listening; await rest()) {
        const begin = performance.now();
        while (left && performance.now() - begin < SLICE_MS) left = reader.advance();
      }
    } finally {
      this.working.delete(reader);
    }
  }

  /** Resolves once a game, which is read before others, or every game of the run is in the index. */
  private async indexed(index: RunIndex, game: number): Promise<void> {
    index.prefer(game);
    while (this.working.has(index) && !index.has(game)) await pause();
  }

  /** A game of a run, once it is in the index. @throws Refusal if there is none */
  private async gameOf<T>(name: string, index: RunIndex, game: number, read: () => T | null): Promise<T> {
    await this.indexed(index, game);
    const found = read();
    if (found === null) throw new Refusal(404, `game ${game}: ${name} has no such game`);
    return found;
  }

  private progress(run: RunRow, index: RunIndex): RunProgress {
    const { games: indexed, left, version, faults } = index;
    return { run, indexed, left, version, faults: [...faults.values()].slice(0, 5) };
  }

  private async games(query: URLSearchParams): Promise<GamesAnswer> {
    const [row, index] = this.open(query);
    const filter = readFilter(query, index);
    const from = wholeNumber(query.get('from'), 'from') ?? 0;
    // At least one shard is there to show.
    while (this.working.has(index) && index.games === 0) await pause();
    const found = index.find(filter, readScoring(query), from, PAGE_ROWS);
    return { ...found, from, progress: this.progress(row, index) };
  }

  /** @throws Refusal that says what is wrong with it */
  private async readQuery(text: string, index: RunIndex): Promise<Query> {
    for (const [, game] of text.matchAll(/\bgame (\d{1,9})\b/gi)) await this.indexed(index, Number(game));
    const { source } = index;
    const positionOf: QueryContext['positionOf'] = (run, game, phase) => {
      const stored = run === null ? index.read(game) : null;
      if (stored === null) throw new Error(`got game ${game}, wanted one of this run`);
      return positionIn(source, stored, phase);
    };
    const readNamed = (): never => {
      throw new Error('position: wanted "position of game 12 in F1903M", or JSON');
    };
    return asGiven(() => parseQuery(text, { ...source, positionOf, readNamed }));
  }

  private async find(query: URLSearchParams): Promise<FindAnswer> {
    const [, index] = this.open(query);
    const { source } = index;
    const wanted = await this.readQuery(query.get('query') ?? '', index);
    const live = this.searched.get(index) ?? index.searchable();
    this.searched.set(index, live);
    this.keepUp(live);
    const counter =
      wanted.openings === null ? null : new OpeningCounter(source.map, wanted.openings, readScoring(query));
    const hits: FindAnswer['hits'][number][] = [];
    let [games, found] = [0, 0];
    // More may be indexed between two shards: what is left belongs to what is searched.
    const { indexed, left } = live;
    try {
      for (const shard of indexed) {
        counter?.add(shard, source.manifest?.agents ?? [], wanted.condition);
        if (wanted.condition === null) continue;
        const of = hitsIn(wanted.condition, shard);
        games += of.games;
        found += of.hits.length;
        for (const { game, phase } of of.hits.slice(0, PAGE_ROWS - hits.length))
          hits.push({ game, phase: phase === null ? null : nameOfKey(phase) });
        await new Promise((resolve) => setImmediate(resolve));
      }
      return { games, found, hits, left, openings: counter?.trees(MOST_OPENINGS) ?? null };
    } catch (error) {
      if (!(error instanceof DamagedIndex)) throw error;
      live.distrust();
      return { games: 0, found: 0, hits: [], left: 1, openings: null };
    }
  }

  /** What a page is told, as JSON: found out once for all pages that want the same. */
  private newsFor(query: URLSearchParams): string {
    const name = query.get('run');
    const key = JSON.stringify(name);
    const now = performance.now();
    for (const [old, { at }] of this.news) if (now - at > NEWS_MS / 2) this.news.delete(old);
    const known = this.news.get(key);
    if (known !== undefined) return known.text;
    let text: string;
    try {
      text = JSON.stringify(name === null ? this.list() : this.progress(...this.open(query)));
    } catch (error) {
      text = JSON.stringify({ error: (error as Error).message });
    }
    this.news.set(key, { at: now, text });
    return text;
  }

  private events(query: URLSearchParams, response: ServerResponse): null {
    if (this.streams === MOST_STREAMS) throw new Refusal(503, `got ${MOST_STREAMS} pages that want news, wanted fewer`);
    this.streams++;
    response.writeHead(200, { ...SAFE_HEADERS, 'Content-Type': 'text/event-stream' });
    let last = '';
    const tell = (): void => {
      if (response.writableLength > MOST_WAITING) return;
      const text = this.newsFor(query);
      // A comment where nothing is new: it finds out that a browser has gone.
      response.write(text === last ? ':\n\n' : `data: ${text}\n\n`);
      last = text;
    };
    const timer = setInterval(tell, NEWS_MS);
    response.on('error', () => {});
    response.on('close', () => {
      clearInterval(timer);
      this.streams--;
    });
    tell();
    return null;
  }

  /**
   * Writes what a search finds as lines of JSON, the last one in the end. It ends with the request.
   * @param query with `run` where the position is on the map of a run
   */
  private async search(query: URLSearchParams, request: IncomingMessage, response: ServerResponse): Promise<null> {
    const map = query.get('run') === null ? undefined : this.open(query)[1].source.map;
    const controller = new AbortController();
    response.on('error', () => {});
    response.on('close', () => controller.abort());
    const body = await readBody(request);
    const tell = (answer: SearchAnswer): void => {
      if (!response.headersSent) response.writeHead(200, { ...SAFE_HEADERS, 'Content-Type': 'application/x-ndjson' });
      if (answer.done === 1 || response.writableLength <= MOST_WAITING) response.write(`${JSON.stringify(answer)}\n`);
    };
    await asGiven(() => this.runSearch(body, tell, controller.signal, map));
    response.end();
    return null;
  }
}
