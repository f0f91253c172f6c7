// Converts positions between JSON records and games, and reads orders in JSON. Validates every field of a record:
//
//   {"phase": "S1901M", "units": {"AUSTRIA": ["A BUD", ...]}, "centers": {"AUSTRIA": ["BUD", ...]},
//    "retreats": {"ITALY": {"A TRI": ["VEN"]}}, "builds": {"RUSSIA": -1}}

import {
  adjustmentDue,
  adjustmentsDue,
  berthsIn,
  type CompiledMap,
  Game,
  PHASE_LETTERS,
  phaseName,
  type Rules,
  retreatLocations,
  SEASON_LETTERS,
} from '../../internal.js';
import { hasCode, LepantoError } from '../../rules/error.js';
import * as O from '../../rules/order.js';
import { asObject, asTexts, describeValue, fieldOf, quote, refuse } from '../../rules/shape.js';
import * as T from '../../rules/types.js';
import {
  DATC_READING,
  findPower,
  formatUnit,
  type Interpreted,
  interpretOrders,
  listLocations,
  listPowers,
  type Place,
  type Position,
  parsePlace,
  parseUnit,
  type Reading,
  type Retreats,
} from '../text/index.js';

/** Names of units, or tags of supply centres, keyed by power name. */
export type ByPower = Record<string, string[]>;
/** Tags of legal retreats, keyed by power name, then by dislodged unit. */
export type RetreatsByPower = Record<string, ByPower>;

const LAST_YEAR = 9999;

// ---- powers ----

/**
 * Reads an object keyed by power name. Returns the power, a description for messages and the value of each entry.
 * @param what name of the field, for messages
 * @throws LepantoError if the value is not an object, or for an unknown or repeated power
 */
export const entriesByPower = (map: CompiledMap, value: unknown, what: string): [T.Power, string, unknown][] => {
  const seen = new Set<T.Power>();
  const entries = Object.entries(asObject(value, what));
  return entries.map(([name, entry]) => {
    const power = findPower(map, name);
    if (power < 0) refuse(`${what}: got power ${quote(name)}, wanted ${listPowers(map)}`);
    if (seen.has(power)) refuse(`${what}: got ${map.powerNames[power]} twice, wanted each power once`);
    seen.add(power);
    return [power, `${what} of ${map.powerNames[power]}`, entry];
  });
};

/**
 * Reads the field "power" (one name) or "powers" (a list) of a record, without duplicates. Returns null if both are
 * absent.
 * @throws LepantoError for an unknown power, or if a name is not text
 */
export const readPowers = (record: object, map: CompiledMap): readonly T.Power[] | null => {
  const one = fieldOf(record, 'power');
  const many = one === undefined || one === null ? fieldOf(record, 'powers') : [one];
  if (many === undefined) return null;
  const powers = asTexts(many, 'powers', map.powerCount).map((name) => {
    const power = findPower(map, name);
    return power < 0 ? refuse(`power: got ${quote(name)}, wanted ${listPowers(map)}`) : power;
  });
  return [...new Set(powers)];
};

/**
 * Returns the result of `read`. Turns its notation error into one that names the field and the text.
 * @param what name of the field, for the message
 * @param text text that `read` reads, for the message
 * @throws LepantoError if `read` throws one
 */
const named = <V>(what: string, text: string, read: () => V): V => {
  try {
    return read();
  } catch (error) {
    if (hasCode(error, 'notation')) return refuse(`${what}, ${quote(text)}: ${error.message}`);
    throw error;
  }
};

// ---- the phase ----

/** Splits a phase name like 'S1901M' into season, year and phase. @throws LepantoError for any other value */
const splitPhase = (value: unknown): string[] => {
  const found = typeof value === 'string' ? /^([SF])(\d{1,5})([MR])$|^(W)(\d{1,5})(A)$/i.exec(value) : null;
  if (found === null) return refuse(`phase: got ${describeValue(value)}, wanted one like S1901M, F1901R or W1901A`);
  return found.slice(1).filter((part) => part !== undefined);
};

