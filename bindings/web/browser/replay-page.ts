// Script of a replay. Each phase has a step for its position and one for its orders. Moves of units are animated.
import { compileMap } from '../../../engine/internal.js';
import { GLOBAL, type Message, mayRead } from '../../../selfplay/question/message.js';
import { makeBoard } from '../../draw/drawn-board.js';
import { type DrawnOrder, type StandingUnit, unitsOfPhase } from '../../draw/drawn-phase.js';
import { phaseTitle, powerTitle } from '../../draw/titles.js';
import { province } from '../orders/order-clicks.js';
import { unitsIn } from '../orders/written-position.js';
import type { ReplayData, ReplayPhase, ShownCandidate } from '../page-data.js';
import { hashOf } from './address.js';
import { boardPainter } from './board-painter.js';
import { boardView } from './board-view.js';
import { percent, worthText } from './figures.js';
import { type Key, offerKeys } from './keys.js';
import { linkOrders, unitAt } from './order-links.js';
import { button, byId, control, element, inflated, onClick, optionsOf, orderRow, renew, swatch } from './page.js';
import { centersChart, valueChart } from './replay-charts.js';
import { animateMoves, originsIn, spotsOn } from './unit-motion.js';

/** Duration of a step of the replay at speed 1, in milliseconds. */
const STEP_MS = 1500;

interface Step {
  readonly phase: ReplayPhase;
  readonly index: number;
  readonly orders: boolean;
}

type Standing = Pick<StandingUnit, 'power' | 'unit'>;

const data = await inflated<ReplayData>();
const map = compileMap(data.rows);
const drawings = makeBoard(map, data.geometry);
const powers: readonly string[] = map.powerNames;
const steps: Step[] = data.phases.flatMap((phase, index) => {
  const position = { phase, index, orders: false };
  return phase.orders?.length ? [position, { ...position, orders: true }] : [position];
});
const ownedIn = (index: number, power: string): number => data.phases[index].centers?.[power]?.length ?? 0;
const view = boardView(byId('board'));
const draw = boardPainter(view, () => drawings);
const board = view.svg;

/** For each phase, the power that was the last to have a unit in a province, keyed by province. */
const influences: Readonly<Record<string, string>>[] = [];
for (const { units } of data.phases) {
  const seen = unitsIn(units).map(([power, unit]) => [province(unit.slice(2)), power]);
  influences.push({ ...influences.at(-1), ...Object.fromEntries(seen) });
}
let now = -1;
let shownIndex = -1;
/** The power, or the unit (followed through its moves), to whose orders the replay is restricted; null for all. */
let only: string | Standing | null = null;
const onlyPower = (): string | null => (typeof only === 'string' ? only : (only?.power ?? null));
/** Returns the text of a restriction: 'FRANCE' or 'FRANCE A PAR'; null for none. */
const nameOf = (one: string | Standing | null): string | null =>
  one === null || typeof one === 'string' ? one : `${one.power} ${one.unit}`;

// ---- units ----

/**
 * Draws a step of the replay.
 * @param last the step before, if it was shown until now, to animate the moves of units; else null
 */
const showBoard = (step: Step, last: Step | null): void => {
  const { phase, index, orders } = step;
  const origins = originsIn(last?.orders ? (last.phase.orders ?? []) : []);
  if (only !== null && typeof only !== 'string' && last?.index !== index) {
    const was = nameOf(only);
    const isIt = (one: Standing): boolean => (origins.get(nameOf(one) ?? '') ?? nameOf(one)) === was;
    only = unitsOfPhase(phase).find(isIt) ?? null;
  }
  const before = spotsOn(board);
  draw(map, orders ? phase : { ...phase, orders: [] }, { influence: influences[index], weighed: weighedIn(phase) });
  for (const arrow of board.querySelectorAll('.weighed .order'))
    if (set !== null && phase.search[arrow.getAttribute('data-power') ?? '']?.includes(set))
      arrow.classList.add('picked');
  if (last?.index !== index) animateMoves(board, before, origins);
};

// ---- orders ----

/** Powers whose order sets are unfolded in the list. */
const opened = new Set<string>();
/** The order set that the user has picked, drawn alone for its power; null for all sets. */
let set: ShownCandidate | null = null;

/**
 * Returns the orders of the order sets that are drawn, each once, with the summed probability of its sets. Empty if the
 * user has switched them off.
 */
