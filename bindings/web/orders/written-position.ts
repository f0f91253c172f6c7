// Reads positions in the form that pages use, with orders as text. The address of a board page has this form.
import type { CompiledMap, Rules } from '../../../engine/internal.js';
import { legalRecord } from '../../../engine/notation/json/legal-record.js';
import {
  type ByPower,
  formatPosition,
  parsePosition,
  type RetreatsByPower,
} from '../../../engine/notation/json/position.js';
import { DEFAULT_RULES, ruleSetByName } from '../../../engine/notation/text/index.js';
import { asTexts, byKey } from '../../../engine/rules/shape.js';
import { type Orderable, province } from './order-clicks.js';

export interface Placed {
  readonly phase: string;
  readonly units: ByPower;
  readonly centers: ByPower;
  readonly retreats: RetreatsByPower;
}

export interface WrittenPosition extends Placed {
  readonly map: string;
  readonly rules: string;
  /** Text of the orders, one per line: 'FRANCE A PAR - BUR'. */
  readonly orders: string;
}

/** Upper bound for the number of orders of a power. */
const MOST_ORDERS = 1000;

/** Returns only the fields of a position: phase, units, centres, and retreats in a retreat phase. */
export const positionIn = ({ phase, units, centers, retreats }: Placed): Partial<Placed> => ({
  ...{ phase, units, centers },
  ...(phase.endsWith('R') && { retreats }),
});

export const unitsIn = (byPower: ByPower): [power: string, unit: string][] =>
  Object.entries(byPower).flatMap(([power, units]) => units.map((unit): [string, string] => [power, unit]));

/**
 * Returns the power that may order in a province in this phase: in a retreat phase the power of the dislodged unit,
 * otherwise the power of the unit, otherwise the owner of the centre. Returns null if there is none.
 * @param tag the province
 */
export const ordererIn = ({ phase, retreats, units, centers }: Placed, tag: string): string | null => {
  const waiting = Object.fromEntries(Object.entries(retreats).map(([name, list]) => [name, Object.keys(list)]));
  const all = [...(phase.endsWith('R') ? unitsIn(waiting) : []), ...unitsIn(units)];
  const standing = all.find(([, unit]) => province(unit.slice(2)) === tag);
  return (standing ?? unitsIn(centers).find(([, center]) => center === tag))?.[0] ?? null;
};

/**
 * Returns all units and building centres that have legal orders in a position, with these orders.
 * @throws LepantoError if the position is invalid
 */
export const orderablesIn = (placed: Placed, map: CompiledMap, rules: Rules): Orderable[] =>
  Object.entries(legalRecord(positionIn(placed), map, rules).orders).flatMap(([power, byName]) =>
    Object.entries(byName).map(([name, orders]) => {
      const home = province(name.split(' ').at(-1) ?? '');
      return { power, name, home, orders };
    }),
  );

/**
 * Reads a record of `lepanto adjudicate`, or the position in an address.
 * @param value the record, unchecked
 * @param mapNamed returns the map of a name; throws for an unknown name
 * @param before map and rules of a record that names none; default: the standard ones
 * @throws LepantoError if the record is not a position
 */
export const readWrittenPosition = (
  value: Record<string, unknown>,
  mapNamed: (name: string) => CompiledMap,
  before: Pick<WrittenPosition, 'map' | 'rules'> = { map: 'standard', rules: DEFAULT_RULES.name },
): WrittenPosition => {
  const named = typeof value.map === 'string' ? value.map : before.map;
  const byRules = typeof value.rules === 'string' ? value.rules : before.rules;
  const { map: _, ...rest } = value;
  const { game } = parsePosition(rest, mapNamed(named), ruleSetByName(byRules).adjudication);
  const { phase, units, centers, retreats } = formatPosition(game);
  const given = phase.endsWith('R') ? (value.retreats as RetreatsByPower) : retreats;
  const ordersIn = byKey((list, where) => asTexts(list, where, MOST_ORDERS));
  const lines = (orders: ByPower): string[] =>
    Object.entries(orders).flatMap(([power, list]) => list.map((order) => `${power} ${order}`));
  const orders =
    typeof value.orders === 'string' ? value.orders : lines(ordersIn(value.orders ?? {}, 'orders')).join('\n');
  return { map: named, rules: byRules, phase, units, centers, retreats: given, orders };
};
