// Makes the pages of `lepanto view` except replays. Their scripts fill them in the browser.
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
 * Returns HTML of the links above a game. Links to the games before and after it and to the board page are hidden until
 * the game is read.
 * @param game number of the game
 */
export const replayNavigation = ([address, text]: readonly [string, string], game: number): string => {
  const later = (id: string, words: string): string => `<a id="${id}" hidden>${words}</a>`;
  const games = later('before', `Game ${game - 1}`) + later('after', `Game ${game + 1}`);
  return `<nav aria-label="Pages"><a href="./">Runs</a><a href="${escapeXml(address)}">${escapeXml(text)}</a>${games}${later('edit', 'Edit this position')}${later('go-on', 'Play on from here')}${later('compare', 'Compare agents')}</nav>
<p id="reading" role="status">Reading the game …</p>`;
};

/** Makes a page of the server, with links to the other pages and the style of tables. */
const viewPage = (parts: PageParts): ShownPage =>
  shownPage({
    ...{ connects: "'self'", above: `${navigation}\n`, below: `\n${LOST}`, ...parts },
    style: `${browserFile('table.css')}${parts.style ?? ''}`,
  });

/** Makes the page that shows an error, with links to the other pages. */
export const errorPage = (message: string): ShownPage =>
  shownPage({
    ...{ title: 'This page cannot be shown', data: null, above: navigation },
    below: `<p class="bad" role="alert">${escapeXml(message)}</p><p><a href="./">All runs</a></p>`,
  });

/** Makes the page of the list of runs. @param directory path that its title names */
export const runsPage = (directory: string, list: RunList): ShownPage =>
  viewPage({ title: `Runs in ${directory}`, script: 'runs-page', data: list });

/** Makes the page of a directory of arenas. Its script fetches the tables and the games. */
export const arenaPage = (data: ArenaPageData): ShownPage =>
  viewPage({ title: `Arena ${data.name}`, script: 'arena-page', data });

/** Makes the page of a run. @param compared comparisons of agents in the run, by `lepanto compare` */
export const runPage = (run: RunRow, { source: { map } }: RunIndex, compared: readonly ComparedAgents[]): ShownPage => {
  const data: RunPageData = { run, powers: map.powerNames, rows: PAGE_ROWS, compared };
  const style = powerStyle(frameOf(map).looks);
  return viewPage({ title: `Run ${run.title}`, heading: run.title, script: 'run-page', style, data });
};

/**
 * Names of the agents that the worker of a page can play. The search has a time limit, because a player waits for it.
 */
export const browserAgents: readonly string[] = agentKinds
  .filter(({ inBrowser }) => inBrowser !== false)
  .map(({ name }) => (name === 'search' ? 'search:ms=1000' : name));

/** Names of the addresses of the board page. They determine what the page shows first. */
export const boardNames = ['board', 'play', 'editor', 'compare'] as const;

const BOARD_SCRIPT = 'board-page';

/** Script of the board page: the name by which the page fetches it, and a function that returns its text. */
export const boardScript = {
  name: `${BOARD_SCRIPT}.js`,
  text: (): string => browserFile(`${BOARD_SCRIPT}.js`).trimEnd(),
};

/**
 * Makes the board page, to play, analyse and compare agents. The engine is in its script, agents are in a worker.
 * @param above HTML above the heading, with links to other pages
 */
export const positionPage = (data: PositionPageData, above = navigation): PageParts => ({
  ...{ title: 'Board', script: BOARD_SCRIPT, fetchesScript: true, isStage: true },
  ...{ data, above, connects: "'self'", workers: true },
});

/**
 * Returns the script of the worker that plays agents, and its content security policy, which allows fetching a net's
 * weights and compiling WebAssembly.
 */
export const playWorker = (): { readonly script: string; readonly policy: string } => ({
  script: readFileSync(new URL('./workers/play-worker.js', import.meta.url), 'utf8'),
  policy: "default-src 'none'; connect-src 'self'; script-src 'wasm-unsafe-eval'",
});

/**
 * Checks that files in a folder may be overwritten.
 * @param names names of the files
 * @throws LepantoError if one of them exists and the folder is not that of a playground
 */
const refuseOtherFiles = (folder: string, names: readonly string[]): void => {
  const other = names.find((name) => existsSync(join(folder, name)));
  if (other === undefined) return;
  const index = join(folder, names[0]);
  if (!existsSync(index) || !readFileSync(index, 'utf8').includes('"isStatic":true'))
    throw new LepantoError(
      'file',
      `${join(folder, other)}: got a file of something else, wanted a new directory or that of a playground`,
    );
};

/**
 * Writes the board page as a folder of static files (a playground). It plays only in the browser and, after the first
 * visit, offline.
 * @param above HTML above the heading, with links to the surrounding site
 * @returns number of bytes written
 * @throws LepantoError if it would replace files that are not a playground's
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
