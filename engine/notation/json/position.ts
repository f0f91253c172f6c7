// Reads and writes positions as JSON, a record to a game and a game to a record, and reads orders. Checks everything in a
// record.
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

/** Units or centres by power. */
export type ByPower = Record<string, string[]>;
/** Legal retreats by power and dislodged unit. */
export type RetreatsByPower = Record<string, ByPower>;

const LAST_YEAR = 9999;

// ---- powers ----

/** The entries of an object with a key for each power, in the order given. */
export const entriesByPower = (map: CompiledMap, value: unknown, what: string): [T.Power, string, unknown][] => {
  const seen = new Set<T.Power>();
  const entries = Object.entries(asObject(value, what));
  return entries.map(([name, entry]) => {
    const power = findPower(map, name);
    if (power < 0) refuse(`${what}: got power ${quote(name)}, wanted ${listPowers(map)}`);
    if (seen.has(power)) refuse(`${what}: got ${map.powerNames[power]} twice`);
    seen.add(power);
    return [power, `${what} of ${map.powerNames[power]}`, entry];
  });
};

/**
 * The powers that a record names: by "power" one, by "powers" a list; null if it names none.
 * @throws LepantoError for an unknown one
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

/** Reads a name; an error becomes a refusal that says where it is. */
const named = <V>(what: string, text: string, read: () => V): V => {
  try {
    return read();
  } catch (error) {
    if (hasCode(error, 'notation')) return refuse(`${what}, ${quote(text)}: ${error.message}`);
    throw error;
  }
};

// ---- the phase ----

/** Season, year and phase of a name like 'S1901M'. */
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

/** The location of a unit, if it can be there. */
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

/** Where a dislodged unit may retreat to; the locations ascend. @param attacker as retreatLocations() has it */
const openRetreats = (game: Game, unit: number, location: T.Location, attacker: number): T.Location[] => [
  ...ways.subarray(0, retreatLocations(game, unit, location, attacker, ways)),
];

/** One place where a dislodged unit may go: the only one of this name, or the coast named. */
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
  // Nothing is contested yet: all that is empty and next to it.
  const empty = openRetreats(game, unit, location, -1);
  const where = `${what}, ${quote(text)}`;
  const open = asTexts(list, where, map.locationCount).map((place) => readRetreat(map, where, place, empty));
  return { unit, location, province, empty, open: [...new Set(open)].sort((a, b) => a - b) };
};

/**
 * Fills the game so that its legal retreats are those of the record: if another dislodged unit may go to a place that is
 * barred to this unit, this unit's attacker came from there; other barred places were contested. This is one explanation
 * of several; the retreats of the record are the ones that count.
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
 * Reads a position from a record; fields of other names are ignored. `units` is required, `centers` in an adjustment
 * phase and `retreats` in a retreat phase too; missing centres have no owner. `builds` counts in an adjustment phase
 * only: the builds of a power that it does not name follow from units and centres. The legal retreats are exactly those
 * of the record; the attackers need not be on the board.
 * @throws LepantoError that names what is wrong
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

/** openRetreats() of each dislodged unit of a game, by its province. */
const retreatsIn = (game: Game): Map<T.Province, T.Location[]> => {
  const dislodged = Array.from({ length: game.dislodgedCount }, (_, i) => game.dislodged(i));
  return new Map(
    dislodged.map(({ unit, location, province, attacker }) => [province, openRetreats(game, unit, location, attacker)]),
  );
};

/** The position of a game, as parsePosition() reads it from formatPosition(game). */
export const positionOf = (game: Game): Position => {
  const due = new Int32Array(game.map.powerCount);
  if (game.phase === T.ADJUSTMENT) adjustmentsDue(game, due);
  return { game, retreats: game.phase === T.RETREAT ? retreatsIn(game) : new Map(), due };
};

// ---- out ----

