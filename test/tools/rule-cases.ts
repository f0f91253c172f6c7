// Plays positions that are given by their orders alone under some rules, and sums up the results in few words.
import * as assert from 'uvu/assert';
import { adjudicate } from '../../engine/adjudicate/calendar.js';
import { civilDisorderDistance } from '../../engine/adjudicate/civil-disorder.js';
import { isLegal } from '../../engine/legal/lists.js';
import { standard } from '../../engine/map/standard.js';
import { type AdjudicatedRecord, adjudicateRecord } from '../../engine/notation/json/adjudicate-record.js';
import type { Reading } from '../../engine/notation/text/reading-options.js';
import type { RuleSet } from '../../engine/notation/text/rule-set.js';
import { Game, newGame } from '../../engine/position/game.js';
import type { Rules } from '../../engine/rules/options.js';
import { MOVE, moveVia, NONE, orderTarget, orderType, SUPPORT_MOVE, withTarget } from '../../engine/rules/order.js';
import { makeResults, type Results } from '../../engine/rules/results.js';
import { ARMY, FLEET, NO_UNIT, SUCCEEDS, unitPower, unitType, resultNames as words } from '../../engine/rules/types.js';
import { byPower, type CasePosition, readLines, sorted, type TextsByPower, tidy } from './cases.js';

export interface PlainOrder {
  readonly power: string;
  readonly order: string;
}

export const unitOf = (order: string): string => order.split(' ').slice(0, 2).join(' ');

/** Orders (or units) as `lepanto adjudicate` takes them. */
export const ordersByPower = (rows: readonly PlainOrder[]): Record<string, string[]> =>
  byPower(rows.map(({ power, order }) => [power, order]));

export interface NamedUnit {
  readonly power: string;
  readonly unit: string;
  readonly dislodged?: boolean;
}

export const unitsByPower = (units: readonly NamedUnit[]): Record<string, string[]> =>
  ordersByPower(units.map(({ power, unit }) => ({ power, order: unit })));

/** Adjudicates these orders of a movement phase, with their units and no others. */
export const adjudicateRows = (
  orders: readonly PlainOrder[],
  rules: RuleSet,
  phase = 'S1901M',
  centers: TextsByPower = {},
): AdjudicatedRecord => {
  const units = unitsByPower(orders.map(({ power, order }) => ({ power, unit: unitOf(order) })));
  return adjudicateRecord({ phase, units, centers, orders: ordersByPower(orders) }, standard, rules);
};

/** Every unit ends where `final` says: at a place, or DISLODGED. */
export const checkFinal = (
  orders: readonly PlainOrder[],
  final: Readonly<Record<string, string>>,
  answer: AdjudicatedRecord,
): void => {
  const isGone = (unit: string): boolean => final[unit] === 'DISLODGED';
  assert.equal(sorted(Object.keys(answer.dislodged)), sorted(Object.keys(final).filter(isGone)), 'dislodged');
  const left = orders
    .map(({ power, order }) => ({ power, unit: unitOf(order) }))
    .filter(({ unit }) => !isGone(unit))
    .map(({ power, unit }) => ({ power, unit: `${unit[0]} ${final[unit]}` }));
  assert.equal(tidy(answer.units), tidy(unitsByPower(left)), 'units');
};

/** Checks the retreats of dislodged units. A unit without a retreat must be destroyed. */
export const checkRetreats = (wanted: TextsByPower, { retreats, destroyed }: AdjudicatedRecord): void => {
  const open: TextsByPower = Object.assign({}, ...Object.values(retreats));
  for (const [unit, places] of Object.entries(wanted)) {
    assert.equal(sorted(open[unit] ?? []), sorted(places), `retreats of ${unit}`);
    if (places.length === 0) assert.ok(destroyed.includes(unit), unit);
  }
};

