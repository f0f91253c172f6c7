// Reads what is to be drawn: a record that `lepanto adjudicate` reads, or one that it writes.

import type { CompiledMap } from '../../engine/internal.js';
import { hasCode } from '../../engine/rules/error.js';
import { asObject, describeValue, fieldOf, quote, refuse } from '../../engine/rules/shape.js';
import { adjudicateRecord } from '../notation/json/adjudicate-record.js';
import { mapOf } from '../notation/json/map-of-record.js';
import {
  type ByPower,
  entriesByPower,
  formatPosition,
  parsePosition,
  type RetreatsByPower,
} from '../notation/json/position.js';
import { parseUnit, type RuleSet } from '../notation/text/index.js';
import type { DrawnOrder, DrawnPhase } from './drawn-phase.js';

/** A phase, and the map that it is drawn on. */
export interface MappedPhase {
  /** The map of the record, or the one that was given. */
  readonly map: CompiledMap;
  /** The phase. */
  readonly phase: DrawnPhase;
}

const MAX_ENTRIES = 10_000;

const textOf = (entry: object, name: string, what: string): string | null => {
  const value = fieldOf(entry, name);
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : refuse(`${what}, ${name}: got ${describeValue(value)}, wanted text`);
};

const textsOf = (record: object, name: string): string[] => {
  const value = fieldOf(record, name);
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
};

/** Reads a name of the map, so that one that it does not have is refused. */
const checked = (what: string, text: string, read: () => unknown): string => {
  try {
    read();
    return text;
  } catch (error) {
    if (hasCode(error, 'notation')) return refuse(`${what}: got ${quote(text)} (${error.message})`);
    throw error;
  }
};

const unitOf = (map: CompiledMap, entry: object, what: string): string | null => {
  const unit = textOf(entry, 'unit', what);
  if (unit === null) return null;
  const wanted = `${what}, unit`;
  if (!/^[AF] \S+$/.test(unit)) return refuse(`${wanted}: got ${quote(unit)}, wanted one like A PAR or F STP/SC`);
  return checked(wanted, unit, () => parseUnit(map, unit));
};

const endOf = (map: CompiledMap, entry: object, what: string): string | null => {
  const end = textOf(entry, 'end', what);
  if (end === null || map.provinceTags.includes(end)) return end;
  return refuse(`${what}, end: got ${quote(end)}, wanted the tag of a province`);
};

const contestedOf = (map: CompiledMap, record: object): string[] =>
  textsOf(record, 'contested').map((tag) =>
    map.provinceTags.includes(tag) ? tag : refuse(`contested: got ${quote(tag)}, wanted tags of provinces`),
  );

/** Orders as an answer of `lepanto adjudicate` has them. */
const readEntries = (map: CompiledMap, value: readonly unknown[]): DrawnOrder[] => {
  if (value.length > MAX_ENTRIES) refuse(`orders: got ${value.length}, wanted at most ${MAX_ENTRIES}`);
  return value.map((one, i) => {
    const what = `orders, entry ${i + 1}`;
    const entry = asObject(one, what);
    const power = textOf(entry, 'power', what);
    const name = power?.toUpperCase() ?? '';
    if (!map.powerNames.includes(name))
      return refuse(
        `${what}: got power ${power === null ? 'nothing' : quote(power)}, wanted ${map.powerNames.join(', ')}`,
      );
    const end = endOf(map, entry, what);
    return {
      power: name,
      order: textOf(entry, 'order', what),
      unit: unitOf(map, entry, what),
      result: textOf(entry, 'result', what),
      fate: textOf(entry, 'fate', what),
      reason: textOf(entry, 'reason', what),
      ...(end === null ? {} : { end }),
    };
  });
};

const without = (list: readonly string[], one: string): string[] => {
  const at = list.indexOf(one);
  return at < 0 ? [...list] : list.toSpliced(at, 1);
};

/**
 * Units and dislodged units before a phase, from the answer that says what it came to. Units removed by civil disorder are
 * not among them: an answer does not name their powers.
 */
const positionBefore = (
  map: CompiledMap,
  record: object,
  orders: readonly DrawnOrder[],
): { readonly units: ByPower; readonly retreats: RetreatsByPower } => {
  const phase = textOf(record, 'phase', 'record') ?? '';
  const units: ByPower = {};
  const retreats: RetreatsByPower = {};
  if (phase.endsWith('M')) {
    for (const { power, unit } of orders) {
      if (!unit) continue;
      units[power] ??= [];
      if (!units[power].includes(unit)) units[power].push(unit);
    }
    return { units, retreats };
  }
  for (const [power, , list] of entriesByPower(map, fieldOf(record, 'units'), 'units'))
    units[map.powerNames[power]] = Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
  const built = textsOf(record, 'built');
  for (const { power, unit, order, result } of orders) {
    if (!unit) continue;
    units[power] ??= [];
    if (phase.endsWith('R')) {
      retreats[power] ??= {};
      const to = /\bR (\S+)$/.exec(order ?? '')?.[1];
      retreats[power][unit] = to === undefined ? [] : [to];
      if (result === 'succeeds' && to !== undefined) units[power] = without(units[power], `${unit[0]} ${to}`);
    } else if (built.includes(unit)) units[power] = without(units[power], unit);
    else if (/ D$/.test(order ?? '') && result === 'succeeds') units[power].push(unit);
  }
  return { units, retreats };
};

const ownersOfUnits = (units: ByPower): ReadonlyMap<string, string> =>
  new Map(Object.entries(units).flatMap(([power, list]) => list.map((unit) => [unit, power] as const)));

/** Removals by civil disorder: disbanded units that no order names. */
const disorder = (units: ByPower, disbanded: readonly string[], orders: readonly DrawnOrder[]): DrawnOrder[] => {
  const owners = ownersOfUnits(units);
  const ordered = new Set(orders.map(({ unit }) => unit));
  return disbanded.flatMap((unit) => {
    const power = owners.get(unit);
    if (power === undefined || ordered.has(unit)) return [];
    return [{ power, order: null, unit, result: 'fails', fate: null, reason: 'civil disorder' }];
  });
};

/**
 * Reads a record of `lepanto adjudicate`, with its `map`, `options` and `mapEdits`, as what is to be drawn: a position;
 * one with orders by power, which are adjudicated; or an answer, with the results of its orders.
 * @param given the map of records that name none
 * @throws LepantoError that names what is wrong
 */
export const readDrawnPhase = (input: unknown, given: CompiledMap, rules: RuleSet): MappedPhase => {
  const record = asObject(input, 'record');
  const map = mapOf(record, given);
  const orders = fieldOf(record, 'orders');
  if (Array.isArray(orders)) {
    const entries = readEntries(map, orders);
    const before = positionBefore(map, record, entries);
    const position = { phase: fieldOf(record, 'phase'), centers: fieldOf(record, 'centers') ?? {}, ...before };
    const phase = formatPosition(parsePosition(position, map, rules.adjudication).game);
    return { map, phase: { ...phase, orders: entries, contested: contestedOf(map, record) } };
  }
  const phase = formatPosition(parsePosition(record, map, rules.adjudication).game);
  if (orders === undefined || orders === null) return { map, phase };
  const { orders: entries, contested, disbanded } = adjudicateRecord(record, given, rules);
  const removed = phase.phase.endsWith('A') ? disorder(phase.units, disbanded, entries) : [];
  return { map, phase: { ...phase, orders: [...entries, ...removed], contested } };
};
