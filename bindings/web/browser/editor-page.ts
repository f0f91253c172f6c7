// The position editor: units, centres and orders by clicking or as text, adjudicated in the page by the engine itself.
// The address holds all of it, so that a reload loses nothing.
import { type CompiledMap, newGame } from '../../../engine/internal.js';
import { type AdjudicatedRecord, adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import { type ByPower, formatPosition, parsePosition } from '../../../engine/notation/json/position.js';
import { type RuleSet, ruleSetByName } from '../../../engine/notation/text/index.js';
import type { DrawnOrder } from '../../draw/drawn-phase.js';
import { answeredOrders } from '../../draw/read-phase.js';
import { powerTitle } from '../../draw/titles.js';
import { province } from '../orders/order-clicks.js';
import {
  orderablesIn,
  type Placed,
  positionIn,
  readWrittenPosition,
  unitsIn,
  type WrittenPosition,
} from '../orders/written-position.js';
import type { PositionPageData } from '../page-data.js';
import { pageAddress } from './address.js';
import { boardPainter } from './board-painter.js';
import { boardView } from './board-view.js';
import { type LiveSearch, liveSearch } from './live-search.js';
import { linkOrders } from './order-links.js';
import { type OrderMaker, orderMaker, tagAt } from './order-maker.js';
import { orderFor, readWritten, showUnread, type WrittenOrders, withOrder, withoutOrder } from './order-text.js';
import { byId, control, element, onClick, pageData, say, swatch, trying } from './page.js';
import { offerNames, pageMaps } from './page-maps.js';
import { phaseEnd, resultBlocks, setTeller } from './result-list.js';

const { run, own } = pageData<PositionPageData>();

const { ownOf, mapNamed } = pageMaps(own);

let edited: WrittenPosition = {
  map: 'standard',
  rules: 'datc-3.2',
  phase: 'S1901M',
  units: {},
  centers: {},
  retreats: {},
  orders: '',
};
let map: CompiledMap = mapNamed(edited.map);
let rules: RuleSet = ruleSetByName(edited.rules);
/** The answer for the present position and orders; null after any change. */
let answer: AdjudicatedRecord | null = null;
let mode: keyof typeof modes = 'orders';
const past: WrittenPosition[] = [];
let future: WrittenPosition[] = [];
/** True after a change of the written orders, which the next one of them is one with. */
let isTyping = false;
/** True while a click gives an order, which the next click may refine. */
let isOrdering = false;

const view = boardView(byId('board'));

// ---- what is edited ----

/** The position alone. */
const position = (placed: Placed = edited): Partial<Placed> => positionIn(placed);

const written = (): WrittenOrders => readWritten(map, edited.orders, edited);

const use = (next: WrittenPosition): void => {
  const [wantedMap, wantedRules] = [mapNamed(next.map), ruleSetByName(next.rules)];
  if (map !== wantedMap || byId('power').childElementCount === 0)
    for (const [id, none] of Object.entries({ power: 'nobody', seek: 'all' }))
      byId(id).replaceChildren(
        ...wantedMap.powerNames.map((name) => element('option', { value: name }, powerTitle(name))),
        element('option', { value: '', selected: id === 'seek' }, none),
      );
  [map, rules, edited] = [wantedMap, wantedRules, next];
  for (const id of ['map', 'rules', 'phase', 'orders'] as const)
    if (control(id).value !== edited[id]) control(id).value = edited[id];
  answer = null;
  if (!isOrdering) maker.unchoose();
  paint();
};

/** Takes up a change, which undo takes back. */
const change = (changes: Partial<WrittenPosition>, typed = false): void => {
  const before = edited;
  use({ ...edited, ...changes });
  if (!typed || !isTyping) past.push(before);
  isTyping = typed;
  future = [];
  paint();
};

const step = (from: WrittenPosition[], to: WrittenPosition[]): void => {
  const next = from.pop();
  if (next === undefined) return;
  to.push(edited);
  isTyping = false;
  use(next);
  say(modes[mode].says);
};

/** The start of a map. */
const startOf = (name: string, byRules: RuleSet): WrittenPosition => {
  const { phase, units, centers, retreats } = formatPosition(newGame(mapNamed(name), byRules.adjudication));
  return { ...edited, map: name, phase, units, centers, retreats, orders: '' };
};

const readRecord = (value: Record<string, unknown>): WrittenPosition => readWrittenPosition(value, mapNamed, edited);

/** A line for lepanto adjudicate. */
const record = (): Record<string, unknown> => {
  const name = map.name === 'standard' ? {} : { map: edited.map };
  return { ...name, ...position(), orders: written().orders };
};

const address = pageAddress({
  said: () => ({ ...edited, ...position() }),
  read: (said) => use(readRecord(said)),
  start: () => use(startOf(own?.name ?? edited.map, rules)),
  onWritten: (written) => byId('compare').setAttribute('href', `compare${location.search}${written}`),
});

// ---- the board ----

const draw = boardPainter(view);
const search: LiveSearch = liveSearch({
  asked: () => ({ position: position(), map: edited.map, rules: edited.rules }),
  address: () => `api/search${ownOf(map) !== null && run !== null ? `?run=${encodeURIComponent(run)}` : ''}`,
  teller: (sets) => setTeller(edited, map, rules, sets),
  colourOf: (power) => swatch(map.powerNames.indexOf(power)),
  use: (power, orders) =>
    change({ orders: orders.reduce((text, one) => withOrder(map, text, power, one), edited.orders) }),
});

const paint = (): void => {
  const { phase, units, centers, retreats } = edited;
  const given = Object.entries(written().orders).flatMap(([power, orders]) =>
    orders.map((order) => ({ power, order })),
  );
  const orders: readonly DrawnOrder[] = answer === null ? given : answeredOrders(units, answer);
  draw(map, { phase, units, centers, retreats, orders });
  maker.show();
  showUnread(written());
  if (answer === null) byId('results').replaceChildren();
  control('go-on').disabled = answer === null || answer.next_phase === 'COMPLETED';
  control('undo').disabled = past.length === 0;
  control('redo').disabled = future.length === 0;
  control('json').value = JSON.stringify(record());
  search.settle();
  address.keep();
};

// ---- units and centres by clicks ----

const without = (byPower: ByPower, isGone: (one: string) => boolean): ByPower =>
  Object.fromEntries(Object.entries(byPower).map(([power, list]) => [power, list.filter((one) => !isGone(one))]));

/** Where a unit of a type is placed in a province: for a fleet on the next coast after the one that it is on. */
const placeFor = (type: string, tag: string, before: string | undefined): string => {
  if (type === 'A') return tag;
  const coasts = map.locationTags.filter((place) => place !== tag && province(place) === tag);
  if (coasts.length === 0) return tag;
  return coasts[(coasts.indexOf(before ?? '') + 1) % coasts.length];
};

const placeUnit = (tag: string): void => {
  const power = control('power').value;
  const type = control('type').value;
  const isThere = (unit: string): boolean => province(unit.slice(2)) === tag;
  const before = unitsIn(edited.units).find(([, unit]) => isThere(unit));
  let units = without(edited.units, isThere);
  if (type !== '' && power !== '') {
    const unit = `${type} ${placeFor(type, tag, before?.[1].slice(2))}`;
    // A second click on the same place removes the unit, unless there is another coast for it.
    if (before?.[0] !== power || before[1] !== unit) units = { ...units, [power]: [...(units[power] ?? []), unit] };
    parsePosition(position({ ...edited, units, phase: 'S1901M' }), map, rules.adjudication);
  }
  change({ units });
};

const ownCenter = (tag: string): void => {
  if ((map.centerIndex[map.provinceTags.indexOf(tag)] ?? -1) < 0) throw new Error(`${tag} is no supply centre`);
  const power = control('power').value;
  const centers = without(edited.centers, (one) => one === tag);
  change({ centers: power === '' ? centers : { ...centers, [power]: [...(centers[power] ?? []), tag] } });
};

// ---- orders by clicks ----

const order = (power: string, text: string): void => {
  isOrdering = true;
  change({ orders: withOrder(map, edited.orders, power, text) });
  isOrdering = false;
  say(`${powerTitle(power)}: ${text}`);
};

const maker: OrderMaker = orderMaker({
  board: view.svg,
  orderables: () => orderablesIn(edited, map, rules.adjudication),
  phase: () => edited.phase,
  says: () => modes[mode].says,
  written: (home) => orderFor(map, written(), home),
  give: order,
  clear: (home) => change({ orders: withoutOrder(map, edited.orders, home) }),
});

/** What a click on a province does, and what is said of it. */
const modes = {
  orders: { act: maker.click, says: 'Click a unit to order it.' },
  units: {
    act: placeUnit,
    says: 'Click a province to place a unit there, once more to take it away; fleets change coasts.',
  },
  centers: { act: ownCenter, says: 'Click a supply centre to give it to the power.' },
} as const;
const modeNames = Object.keys(modes) as (keyof typeof modes)[];

const useMode = (wanted: keyof typeof modes): void => {
  mode = wanted;
  maker.unchoose();
  for (const one of modeNames) byId(`mode-${one}`).setAttribute('aria-pressed', String(one === wanted));
  byId('types').hidden = wanted !== 'units';
  byId('owners').hidden = wanted === 'orders';
  say(modes[wanted].says);
};

// ---- adjudication ----

const showResults = (told: AdjudicatedRecord): void => {
  const pick = ({ unit }: DrawnOrder): void => {
    useMode('orders');
    if (unit) trying(() => maker.click(province(unit.slice(2))));
  };
  const blocks = resultBlocks(map, answeredOrders(edited.units, told), pick);
  byId('results').replaceChildren(...blocks, element('p', { id: 'next' }, phaseEnd(told)));
};

const adjudicateNow = (): void => {
  answer = adjudicateRecord({ ...position(), orders: written().orders }, map, rules);
  maker.unchoose();
  say(modes[mode].says);
  showResults(answer);
  paint();
};

const goOn = (): void => {
  if (answer === null) return;
  const { next_phase: phase, units, centers, retreats } = answer;
  change({ phase, units, centers, retreats, orders: '' });
  say(modes[mode].says);
};

// ---- controls ----

const onTry = (id: string, act: () => void): void => onClick(id, () => trying(act));

byId('board').addEventListener('click', ({ target, shiftKey, altKey }) => {
  const tag = tagAt(target);
  if (tag !== null)
    trying(() =>
      mode === 'orders' ? maker.click(tag, shiftKey ? 'S' : altKey ? 'C' : null) : modes[mode].act(province(tag)),
    );
});
for (const one of modeNames) onTry(`mode-${one}`, () => useMode(one));
onTry('start', () => change(startOf(edited.map, rules)));
onTry('clear', () => {
  change({ units: {}, centers: {}, retreats: {}, orders: '' });
  useMode('units');
});
onTry('adjudicate', adjudicateNow);
onTry('go-on', goOn);
onTry('undo', () => step(past, future));
onTry('redo', () => step(future, past));
onTry('read', () => change(readRecord(JSON.parse(control('json').value))));
onTry('copy', () => {
  control('json').select();
  void navigator.clipboard?.writeText(control('json').value);
});
onClick('search', () => {
  maker.unchoose();
  void search.start();
});
byId('orders').addEventListener('input', () => trying(() => change({ orders: control('orders').value }, true)));
byId('map').addEventListener('change', () =>
  trying(() => {
    change(startOf(control('map').value.trim(), rules));
    say(`The start of ${map.name}. Undo brings back what was there.`);
  }),
);
byId('rules').addEventListener('change', () => trying(() => change({ rules: control('rules').value.trim() })));
byId('phase').addEventListener('change', () =>
  trying(() => {
    const phase = control('phase').value.trim().toUpperCase();
    const retreats = phase.endsWith('R') ? edited.retreats : {};
    parsePosition(position({ ...edited, phase, retreats }), map, rules.adjudication);
    change({ phase, retreats });
  }),
);
addEventListener('keydown', ({ key, ctrlKey, metaKey, shiftKey, target }) => {
  if (key === 'Escape') maker.unchoose();
  const isText = target instanceof Element && target.matches('input, textarea');
  if ((ctrlKey || metaKey) && key.toLowerCase() === 'z' && !isText)
    step(...(shiftKey ? ([future, past] as const) : ([past, future] as const)));
});

offerNames();
linkOrders(view.svg, byId('results'));
address.open();
useMode('orders');
