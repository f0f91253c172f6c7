// Adjudicates one phase of a position given as JSON. `lepanto adjudicate` calls it for each input record.

import {
  adjudicate,
  type CompiledMap,
  type Game,
  makeResults,
  phaseName,
  type Results,
  standard,
} from '../../internal.js';
import * as O from '../../rules/order.js';
import { asObject, describeValue, fieldOf, refuse } from '../../rules/shape.js';
import * as T from '../../rules/types.js';
import { DEFAULT_RULES, formatUnit, provincesIn, type RuleSet, type Units, unitsOf } from '../text/index.js';
import { mapOf } from './map-of-record.js';
import { type OrderEntry, outcomeIn, sortEntries } from './outcomes.js';
import {
  type ByPower,
  centersByPower,
  type GivenOrder,
  packedOrders,
  parsePosition,
  type RetreatsByPower,
  readOrders,
  retreatsByPower,
  sortUnits,
  unitsByPower,
} from './position.js';

/** The id of a record. An integer beyond Number.MAX_SAFE_INTEGER is a bigint. */
export type RecordId = string | number | bigint | boolean | null;

/** Output of `lepanto adjudicate`: the result of each order of a phase, and the position after the phase. */
export interface AdjudicatedRecord {
  /** The id of the input record, unchanged. Null if it has none. */
  readonly id: RecordId;
  /** Name of the adjudicated phase: 'S1901M'. */
  readonly phase: string;
  /** Name of the next phase; empty phases are skipped. COMPLETED if the game is won. */
  readonly next_phase: string;
  /** One entry for each order, in the order of the input, then one for each unit without an order. */
  readonly orders: readonly OrderEntry[];
  /** Names of the units after the phase, keyed by power name. Dislodged units are not included. */
  readonly units: ByPower;
  /** Tags of the supply centres owned after the phase, keyed by power name. */
  readonly centers: ByPower;
  /** Tag of the province that the attacker came from, keyed by dislodged unit: 'A TRI'. */
  readonly dislodged: Readonly<Record<string, string>>;
  /** Legal retreats of each dislodged unit that can retreat, keyed by power name, then by unit. */
  readonly retreats: RetreatsByPower;
  /** Names of the units destroyed because they were dislodged and had no legal retreat, sorted by location. */
  readonly destroyed: readonly string[];
  /** Tags of provinces left empty by a standoff, sorted. Units cannot retreat there. */
  readonly contested: readonly string[];
  /** Names of the units built in an adjustment phase, sorted by location. */
  readonly built: readonly string[];
  /** Names of the units that were disbanded, were removed or failed to retreat, sorted by location. */
  readonly disbanded: readonly string[];
}

/** Returns the id of a record, or null if it has none. @throws LepantoError if the id is an object or a list */
export const readId = (record: unknown): RecordId => {
  const id = typeof record === 'object' && record !== null ? fieldOf(record, 'id') : null;
  if (['string', 'number', 'bigint', 'boolean'].includes(typeof id)) return id as RecordId;
  return id === null || id === undefined ? null : refuse(`id: got ${describeValue(id)}, wanted text or a number`);
};

// ---- entries out ----

/** A phase after adjudication: its orders, their results, and the units before the phase. */
interface Played {
  readonly map: CompiledMap;
  readonly phase: number;
  readonly given: readonly GivenOrder[];
  readonly results: Results;
  readonly units: Units;
}

/** Returns the entry of a refused order: `fails` for an impossible build or removal, `illegal` for any other order. */
const refusedEntry = ({ map, phase }: Played, { power, text, read }: GivenOrder): OrderEntry => ({
  power: map.powerNames[power],
  unit: read.unit,
  order: text,
  result: T.resultNames[phase === T.ADJUSTMENT && !read.misplaced ? T.FAILS : T.ILLEGAL],
  fate: null,
  reason: read.reason,
});

const givenEntries = (played: Played): OrderEntry[] => {
  const { map, given } = played;
  const told = new Set<T.Province>();
  const obeyed = new Set(given.filter(({ read }) => read.order !== O.NONE).map(({ read }) => read.own));
  // If a unit has several orders, its fate appears once: with the valid order, or with the first order if none is
  // valid.
  const fateOf = ({ read }: GivenOrder): T.FateName => {
    if (read.own < 0 || told.has(read.own)) return null;
    if (read.order === O.NONE && obeyed.has(read.own)) return null;
    told.add(read.own);
    return T.fates[played.results.fate[read.own]];
  };
  return given.map((order) => {
    const fate = fateOf(order);
    if (order.read.order === O.NONE) return { ...refusedEntry(played, order), fate };
    const power = map.powerNames[order.power];
    if (O.orderType(order.read.order) === O.WAIVE)
      return { power, unit: null, order: 'WAIVE', result: T.resultNames[T.SUCCEEDS], fate, reason: null };
    const province = map.locationProvince[O.orderLocation(order.read.order)];
    const entry = outcomeIn(map, played.results, province);
    return { ...entry, fate, reason: entry.reason ?? order.read.note ?? null };
  });
};