const weighedIn = ({ search }: ReplayPhase): DrawnOrder[] => {
  const shownPower = onlyPower();
  return Object.entries(search).flatMap(([power, sets]): DrawnOrder[] => {
    if (!control('arrows').checked || sets.length < 2 || (shownPower ?? power) !== power) return [];
    const shares = new Map<string, number>();
    for (const { orders, probability } of sets)
      for (const order of orders) shares.set(order, (shares.get(order) ?? 0) + probability);
    const picked = set !== null && sets.includes(set) ? set.orders : [...shares.keys()];
    return [...shares].flatMap(([order, share]) =>
      picked.includes(order) ? [{ power, order, share: Math.min(1, share) }] : [],
    );
  });
};

const searchList = (power: string, list: readonly ShownCandidate[]): HTMLElement => {
  const summary = element('summary', {}, 'Candidates of its search: frequency, value, orders');
  const lines = list.map((one) => {
    const { orders, probability, value, error } = one;
    const choose = (): void => {
      set = set === one ? null : one;
      for (const other of byId('orders').querySelectorAll('.set'))
        other.setAttribute('aria-pressed', String(other === pickSet && set !== null));
      showBoard(steps[now], steps[now]);
      showFilter(steps[now].phase);
    };
    const pickSet = button('', choose, { class: 'plain set', 'aria-pressed': `${set === one}` });
    pickSet.append(element('b', {}, percent(probability, 1)), `${worthText(value, error, 3)}: ${orders.join(', ')}`);
    return element('li', {}, pickSet);
  });
  const made = element('details', { class: 'share', open: opened.has(power) }, summary, element('ol', {}, ...lines));
  made.addEventListener('toggle', () => (made.open ? opened.add(power) : opened.delete(power)));
  return made;
};

/** True if an order passes the restriction: an order of the power, or one that concerns the province of the unit. */
const isShown = ({ power, order, unit }: DrawnOrder): boolean => {
  if (only === null) return true;
  if (typeof only === 'string') return power === only;
  const place = province(only.unit.slice(2));
  return province(unit?.slice(2) ?? '') === place || (order ?? '').split(/[ /]/).includes(place);
};

const pick = (wanted: string | Standing | null): void => {
  only = nameOf(wanted) === nameOf(only) ? null : wanted;
  show(now);
};

const pickUnit = (power: string, unit: string): void => {
  const isThere = unitsOfPhase(steps[now].phase).some((one) => one.power === power && one.unit === unit);
  pick(isThere ? { power, unit } : power);
};

const ordersBlock = (power: string, { orders = [], search }: ReplayPhase): HTMLElement[] => {
  const own = orders.filter((one) => one.power === power && isShown(one));
  const rows = own.map((one) => orderRow(one, ({ unit }) => pickUnit(power, unit ?? '')));
  const weighed = only === null || only === power ? (search[power] ?? []) : [];
  if (rows.length + weighed.length === 0) return [];
  return [
    element('h3', {}, swatch(powers.indexOf(power)), powerTitle(power)),
    element('table', {}, element('tbody', {}, ...rows)),
    ...(weighed.length > 0 ? [searchList(power, weighed)] : []),
  ];
};

const showOrders = (phase: ReplayPhase): void => {
  const list = byId('orders');
  const { scrollTop } = list;
  const blocks = powers.flatMap((power) => ordersBlock(power, phase));
  const none = only === null ? `${data.end}.` : 'No orders in this phase.';
  list.replaceChildren(...(blocks.length > 0 ? blocks : [element('p', {}, none)]));
  list.scrollTop = scrollTop;
};

/** Makes orders and units that do not pass the restriction faint on the board, and shows the restriction. */
const showFilter = ({ orders = [] }: ReplayPhase): void => {
  const shown = new Set([nameOf(only), ...orders.filter(isShown).map(({ power, unit }) => `${power} ${unit}`)]);
  for (const shape of board.querySelectorAll('.order, .mark, .unit')) {
    const isPicked = only === null || only === shape.getAttribute('data-power') || shown.has(unitAt(shape));
    shape.classList.toggle('faint', !isPicked);
  }
  const text = only === null || typeof only === 'string' ? only && powerTitle(only) : only.unit;
  byId('only').hidden = text === null;
  byId('only').replaceChildren(
    `Only ${text}`,
    button('Show all', () => pick(null)),
  );
  const shownPower = onlyPower();
  for (const one of [chart, values]) one?.only(shownPower && powerTitle(shownPower));
};

// ---- messages ----

