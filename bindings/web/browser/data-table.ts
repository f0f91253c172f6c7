// Makes tables that users can sort by a click on a column's head, filter, and download as CSV.
import { powerTitle } from '../../draw/titles.js';
import { type Cell, csvOf, type Table, textOf } from '../../reports/table.js';
import { button, byId, cell, drawing, element, type Made, renew, swatch } from './page.js';

/** Sort key of a row. Null comes last in both directions. */
type Key = string | number | null;

/** A column of a table with rows of one type. */
export interface Column<T> {
  readonly title: string;
  /**
   * CSS classes of the column's cells: 'n' for numbers, 'long' for text with line breaks, 'later' for columns hidden on
   * phones.
   */
  readonly kind?: string;
  /** Longer title, shown for the column's head and used in CSV. */
  readonly hint?: string;
  /** Returns the value of a row for sorting, filtering and CSV. */
  readonly by: (row: T) => Key;
  /** Returns the content of a cell. Default: the text of by(). */
  readonly show?: (row: T) => readonly Made[];
  /** True if the first click on the head puts the largest value first. */
  readonly isDown?: boolean;
  /** The server's name for sorting by this column, if the server sorts. */
  readonly sort?: string;
  /** Called with each new cell and its row, to change the cell. */
  readonly mark?: (made: HTMLElement, row: T) => void;
}

export interface TableOptions<T> {
  /** Name of the table: id of its body; NAME-heads is the id of the row of heads. Also the name of the CSV file. */
  readonly name: string;
  readonly caption?: string;
  /** CSS class of the table. */
  readonly kind?: string;
  /**
   * Called with the index of the column that the user chose, to sort by it. Default: the table sorts its rows itself.
   */
  readonly onSort?: (column: number, isDown: boolean) => void;
  /** False if the page filters the rows. Default: false if `onSort` is given, else true. */
  readonly hasFilter?: boolean;
  /** Fetches all rows for CSV. Default: the shown rows. */
  readonly all?: () => Promise<readonly T[]>;
  /** Returns the HTML attributes of a row's element, keyed by name. Default: none. */
  readonly attributes?: (row: T) => Readonly<Record<string, string>>;
}

export interface DataTable<T> {
  readonly figure: HTMLElement;
  /** Shows rows, in the order that the user chose last. */
  readonly show: (rows: readonly T[]) => void;
}

/** Number of rows from which a table shows its filter field. */
const MANY_ROWS = 12;

const compare = (a: Key, b: Key, isDown: boolean): number => {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  const order =
    typeof a === 'number' && typeof b === 'number'
      ? a - b
      : String(a).localeCompare(String(b), undefined, { numeric: true });
  return isDown ? -order : order;
};

