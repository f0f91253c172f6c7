// Plays a game: every phase has a step for its position and one for its orders. Units glide from one to the next.
import { GLOBAL, type Message, mayRead } from '../../../selfplay/question/message.js';
import { type DrawnOrder, type StandingUnit, unitsOfPhase } from '../../draw/drawn-phase.js';
import { decodeArcs } from '../../draw/geometry.js';
import { pathsOf, shapesOf } from '../../draw/paths.js';
import { phaseTitle, powerTitle, unitTitle } from '../../draw/titles.js';
import { rowsOf } from '../columns.js';
import type { DrawnReplayPhase, ReplayData, ShownCandidate, StoredReplay } from '../page-data.js';
import { hashOf } from './address.js';
import { boardView } from './board-view.js';
import { percent, worthText } from './figures.js';
import { linkOrders, unitAt } from './order-links.js';
import {
  button,
  byId,
  control,
  drawing,
  element,
  inflated,
  onClick,
  optionsOf,
  orderRow,
  renew,
  swatch,
  takesKeys,
} from './page.js';
import { centersChart, valueChart } from './replay-charts.js';
import { animateMoves, originsIn, spotsOn } from './unit-motion.js';

/** Milliseconds that a step is shown at speed 1. */
const STEP_MS = 1500;

interface Step {
  readonly phase: DrawnReplayPhase;
  readonly index: number;
  readonly orders: boolean;
}

type Standing = Pick<StandingUnit, 'power' | 'unit'>;

const stored = await inflated<StoredReplay>();
const data: ReplayData = { ...stored, phases: rowsOf<DrawnReplayPhase>(stored.columns, stored.phaseCount) };
const steps: Step[] = data.phases.flatMap((phase, index) => {
  const position = { phase, index, orders: false };
  return phase.orders?.length ? [position, { ...position, orders: true }] : [position];
});
const wet = new Set(data.wet);
const paths = [...pathsOf(shapesOf(decodeArcs(data), (area) => wet.has(area))), ...data.paths];
const ownedIn = (index: number, power: string): number => data.phases[index].centers?.[power]?.length ?? 0;

const layers = ['ground', 'centers', 'weighed', 'orders', 'names', 'units', 'marks'].map((name) =>
  drawing('g', { class: name }),
);
const [ground, dots, weighed, lines, names, units, marks] = layers;
const view = boardView(byId('board'));
view.useMap(data.board);
const board = view.svg;
board.append(...layers);
names.innerHTML = data.names;

const province = (place: string): string => place.split('/')[0];
let now = -1;
let shownIndex = -1;
/** Whose orders are shown alone: a power, or a unit wherever it goes. */
let only: string | Standing | null = null;
const onlyPower = (): string | null => (typeof only === 'string' ? only : (only?.power ?? null));
/** 'FRANCE' or 'FRANCE A PAR' */
const nameOf = (one: string | Standing | null): string | null =>
  one === null || typeof one === 'string' ? one : `${one.power} ${one.unit}`;

// ---- units ----

const drawUnit = ({ power, unit, isDislodged }: StandingUnit): SVGElement => {
  const [type, place] = unit.split(' ');
  const holder = drawing('g');
  holder.innerHTML = data.tokens[`${type} ${power}`];
  const shape = holder.querySelector<SVGElement>('.unit') ?? holder;
  const spot = data.spots[place] ?? data.spots[province(place)];
  const [x, y] = isDislodged ? spot.slice(2) : spot;
  shape.setAttribute('transform', `translate(${x} ${y})`);
  shape.setAttribute('data-unit', unit);
  shape.setAttribute('data-province', province(place));
  shape.classList.toggle('dislodged', isDislodged);
  const name = data.provinces[province(place)] ?? place;
  shape.querySelector('title')?.replaceChildren(unitTitle(type, name, power, isDislodged));
  return shape;
};