const parsePhase = (game: Game, value: unknown): void => {
  const [season, year, phase] = splitPhase(value);
  if (Number(year) < 1 || Number(year) > LAST_YEAR) refuse(`phase: got year ${year}, wanted 1 to ${LAST_YEAR}`);
  game.season = SEASON_LETTERS.indexOf(season.toUpperCase());
  game.year = Number(year);
  game.phase = PHASE_LETTERS.indexOf(phase.toUpperCase());
};

// ---- units and centres ----

/** Returns the location of a unit. @throws LepantoError if a unit of this type cannot be there, or needs a coast */
const unitLocation = (map: CompiledMap, type: number, { province, coast }: Place): T.Location => {
  const tag = map.provinceTags[province];
  if (type === T.ARMY) {
    if (map.kind[province] === T.SEA)
      throw new LepantoError('notation', `got an army at sea, wanted a fleet in ${tag}`);
    if (coast >= 0) throw new LepantoError('notation', `got an army on a coast, wanted A ${tag}`);
    return province;
  }
  if (map.kind[province] === T.LAND) throw new LepantoError('notation', `got a fleet inland, wanted an army in ${tag}`);
  const berths = berthsIn(map, province);
  if (coast < 0 && !berths.includes(province))
    throw new LepantoError('notation', `got no coast, wanted one of ${listLocations(map, berths)}`);
  return coast < 0 ? province : coast;
};

interface PlacedUnit {
  readonly type: number;
  readonly location: T.Location;
  readonly province: T.Province;
}

const readUnit = (map: CompiledMap, what: string, text: string): PlacedUnit =>
  named(what, text, () => {
    if (text.includes('*')) throw new LepantoError('notation', 'got a dislodged unit, wanted it in "retreats"');
    const unit = parseUnit(map, text);
    return { type: unit.type, location: unitLocation(map, unit.type, unit), province: unit.province };
  });

const readUnits = (game: Game, value: unknown): void => {
  const { map } = game;
  for (const [power, what, list] of entriesByPower(map, value, 'units'))
    for (const text of asTexts(list, what, map.provinceCount)) {
      const { type, location, province } = readUnit(map, what, text);
      if (game.unitAt(province) !== T.NO_UNIT)
        refuse(`${what}, ${quote(text)}: got a second unit in ${map.provinceTags[province]}, wanted one`);
      game.placeUnit(power, type, location);
    }
};

const readCenters = (game: Game, value: unknown): void => {
  const { map } = game;
  for (const [power, what, list] of entriesByPower(map, value, 'centers'))
    for (const text of asTexts(list, what, map.centerCount)) {
      const { province } = named(what, text, () => parsePlace(map, text));
      const center = map.centerIndex[province];
      if (center < 0) refuse(`${what}: got ${map.provinceTags[province]}, wanted a supply centre`);
      if (game.owner(center) >= 0) refuse(`${what}: got ${map.provinceTags[province]}, which has an owner already`);
      game.setOwner(center, power);
    }
};

// ---- retreats ----

const ways = new Int32Array(256);

/**
 * Returns the legal retreats of a dislodged unit, in ascending order of location.
 * @param unit power and type of the unit, packed (rules/types.ts)
 * @param attacker province that the attacker came from, or -1 if no province is barred for that reason
 */
const openRetreats = (game: Game, unit: number, location: T.Location, attacker: number): T.Location[] => [
  ...ways.subarray(0, retreatLocations(game, unit, location, attacker, ways)),
];

/**
 * Reads one legal retreat of a dislodged unit. The coast may be omitted if only one location of the province is
 * possible.
 * @param empty locations next to the unit without a unit in them
 * @throws LepantoError if the text names none of them, or several
 */
const readRetreat = (map: CompiledMap, what: string, text: string, empty: readonly T.Location[]): T.Location => {
  const { province, coast } = named(what, text, () => parsePlace(map, text));
  const possible = empty.filter((l) => map.locationProvince[l] === province && (coast < 0 || l === coast));
  if (possible.length === 1) return possible[0];
  return possible.length === 0
    ? refuse(`${what}: got ${quote(text)}, wanted an empty place next to the unit`)
    : refuse(`${what}: got ${quote(text)}, wanted one of ${listLocations(map, possible)}`);
};

