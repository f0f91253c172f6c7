// Compares agents side by side in the page's position: the orders of each agent, their frequencies, values and results.
import { adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import type { ByPower } from '../../../engine/notation/json/position.js';
import { boardOf } from '../../draw/drawn-board.js';
import type { DrawnOrder } from '../../draw/drawn-phase.js';
import { answeredOrders } from '../../draw/read-phase.js';
import { phaseTitle, powerTitle } from '../../draw/titles.js';
import {
  type Answers,
  differencesOf,
  furthestFirst,
  meanOf,
  orderShares,
  type SharedSet,
  setShares,
  unitDistances,
  wholeOrders,
} from '../orders/order-shares.js';
import { positionIn } from '../orders/written-position.js';
import type { FoundValues } from '../page-data.js';
import { boardPainter } from './board-painter.js';
import { type BoardState, COMPARED, MOST_AGENTS, MOST_SAMPLES } from './board-state.js';
import { boardView } from './board-view.js';
import { briefName, plusMinus, worthText } from './figures.js';
import { linkOrders } from './order-links.js';
import {
  attempt,
  button,
  byId,
  cell,
  control,
  element,
  onClick,
  onTry,
  optionsOf,
  orderRow,
  renew,
  row,
  trying,
} from './page.js';
import { type AgentWorker, agentSelect, askAll } from './play-agents.js';

/** Number of an agent's order sets that are listed with their values, for each power. */
const LISTED = 4;
const MOST_DIFFERENCES = 14;
/** Least difference between the shares of an order that is listed as a difference. */
const LEAST = 0.1;
/** Time between redraws of the boards while answers arrive, in milliseconds. */
const REDRAW_MS = 400;

/** Answers of an agent so far. */
interface Found {
  /** Order sets of all answers, keyed by power. Each has an order for every unit. */
  readonly answers: Record<string, (readonly string[])[]>;
  readonly times: number[];
  /** Most frequent order sets with their shares and values, keyed by power. Values are null until they are computed. */
  readonly sets: Record<string, (SharedSet & { readonly value: number | null; readonly error: number | null })[]>;
  trouble: string;
}

/** Makes the column of an agent: a heading, a board and the list below it. */
const makeColumn = () => {
  const [holder, head, below] = [element('section', { class: 'column' }), element('h2'), element('div')];
  const board = element('div', { class: 'board' });
  holder.append(head, board, below);
  const view = boardView(board);
  linkOrders(view.svg, below);
  return { holder, view, draw: boardPainter(view, boardOf), head, below };
};
type Column = ReturnType<typeof makeColumn>;

/** Returns a share as percent: '80 %'. */
const often = (share: number): string => `${Math.round(100 * share)} %`;

const factsOf = ({ answers, times, sets }: Found): string => {
  const [[first] = [], ...others] = Object.values(sets);
  const { value = null, error = null } = others.length === 0 && first ? first : {};
  const worth = value === null ? '' : `value of the likeliest orders: ${plusMinus([value, error], 3)} of the score; `;
  const different = meanOf(Object.values(answers).map((list) => setShares(list).length));
  const median = [...times].sort((a, b) => a - b)[times.length >> 1];
  return `${worth}different answers: ${Number(different.toFixed(1))} of ${times.length}; ${median.toPrecision(2)} ms an answer`;
};

const showList = (id: string, lines: readonly string[]): void =>
  renew(
    byId(id),
    lines.map((line) => element('li', {}, line)),
  );

/**
 * Makes the panel of a comparison.
 * @param names agents to choose from
 * @param ofServer names of the agents that the server plays
 * @param worker plays the other agents
 * @returns settle(), which must be called after each change of the board's state
 */
export const comparePanel = (
  table: BoardState,
  names: readonly string[],
  ofServer: readonly string[],
  worker: AgentWorker,
): { readonly settle: () => void } => {
  /** `ordering`: powers with orders due. `power`: the power whose orders agents are asked for; '' for all of these. */
  let ordering: readonly string[] = [];
  let power = 'any';
  let showsResults = false;
  let asking: AbortController | null = null;
  let expected: ByPower = {};
  let found: Found[] = [];
  /** Text of the last question, to detect that it has changed. */
  let key = '';
  const columns: Column[] = [];

  const showStatus = (text: string): void => {
    byId('answers').textContent = text;
  };
  /** Returns the powers that agents are asked for, among those with orders due. */
  const asked = (): readonly string[] => (power === '' ? ordering : ordering.filter((name) => name === power));

  const change = (agents: readonly string[]): void => trying(() => table.use({ ...table.state, agents }));

  const showHead = ({ head, holder }: Column, i: number): void => {
    const { agents } = table.state;
    const label = { 'aria-label': `Agent ${i + 1}` };
    const offered = [...new Set([...agents, ...names])];
    const select = agentSelect(offered, agents[i], label, (agent) => change(agents.with(i, agent)));
    const says = { 'aria-label': `Remove agent ${i + 1}` };
    head.replaceChildren(
      select,
      button('Remove', () => change(agents.toSpliced(i, 1)), says),
    );
    holder.setAttribute('aria-label', agents[i]);
  };

  /**
   * Adjudicates an agent's most frequent orders together with the orders of the other powers. Empty until the agent has
   * answered.
   */
  const outcome = ({ sets }: Found): readonly DrawnOrder[] => {
    const own = Object.entries(sets).map(([name, [first]]) => [name, [...first.orders]]);
    if (own.length === 0) return [];
    const { turn } = table.state;
    const others = control('replies').value === 'written' ? table.written.orders : expected;
    const record = { ...positionIn(turn), orders: { ...others, ...Object.fromEntries(own) } };
    return answeredOrders(turn.units, adjudicateRecord(record, table.map, table.rules));
  };

  const powerBlock = (of: Found, name: string, told: readonly DrawnOrder[]): HTMLElement[] => {
    const sets = of.sets[name] ?? [];
    const shares = [...orderShares(of.answers[name])].sort(([a], [b]) => (a < b ? -1 : 1));
    const rows = shares.map(([order, share]) => {
      const came = sets[0]?.orders.includes(order) && told.find((one) => one.power === name && one.order === order);
      const unit = order.split(' ').slice(0, 2).join(' ');
      // The row has a button, so that its focus marks the order on the board.
      const made = orderRow({ power: name, unit, ...(came || {}), order }, () => {});
      made.children[0].after(cell('n', often(share)));
      return made;
    });
    const lines = sets.map(({ orders, share, value, error }) =>
      element('li', {}, element('b', {}, often(share)), `${worthText(value, error, 3)}: ${orders.join(', ')}`),
    );
    const heads = ['Order', 'Frequency', 'Likeliest orders: result'].map((text) => element('th', {}, text));
    const made = element('table', {}, element('thead', {}, row(...heads)), element('tbody', {}, ...rows));
    return [element('h3', {}, powerTitle(name)), element('ol', {}, ...lines), made];
  };

  const paintColumn = ({ view, draw, below }: Column, i: number): void => {
    const of = found[i];
    const told = outcome(of);
    const { phase, units, centers, retreats } = table.state.turn;
    const shared = Object.entries(of.answers).flatMap(([name, list]) =>
      Array.from(orderShares(list), ([order, share]) => ({ power: name, order, share })),
    );
    // Sorts the rarest first, so that frequent orders are drawn on top.
    const orders = showsResults && told.length > 0 ? told : shared.sort((a, b) => a.share - b.share);
    draw(table.map, { phase, units, centers, retreats, orders });
    view.svg.setAttribute('aria-label', `${table.state.agents[i]}: board in ${phaseTitle(phase)}`);
    const facts = of.trouble || (of.times.length > 0 ? factsOf(of) : 'no answer yet');
    const blocks = Object.keys(of.answers).flatMap((name) => powerBlock(of, name, told));
    renew(below, [element('p', { class: of.trouble === '' ? 'dim' : 'bad' }, facts), ...blocks]);
  };

  /** Returns lines that describe differences between the agents, such as 'only net: A PAR - BUR 80 %'. */
  const differenceLines = (): string[] => {
    const brief = table.state.agents.map(briefName);
    const good = [...brief.keys()].filter((i) => found[i].trouble === '' && found[i].times.length > 0);
    const of = (i: number, name: string): Answers => found[i].answers[name] ?? [];
    const pairs = good.flatMap((a, place) =>
      good.slice(place + 1).map((b) => {
        const distance = meanOf(asked().flatMap((name) => unitDistances(of(a, name), of(b, name))));
        return { distance, text: `${brief[a]} and ${brief[b]} differ in ${often(distance)} of their orders` };
      }),
    );
    const [most] = pairs.sort((a, b) => b.distance - a.distance);
    if (most === undefined) return ['none yet'];
    const all = asked().flatMap((name) => {
      const who = power === '' ? `${powerTitle(name)} ` : '';
      return differencesOf(
        good.map((i) => of(i, name)),
        LEAST,
      ).map((one) => ({ ...one, order: who + one.order }));
    });
    const lines = all.sort(furthestFirst).map(({ order, shares, only }) => {
      if (only !== null) return `only ${brief[good[only]]}: ${order} ${often(shares[only])}`;
      return `${order}: ${shares.map((share, i) => `${brief[good[i]]} ${often(share)}`).join(', ')}`;
    });
    const more = lines.length > MOST_DIFFERENCES ? [`and ${lines.length - MOST_DIFFERENCES} more`] : [];
    const head = most.text + (pairs.length > 1 ? ', more than any other two' : '');
    return [head, ...lines.slice(0, MOST_DIFFERENCES), ...more];
  };

  const paint = (): void => {
    for (const i of found.keys()) paintColumn(columns[i], i);
    showList('differences', differenceLines());
    const others = Object.entries(expected).filter(([name, list]) => list.length > 0 && !asked().includes(name));
    byId('expected').hidden = others.length === 0;
    showList(
      'expected-orders',
      others.map(([name, list]) => `${powerTitle(name)}: ${list.join(', ')}`),
    );
  };

  // ---- questions ----

  const gameOf = (seed: number) => ({ ...table.askedGame(), seed, start: positionIn(table.state.turn), played: [] });

  /**
   * Asks an agent for one more answer, and notes it. Does nothing for an agent that has failed.
   * @param i index of the agent
   * @param sample number of the answer, which changes the seed
   */
  const askOnce = async (i: number, sample: number, signal: AbortSignal): Promise<void> => {
    const [of, powers, { agents, seed }] = [found[i], asked(), table.state];
    if (of.trouble !== '') return;
    const begin = performance.now();
    const seats = Object.fromEntries(powers.map((name) => [name, agents[i]]));
    try {
      const { orders, faults, failed } = await askAll(worker, { game: gameOf(seed + sample), seats }, ofServer, signal);
      if (signal.aborted) return;
      // A failed agent would fail again, and an agent that loops would take a minute each time.
      if (failed !== undefined) throw new Error(faults.join('; '));
      of.times.push((performance.now() - begin) / Math.max(1, powers.length));
      for (const name of powers)
        of.answers[name] = [...(of.answers[name] ?? []), wholeOrders(table.state.turn, name, orders[name] ?? [])];
    } catch (error) {
      if (!signal.aborted) of.trouble = error instanceof Error ? error.message : String(error);
    }
  };

  const listSets = (): void => {
    for (const { answers, sets } of found)
      for (const [name, list] of Object.entries(answers))
        sets[name] = setShares(list)
          .slice(0, LISTED)
          .map((set) => ({ ...set, value: null, error: null }));
  };

  /**
   * Computes the values of the listed order sets, and predicts the orders of the other powers. Does nothing after an
   * abort.
   */
  const askValues = async (signal: AbortSignal): Promise<void> => {
    for (const name of asked()) {
      const sets = found.flatMap((of) => (of.sets[name] ?? []).map((set) => set.orders));
      if (sets.length === 0) continue;
      const worth = { game: gameOf(table.state.seed), power: name, sets };
      const answer = (await worker.ask({ worth })) as FoundValues;
      if (signal.aborted) return;
      let place = 0;
      for (const of of found)
        of.sets[name] = (of.sets[name] ?? []).map((set) => ({ ...set, ...answer.values[place++] }));
      expected = { ...answer.expected, ...expected };
    }
  };

  const stop = (): void => {
    if (asking === null) return;
    asking.abort();
    worker.stop('Stopped.');
  };

  /** Asks the agents in turns until each has given `samples` answers, and paints them. Stops earlier questions. */
  const ask = async (): Promise<void> => {
    stop();
    const mine = new AbortController();
    asking = mine;
    const { agents, samples } = table.state;
    found = agents.map(() => ({ answers: {}, times: [], sets: {}, trouble: '' }));
    expected = {};
    byId('halt-agents').hidden = false;
    const count = samples * agents.length;
    byId('asked').setAttribute('max', String(count));
    let drawn = Number.NEGATIVE_INFINITY;
    try {
      for (let done = 0; done < count && !mine.signal.aborted; done++) {
        byId('asked').setAttribute('value', String(done));
        showStatus(`Answers ${Math.floor(done / agents.length)} of ${samples} …`);
        await askOnce(done % agents.length, Math.floor(done / agents.length), mine.signal);
        if (asking !== mine) return;
        if (performance.now() - drawn < REDRAW_MS) continue;
        paint();
        drawn = performance.now();
      }
      listSets();
      paint();
      showStatus('Computing their values …');
      if (!mine.signal.aborted) await askValues(mine.signal);
    } catch (error) {
      if (asking === mine && !mine.signal.aborted)
        for (const of of found) of.trouble ||= String((error as Error).message);
    }
    if (asking !== mine) return;
    asking = null;
    byId('halt-agents').hidden = true;
    byId('asked').setAttribute('value', String(count));
    showStatus(mine.signal.aborted ? 'Stopped.' : `Answers ${samples} of ${samples}.`);
    attempt(paint);
  };

  /** Updates the panel after a change of the board's state. Asks the agents again if the question has changed. */
  const settle = (): void => {
    const { agents, samples, seed, turn, map, rules } = table.state;
    const compares = agents.length > 0;
    byId('columns').hidden = !compares;
    for (const id of ['compare-tools', 'compare-said']) byId(id).hidden = !compares;
    byId('columns').closest('main')?.classList.toggle('compares', compares);
    byId('compare').textContent = compares ? 'Add' : 'Compare';
    control('compare').disabled = agents.length >= MOST_AGENTS;
    ordering = table.map.powerNames.filter((name) => table.hasOrders(name));
    const wished = table.state.power;
    const first = ordering.find((name) => table.isHuman(name)) ?? ordering[0] ?? '';
    power = ordering.includes(wished) || wished === '' ? wished : first;
    byId('power').replaceChildren(...optionsOf(['', ...ordering], (name) => powerTitle(name) || 'All powers'));
    for (const [id, value] of Object.entries({ power, samples })) control(id).value = String(value);
    byId('replies-as-written').hidden = table.state.text === '';
    const wanted = JSON.stringify([agents, power, samples, seed, map, rules, positionIn(turn)]);
    if (!compares) stop();
    if (wanted === key) {
      if (compares) paint();
      return;
    }
    key = wanted;
    if (!compares) return;
    while (columns.length < agents.length) columns.push(makeColumn());
    byId('columns').replaceChildren(...columns.slice(0, agents.length).map(({ holder }) => holder));
    for (const i of agents.keys()) showHead(columns[i], i);
    void ask();
  };

  byId('names').replaceChildren(...optionsOf(names));
  onTry('power', 'change', () => table.use({ ...table.state, power: control('power').value }));
  onTry('samples', 'change', () => {
    const samples = Math.min(Math.max(1, Math.floor(Number(control('samples').value)) || 1), MOST_SAMPLES);
    table.use({ ...table.state, samples });
  });
  onClick('compare', () => {
    const name = control('compared').value.trim();
    const { agents } = table.state;
    // A comparison needs two agents, so adds a default one.
    const first = agents.length === 0 ? (name === '' ? COMPARED : [COMPARED[0], name]) : [...agents, name];
    if (name !== '' || agents.length === 0) change(first);
    control('compared').value = '';
  });
  onClick('ask', () => void ask());
  onClick('halt-agents', stop);
  onClick('board-again', () => change([]));
  onClick('likeliest', () => {
    showsResults = !showsResults;
    byId('likeliest').setAttribute('aria-pressed', String(showsResults));
    trying(paint);
  });
  onTry('replies', 'change', paint);
  byId('comparing').hidden = names.length === 0;
  return { settle };
};
