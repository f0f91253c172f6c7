// Controls the section Analysis: a search whose order sets are listed while it runs, drawn as arrows and previewed.
import type { DrawnOrder } from '../../draw/drawn-phase.js';
import { powerTitle } from '../../draw/titles.js';
import { positionIn } from '../orders/written-position.js';
import type { SearchAnswer, SearchQuestion, ShownCandidate } from '../page-data.js';
import type { BoardState } from './board-state.js';
import { figure, percent, plusMinus, worthText } from './figures.js';
import { orderedIn, withOrder, withoutOrder } from './order-text.js';
import { button, byId, control, element, onClick, renew, swatch, trying } from './page.js';
import { type PlotPoint, plotOf } from './plot.js';
import { setTeller } from './result-list.js';

/** Largest number of order sets that are shown for each power. */
const TOLD = 5;
/** Least time between updates of the list while a search runs, in milliseconds. */
const LIST_MS = 150;
/** Number of rollouts of the search that starts by itself when the section is opened. */
const FIRST_ROLLOUTS = 2000;
/** Least probability of an order that is drawn on the board. */
const LEAST_SHARE = 0.05;

/** Order sets that a search has found. */
export type FoundSets = Pick<SearchAnswer, 'powers' | 'replies'>;

/** Position, map and rules of a search. */
export type Searched = Pick<SearchQuestion, 'position' | 'map' | 'rules'>;

/**
 * Runs a search, and calls `onAnswer` with its results so far and at its end. `signal` ends it. @throws Error if the
 * search fails
 */
export type SearchDriver = (
  question: SearchQuestion,
  onAnswer: (answer: SearchAnswer) => void,
  signal: AbortSignal,
) => Promise<void>;

export interface SearchPanel {
  /** Starts a search, unless there is a result or one is running. Called when the section is opened. */
  readonly begin: () => void;
  /**
   * Ends the search and clears its results if the position has changed. Called after each change of the board's state.
   */
  readonly settle: () => void;
  /**
   * Returns the found orders of powers without written orders, to draw them as arrows; `share` is their probability.
   * Empty for another position.
   * @param isOrdered returns true for a power with written orders
   */
  readonly arrows: (isOrdered: (power: string) => boolean) => readonly DrawnOrder[];
}

/** Elements of a power in the section: the list of its order sets, and the element that unfolds to their plot. */
type FoundBlock = readonly [list: HTMLElement, plot: HTMLDetailsElement];

const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
  [...a].sort().join() === [...b].sort().join();

const setKey = (power: string, { orders }: ShownCandidate): string => `${power}: ${orders.join(', ')}`;

/**
 * Makes the section Analysis.
 * @param driver runs searches; null if the page cannot search
 * @param fixed result of a search that was made before the page, with its position; null for none
 * @param preview shows orders of a power on the board; null ends the preview
 * @param onFound called after new results were listed
 */
