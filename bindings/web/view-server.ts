// Server of `lepanto view` and `lepanto play`: the list of runs, pages of runs and games, and the board page. It writes
// no files except games that `lepanto play` saves.
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { loadMap, scoreNames } from '../../engine/internal.js';
import { formatPosition } from '../../engine/notation/json/position.js';
import { anything } from '../../engine/rules/shape.js';
import { defaultWeights } from '../../selfplay/nets/weights.js';
import { powerStyle } from '../draw/colours.js';
import { frameOf } from '../draw/drawn-board.js';
import { readKey } from '../find/phase-keys.js';
import { positionIn } from '../find/query.js';
import { agentsIn } from '../formats/games/recorded-run.js';
import { findArenaGames, type OpenArenas } from './arena-tables.js';
import { furthestApart } from './compared-phases.js';
import { type ShownPage, shownPage } from './document.js';
import type { EditorSearch } from './editor-search.js';
import type {
  ArenaAnswer,
  Deflated,
  GameFilter,
  GameSort,
  GamesAnswer,
  PositionPageData,
  SearchAnswer,
} from './page-data.js';
import {
  asGiven,
  get,
  getPage,
  json,
  MOST_WAITING,
  oneOfWords,
  PageServer,
  post,
  type QueryOf,
  Refusal,
  type Route,
  SAFE_HEADERS,
  text,
  whole,
  word,
} from './page-server.js';
import { replayData, replayFrame } from './replay-page.js';
import { PAGE_ROWS, type RunIndex } from './run-index.js';
import type { RunLibrary } from './run-library.js';
import { RunReader } from './run-reader.js';
import { savePlay } from './save-play.js';
import { ServerAgents } from './server-agents.js';
import {
  arenaPage,
  boardNames,
  boardScript,
  browserAgents,
  errorPage,
  playWorker,
  positionPage,
  replayNavigation,
  runPage,
  runsPage,
} from './view-pages.js';

const SCRIPT = 'text/javascript; charset=utf-8';
const NEWS_MS = 1000;
/** Largest number of pages that receive news of runs at the same time. */
const MOST_STREAMS = 256;
const MAX_SAVED = 1 << 23;
/** Largest number of games in one answer, for a download of a list. */
const MOST_ROWS = 1_000_000;

// ---- queries of addresses ----

const scoring = oneOfWords(scoreNames);
/**
 * Parameters of addresses. ofRun: a run, by its name in the list. ofGame: a game of a run or of an arena. ofPhase: a
 * phase of a game.
 */
const ofRun = { run: text };
const ofGame = { run: text, arena: whole, game: whole };
const ofPhase = { run: text, game: whole, phase: word };
/** Parameters of a sorted list of games: the start and length of the part that is asked for, and the order. */
const listed = { run: text, from: whole, rows: whole, sort: word, down: oneOfWords(['0', '1']) };
const ofArena = { ...listed, arena: whole, agent: word, other: word, power: word };
const ofGames = {
  ...{ ...listed, winner: word, agent: word, owner: word, scoring },
  ...{ 'years-from': whole, 'years-to': whole, 'centers-from': whole, 'centers-to': whole },
};
type OfRun = QueryOf<typeof ofRun>;
type OfGame = QueryOf<typeof ofGame>;
type OfGames = QueryOf<typeof ofGames>;

/**
 * Returns what part of a list of games a query asks for. sort: order of the list; null if the query names no column.
 * page: index of the first game, and number of games, at most MOST_ROWS.
 */
const listIn = ({
  from = 0,
  rows = PAGE_ROWS,
  sort,
  down,
}: QueryOf<typeof listed>): { sort: GameSort | null; page: [number, number] } => ({
  sort: sort === undefined ? null : { by: sort, isDown: down === '1' },
  page: [from, Math.min(rows, MOST_ROWS)],
});

/**
 * Returns least and greatest value of a filter; undefined if neither is given.
 * @param most greatest value if only the least is given
 */
const rangeIn = (
  from: number | undefined,
  to: number | undefined,
  most: number,
): readonly [number, number] | undefined =>
  from === undefined && to === undefined ? undefined : [from ?? 0, to ?? most];

