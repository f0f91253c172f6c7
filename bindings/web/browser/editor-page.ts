// The position editor: units, centres and orders by clicking or as text, adjudicated in the page by the engine itself.

import { type CompiledMap, loadMap, mapNames, newGame, presetNames } from '../../../engine/internal.js';
import { styleOf } from '../../draw/colours.js';
import { drawLayers, scopeOf } from '../../draw/draw-board.js';
import { type Board, boardOf } from '../../draw/drawn-board.js';
import type { DrawnOrder } from '../../draw/drawn-phase.js';
import { phaseTitle, powerTitle } from '../../draw/titles.js';
import { type AdjudicatedRecord, adjudicateRecord } from '../../notation/json/adjudicate-record.js';
import { legalRecord } from '../../notation/json/legal-record.js';
import {
  type ByPower,
  formatPosition,
  type PositionRecord,
  parsePosition,
  type RetreatsByPower,
} from '../../notation/json/position.js';
import { findPower, parseOrder, type RuleSet, ruleSetByName } from '../../notation/text/index.js';
import type { SearchAnswer, ShownCandidate } from '../page-data.js';
import { percent, worthText } from './figures.js';
import { button, byId, control, drawing, element, onClick, orderRow, showText } from './page.js';

interface Edited {
  phase: string;
  units: Record<string, string[]>;
  centers: Record<string, string[]>;
  retreats: RetreatsByPower;
}

let map: CompiledMap = loadMap('standard');
let board: Board = boardOf(map);
let rules: RuleSet = ruleSetByName('datc-3.2');
let edited: Edited = { phase: 'S1901M', units: {}, centers: {}, retreats: {} };
/** The answer for the present position and orders; null after any change. */
let answer: AdjudicatedRecord | null = null;
let mode: keyof typeof modes = 'orders';
/** The unit that gets an order, or the centre that builds, its province, and the provinces clicked since. */
let chosen: {
  readonly power: string;
  readonly name: string;
  readonly home: string;
  readonly orders: readonly string[];
  readonly clicks: readonly string[];
} | null = null;
const past: { readonly edited: Edited; readonly orders: string }[] = [];

const province = (place: string): string => place.split('/')[0];
const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const say = (text: string): void => {
  byId('told').textContent = text;
};

const trying = (run: () => void): void => {
  showText('trouble', '');
  try {
    run();
  } catch (error) {
    showText('trouble', (error as Error).message);
  }
};

const clearChoice = (): void => {
  chosen = null;
  byId('choices').replaceChildren();
};

// ---- orders as text ----

const unitsIn = (byPower: ByPower): [power: string, unit: string][] =>
  Object.entries(byPower).flatMap(([power, units]) => units.map((unit): [string, string] => [power, unit]));

/** Who may order in a province in this phase: the power of its unit, or of the centre that builds. */
const ordererIn = (tag: string): string | null => {
  const waiting = Object.fromEntries(
    Object.entries(edited.retreats).map(([name, units]) => [name, Object.keys(units)]),
  );
  const units = [...(edited.phase.endsWith('R') ? unitsIn(waiting) : []), ...unitsIn(edited.units)];
  const standing = units.find(([, unit]) => province(unit.slice(2)) === tag);
  return (standing ?? unitsIn(edited.centers).find(([, center]) => center === tag))?.[0] ?? null;
};

/** The province of the unit that an order is for, in any notation; undefined where it cannot be read. */
const orderedIn = (text: string): string | undefined => {
  try {
    const { unit } = parseOrder(map, text);
    return unit === null ? undefined : map.provinceTags[unit.province];
  } catch {
    // It will be refused with a reason, whoever gives it.
    return undefined;
  }
};

/** A line as an order with its power: named before it, by a heading above, or by the unit. */
const readLine = (line: string, heading: string | null): { power: string; text: string } => {
  const [, name = '', rest = ''] = /^([\p{L}-]+)[\s:]+(.*)$/u.exec(line) ?? [];
  const named = map.powerNames[findPower(map, name)];
  if (named !== undefined && name.length > 3) return { power: named, text: rest };
  const tag = orderedIn(line);
  const power = (tag === undefined ? null : ordererIn(tag)) ?? heading ?? map.powerNames[0];
  return { power, text: line };
};

const readOrders = (): Record<string, string[]> => {
  const orders: Record<string, string[]> = {};
  let heading: string | null = null;
  for (const given of control('orders').value.split(/[\n;]/)) {
    const line = given.trim();
    if (line === '') continue;
    const alone = map.powerNames[findPower(map, line.replace(/:$/, ''))];
    if (alone !== undefined) {
      heading = alone;
      continue;
    }
    const { power, text } = readLine(line, heading);
    orders[power] ??= [];
    orders[power].push(text);
  }
  return orders;
};

