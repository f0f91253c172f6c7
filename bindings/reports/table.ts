// Tables as data, with renderings as text for terminals, as Markdown and as CSV. Pages show their JSON.

/** Content of a cell. [text, query] is a link in a page, and only the text elsewhere. */
export type Cell = string | number | readonly [text: string, query: string];

/** Title and alignment of a column. */
interface Head {
  readonly title: string;
  /** True to align the column left, for words; false to align it right, for numbers. */
  readonly isLeft: boolean;
}

/** A column of a table. `cell` returns its cell in a row. */
export interface Column<Row> extends Head {
  readonly cell: (row: Row, index: number) => Cell;
}

/** A table as plain data, which a server can send to a page as JSON. */
export interface Table {
  /** Line above the table; '' for none. */
  readonly caption: string;
  readonly columns: readonly Head[];
  readonly rows: readonly (readonly Cell[])[];
  /**
   * Shading of the cells in pages, if the table is a matrix: 'plain' from the smallest to the largest number, 'signed'
   * from 0 in two colours. The first column has names and is not shaded.
   */
  readonly shades?: 'plain' | 'signed';
}

/** Part of a report: a paragraph or a table. Empty paragraphs are left out. */
export type Block = string | Table;

/** Returns a column of words, aligned left. @param cell returns the column's cell in a row */
export const words = <Row>(title: string, cell: Column<Row>['cell']): Column<Row> => ({ title, isLeft: true, cell });

/** Returns a column of numbers, aligned right. @param cell returns the column's cell in a row */
export const numbers = <Row>(title: string, cell: Column<Row>['cell']): Column<Row> => ({ title, isLeft: false, cell });

/** Makes a table with a line for each of some rows, whose cells the columns return. */
export const makeTable = <Row>(rows: readonly Row[], columns: readonly Column<Row>[], caption = ''): Table => ({
  caption,
  columns: columns.map(({ title, isLeft }) => ({ title, isLeft })),
  rows: rows.map((row, i) => columns.map(({ cell }) => cell(row, i))),
});

/** Returns the text of a cell, of a link only its text. */
export const textOf = (cell: Cell): string => (typeof cell === 'object' ? cell[0] : String(cell));

/** Returns the cells of a table as text: a row with the titles of the columns, then its rows. */
const cellsOf = ({ columns, rows }: Table): string[][] => [
  columns.map(({ title }) => title),
  ...rows.map((row) => row.map(textOf)),
];

const captionAbove = (caption: string): string[] => (caption === '' ? [] : [caption]);

const tableText = (table: Table): string => {
  const cells = cellsOf(table);
  const widths = table.columns.map((_, i) => Math.max(...cells.map((row) => row[i].length)));
  const pad = (cell: string, i: number): string =>
    table.columns[i].isLeft ? cell.padEnd(widths[i]) : cell.padStart(widths[i]);
  return [...captionAbove(table.caption), ...cells.map((row) => row.map(pad).join('  ').trimEnd())].join('\n');
};

const tableMarkdown = (table: Table): string => {
  const [head, ...rows] = cellsOf(table).map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const rule = table.columns.map(({ isLeft }) => (isLeft ? '---' : '---:'));
  const lines = [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [...captionAbove(table.caption && `${table.caption}\n`), ...lines].join('\n');
};

const isParagraph = (block: Block): block is string => typeof block === 'string';
const filled = (blocks: readonly Block[]): Block[] => blocks.filter((block) => block !== '');

/** Renders blocks as text, separated by blank lines. Columns are as wide as their longest cell. */
export const renderText = (blocks: readonly Block[]): string =>
  `${filled(blocks)
    .map((block) => (isParagraph(block) ? block : tableText(block)))
    .join('\n\n')}\n`;

/** Renders blocks as Markdown. */
export const renderMarkdown = (blocks: readonly Block[]): string =>
  `${filled(blocks)
    .map((block) => (isParagraph(block) ? block : tableMarkdown(block)))
    .join('\n\n')}\n`;

/** Formats a CSV cell. Text that a spreadsheet would take for a formula gets a leading apostrophe. */
const csvCell = (cell: string | number): string => {
  if (typeof cell === 'number') return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Formats rows as CSV (RFC 4180). Each line ends with CR LF. */
export const csvOf = (rows: readonly (readonly (string | number)[])[]): string =>
  rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
