// Handles the keys of a page, and shows a list of them for the key `?`.
import { button, element, takesKeys } from './page.js';

/**
 * A key: its label in the list ('' if the key before describes it too), its description, its name in events, and its
 * function.
 */
export type Key = readonly [shown: string, words: string, key: string, run: () => void];

const LINKS: Key = ['Tab, Enter', 'links and buttons, one after the other', '', () => {}];

/** Listens to keys, and shows the list for `?` and the button `show-keys`. Ignores keys with Shift, Ctrl or Alt. */
export const offerKeys = (keys: readonly Key[] = [LINKS]): void => {
  const rows = [...keys, ['?', 'these keys', '?', () => {}] as const]
    .filter(([shown]) => shown !== '')
    .map(([shown, words]) => element('tr', {}, element('th', { scope: 'row' }, shown), element('td', {}, words)));
  const dialog = element('dialog', { id: 'keys', 'aria-label': 'Keys' }, element('h2', {}, 'Keys'));
  dialog.append(
    element('table', {}, element('tbody', {}, ...rows)),
    button('Close', () => dialog.close()),
  );
  document.body.append(dialog);
  document.getElementById('show-keys')?.addEventListener('click', () => dialog.showModal());
  addEventListener('keydown', (event) => {
    const { key, shiftKey, altKey, ctrlKey, metaKey, target } = event;
    // A list of orders handles the arrow keys itself; letters are keys of the page even there.
    const isChoice = target instanceof Element && target.matches('#units select') && !key.startsWith('Arrow');
    const isPressed = key === ' ' && target instanceof Element && target.matches('button, summary');
    const isTaken = isPressed || (takesKeys(target) && !isChoice);
    if (key === '?' && !isTaken) {
      event.preventDefault();
      return dialog.open ? dialog.close() : dialog.showModal();
    }
    if (
      event.defaultPrevented ||
      shiftKey ||
      altKey ||
      ctrlKey ||
      metaKey ||
      dialog.open ||
      (isTaken && key !== 'Escape')
    )
      return;
    const found = keys.find(([, , name]) => name === key);
    if (found === undefined) return;
    event.preventDefault();
    found[3]();
  });
};
