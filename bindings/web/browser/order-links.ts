// Highlights an order both in the list and on the board when the pointer is on either. Elements of an order have the
// attributes data-power and data-unit.

const MARKED = 'marked';

/**
 * Returns the power and the unit of an element of the board or of a list, such as 'FRANCE A PAR'; null for other
 * elements.
 */
export const unitAt = (target: EventTarget | null): string | null => {
  const found = target instanceof Element ? target.closest('[data-unit]') : null;
  return found === null ? null : `${found.getAttribute('data-power')} ${found.getAttribute('data-unit')}`;
};

/** Scrolls a list until one of its rows is visible, without scrolling the elements around the list. */
const scrollTo = (list: Element, row: Element): void => {
  const [seen, wanted] = [list.getBoundingClientRect(), row.getBoundingClientRect()];
  list.scrollTop += Math.min(0, wanted.top - seen.top) + Math.max(0, wanted.bottom - seen.bottom);
};

/**
 * Highlights the order that is under the pointer or has the focus, in all given parts of the page, and scrolls to it.
 */
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