const partyTitle = (name: string): string => (name === GLOBAL ? 'all' : powerTitle(name));

const messageRow = ({ sender, recipients, round, text, content }: Message): HTMLElement => {
  const head = `${partyTitle(sender)} to ${recipients.map(partyTitle).join(', ')}${round > 0 ? `, round ${round}` : ''}`;
  const more = content === undefined ? [] : [element('code', {}, JSON.stringify(content))];
  return element('p', {}, element('b', {}, head), element('span', {}, text), ...more);
};

const showMessages = ({ messages = [] }: ReplayPhase): void => {
  const { value: reader } = control('reader');
  const shown = messages.filter((message) => reader === '' || mayRead(message, reader));
  byId('messages').replaceChildren(...shown.map(messageRow));
};

const addReaders = (): void => {
  byId('reader').append(...optionsOf(powers, (name) => `${powerTitle(name)} may read`));
  byId('reader').addEventListener('change', () => showMessages(steps[now].phase));
  byId('press').hidden = data.phases.every(({ messages }) => messages === undefined);
};

const showPowers = (index: number): void => {
  const lists = powers.map((name, q) => {
    const [count, brief, { code }] = [ownedIn(index, name), data.briefs[q], drawings.looks[q]];
    const title = `${code === null ? '' : `${code} `}${powerTitle(name)} `;
    const by = brief === null ? [] : [element('span', { class: 'agent', title: data.agents[q] ?? '' }, brief)];
    const state = { class: count === 0 && 'out', 'aria-pressed': `${only === name}` };
    const made = button('', () => pick(name), state);
    made.append(swatch(q), title, element('b', {}, String(count)), ...by);
    return made;
  });
  renew(byId('powers'), lists);
};

// ---- steps ----

/**
 * Returns the agents for continuing the game, keyed by power: a human for the power to which the replay is restricted,
 * and the agents of the game for the other powers. Powers of unknown agents are left out.
 */
const seatsNow = (): Record<string, string> =>
  Object.fromEntries(
    powers.flatMap((name, q) => {
      const agent = name === onlyPower() ? 'human' : data.agents[q];
      return agent === null ? [] : [[name, agent]];
    }),
  );

/** Updates the page's links to the board page, so that they lead to the position of a step. */
const linkPosition = ({ phase }: Step): void => {
  const { units, centers, retreats, orders = [] } = phase;
  const texts: Record<string, string[]> = {};
  for (const { power, order } of orders) if (order !== null) texts[power] = [...(texts[power] ?? []), order];
  const waiting = phase.phase.endsWith('R') && { retreats };
  const { map, rules } = data;
  const position = { map, rules, phase: phase.phase, units, centers, ...waiting };
  for (const [id, taken] of [
    ['edit', { ...position, orders: texts }],
    ['compare', { ...position, orders: texts, agents: ['dumbbot', 'reply'] }],
    ['go-on', { ...position, seats: seatsNow() }],
  ] as const) {
    const link = document.getElementById(id);
    if (link === null) continue;
    const [page] = (link.getAttribute('href') ?? '').split('#');
    link.setAttribute('href', page + hashOf(taken));
    link.hidden = phase.phase === 'COMPLETED';
  }
};

const titleOf = ({ phase, orders }: Step): string => phaseTitle(phase.phase) + (orders ? ': orders' : '');

/**
 * Returns the part of the address from the # on for a step and the restriction: '#F1901M', with '&at=position' for the
 * position before its orders, and '&only=FRANCE A PAR'.
 */
const addressOf = ({ phase, orders }: Step): string => {
  const at = !orders && phase.orders?.length ? '&at=position' : '';
  const who = nameOf(only);
  return `#${phase.phase}${at}${who === null ? '' : `&only=${encodeURIComponent(who)}`}`;
};

/** Writes a step and the restriction into the address. Ignores errors, because browsers limit changes per second. */
const address = (step: Step): void => {
  const wanted = addressOf(step);
  if (location.hash === wanted) return;
  try {
    history.replaceState(null, '', wanted);
  } catch {}
};

const readAddress = (): void => {
  const [phase, ...rest] = location.hash.slice(1).split('&');
  const fields = new URLSearchParams(rest.join('&'));
  const first = steps.findIndex((step) => step.phase.phase === phase);
  const isAfter = steps[first + 1]?.index === steps[first]?.index && fields.get('at') !== 'position';
  only = null;
  if (first >= 0 || now < 0) show(Math.max(0, first) + (first >= 0 && isAfter ? 1 : 0));
  const [power = '', ...unit] = (fields.get('only') ?? '').split(' ');
  if (powers.includes(power)) pickUnit(power, unit.join(' '));
};