/** Puts an order into the text, in place of another one of its unit. */
const writeOrder = (power: string, order: string): void => {
  const own = orderedIn(order);
  const given = control('orders').value.split('\n');
  const lines = given.filter((line) => line.trim() !== '');
  const kept = own === undefined ? lines : lines.filter((line) => orderedIn(readLine(line, null).text) !== own);
  control('orders').value = [...kept, order === 'WAIVE' ? `${power} WAIVE` : order].join('\n');
};

// ---- the board ----

/** The position alone; retreats only where the phase has them. */
const position = (): Omit<Edited, 'retreats'> & Partial<Edited> => {
  const { retreats, ...rest } = edited;
  return rest.phase.endsWith('R') ? { ...rest, retreats } : rest;
};

const record = (): Record<string, unknown> => {
  const name = map.name === 'standard' ? {} : { map: control('map').value.trim() };
  return { ...name, ...position(), orders: readOrders() };
};

const givenOrders = (): DrawnOrder[] =>
  Object.entries(readOrders()).flatMap(([power, orders]) => orders.map((order) => ({ power, order })));

let scope = '';

const paint = (): void => {
  const wanted = scopeOf(board, 'auto');
  if (scope !== wanted) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styleOf(board.looks, wanted, 'auto'));
    document.adoptedStyleSheets = [sheet];
    scope = wanted;
  }
  const { phase, units, centers, retreats } = edited;
  const orders = answer?.orders ?? givenOrders();
  const { width, height } = board.geometry;
  const picture = drawing('svg', { class: wanted, viewBox: `0 0 ${width} ${height}`, role: 'img' });
  picture.setAttribute('aria-label', `Board in ${phaseTitle(phase)}`);
  picture.innerHTML = drawLayers(board, { phase, units, centers, retreats, orders });
  for (const shape of picture.querySelectorAll('.unit, .center'))
    if (shape.getAttribute('data-province') === chosen?.home) shape.classList.add('chosen');
  byId('board').replaceChildren(picture);
  control('json').value = JSON.stringify(record());
};

/** After any change: what was adjudicated no longer holds. */
const changed = (): void => {
  answer = null;
  control('go-on').disabled = true;
  control('undo').disabled = past.length === 0;
  byId('results').replaceChildren();
  trying(paint);
};

const usePosition = ({ phase, units, centers, retreats }: PositionRecord): void => {
  edited = copy({ phase, units, centers, retreats }) as Edited;
  control('phase').value = edited.phase;
  clearChoice();
};

const useMap = (): void => {
  map = loadMap(control('map').value);
  board = boardOf(map);
  byId('power').replaceChildren(
    ...map.powerNames.map((name) => element('option', { value: name }, powerTitle(name))),
    element('option', { value: '' }, 'nobody'),
  );
};

// ---- clicks ----

const removeUnit = (tag: string): void => {
  for (const units of Object.values(edited.units)) {
    const at = units.findIndex((unit) => province(unit.slice(2)) === tag);
    if (at >= 0) units.splice(at, 1);
  }
};

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
  const before = unitsIn(edited.units).find(([, unit]) => province(unit.slice(2)) === tag);
  removeUnit(tag);
  if (type !== '' && power !== '') {
    const unit = `${type} ${placeFor(type, tag, before?.[1].slice(2))}`;
    // A second click on the same place removes the unit, unless there is another coast for it.
    if (before?.[0] !== power || before[1] !== unit) {
      const units = { ...edited.units, [power]: [...(edited.units[power] ?? []), unit] };
      parsePosition({ ...edited, units, phase: 'S1901M', retreats: undefined }, map, rules.adjudication);
      edited.units = units;
    }
  }
  changed();
};

const ownCenter = (tag: string): void => {
  if ((map.centerIndex[map.provinceTags.indexOf(tag)] ?? -1) < 0) throw new Error(`${tag} is no supply centre`);
  const power = control('power').value;
  for (const [owner, list] of Object.entries(edited.centers)) edited.centers[owner] = list.filter((own) => own !== tag);
  if (power !== '') edited.centers[power] = [...(edited.centers[power] ?? []), tag];
  changed();
};

/** Legal orders that fit the provinces clicked: first a target or a unit, then its target. */
const fitting = (orders: readonly string[], [first, second]: readonly string[]): string[] =>
  orders.filter((order) => {
    const words = order.split(' ').slice(2);
    const tags = words.filter((word) => /^[A-Z0-9]{3}(\/|$)/.test(word) && word !== 'VIA').map(province);
    if (second === undefined) return tags[0] === first;
    return tags[0] === first && (tags[1] === second || (tags.length === 1 && second === first));
  });

