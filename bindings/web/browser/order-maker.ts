// Takes orders by clicks on the board: shows what is chosen, where it may go, and the orders that are left as buttons.
import { phaseTitle, powerTitle } from '../../draw/titles.js';
import { type Choice, clickAt, nextTargets, type Orderable, ordersLeft } from '../orders/order-clicks.js';
import { button, byId, say, trying } from './page.js';

const MOST_CHOICES = 60;

/** What to click next, by the letter of the phase. */
const nextWords: Readonly<Record<string, string>> = {
  M: 'click where it goes, the unit that it supports or convoys, or itself to hold',
  R: 'click where it retreats to, or take an order below',
  A: 'take an order below',
};

/** What a page does with clicks. */
export interface OrderPage {
  readonly board: SVGElement;
  /** What may be ordered now. */
  readonly orderables: () => readonly Orderable[];
  /** The name of the phase: 'S1901M'. */
  readonly phase: () => string;
  /** What the page says while nothing is chosen. */
  readonly says: () => string;
  /** Takes an order. */
  readonly give: (power: string, order: string) => void;
}

export interface OrderMaker {
  /** A click on a province. */
  readonly click: (tag: string) => void;
  readonly unchoose: () => void;
  /** Marks what is chosen on a board that has been drawn anew. */
  readonly show: () => void;
}

export const tagAt = (target: EventTarget | null): string | null => {
  const shape = target instanceof Element ? target.closest('[data-province]') : null;
  return shape?.getAttribute('data-province')?.replace('@', '') ?? null;
};

/** Buttons of the orders are put into `#choices`. */
export const orderMaker = ({ board, orderables, phase, says, give }: OrderPage): OrderMaker => {
  let chosen: Choice | null = null;

  /** The unit that is chosen, and where it may go. */
  const show = (): void => {
    const targets: ReadonlySet<string> = chosen === null ? new Set() : nextTargets(chosen);
    for (const shape of board.querySelectorAll('[data-province]')) {
      const tag = tagAt(shape);
      if (shape.classList.contains('province')) shape.classList.toggle('target', targets.has(tag ?? ''));
      else shape.classList.toggle('chosen', tag === chosen?.home);
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
    const made = left.slice(0, MOST_CHOICES).map((one) => button(one, () => trying(() => give(choice.power, one))));
    const more = left.length > MOST_CHOICES ? [`and ${left.length - MOST_CHOICES} more: click on the board`] : [];
    byId('choices').replaceChildren(...made, ...more, button('Cancel', unchoose));
  };

  const click = (tag: string): void => {
    const found = clickAt(orderables(), chosen, tag);
    if (found.kind === 'order') give(found.power, found.order);
    else if (found.kind === 'cancel') unchoose();
    else if (found.kind === 'nothing')
      say(
        chosen === null
          ? `${tag} has nothing to order in ${phaseTitle(phase())}`
          : `${chosen.name} may not go to ${tag}, nor support or convoy there`,
      );
    else {
      const { power, name, clicks } = found.choice;
      chosen = found.choice;
      const words = clicks.length > 0 ? 'which of these? Another click narrows them' : nextWords[phase().at(-1) ?? ''];
      say(`${powerTitle(power)}, ${name}: ${words}`);
      showChoices(chosen);
      show();
    }
  };
  return { click, unchoose, show };
};
