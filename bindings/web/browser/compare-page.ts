// Compares agents in a position: what each orders and how often, what that is worth, and what comes of it. The agents answer
// in a worker, or on the server where it plays them. The address has the position, the agents and the samples.
import { type CompiledMap, hasOrders, newGame } from '../../../engine/internal.js';
import { adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import { type ByPower, formatPosition, parsePosition } from '../../../engine/notation/json/position.js';
import { type RuleSet, ruleSetByName } from '../../../engine/notation/text/index.js';
import type { DrawnOrder } from '../../draw/drawn-phase.js';
import { answeredOrders } from '../../draw/read-phase.js';
import { phaseTitle, powerTitle } from '../../draw/titles.js';
import type { AskedGame } from '../orders/asked-game.js';
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
import { positionIn, readWrittenPosition, type WrittenPosition } from '../orders/written-position.js';
import type { FoundValues, PositionPageData } from '../page-data.js';
import { pageAddress } from './address.js';
import { boardPainter } from './board-painter.js';
import { boardView } from './board-view.js';
import { briefName, plusMinus, worthText } from './figures.js';
import { linkOrders } from './order-links.js';
import { readWritten } from './order-text.js';
import {
  attempt,
  button,
  byId,
  cell,
  complain,
  control,
  element,
  onClick,
  orderRow,
  pageData,
  renew,
  row,
  say,
  trying,
} from './page.js';
import { pageMaps } from './page-maps.js';
import { AgentWorker, agentSelect, askAll } from './play-agents.js';

const MOST_AGENTS = 6;
const MOST_NAME = 300;
const MOST_SAMPLES = 512;
/** Order sets of an agent that are listed with their values. */
const LISTED = 4;
const MOST_DIFFERENCES = 14;
/** A difference between shares that is told. */
const LEAST = 0.1;
/** Milliseconds between two drawings of the boards while answers come in. */
const REDRAW_MS = 400;

const { own, ownAgents, agents: serverAgents, position: recorded } = pageData<PositionPageData>();
const { ownOf, mapNamed } = pageMaps(own);
const start = own?.name ?? 'standard';

let map: CompiledMap = mapNamed(start);
let rules: RuleSet = ruleSetByName('datc-3.2');
let position: WrittenPosition = {
  ...{ map: start, rules: 'datc-3.2', orders: '' },
  ...formatPosition(newGame(map, rules.adjudication)),
};
let agents: string[] = ['dumbbot', 'reply'];
/** Powers with something to order, and the one that agents are asked for; '' for all of them. */
let ordering: readonly string[] = [];
let power = 'any';
let [samples, seed] = [32, 1];
let showsResults = false;
let asking: AbortController | null = null;
let expected: ByPower = {};

/** What an agent has answered. */
interface Found {
  /** By power, each answer with orders for every unit. */
  readonly answers: Record<string, (readonly string[])[]>;
  readonly times: number[];
  /** By power: the order sets that are listed, with what they are worth. */
  readonly sets: Record<string, (SharedSet & { readonly value: number | null; readonly error: number | null })[]>;
  trouble: string;
}
let found: Found[] = [];

const worker = new AgentWorker();

/** The powers that agents are asked for. */
const asked = (): readonly string[] => (power === '' ? ordering : ordering.filter((name) => name === power));

// ---- the address ----

const readWhole = (value: unknown, least: number, most: number, otherwise: number): number =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= most ? Number(value) : otherwise;

/** @throws for an address that is no position */
const readAddress = (said: Record<string, unknown>): void => {
  const { retreats, ...rest } = recorded ?? position;
  const base = said.phase === undefined ? { ...rest, ...(rest.phase.endsWith('R') && { retreats }) } : {};
  const next = readWrittenPosition({ ...base, ...said }, mapNamed, position);
  if (next.phase === 'COMPLETED') throw new Error('got the end of a game, wanted a phase with orders');
  [map, rules, position] = [mapNamed(next.map), ruleSetByName(next.rules), next];
  const named = Array.isArray(said.agents) ? said.agents : agents;
  const read = named.filter((one) => typeof one === 'string' && one.length <= MOST_NAME);
  agents = read.length > 0 ? read.slice(0, MOST_AGENTS) : agents;
  power = String(said.power ?? 'any');
  samples = readWhole(said.samples, 1, MOST_SAMPLES, samples);
  seed = readWhole(said.seed, -(2 ** 30), 2 ** 30, seed);
  settle();
};

const address = pageAddress({
  said: () => ({ ...position, ...positionIn(position), agents, power, samples, seed }),
  read: readAddress,
  start: () => {
    attempt(() => readAddress({}));
    if (columns.length === 0) settle();
  },
  onWritten: (written) => document.getElementById('edit')?.setAttribute('href', `editor${location.search}${written}`),
});

// ---- what is shown ----

/** A place for an agent on the page. */
const makeColumn = () => {
  const [holder, head, below] = [element('section', { class: 'column' }), element('h2'), element('div')];
  const board = element('div', { class: 'board' });
  holder.append(head, board, below);
  const view = boardView(board);
  linkOrders(view.svg, below);
  return { holder, view, draw: boardPainter(view), head, below };
};
type Column = ReturnType<typeof makeColumn>;
const columns: Column[] = [];

/** '80 %' */
const often = (share: number): string => `${Math.round(100 * share)} %`;

const showHead = ({ head, holder }: Column, i: number): void => {
  const names = [...new Set([...agents, ...ownAgents, ...serverAgents])];
  const label = { 'aria-label': `Agent ${i + 1}` };
  const select = agentSelect(names, agents[i], label, (agent) => change(agents.with(i, agent)));
  const remove = button('Remove', () => change(agents.toSpliced(i, 1)));
  remove.setAttribute('aria-label', `Remove agent ${i + 1}`);
  head.replaceChildren(select, ...(agents.length > 1 ? [remove] : []));
  holder.setAttribute('aria-label', agents[i]);
};

/** An agent's likeliest orders against those of the others, adjudicated; none while it has given none. */
const outcome = ({ sets }: Found): readonly DrawnOrder[] => {
  const own = Object.entries(sets).map(([name, [first]]) => [name, [...first.orders]]);
  if (own.length === 0) return [];
  const written = (): object => readWritten(map, position.orders, position).orders;
  const others = control('replies').value === 'written' ? written() : expected;
  const record = { ...positionIn(position), orders: { ...others, ...Object.fromEntries(own) } };
  return answeredOrders(position.units, adjudicateRecord(record, map, rules));
};

const factsOf = ({ answers, times, sets }: Found): string => {
  const [[first] = [], ...others] = Object.values(sets);
  const { value = null, error = null } = others.length === 0 && first ? first : {};
  const worth = value === null ? '' : `likeliest orders worth ${plusMinus([value, error], 3)} of the score; `;
  const different = meanOf(Object.values(answers).map((list) => setShares(list).length));
  const median = [...times].sort((a, b) => a - b)[times.length >> 1];
  return `${worth}different answers: ${Number(different.toFixed(1))} of ${times.length}; ${median.toPrecision(2)} ms an answer`;
};

const powerBlock = (of: Found, name: string, told: readonly DrawnOrder[]): HTMLElement[] => {
  const sets = of.sets[name] ?? [];
  const shares = [...orderShares(of.answers[name])].sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = shares.map(([order, share]) => {
    const came = sets[0]?.orders.includes(order) && told.find((one) => one.power === name && one.order === order);
    const unit = order.split(' ').slice(0, 2).join(' ');
    // The focus on it marks it on the board.
    const made = orderRow({ power: name, unit, ...(came || {}), order }, () => {});
    made.children[0].after(cell('n', often(share)));
    return made;
  });
  const lines = sets.map(({ orders, share, value, error }) =>
    element('li', {}, element('b', {}, often(share)), `${worthText(value, error, 3)}: ${orders.join(', ')}`),
  );
  const heads = ['Order', 'Share', 'Likeliest orders: result'].map((text) => element('th', {}, text));
  const table = element('table', {}, element('thead', {}, row(...heads)), element('tbody', {}, ...rows));
  return [element('h3', {}, powerTitle(name)), element('ol', {}, ...lines), table];
};

const paintColumn = ({ view, draw, below }: Column, i: number): void => {
  const of = found[i];
  const told = outcome(of);
  const { phase, units, centers, retreats } = position;
  const shared = Object.entries(of.answers).flatMap(([power, list]) =>
    Array.from(orderShares(list), ([order, share]) => ({ power, order, share })),
  );
  // The rarest first: what is ordered often is drawn over it.
  const orders = showsResults && told.length > 0 ? told : shared.sort((a, b) => a.share - b.share);
  draw(map, { phase, units, centers, retreats, orders });
  view.svg.setAttribute('aria-label', `${agents[i]}: board in ${phaseTitle(phase)}`);
  const facts = of.trouble || (of.times.length > 0 ? factsOf(of) : 'no answer yet');
  const blocks = Object.keys(of.answers).flatMap((name) => powerBlock(of, name, told));
  renew(below, [element('p', { class: of.trouble === '' ? 'dim' : 'bad' }, facts), ...blocks]);
};

/** 'only net: A PAR - BUR 80 %' */
const differenceLines = (): string[] => {
  const names = agents.map(briefName);
  const whole = [...agents.keys()].filter((i) => found[i].trouble === '' && found[i].times.length > 0);
  const of = (i: number, name: string): Answers => found[i].answers[name] ?? [];
  const pairs = whole.flatMap((a, place) =>
    whole.slice(place + 1).map((b) => {
      const distance = meanOf(asked().flatMap((name) => unitDistances(of(a, name), of(b, name))));
      return { distance, text: `${names[a]} and ${names[b]} differ in ${often(distance)} of their orders` };
    }),
  );
  const [most] = pairs.sort((a, b) => b.distance - a.distance);
  if (most === undefined) return ['none yet'];
  const all = asked().flatMap((name) => {
    const answers = whole.map((i) => of(i, name));
    const who = power === '' ? `${powerTitle(name)} ` : '';
    return differencesOf(answers, LEAST).map((one) => ({ ...one, order: who + one.order }));
  });
  const lines = all.sort(furthestFirst).map(({ order, shares, only }) => {
    if (only !== null) return `only ${names[whole[only]]}: ${order} ${often(shares[only])}`;
    return `${order}: ${shares.map((share, i) => `${names[whole[i]]} ${often(share)}`).join(', ')}`;
  });
  const more = lines.length > MOST_DIFFERENCES ? [`and ${lines.length - MOST_DIFFERENCES} more`] : [];
  return [
    most.text + (pairs.length > 1 ? ', more than any other two' : ''),
    ...lines.slice(0, MOST_DIFFERENCES),
    ...more,
  ];
};

const showList = (id: string, lines: readonly string[]): void =>
  renew(
    byId(id),
    lines.map((line) => element('li', {}, line)),
  );

const paint = (): void => {
  for (const i of agents.keys()) paintColumn(columns[i], i);
  showList('differences', differenceLines());
  const others = Object.entries(expected).filter(([name, list]) => list.length > 0 && !asked().includes(name));
  byId('expected').hidden = others.length === 0;
  showList(
    'expected-orders',
    others.map(([name, list]) => `${powerTitle(name)}: ${list.join(', ')}`),
  );
};

/** Takes up what is asked: makes the page anew, and asks. */
const settle = (): void => {
  byId('phase').textContent = phaseTitle(position.phase);
  byId('about').textContent = `Map ${position.map}, rules ${position.rules}`;
  const { game } = parsePosition(positionIn(position), map, rules.adjudication);
  ordering = map.powerNames.filter((_, q) => hasOrders(game, q));
  if (!ordering.includes(power) && power !== '') power = ordering[0] ?? '';
  const options = ordering.map((name) => element('option', { value: name }, powerTitle(name)));
  byId('power').replaceChildren(element('option', { value: '' }, 'All powers'), ...options);
  for (const [id, value] of Object.entries({ power, samples, seed })) control(id).value = String(value);
  byId('replies-as-written').hidden = position.orders === '';
  while (columns.length < agents.length) columns.push(makeColumn());
  byId('columns').replaceChildren(...columns.slice(0, agents.length).map(({ holder }) => holder));
  for (const i of agents.keys()) showHead(columns[i], i);
  control('add').disabled = agents.length >= MOST_AGENTS;
  address.keep();
  void ask();
};

const change = (next: string[]): void =>
  trying(() => {
    agents = next;
    settle();
  });

// ---- questions ----

const askedGame = (of: number): AskedGame => ({
  ...{ map: position.map, rules: position.rules, own: ownOf(map), seed: of },
  ...{ start: positionIn(position), played: [] },
});

/** One more answer of an agent, unless it has failed. */
const askOnce = async (i: number, sample: number, signal: AbortSignal): Promise<void> => {
  const [of, powers] = [found[i], asked()];
  if (of.trouble !== '') return;
  const begin = performance.now();
  const seats = Object.fromEntries(powers.map((name) => [name, agents[i]]));
  try {
    const answer = await askAll(worker, askedGame(seed + sample), seats, serverAgents, signal);
    if (signal.aborted) return;
    of.times.push((performance.now() - begin) / Math.max(1, powers.length));
    for (const name of powers)
      of.answers[name] = [...(of.answers[name] ?? []), wholeOrders(position, name, answer[name] ?? [])];
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

/** What the order sets that are listed are worth, and what is expected of the others. */
const askValues = async (signal: AbortSignal): Promise<void> => {
  for (const name of asked()) {
    const sets = found.flatMap((of) => (of.sets[name] ?? []).map((set) => set.orders));
    if (sets.length === 0) continue;
    const worth = { game: askedGame(seed), power: name, sets };
    const answer = (await worker.ask({ worth })) as FoundValues;
    if (signal.aborted) return;
    let place = 0;
    for (const of of found) of.sets[name] = (of.sets[name] ?? []).map((set) => ({ ...set, ...answer.values[place++] }));
    expected = { ...answer.expected, ...expected };
  }
};

/** Asks every agent as often as is wanted, in turns; what was asked before ends. */
const ask = async (): Promise<void> => {
  stop();
  const mine = new AbortController();
  asking = mine;
  found = agents.map(() => ({ answers: {}, times: [], sets: {}, trouble: '' }));
  expected = {};
  byId('stop').hidden = false;
  byId('progress').setAttribute('max', String(samples * agents.length));
  let drawn = Number.NEGATIVE_INFINITY;
  try {
    for (let done = 0; done < samples * agents.length && !mine.signal.aborted; done++) {
      byId('progress').setAttribute('value', String(done));
      say(`Answers ${Math.floor(done / agents.length)} of ${samples} …`);
      await askOnce(done % agents.length, Math.floor(done / agents.length), mine.signal);
      if (asking !== mine) return;
      if (performance.now() - drawn < REDRAW_MS) continue;
      paint();
      drawn = performance.now();
    }
    listSets();
    paint();
    say('What they are worth …');
    if (!mine.signal.aborted) await askValues(mine.signal);
  } catch (error) {
    if (asking === mine && !mine.signal.aborted) complain(error);
  }
  if (asking !== mine) return;
  asking = null;
  byId('stop').hidden = true;
  byId('progress').setAttribute('value', String(samples * agents.length));
  say(mine.signal.aborted ? 'Stopped.' : `Answers ${samples} of ${samples}.`);
  attempt(paint);
};

const stop = (): void => {
  if (asking === null) return;
  asking.abort();
  worker.stop('Stopped.');
};

// ---- controls ----

for (const id of ['power', 'samples', 'seed'])
  byId(id).addEventListener('change', () =>
    trying(() => {
      power = control('power').value;
      samples = readWhole(Number(control('samples').value), 1, MOST_SAMPLES, samples);
      seed = readWhole(Number(control('seed').value), -(2 ** 30), 2 ** 30, seed);
      settle();
    }),
  );
onClick('add', () => {
  const name = control('agent').value.trim();
  if (name !== '' && name.length <= MOST_NAME) change([...agents, name]);
});
onClick('ask', () => void ask());
onClick('stop', stop);
onClick('results', () => {
  showsResults = !showsResults;
  byId('results').setAttribute('aria-pressed', String(showsResults));
  trying(paint);
});
byId('replies').addEventListener('change', () => trying(paint));

byId('names').replaceChildren(...[...ownAgents, ...serverAgents].map((value) => element('option', { value })));
address.open();