interface Waiting {
  readonly unit: number;
  readonly location: T.Location;
  readonly province: T.Province;
  readonly empty: readonly T.Location[];
  readonly open: readonly T.Location[];
}

const readWaiting = (game: Game, power: T.Power, what: string, text: string, list: unknown): Waiting => {
  const { map } = game;
  const { type, location, province } = readUnit(map, what, text.replace('*', ''));
  const unit = T.makeUnit(power, type === T.FLEET ? T.FLEET : T.ARMY);
  // No province is contested yet, so this returns every empty location next to the unit.
  const empty = openRetreats(game, unit, location, -1);
  const where = `${what}, ${quote(text)}`;
  const open = asTexts(list, where, map.locationCount).map((place) => readRetreat(map, where, place, empty));
  return { unit, location, province, empty, open: [...new Set(open)].sort((a, b) => a - b) };
};

/**
 * Adds the dislodged units to the game, and chooses attackers and contested provinces that explain the retreats of the
 * record. A province barred to one unit but open to another becomes the origin of the first unit's attacker. Every
 * other barred province becomes contested. Several explanations may fit, so Position.retreats keeps the retreats of the
 * record.
 */
const setBarriers = (game: Game, waiting: readonly Waiting[]): void => {
  const { locationProvince } = game.map;
  const free = new Set(waiting.flatMap(({ open }) => open.map((l) => locationProvince[l])));
  for (const { unit, location, empty, open } of waiting) {
    const opened = open.map((l) => locationProvince[l]);
    const barred = empty.map((l) => locationProvince[l]).filter((p) => !opened.includes(p));
    game.addDislodged(unit, location, barred.find((p) => free.has(p)) ?? -1);
    for (const p of barred) if (!free.has(p)) game.setContested(p);
  }
};

const readRetreats = (game: Game, value: unknown): Retreats => {
  const { map, layout } = game;
  if (value === undefined) return refuse('retreats: got nothing, wanted the dislodged units of a retreat phase');
  const waiting: Waiting[] = [];
  for (const [power, what, units] of entriesByPower(map, value, 'retreats'))
    for (const [text, list] of Object.entries(asObject(units, what))) {
      if (waiting.length === layout.maxDislodged) refuse(`retreats: got more than ${layout.maxDislodged} units`);
      const unit = readWaiting(game, power, what, text, list);
      if (waiting.some(({ province }) => province === unit.province))
        refuse(
          `${what}, ${quote(text)}: got a second dislodged unit in ${map.provinceTags[unit.province]}, wanted one`,
        );
      waiting.push(unit);
    }
  waiting.sort((a, b) => a.province - b.province);
  setBarriers(game, waiting);
  return new Map(waiting.map(({ province, open }) => [province, open]));
};

const checkNoRetreats = (map: CompiledMap, value: unknown, phase: string): void => {
  if (value === undefined || value === null) return;
  for (const [, what, units] of entriesByPower(map, value, 'retreats'))
    if (Object.keys(asObject(units, what)).length > 0) refuse(`${what}: got some in phase ${phase}, wanted none`);
};

// ---- builds ----

const readDue = (game: Game, value: unknown): Int32Array => {
  const { map } = game;
  const due = Int32Array.from({ length: map.powerCount }, (_, power) => adjustmentDue(game, power));
  if (value === undefined || value === null) return due;
  const units = new Int32Array(map.powerCount);
  game.countUnits(units);
  for (const [power, what, count] of entriesByPower(map, value, 'builds')) {
    if (typeof count !== 'number' || !Number.isInteger(count))
      return refuse(`${what}: got ${describeValue(count)}, wanted a whole number`);
    if (count < -units[power] || count > map.centerCount)
      refuse(`${what}: got ${count}, wanted ${-units[power]} (its units) to ${map.centerCount}`);
    due[power] = count;
  }
  return due;
};

// ---- in ----

/**
 * Reads a position from a record.
 *
 * `phase` and `units` are required. `centers` is required in an adjustment phase, `retreats` in a retreat phase. A
 * centre that is not listed has no owner. `builds` is read only in an adjustment phase; the builds of a power not named
 * there are computed from its units and centres. The legal retreats are exactly the ones in the record. Attackers need
 * not be on the board. Unknown fields are ignored.
 * @param value a record as JSON.parse() returns it
 * @throws LepantoError if a field is invalid; the message names the field
 */