const MOST_CHOICES = 60;

const choose = (order: string): void => {
  if (chosen === null) return;
  writeOrder(chosen.power, order);
  say(`${powerTitle(chosen.power)}: ${order}`);
  clearChoice();
  changed();
};

const showChoices = (orders: readonly string[]): void => {
  const made = orders.slice(0, MOST_CHOICES).map((order) => button(order, () => choose(order)));
  const more = orders.length > MOST_CHOICES ? [`and ${orders.length - MOST_CHOICES} more: click on the board`] : [];
  byId('choices').replaceChildren(...made, ...more);
};

/** Takes the unit, or the centre that builds, of a province that has something to order. */
const chooseAt = (tag: string): void => {
  for (const [power, byName] of Object.entries(legalRecord(position(), map, rules.adjudication).orders))
    for (const [name, orders] of Object.entries(byName)) {
      const home = province(name.split(' ').at(-1) ?? '');
      if (home !== tag || orders.length === 0) continue;
      chosen = { power, name, home, orders, clicks: [] };
      say(
        `${powerTitle(power)}, ${name}: click where it goes, the unit that it supports or convoys, or itself to hold`,
      );
      showChoices(orders);
      paint();
      return;
    }
  say(`${tag} has nothing to order in ${phaseTitle(edited.phase)}`);
};

const giveOrder = (tag: string): void => {
  if (chosen === null) {
    chooseAt(tag);
    return;
  }
  const { name, home, orders } = chosen;
  if (tag === home && chosen.clicks.length === 0) {
    const hold = orders.find((order) => order.endsWith(' H'));
    if (hold !== undefined) {
      choose(hold);
      return;
    }
    clearChoice();
    say('');
    paint();
    return;
  }
  const clicks = [...chosen.clicks, tag];
  const left = fitting(orders, clicks);
  chosen = { ...chosen, clicks: left.length === 0 ? [] : clicks };
  if (left.length === 1) choose(left[0]);
  else {
    const isNone = left.length === 0;
    const which = `${name}: which of these? A further click on the board narrows them`;
    say(isNone ? `${name} has no legal order for that; it may not go, support or convoy there` : which);
    showChoices(isNone ? orders : left);
  }
};

/** What a click on a province does, and what is said of it. */
const modes = {
  orders: { act: giveOrder, says: 'Click a unit to order it.' },
  units: {
    act: placeUnit,
    says: 'Click a province to place a unit there, once more to take it away; fleets change coasts.',
  },
  centers: { act: ownCenter, says: 'Click a supply centre to give it to the power.' },
} as const;
const modeNames = Object.keys(modes) as (keyof typeof modes)[];

const useMode = (wanted: keyof typeof modes): void => {
  mode = wanted;
  clearChoice();
  for (const one of modeNames) byId(`mode-${one}`).setAttribute('aria-pressed', String(one === wanted));
  control('type').disabled = wanted !== 'units';
  control('power').disabled = wanted === 'orders';
  say(modes[wanted].says);
  trying(paint);
};

// ---- adjudication ----

const showResults = ({ orders, next_phase: next, contested, built, disbanded, destroyed }: AdjudicatedRecord): void => {
  const blocks = map.powerNames.flatMap((name) => {
    const own = orders.filter(({ power }) => power === name);
    if (own.length === 0) return [];
    return [
      element('h3', {}, powerTitle(name)),
      element('table', {}, element('tbody', {}, ...own.map((one) => orderRow(one, () => {})))),
    ];
  });
  const also = Object.entries({ contested, built, disbanded, destroyed })
    .filter(([, list]) => list.length > 0)
    .map(([what, list]) => `${what}: ${list.join(', ')}`);
  const end = next === 'COMPLETED' ? 'the game is over' : `next: ${phaseTitle(next)}`;
  byId('results').replaceChildren(...blocks, element('p', { id: 'next' }, [...also, end].join('; ')));
};

const adjudicateNow = (): void => {
  rules = ruleSetByName(control('rules').value);
  answer = adjudicateRecord(record(), map, rules);
  showResults(answer);
  control('go-on').disabled = answer.next_phase === 'COMPLETED';
  clearChoice();
  paint();
};

const goOn = (): void => {
  if (answer === null) return;
  past.push({ edited: copy(edited), orders: control('orders').value });
  const { next_phase: phase, units, centers, retreats } = answer;
  usePosition({ phase, units, centers, retreats });
  control('orders').value = '';
  changed();
};

