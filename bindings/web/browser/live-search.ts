// The search of the editor: what the server finds is listed while it searches, with its values against the rollouts.
import { powerTitle } from '../../draw/titles.js';
import type { SearchAnswer, SearchQuestion, ShownCandidate } from '../page-data.js';
import { figure, percent, plusMinus, worthText } from './figures.js';
import { linePlot, type PlotPoint } from './line-plot.js';
import { answerOf, byId, control, element, onClick, renew } from './page.js';
import type { CandidateSets, SetTeller } from './result-list.js';

/** Order sets of a power that are shown. */
const TOLD = 5;
/** Milliseconds between two lists of them. */
const LIST_MS = 150;

export interface SearchedPosition {
  /** What is searched now. */
  readonly asked: () => Pick<SearchQuestion, 'position' | 'map' | 'rules'>;
  readonly address: () => string;
  readonly teller: (sets: CandidateSets) => SetTeller;
  readonly colourOf: (power: string) => HTMLElement;
  readonly use: (power: string, orders: readonly string[]) => void;
}

export interface LiveSearch {
  start(): Promise<void>;
  /** Ends a search of another position, and clears what it has found. */
  settle(): void;
}

/** The list of a power, and what its plot is in. */
type FoundBlock = readonly [list: HTMLElement, plot: HTMLDetailsElement];

const setKey = (power: string, { orders }: ShownCandidate): string => `${power}: ${orders.join(', ')}`;

/** Each line of an answer, as it comes. */
async function* linesOf({ body }: Response): AsyncGenerator<SearchAnswer & { readonly error?: string }> {
  let text = '';
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    const lines = (text + part.value).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line);
  }
  if (text !== '') yield JSON.parse(text);
}

export const liveSearch = ({ asked, address, teller, colourOf, use }: SearchedPosition): LiveSearch => {
  /** Ends the search that is under way; null while none is. */
  let searching: AbortController | null = null;
  /** The position that was searched. */
  let searched = '';
  let found: SearchAnswer | null = null;
  let blocks = new Map<string, FoundBlock>();
  /** By order set, how its value changed with the rollouts of the search. */
  let courses = new Map<string, PlotPoint[]>();
  let listedAt = 0;

  const tell = (text: string, kind = 'dim'): void =>
    byId('searched').replaceChildren(element('span', { class: kind }, text));

  const showSearching = (is: boolean): void => {
    byId('search').hidden = is;
    for (const id of ['stop', 'progress']) byId(id).hidden = !is;
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

  const line = (power: string, set: ShownCandidate, orders: readonly (Node | string)[]): HTMLElement => {
    const { probability, value, error } = set;
    const take = element('button', { type: 'button', 'data-set': setKey(power, set) }, 'Use');
    take.addEventListener('click', () => use(power, set.orders));
    return element('li', {}, `${percent(probability, 1)}${worthText(value, error, 3)}: `, ...orders, ' ', take);
  };

  /** Values of the sets in a list; the error of the last one alone is drawn. */
  const plotSets = (power: string, sets: readonly ShownCandidate[], plot: HTMLElement): void => {
    const lines = sets.flatMap((set, i) => {
      const points = courses.get(setKey(power, set)) ?? [];
      const drawn = points.map((one, at) => (at + 1 < points.length ? { ...one, error: null } : one));
      return points.length === 0 ? [] : [{ name: String(i + 1), points: drawn }];
    });
    const title = 'Value of each order set, by its number in the list';
    const [summary] = plot.children;
    const drawn = { title, unit: 'rollouts', lines, xText: figure, size: [440, 200] } as const;
    plot.replaceChildren(summary, ...(lines.length > 0 ? [linePlot(drawn)] : []));
  };

  const blockOf = (power: string): FoundBlock => {
    const known = blocks.get(power);
    if (known !== undefined) return known;
    const [list, plot] = [element('ol'), element('details', {}, element('summary', {}, 'Value against effort'))];
    plot.addEventListener('toggle', () => found !== null && listSets(found));
    blocks.set(power, [list, plot]);
    byId('found').append(element('h3', {}, colourOf(power), powerTitle(power)), list, plot);
    return [list, plot];
  };

  const listSets = ({ powers, replies }: SearchAnswer): void => {
    listedAt = performance.now();
    const ordersOf = teller({ ...replies, ...powers });
    for (const [power, sets] of Object.entries(powers)) {
      if (sets.every(({ orders }) => orders.length === 0)) continue;
      const [list, plot] = blockOf(power);
      const told = sets.slice(0, TOLD);
      const lines = told.map((set) => line(power, set, ordersOf(power, set)));
      renew(list, lines);
      if (plot.open) plotSets(power, told, plot);
    }
  };

  const hear = async (response: Response): Promise<void> => {
    for await (const answer of linesOf(response)) {
      if (answer.error !== undefined) throw new Error(answer.error);
      found = answer;
      note(answer);
      control('progress').value = String(answer.done);
      if (performance.now() - listedAt >= LIST_MS) listSets(answer);
    }
  };

  /** Tells how a search ended. @param wrong what went wrong; null where nothing did */
  const tellEnd = (isStopped: boolean, wrong: unknown): void => {
    if (found !== null) listSets(found);
    const { rollouts = 0, depth = 0 } = found ?? {};
    const text = `${figure(rollouts)} rollouts of ${depth} phase-step${depth === 1 ? '' : 's'}`;
    if (isStopped) tell(found === null ? 'Stopped.' : `Stopped: ${text}`);
    else if (wrong === null) tell(text);
    else tell((wrong as Error).message, 'bad');
  };

  const key = (): string => JSON.stringify(asked());

  const clear = (): void => {
    searching?.abort();
    [found, blocks, courses, listedAt] = [null, new Map(), new Map(), 0];
    for (const id of ['found', 'searched']) byId(id).replaceChildren();
  };

  const start = async (): Promise<void> => {
    clear();
    const controller = new AbortController();
    const { signal } = controller;
    searching = controller;
    searched = key();
    const power = control('seek').value;
    const numbers = { rollouts: Number(control('rollouts').value), seed: Number(control('seed').value) };
    const question: SearchQuestion = { ...asked(), ...numbers, ...(power && { power }) };
    showSearching(true);
    tell('Searching …');
    const wrong = await answerOf(address(), { method: 'POST', body: JSON.stringify(question), signal })
      .then(hear)
      .then(
        () => null,
        (error: unknown) => error,
      );
    // Nothing is said of one in whose place there is another, or of another position.
    if (searching !== controller) return;
    searching = null;
    showSearching(false);
    if (searched === key()) tellEnd(signal.aborted, wrong);
  };

  onClick('stop', () => searching?.abort());
  return { start, settle: () => void (searched !== key() && clear()) };
};
