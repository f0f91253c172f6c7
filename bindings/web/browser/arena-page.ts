// Script of the page of arenas: gates with the course of their tests, tables with links to games, and the games.
import type { ArenaAnswer, ArenaGameRow, ArenaGames, ArenaPageData, ShownGate } from '../page-data.js';
import { reportTable } from './data-table.js';
import { figure, plusMinus } from './figures.js';
import { gamesList } from './games-list.js';
import { offerKeys } from './keys.js';
import { answerIn, byId, element, fetched, pageData, useStyle } from './page.js';
import { plotOf, shortNumber } from './plot.js';

const { name, rows: most } = pageData<ArenaPageData>();
const { arenas, gates, games: first, style } = await fetched<ArenaAnswer>(`api/arena${location.search}`);
const run = `run=${encodeURIComponent(name)}`;
const addressOf = (query: string): string => `arena?${run}&${query}#games`;
const gamesLink = (query: string, text: string): HTMLElement => element('a', { href: addressOf(query) }, text);

// ---- gates ----

/**
 * Returns the height at which a p-value is drawn: log10 of the odds against such gains between equal agents; 1 for ten
 * to one.
 */
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

/** Query of the listed games, without sorting and start of the list's page; and facts about the games. */
const { query: listed, powers, agent: shownAgent, scoring } = first;

const askGames = async (query: string): Promise<ArenaGames> =>
  (await answerIn<ArenaAnswer>(`api/arena?${run}&${listed}&${query}`)).games;

const list = gamesList<ArenaGameRow>({
  ...{ name: 'rows', powers, kind: 'later', most, sort: first.sort, ask: askGames },
  load: () => void askGames(list.query()).then(showGames),
  before: [
    {
      ...{ title: 'Replay', by: ({ arena, game }) => `arena ${arena}, game ${game}` },
      show: ({ arena, game, isKept }) => {
        const text = `arena ${arena}, game ${figure(game)}`;
        return [isKept ? element('a', { href: `replay?${run}&arena=${arena}&game=${game}` }, text) : text];
      },
    },
    { title: 'Seats', kind: 'long', by: ({ seats }) => seats },
    {
      ...{ title: `Score of ${shownAgent}`, kind: 'n', hint: `Score of ${shownAgent}, ${scoring}`, sort: 'score' },
      by: ({ score }) => score,
      show: ({ score }) => [score === null ? '' : score.toFixed(3)],
    },
  ],
});

const showGames = (games: ArenaGames): void => {
  const { about, query, rows } = games;
  byId('about').textContent = `${about[0]?.toUpperCase() ?? ''}${about.slice(1)}.`;
  byId('all').setAttribute('href', `arena?${run}#games`);
  byId('all').hidden = query === '';
  list.show(games);
  byId('lost-games').textContent = rows.some(({ isKept }) => !isKept)
    ? 'Of games without a link only their ends were kept: lepanto arena --out DIR keeps them whole.'
    : '';
};

useStyle(style);
byId('gates').append(...gates.flatMap(shownGate));
byId('arenas').append(
  ...arenas.flatMap(({ heading, title, note, tables }, i) => [
    element('h2', {}, heading),
    element('p', { class: 'dim' }, title),
    ...tables.map((table, k) => reportTable(table, { name: `${name}-${i + 1}-${k + 1}`, link: addressOf, powers })),
    element('p', { class: 'dim' }, note),
  ]),
);
showGames(first);
byId('listed').hidden = false;
// Scrolls to the games again, because the page was shorter when it was opened.
if (location.hash === '#games') byId('games').scrollIntoView();
offerKeys();