/** Shows the units of a phase, which come from where they were. @param last the phase before, if it was just shown */
const showUnits = (phase: DrawnReplayPhase, last: DrawnReplayPhase | null): void => {
  const origins = originsIn(last?.orders ?? []);
  const before = spotsOn(units);
  const standing = unitsOfPhase(phase);
  units.replaceChildren(...standing.map(drawUnit));
  animateMoves(units, before, origins);
  if (only === null || typeof only === 'string') return;
  const was = nameOf(only);
  const isIt = (one: Standing): boolean => (origins.get(nameOf(one) ?? '') ?? nameOf(one)) === was;
  only = standing.find(isIt) ?? null;
};

// ---- orders ----

/** Powers whose searches are shown. */
const opened = new Set<string>();
/** The order set that is drawn alone of those that its power weighed; null for all. */
let set: ShownCandidate | null = null;

/** The orders that were weighed, below those that were given. */
const showWeighed = ({ phase }: Step): void => {
  const { search, weighed: drawn = {} } = phase;
  const power = onlyPower();
  const shown = Object.keys(drawn).filter((name) => control('arrows').checked && (power === null || power === name));
  weighed.innerHTML = shown.map((name) => drawn[name]).join('');
  const picked = Object.keys(search).find((name) => set !== null && search[name].includes(set));
  for (const arrow of weighed.querySelectorAll('.order'))
    if (arrow.getAttribute('data-power') === picked)
      if (set?.orders.includes(arrow.getAttribute('data-order') ?? '')) arrow.classList.add('picked');
      else arrow.remove();
};

