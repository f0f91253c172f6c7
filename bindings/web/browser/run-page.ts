// One run: how it goes, how each power did, how long games were, and its games to filter and open.
import type { ScoreName } from '../../../engine/internal.js';
import { powerTitle } from '../../draw/titles.js';
import { openingsTable } from '../../find/openings-table.js';
import type {
  ComparedAgents,
  FindAnswer,
  GameRow,
  GameSort,
  GamesAnswer,
  GamesFound,
  Mean,
  PowerTally,
  RunPageData,
  RunProgress,
} from '../page-data.js';
import { type Column, powerName, reportTable, tableAt } from './data-table.js';
import { figure, percent } from './figures.js';
import { offerKeys } from './keys.js';
import {
  answerOf,
  byId,
  complain,
  control,
  drawing,
  element,
  listenTo,
  onClick,
  pageData,
  renew,
  showText,
} from './page.js';

const { run: shownRun, powers, rows, compared } = pageData<RunPageData>();
const address = `run=${encodeURIComponent(shownRun.name)}`;
const ranges = ['years-from', 'years-to', 'centers-from', 'centers-to'];
const filters = ['winner', 'agent', 'owner', ...ranges, 'scoring', 'find'];

const briefOf = (agent: string): string => shownRun.briefs[shownRun.agents.indexOf(agent)] ?? agent;

let from = 0;
/** Requests are numbered, so that a late answer does not replace a newer one. */
let asked = 0;
let version = -1;

const query = (): string => {
  const parts = filters.map((id) => [id, control(id).value]).filter(([, value]) => value !== '');
  return parts.map(([id, value]) => `${id}=${encodeURIComponent(value)}`).join('&');
};

/** '4.214 ± 0.050': all with as many digits, so that a column can be compared. */
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

const titles = powers.map(powerTitle);
const NOBODY = 'Nobody';

const WIDTH = 520;
const HEIGHT = 150;
const FOOT = 22;

const plot = (height: number, title: string, parts: readonly SVGElement[]): SVGElement =>
  drawing('svg', { viewBox: `0 0 ${WIDTH} ${height}`, class: 'plot', role: 'img', 'aria-label': title }, ...parts);

const label = (x: number, y: number, text: string): SVGElement =>
  drawing('text', { x: x.toFixed(1), y, 'text-anchor': 'middle' }, text);

const bars = (values: readonly (readonly [name: string, value: number])[], title: string): SVGElement => {
  const most = Math.max(1, ...values.map(([, value]) => value));
  const step = WIDTH / Math.max(8, values.length);
  const every = Math.ceil(values.length / 14);
  const foot = HEIGHT - FOOT;
  const parts = values.flatMap(([text, value], i) => {
    const height = (value / most) * (foot - 14);
    const x = i * step + step * 0.1;
    const place = { x: x.toFixed(1), y: (foot - height).toFixed(1) };
    const size = { width: (step * 0.8).toFixed(1), height: height.toFixed(1) };
    const q = titles.indexOf(text);
    const bar = drawing(
      'rect',
      { class: q < 0 ? (text === NOBODY ? 'bar none' : 'bar') : `bar p${q}`, ...place, ...size },
      drawing('title', {}, `${text}: ${figure(value)}`),
    );
    return i % every === 0 ? [bar, label(x + step * 0.4, HEIGHT - 6, text)] : [bar];
  });
  return plot(HEIGHT, title, [...parts, drawing('path', { class: 'axis', d: `M0 ${foot + 0.5}H${WIDTH}` })]);
};

/** Games by centres at the end: a row of squares for each power, darker where more games ended so. */
const centersPlot = ({ powers: found, games }: GamesFound): SVGElement => {
  const most = Math.max(1, ...found.map(({ distribution }) => distribution.findLastIndex((n) => n > 0) + 1));
  const left = 74;
  const step = (WIDTH - left) / most;
  const line = 19;
  const height = found.length * line + 20;
  const parts = found.flatMap(({ power, distribution }, q) => {
    const peak = Math.max(1, ...distribution);
    const size = { y: q * line + 1, width: Math.max(0.5, step - 1).toFixed(1), height: line - 2 };
    const squares = distribution.slice(0, most).map((n, owned) => {
      const opacity = n === 0 ? 0 : (0.12 + 0.88 * (n / peak)).toFixed(2);
      const place = { class: `square p${q}`, x: (left + owned * step).toFixed(1), 'fill-opacity': opacity };
      const title = `${powerTitle(power)}, ${owned} centres: ${figure(n)} games (${percent(n, games)})`;
      return drawing('rect', { ...place, ...size }, drawing('title', {}, title));
    });
    return [drawing('text', { x: 0, y: q * line + 14 }, powerTitle(power)), ...squares];
  });
  const every = Math.ceil(most / 14);
  const counts = Array.from({ length: Math.ceil(most / every) }, (_, i) => i * every);
  const labels = counts.map((count) => label(left + (count + 0.5) * step, height - 5, String(count)));
  return plot(height, 'Games by centres at the end, for each power', [...parts, ...labels]);
};

const showPlots = (found: GamesFound): void => {
  const lengths = found.lengths.map(([years, games]) => [String(years), games] as const);
  byId('lengths').replaceChildren(bars(lengths, 'Games by length in years'));
  const solos = found.powers.map(({ power, solos: n }) => [powerTitle(power), n] as const);
  byId('winners').replaceChildren(bars([...solos, [NOBODY, found.draws] as const], 'Games by winner'));
  byId('centers').replaceChildren(centersPlot(found));
};

let sort: GameSort | null = null;
const sorts = ['', 'winner', 'years', 'phases', ...powers];
let count = 0;