/** Returns a game with these units and owned centres. */
export const gameWith = (units: readonly NamedUnit[], rules: Rules, centers: TextsByPower = {}): Game => {
  const game = newGame(standard, rules);
  for (let p = 0; p < standard.provinceCount; p++) game.removeUnit(p);
  for (let c = 0; c < standard.centerCount; c++) game.setOwner(c, -1);
  for (const { power, unit } of units)
    game.placeUnit(
      standard.powerNames.indexOf(power),
      unit[0] === 'F' ? FLEET : ARMY,
      standard.locationTags.indexOf(unit.slice(2)),
    );
  for (const [power, tags] of Object.entries(centers))
    for (const tag of tags)
      game.setOwner(standard.centerIndex[standard.provinceTags.indexOf(tag)], standard.powerNames.indexOf(power));
  return game;
};

/** Distance of a unit from home in civil disorder. */
export const homeDistance = (game: Game, { power, unit }: NamedUnit): number => {
  const province = standard.locationProvince[standard.locationTags.indexOf(unit.slice(2))];
  return civilDisorderDistance(game, standard.powerNames.indexOf(power), province, unit[0] === 'F');
};

/** The position that has the unit of each order. */
export const positionOf = (orders: readonly PlainOrder[]): CasePosition =>
  readLines(standard, orders.map(({ power, order }) => `${power} ${order}`).join('\n'));

/** A game with these units and nothing else. */
export const gameOf = (position: CasePosition, rules: Rules): Game => {
  const game = new Game(standard, rules);
  game.copyFrom(newGame(standard, rules));
  for (let p = 0; p < standard.provinceCount; p++) {
    game.removeUnit(p);
    const unit = position.units[p];
    if (unit !== NO_UNIT)
      game.placeUnit(unitPower(unit), unitType(unit) === FLEET ? FLEET : ARMY, position.locations[p]);
  }
  return game;
};

/**
 * Orders by province as they are read: an order that cannot be obeyed counts as none, and where it refuses hold support
 * (4.E.1) an impossible move is one by a convoy that nobody gives. The coast in a support may be ignored (4.B.4).
 */
export const ordersUnder = (position: CasePosition, { illegalMove, supportCoast }: Reading, game: Game): Int32Array => {
  const orders = new Int32Array(standard.provinceCount);
  for (let p = 0; p < standard.provinceCount; p++) {
    const order = position.orders[p];
    if (order === NONE || position.units[p] === NO_UNIT) continue;
    const target = standard.locationProvince[orderTarget(order)];
    if (isLegal(game, order))
      orders[p] = orderType(order) === SUPPORT_MOVE && supportCoast === 'ignore' ? withTarget(order, target) : order;
    else if (orderType(order) === MOVE && illegalMove === 'holdNoSupport')
      orders[p] = moveVia(position.locations[p], target);
  }
  return orders;
};

/** The result of a movement phase; units by their names before it. */
export interface Outcome {
  readonly game: Game;
  readonly results: Results;
  /** Location of each unit afterwards; 'x' if it was dislodged. */
  readonly ends: Readonly<Record<string, string>>;
  /** The result word of each unit's order. */
  readonly words: Readonly<Record<string, string>>;
}

const nameOf = (position: CasePosition, p: number): string =>
  `${unitType(position.units[p]) === ARMY ? 'A' : 'F'} ${standard.locationTags[position.locations[p]]}`;

export const playPosition = (position: CasePosition, { adjudication, reading }: RuleSet): Outcome => {
  const game = gameOf(position, adjudication);
  const orders = ordersUnder(position, reading, game).filter((order) => order !== NONE);
  const results = makeResults();
  adjudicate(game, orders, orders.length, results);
  const ends: Record<string, string> = {};
  const said: Record<string, string> = {};
  for (let p = 0; p < standard.provinceCount; p++) {
    if (position.units[p] === NO_UNIT) continue;
    const name = nameOf(position, p);
    const moved = orderType(results.order[p]) === MOVE && results.result[p] === SUCCEEDS;
    const at = moved ? orderTarget(results.order[p]) : position.locations[p];
    ends[name] = results.attacker[p] >= 0 ? 'x' : standard.locationTags[at];
    said[name] = words[results.result[p]];
  }
  return { game, results, ends, words: said };
};

/** Only the units that do not end where they began. */
export const changesOf = ({ ends }: Outcome): Record<string, string> =>
  Object.fromEntries(Object.entries(ends).filter(([unit, at]) => unit.slice(2) !== at));
