// The pages of `lepanto view` but for replays, before their scripts fill them.
import { boardOf } from '../draw/drawn-board.js';
import { escapeXml } from '../draw/escape-xml.js';
import { browserFile, type PageParts, powerStyle, type ShownPage, shownPage } from './document.js';
import type { ArenaPageData, EditorPageData, RunList, RunPageData, RunRow, TrainingPageData } from './page-data.js';
import { PAGE_ROWS, type RunIndex } from './run-index.js';

const LOST = '<p id="lost" class="bad" role="status" hidden>The server does not answer: lepanto view has ended.</p>';

const navigation = '<nav aria-label="Pages"><a href="./">Runs</a><a href="editor">Position editor</a></nav>';

/** Links above a game: to its run, to the games before and after it, and to the editor. */
export const replayNavigation = ({ name, title }: RunRow, index: RunIndex, game: number): string => {
  const run = `run=${encodeURIComponent(name)}`;
  const gameLink = (other: number): string =>
    index.has(other) ? `<a href="replay?${run}&amp;game=${other}">Game ${other}</a>` : '';
  return `<nav aria-label="Pages"><a href="./">Runs</a><a href="run?${run}">${escapeXml(title)}</a>${gameLink(game - 1)}${gameLink(game + 1)}<a id="edit" href="editor?${run}">Edit this position</a></nav>`;
};

/** A game of an arena, and where it lies. */
export interface ArenaGamePlace {
  /** Of the directory in the list. */
  readonly name: string;
  readonly arena: number;
  readonly game: number;
  /** Of the arena. */
  readonly games: number;
  /** Name of the run of its seating, and its number there. */
  readonly run: string;
  readonly number: number;
}

/** The same above a game of an arena: games have their numbers in it. */
export const arenaNavigation = ({ name, arena, game, games, run }: ArenaGamePlace): string => {
  const of = `run=${encodeURIComponent(name)}`;
  const gameLink = (other: number): string =>
    other < 0 || other >= games ? '' : `<a href="replay?${of}&amp;arena=${arena}&amp;game=${other}">Game ${other}</a>`;
  return `<nav aria-label="Pages"><a href="./">Runs</a><a href="arena?${of}">Arena ${escapeXml(name)}</a>${gameLink(game - 1)}${gameLink(game + 1)}<a id="edit" href="editor?run=${encodeURIComponent(run)}">Edit this position</a></nav>`;
};

/** A page with links, a heading and the HTML of its script's name, which the script fills. @param layout class of `main` */
const viewPage = (heading: string, parts: Omit<PageParts, 'body'>, layout = ''): ShownPage =>
  shownPage({
    connects: "'self'",
    body: `<main class="${layout}"><div class="head">${navigation}
<h1>${escapeXml(heading)}</h1>
${LOST}</div>
${browserFile(`${parts.script}.html`)}</main>`,
    ...parts,
  });

/** The list of runs. @param directory shown as its heading */
export const runsPage = (directory: string, list: RunList): ShownPage =>
  viewPage(`Runs in ${directory}`, { title: `Runs in ${directory}`, script: 'runs-page', data: list });

export const trainingPage = (data: TrainingPageData): ShownPage => {
  const { title } = data.training;
  return viewPage(title, { title: `Training ${title}`, script: 'training-page', data });
};

export const arenaPage = (data: ArenaPageData): ShownPage =>
  viewPage(`Arena ${data.name}`, { title: `Arena ${data.name}`, script: 'arena-page', data });

export const runPage = (run: RunRow, { source: { map } }: RunIndex): ShownPage => {
  const data: RunPageData = { run, powers: map.powerNames, rows: PAGE_ROWS };
  return viewPage(run.title, {
    title: `Run ${run.title}`,
    style: powerStyle(boardOf(map).looks),
    script: 'run-page',
    data,
  });
};

/** The engine itself is in its script. */
export const editorPage = (data: EditorPageData): ShownPage =>
  viewPage('Position editor', { title: 'Position editor', script: 'editor-page', data }, 'stage');