const goBack = (): void => {
  const before = past.pop();
  if (before === undefined) return;
  usePosition(before.edited);
  control('orders').value = before.orders;
  changed();
};

/** Takes a line of lepanto adjudicate as the position. */
const readJson = (text: string): void => {
  const value = JSON.parse(text) as Record<string, unknown>;
  if (typeof value.map === 'string') control('map').value = value.map;
  useMap();
  const { game } = parsePosition(value, map, rules.adjudication);
  usePosition(formatPosition(game));
  if (edited.phase.endsWith('R')) edited.retreats = copy(value.retreats) as RetreatsByPower;
  const orders = Object.entries((value.orders ?? {}) as ByPower);
  control('orders').value = orders.flatMap(([power, list]) => list.map((order) => `${power} ${order}`)).join('\n');
  changed();
};

// ---- search ----

const foundLine = (power: string, candidate: ShownCandidate): HTMLElement => {
  const { orders, probability, value, error } = candidate;
  const use = button('Use', () => {
    for (const order of orders) writeOrder(power, order);
    changed();
  });
  return element('li', {}, `${percent(probability, 1)}${worthText(value, error, 3)}: ${orders.join(', ')} `, use);
};

const showFound = ({ powers, rollouts, depth }: SearchAnswer): void => {
  const ordering = Object.entries(powers).filter(([, [best]]) => best !== undefined && best.orders.length > 0);
  const blocks = ordering.flatMap(([power, list]) => [
    element('h3', {}, powerTitle(power)),
    element('ol', {}, ...list.map((candidate) => foundLine(power, candidate))),
  ]);
  const head = element('p', { class: 'dim' }, `${rollouts} rollouts of ${depth} phase-steps`);
  byId('found').replaceChildren(head, ...blocks);
};

const search = async (): Promise<void> => {
  const [map, rules] = [control('map').value, control('rules').value];
  const { orders: _, ...position } = record();
  const body = JSON.stringify({ position, map, rules, rollouts: Number(control('rollouts').value) });
  const say = (text: string, kind: string): void => byId('found').replaceChildren(element('p', { class: kind }, text));
  control('search').disabled = true;
  say('Searching …', 'dim');
  try {
    const response = await fetch('api/search', { method: 'POST', body });
    if (response.ok) showFound((await response.json()) as SearchAnswer);
    else say(await response.text(), 'bad');
  } catch {
    say('The server does not answer: lepanto view has ended.', 'bad');
  } finally {
    control('search').disabled = false;
  }
};

// ---- controls ----

const toStart = (): void => {
  useMap();
  usePosition(formatPosition(newGame(map, rules.adjudication)));
  control('orders').value = '';
  past.length = 0;
  changed();
};

const onTry = (id: string, run: () => void): void => onClick(id, () => trying(run));

byId('board').addEventListener('click', ({ target }) => {
  const shape = target instanceof Element ? target.closest('[data-province]') : null;
  const tag = shape?.getAttribute('data-province')?.replace('@', '');
  if (tag) trying(() => modes[mode].act(tag));
});
for (const one of modeNames) onTry(`mode-${one}`, () => useMode(one));
onTry('start', toStart);
onTry('clear', () => {
  usePosition({ phase: edited.phase, units: {}, centers: {}, retreats: {} });
  control('orders').value = '';
  changed();
  useMode('units');
});
onTry('adjudicate', adjudicateNow);
onTry('go-on', goOn);
onTry('undo', goBack);
onTry('read', () => readJson(control('json').value));
onTry('copy', () => {
  control('json').select();
  void navigator.clipboard?.writeText(control('json').value);
});
onClick('search', () => void search());
byId('orders').addEventListener('input', changed);
byId('map').addEventListener('change', () => trying(toStart));
byId('rules').addEventListener('change', () =>
  trying(() => {
    rules = ruleSetByName(control('rules').value);
    clearChoice();
    changed();
  }),
);
byId('phase').addEventListener('change', () =>
  trying(() => {
    const phase = control('phase').value.trim().toUpperCase();
    const retreats = phase.endsWith('R') ? edited.retreats : undefined;
    parsePosition({ ...edited, phase, retreats }, map, rules.adjudication);
    edited = { ...edited, phase, retreats: retreats ?? {} };
    clearChoice();
    changed();
  }),
);

for (const [id, names] of Object.entries({ maps: mapNames, presets: presetNames }))
  byId(id).replaceChildren(...names.map((value) => element('option', { value })));
trying(toStart);
useMode('orders');
if (location.hash.length > 1) trying(() => readJson(decodeURIComponent(location.hash.slice(1))));