/** Returns the filter of a query for games. @throws Refusal with status 400 for an unknown power */
const filterIn = ({ winner, agent, owner, ...query }: OfGames, { source: { map } }: RunIndex): GameFilter => {
  const powerOf = (name: string, what: string): number => {
    const power = map.powerNames.indexOf(name);
    if (power < 0)
      throw new Refusal(400, `${what}: got "${name.slice(0, 20)}", wanted one of ${map.powerNames.join(', ')}`);
    return power;
  };
  const years = rangeIn(query['years-from'], query['years-to'], 65_535);
  const centers = rangeIn(query['centers-from'], query['centers-to'], 255);
  if (winner !== undefined && winner !== 'solo' && winner !== 'draw') powerOf(winner, 'winner');
  const power = owner === undefined ? -1 : powerOf(owner, 'owner');
  return {
    ...(winner !== undefined && { winner }),
    ...(agent !== undefined && { agent }),
    ...(years && { years }),
    ...(centers && { centers: [power, ...centers] as const }),
  };
};

// ---- arenas ----

const arenaName = (library: RunLibrary, { run = '' }: OfRun): string => {
  if (library.hasArenas(run)) return run;
  throw new Refusal(404, `got "${run.slice(0, 80)}", wanted the directory of an arena`);
};

const arenasOf = async (library: RunLibrary, name: string): Promise<OpenArenas> => {
  const arenas = await library.arenasOf(name);
  if (arenas === null) throw new Refusal(404, `${name}: it has gone`);
  return arenas;
};

const arenaAnswer = async (library: RunLibrary, query: QueryOf<typeof ofArena>): Promise<ArenaAnswer> => {
  const name = arenaName(library, query);
  const arenas = await arenasOf(library, name);
  const { sort, page } = listIn(query);
  const isKept = (arena: number): boolean => library.runOf(name, arena) !== null;
  const { arena, agent, other, power } = query;
  const games = findArenaGames(arenas, { arena, agent, other, power }, sort, page, isKept);
  const [first] = arenas.arenas;
  const style = first === undefined ? '' : powerStyle(frameOf(loadMap(first.spec.map)).looks);
  return { arenas: arenas.tables, gates: arenas.gates, games, style };
};

/**
 * Returns the name of the run that has a game. The games of each arena are in a separate run.
 * @throws Refusal with status 404 for an unknown arena, or if its games were not kept
 */
const runOfGame = (library: RunLibrary, query: OfGame): string => {
  if (query.arena === undefined) return query.run ?? '';
  const name = arenaName(library, query);
  const run = library.runOf(name, query.arena);
  if (run === null) throw new Refusal(404, `arena ${query.arena}: ${name} has kept none of its games`);
  return run;
};

// ---- games ----

/**
 * Returns the page of a game before the game is read; its script fetches the game. Games of an arena have its numbers.
 * @param search query of the address
 * @throws Refusal with status 404 if there is no such run or game
 */
const replayOf = (reader: RunReader, query: OfGame, search: string): ShownPage => {
  const { arena, game = 0, run = '' } = query;
  const [{ name, title, games }, { source }] = reader.open(runOfGame(reader.library, query));
  const from = `api/replay?${search}`;
  if (arena !== undefined) {
    const navigation = replayNavigation([`arena?run=${encodeURIComponent(run)}`, `Arena ${run}`], game);
    return shownPage(replayFrame(source, { title: `Game ${game} of arena ${arena} in ${run}`, navigation }, { from }));
  }
  if (source.manifest !== null && game >= games)
    throw new Refusal(404, `game: got ${game}, which ${name} does not have, wanted one that is recorded`);
  const navigation = replayNavigation([`run?run=${encodeURIComponent(name)}`, title], game);
  const { agents, seated } = source.manifest ?? {};
  const notes = { title: `Game ${game} of ${title}`, agents: seated ? undefined : agents, navigation };
  return shownPage(replayFrame(source, notes, { from }));
};

