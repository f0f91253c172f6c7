// Reads and runs cases given as data (test/data/*.json), one on each line.
//
// A case states a position, the orders and all their results:
//
//   units       units by power, before
//   orders      rows [power, order or null, result, fate?, unit?], one for every order and for every unit without one; a
//               unit is named where the order does not begin with it
//   after       units by power afterwards, the dislodged left out
//   dislodged   by dislodged unit: province of the attacker, and the legal retreats; none if it is destroyed
//   contested   provinces left empty by a standoff
//   retreat     of a retreat case, which plays the movement first: the same again, and why units are disbanded
//   centers, built, disbanded   of an adjustment case
//   map, options, mapEdits, rules, season   where they are not the standard map, without changes, datc-3.2, spring
//   ends        by unit: where a move by railroad ended that stops before its end
//   issue, choice, alternatives   the issue of DATC chapter 4 behind it, what was chosen, and other rulings
import * as assert from 'uvu/assert';
import type { CompiledMap, MapOption } from '../../engine/map/compiled-map.js';
import { changeMap, loadMap } from '../../engine/map/index.js';
import type { MapEditName } from '../../engine/map/map-options.js';
import { type AdjudicatedRecord, adjudicateRecord } from '../../engine/notation/json/adjudicate-record.js';
import { type RuleSet, ruleSetByName } from '../../engine/notation/text/rule-set.js';
import * as O from '../../engine/rules/order.js';
import { ARMY, FLEET, makeUnit, resultNames } from '../../engine/rules/types.js';
import { readData } from './data.js';

export type TextsByPower = Readonly<Record<string, readonly string[]>>;

/** Power, order or null, result, fate or null, unit. */
export type OrderRow = readonly [string, string | null, string, (string | null)?, string?];

/** Another ruling on the same orders; without results if it has none. */
export interface Alternative {
  readonly choice: string;
  readonly note?: string;
  /** Results of the rows, in their order. */
  readonly results?: readonly string[];
  readonly after?: TextsByPower;
}

export interface CaseRow {
  readonly id: string;
  readonly title: string;
  readonly phase: 'movement' | 'retreat' | 'adjustment';
  readonly units: TextsByPower;
  readonly orders: readonly OrderRow[];
  readonly after: TextsByPower;
  readonly dislodged?: Readonly<Record<string, readonly [string, readonly string[]]>>;
  readonly contested?: readonly string[];
  readonly retreat?: {
    readonly orders: readonly OrderRow[];
    readonly after: TextsByPower;
    readonly disbanded: Readonly<Record<string, string>>;
  };
  readonly map?: string;
  readonly options?: Readonly<Record<string, boolean>>;
  readonly mapEdits?: Readonly<Record<string, unknown>>;
  readonly rules?: string;
  readonly season?: 'fall';
  readonly ends?: Readonly<Record<string, string>>;
  readonly centers?: TextsByPower;
  readonly built?: TextsByPower;
  readonly disbanded?: Readonly<Record<string, string>>;
  readonly issue?: string;
  readonly choice?: string;
  readonly note?: string;
  readonly uncertain?: string;
  /** Shorter spellings of orders that mean the same. */
  readonly shortForm?: Readonly<Record<string, string>>;
  readonly alternatives?: readonly Alternative[];
}

/** The unit that an order row is about. */
export const rowUnit = ([, order, , , unit]: OrderRow): string =>
  unit ?? (order ?? '').split(' ').slice(0, 2).join(' ');

const checkRow = (id: string, row: OrderRow): void => {
  if (!(resultNames as readonly string[]).includes(row[2])) throw new Error(`case ${id}: got result ${row[2]}`);
  if (row[1] === null && row[4] === undefined) throw new Error(`case ${id}: a row without an order names no unit`);
};

/** What must be in a case for it to say anything. */
const checkCase = (row: CaseRow): void => {
  const lacks = (what: string): never => {
    throw new Error(`case ${row.id}: asserts nothing: no ${what}`);
  };
  for (const order of [...row.orders, ...(row.retreat?.orders ?? [])])
    if (row.phase !== 'adjustment') checkRow(row.id, order);
  if (row.after === undefined) lacks('positions');
  if (row.phase === 'adjustment') {
    if (row.built === undefined || row.disbanded === undefined) lacks('builds and disbands');
    if (row.orders.length === 0 && Object.keys(row.disbanded ?? {}).length === 0) lacks('result');
    return;
  }
  if (row.orders.length === 0) lacks('result');
  if (row.dislodged === undefined || row.contested === undefined) lacks('dislodged units and contested provinces');
  const units = Object.values(row.units).flat();
  for (const unit of units) if (!row.orders.some((order) => rowUnit(order) === unit)) lacks(`result for ${unit}`);
  if (row.phase === 'retreat' && row.retreat === undefined) lacks('retreats');
};