const goTo = (index: number): void => go(steps.findIndex((step) => step.index === index));
const chart = centersChart(byId('chart'), map, data.phases, goTo);
const values = valueChart(byId('values'), map, data.phases, goTo);
byId('weighing').hidden = data.phases.every(({ search }) => Object.values(search).every(({ length }) => length < 2));

const show = (at: number): void => {
  const step = steps[at];
  const { phase, index } = step;
  const last = at === now + 1 && now >= 0 ? steps[now] : null;
  showBoard(step, last);
  if (shownIndex !== index) {
    shownIndex = index;
    showMessages(phase);
  }
  linkPosition(step);
  showPowers(index);
  showOrders(phase);
  showFilter(phase);
  const title = titleOf(step);
  byId('phase').textContent = title;
  const counts = powers.map((name) => `${powerTitle(name)} ${ownedIn(index, name)}`).join(', ');
  board.setAttribute('aria-label', `Board in ${title}. Centres: ${counts}`);
  const slider = control('at');
  slider.value = String(at);
  slider.setAttribute('aria-valuetext', title);
  chart.show(index);
  values?.show(index);
  now = at;
  address(step);
};

// ---- controls ----

let timer: ReturnType<typeof setInterval> | null = null;

const stop = (): void => {
  if (timer !== null) clearInterval(timer);
  timer = null;
  byId('play').textContent = 'Play';
};

const tick = (): void => {
  if (now + 1 < steps.length) show(now + 1);
  if (now + 1 >= steps.length) stop();
};

const start = (): void => {
  if (now + 1 >= steps.length) show(0);
  timer = setInterval(tick, STEP_MS / Number(control('speed').value));
  byId('play').textContent = 'Pause';
};

const go = (at: number): void => {
  stop();
  show(Math.max(0, Math.min(steps.length - 1, at)));
};

/** Returns the index of the first step of the next (by = 1) or previous (by = -1) year. */
const yearFrom = (by: number): number => {
  const yearOf = ({ phase }: Step): string => phase.phase.slice(1, -1);
  let at = now;
  while (steps[at + by] !== undefined && yearOf(steps[at]) === yearOf(steps[now])) at += by;
  while (by < 0 && steps[at - 1] !== undefined && yearOf(steps[at - 1]) === yearOf(steps[at])) at--;
  return at;
};

const togglePlay = (): void => {
  if (timer === null) start();
  else stop();
};

const keys: readonly Key[] = [
  ['←  →', 'step back, step on', 'ArrowLeft', () => go(now - 1)],
  ['', '', 'ArrowRight', () => go(now + 1)],
  ['Space', 'play, pause', ' ', togglePlay],
  ['Home  End', 'start, end', 'Home', () => go(0)],
  ['', '', 'End', () => go(steps.length - 1)],
  ['Page Up  Page Down', 'a year back, a year on', 'PageUp', () => go(yearFrom(-1))],
  ['', '', 'PageDown', () => go(yearFrom(1))],
  ['C', 'show or hide the candidates of the search', 'c', () => byId('arrows').click()],
  ['+  −  0, Shift and arrows', 'zoom and move the board', '', () => {}],
  ['▨', 'a pattern for each power, for print and for who sees few colours', '', () => {}],
  ['Click', 'on a power or a unit: its orders alone', '', () => {}],
];

addReaders();
byId('arrows').addEventListener('change', () => show(now));
control('at').max = String(steps.length - 1);
byId('at').addEventListener('input', () => go(Number(control('at').value)));
const buttons = { play: ' ', first: 'Home', back: 'ArrowLeft', on: 'ArrowRight', last: 'End' };
for (const [id, key] of Object.entries(buttons)) onClick(id, () => keys.find(([, , name]) => name === key)?.[3]());
byId('speed').addEventListener('change', () => {
  if (timer === null) return;
  stop();
  start();
});
offerKeys(keys);
addEventListener('hashchange', () => {
  stop();
  readAddress();
});
board.addEventListener('click', ({ target }) => {
  const shape = target instanceof Element ? target.closest('[data-unit]') : null;
  const power = shape?.getAttribute('data-power');
  if (shape && power) pickUnit(power, shape.getAttribute('data-unit') ?? '');
  else if (only !== null) pick(null);
});
linkOrders(board, byId('orders'));
readAddress();
