// The pages of `lepanto view` but for replays, before their scripts fill them.
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
 * Links above a game: those to the games before and after it, to the board and to play on lead nowhere before the game is read.
 * @param back where the game is listed, as an address and its text
 */
export const replayNavigation = ([address, text]: readonly [string, string], game: number): string => {
  const later = (id: string, words: string): string => `<a id="${id}" hidden>${words}</a>`;
  const games = later('before', `Game ${game - 1}`) + later('after', `Game ${game + 1}`);
  return `<nav aria-label="Pages"><a href="./">Runs</a><a href="${escapeXml(address)}">${escapeXml(text)}</a>${games}${later('edit', 'Edit this position')}${later('go-on', 'Play on from here')}${later('compare', 'Compare agents')}</nav>
<p id="reading" role="status">Reading the game …</p>`;
};

/** A page of the server, with links to the others. */
const viewPage = (parts: PageParts): ShownPage =>
  shownPage({
    ...{ connects: "'self'", above: `${navigation}\n`, below: `\n${LOST}`, ...parts },
    style: `${browserFile('table.css')}${parts.style ?? ''}`,
  });

/** The page of an error: what is wrong, below the links to other pages. */
export const errorPage = (message: string): ShownPage =>
  shownPage({
    ...{ title: 'This page cannot be shown', data: null, above: navigation },
    below: `<p class="bad" role="alert">${escapeXml(message)}</p><p><a href="./">All runs</a></p>`,
  });

/** The list of runs. @param directory shown as its heading */
export const runsPage = (directory: string, list: RunList): ShownPage =>
  viewPage({ title: `Runs in ${directory}`, script: 'runs-page', data: list });

/** Its script asks for the tables and the games. */
export const arenaPage = (data: ArenaPageData): ShownPage =>
  viewPage({ title: `Arena ${data.name}`, script: 'arena-page', data });

/** @param compared what `lepanto compare` has found in it */
export const runPage = (run: RunRow, { source: { map } }: RunIndex, compared: readonly ComparedAgents[]): ShownPage => {
  const data: RunPageData = { run, powers: map.powerNames, rows: PAGE_ROWS, compared };
  const style = powerStyle(frameOf(map).looks);
  return viewPage({ title: `Run ${run.title}`, heading: run.title, script: 'run-page', style, data });
};

/** Agents that the worker of a page plays. A search is bounded by time, because its player waits. */
export const browserAgents: readonly string[] = agentKinds
  .filter(({ inBrowser }) => inBrowser !== false)
  .map(({ name }) => (name === 'search' ? 'search:ms=1000' : name));

/** The names of the page of a position: what it begins with where its address does not say it. */
export const boardNames = ['board', 'play', 'editor', 'compare'] as const;

const BOARD_SCRIPT = 'board-page';

/** The script of the page of a position, which the page fetches by this name. */
export const boardScript = {
  name: `${BOARD_SCRIPT}.js`,
  text: (): string => browserFile(`${BOARD_SCRIPT}.js`).trimEnd(),
};

/**
 * The page of a position: to play, to analyse, to compare agents. The engine is in its script, and agents are in a worker.
 * @param above HTML above its heading: links to other pages
 */
export const positionPage = (data: PositionPageData, above = navigation): PageParts => ({
  ...{ title: 'Board', script: BOARD_SCRIPT, fetchesScript: true, isStage: true },
  ...{ data, above, connects: "'self'", workers: true },
});

/** The script of the worker, and what it may do: fetch the weights of a net, and compile its loops. */
export const playWorker = (): { readonly script: string; readonly policy: string } => ({
  script: readFileSync(new URL('./workers/play-worker.js', import.meta.url), 'utf8'),
  policy: "default-src 'none'; connect-src 'self'; script-src 'wasm-unsafe-eval'",
});

/** @throws LepantoError where files of these names are there and are not those of a playground */
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
/** The page that compared agents, before the board had them: its address leads to the board. */
const formerPage = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Board</title>
<script>location.replace('./' + location.hash)</script>
<p><a href="./">Board</a></p></html>
`;

/**
 * Writes the page as a folder of files, for any server of files: it plays in the browser alone, and once it was open, also
 * without a network.
 * @param above HTML above its heading: links back to where it is part of
 * @returns bytes written
 * @throws LepantoError where it would replace files of something else
 */
export const writePlayground = (folder: string, above = ''): number => {
  mkdirSync(folder, { recursive: true });
  const script = (name: string): Buffer => readFileSync(new URL(`./workers/${name}`, import.meta.url));
  const own = { run: null, own: null, position: null, ownAgents: browserAgents };
  const data = { ...own, agents: [], saves: false, isStatic: true };
  const files: readonly (readonly [string, Buffer])[] = [
    ['index.html', Buffer.from(pageDocument(positionPage(data, above)))],
    [boardScript.name, Buffer.from(boardScript.text())],
    ['compare.html', Buffer.from(formerPage)],
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
