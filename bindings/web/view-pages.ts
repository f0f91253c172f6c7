// Makes the pages of `lepanto view` except replays, before their scripts fill them.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LepantoError } from '../../engine/rules/error.js';
import { agentKinds } from '../../selfplay/agents/registry.js';
import { defaultWeights } from '../../selfplay/nets/weights.js';
import { writeWhole } from '../../selfplay/records/whole-file.js';
import { powerStyle } from '../draw/colours.js';
import { frameOf } from '../draw/drawn-board.js';
import { escapeXml } from '../draw/escape-xml.js';
import { browserFile, type PageParts, pageDocument, type ShownPage, shownPage } from './document.js';
import type { ArenaPageData, ComparedAgents, PositionPageData, RunList, RunPageData, RunRow } from './page-data.js';
import { PAGE_ROWS, type RunIndex } from './run-index.js';

const LOST = '<p id="lost" class="bad" role="status" hidden>The server does not answer: lepanto view has ended.</p>';

const navigation =
  '<nav aria-label="Pages"><a href="./">Runs</a><a href="board">Board</a><a href="play">Play</a></nav>';

/**
 * Returns the links above a game. Links to the games before and after it and to the board are hidden until the game is
 * read. The first argument is the address and the text of the link to the list of games.
 */
export const replayNavigation = ([address, text]: readonly [string, string], game: number): string => {
  const later = (id: string, words: string): string => `<a id="${id}" hidden>${words}</a>`;
  const games = later('before', `Game ${game - 1}`) + later('after', `Game ${game + 1}`);
  return `<nav aria-label="Pages"><a href="./">Runs</a><a href="${escapeXml(address)}">${escapeXml(text)}</a>${games}${later('edit', 'Edit this position')}${later('go-on', 'Play on from here')}${later('compare', 'Compare agents')}</nav>
<p id="reading" role="status">Reading the game …</p>`;
};

/** Makes a page of the server, with links to the other pages. */
const viewPage = (parts: PageParts): ShownPage =>
  shownPage({
    ...{ connects: "'self'", above: `${navigation}\n`, below: `\n${LOST}`, ...parts },
    style: `${browserFile('table.css')}${parts.style ?? ''}`,
  });

/** Makes the page of an error, with links to the other pages. */
export const errorPage = (message: string): ShownPage =>
  shownPage({
    ...{ title: 'This page cannot be shown', data: null, above: navigation },
    below: `<p class="bad" role="alert">${escapeXml(message)}</p><p><a href="./">All runs</a></p>`,
  });

/** Makes the page of the list of runs. @param directory path in its heading */
export const runsPage = (directory: string, list: RunList): ShownPage =>
  viewPage({ title: `Runs in ${directory}`, script: 'runs-page', data: list });

/** Makes the page of arenas. Its script fetches the tables and the games. */
export const arenaPage = (data: ArenaPageData): ShownPage =>
  viewPage({ title: `Arena ${data.name}`, script: 'arena-page', data });

/** Makes the page of a run. @param compared results of `lepanto compare` for the run */
export const runPage = (run: RunRow, { source: { map } }: RunIndex, compared: readonly ComparedAgents[]): ShownPage => {
  const data: RunPageData = { run, powers: map.powerNames, rows: PAGE_ROWS, compared };
  const style = powerStyle(frameOf(map).looks);
  return viewPage({ title: `Run ${run.title}`, heading: run.title, script: 'run-page', style, data });
};

/** Agents that the worker of a page plays. A search has a time limit, because a player waits for it. */
export const browserAgents: readonly string[] = agentKinds
  .filter(({ inBrowser }) => inBrowser !== false)
  .map(({ name }) => (name === 'search' ? 'search:ms=1000' : name));

/** Addresses of the page of a position. They determine its defaults. */
export const boardNames = ['board', 'play', 'editor', 'compare'] as const;

const BOARD_SCRIPT = 'board-page';

/** Script of the page of a position. The page fetches it by this name. */
export const boardScript = {
  name: `${BOARD_SCRIPT}.js`,
  text: (): string => browserFile(`${BOARD_SCRIPT}.js`).trimEnd(),
};

/**
 * Makes the page of a position, to play, analyse and compare agents. The engine is in its script, agents are in a
 * worker.
 * @param above HTML above the heading, with links to other pages
 */
export const positionPage = (data: PositionPageData, above = navigation): PageParts => ({
  ...{ title: 'Board', script: BOARD_SCRIPT, fetchesScript: true, isStage: true },
  ...{ data, above, connects: "'self'", workers: true },
});

/** Returns the script of the worker and its policy, which allows fetching a net's weights and compiling WebAssembly. */
export const playWorker = (): { readonly script: string; readonly policy: string } => ({
  script: readFileSync(new URL('./workers/play-worker.js', import.meta.url), 'utf8'),
  policy: "default-src 'none'; connect-src 'self'; script-src 'wasm-unsafe-eval'",
});

/**
 * Checks that a folder can be written.
 * @throws LepantoError if files of these names exist that are not a playground's
 */
const refuseOtherFiles = (folder: string, names: readonly string[]): void => {
  const other = names.find((name) => existsSync(join(folder, name)));
  if (other === undefined) return;
  const index = join(folder, names[0]);
  if (!existsSync(index) || !readFileSync(index, 'utf8').includes('"isStatic":true'))
    throw new LepantoError(
      'file',
      `${join(folder, other)}: got a file of something else, wanted a new folder or that of a playground`,
    );
};

/**
 * Writes the board page as a folder of static files. It plays only in the browser and, after the first visit, offline.
 * @param above HTML above the heading, with links to the surrounding site
 * @returns number of bytes written
 * @throws LepantoError if it would replace other files
 */
export const writePlayground = (folder: string, above = ''): number => {
  mkdirSync(folder, { recursive: true });
  const script = (name: string): Buffer => readFileSync(new URL(`./workers/${name}`, import.meta.url));
  const own = { run: null, own: null, position: null, ownAgents: browserAgents };
  const data = { ...own, agents: [], saves: false, isStatic: true };
  const files: readonly (readonly [string, Buffer])[] = [
    ['index.html', Buffer.from(pageDocument(positionPage(data, above)))],
    [boardScript.name, Buffer.from(boardScript.text())],
    ...['play-worker.js', 'offline-worker.js'].map((name) => [name, script(name)] as const),
    ['default.safetensors', readFileSync(defaultWeights)],
  ];
  refuseOtherFiles(
    folder,
    files.map(([name]) => name),
  );
  for (const [name, content] of files) writeWhole(join(folder, name), content);
  return files.reduce((sum, [, { length }]) => sum + length, 0);
};
