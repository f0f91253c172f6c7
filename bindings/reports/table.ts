// Tables as data, and their renderings: text for terminals, Markdown, and CSV. Their JSON is the data itself, which pages show.

/** Text of a cell. [text, query] is a link in a page and the text alone elsewhere. */
export type Cell = string | number | readonly [text: string, query: string];

interface Head {
  readonly title: string;
  /** True for words. Numbers end at the right. */
  readonly isLeft: boolean;
}

/** A column of a table with rows of one type. */
export interface Column<Row> extends Head {
  readonly cell: (row: Row, index: number) => Cell;
}

/** Plain data: a server sends it to a page as JSON. */
export interface Table {
  /** Line above the table; '' for none. */
  readonly caption: string;
  readonly columns: readonly Head[];
  readonly rows: readonly (readonly Cell[])[];
  /**
   * For a matrix, whose numbers pages shade: from the least to the greatest, or from 0 in two colours. Its first column has
   * names.
   */
  readonly shades?: 'plain' | 'signed';
}

/** Part of a report: a paragraph of text, or a table. Empty paragraphs are left out. */
export type Block = string | Table;

/** Returns a column of words. */
export const words = <Row>(title: string, cell: Column<Row>['cell']): Column<Row> => ({ title, isLeft: true, cell });

/** Returns a column of numbers. */
export const numbers = <Row>(title: string, cell: Column<Row>['cell']): Column<Row> => ({ title, isLeft: false, cell });

export const makeTable = <Row>(rows: readonly Row[], columns: readonly Column<Row>[], caption = ''): Table => ({
  caption,
  columns: columns.map(({ title, isLeft }) => ({ title, isLeft })),
  rows: rows.map((row, i) => columns.map(({ cell }) => cell(row, i))),
});

/** Text of a cell. */
export const textOf = (cell: Cell): string => (typeof cell === 'object' ? cell[0] : String(cell));

/** Heads and rows as text. */
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

/** Returns blocks as text with a blank line between them. Columns are as wide as their longest cell. */
export const renderText = (blocks: readonly Block[]): string =>
  `${filled(blocks)
    .map((block) => (isParagraph(block) ? block : tableText(block)))
    .join('\n\n')}\n`;

/** Returns blocks as Markdown. */
export const renderMarkdown = (blocks: readonly Block[]): string =>
  `${filled(blocks)
    .map((block) => (isParagraph(block) ? block : tableMarkdown(block)))
    .join('\n\n')}\n`;

/** A cell of CSV. A spreadsheet takes text that begins like a formula for one: it gets a quotation mark before it. */
const csvCell = (cell: string | number): string => {
  if (typeof cell === 'number') return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Returns rows as CSV (RFC 4180). */
export const csvOf = (rows: readonly (readonly (string | number)[])[]): string =>
  rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
