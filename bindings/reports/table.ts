// Tables as data, and their renderings: text for terminals, Markdown, and HTML. Their JSON is the data itself.
import { escapeXml } from '../draw/escape-xml.js';

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

const textOf = (cell: Cell): string => (typeof cell === 'object' ? cell[0] : String(cell));

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

const tableHtml = ({ caption, columns, rows }: Table, link: (query: string) => string): string => {
  const show = (cell: Cell): string =>
    typeof cell === 'object'
      ? `<a href="${escapeXml(link(cell[1]))}">${escapeXml(cell[0])}</a>`
      : escapeXml(String(cell)).replace(/^ +/, (indent) => '&nbsp;'.repeat(2 * indent.length));
  const row = (cells: readonly Cell[]): string =>
    `<tr>${cells.map((cell, i) => `<td class="${columns[i].isLeft ? 'long' : 'n'}">${show(cell)}</td>`).join('')}</tr>`;
  const heads = columns.map(({ title, isLeft }) => `<th${isLeft ? '' : ' class="n"'}>${escapeXml(title)}</th>`);
  const above = captionAbove(caption).map((text) => `<caption>${escapeXml(text)}</caption>`);
  return (
    `<div class="wide" tabindex="0"><table>${above.join('')}<thead><tr>${heads.join('')}</tr></thead>` +
    `<tbody>${rows.map(row).join('')}</tbody></table></div>`
  );
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

/** Returns blocks as HTML. @param link returns the address of the query of a cell */
export const renderHtml = (blocks: readonly Block[], link: (query: string) => string = String): string =>
  filled(blocks)
    .map((block) => (isParagraph(block) ? `<p>${escapeXml(block)}</p>` : tableHtml(block, link)))
    .join('');