/** Sorted by name, independent of the order of the map's rows. */
export const sortUnits = (units: string[]): string[] => units.sort((a, b) => (a.slice(2) < b.slice(2) ? -1 : 1));

/** Nothing for each power. */
export const emptyByPower = (map: CompiledMap): ByPower => Object.fromEntries(map.powerNames.map((name) => [name, []]));

/** The units that are not dislodged, by power, sorted by place. Every power has a list. */
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

/** The owned centres, by power, sorted. Every power has a list. */
export const centersByPower = (game: Game): ByPower => {
  const { map } = game;
  const found = emptyByPower(map);
  for (let c = 0; c < map.centerCount; c++)
    if (game.owner(c) >= 0) found[map.powerNames[game.owner(c)]].push(map.provinceTags[map.centers[c]]);
  for (const centers of Object.values(found)) centers.sort();
  return found;
};

/** The dislodged units that must retreat, and their legal retreats. Powers without any are left out. */
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

/** A game as a record that parsePosition() reads. */
export interface PositionRecord {
  /** Its phase: 'S1901M'. */
  readonly phase: string;
  /** Units by power: 'A BUD', 'F STP/SC'. */
  readonly units: ByPower;
  /** Tags of the centres by power. */
  readonly centers: ByPower;
  /** Legal retreats of each dislodged unit, by power; empty outside a retreat phase. */
  readonly retreats: RetreatsByPower;
}

/** The record of a game, which parsePosition() reads back as the same position. */
export const formatPosition = (game: Game): PositionRecord => ({
  phase: phaseName(game),
  units: unitsByPower(game),
  centers: centersByPower(game),
  retreats: retreatsByPower(game),
});

// ---- orders ----

/** The most orders that one power may give: far more than it can have units. */
export const MAX_ORDERS = 1000;

/** An order as it was given, and as it was read. */
export interface GivenOrder {
  readonly power: T.Power;
  readonly text: string;
  readonly read: Interpreted;
}

/**
 * Reads the orders of a phase by power, as JSON has them. If there are too many, `reading` decides which count.
 * @throws LepantoError for an unknown power, or anything but lists of text
 */
export const readOrders = (position: Position, reading: Reading, value: unknown): GivenOrder[] => {
  if (value === undefined || value === null) return [];
  const given = entriesByPower(position.game.map, value, 'orders').flatMap(([power, what, list]) =>
    list === null ? [] : asTexts(list, what, MAX_ORDERS).map((text) => [power, text] as const),
  );
  const read = interpretOrders(position, given, reading);
  return given.map(([power, text], i) => ({ power, text, read: read[i] }));
};

/** The packed orders among them, and moves that are not obeyed but still count as moves (DATC 4.E.1). */
export const packedOrders = (given: readonly GivenOrder[]): Int32Array =>
  Int32Array.from(given.map(({ read }) => read.effect ?? read.order).filter((order) => order !== O.NONE));

/** An order that orders() refused. */
export interface RefusedOrder {
  /** Name of the power that gave it. */
  readonly power: string;
  /** As it was given. */
  readonly text: string;
  /** Why it was refused: 'A PAR does not border LON'. */
  readonly reason: string;
}

/**
 * Reads orders of the game's current phase into what adjudicate() takes: `orders(game, {FRANCE: ['A PAR - BUR']})`. Any
 * usual notation is read ('Army Paris -> Burgundy', 'par-bur'), with the choices of DATC 3.2, chapter 4.B to 4.E, that
 * `reading` makes; of several orders for a unit the first counts by default.
 * @param byPower lists of orders by the name of the power, in any case; powers may be left out
 * @param refused if given, receives the orders that cannot be read or obeyed, which the result leaves out
 * @param reading how orders are read: `ruleSetByName('strict-2003').reading`; default: the preferences of DATC 3.2
 * @returns the packed orders of all powers
 * @throws LepantoError that names power, order and reason for the first order that cannot be read or obeyed, unless
 * `refused` is given; for an unknown power, or anything but lists of text, in any case
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
