// The arenas of a directory: gates with the course of their tests, tables with links to games, and the games.
import { powerTitle } from '../../draw/titles.js';
import type { ArenaAnswer, ArenaGameRow, ArenaGames, ArenaPageData, GameSort, ShownGate } from '../page-data.js';
import { type Column, powerName, reportTable, tableAt } from './data-table.js';
import { figure, plusMinus } from './figures.js';
import { offerKeys } from './keys.js';
import { answerOf, byId, control, element, fetched, type Made, onClick, pageData } from './page.js';
import { plotOf, shortNumber } from './plot.js';

const { name, rows: most } = pageData<ArenaPageData>();
const { arenas, gates, games: first, style } = await fetched<ArenaAnswer>(`api/arena${location.search}`);
const run = `run=${encodeURIComponent(name)}`;
const addressOf = (query: string): string => `arena?${run}&${query}#games`;
const gamesLink = (query: string, text: string): HTMLElement => element('a', { href: addressOf(query) }, text);

// ---- gates ----

/** Evidence that the agent is better, by how probable its gains are for equal agents: 1 for ten to one. */
const evidence = (chance: number): number => {
  const bound = Math.min(1 - 1e-6, Math.max(1e-6, chance));
  return Math.log10((1 - bound) / bound);
};

const CHANCES = [0.000001, 0.0001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.9999, 0.999999];

const shownGate = ({ agent, against, passed, reason, table, course, pairs, limit, lost }: ShownGate): Node[] => {
  const verdict = passed === null ? 'not decided' : passed ? 'passed' : 'did not pass';
  const points = course.map(([count, gain, error, chance]) => ({
    x: count,
    y: evidence(chance),
    text: `gain ${plusMinus([gain, error], 3)}, p = ${shortNumber(Number(chance.toPrecision(2)))}`,
    ...(count % pairs === 0 && { dot: 'full' as const }),
  }));
  const plot =
    points.length === 0
      ? []
      : [
          plotOf({
            title: `How probable gains so high are for equal agents (p), after each pair of games; looks after ${pairs} pairs each`,
            unit: 'pairs of games',
            lines: [{ name: agent, points }],
            limits: [
              { at: evidence(limit), text: `passes, p below ${shortNumber(limit)}` },
              { at: evidence(1 - limit), text: `is worse, p above ${shortNumber(1 - limit)}` },
            ],
            ticks: CHANCES.map((chance) => ({ at: evidence(chance), text: String(chance) })),
            xText: figure,
          }).figure,
        ];
  return [
    element('h2', {}, `Gate: ${agent} against ${against}`),
    element(
      'p',
      {},
      element('span', { class: passed ? 'good' : 'dim' }, verdict),
      `: ${reason}. `,
      gamesLink(lost, 'Its games, the worst first'),
    ),
    ...plot,
    reportTable(table, { name: `${name}-gate`, link: addressOf }),
  ];
};

// ---- games ----

let games = first;
/** Query of the list without its order and where it begins. */
const { query: listed } = games;
let sort: GameSort | null = games.sort;

const fetchGames = async (from: number, rows: number): Promise<ArenaGames> => {
  const order = sort === null ? '' : `&sort=${encodeURIComponent(sort.by)}&down=${sort.isDown ? 1 : 0}`;
  const answer = await answerOf(`api/arena?${run}&${listed}${order}&from=${from}&rows=${rows}`);
  return ((await answer.json()) as ArenaAnswer).games;
};

const sorts = ['', '', 'score', 'winner', 'years', ...games.powers];
const numberText = (n: number): Made => (n === 0 ? element('span', { class: 'dim' }, '0') : String(n));

const showRows = tableAt<ArenaGameRow>(
  'games-table',
  [
    {
      ...{ title: 'Replay', by: ({ arena, game }) => `arena ${arena}, game ${game}` },
      show: ({ arena, game, isKept }) => {
        const text = `arena ${arena}, game ${figure(game)}`;
        return [isKept ? element('a', { href: `replay?${run}&arena=${arena}&game=${game}` }, text) : text];
      },
    },
    { title: 'Seats', kind: 'long', by: ({ seats }) => seats },
    {
      ...{ title: `Score of ${games.agent}`, kind: 'n', hint: `Score of ${games.agent}, ${games.scoring}` },
      by: ({ score }) => score,
      show: ({ score }) => [score === null ? '' : score.toFixed(3)],
    },
    {
      ...{ title: 'Winner', by: ({ winner }) => winner },
      show: ({ winner }) =>
        winner === null ? [element('span', { class: 'dim' }, 'nobody')] : powerName(games.powers, winner),
    },
    { title: 'Years', kind: 'n', by: ({ years }) => years },
    ...games.powers.map(
      (power, q): Column<ArenaGameRow> => ({
        ...{
          title: power.slice(0, 3),
          hint: `Centres of ${powerTitle(power)} at the end`,
          kind: 'n later',
          isDown: true,
        },
        by: ({ centers }) => centers[q] ?? null,
        show: ({ centers }) => [numberText(centers[q] ?? 0)],
      }),
    ),
  ],
  {
    name: 'rows',
    onSort: (column, isDown) => {
      sort = sorts[column] === '' ? null : { by: sorts[column], isDown };
      void turn(0);
    },
    all: async () => (await fetchGames(0, games.games)).rows,
  },
);

const showGames = (): void => {
  const { about, query, games: count, from, rows } = games;
  byId('about').textContent = `${about[0]?.toUpperCase() ?? ''}${about.slice(1)}.`;
  byId('all').setAttribute('href', `arena?${run}#games`);
  byId('all').hidden = query === '';
  showRows(rows);
  byId('found').textContent =
    count === 0 ? 'no game' : `${figure(from + 1)} to ${figure(from + rows.length)} of ${figure(count)} games`;
  control('newer').disabled = from === 0;
  control('older').disabled = from + rows.length >= count;
  byId('lost-games').textContent = rows.some(({ isKept }) => !isKept)
    ? 'Of games without a link only their ends were kept: lepanto arena --out DIR keeps them whole.'
    : '';
};

const turn = async (from: number): Promise<void> => {
  games = await fetchGames(from, most);
  showGames();
};

const sheet = new CSSStyleSheet();
sheet.replaceSync(style);
document.adoptedStyleSheets = [sheet];
byId('gates').append(...gates.flatMap(shownGate));
byId('arenas').append(
  ...arenas.flatMap(({ heading, title, note, tables }, i) => [
    element('h2', {}, heading),
    element('p', { class: 'dim' }, title),
    ...tables.map((table, k) =>
      reportTable(table, { name: `${name}-${i + 1}-${k + 1}`, link: addressOf, powers: games.powers }),
    ),
    element('p', { class: 'dim' }, note),
  ]),
);
onClick('newer', () => void turn(Math.max(0, games.from - most)));
onClick('older', () => void turn(games.from + most));
showGames();
byId('listed').hidden = false;
// The page was short when it was opened.
if (location.hash === '#games') byId('games').scrollIntoView();
offerKeys([['Tab, Enter', 'links and buttons, one after the other', '', () => {}]]);
