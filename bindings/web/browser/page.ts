// Shared code of the pages' scripts: finds and makes elements, reads the page's data, and talks to the server.
import type { DrawnOrder } from '../../draw/drawn-phase.js';
import { outcomeText } from '../../draw/titles.js';
import type { Deflated } from '../page-data.js';
import { inflate } from './inflate.js';

/** Returns the element with an id. @throws Error if the page does not have it */
export const byId = <T extends Element = HTMLElement>(id: string): T => {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`got a page without #${id}`);
  return found as Element as T;
};

/** Returns a form control with an id: an input, select, text area or button. */
export const control = (id: string): HTMLInputElement => byId<HTMLInputElement>(id);

/** Content of an element. Strings are shown as text, never parsed as HTML. */
export type Made = Node | string;

type Child = Made;
type Attributes = Readonly<Record<string, string | number | boolean>>;

const fill = <T extends Element>(made: T, attributes: Attributes, children: readonly Child[]): T => {
  for (const [name, value] of Object.entries(attributes))
    if (value !== false) made.setAttribute(name, value === true ? '' : String(value));
  made.append(...children);
  return made;
};

/**
 * Makes an HTML element.
 * @param attributes attributes by name; true: without a value, false: left out
 * @param children children; strings are shown as text, never parsed as HTML
 */
export const element = <K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] => fill(document.createElement(name), attributes, children);

export const drawing = (name: string, attributes: Attributes = {}, ...children: readonly Child[]): SVGElement =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', name) as SVGElement, attributes, children);

/** Makes a cell of a table. @param kind CSS class: 'n' for a number; '' for none */
export const cell = (kind: string, ...children: readonly Child[]): HTMLElement =>
  element('td', { class: kind !== '' && kind }, ...children);

export const row = (...cells: readonly HTMLElement[]): HTMLElement => element('tr', {}, ...cells);

/**
 * Replaces the children of an element. Keeps children that are equal to the new ones, so that a click on them is not
 * lost.
 */
export const renew = (parent: Element, children: readonly Node[]): void => {
  const old = [...parent.childNodes];
  for (const gone of old.slice(children.length)) gone.remove();
  for (const [i, child] of children.entries()) {
    const there = old[i];
    if (there === undefined) parent.append(child);
    else if (there.isEqualNode(child)) continue;
    else if (there instanceof Element && there.cloneNode(false).isEqualNode(child.cloneNode(false)))
      renew(there, [...child.childNodes]);
    else there.replaceWith(child);
  }
};

export const button = (text: string, run: () => void, attributes: Attributes = {}): HTMLButtonElement => {
  const made = element('button', { type: 'button', ...attributes }, text);
  made.addEventListener('click', run);
  return made;
};

/**
 * Makes a row of a table for an order, or for a unit without one, with its result.
 * @param of the order
 * @param onPick called with the order when it is clicked
 */
export const orderRow = (of: DrawnOrder, onPick: (order: DrawnOrder) => void): HTMLElement => {
  const { power, order, unit, result, fate } = of;
  const isGood = ['succeeds', 'given', 'stands', 'available'].includes(result ?? '') && !fate;
  const name = button(order ?? `${unit} (no order)`, () => onPick(of), { class: 'plain' });
  const cells = [cell('', name), cell(isGood ? 'good' : 'bad', outcomeText(of))];
  return element('tr', { 'data-power': power, 'data-unit': unit || false }, ...cells);
};

/**
 * Makes the option elements of a select or of a list of suggestions.
 * @param textOf returns the shown text of a value; default: the value
 * @param chosen value that is selected
 */
export const optionsOf = (values: readonly string[], textOf: (value: string) => string = String, chosen?: string) =>
  values.map((value) => element('option', { value, selected: value === chosen }, textOf(value)));

export const swatch = (power: number): HTMLElement => element('span', { class: `swatch p${power}` });

