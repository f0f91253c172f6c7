// The arenas of a directory: gates with the course of their tests, tables with links to games, and the games.
import { powerTitle } from '../../draw/titles.js';
import type { ArenaAnswer, ArenaGameRow, ArenaPageData, ShownGate } from '../page-data.js';
import { figure, plusMinus } from './figures.js';
import { linePlot, shortNumber } from './line-plot.js';
import { byId, cell, element, fetched, pageData, row, shownBlocks } from './page.js';

const { name, rows: most } = pageData<ArenaPageData>();
const { arenas, gates, games } = await fetched<ArenaAnswer>(`api/arena${location.search}`);
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
          linePlot({
            title: `How probable gains so high are for equal agents (p), after each pair of games; looks after ${pairs} pairs each`,
            unit: 'pairs of games',
            lines: [{ name: agent, points }],
            limits: [
              { y: evidence(limit), text: `passes, p below ${shortNumber(limit)}` },
              { y: evidence(1 - limit), text: `is worse, p above ${shortNumber(1 - limit)}` },
            ],
            ticks: CHANCES.map((chance) => ({ y: evidence(chance), text: String(chance) })),
            xText: figure,
          }),
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
    shownBlocks([table], addressOf),
  ];
};

// ---- games ----

const gameRow = ({ arena, game, seats, score, winner, years, centers, isKept }: ArenaGameRow): HTMLElement => {
  const text = `arena ${arena}, game ${figure(game)}`;
  const link = isKept ? element('a', { href: `replay?${run}&arena=${arena}&game=${game}` }, text) : text;
  const won = winner === null ? element('span', { class: 'dim' }, 'nobody') : powerTitle(winner);
  return row(
    ...[cell('', link), cell('long', seats), cell('n', score === null ? '' : score.toFixed(3)), cell('', won)],
    ...[String(years), ...centers.map(String)].map((n) => cell(n === '0' ? 'n dim' : 'n', n)),
  );
};

const pageOf = (id: string, from: number, isThere: boolean): void => {
  const sort = games.isWorstFirst ? '&sort=score' : '';
  if (isThere) byId(id).setAttribute('href', `arena?${run}&${games.query}${sort}&from=${from}#games`);
  byId(id).hidden = !isThere;
};

const showGames = (): void => {
  const { about, agent, scoring, query, isWorstFirst, games: count, from, powers, rows } = games;
  const order = isWorstFirst
    ? gamesLink(query, 'In their order')
    : gamesLink(`${query}&sort=score`, 'The lowest score first');
  byId('about').replaceChildren(`${about[0]?.toUpperCase() ?? ''}${about.slice(1)}. `, order);
  byId('all').setAttribute('href', `arena?${run}#games`);
  byId('all').hidden = query === '' && !isWorstFirst;
  const heads = ['Replay', 'Seats', `Score of ${agent}`, 'Winner', 'Years'].map((text, i) =>
    element('th', { class: (i === 2 || i === 4) && 'n', title: i === 2 && scoring }, text),
  );
  const ends = powers.map((power) =>
    element('th', { class: 'n' }, element('abbr', { title: `Centres of ${power} at the end` }, power.slice(0, 3))),
  );
  byId('heads').replaceChildren(...heads, ...ends);
  byId('rows').replaceChildren(...rows.map(gameRow));
  byId('found').textContent =
    count === 0 ? 'no game' : `${figure(from + 1)} to ${figure(from + rows.length)} of ${figure(count)} games`;
  pageOf('newer', Math.max(0, from - most), from > 0);
  pageOf('older', from + most, from + rows.length < count);
  byId('lost-games').textContent = rows.some(({ isKept }) => !isKept)
    ? 'Of games without a link only their ends were kept: lepanto arena --out DIR keeps them whole.'
    : '';
};

byId('gates').append(...gates.flatMap(shownGate));
byId('arenas').append(
  ...arenas.flatMap(({ title, note, tables }) => [
    element('h2', {}, title),
    shownBlocks(tables, addressOf),
    element('p', { class: 'dim' }, note),
  ]),
);
showGames();
byId('listed').hidden = false;
// The page was short when it was opened.
if (location.hash === '#games') byId('games').scrollIntoView();
