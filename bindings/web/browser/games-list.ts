// Shows the list of games of a run or of arenas. The server sorts it and sends one page of it. The CSV has all games.
import { powerTitle } from '../../draw/titles.js';
import type { GameSort } from '../page-data.js';
import { type Column, powerName, tableAt } from './data-table.js';
import { figure } from './figures.js';
import { byId, control, element, onClick } from './page.js';

/** Fields that all lists of games show. */
export interface ListedGame {
  /** Name of the power that won; null for none. */
  readonly winner: string | null;
  readonly years: number;
  /** Number of centres at the end, indexed by power. */
  readonly centers: readonly number[];
}

/** A page of a list of games: `from` is the index of its first row, `games` the number of games on all pages. */
export interface GamesPage<T> {
  readonly games: number;
  readonly from: number;
  readonly rows: readonly T[];
}

export interface GamesListOptions<T> {
  /** Id of the body of the table. */
  readonly name: string;
  readonly powers: readonly string[];
  /**
   * `before`, `after`: additional columns, before and after the columns of winners and years. `sort` of a column is the
   * name by which the server sorts games by the column.
   */
  readonly before: readonly Column<T>[];
  readonly after?: readonly Column<T>[];
  /** CSS class of the columns of centres, in addition to 'n'. Default: none. */
  readonly kind?: string;
  /** Largest number of rows on a page. */
  readonly most: number;
  readonly sort?: GameSort | null;
  /** Called when the user chooses another page or order. The page then requests query(). */
  readonly load: () => void;
  /** Fetches the games of a query, made by query(). */
  readonly ask: (query: string) => Promise<GamesPage<T>>;
}

export interface GamesList<T> {
  /** Returns the query of the chosen page and order, such as 'from=50&rows=50&sort=years&down=1'. */
  readonly query: () => string;
  readonly show: (page: GamesPage<T>) => void;
  /** Goes to the page that begins with a game, and calls load(). @param from index of the game in the list, from 0 */
  readonly goTo: (from: number) => void;
}

/** Makes a list of games in `#games-table`. Connects it to the page's buttons and its count of games. */
export const gamesList = <T extends ListedGame>(options: GamesListOptions<T>): GamesList<T> => {
  const { name, powers, before, after = [], kind = '', most, load, ask } = options;
  let { sort = null } = options;
  let [from, games] = [0, 0];
  const dim = (text: string): HTMLElement => element('span', { class: 'dim' }, text);
  const columns: readonly Column<T>[] = [
    ...before,
    {
      ...{ title: 'Winner', sort: 'winner', by: ({ winner }) => winner },
      show: ({ winner }) => (winner === null ? [dim('draw')] : powerName(powers, winner)),
    },
    { title: 'Years', sort: 'years', kind: 'n', by: ({ years }) => years },
    ...after,
    ...powers.map(
      (power, q): Column<T> => ({
        ...{ title: power.slice(0, 3), hint: `Centres of ${powerTitle(power)} at the end` },
        ...{ kind: `n ${kind}`, isDown: true, sort: power, by: ({ centers }) => centers[q] ?? null },
        show: ({ centers }) => [centers[q] ? String(centers[q]) : dim('0')],
      }),
    ),
  ];
  const query = (first = from, rows = most): string =>
    `from=${first}&rows=${rows}${sort === null ? '' : `&sort=${encodeURIComponent(sort.by)}&down=${sort.isDown ? 1 : 0}`}`;
  const goTo = (first: number): void => {
    from = Math.max(0, first);
    load();
  };
  const showRows = tableAt<T>('games-table', columns, {
    name,
    onSort: (column, isDown) => {
      const { sort: by } = columns[column];
      sort = by === undefined ? null : { by, isDown };
      goTo(0);
    },
    all: async () => (await ask(query(0, games))).rows,
  });
  onClick('newer', () => goTo(from - most));
  onClick('older', () => goTo(from + most));
  return {
    query,
    goTo,
    show: (page) => {
      const { rows } = page;
      ({ games, from } = page);
      showRows(rows);
      byId('found').textContent =
        games === 0 ? 'no game' : `${figure(from + 1)} to ${figure(from + rows.length)} of ${figure(games)} games`;
      control('newer').disabled = from === 0;
      control('older').disabled = from + rows.length >= games;
    },
  };
};