/**
 * Returns an entry for each unit without an order: all units in a movement phase, dislodged units in a retreat phase.
 */
const silentEntries = (played: Played): OrderEntry[] => {
  const { map, phase, given, results } = played;
  if (phase === T.ADJUSTMENT) return [];
  const ordered = new Set(given.map(({ read }) => read.own));
  const entries: OrderEntry[] = [];
  for (let p = 0; p < map.provinceCount; p++) {
    if (results.unit[p] === T.NO_UNIT || ordered.has(p)) continue;
    entries.push({
      power: map.powerNames[T.unitPower(results.unit[p])],
      unit: formatUnit(map, results.unit[p], O.orderLocation(results.order[p])),
      order: null,
      result: T.resultNames[phase === T.MOVEMENT ? T.STANDS : T.FAILS],
      fate: T.fates[results.fate[p]],
      reason: phase === T.MOVEMENT ? null : 'no order',
    });
  }
  return sortEntries(entries);
};

// ---- the board out ----

/** Returns the names of the units in the results whose province passes a test, sorted by location. */
const unitsWhere = ({ map, results, units }: Played, test: (province: T.Province) => boolean): string[] => {
  const found: string[] = [];
  for (let p = 0; p < map.provinceCount; p++)
    if (results.unit[p] !== T.NO_UNIT && test(p)) found.push(formatUnit(map, units.unitAt(p), units.unitLocation(p)));
  return sortUnits(found);
};

const dislodgedUnits = (played: Played): Record<string, string> => {
  const { map, results, units } = played;
  const found: [string, string][] = [];
  for (let p = 0; p < map.provinceCount; p++)
    if (results.attacker[p] >= 0)
      found.push([formatUnit(map, units.unitAt(p), units.unitLocation(p)), map.provinceTags[results.attacker[p]]]);
  return Object.fromEntries(found.sort(([a], [b]) => (a.slice(2) < b.slice(2) ? -1 : 1)));
};

const contestedProvinces = ({ map, results }: Played): string[] =>
  provincesIn(map, results.contested)
    .map((p) => map.provinceTags[p])
    .sort();

const finish = (id: RecordId, phase: string, game: Game, played: Played): AdjudicatedRecord => {
  const { results } = played;
  const isOrder = (...types: number[]): ((p: T.Province) => boolean) => {
    return (p) => types.includes(O.orderType(results.order[p]));
  };
  const isDisbanded = isOrder(O.DISBAND, O.REMOVE);
  return {
    id,
    phase,
    next_phase: phaseName(game),
    orders: [...givenEntries(played), ...silentEntries(played)],
    units: unitsByPower(game),
    centers: centersByPower(game),
    dislodged: dislodgedUnits(played),
    retreats: retreatsByPower(game),
    destroyed: unitsWhere(played, (p) => results.fate[p] === T.DESTROYED),
    contested: contestedProvinces(played),
    built: unitsWhere(played, isOrder(O.BUILD_ARMY, O.BUILD_FLEET)),
    disbanded: unitsWhere(
      played,
      (p) => isDisbanded(p) || (played.phase === T.RETREAT && results.result[p] === T.FAILS),
    ),
  };
};

/**
 * Adjudicates one phase. Returns the result of each order and the position after the phase.
 *
 * Units without an order hold. Dislodged units without an order are disbanded. Builds without an order are not made.
 * Civil disorder chooses missing removals. An order that cannot be read or obeyed is `illegal`. An impossible build or
 * removal `fails`. The entry of the order gives the reason.
 * @param input `{id, phase, units, centers, retreats, builds, orders}` as JSON.parse() returns it. Optional `map`,
 *   `options` and `mapEdits` choose the map.
 * @param given map of a record without a `map` field
 * @throws LepantoError if the record is invalid; the message names the field
 */
export const adjudicateRecord = (
  input: unknown,
  given: CompiledMap = standard,
  rules: RuleSet = DEFAULT_RULES,
): AdjudicatedRecord => {
  const id = readId(input);
  const position = parsePosition(input, mapOf(input, given), rules.adjudication);
  const { game, due } = position;
  const { map } = game;
  const ordered = readOrders(position, rules.reading, fieldOf(asObject(input, 'record'), 'orders'));
  const name = phaseName(game);
  const { phase } = game;
  const orders = packedOrders(ordered);
  const results = makeResults();
  adjudicate(game, orders, orders.length, results, due);
  return finish(id, name, game, { map, phase, given: ordered, results, units: unitsOf(results) });
};