const searchList = (power: string, list: readonly ShownCandidate[]): HTMLElement => {
  const summary = element('summary', {}, 'What its search weighed: share, value, orders');
  const lines = list.map((one) => {
    const { orders, probability, value, error } = one;
    const choose = (): void => {
      set = set === one ? null : one;
      for (const other of byId('orders').querySelectorAll('.set'))
        other.setAttribute('aria-pressed', String(other === pickSet && set !== null));
      showWeighed(steps[now]);
      view.refit();
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

/** True for orders that are shown: those of a power, or all that concern the province of a unit. */
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

const ordersBlock = (power: string, { orders = [], search }: DrawnReplayPhase): HTMLElement[] => {
  const own = orders.filter((one) => one.power === power && isShown(one));
  const rows = own.map((one) => orderRow(one, ({ unit }) => pickUnit(power, unit ?? '')));
  const weighed = only === null || only === power ? (search[power] ?? []) : [];
  if (rows.length + weighed.length === 0) return [];
  const q = data.powers.findIndex(({ name }) => name === power);
  return [
    element('h3', {}, swatch(q), powerTitle(power)),
    element('table', {}, element('tbody', {}, ...rows)),
    ...(weighed.length > 0 ? [searchList(power, weighed)] : []),
  ];
};

const showOrders = (step: Step): void => {
  const { phase, orders } = step;
  showWeighed(step);
  lines.innerHTML = orders ? phase.lines : '';
  marks.innerHTML = orders ? phase.marks : '';
  view.refit();
  const list = byId('orders');
  const { scrollTop } = list;
  const blocks = data.powers.flatMap(({ name }) => ordersBlock(name, phase));
  const none = only === null ? `${data.end}.` : 'No orders in this phase.';
  list.replaceChildren(...(blocks.length > 0 ? blocks : [element('p', {}, none)]));
  list.scrollTop = scrollTop;
};

/** What the filter leaves out is faint on the board. */
const showFilter = ({ orders = [] }: DrawnReplayPhase): void => {
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

const showMessages = ({ messages = [] }: DrawnReplayPhase): void => {
  const { value: reader } = control('reader');
  const shown = messages.filter((message) => reader === '' || mayRead(message, reader));
  byId('messages').replaceChildren(...shown.map(messageRow));
};

const addReaders = (): void => {
  const names = data.powers.map(({ name }) => name);
  byId('reader').append(...optionsOf(names, (name) => `${powerTitle(name)} may read`));
  byId('reader').addEventListener('change', () => showMessages(steps[now].phase));
  byId('press').hidden = data.phases.every(({ messages }) => messages === undefined);
};

const showPowers = (index: number): void => {
  const lists = data.powers.map(({ name, agent, brief, code }, q) => {
    const count = ownedIn(index, name);
    const title = `${code === null ? '' : `${code} `}${powerTitle(name)} `;
    const by = agent === null ? [] : [element('span', { class: 'agent', title: agent }, brief ?? agent)];
    const state = { class: count === 0 && 'out', 'aria-pressed': `${only === name}` };
    const made = button('', () => pick(name), state);
    made.append(swatch(q), title, element('b', {}, String(count)), ...by);
    return made;
  });
  renew(byId('powers'), lists);
};

// ---- steps ----

/** Who goes on: the agents of the game, and a human in the place of the power whose orders are shown alone. */
const seatsNow = (): Record<string, string> =>
  Object.fromEntries(
    data.powers.flatMap(({ name, agent }) =>
      name === onlyPower() ? [[name, 'human']] : agent === null ? [] : [[name, agent]],
    ),
  );

/** The links to the board take the position along. */
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

/** The step and the filter: 'F1901M', with '&at=position' before its orders and '&only=FRANCE A PAR'. */
const addressOf = ({ phase, orders }: Step): string => {
  const at = !orders && phase.orders?.length ? '&at=position' : '';
  const who = nameOf(only);
  return `#${phase.phase}${at}${who === null ? '' : `&only=${encodeURIComponent(who)}`}`;
};

/** Puts what is shown into the address. Browsers refuse too many changes a second, which does no harm. */
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
  if (data.powers.some(({ name }) => name === power)) pickUnit(power, unit.join(' '));
};

const goTo = (index: number): void => go(steps.findIndex((step) => step.index === index));
const chart = centersChart(byId('chart'), data, goTo);
const values = valueChart(byId('values'), data, goTo);
byId('weighing').hidden = data.phases.every(({ weighed: drawn = {} }) => Object.keys(drawn).length === 0);

const show = (at: number): void => {
  const step = steps[at];
  const { phase, index } = step;
  const last = at === now + 1 && now >= 0 ? steps[now] : null;
  if (shownIndex !== index) {
    showUnits(phase, last?.orders === true ? last.phase : null);
    ground.innerHTML = data.grounds[phase.ground].replace(/ d="@(\d+)"/g, (_, n: string) => ` d="${paths[Number(n)]}"`);
    dots.innerHTML = data.dots[phase.dots];
    shownIndex = index;
    showMessages(phase);
    linkPosition(step);
  }
  showPowers(index);
  showOrders(step);
  showFilter(phase);
  const title = titleOf(step);
  byId('phase').textContent = title;
  const counts = data.powers.map(({ name }) => `${powerTitle(name)} ${ownedIn(index, name)}`).join(', ');
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

/** The step from which a year on, or back, is shown. */
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

const keys: Readonly<Record<string, () => void>> = {
  ArrowRight: () => go(now + 1),
  ArrowLeft: () => go(now - 1),
  Home: () => go(0),
  End: () => go(steps.length - 1),
  PageDown: () => go(yearFrom(1)),
  PageUp: () => go(yearFrom(-1)),
  ' ': togglePlay,
  c: () => byId('arrows').click(),
};

addReaders();
byId('arrows').addEventListener('change', () => show(now));
control('at').max = String(steps.length - 1);
byId('at').addEventListener('input', () => go(Number(control('at').value)));
const buttons = { play: ' ', first: 'Home', back: 'ArrowLeft', on: 'ArrowRight', last: 'End' };
for (const [id, key] of Object.entries(buttons)) onClick(id, keys[key]);
byId('speed').addEventListener('change', () => {
  if (timer === null) return;
  stop();
  start();
});
addEventListener('keydown', (event) => {
  const { key, target, altKey, ctrlKey, metaKey, shiftKey } = event;
  const list = document.querySelector<HTMLDetailsElement>('.keys');
  if (key === '?' && list !== null && !takesKeys(target)) {
    list.open = !list.open;
    list.scrollIntoView({ block: 'nearest' });
  }
  if (event.defaultPrevented || altKey || ctrlKey || metaKey || shiftKey || !Object.hasOwn(keys, key)) return;
  // A key keeps the meaning that an element gives it.
  if (takesKeys(target) || (key === ' ' && target instanceof Element && target.matches('button'))) return;
  event.preventDefault();
  keys[key]();
});
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