/** Makes the browser download a text as a CSV file. @param name name of the file without its ending */
const download = (name: string, text: string): void => {
  const href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  element('a', { href, download: `${name.replaceAll(/[^\w.-]+/g, '-')}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
};

export const dataTable = <T>(columns: readonly Column<T>[], options: TableOptions<T>): DataTable<T> => {
  const { name, caption = '', kind = '', onSort, hasFilter = onSort === undefined, all, attributes } = options;
  let shown: readonly T[] = [];
  let chosen = -1;
  let isDown = false;
  const sorted = (rows: readonly T[]): readonly T[] => {
    if (chosen < 0 || onSort !== undefined) return rows;
    const { by } = columns[chosen];
    return [...rows].sort((a, b) => compare(by(a), by(b), isDown));
  };
  const heads = columns.map((column, i) => {
    const choose = (): void => {
      isDown = chosen === i ? !isDown : column.isDown === true;
      chosen = i;
      for (const [k, one] of heads.entries()) {
        if (k === i) one.setAttribute('aria-sort', isDown ? 'descending' : 'ascending');
        else one.removeAttribute('aria-sort');
      }
      if (onSort === undefined) show(shown);
      else onSort(i, isDown);
    };
    const sort = button(column.title, choose, { class: 'plain' });
    return element('th', { class: column.kind ?? false, title: column.hint ?? false }, sort);
  });
  const body = element('tbody', { id: name });
  const filter = element('input', { type: 'search', 'aria-label': 'Filter', placeholder: 'Filter' });
  const textIn = (row: T): string =>
    columns
      .map(({ by }) => by(row) ?? '')
      .join(' ')
      .toLowerCase();
  const rowFor = (row: T): HTMLElement => {
    const cells = columns.map(({ kind: of = '', by, show: showCell, mark }) => {
      const made = cell(of, ...(showCell?.(row) ?? [String(by(row) ?? '')]));
      mark?.(made, row);
      return made;
    });
    return element('tr', attributes?.(row), ...cells);
  };
  const show = (rows: readonly T[]): void => {
    shown = rows;
    const words = filter.value.toLowerCase().split(/\s+/);
    const kept = rows.filter((row) => words.every((word) => textIn(row).includes(word)));
    filter.hidden = !hasFilter || rows.length < MANY_ROWS;
    renew(body, sorted(kept).map(rowFor));
  };
  filter.addEventListener('input', () => show(shown));
  const save = async (): Promise<void> => {
    const rows = all === undefined ? sorted(shown) : await all();
    const titles = columns.map(({ title, hint }) => hint ?? title);
    download(name, csvOf([titles, ...rows.map((row) => columns.map(({ by }) => by(row) ?? ''))]));
  };
  const saving = button('CSV', () => void save(), { title: 'Download the table as CSV' });
  const figure = element(
    'figure',
    { class: 'table' },
    element('div', { class: 'above' }, element('figcaption', {}, caption), filter, saving),
    element(
      'div',
      { class: 'wide', tabindex: 0 },
      element(
        'table',
        { class: kind !== '' && kind },
        element('thead', {}, element('tr', { id: `${name}-heads` }, ...heads)),
        body,
      ),
    ),
  );
  return { figure, show };
};

/** Puts a new data table into an element of the page, and returns the table's show(). @param place id of the element */
export const tableAt = <T>(
  place: string,
  columns: readonly Column<T>[],
  options: TableOptions<T>,
): DataTable<T>['show'] => {
  const { figure, show } = dataTable(columns, options);
  byId(place).replaceChildren(figure);
  return show;
};

/** Returns the title of a power with its colour; other names unchanged. @param powers names in the order of the map */
export const powerName = (powers: readonly string[], name: string): Made[] => {
  const power = powers.indexOf(name);
  return power < 0 ? [name] : [swatch(power), powerTitle(name)];
};

const NUMBER = /^[-+]?[\d,]*\.?\d+/;
const RANGE = /^(-?[\d.]+) to (-?[\d.]+)$/;

/** Returns the number at the beginning of a text; null if there is none. */
const numberIn = (text: string): number | null => {
  const [found] = NUMBER.exec(text) ?? [];
  return found === undefined ? null : Number(found.replaceAll(',', ''));
};

/** Returns the ends of an interval such as '0.1 to 0.2'; null for other text. */
const rangeIn = (text: string): readonly [number, number] | null => {
  const [, low, high] = RANGE.exec(text) ?? [];
  return low === undefined ? null : [Number(low), Number(high)];
};

/** Draws an interval as a line and its mean as a dot. @param mean null for no dot */
const intervalLine = (
  [low, high]: readonly [number, number],
  mean: number | null,
  [least, most]: readonly number[],
): SVGElement => {
  const at = (x: number): number => 4 + (112 * (x - least)) / Math.max(most - least, 1e-9);
  const dot = mean === null ? [] : [drawing('circle', { cx: at(mean), cy: 6, r: 3 })];
  return drawing(
    'svg',
    { viewBox: '0 0 120 12', class: 'interval', 'aria-hidden': 'true' },
    drawing('path', { d: `M${at(low)} 2V10M${at(low)} 6H${at(high)}M${at(high)} 2V10` }),
    ...dot,
  );
};

/** Options for showing a table of a report in a page. */
export interface ReportOptions {
  readonly name: string;
  /** Returns the address for the query of a cell. Default: the query. */
  readonly link?: (query: string) => string;
  /** Names of the powers in the order of the map; they are shown with their colours. Default: none. */
  readonly powers?: readonly string[];
}

type Row = readonly Cell[];

/** Makes a data table of a report's table. Shades matrices by their numbers, draws intervals and colours powers. */
export const reportTable = (table: Table, { name, link = String, powers = [] }: ReportOptions): HTMLElement => {
  const { columns, rows, caption, shades } = table;
  const texts = (column: number): string[] => rows.map((row) => textOf(row[column]));
  const all = shades === undefined ? [] : columns.flatMap((_, i) => (i === 0 ? [] : texts(i).map(numberIn)));
  const values = all.filter((value) => value !== null);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const shadeOf = (value: number): number =>
    shades === 'signed'
      ? Math.abs(value) / Math.max(Math.abs(least), Math.abs(most), 1e-9)
      : (value - least) / Math.max(most - least, 1e-9);
  const made = columns.map(({ title, isLeft }, i): Column<Row> => {
    const ranges = texts(i).flatMap((text) => rangeIn(text) ?? []);
    const ends = [Math.min(...ranges), Math.max(...ranges)];
    const show = (row: Row): Made[] => {
      const text = textOf(row[i]);
      const range = rangeIn(text);
      const line = range === null ? [] : [intervalLine(range, numberIn(textOf(row[i - 1])), ends)];
      const words = text.replace('+-', '±').replace(/^ +/, (indent) => '\u00a0'.repeat(2 * indent.length));
      const inside = isLeft ? powerName(powers, words) : [...line, words];
      const of = row[i];
      return typeof of === 'object' ? [element('a', { href: link(of[1]) }, ...inside)] : inside;
    };
    const mark = (one: HTMLElement, row: Row): void => {
      const value = numberIn(textOf(row[i]));
      if (i === 0 || value === null || !Number.isFinite(shadeOf(value))) return;
      one.classList.add('shade');
      if (shades === 'signed' && value < 0) one.classList.add('loss');
      one.style.setProperty('--shade', shadeOf(value).toFixed(2));
    };
    return {
      title,
      kind: isLeft ? 'long' : 'n',
      by: (row) => (isLeft ? textOf(row[i]) : numberIn(textOf(row[i]))),
      show,
      isDown: !isLeft,
      ...(shades !== undefined && { mark }),
    };
  });
  const { figure, show } = dataTable(made, {
    name,
    caption: caption.replaceAll('+-', '±'),
    kind: shades === undefined ? '' : 'matrix',
  });
  show(rows);
  return figure;
};
