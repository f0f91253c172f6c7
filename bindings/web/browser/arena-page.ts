// The tables of the arenas of a directory.
import type { ArenaTables } from '../page-data.js';
import { byId, cell, element, pageData, row } from './page.js';

const shownTable = ([head, ...rows]: readonly (readonly string[])[]): HTMLElement => {
  const heads = head.map((text, i) => element('th', { class: i > 0 && 'n' }, text));
  const body = rows.map((cells) => row(...cells.map((text, i) => cell(i > 0 ? 'n' : 'long', text))));
  const table = element('table', {}, element('thead', {}, row(...heads)), element('tbody', {}, ...body));
  return element('div', { class: 'wide' }, table);
};

byId('arenas').append(
  ...pageData<readonly ArenaTables[]>().flatMap(({ title, note, tables }) => [
    element('h2', {}, title),
    ...tables.map(shownTable),
    element('p', { class: 'dim' }, note),
  ]),
);