export const parsePosition = (value: unknown, map: CompiledMap, rules: Rules): Position => {
  const record = asObject(value, 'record');
  const game = new Game(map, rules);
  parsePhase(game, fieldOf(record, 'phase'));
  readUnits(game, fieldOf(record, 'units'));
  const centers = fieldOf(record, 'centers');
  if (centers !== undefined || game.phase === T.ADJUSTMENT) readCenters(game, centers);
  const given = fieldOf(record, 'retreats');
  if (game.phase !== T.RETREAT) checkNoRetreats(map, given, phaseName(game));
  const retreats: Retreats = game.phase === T.RETREAT ? readRetreats(game, given) : new Map();
  const due = game.phase === T.ADJUSTMENT ? readDue(game, fieldOf(record, 'builds')) : new Int32Array(map.powerCount);
  return { game, retreats, due };
};

/** Returns the legal retreats of each dislodged unit, keyed by the province of the unit. */
const retreatsIn = (game: Game): Map<T.Province, T.Location[]> => {
  const dislodged = Array.from({ length: game.dislodgedCount }, (_, i) => game.dislodged(i));
  return new Map(
    dislodged.map(({ unit, location, province, attacker }) => [province, openRetreats(game, unit, location, attacker)]),
  );
};

/** Returns the position of a game, with its legal retreats and the builds due. */
export const positionOf = (game: Game): Position => {
  const due = new Int32Array(game.map.powerCount);
  if (game.phase === T.ADJUSTMENT) adjustmentsDue(game, due);
  return { game, retreats: game.phase === T.RETREAT ? retreatsIn(game) : new Map(), due };
};

// ---- out ----

/** Sorts unit names in place by location tag, not by the map's order of provinces. Returns the same array. */
export const sortUnits = (units: string[]): string[] => units.sort((a, b) => (a.slice(2) < b.slice(2) ? -1 : 1));

/** Returns an object with an empty list for each power name. */
export const emptyByPower = (map: CompiledMap): ByPower => Object.fromEntries(map.powerNames.map((name) => [name, []]));

/**
 * Returns the units on the board, without dislodged ones, keyed by power name and sorted by location. Lists may be
 * empty.
 */
export const unitsByPower = (game: Game): ByPower => {
  const { map } = game;
  const found = emptyByPower(map);
  for (let p = 0; p < map.provinceCount; p++) {
    const unit = game.unitAt(p);
    if (unit !== T.NO_UNIT) found[map.powerNames[T.unitPower(unit)]].push(formatUnit(map, unit, game.unitLocation(p)));
  }
  for (const units of Object.values(found)) sortUnits(units);
  return found;
};

/** Returns the tags of owned centres, keyed by power name and sorted. Lists may be empty. */
export const centersByPower = (game: Game): ByPower => {
  const { map } = game;
  const found = emptyByPower(map);
  for (let c = 0; c < map.centerCount; c++)
    if (game.owner(c) >= 0) found[map.powerNames[game.owner(c)]].push(map.provinceTags[map.centers[c]]);
  for (const centers of Object.values(found)) centers.sort();
  return found;
};

/** Returns the legal retreats of each dislodged unit, keyed by power name, then by unit. Omits other powers. */
export const retreatsByPower = (game: Game): RetreatsByPower => {
  const { map } = game;
  const found: [string, string, string[]][] = [];
  const places = retreatsIn(game);
  for (let i = 0; i < game.dislodgedCount; i++) {
    const { unit, location, province } = game.dislodged(i);
    const open = (places.get(province) ?? []).map((l) => map.locationTags[l]).sort();
    found.push([map.powerNames[T.unitPower(unit)], formatUnit(map, unit, location), open]);
  }
  found.sort(([powerA, unitA], [powerB, unitB]) => (powerA + unitA.slice(2) < powerB + unitB.slice(2) ? -1 : 1));
  const retreats: RetreatsByPower = {};
  for (const [power, unit, open] of found) {
    if (!Object.hasOwn(retreats, power)) retreats[power] = {};
    retreats[power][unit] = open;
  }
  return retreats;
};

