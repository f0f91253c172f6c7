// One phase of a position, as JSON: `lepanto adjudicate` for programs.
import {
  ADJUSTMENT,
  adjudicate,
  BUILD_ARMY,
  BUILD_FLEET,
  type CompiledMap,
  DATC_3_2,
  DESTROYED,
  DISBAND,
  FAILS,
  fates,
  type Game,
  ILLEGAL,
  MOVEMENT,
  makeResults,
  NO_UNIT,
  NONE,
  type Order,
  orderLocation,
  orderType,
  type Power,
  type Province,
  phaseName,
  REMOVE,
  RETREAT,
  type Results,
  type Rules,
  resultNames,
  STANDS,
  SUCCEEDS,
  standard,
  unitPower,
  WAIVE,
} from '../../engine/internal.js';
import {
  formatOrder,
  formatUnit,
  type Interpreted,
  type Interpreter,
  makeInterpreter,
  NotationError,
  parseOrder,
  provincesIn,
  settleSurplus,
  settleTwice,
  type Units,
  unitsOf,
} from '../text/index.js';
import {
  asObject,
  asTexts,
  type ByPower,
  centersByPower,
  describeValue,
  entriesByPower,
  fieldOf,
  type Position,
  parsePosition,
  type RetreatsByPower,
  refuse,
  retreatsByPower,
  sortUnits,
  unitsByPower,
} from './position.js';
import { describeFailure } from './reasons.js';

/** The most orders that one power may give: many more than it can have units. */
export const MAX_ORDERS = 1000;

/** What a record may be called by. */
export type RecordId = string | number | boolean | null;

/** What became of an order, or of a unit without one. */
export interface OrderEntry {
  readonly power: string;
  /** The unit as it stood before the phase, or as it was built; null if there is none. */
  readonly unit: string | null;
  /** In canonical form if it counted, as it was given if it did not; null for a unit without an order. */
  readonly order: string | null;
  readonly result: string;
  /** 'dislodged' or 'destroyed'; said once of a unit. */
  readonly fate: string | null;
  readonly reason: string | null;
}

export interface AdjudicatedRecord {
  readonly id: RecordId;
  readonly phase: string;
  /** Where the game stands then; empty phases are skipped. COMPLETED if it is won. */
  readonly next_phase: string;
  /** One for each order, as they were given, then one for each unit without an order. */
  readonly orders: readonly OrderEntry[];
  readonly units: ByPower;
  readonly centers: ByPower;
  /** Every dislodged unit, with the province that its attacker came from. */
  readonly dislodged: Readonly<Record<string, string>>;
  /** Where those of them that can retreat may go. */
  readonly retreats: RetreatsByPower;
  readonly destroyed: readonly string[];
  readonly contested: readonly string[];
  readonly built: readonly string[];
  readonly disbanded: readonly string[];
}

/** The id of a record; null if it has none. @throws RecordError if it is neither text, number, boolean nor null */
export const readId = (record: unknown): RecordId => {
  const id = typeof record === 'object' && record !== null ? fieldOf(record, 'id') : null;
  if (typeof id === 'string' || typeof id === 'number' || typeof id === 'boolean') return id;
  return id === null || id === undefined ? null : refuse(`id: got ${describeValue(id)}, wanted text or a number`);
};

// ---- orders in ----

/** An order as it was given, and what the rules make of it. */
export interface GivenOrder {
  readonly power: Power;
  readonly text: string;
  readonly read: Interpreted;
}

const readText = (map: CompiledMap, interpret: Interpreter, power: Power, text: string): Interpreted => {
  try {
    return interpret(power, parseOrder(map, text));
  } catch (error) {
    if (!(error instanceof NotationError)) throw error;
    return { order: NONE, reason: error.message, unit: null, own: -1, misplaced: true };
  }
};

/**
 * Orders by power as JSON has them, all of a phase: what counts where there are too many is settled by the rules.
 * @throws RecordError for what is no list of text
 */
export const readOrders = ({ game, retreats, due }: Position, value: unknown): GivenOrder[] => {
  const { map } = game;
  if (value === undefined || value === null) return [];
  const interpret = makeInterpreter(game, retreats, due);
  const given: GivenOrder[] = [];
  for (const [power, what, list] of entriesByPower(map, value, 'orders')) {
    if (list === null) continue;
    for (const text of asTexts(list, what, MAX_ORDERS))
      given.push({ power, text, read: readText(map, interpret, power, text) });
  }
  const all = given.map(({ power, read }): readonly [Power, Interpreted] => [power, read]);
  const once = settleTwice(game.rules, all);
  const settled =
    game.phase === ADJUSTMENT
      ? settleSurplus(
          game,
          due,
          all.map(([power], i) => [power, once[i]]),
        )
      : once;
  return given.map((order, i) => ({ ...order, read: settled[i] }));
};

// ---- entries out ----

/** The game before a phase, its orders, and what became of them. */
interface Played {
  readonly map: CompiledMap;
  readonly phase: number;
  readonly given: readonly GivenOrder[];
  readonly results: Results;
  readonly units: Units;
}

const isUnitOrder = (order: Order): boolean => order !== NONE && orderType(order) !== WAIVE;

