// Takes orders by clicks on the board. Marks the chosen unit and its possible destinations, and shows buttons of the
// possible orders.
import { phaseTitle, powerTitle } from '../../draw/titles.js';
import {
  type Choice,
  type Click,
  clickAt,
  dragTo,
  type Help,
  nextTargets,
  type Orderable,
  ordersLeft,
} from '../orders/order-clicks.js';
import { button, byId, say, trying } from './page.js';

const MOST_CHOICES = 60;

/** Instructions for the next click, keyed by the last letter of the phase's name. */
const nextWords: Readonly<Record<string, string>> = {
  M: 'click where it goes, a unit to support or convoy, or itself to hold. Shift helps instead of moving',
  R: 'click where it retreats to, or itself to disband',
};

/** Callbacks of a page whose board takes orders. */
export interface OrderPage {
  readonly board: SVGElement;
  /** Returns the units and centres that can be ordered now, with their legal orders. */
  readonly orderables: () => readonly Orderable[];
  /** Returns the name of the phase, such as 'S1901M'. */
  readonly phase: () => string;
  /** Returns the text that the page shows while no unit or centre is chosen. */
  readonly says: () => string;
  /** Returns the written order of the unit or centre in a province; null for none. */
  readonly written: (home: string) => string | null;
  /** Called with an order that the user has given, to write it. */
  readonly give: (power: string, order: string) => void;
  /** Called to remove the order of the unit or centre in a province. */
  readonly clear: (home: string) => void;
}

export interface OrderMaker {
  /**
   * Handles a click on a place of the board.
   * @param place province or coast, such as 'SPA' or 'SPA/NC'
   * @param help 'S' or 'C' for a click that asks for support or convoy instead of a move
   */
  readonly click: (place: string, help?: Help) => void;
  /** Handles a unit that was dragged from its province to a place. A text says so if it may not go there. */
  readonly drag: (from: string, place: string) => void;
  /** Chooses the unit or centre in a province, instead of the present choice. Does nothing if it cannot be ordered. */
  readonly choose: (home: string) => void;
  /**
   * Makes the next click ask for support or convoy with the chosen unit. The same kind a second time switches back to
   * moves. Does nothing without a choice.
   */
  readonly useHelp: (help: Help) => void;
  /** Returns the province of the chosen unit or centre; null for none. */
  readonly chosen: () => string | null;
  /** Cancels the choice of a unit or centre, and removes its buttons. */
  readonly unchoose: () => void;
  /** Marks the chosen unit and its targets again, after the board was redrawn. */
  readonly show: () => void;
}

/** Returns the province or coast of an element of the board: 'SPA' or 'SPA/NC'; null for other elements. */
export const tagAt = (target: EventTarget | null): string | null => {
  const shape = target instanceof Element ? target.closest('[data-coast], [data-province]') : null;
  return shape?.getAttribute('data-coast') ?? shape?.getAttribute('data-province')?.replace('@', '') ?? null;
};

/** Makes the order maker of a page. It shows its buttons in `#choices`. */
export const orderMaker = (page: OrderPage): OrderMaker => {
  const { board, orderables, phase, says, give } = page;
  let chosen: Choice | null = null;

  /**
   * Marks the chosen unit and its possible targets. Without a choice in a retreat or winter phase, marks the places
   * where orders are due.
   */
  const show = (): void => {
    const open = chosen === null && !phase().endsWith('M') ? orderables().map(({ home }) => home) : [];
    const { moves, helps } = chosen === null ? { moves: new Set(open), helps: new Set() } : nextTargets(chosen);
    for (const shape of board.querySelectorAll('[data-province]')) {
      const tag = tagAt(shape);
      if (shape.classList.contains('province')) {
        shape.classList.toggle('target', moves.has(tag ?? ''));
        shape.classList.toggle('helped', helps.has(tag ?? ''));
      } else shape.classList.toggle('chosen', tag === chosen?.home);
    }
  };

  const unchoose = (): void => {
    if (chosen !== null) say(says());
    chosen = null;
    byId('choices').replaceChildren();
    show();
  };

  const showChoices = (choice: Choice): void => {
    const left = ordersLeft(choice);
    const made = left.slice(0, MOST_CHOICES).map((order) => {
      const take = (): void => trying(() => use({ kind: 'order', power: choice.power, order, choice: null }));
      return button(order, take, { 'aria-pressed': `${order === choice.given}` });
    });
    const more = left.length > MOST_CHOICES ? [`and ${left.length - MOST_CHOICES} more: click on the board`] : [];
    const helps = (['S', 'C'] as const).flatMap((kind) => {
      if (!choice.orders.some((order) => order.split(' ')[2] === kind)) return [];
      const says = { 'aria-pressed': `${choice.help === kind}` };
      return [button(kind === 'S' ? 'Support (S)' : 'Convoy (C)', () => useHelp(kind), says)];
    });
    byId('choices').replaceChildren(...helps, ...made, ...more, button('Cancel', unchoose));
  };

  const choose = (next: Choice | null): void => {
    chosen = next;
    if (next === null || (next.given !== null && ordersLeft(next).length < 2)) byId('choices').replaceChildren();
    else showChoices(next);
    show();
  };

  /** Returns the instruction for the next click with a chosen unit or centre. */
  const wordsFor = ({ power, name, first, help }: Choice): string => {
    const kind = help === 'C' ? 'convoys' : 'supports';
    const next =
      first !== null
        ? `which of these? Another click narrows them`
        : help !== null
          ? `click the unit that it ${kind}`
          : (nextWords[phase().at(-1) ?? ''] ?? 'take an order below');
    return `${powerTitle(power)}, ${name}: ${next}`;
  };

  const use = (found: Click, place = ''): void => {
    if (found.kind === 'order') {
      give(found.power, found.order);
      choose(found.choice);
    } else if (found.kind === 'clear') {
      page.clear(found.home);
      choose(null);
    } else if (found.kind === 'cancel') unchoose();
    else if (found.kind === 'nothing')
      say(
        chosen === null || chosen.given !== null
          ? `${place} has nothing to order in ${phaseTitle(phase())}`
          : `${chosen.name} may not go to ${place}, nor support or convoy there`,
      );
    else {
      choose(found.choice);
      say(wordsFor(found.choice));
    }
  };

  const useHelp = (help: Help): void => {
    if (chosen === null) return;
    choose({ ...chosen, first: null, given: null, help: chosen.help === help ? null : help });
    if (chosen !== null) say(wordsFor(chosen));
  };

  const click = (place: string, help: Help = null): void => {
    const choice = chosen !== null && help !== null && place !== chosen.home ? { ...chosen, help } : chosen;
    use(clickAt(orderables(), choice, place, page.written), place);
  };

  /**
   * Chooses the unit or centre in a province without giving an order, even a build or removal, which needs another
   * click.
   */
  const chooseAt = (home: string): void => {
    const found = orderables().find((one) => one.home === home);
    if (found === undefined) return;
    const choice: Choice = { ...found, first: null, help: null, given: null };
    choose(choice);
    say(wordsFor(choice));
  };

  const drag = (from: string, place: string): void => {
    const found = dragTo(orderables(), from, place);
    if (found.kind === 'nothing') {
      const unit = orderables().find(({ home }) => home === from)?.name ?? from;
      say(`${unit} may not go to ${place}`);
    } else use(found, place);
  };
  return { click, drag, choose: chooseAt, useHelp, chosen: () => chosen?.home ?? null, unchoose, show };
};
