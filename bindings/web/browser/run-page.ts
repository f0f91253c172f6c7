// Script of the page of a run: its progress, results of each power, lengths of games, and a list of games to filter and
// open.
import type { ScoreName } from '../../../engine/internal.js';
import { powerTitle } from '../../draw/titles.js';
import { openingsTable } from '../../find/openings-table.js';
import type {
  ComparedAgents,
  FindAnswer,
  GameRow,
  GamesAnswer,
  GamesFound,
  Mean,
  PowerTally,
  RunPageData,
  RunProgress,
} from '../page-data.js';
import { powerName, reportTable, tableAt } from './data-table.js';
import { figure, percent } from './figures.js';
import { gamesList } from './games-list.js';
import { offerKeys } from './keys.js';
import {
  answerIn,
  byId,
  complain,
  control,
  element,
  listenTo,
  onClick,
  optionsOf,
  pageData,
  renew,
  row,
  showText,
} from './page.js';
import { type PlotLine, type PlotPoint, plotOf, type Tick } from './plot.js';

/** LETTER: width of a letter below a bar. COLUMN: width of a column of the table of centres. Both in pixels. */
const LETTER = 6.5;
const COLUMN = 20;

const { run: shownRun, powers, rows, compared } = pageData<RunPageData>();
const address = `run=${encodeURIComponent(shownRun.name)}`;
const ranges = ['years-from', 'years-to', 'centers-from', 'centers-to'];
const filters = ['winner', 'agent', 'owner', ...ranges, 'scoring', 'find'];

const briefOf = (agent: string): string => shownRun.briefs[shownRun.agents.indexOf(agent)] ?? agent;

/**
 * asked: number of the latest request for games; answers to earlier requests are ignored. version: version of the shown
 * index.
 */
let asked = 0;
let version = -1;

const filterQuery = (): string => {
  const parts = filters.map((id) => [id, control(id).value]).filter(([, value]) => value !== '');
  return parts.map(([id, value]) => `${id}=${encodeURIComponent(value)}`).join('&');
};

/**
 * Returns a mean with its standard error, such as '4.214 ± 0.050'. All have three digits after the point, to align
 * columns.
 */
const meanText = ([mean, error]: Mean): string =>
  error === null ? mean.toFixed(3) : `${mean.toFixed(3)} ± ${error.toFixed(3)}`;

interface PowerRow extends PowerTally {
  readonly games: number;
}

const showScoreRows = tableAt<PowerRow>(
  'scores-table',
  [
    { title: 'Power', by: ({ power }) => power, show: ({ power }) => powerName(powers, power) },
    {
      ...{ title: 'Agent', kind: 'long', by: ({ agent }) => agent },
      show: ({ agent }) => [element('span', { title: agent }, briefOf(agent))],
    },
    { title: 'Score', kind: 'n', by: ({ score }) => score[0], show: ({ score }) => [meanText(score)], isDown: true },
    { title: 'Centres', kind: 'n', by: (row) => row.centers[0], show: (row) => [meanText(row.centers)], isDown: true },
    {
      title: 'Solos',
      kind: 'n',
      by: ({ solos }) => solos,
      show: (row) => [percent(row.solos, row.games)],
      isDown: true,
    },
    {
      ...{ title: 'Survived', kind: 'n', by: ({ survived }: PowerRow) => survived, isDown: true },
      show: ({ survived, games }) => [percent(survived, games)],
    },
  ],
  { name: 'scores' },
);

const showScores = ({ powers: found, games }: GamesFound): void =>
  showScoreRows(found.map((one) => ({ ...one, games })));

/**
 * Makes a bar chart of numbers of games.
 * @param unit title of the x axis, with its unit
 * @param lines bars
 * @param names labels of the bars, indexed by x; empty to show x itself
 */
const bars = (title: string, unit: string, lines: readonly PlotLine[], names: readonly string[] = []): HTMLElement => {
  const xText = (x: number): string => names[x] ?? String(x);
  const places = (width: number): Tick[] => {
    const longest = names.reduce((most, { length }) => Math.max(most, length), 0);
    const every = Math.ceil((names.length * (LETTER * longest + 8)) / width);
    return names.flatMap((text, at) => (at % every === 0 ? [{ at, text }] : []));
  };
  return plotOf({ title, unit, lines, xText, ...(names.length > 0 && { places }), kind: 'bars', height: 170 }).figure;
};

const bar = (x: number, y: number): PlotPoint => ({ x, y, text: figure(y) });