const replayAnswer = async (reader: RunReader, query: OfGame, search: string): Promise<Deflated> => {
  const { game = 0 } = query;
  const [{ name }, index] = reader.open(runOfGame(reader.library, query));
  const record = await reader.gameOf(name, index, game, () => index.whole(game));
  const of = (other: number): string => {
    const asked = new URLSearchParams(search);
    asked.set('game', String(other));
    return `replay?${asked}`;
  };
  const run = `run=${encodeURIComponent(name)}`;
  const links = {
    ...(index.has(game - 1) && { before: of(game - 1) }),
    ...(index.has(game + 1) && { after: of(game + 1) }),
    ...{ edit: `board?${run}`, 'go-on': `play?${run}`, compare: `compare?${run}` },
  };
  const { source } = index;
  return { ...replayData(source, record, agentsIn(source, record)), links };
};

const gamesAnswer = async (reader: RunReader, query: OfGames): Promise<GamesAnswer> => {
  const [{ name }, index] = reader.open(query.run ?? '');
  const filter = filterIn(query, index);
  const { sort, page } = listIn(query);
  await reader.begun(index);
  const found = index.find(filter, query.scoring ?? scoreNames[0], ...page, sort);
  return { ...found, from: page[0], progress: reader.progress(name) };
};

// ---- pages of a position ----

type OfServer = Pick<PositionPageData, 'agents' | 'saves'>;

/**
 * Returns the data of the board page: the run and map that it belongs to, and the position of a phase of a game if one
 * is asked for.
 * @param of names of the server's agents, and whether the server saves games
 * @throws Refusal if there is no such run, game or phase
 */
const positionData = async (
  reader: RunReader,
  { run, game, phase }: QueryOf<typeof ofPhase>,
  of: OfServer,
): Promise<PositionPageData> => {
  const data = { ownAgents: browserAgents, ...of, isStatic: false, position: null };
  if (run === undefined) return { ...data, run: null, own: null };
  const [{ name }, index] = reader.open(run);
  const { map, rules, manifest } = index.source;
  const rows = manifest?.map.rows;
  const opened = { ...data, run: name, own: rows === undefined ? null : { name: map.name, rows } };
  if (game === undefined) return opened;
  const stored = await reader.gameOf(name, index, game, () => index.read(game));
  return asGiven(() => {
    const found = formatPosition(positionIn(index.source, stored, readKey(phase ?? '')));
    return { ...opened, position: { map: map.name, rules: rules.name, ...found } };
  });
};

// ---- streams ----

/**
 * Sends news to pages as server-sent events, once a second if there are any: the list of runs, or the progress of a
 * run.
 */
class News {
  private streams = 0;
  private readonly known = new Map<string, { readonly at: number; readonly text: string }>();

  constructor(private readonly reader: RunReader) {}

  /**
   * Returns the present news as JSON, or {"error": MESSAGE} if they cannot be read. The same for all pages with the
   * same request. @param run name of a run; undefined for the list of runs
   */
  private textFor(run: string | undefined): string {
    const key = JSON.stringify(run ?? null);
    const now = performance.now();
    for (const [old, { at }] of this.known) if (now - at > NEWS_MS / 2) this.known.delete(old);
    const known = this.known.get(key);
    if (known !== undefined) return known.text;
    let said: string;
    try {
      said = JSON.stringify(run === undefined ? this.reader.list() : this.reader.progress(run));
    } catch (error) {
      said = JSON.stringify({ error: (error as Error).message });
    }
    this.known.set(key, { at: now, text: said });
    return said;
  }

  /**
   * Starts to send news to a page, until it disconnects.
   * @param run name of a run; undefined for the list of runs
   * @throws Refusal with status 503 if too many pages receive news
   */
  subscribe(run: string | undefined, response: ServerResponse): null {
    if (this.streams === MOST_STREAMS) throw new Refusal(503, `got ${MOST_STREAMS} pages that want news, wanted fewer`);
    this.streams++;
    response.writeHead(200, { ...SAFE_HEADERS, 'Content-Type': 'text/event-stream' });
    let last = '';
    const sendNews = (): void => {
      if (response.writableLength > MOST_WAITING) return;
      const told = this.textFor(run);
      // If there are no news, sends a comment, to detect that a browser has disconnected.
      response.write(told === last ? ':\n\n' : `data: ${told}\n\n`);
      last = told;
    };
    const timer = setInterval(sendNews, NEWS_MS);
    response.on('error', () => {});
    response.on('close', () => {
      clearInterval(timer);
      this.streams--;
    });
    sendNews();
    return null;
  }
}

