// Controls the section Orders: a list of units with their legal orders, and the results of the last orders.
import { answeredOrders } from '../../draw/read-phase.js';
import { phaseTitle, powerTitle } from '../../draw/titles.js';
import { dueOf, troublesIn } from '../orders/check-orders.js';
import { type Orderable, province } from '../orders/order-clicks.js';
import type { BoardState } from './board-state.js';
import type { OrderMaker } from './order-maker.js';
import { orderedIn, showUnread } from './order-text.js';
import { button, byId, control, element, optionsOf, showText, swatch, trying } from './page.js';
import { phaseEnd, resultBlocks } from './result-list.js';

/** Largest number of problems that are shown above the list of units. The list marks all of them. */
const MOST_TROUBLES = 6;

export interface OrdersPanel {
  readonly paint: (shows: { readonly outcome: boolean }) => void;
  /** Chooses the next unit with a missing or wrong order, and scrolls the list to it. */
  readonly nextMistake: () => void;
}

/** Callbacks of the list of units. */
export interface OrderTaker {
  /** Called with an order that the user has chosen, to write it. */
  readonly give: (power: string, order: string) => void;
  /** Called to remove the order of the unit or centre in a province. */
  readonly clear: (home: string) => void;
  /** Called to show the orders that led to this phase on the board. */
  readonly showLast: () => void;
}

export const ordersPanel = (
  table: BoardState,
  maker: OrderMaker,
  { give, clear, showLast }: OrderTaker,
): OrdersPanel => {
  const list = byId('units');

  /**
   * Returns the order of the unit or centre in a province ('' for none), and the reason why it is wrong ('' if it is
   * not).
   */
  const orderIn = (power: string, home: string): { readonly order: string; readonly reason: string } => {
    const { answer, wrong } = table.checked;
    const found = answer?.orders.find(
      (one) => one.power === power && one.order !== null && orderedIn(table.map, one.order) === home,
    );
    const order = found?.order ?? '';
    return { order, reason: wrong.find((one) => one.power === power && one.order === order)?.reason ?? '' };
  };

  const row = ({ power, name, home, orders }: Orderable): HTMLElement => {
    const { order, reason } = orderIn(power, home);
    const key = { class: 'plain', 'data-key': `unit ${home}` };
    const choose = button(name, () => trying(() => maker.choose(home)), key);
    const select = element('select', { 'aria-label': `Order of ${name}`, 'data-key': `order ${home}` });
    const offer = (texts: readonly string[]): void =>
      select.replaceChildren(...optionsOf(['', ...texts], (value) => value || 'no order', order));
    const also = order === '' || orders.includes(order) ? [] : [order];
    offer(order === '' ? [] : [order]);
    // Adds all legal orders to a select only when the user opens it, because a page may have hundreds of them.
    const fill = (): void => {
      if (select.length <= 2) offer([...also, ...orders]);
    };
    select.addEventListener('focus', fill);
    select.addEventListener('pointerdown', fill);
    select.addEventListener('change', () => trying(() => (select.value ? give(power, select.value) : clear(home))));
    const says = { class: 'clear', 'aria-label': `Clear the order of ${name}`, disabled: order === '' };
    const wipe = button('×', () => trying(() => clear(home)), says);
    const isMissing = (table.checked.missing[power] ?? []).includes(name);
    const state = `${isMissing ? 'missing' : ''} ${reason === '' ? '' : 'wrong'}`.trim();
    const made = element('li', { class: state, 'data-power': power, 'data-unit': name }, choose, select, wipe);
    if (maker.chosen() === home) made.setAttribute('aria-current', 'true');
    if (reason !== '') made.append(element('small', {}, reason));
    return made;
  };

  const blockOf = (power: string): HTMLElement[] => {
    const own = table.open().filter((one) => one.power === power);
    const [due, left] = [dueOf(table.state.turn, power), table.checked.left[power]];
    const count =
      left === undefined ? '' : `: ${Math.abs(left)} of ${Math.abs(due)} ${due > 0 ? 'builds' : 'removals'} left`;
    const title = element('h3', {}, swatch(table.map.powerNames.indexOf(power)), powerTitle(power) + count);
    return own.length === 0 ? [] : [title, element('ul', {}, ...own.map(row))];
  };

  /** Makes the list again. The focus stays on the same control. */
  const showList = (): void => {
    const key = list.contains(document.activeElement) ? document.activeElement?.getAttribute('data-key') : null;
    list.replaceChildren(...table.map.powerNames.flatMap(blockOf));
    if (key) list.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
  };

  const showResults = (outcome: boolean): void => {
    const { turn } = table.state;
    const { answer } = outcome ? table.checked : turn;
    const before = outcome ? turn : turn.parent;
    byId('results').replaceChildren();
    if (answer === null || before === null) return;
    const pick = outcome ? (): void => {} : showLast;
    const title = `${phaseTitle(before.phase)}: ${outcome ? 'outcome of these orders' : 'last orders'}`;
    const blocks = resultBlocks(table.map, answeredOrders(before.units, answer), pick);
    byId('results').replaceChildren(
      element('h2', {}, title),
      ...blocks,
      element('p', { id: 'next', class: 'dim' }, phaseEnd(answer)),
    );
  };

  return {
    paint: ({ outcome }) => {
      if (control('orders').value !== table.state.text) control('orders').value = table.state.text;
      showList();
      showUnread(table.written);
      const { wrong } = table.checked;
      const troubles = table.isAnalysis()
        ? wrong.map((one) => `${one.order}: ${one.reason}`)
        : troublesIn(table.checked);
      const more = troubles.length > MOST_TROUBLES ? `; and ${troubles.length - MOST_TROUBLES} more` : '';
      showText('issues', troubles.slice(0, MOST_TROUBLES).join('; ') + more);
      byId('issues').classList.toggle('bad', wrong.length > 0);
      showResults(outcome);
    },
    nextMistake: () => {
      const { wrong, missing } = table.checked;
      const homes = [
        ...wrong.map(({ order }) => orderedIn(table.map, order)),
        ...Object.values(missing).flatMap((units) => units.map((unit) => province(unit.slice(2)))),
      ].filter((home) => home !== null && table.open().some((one) => one.home === home));
      const next = homes[(homes.indexOf(maker.chosen() ?? '') + 1) % Math.max(1, homes.length)];
      if (next) maker.choose(next);
      showList();
      const row = list.querySelector('[aria-current]');
      row?.scrollIntoView({ block: 'nearest' });
      row?.querySelector('select')?.focus();
    },
  };
};