/** Makes a table of numbers of games by centres at the end, with a row for each power. Darker cells have more games. */
const centersTable = ({ powers: found, games }: GamesFound): HTMLElement => {
  const most = Math.max(1, ...found.map(({ distribution }) => distribution.findLastIndex((n) => n > 0) + 1));
  const counts = Array.from({ length: most }, (_, count) => element('th', { scope: 'col' }, String(count)));
  const rows = found.map(({ power, distribution }, q) => {
    const peak = Math.max(1, ...distribution);
    const squares = distribution.slice(0, most).map((n, owned) => {
      const title = `${powerTitle(power)}, ${owned} centres: ${figure(n)} games (${percent(n, games)})`;
      const square = element('td', { class: `square p${q}`, title }, element('span', { class: 'unseen' }, figure(n)));
      square.style.setProperty('--share', `${n === 0 ? 0 : 12 + 88 * (n / peak)}%`);
      return square;
    });
    return row(element('th', { scope: 'row' }, powerTitle(power)), ...squares);
  });
  const caption = element('caption', {}, 'Games by centres at the end');
  const head = element('thead', {}, row(element('td'), ...counts));
  const table = element('table', {}, caption, head, element('tbody', {}, ...rows));
  table.style.minWidth = `${110 + COLUMN * most}px`;
  return table;
};

const showPlots = (found: GamesFound): void => {
  byId('centers').replaceChildren(centersTable(found));
  byId('plots').replaceChildren();
  if (found.games === 0) return;
  const names = [...powers.map(powerTitle), 'Nobody'];
  const counts = [...found.powers.map(({ solos }) => solos), found.draws];
  const styleOf = (x: number): string => (x < powers.length ? `power p${x}` : 'none');
  const lengths = { name: '', style: 'accent', points: found.lengths.map(([years, n]) => bar(years, n)) };
  const winners = counts.map((n, x) => ({ name: '', style: styleOf(x), points: [bar(x, n)] }));
  const plots = [bars('Games by length', 'years', [lengths]), bars('Games by winner', '', winners, names)];
  byId('plots').replaceChildren(...plots);
};

/** Fetches the games that pass the page's filters. @param query page and order of the list */
const askGames = (query: string): Promise<GamesAnswer> => answerIn(`api/games?${address}&${query}&${filterQuery()}`);

const list = gamesList<GameRow>({
  ...{ name: 'games', powers, most: rows, load: () => loadOrSay(), ask: askGames },
  before: [
    {
      ...{ title: 'Replay', by: ({ game }) => game },
      show: ({ game }) => [element('a', { href: `replay?${address}&game=${game}` }, `game ${figure(game)}`)],
    },
  ],
  after: [{ title: 'Steps', sort: 'phases', kind: 'n', by: ({ phases }) => phases }],
});

/** Time in seconds and number of games when the page first saw the run, to compute the run's speed; null before. */
let seen: { readonly at: number; readonly done: number } | null = null;

/**
 * Returns the speed of a run as text, such as ', 120 games a second, about 3 minutes left'. Empty if it is not running
 * or has no new games yet.
 */
const speedOf = ({ state, done, games }: RunProgress['run']): string => {
  const now = performance.now() / 1000;
  seen ??= { at: now, done };
  if (state !== 'running' || done <= seen.done) return '';
  const speed = (done - seen.done) / (now - seen.at);
  const left = Math.ceil((games - done) / speed / 60);
  const shown = speed < 10 ? speed.toFixed(1) : figure(Math.round(speed));
  return `, ${shown} games a second, about ${figure(left)} minute${left === 1 ? '' : 's'} left`;
};

const showProgress = ({ run, indexed, left, faults }: RunProgress): void => {
  const { done, games, state } = run;
  const bar = byId('progress');
  bar.setAttribute('max', String(Math.max(1, games)));
  bar.setAttribute('value', String(done));
  const reading = left > 0 ? `; ${figure(indexed)} are read so far` : '';
  const words = state === 'whole' ? 'complete' : state === 'running' ? 'running' : 'incomplete';
  byId('state').textContent = `${figure(done)} of ${figure(games)} games, ${words}${speedOf(run)}${reading}`;
  showText('faults', faults.join('; '));
};

const load = async (): Promise<void> => {
  const mine = ++asked;
  const answer = await askGames(list.query());
  if (mine !== asked) return;
  showText('trouble', '');
  version = answer.progress.version;
  showProgress(answer.progress);
  showScores(answer);
  showPlots(answer);
  list.show(answer);
};

const loadOrSay = (): void => {
  const mine = asked + 1;
  load().catch((error) => mine === asked && complain(error));
};