/** Shows a text in the element with an id. Hides the element if the text is empty. */
export const showText = (id: string, text: string): void => {
  byId(id).textContent = text;
  byId(id).hidden = text === '';
};

/** Shows a message to the user, in the page's element `told`. */
export const say = (text: string): void => {
  byId('told').textContent = text;
};

/** Shows an error to the user, in the page's element `trouble`. */
export const complain = (error: unknown): void =>
  showText('trouble', error instanceof Error ? error.message : String(error));

/** Calls a function. If it throws, shows the error in the page's element `trouble`. */
export const attempt = (act: () => void): void => {
  try {
    act();
  } catch (error) {
    complain(error);
  }
};

/** Clears the shown error, then calls a function like attempt(). */
export const trying = (act: () => void): void => {
  showText('trouble', '');
  attempt(act);
};

/** True if an element handles keys itself, such as a text field or a list; the page's own keys must then do nothing. */
export const takesKeys = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches('input:not([type=range]), textarea, select, summary');

export const onClick = (id: string, run: () => void): void => byId(id).addEventListener('click', run);

/** Calls a function after each event of a type on the element with an id. Shows its errors in the element `trouble`. */
export const onTry = (id: string, type: 'click' | 'change' | 'input', act: () => void): void =>
  byId(id).addEventListener(type, () => trying(act));

/** Sets the page's additional style sheet, in place of an earlier one. */
export const useStyle = (style: string): void => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  document.adoptedStyleSheets = [sheet];
};

export const pageData = <T>(): T => JSON.parse(byId('data').textContent ?? '') as T;

/** Fetches an address of the server. @throws Error with the server's message, or if the server does not answer */
export const answerOf = async (address: string, init: RequestInit = {}): Promise<Response> => {
  const response = await fetch(address, init).catch(() => {
    throw new Error(init.signal?.aborted ? 'Stopped.' : 'The server does not answer: it has ended.');
  });
  if (!response.ok) throw new Error(await response.text());
  return response;
};

/** Fetches JSON from the server. @throws Error as answerOf() */
export const answerIn = async <T>(address: string, init?: RequestInit): Promise<T> =>
  (await answerOf(address, init)).json();

/**
 * Fetches JSON from the server. Hides the page's note `reading` when it arrives; shows an error there and throws it
 * again.
 * @throws Error as answerOf()
 */
export const fetched = async <T>(address: string): Promise<T> => {
  try {
    const found = await answerIn<T>(address);
    byId('reading').hidden = true;
    return found;
  } catch (error) {
    byId('reading').className = 'bad';
    showText('reading', (error as Error).message);
    throw error;
  }
};

/**
 * Returns the data of a page that contains deflated data, or the address from which they are fetched. Sets the links
 * that come with them.
 * @throws Error if the data cannot be fetched
 */
export const inflated = async <T>(): Promise<T> => {
  const data = pageData<Deflated | { readonly from: string }>();
  const { deflated, links = {} } = 'from' in data ? await fetched<Deflated>(data.from) : data;
  for (const [id, address] of Object.entries(links)) {
    byId(id).setAttribute('href', address);
    byId(id).hidden = false;
  }
  return inflate(deflated);
};

/**
 * Receives events with JSON from an address of the server. Connects only while the page is visible, because browsers
 * limit open streams. Shows the element `lost` while the server is unreachable.
 * @param onNews called with the value of each event
 */
export const listenTo = (address: string, onNews: (news: unknown) => void): void => {
  let events: EventSource | null = null;
  const settle = (): void => {
    events?.close();
    events = null;
    if (document.visibilityState === 'hidden') return;
    events = new EventSource(address);
    events.onmessage = ({ data }) => {
      byId('lost').hidden = true;
      onNews(JSON.parse(data));
    };
    events.onerror = () => {
      byId('lost').hidden = false;
    };
  };
  document.addEventListener('visibilitychange', settle);
  settle();
};