const listQuery = (first: number, most: number): string =>
  `${address}&from=${first}&rows=${most}${sort === null ? '' : `&sort=${sort.by}&down=${sort.isDown ? 1 : 0}`}&${query()}`;

const showGameRows = tableAt<GameRow>(
  'games-table',
  [
    {
      ...{ title: 'Replay', by: ({ game }) => game },
      show: ({ game }) => [element('a', { href: `replay?${address}&game=${game}` }, `game ${figure(game)}`)],
    },
    {
      ...{ title: 'Winner', by: ({ winner }) => winner },
      show: ({ winner }) =>
        winner === null ? [element('span', { class: 'dim' }, 'nobody')] : powerName(powers, winner),
    },
    { title: 'Years', kind: 'n', by: ({ years }) => years },
    { title: 'Steps', kind: 'n', by: ({ phases }) => phases },
    ...powers.map(
      (power, q): Column<GameRow> => ({
        ...{ title: power.slice(0, 3), hint: `Centres of ${powerTitle(power)} at the end`, kind: 'n', isDown: true },
        by: ({ centers }) => centers[q],
        show: ({ centers }) => [centers[q] === 0 ? element('span', { class: 'dim' }, '0') : String(centers[q])],
      }),
    ),
  ],
  {
    name: 'games',
    onSort: (column, isDown) => {
      sort = sorts[column] === '' ? null : { by: sorts[column], isDown };
      showFrom(0);
    },
    all: async () => ((await (await answerOf(`api/games?${listQuery(0, count)}`)).json()) as GamesAnswer).rows,
  },
);

const showGames = ({ games, rows: shown, from: first }: GamesAnswer): void => {
  count = games;
  showGameRows(shown);
  byId('found').textContent =
    games === 0 ? 'no game' : `${figure(first + 1)} to ${figure(first + shown.length)} of ${figure(games)} games`;
  control('newer').disabled = first === 0;
  control('older').disabled = first + shown.length >= games;
};

/** When the page first saw the run, and how many games it had then: they give its speed. */
let seen: { readonly at: number; readonly done: number } | null = null;

/** ', 120 games a second, about 3 minutes left'; nothing before the first new game. */
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
  const words = state === 'whole' ? 'whole' : state === 'running' ? 'running' : 'not whole';
  byId('state').textContent = `${figure(done)} of ${figure(games)} games, ${words}${speedOf(run)}${reading}`;
  showText('faults', faults.join('; '));
};

const load = async (): Promise<void> => {
  const mine = ++asked;
  const response = await answerOf(`api/games?${listQuery(from, rows)}`);
  const answer = (await response.json()) as GamesAnswer;
  if (mine !== asked) return;
  showText('trouble', '');
  version = answer.progress.version;
  showProgress(answer.progress);
  showScores(answer);
  showPlots(answer);
  showGames(answer);
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

/** Where two agents differ most: each phase opens the page that compares them there. */
const comparedList = ({ agents, games, phases }: ComparedAgents): HTMLElement => {
  const lines = phases.map(({ game, phase, power, distance, page }) => {
    const link = element('a', { href: page }, `game ${figure(game)}, ${phase}`);
    return element('li', {}, link, `: in ${percent(distance, 1)} of their orders, most by ${powerTitle(power)}`);
  });
  const title = `Where ${agents.join(' and ')} differ most, in ${figure(games)} games`;
  return element('details', {}, element('summary', {}, title), element('ol', {}, ...lines));
};

let searched = 0;

/** Searches the run, and again while files of it are read. */
const search = async (): Promise<void> => {
  const mine = ++searched;
  const text = control('find').value.trim();
  showText('find-trouble', '');
  if (text === '') showFound({ games: 0, found: 0, left: 0, hits: [], openings: [] });
  for (let left = text === '' ? 0 : 1; left > 0; ) {
    const scoring = encodeURIComponent(control('scoring').value);
    const response = await answerOf(`api/find?${address}&scoring=${scoring}&query=${encodeURIComponent(text)}`);
    const answer = (await response.json()) as FindAnswer;
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

/** Shows the games from some place on, after the filters have changed if `hash` says so. */
const showFrom = (first: number, hash?: string): void => {
  from = Math.max(0, first);
  if (hash !== undefined) history.replaceState(null, '', `run?${address}${hash}`);
  loadOrSay();
};

const scoreTitles: Readonly<Record<ScoreName, string>> = {
  sum_of_squares: 'Sum of squares',
  draw_size: 'Draw size',
  sum_of_centers: 'Share of centres',
  c_diplo_100: 'C-Diplo 100',
  c_diplo_73: 'C-Diplo 73',
  survivors: 'Survivors',
};
const option = (value: string, text = value): HTMLElement => element('option', { value }, text);
for (const id of ['winner', 'owner']) byId(id).append(...powers.map((power) => option(power)));
byId('agent').append(...[...new Set(shownRun.agents)].map((agent) => option(agent, briefOf(agent))));
byId('scoring').append(...Object.entries(scoreTitles).map(([score, title]) => option(score, title)));
byId('compared').append(...compared.map(comparedList));
const lastYear = shownRun.until > 0 ? `, until ${shownRun.until}` : '';
byId('about').textContent = `Map ${shownRun.map}, rules ${shownRun.rules}${lastYear}`;

onClick('newer', () => showFrom(from - rows));
onClick('older', () => showFrom(from + rows));
byId('filters').addEventListener('change', () => showFrom(0, `#${query()}`));
byId('search').addEventListener('submit', (event) => {
  event.preventDefault();
  showFrom(0, `#${query()}`);
  searchOrSay();
});
onClick('reset', () => {
  for (const id of filters) if (id !== 'scoring') control(id).value = '';
  showFrom(0, '');
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
offerKeys([['Tab, Enter', 'links and buttons, one after the other', '', () => {}]]);
