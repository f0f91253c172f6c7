// The pages of `lepanto view` but for replays: their HTML, before their scripts fill it. The engine itself is in the script
// of the editor.

import { mapNames, presetNames, scoreNames } from '../../engine/internal.js';
import { boardOf } from '../draw/drawn-board.js';
import { escapeXml } from '../draw/escape-xml.js';
import { browserFile, powerStyle, type ShownPage, shownPage } from './document.js';
import type { RunList, RunPageData, RunRow, TrainingRow } from './page-data.js';
import { PAGE_ROWS, type RunIndex } from './run-index.js';

const LOST = '<p id="lost" class="bad" role="status" hidden>The server does not answer: lepanto view has ended.</p>';

export const navigation = '<nav aria-label="Pages"><a href="./">Runs</a><a href="editor">Position editor</a></nav>';

/** The same above a game: to its run, to the games before and after it, and to the editor. */
export const replayNavigation = ({ name, title }: RunRow, index: RunIndex, game: number): string => {
  const run = `run=${encodeURIComponent(name)}`;
  const gameLink = (other: number): string =>
    index.has(other) ? `<a href="replay?${run}&amp;game=${other}">Game ${other}</a>` : '';
  return `<nav aria-label="Pages"><a href="./">Runs</a><a href="run?${run}">${escapeXml(title)}</a>${gameLink(game - 1)}${gameLink(game + 1)}<a id="edit" href="editor">Edit this position</a></nav>`;
};

/** The list of runs. @param directory shown as its heading */
export const runsPage = (directory: string, list: RunList): ShownPage =>
  shownPage({
    title: `Runs in ${directory}`,
    script: 'runs-page',
    data: list,
    connects: "'self'",
    body: `<main>${navigation}
<h1>Runs in ${escapeXml(directory)}</h1>
${LOST}
<div class="tools"><label>Filter by name, agent or map <input id="wanted" type="search"></label>
<span id="count" class="dim" role="status"></span></div>
<p id="none" hidden>There is no run here yet. <code>lepanto selfplay --out DIR</code> plays one.</p>
<div id="training" hidden><h2>Training</h2>
<div class="wide"><table><thead><tr><th>Run</th><th>Stage</th><th>Time</th><th>Best net</th><th>State</th><th class="n later">Changed</th></tr></thead>
<tbody id="trainings"></tbody></table></div><h2>Games</h2></div>
<div class="wide"><table><thead><tr><th>Run</th><th>Agents</th><th>Games</th><th>State</th><th class="later">Played by</th><th class="n later">Changed</th></tr></thead>
<tbody id="runs"></tbody></table></div>
</main>`,
  });

export const trainingPage = (row: TrainingRow): ShownPage =>
  shownPage({
    title: `Training ${row.title}`,
    script: 'training-page',
    data: row,
    connects: "'self'",
    pictures: true,
    body: `<main>${navigation}
<h1>${escapeXml(row.title)}</h1>
${LOST}
<p><progress id="progress" max="1" aria-label="Time of the run"></progress> <span id="state" role="status">…</span></p>
<p id="measured" class="dim"></p>
<p id="faults" class="bad" hidden></p>
<h2>Gates</h2>
<p id="none" class="dim" hidden>No net was judged yet.</p>
<div class="wide"><table><thead id="anchors"></thead><tbody id="gates"></tbody></table></div>
<h2>Curves</h2>
<img id="curves" alt="Shares against each anchor, losses and entropy over the minutes of the run" hidden>
</main>`,
  });

const option = (value: string, text = value): string =>
  `<option value="${escapeXml(value)}">${escapeXml(text)}</option>`;

const select = (id: string, label: string, options: readonly string[]): string =>
  `<label>${label} <select id="${id}">${options.join('')}</select></label>`;

const numberInput = (id: string, label: string): string =>
  `<label>${label} <input id="${id}" type="number" min="0" max="9999" inputmode="numeric"></label>`;

const scoreTitles: Readonly<Record<(typeof scoreNames)[number], string>> = {
  sum_of_squares: 'Sum of squares',
  draw_size: 'Draw size',
  sum_of_centers: 'Share of centres',
  c_diplo_100: 'C-Diplo 100',
  c_diplo_73: 'C-Diplo 73',
  survivors: 'Survivors',
};

const powerHead = (name: string): string =>
  `<th class="n"><abbr title="Centres of ${escapeXml(name)} at the end">${escapeXml(name.slice(0, 3))}</abbr></th>`;

export const runPage = (row: RunRow, { source: { map, manifest } }: RunIndex): ShownPage => {
  const powers = map.powerNames.map((name) => option(name));
  const agents = [...new Set(manifest?.agents ?? [])].map((agent) => option(agent));
  const winners = [option('', 'any'), option('solo', 'any power'), option('draw', 'nobody'), ...powers];
  const scores = scoreNames.map((name) => option(name, scoreTitles[name]));
  const data: RunPageData = { name: row.name, powers: map.powerNames, rows: PAGE_ROWS };
  return shownPage({
    title: `Run ${row.title}`,
    style: powerStyle(boardOf(map).looks),
    script: 'run-page',
    data,
    connects: "'self'",
    body: `<main>${navigation}
<h1>${escapeXml(row.title)}</h1>
${LOST}
<p><progress id="progress" max="1" value="0" aria-label="Games recorded"></progress> <span id="state" role="status">…</span></p>
<p class="dim">Map ${escapeXml(row.map)}, rules ${escapeXml(row.rules)}, until ${row.until}</p>
<p id="faults" class="bad" hidden></p>
<div class="tools" id="filters">
${select('winner', 'Winner', winners)}
${select('agent', 'Winning agent', [option('', 'any'), ...agents])}
${numberInput('years-from', 'Years from')}${numberInput('years-to', 'Years to')}
${select('owner', 'Centres of', [option('', 'any'), ...powers])}
${numberInput('centers-from', 'Centres from')}${numberInput('centers-to', 'Centres to')}
${select('scoring', 'Score', scores)}
<button id="reset" type="button">Show all</button></div>
<p id="trouble" class="bad" role="alert" hidden></p>
<h2>Powers</h2>
<div class="wide"><table><thead><tr><th>Power</th><th>Agent</th><th class="n">Score</th><th class="n">Centres</th><th class="n">Solos</th><th class="n">Survived</th></tr></thead><tbody id="scores"></tbody></table></div>
<h2>Distributions</h2>
<div class="columns"><div><h3>Length in years</h3><div id="lengths"></div><h3>Winner</h3><div id="winners"></div></div>
<div><h3>Centres at the end</h3><div id="centers"></div></div></div>
<h2>Games</h2>
<div class="tools"><button id="newer" type="button">Back</button><button id="older" type="button">On</button><span id="found" class="dim" role="status"></span></div>
<div class="wide"><table><thead><tr><th>Replay</th><th>Winner</th><th class="n">Years</th><th class="n">Steps</th>${map.powerNames.map(powerHead).join('')}</tr></thead><tbody id="games"></tbody></table></div>
</main>`,
  });
};

const list = (id: string, values: readonly string[]): string =>
  `<datalist id="${id}">${values.map((value) => `<option value="${escapeXml(value)}">`).join('')}</datalist>`;

export const editorPage = (): ShownPage =>
  shownPage({
    title: 'Position editor',
    script: 'editor-page',
    data: {},
    connects: "'self'",
    body: `<main>${navigation}
${browserFile('editor-page.html')}${list('maps', mapNames)}${list('presets', presetNames)}
</main>`,
  });