const hitLink = ({ game, phase }: FindAnswer['hits'][number]): HTMLElement =>
  element(
    'li',
    {},
    element(
      'a',
      { href: `replay?${address}&game=${game}${phase === null ? '' : `#${phase}`}` },
      `game ${figure(game)}`,
    ),
    phase === null ? '' : `, ${phase}`,
  );

const showFound = ({ games, found, left, hits, openings }: FindAnswer): void => {
  const more = hits.length < found ? `, the first ${hits.length} are listed` : '';
  const unread = left > 0 ? `; ${figure(left)} files are not read yet` : '';
  const count = openings === null ? `${figure(found)} of ${figure(games)} games${more}` : '';
  byId('found-count').textContent = `${count}${unread}`;
  renew(byId('hits'), openings === null ? hits.map(hitLink) : []);
  const trees = (openings ?? []).map((one) => openingsTable({ ...one, power: powerTitle(one.power) }, briefOf));
  renew(
    byId('openings'),
    trees.map((one, i) => reportTable(one, { name: `openings-${i + 1}` })),
  );
};

/** Makes the list of phases in which two agents differ most, with links to pages that compare them. */
const comparedList = ({ agents, games, phases }: ComparedAgents): HTMLElement => {
  const lines = phases.map(({ game, phase, power, distance, page }) => {
    const link = element('a', { href: page }, `game ${figure(game)}, ${phase}`);
    return element('li', {}, link, `: in ${percent(distance, 1)} of their orders, most by ${powerTitle(power)}`);
  });
  const title = `Where ${agents.join(' and ')} differ most, in ${figure(games)} games`;
  return element('details', {}, element('summary', {}, title), element('ol', {}, ...lines));
};

let searched = 0;

/** Searches the run's games for the condition in the search field. Repeats the search while files are being read. */
const search = async (): Promise<void> => {
  const mine = ++searched;
  const text = control('find').value.trim();
  showText('find-trouble', '');
  if (text === '') showFound({ games: 0, found: 0, left: 0, hits: [], openings: [] });
  for (let left = text === '' ? 0 : 1; left > 0; ) {
    const scoring = encodeURIComponent(control('scoring').value);
    const answer = await answerIn<FindAnswer>(
      `api/find?${address}&scoring=${scoring}&query=${encodeURIComponent(text)}`,
    );
    if (mine !== searched) return;
    showFound(answer);
    left = answer.left;
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, 1000));
  }
};

const searchOrSay = (): void => {
  const mine = searched + 1;
  search().catch((error: Error) => {
    if (mine !== searched) return;
    showFound({ games: 0, found: 0, left: 0, hits: [], openings: [] });
    showText('find-trouble', error.message);
  });
};

/**
 * Shows the games that pass the filters, and writes the filters into the address. @param hash part of the address from
 * the # on
 */
const showFiltered = (hash: string): void => {
  history.replaceState(null, '', `run?${address}${hash}`);
  list.goTo(0);
};

const scoreTitles: Readonly<Record<ScoreName, string>> = {
  sum_of_squares: 'Sum of squares',
  draw_size: 'Draw size',
  sum_of_centers: 'Share of centres',
  c_diplo_100: 'C-Diplo 100',
  c_diplo_73: 'C-Diplo 73',
  survivors: 'Survivors',
};
for (const id of ['winner', 'owner']) byId(id).append(...optionsOf(powers));
byId('agent').append(...optionsOf([...new Set(shownRun.agents)], briefOf));
byId('scoring').append(...optionsOf(Object.keys(scoreTitles), (score) => scoreTitles[score as ScoreName]));
byId('compared').append(...compared.map(comparedList));
const lastYear = shownRun.until > 0 ? `, until ${shownRun.until}` : '';
byId('about').textContent = `Map ${shownRun.map}, rules ${shownRun.rules}${lastYear}`;

byId('filters').addEventListener('change', () => showFiltered(`#${filterQuery()}`));
byId('search').addEventListener('submit', (event) => {
  event.preventDefault();
  showFiltered(`#${filterQuery()}`);
  searchOrSay();
});
onClick('reset', () => {
  for (const id of filters) if (id !== 'scoring') control(id).value = '';
  showFiltered('');
  searchOrSay();
});
for (const [id, value] of new URLSearchParams(location.hash.slice(1)))
  if (filters.includes(id)) control(id).value = value;

loadOrSay();
if (control('find').value !== '') searchOrSay();
listenTo(`events?${address}`, (news) => {
  const progress = news as RunProgress;
  if (progress.run === undefined) return;
  showProgress(progress);
  if (progress.version !== version) loadOrSay();
});
offerKeys();
