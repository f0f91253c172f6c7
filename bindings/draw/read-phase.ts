// Parses records for drawing: inputs or outputs of `lepanto adjudicate`.

import type { CompiledMap } from '../../engine/internal.js';
import { type AdjudicatedRecord, adjudicateRecord } from '../../engine/notation/json/adjudicate-record.js';
import { mapOf } from '../../engine/notation/json/map-of-record.js';
import {
  type ByPower,
  entriesByPower,
  formatPosition,
  parsePosition,
  type RetreatsByPower,
} from '../../engine/notation/json/position.js';
import { parseUnit, type RuleSet } from '../../engine/notation/text/index.js';
import { hasCode } from '../../engine/rules/error.js';
import {
  asObject,
  fieldOf,
  listOf,
  orElse,
  quote,
  refuse,
  refuseValue,
  type Shape,
  text,
} from '../../engine/rules/shape.js';
import type { DrawnOrder, DrawnPhase } from './drawn-phase.js';

/** A phase to draw, with its map. */
export interface MappedPhase {
  /** Map of the record, or the default map. */
  readonly map: CompiledMap;
  /** Phase to draw. */
  readonly phase: DrawnPhase;
}

const MAX_ENTRIES = 10_000;

const textsOf = (record: object, name: string): string[] => {
  const value = fieldOf(record, name);
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
};

const unitIn =
  (map: CompiledMap): Shape<string> =>
  (value, where) => {
    const unit = text(value, where);
    if (!/^[AF] \S+$/.test(unit)) return refuseValue(where, unit, 'one like A PAR or F STP/SC');
    try {
      parseUnit(map, unit);
      return unit;
    } catch (error) {
      if (hasCode(error, 'notation')) return refuse(`${where}: got ${quote(unit)} (${error.message})`);
      throw error;
    }
  };

const tagIn =
  (map: CompiledMap, wanted: string): Shape<string> =>
  (value, where) =>
    map.provinceTags.find((tag) => tag === value) ?? refuseValue(where, value, wanted);

/** Returns a parser of an order in an output of `lepanto adjudicate`. */
const entryIn =
  (map: CompiledMap): Shape<DrawnOrder> =>
  (value, where) => {
    const entry = asObject(value, where);
    const field = <T>(name: string, shape: Shape<T>): T | null =>
      orElse(shape, null)(fieldOf(entry, name), `${where}, ${name}`);
    const given = field('power', text);
    const power = given?.toUpperCase() ?? '';
    if (!map.powerNames.includes(power))
      return refuse(
        `${where}: got power ${given === null ? 'nothing' : quote(given)}, wanted ${map.powerNames.join(', ')}`,
      );
    const end = field('end', tagIn(map, 'the tag of a province'));
    return {
      power,
      order: field('order', text),
      unit: field('unit', unitIn(map)),
      result: field('result', text),
      fate: field('fate', text),
      reason: field('reason', text),
      ...(end === null ? {} : { end }),
    };
  };

const without = (list: readonly string[], one: string): string[] => {
  const at = list.indexOf(one);
  return at < 0 ? [...list] : list.toSpliced(at, 1);
};

/**
 * Returns the units and dislodged units before a phase, computed from an output with its results. Units removed by
 * civil disorder are missing, because the output does not name their powers.
 */
const positionBefore = (
  map: CompiledMap,
  record: object,
  orders: readonly DrawnOrder[],
): { readonly units: ByPower; readonly retreats: RetreatsByPower } => {
  const phase = orElse(text, '')(fieldOf(record, 'phase'), 'phase');
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

/**
 * Returns the orders of an output of `lepanto adjudicate`, with entries for removals by civil disorder: units that were
 * disbanded in winter without an order.
 * @param units units of each power before the phase
 */
export const answeredOrders = (
  units: ByPower,
  { phase, orders, disbanded }: Pick<AdjudicatedRecord, 'phase' | 'orders' | 'disbanded'>,
): readonly DrawnOrder[] => {
  if (!phase.endsWith('A')) return orders;
  const owners = new Map(Object.entries(units).flatMap(([power, list]) => list.map((unit) => [unit, power])));
  const ordered = new Set(orders.map(({ unit }) => unit));
  const removed = disbanded.flatMap((unit): DrawnOrder[] => {
    const power = owners.get(unit);
    if (power === undefined || ordered.has(unit)) return [];
    return [{ power, order: null, unit, result: 'fails', fate: null, reason: 'civil disorder' }];
  });
  return [...orders, ...removed];
};

/**
 * Parses a record of `lepanto adjudicate` for drawing, with its `map`, `options` and `mapEdits`. A record is a
 * position, a position with orders by power (which are adjudicated), or an output with the results of its orders.
 * @param given map of a record that names none
 * @throws LepantoError that names the invalid value
 */
export const readDrawnPhase = (input: unknown, given: CompiledMap, rules: RuleSet): MappedPhase => {
  const record = asObject(input, 'record');
  const map = mapOf(record, given);
  const orders = fieldOf(record, 'orders');
  if (Array.isArray(orders)) {
    const entries = listOf(entryIn(map), 0, MAX_ENTRIES)(orders, 'orders');
    const before = positionBefore(map, record, entries);
    const position = { phase: fieldOf(record, 'phase'), centers: fieldOf(record, 'centers') ?? {}, ...before };
    const phase = formatPosition(parsePosition(position, map, rules.adjudication).game);
    const contested = textsOf(record, 'contested').map((tag) => tagIn(map, 'tags of provinces')(tag, 'contested'));
    return { map, phase: { ...phase, orders: entries, contested } };
  }
  const phase = formatPosition(parsePosition(record, map, rules.adjudication).game);
  if (orders === undefined || orders === null) return { map, phase };
  const answer = adjudicateRecord(record, given, rules);
  return { map, phase: { ...phase, orders: answeredOrders(phase.units, answer), contested: answer.contested } };
};
