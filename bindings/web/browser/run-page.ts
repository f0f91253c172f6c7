// One run: how it goes, how each power did, how long games were, and its games to filter and open.
import { powerTitle } from '../../draw/titles.js';
import type { GameRow, GamesFound } from '../run-index.js';
import type { GamesAnswer, RunProgress } from '../view-server.js';
import { browser, byId, drawing, element, listenTo, location, type PageElement, pageData } from './dom.js';
import { figure, percent, plusMinus } from './figures.js';

/** What the page is made with. */
export interface RunPageData {
  readonly name: string;
  readonly powers: readonly string[];
  /** Games on a page. */
  readonly rows: number;
}

const { name, powers, rows } = pageData<RunPageData>();
const filters = [
  'winner',
  'agent',
  'years-from',
  'years-to',
  'owner',
  'centers-from',
  'centers-to',
  'scoring',
] as const;

let from = 0;
/** Requests are numbered, so that a late answer does not replace a newer one. */
let asked = 0;
let version = -1;

const query = (): string => {
  const parts = filters.map((id) => [id, byId(id).value]).filter(([, value]) => value !== '');
  return parts.map(([id, value]) => `${id}=${encodeURIComponent(value)}`).join('&');
};

const swatch = (power: number): PageElement => element('span', { class: `swatch p${power}` });
const powerCell = (power: number): PageElement => element('td', {}, swatch(power), powerTitle(powers[power]));
const cell = (text: string): PageElement => element('td', { class: 'n' }, text);

const showScores = ({ powers: found, games }: GamesFound): void => {
  const lines = found.map(({ agent, solos, survived, centers, score }, q) =>
    element(
      'tr',
      {},
      powerCell(q),
      element('td', { class: 'long' }, agent),
      cell(plusMinus(score, 3)),
      cell(plusMinus(centers, 2)),
      cell(percent(solos, games)),
      cell(percent(survived, games)),
    ),
  );
  byId('scores').replaceChildren(...lines);
};

// ---- plots ----

const WIDTH = 520;
const HEIGHT = 150;
const FOOT = 22;

const bars = (values: readonly (readonly [name: string, value: number])[], title: string): PageElement => {
  const most = Math.max(1, ...values.map(([, value]) => value));
  const step = WIDTH / Math.max(8, values.length);
  const every = Math.ceil(values.length / 14);
  const parts = values.flatMap(([label, value], i) => {
    const height = (value / most) * (HEIGHT - FOOT - 14);
    const x = i * step + step * 0.1;
    const bar = drawing(
      'rect',
      {
        class: 'bar',
        x: x.toFixed(1),
        y: (HEIGHT - FOOT - height).toFixed(1),
        width: (step * 0.8).toFixed(1),
        height: height.toFixed(1),
      },
      drawing('title', {}, `${label}: ${figure(value)}`),
    );
    const text = drawing('text', { x: (x + step * 0.4).toFixed(1), y: HEIGHT - 6, 'text-anchor': 'middle' }, label);
    return i % every === 0 ? [bar, text] : [bar];
  });
  const axis = drawing('path', { class: 'axis', d: `M0 ${HEIGHT - FOOT + 0.5}H${WIDTH}` });
  return drawing(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'plot', role: 'img', 'aria-label': title },
    ...parts,
    axis,
  );
};

