// Tables that are sorted by the column whose head is clicked, and once more for the other way round.
import { button, byId, element, renew } from './page.js';

export interface Column<T> {
  readonly title: string;
  /** Class of its head: 'n' for numbers, 'later' for what a phone leaves out. */
  readonly kind?: string;
  /** What rows are sorted by; null is always last. */
  readonly by: (row: T) => string | number | null;
  /** Whether the first click puts the largest first. */
  readonly isDown?: boolean;
}

const compare = (a: string | number | null, b: string | number | null, isDown: boolean): number => {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  const order =
    typeof a === 'number' && typeof b === 'number'
      ? a - b
      : String(a).localeCompare(String(b), undefined, { numeric: true });
  return isDown ? -order : order;
};

/**
 * Fills the head of a table and sorts its rows.
 * @param name in ids: NAME-heads is the row of heads, NAME the body
 * @param made the rows of the table for one of the list
 * @returns shows a list, in the order that was chosen last; first in its own
 */
export const sortable = <T>(
  name: string,
  columns: readonly Column<T>[],
  made: (row: T) => readonly HTMLElement[],
): ((list: readonly T[]) => void) => {
  let shown: readonly T[] = [];
  let chosen: Column<T> | null = null;
  let isDown = false;
  const heads = columns.map((column) => {
    const head = element('th', { class: column.kind ?? false });
    const sort = button(column.title, () => {
      isDown = chosen === column ? !isDown : column.isDown === true;
      chosen = column;
      for (const [i, one] of heads.entries()) {
        if (columns[i] === column) one.setAttribute('aria-sort', isDown ? 'descending' : 'ascending');
        else one.removeAttribute('aria-sort');
      }
      show(shown);
    });
    sort.className = 'plain';
    head.append(sort);
    return head;
  });
  byId(`${name}-heads`).replaceChildren(...heads);
  const show = (list: readonly T[]): void => {
    shown = list;
    const { by } = chosen ?? { by: null };
    const rows = by === null ? list : [...list].sort((a, b) => compare(by(a), by(b), isDown));
    renew(byId(name), rows.flatMap(made));
  };
  return show;
};
