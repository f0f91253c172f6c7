// Orders in a list and on the board: what one points at is marked in both. Elements say whose they are by data-power and
// data-unit.

const MARKED = 'marked';

/** 'FRANCE A PAR' of a unit, of its line, or of its row in a list; null for anything else. */
export const unitAt = (target: EventTarget | null): string | null => {
  const found = target instanceof Element ? target.closest('[data-unit]') : null;
  return found === null ? null : `${found.getAttribute('data-power')} ${found.getAttribute('data-unit')}`;
};

/** Scrolls a list, and nothing around it, until a row is seen. */
const scrollTo = (list: Element, row: Element): void => {
  const [seen, wanted] = [list.getBoundingClientRect(), row.getBoundingClientRect()];
  list.scrollTop += Math.min(0, wanted.top - seen.top) + Math.max(0, wanted.bottom - seen.bottom);
};

/** Marks what the pointer or the focus is at, in all of some parts of the page. */
export const linkOrders = (...parts: readonly Element[]): void => {
  let marked: string | null = null;
  const mark = (key: string | null, from?: Element): void => {
    if (key === marked) return;
    marked = key;
    for (const part of parts) {
      for (const old of part.querySelectorAll(`.${MARKED}`)) old.classList.remove(MARKED);
      const found = key === null ? [] : [...part.querySelectorAll('[data-unit]')].filter((one) => unitAt(one) === key);
      for (const one of found) one.classList.add(MARKED);
      part.classList.toggle('marks-one', found.length > 0);
      const row = found.find((one) => one instanceof HTMLElement);
      if (part !== from && row !== undefined) scrollTo(part, row);
    }
  };
  for (const part of parts) {
    for (const type of ['pointerover', 'focusin'])
      part.addEventListener(type, ({ target }) => mark(unitAt(target), part));
    for (const type of ['pointerleave', 'focusout']) part.addEventListener(type, () => mark(null));
  }
};