/** Games by centres at the end: a row of squares for each power, darker where more games ended so. */
const centersPlot = ({ powers: found, games }: GamesFound): PageElement => {
  const most = Math.max(1, ...found.map(({ distribution }) => distribution.findLastIndex((n) => n > 0) + 1));
  const left = 74;
  const step = (WIDTH - left) / most;
  const line = 19;
  const height = found.length * line + 20;
  const parts = found.flatMap(({ power, distribution }, q) => {
    const peak = Math.max(1, ...distribution);
    const squares = distribution.slice(0, most).map((n, owned) =>
      drawing(
        'rect',
        {
          class: `square p${q}`,
          x: (left + owned * step).toFixed(1),
          y: q * line + 1,
          width: Math.max(0.5, step - 1).toFixed(1),
          height: line - 2,
          'fill-opacity': n === 0 ? 0 : (0.12 + 0.88 * (n / peak)).toFixed(2),
        },
        drawing('title', {}, `${powerTitle(power)}, ${owned} centres: ${figure(n)} games (${percent(n, games)})`),
      ),
    );
    return [drawing('text', { x: 0, y: q * line + 14 }, powerTitle(power)), ...squares];
  });
  const every = Math.ceil(most / 14);
  const labels = Array.from({ length: Math.ceil(most / every) }, (_, i) =>
    drawing(
      'text',
      { x: (left + (i * every + 0.5) * step).toFixed(1), y: height - 5, 'text-anchor': 'middle' },
      String(i * every),
    ),
  );
  const title = 'Games by centres at the end, for each power';
  return drawing(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${height}`, class: 'plot', role: 'img', 'aria-label': title },
    ...parts,
    ...labels,
  );
};

const showPlots = (found: GamesFound): void => {
  const lengths = found.lengths.map(([years, games]) => [String(years), games] as const);
  byId('lengths').replaceChildren(bars(lengths, 'Games by length in years'));
  const solos = found.powers.map(({ power, solos: n }) => [powerTitle(power), n] as const);
  byId('winners').replaceChildren(bars([...solos, ['Nobody', found.draws] as const], 'Games by winner'));
  byId('centers').replaceChildren(centersPlot(found));
};

// ---- games ----

const gameRow = ({ game, winner, years, phases, centers }: GameRow): PageElement => {
  const address = `replay?run=${encodeURIComponent(name)}&game=${game}`;
  const won = winner === null ? element('span', { class: 'dim' }, 'nobody') : powerTitle(winner);
  const mark = winner === null ? [] : [swatch(powers.indexOf(winner))];
  return element(
    'tr',
    {},
    element('td', {}, element('a', { href: address }, `game ${figure(game)}`)),
    element('td', {}, ...mark, won),
    cell(String(years)),
    cell(String(phases)),
    ...centers.map((n) => element('td', { class: n === 0 ? 'n dim' : 'n' }, String(n))),
  );
};

const showGames = ({ games, rows: shown, from: first }: GamesAnswer): void => {
  byId('games').replaceChildren(...shown.map(gameRow));
  byId('found').textContent =
    games === 0 ? 'no game' : `${figure(first + 1)} to ${figure(first + shown.length)} of ${figure(games)} games`;
  byId('newer').disabled = first === 0;
  byId('older').disabled = first + shown.length >= games;
};

/** When the page first saw the run, and how many games it had: the pace of a run follows. */
let seen: { readonly at: number; readonly done: number } | null = null;

/** ', 120 games a second, 3 minutes left'; nothing before there is something to say. */
const paceOf = ({ state, done, games }: RunProgress['run']): string => {
  const now = performance.now() / 1000;
  seen ??= { at: now, done };
  if (state !== 'running' || done <= seen.done) return '';
  const pace = (done - seen.done) / (now - seen.at);
  const left = Math.ceil((games - done) / pace / 60);
  return `, ${pace < 10 ? pace.toFixed(1) : figure(Math.round(pace))} games a second, about ${figure(left)} minute${left === 1 ? '' : 's'} left`;
};

const showProgress = ({ run, indexed, left, faults }: RunProgress): void => {
  const { done, games, state } = run;
  const bar = byId('progress');
  bar.setAttribute('max', String(Math.max(1, games)));
  bar.setAttribute('value', String(done));
  const reading = left > 0 ? `; ${figure(indexed)} are read so far` : '';
  const words = state === 'whole' ? 'whole' : state === 'running' ? 'running' : 'not whole';
  byId('state').textContent = `${figure(done)} of ${figure(games)} games, ${words}${paceOf(run)}${reading}`;
  byId('faults').textContent = faults.join('; ');
  byId('faults').hidden = faults.length === 0;
};

const load = async (): Promise<void> => {
  const mine = ++asked;
  const response = await fetch(`api/games?run=${encodeURIComponent(name)}&from=${from}&${query()}`);
  if (mine !== asked) return;
  const trouble = byId('trouble');
  trouble.hidden = response.ok;
  if (!response.ok) {
    trouble.textContent = await response.text();
    return;
  }
  const answer = (await response.json()) as GamesAnswer;
  if (mine !== asked) return;
  version = answer.progress.version;
  showProgress(answer.progress);
  showScores(answer);
  showPlots(answer);
  showGames(answer);
};

const loadOrSay = (): void => {
  load().catch(() => {
    byId('lost').hidden = false;
  });
};

const turn = (by: number): void => {
  from = Math.max(0, from + by);
  loadOrSay();
};

byId('newer').addEventListener('click', () => turn(-rows));
byId('older').addEventListener('click', () => turn(rows));
byId('filters').addEventListener('change', () => {
  from = 0;
  browser.history.replaceState(null, '', `run?run=${encodeURIComponent(name)}#${query()}`);
  loadOrSay();
});
byId('reset').addEventListener('click', () => {
  for (const id of filters) if (id !== 'scoring') byId(id).value = '';
  from = 0;
  browser.history.replaceState(null, '', `run?run=${encodeURIComponent(name)}`);
  loadOrSay();
});
for (const [id, value] of new URLSearchParams(location.hash.slice(1)))
  if (filters.some((known) => known === id)) byId(id).value = value;

loadOrSay();
listenTo(
  `events?run=${encodeURIComponent(name)}`,
  (news) => {
    const progress = news as RunProgress;
    if (progress.run === undefined) return;
    showProgress(progress);
    if (progress.version !== version) loadOrSay();
  },
  (lost) => {
    byId('lost').hidden = !lost;
  },
);