/**
 * Runs a search, and writes its results to a response as lines of JSON; the last line is the final result. The search
 * ends if the client disconnects.
 * @throws Refusal with status 400 if the search fails
 */
const streamSearch = async (
  search: (onAnswer: (answer: SearchAnswer) => void, signal: AbortSignal) => Promise<void>,
  response: ServerResponse,
): Promise<null> => {
  const controller = new AbortController();
  response.on('error', () => {});
  response.on('close', () => controller.abort());
  const onAnswer = (answer: SearchAnswer): void => {
    if (!response.headersSent) response.writeHead(200, { ...SAFE_HEADERS, 'Content-Type': 'application/x-ndjson' });
    if (answer.done === 1 || response.writableLength <= MOST_WAITING) response.write(`${JSON.stringify(answer)}\n`);
  };
  await asGiven(() => search(onAnswer, controller.signal));
  response.end();
  return null;
};

// ---- the server ----

export interface ViewOptions {
  readonly library: RunLibrary;
  /** Runs the searches that pages request. */
  readonly search: EditorSearch['search'];
  /** Agents that the server plays. Default: none. */
  readonly agents?: ServerAgents;
  /** True if pages may save games among the server's runs. Default: false. */
  readonly saves?: boolean;
}

/** Makes the server of the pages of a library of runs. It does not listen yet. */
export const viewServer = ({ library, search, agents = ServerAgents.none, saves = false }: ViewOptions): PageServer => {
  const reader = new RunReader(library);
  const news = new News(reader);
  const board: Route = getPage(ofPhase, async ({ query }) =>
    shownPage(positionPage(await positionData(reader, query, { agents: agents.names, saves }))),
  );
  const save = async (game: unknown): Promise<{ readonly file: string }> => {
    if (!saves) throw new Refusal(403, 'got a game to save, wanted none: only lepanto play saves games');
    return { file: await asGiven(() => savePlay(library.directory, game)) };
  };
  const routes: Readonly<Record<string, Route>> = {
    '/': getPage({}, () => runsPage(library.directory, reader.list())),
    ...Object.fromEntries(boardNames.map((name) => [`/${name}`, board])),
    '/run': getPage(ofRun, ({ query: { run = '' } }) => {
      const [row, index] = reader.open(run);
      return runPage(row, index, furthestApart(row.name, index.source.path));
    }),
    '/arena': getPage(ofRun, ({ query }) => arenaPage({ name: arenaName(library, query), rows: PAGE_ROWS })),
    '/replay': getPage(ofGame, ({ query, search: said }) => replayOf(reader, query, said)),
    '/api/runs': get({}, () => json(reader.list())),
    '/api/arena': get(ofArena, async ({ query }) => json(await arenaAnswer(library, query))),
    '/api/replay': get(ofGame, async ({ query, search: said }) => json(await replayAnswer(reader, query, said))),
    '/api/games': get(ofGames, async ({ query }) => json(await gamesAnswer(reader, query))),
    '/api/find': get({ run: text, query: word, scoring }, async ({ query }) =>
      json(await reader.find(query.run ?? '', query.query ?? '', query.scoring ?? scoreNames[0])),
    ),
    [`/${boardScript.name}`]: get({}, () => ({ body: boardScript.text(), type: SCRIPT })),
    '/play-worker.js': get({}, () => {
      const { script, policy } = playWorker();
      return { body: script, type: SCRIPT, policy };
    }),
    '/default.safetensors': get({}, () => ({ body: readFileSync(defaultWeights), type: 'application/octet-stream' })),
    '/api/orders': post({}, anything, async ({ body }) => json(await asGiven(() => agents.ask(body)))),
    '/api/save': post({}, anything, async ({ body }) => json(await save(body)), MAX_SAVED),
    // The query names the run if the position is on the map of a run.
    '/api/search': post(ofRun, anything, ({ query: { run }, body, response }) => {
      const map = run === undefined ? undefined : reader.open(run)[1].source.map;
      return streamSearch((onAnswer, signal) => search(body, onAnswer, signal, map), response);
    }),
    '/events': get(ofRun, ({ query: { run }, response }) => news.subscribe(run, response)),
  };
  return new PageServer(routes, errorPage, () => reader.close());
};