/** Checks a file of cases. @throws Error that names a case that asserts nothing, or a repeated id */
export const checkCases = (cases: readonly CaseRow[]): readonly CaseRow[] => {
  if (cases.length === 0) throw new Error('cases: got none');
  const ids = new Set<string>();
  for (const row of cases) {
    if (ids.has(row.id)) throw new Error(`case ${row.id}: is there twice`);
    ids.add(row.id);
    checkCase(row);
  }
  return cases;
};

/** Reads a file of test/data. */
export const loadCases = (name: string): readonly CaseRow[] => {
  return checkCases(readData<{ cases: CaseRow[] }>(name).cases);
};

// ---- the map of a case ----

/** The map that a case names, as adjudicate finds it. */
export const mapOfCase = ({ map = 'standard', options = {}, mapEdits = {} }: CaseRow): CompiledMap =>
  changeMap(loadMap(map), {
    options: new Map(Object.entries(options) as [MapOption, boolean][]),
    edits: new Map(
      (Object.entries(mapEdits) as [MapEditName, readonly (string | readonly string[])[]][]).map(([name, items]) => [
        name,
        items.map((item) => (typeof item === 'string' ? item : item.join('-'))),
      ]),
    ),
  });

// ---- the cases without the parser of bindings/: plain orders only, as these files spell them ----

/** Units and orders by province, as the oracle reads them, and the location of each unit. */
export interface CasePosition {
  readonly units: Uint8Array;
  readonly locations: Int16Array;
  readonly orders: Int32Array;
}

const locationOf = (map: CompiledMap, tag: string): number => {
  const location = map.locationTags.indexOf(tag);
  if (location < 0) throw new Error(`unknown location ${tag}`);
  return location;
};

const provinceOf = (map: CompiledMap, tag: string): number => map.locationProvince[locationOf(map, tag)];

/** Where a fleet ends that is sent to a province: on the only coast it can reach, if that has coasts. */
const fleetTarget = (map: CompiledMap, from: number, to: number): number => {
  const key = map.locationCount + from;
  const reached = [...map.moveTargets.subarray(map.moveOffsets[key], map.moveOffsets[key + 1])];
  return reached.includes(to) ? to : (reached.find((l) => map.locationProvince[l] === to) ?? to);
};

const readMove = (map: CompiledMap, isFleet: boolean, from: number, to: string, via: boolean): O.Order => {
  if (isFleet) return O.move(from, fleetTarget(map, from, locationOf(map, to)));
  const target = provinceOf(map, to);
  const key = map.moveTargets.subarray(map.moveOffsets[from], map.moveOffsets[from + 1]);
  return via || !key.includes(target) ? O.moveVia(from, target) : O.move(from, target);
};

const ORDER =
  /^([AF]) (\S+) (?:(H)|- TSR - (\S+)|- (\S+)( via convoy| VIA)?|S (?:([AF]) )?(\S+)(?: - (\S+))?|C A (\S+) - (\S+))$/;

/** Parses an order in the spelling of the cases. @param at location of the ordered unit */
export const readOrder = (map: CompiledMap, at: number, text: string): O.Order => {
  const leave = / PERMITS F (\S+) - \S+$/.exec(text);
  const found = ORDER.exec(text.slice(0, leave?.index));
  if (found === null) throw new Error(`cannot read order ${text}`);
  const order = orderFrom(map, at, found);
  const end = leave === null ? -1 : (map.special?.canal.indexOf(provinceOf(map, leave[1])) ?? -1);
  return end < 0 ? order : O.withLeave(order, end + 1);
};

const orderFrom = (map: CompiledMap, at: number, found: RegExpExecArray): O.Order => {
  const [, type, , holds, rideTo, to, via, helpedType, helped, helpedTo, army, landing] = found;
  if (holds !== undefined) return O.hold(at);
  if (rideTo !== undefined) return O.rail(at, provinceOf(map, rideTo));
  if (to !== undefined) return readMove(map, type === 'F', at, to, via !== undefined);
  if (army !== undefined) return O.convoy(at, provinceOf(map, army), provinceOf(map, landing));
  const from = provinceOf(map, helped);
  if (helpedTo === undefined) return O.supportHold(at, from);
  return O.supportMove(at, from, helpedType === 'F' ? locationOf(map, helpedTo) : provinceOf(map, helpedTo));
};

/** The position of a movement or retreat case with its orders; those that the case calls illegal are left out. */
export const readPosition = (map: CompiledMap, row: CaseRow): CasePosition => {
  const units = new Uint8Array(map.provinceCount);
  const locations = new Int16Array(map.provinceCount).fill(-1);
  const orders = new Int32Array(map.provinceCount).fill(O.NONE);
  for (const [power, list] of Object.entries(row.units))
    for (const unit of list) {
      const location = locationOf(map, unit.slice(2));
      units[map.locationProvince[location]] = makeUnit(map.powerNames.indexOf(power), unit[0] === 'F' ? FLEET : ARMY);
      locations[map.locationProvince[location]] = location;
    }
  for (const order of row.orders) {
    const province = provinceOf(map, rowUnit(order).slice(2));
    if (order[1] !== null && order[2] !== 'illegal') orders[province] = readOrder(map, locations[province], order[1]);
  }
  return { units, locations, orders };
};