/** A position as JSON. formatPosition() writes it and parsePosition() reads it. */
export interface PositionRecord {
  /** Name of the phase: 'S1901M'. */
  readonly phase: string;
  /** Units, such as 'A BUD' and 'F STP/SC', keyed by power name. */
  readonly units: ByPower;
  /** Tags of owned supply centres, keyed by power name. */
  readonly centers: ByPower;
  /** Legal retreats, keyed by power name, then by dislodged unit. Empty outside a retreat phase. */
  readonly retreats: RetreatsByPower;
}

/** Returns the position of a game as a record. parsePosition() reads the same position back from it. */
export const formatPosition = (game: Game): PositionRecord => ({
  phase: phaseName(game),
  units: unitsByPower(game),
  centers: centersByPower(game),
  retreats: retreatsByPower(game),
});

// ---- orders ----

/** Maximum number of orders of one power in a record, for untrusted input. Far above any number of units. */
export const MAX_ORDERS = 1000;

/** An order: its power, its original text, and its interpretation. */
export interface GivenOrder {
  readonly power: T.Power;
  readonly text: string;
  readonly read: Interpreted;
}

/**
 * Reads the orders of a phase. `reading` decides which orders are valid if a unit has several or too many builds or
 * removals are ordered.
 * @param value lists of orders keyed by power name; null or undefined for no orders
 * @throws LepantoError for an unknown power, or if a value is not a list of at most MAX_ORDERS strings
 */
export const readOrders = (position: Position, reading: Reading, value: unknown): GivenOrder[] => {
  if (value === undefined || value === null) return [];
  const given = entriesByPower(position.game.map, value, 'orders').flatMap(([power, what, list]) =>
    list === null ? [] : asTexts(list, what, MAX_ORDERS).map((text) => [power, text] as const),
  );
  const read = interpretOrders(position, given, reading);
  return given.map(([power, text], i) => ({ power, text, read: read[i] }));
};

/** Returns the valid orders in packed form, with illegal moves that count as attempted moves (DATC 4.E.1). */
export const packedOrders = (given: readonly GivenOrder[]): Int32Array =>
  Int32Array.from(given.map(({ read }) => read.effect ?? read.order).filter((order) => order !== O.NONE));

/** An order rejected by orders(). */
export interface RefusedOrder {
  /** Name of the power that gave the order. */
  readonly power: string;
  /** Original text of the order. */
  readonly text: string;
  /** Reason for the rejection: 'A PAR does not border LON'. */
  readonly reason: string;
}

/**
 * Reads orders of the game's current phase for adjudicate(): `orders(game, {FRANCE: ['A PAR - BUR']})`. Accepts all
 * common notations ('Army Paris -> Burgundy', 'par-bur'). `reading` decides the cases of DATC 3.2, chapters 4.B to 4.E.
 * By default, the first of several orders for a unit is valid.
 * @param byPower lists of orders keyed by power name, in upper or lower case; powers may be omitted
 * @param refused array that receives the orders that cannot be read or obeyed; the result omits them
 * @param reading how orders are read: `ruleSetByName('strict-2003').reading`; default: the preferences of DATC 3.2
 * @returns the packed orders of all powers
 * @throws LepantoError for the first order that cannot be read or obeyed, unless `refused` is given. Always for an
 *   unknown power, or if a value is not a list of strings.
 */
export const orders = (
  game: Game,
  byPower: Readonly<Record<string, readonly string[]>>,
  refused?: RefusedOrder[],
  reading: Reading = DATC_READING,
): Int32Array => {
  const given = readOrders(positionOf(game), reading, byPower);
  for (const { power, text, read } of given) {
    if (read.reason === null) continue;
    const name = game.map.powerNames[power];
    if (refused === undefined)
      throw new LepantoError(
        'orders',
        `orders of ${name}: got ${quote(text)} (${read.reason}), wanted orders that can be obeyed`,
      );
    refused.push({ power: name, text, reason: read.reason });
  }
  return packedOrders(given);
};