/** What is said of an order that counted. */
const judged = (played: Played, order: Order): Pick<OrderEntry, 'unit' | 'result' | 'reason'> => {
  const { map, phase, results } = played;
  if (!isUnitOrder(order)) return { unit: null, result: resultNames[SUCCEEDS], reason: null };
  const province = map.locationProvince[orderLocation(order)];
  const unit = formatUnit(map, results.unit[province], orderLocation(order));
  const reason = phase === ADJUSTMENT ? null : describeFailure(map, results, province);
  return { unit, result: resultNames[results.result[province]], reason };
};

const fateIn = ({ results, phase }: Played, province: Province): string | null =>
  phase === MOVEMENT ? fates[results.fate[province]] : null;

/** An order that did not count: illegal, but a build or removal that cannot be done just fails. */
const refusedEntry = ({ map, phase }: Played, { power, text, read }: GivenOrder): OrderEntry => ({
  power: map.powerNames[power],
  unit: read.unit,
  order: text,
  result: resultNames[phase === ADJUSTMENT && !read.misplaced ? FAILS : ILLEGAL],
  fate: null,
  reason: read.reason,
});

const givenEntries = (played: Played): OrderEntry[] => {
  const { map, given } = played;
  const told = new Set<Province>();
  const obeyed = new Set(given.filter(({ read }) => read.order !== NONE).map(({ read }) => read.own));
  // A unit's fate is said with the order that counted, or with its first one if none did.
  const fateOf = ({ read }: GivenOrder): string | null => {
    if (read.own < 0 || told.has(read.own)) return null;
    if (read.order === NONE && obeyed.has(read.own)) return null;
    told.add(read.own);
    return fateIn(played, read.own);
  };
  return given.map((order) => {
    const fate = fateOf(order);
    if (order.read.order === NONE) return { ...refusedEntry(played, order), fate };
    const { unit, result, reason } = judged(played, order.read.order);
    const text = formatOrder(map, order.read.order, played.units);
    return { power: map.powerNames[order.power], unit, order: text, result, fate, reason };
  });
};

/** Units of a movement phase, or dislodged units, to which their power gave no order at all. */
const silentEntries = (played: Played): OrderEntry[] => {
  const { map, phase, given, results } = played;
  if (phase === ADJUSTMENT) return [];
  const ordered = new Set(given.map(({ read }) => read.own));
  const entries: OrderEntry[] = [];
  for (let p = 0; p < map.provinceCount; p++) {
    if (results.unit[p] === NO_UNIT || ordered.has(p)) continue;
    entries.push({
      power: map.powerNames[unitPower(results.unit[p])],
      unit: formatUnit(map, results.unit[p], orderLocation(results.order[p])),
      order: null,
      result: resultNames[phase === MOVEMENT ? STANDS : FAILS],
      fate: fateIn(played, p),
      reason: phase === MOVEMENT ? null : 'no order',
    });
  }
  const key = (entry: OrderEntry): string => entry.power + (entry.unit ?? '').slice(2);
  return entries.sort((a, b) => (key(a) < key(b) ? -1 : 1));
};

// ---- the board out ----

/** Units of the results that a test is true of, sorted. */
const unitsWhere = ({ map, results, units }: Played, test: (province: Province) => boolean): string[] => {
  const found: string[] = [];
  for (let p = 0; p < map.provinceCount; p++)
    if (results.unit[p] !== NO_UNIT && test(p)) found.push(formatUnit(map, units.unitAt(p), units.unitLocation(p)));
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
  const isOrder = (...types: number[]): ((p: Province) => boolean) => {
    return (p) => types.includes(orderType(results.order[p]));
  };
  const isDisbanded = isOrder(DISBAND, REMOVE);
  return {
    id,
    phase,
    next_phase: phaseName(game),
    orders: [...givenEntries(played), ...silentEntries(played)],
    units: unitsByPower(game),
    centers: centersByPower(game),
    dislodged: dislodgedUnits(played),
    retreats: retreatsByPower(game),
    destroyed: unitsWhere(played, (p) => results.fate[p] === DESTROYED),
    contested: contestedProvinces(played),
    built: unitsWhere(played, isOrder(BUILD_ARMY, BUILD_FLEET)),
    disbanded: unitsWhere(played, (p) => isDisbanded(p) || (played.phase === RETREAT && results.result[p] === FAILS)),
  };
};

/**
 * Plays one phase: `{id, phase, units, centers, retreats, builds, orders}` as JSON.parse() gives it, to what became of
 * each order and the position after. Units without an order hold, dislodged ones without an order are disbanded, builds
 * without an order are not made, removals fall to civil disorder. An order that cannot be read or obeyed is `illegal`,
 * a build or removal that cannot be done `fails`; the entry says why.
 * @throws RecordError that names what is wrong with the record
 */
export const adjudicateRecord = (
  input: unknown,
  map: CompiledMap = standard,
  rules: Rules = DATC_3_2,
): AdjudicatedRecord => {
  const id = readId(input);
  const position = parsePosition(input, map, rules);
  const { game, due } = position;
  const given = readOrders(position, fieldOf(asObject(input, 'record'), 'orders'));
  const name = phaseName(game);
  const { phase } = game;
  const orders = Int32Array.from(given.map(({ read }) => read.effect ?? read.order).filter((order) => order !== NONE));
  const results = makeResults();
  adjudicate(game, orders, orders.length, results, due);
  return finish(id, name, game, { map, phase, given, results, units: unitsOf(results) });
};