/** Orders, or units, by power; a row without one counts for nothing. */
export const byPower = (
  rows: readonly (readonly [string, string | null, ...unknown[]])[],
): Record<string, string[]> => {
  const out: Record<string, string[]> = {};
  for (const [power, text] of rows) {
    if (text === null) continue;
    out[power] ??= [];
    out[power].push(text);
  }
  return out;
};

/** Reads lines like 'ENGLAND F APU - ADR', as differential.ts prints them: one for every unit there is. */
export const readLines = (map: CompiledMap, text: string): CasePosition => {
  const rows = text
    .split('\n')
    .map((line) => /^\s*(\S+)\s+(.+?)\s*$/.exec(line))
    .filter((found) => found !== null)
    .map(([, power, order]): OrderRow => [power, order, 'stands']);
  const units = byPower(rows.map((row) => [row[0], rowUnit(row)]));
  return readPosition(map, { id: '', title: '', phase: 'movement', units, orders: rows, after: {} });
};

// ---- the cases through `lepanto adjudicate` ----

export const sorted = (list: readonly string[]): string[] => [...list].sort();

/** By power, in one order, powers without any left out. */
export const tidy = (units: TextsByPower): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(units)
      .filter(([, list]) => list.length > 0)
      .map(([power, list]): [string, string[]] => [power, sorted(list)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** What must have a reason; the rest must have none. */
const FAILURES = ['fails', 'stops', 'cut', 'disrupted', 'invalid', 'illegal'];

/** Rows in the order of the answer: those with an order power by power, then those without. */
const rowsInOrder = (rows: readonly OrderRow[]): OrderRow[] => {
  const powers = Object.keys(byPower(rows));
  const given = powers.flatMap((power) => rows.filter((row) => row[0] === power && row[1] !== null));
  return [...given, ...rows.filter((row) => row[1] === null)];
};

const checkEntries = (
  answer: AdjudicatedRecord,
  rows: readonly OrderRow[],
  ends: Readonly<Record<string, string>> = {},
): void => {
  const expected = rowsInOrder(rows);
  const entries = answer.orders.filter(({ order, result }) => order !== null || result === 'stands');
  assert.equal(
    entries.map(({ power, unit, result, fate }) => [power, unit, result, fate]),
    expected.map((row) => [row[0], rowUnit(row), row[2], row[3] ?? null]),
  );
  const stopped = entries.flatMap(({ unit, end }) => (end === undefined ? [] : [[unit, end]]));
  assert.equal(Object.fromEntries(stopped), { ...ends }, 'where trains stop');
  for (const { order, result, reason } of entries) {
    const about = `reason of ${order}, which ${result}`;
    if (FAILURES.includes(result)) assert.ok(typeof reason === 'string' && reason.length > 0, about);
    else assert.is(reason, null, about);
  }
};

/** An order that counted is said in canonical form, any other as it was given. */
const checkTexts = (map: CompiledMap, answer: AdjudicatedRecord, row: CaseRow): void => {
  const { locations, orders } = readPosition(map, row);
  for (const [i, { order, result }] of answer.orders.entries()) {
    const expected = rowsInOrder(row.orders)[i];
    if (order === null) continue;
    if (result === 'illegal') assert.is(order, expected[1]);
    else {
      const province = provinceOf(map, rowUnit(expected).slice(2));
      assert.is(readOrder(map, locations[province], order), orders[province], `${order} for ${expected[1]}`);
    }
  }
};

const letterOf = (row: CaseRow): string => (row.season === 'fall' ? 'F' : 'S');
const afterSeason = (row: CaseRow, { units, centers }: AdjudicatedRecord): string => {
  if (row.season !== 'fall') return 'F1901M';
  return Object.keys(units).every((power) => units[power].length === centers[power].length) ? 'S1902M' : 'W1901A';
};
const rulesOf = (row: CaseRow): RuleSet => ruleSetByName(row.rules ?? 'datc-3.2');

/** What a line says besides phase, centres and orders. */
const fieldsOf = ({ id, map, options, mapEdits, units }: CaseRow) => ({ id, map, options, mapEdits, units });

const checkMovement = (map: CompiledMap, row: CaseRow): AdjudicatedRecord => {
  const phase = `${letterOf(row)}1901M`;
  const input = { ...fieldsOf(row), phase, centers: row.centers ?? {}, orders: byPower(row.orders) };
  const answer = adjudicateRecord(input, map, rulesOf(row));
  assert.is(answer.id, row.id);
  assert.is(answer.phase, phase);
  checkEntries(answer, row.orders, row.ends);
  checkTexts(map, answer, row);
  assert.equal(tidy(answer.units), tidy(row.after), 'units');
  const dislodged = Object.entries(row.dislodged ?? {});
  assert.equal({ ...answer.dislodged }, Object.fromEntries(dislodged.map(([unit, [by]]) => [unit, by])), 'dislodged');
  const waiting = dislodged.filter(([, [, retreats]]) => retreats.length > 0);
  const destroyed = dislodged.filter(([, [, retreats]]) => retreats.length === 0).map(([unit]) => unit);
  const open = Object.values(answer.retreats).flatMap((units) => Object.entries(units));
  const byUnit = (list: readonly (readonly [string, readonly string[]])[]): Record<string, string[]> =>
    Object.fromEntries(list.map(([unit, retreats]) => [unit, sorted(retreats)]));
  assert.equal(byUnit(open), byUnit(waiting.map(([unit, [, retreats]]) => [unit, retreats])), 'retreats');
  for (const [power, units] of Object.entries(answer.retreats))
    for (const unit of Object.keys(units)) assert.ok(row.units[power].includes(unit), `${unit} of ${power}`);
  assert.equal(sorted(answer.destroyed), sorted(destroyed), 'destroyed');
  assert.equal(sorted(answer.contested), sorted(row.contested ?? []), 'contested');
  assert.equal([answer.built, answer.disbanded], [[], []]);
  assert.is(answer.next_phase, waiting.length > 0 ? `${letterOf(row)}1901R` : afterSeason(row, answer));
  return answer;
};

const checkRetreats = (map: CompiledMap, row: CaseRow, moved: AdjudicatedRecord): void => {
  const { orders = [], after = {}, disbanded = {} } = row.retreat ?? {};
  if (!moved.next_phase.endsWith('R')) {
    assert.equal(orders, []);
    assert.equal(sorted(moved.destroyed), sorted(Object.keys(disbanded)), 'destroyed');
    assert.equal(tidy(moved.units), tidy(after));
    return;
  }
  const { next_phase: phase, units, centers, retreats } = moved;
  const input = { ...fieldsOf(row), phase, units, centers, retreats, orders: byPower(orders) };
  const answer = adjudicateRecord(input, map, rulesOf(row));
  checkEntries(answer, orders);
  assert.equal(tidy(answer.units), tidy(after), 'units');
  // A unit without an order has an entry of its own.
  const ordered = orders.map(rowUnit);
  const silent = Object.values(retreats).flatMap((list) => Object.keys(list).filter((unit) => !ordered.includes(unit)));
  const entries = answer.orders.filter(({ order }) => order === null);
  assert.equal(sorted(entries.map(({ unit }) => unit ?? '')), sorted(silent));
  for (const { result, reason } of entries) assert.equal([result, reason], ['fails', 'no order']);
  const gone = Object.keys(disbanded).filter((unit) => disbanded[unit] !== 'no retreat possible');
  assert.equal(sorted(answer.disbanded), sorted(gone), 'disbanded');
  assert.equal([answer.dislodged, answer.retreats, answer.destroyed, answer.built], [{}, {}, [], []]);
  assert.is(answer.next_phase, afterSeason(row, answer));
};

const checkAdjustments = (map: CompiledMap, row: CaseRow): void => {
  const { centers = {}, built = {}, disbanded = {} } = row;
  const input = { ...fieldsOf(row), phase: 'W1901A', centers, orders: byPower(row.orders) };
  const answer = adjudicateRecord(input, map, rulesOf(row));
  assert.equal(
    answer.orders.map(({ power, result }) => [power, result]),
    rowsInOrder(row.orders).map(([power, , result]) => [power, result]),
  );
  for (const { order, result, reason } of answer.orders)
    assert.is(typeof reason, result === 'fails' ? 'string' : 'object', `reason of ${order}, which ${result}`);
  assert.equal(tidy(answer.units), tidy(row.after), 'units');
  assert.equal(tidy(answer.centers), tidy(centers), 'centers');
  assert.equal(sorted(answer.built), sorted(Object.values(built).flat()), 'built');
  assert.equal(sorted(answer.disbanded), sorted(Object.keys(disbanded)), 'disbanded');
  assert.is(answer.next_phase, 'S1902M');
};

/** Plays a case as `lepanto adjudicate` does and asserts all that it states. */
export const checkByCommand = (map: CompiledMap, row: CaseRow): void => {
  if (row.phase === 'adjustment') checkAdjustments(map, row);
  else {
    const moved = checkMovement(map, row);
    if (row.phase === 'retreat') checkRetreats(map, row, moved);
  }
};