export const searchPanel = (
  table: BoardState,
  driver: SearchDriver | null,
  fixed: (FoundSets & { readonly at: Searched }) | null,
  preview: (orders: readonly DrawnOrder[] | null) => void,
  onFound: () => void,
): SearchPanel => {
  /** Aborts the search that is running; null for none. */
  let searching: AbortController | null = null;
  /** Text that identifies the searched position; '' before the first search. */
  let searched = '';
  let found: SearchAnswer | null = null;
  let blocks = new Map<string, FoundBlock>();
  /** Value of each order set after growing numbers of rollouts, keyed by setKey(). */
  let courses = new Map<string, PlotPoint[]>();
  let listedAt = 0;

  const asked = (): Searched => {
    const { map, rules, turn } = table.state;
    return { position: positionIn(turn), map, rules };
  };
  const key = (): string => JSON.stringify(asked());

  const showStatus = (text: string, kind = 'dim'): void =>
    byId('searched').replaceChildren(element('span', { class: kind }, text));

  const showSearching = (is: boolean): void => {
    byId('search').hidden = is;
    for (const id of ['halt', 'progress']) byId(id).hidden = !is;
    control('progress').value = '0';
  };

  const note = ({ rollouts, powers }: SearchAnswer): void => {
    for (const [power, sets] of Object.entries(powers))
      for (const set of sets) {
        const points = courses.get(setKey(power, set)) ?? [];
        courses.set(setKey(power, set), points);
        const { value, error } = set;
        if (value !== null) points.push({ x: rollouts, y: value, error, text: plusMinus([value, error], 4) });
      }
  };

  /** Writes an order set in place of the power's written orders. If it is written already, removes it. */
  const use = (power: string, orders: readonly string[]): void => {
    const { map, state } = table;
    const own = table.written.orders[power] ?? [];
    const cleared = own.reduce((text, order) => withoutOrder(map, text, orderedIn(map, order) ?? ''), state.text);
    const text = isSameSet(own, orders)
      ? cleared
      : orders.reduce((before, order) => withOrder(map, before, power, order), cleared);
    table.change({ text });
  };

  const line = (power: string, set: ShownCandidate, orders: readonly (Node | string)[]): HTMLElement => {
    const { probability, value, error } = set;
    const own = table.written.orders[power] ?? [];
    const take = button('Use', () => trying(() => use(power, set.orders)), {
      ...{ 'data-set': setKey(power, set), 'aria-pressed': `${isSameSet(own, set.orders)}` },
    });
    const bar = element('span', { class: `share p${table.map.powerNames.indexOf(power)}` });
    bar.style.width = `${Math.max(0.5, 100 * probability).toFixed(1)}%`;
    return element(
      'li',
      { 'data-set': setKey(power, set) },
      `${percent(probability, 1)}${worthText(value, error, 3)}: `,
      ...orders,
      ' ',
      take,
      bar,
    );
  };

  /** Plots the course of the values of order sets in an element. Draws only the latest standard error of each. */
  const plotSets = (power: string, sets: readonly ShownCandidate[], plot: HTMLElement): void => {
    const lines = sets.flatMap((set, i) => {
      const points = courses.get(setKey(power, set)) ?? [];
      const drawn = points.map((one, at) => (at + 1 < points.length ? { ...one, error: null } : one));
      return points.length === 0 ? [] : [{ name: String(i + 1), points: drawn }];
    });
    const title = 'Value of each order set, by its number in the list';
    const [summary] = plot.children;
    const drawn = { title, unit: 'rollouts', lines, xText: figure, height: 200 };
    plot.replaceChildren(summary, ...(lines.length > 0 ? [plotOf(drawn).figure] : []));
  };

  const blockOf = (power: string, isReply: boolean): FoundBlock => {
    const known = blocks.get(power);
    if (known !== undefined) return known;
    const [list, plot] = [element('ol'), element('details', {}, element('summary', {}, 'Value against effort'))];
    plot.addEventListener('toggle', () => listSets());
    plot.hidden = isReply || fixed !== null;
    blocks.set(power, [list, plot]);
    const title = powerTitle(power) + (isReply ? ' (expected replies)' : '');
    byId('found').append(element('h3', {}, swatch(table.map.powerNames.indexOf(power)), title), list, plot);
    return [list, plot];
  };

  /**
   * Shows the value of the position to each power as parts of a bar. Hides the bar unless the search was for several
   * powers.
   */
  const showValues = ({ powers }: FoundSets): void => {
    const worth = Object.entries(powers).map(([power, sets]): [string, number] => {
      const known = sets.filter(({ value }) => value !== null);
      const weight = known.reduce((sum, { probability }) => sum + probability, 0);
      const mean = known.reduce((sum, { probability, value }) => sum + probability * (value ?? 0), 0) / weight;
      return [power, weight > 0 ? Math.max(0, mean) : 0];
    });
    const sum = worth.reduce((before, [, value]) => before + value, 0);
    const isShown = sum > 0 && worth.filter(([, value]) => value > 0).length > 1;
    byId('bar').hidden = !isShown;
    if (!isShown) return;
    const parts = worth.map(([power, value]) => {
      const part = element('span', {
        class: `p${table.map.powerNames.indexOf(power)}`,
        title: `${powerTitle(power)} ${percent(value / sum, 0)}`,
      });
      part.style.width = `${(100 * value) / sum}%`;
      return part;
    });
    byId('bar').replaceChildren(...parts);
    const words = worth.map(([power, value]) => `${powerTitle(power)} ${percent(value / sum, 0)}`);
    byId('bar').setAttribute('aria-label', `Value by power: ${words.join(', ')}`);
  };

  const sets = (): FoundSets | null => fixed ?? found;

  const listSets = (): void => {
    const shown = sets();
    if (shown === null) return;
    listedAt = performance.now();
    const { powers, replies } = shown;
    const ordersOf = setTeller(table.state.turn, table.map, table.rules, { ...replies, ...powers });
    for (const [power, all] of Object.entries({ ...powers, ...replies })) {
      if (all.every(({ orders }) => orders.length === 0)) continue;
      const [list, plot] = blockOf(power, !Object.hasOwn(powers, power));
      const told = fixed === null ? all.slice(0, TOLD) : all;
      renew(
        list,
        told.map((set) => line(power, set, ordersOf(power, set))),
      );
      if (plot.open) plotSets(power, told, plot);
    }
    showValues(shown);
  };

  const hear = (answer: SearchAnswer): void => {
    found = answer;
    note(answer);
    control('progress').value = String(answer.done);
    if (performance.now() - listedAt < LIST_MS) return;
    listSets();
    onFound();
  };

  /**
   * Lists the final results of a search, and says how it ended.
   * @param isStopped true if the user stopped it
   * @param wrong error with which it failed; null for none
   */
  const tellEnd = (isStopped: boolean, wrong: unknown): void => {
    listSets();
    onFound();
    const { rollouts = 0, depth = 0 } = found ?? {};
    const text = `${figure(rollouts)} rollouts of ${depth} phase-step${depth === 1 ? '' : 's'}`;
    if (isStopped) showStatus(found === null ? 'Stopped.' : `Stopped: ${text}`);
    else if (wrong === null) showStatus(text);
    else showStatus((wrong as Error).message, 'bad');
  };

  const clear = (): void => {
    searching?.abort();
    [found, blocks, courses, listedAt] = [null, new Map(), new Map(), 0];
    for (const id of ['found', 'searched']) byId(id).replaceChildren();
    byId('bar').hidden = true;
    preview(null);
  };

  const start = async (rollouts: number): Promise<void> => {
    if (driver === null) return;
    clear();
    const controller = new AbortController();
    const { signal } = controller;
    searching = controller;
    searched = key();
    const power = control('seek').value;
    const numbers = { rollouts, seed: Math.abs(table.state.seed) };
    showSearching(true);
    showStatus('Searching …');
    const wrong = await driver({ ...asked(), ...numbers, ...(power && { power }) }, hear, signal).then(
      () => null,
      (error: unknown) => error,
    );
    // Ignores a search that another one has replaced, or whose position is no longer shown.
    if (searching !== controller) return;
    searching = null;
    showSearching(false);
    if (searched === key()) tellEnd(signal.aborted, wrong);
  };

  /** Returns the order set of an element in the list; null for other elements. */
  const setAt = (target: EventTarget | null): readonly DrawnOrder[] | null => {
    const at = target instanceof Element ? target.closest('li')?.getAttribute('data-set') : null;
    for (const [power, all] of Object.entries({ ...sets()?.powers, ...sets()?.replies }))
      for (const set of all) if (setKey(power, set) === at) return set.orders.map((order) => ({ power, order }));
    return null;
  };
  for (const type of ['pointerover', 'focusin'])
    byId('found').addEventListener(type, ({ target }) => preview(setAt(target)));
  for (const type of ['pointerleave', 'focusout']) byId('found').addEventListener(type, () => preview(null));
  onClick('search', () => void start(Number(control('rollouts').value)));
  onClick('halt', () => searching?.abort());
  byId('searching').hidden = driver === null;
  if (fixed !== null) searched = JSON.stringify(fixed.at);

  return {
    begin: () => {
      if (sets() === null && searching === null && table.legal.length > 0) void start(FIRST_ROLLOUTS);
    },
    settle: () => {
      if (fixed !== null) {
        // The result holds for one position only.
        byId('found').hidden = searched !== key();
        if (!byId('found').hidden) listSets();
        byId('bar').hidden ||= byId('found').hidden;
      } else if (searched !== key()) clear();
      else listSets();
    },
    arrows: (isOrdered) => {
      if (searched !== key()) return [];
      const shares = new Map<string, { power: string; order: string; share: number }>();
      for (const [power, all] of Object.entries({ ...sets()?.powers, ...sets()?.replies }))
        if (!isOrdered(power))
          for (const { orders, probability } of all)
            for (const order of orders) {
              const before = shares.get(`${power} ${order}`)?.share ?? 0;
              shares.set(`${power} ${order}`, { power, order, share: before + probability });
            }
      return [...shares.values()].filter(({ share }) => share >= LEAST_SHARE).sort((a, b) => a.share - b.share);
    },
  };
};
