// Judges the orders of a retreat phase, and the builds and removals of an adjustment phase.
import {
  ARMY,
  buildArmy,
  buildFleet,
  disband,
  dislodgedIn,
  FLEET,
  type Game,
  LAND,
  type Location,
  NO_UNIT,
  type Order,
  type Power,
  type Province,
  remove,
  retreat,
  type UnitType,
  unitPower,
  waive,
} from '../../../engine/internal.js';
import { formatUnit } from './format.js';
import { listLocations } from './names.js';
import type { NamedUnit, RawOrder } from './parse.js';
import type { Reading } from './reading-options.js';
import {
  asWanted,
  checkOwn,
  chooseCoast,
  type Interpreted,
  judge,
  KIND_WORDS,
  misplaced,
  type Position,
  refuse,
  refuseExtra,
  type Subject,
  standing,
  standingFor,
} from './verdict.js';

// ---- retreats ----

const readRetreat = (game: Game, reading: Reading, from: Location, open: readonly Location[], raw: RawOrder): Order => {
  const { target } = raw;
  const { map } = game;
  if (target === null) return disband(from);
  if (raw.via || raw.path) refuse('got a convoy, wanted a retreat to a province next to it');
  const possible = open.filter((l) => map.locationProvince[l] === target.province);
  const tag = map.provinceTags[target.province];
  if (possible.length === 0) refuse(`got ${tag}, wanted ${open.length > 0 ? listLocations(map, open) : 'a disband'}`);
  // The coast of an army is irrelevant (DATC 4.B.6): all its retreats are provinces.
  return retreat(from, possible[0] === target.province ? possible[0] : chooseCoast(game, reading, target, possible));
};

/** Judges an order of a retreat phase. */
export const judgeRetreat = (
  { game, retreats }: Position,
  reading: Reading,
  power: Power,
  raw: RawOrder,
): Interpreted => {
  const { map } = game;
  const at = raw.unit?.province ?? -1;
  const index = at < 0 ? -1 : dislodgedIn(game, at);
  const waiting = index < 0 ? null : game.dislodged(index);
  const isOwn = waiting !== null && unitPower(waiting.unit) === power;
  const stays = waiting === null || (!isOwn && standingFor(game, power, at).own >= 0);
  const subject: Subject = stays
    ? { unit: at < 0 ? null : standing(game, at), own: -1 }
    : { unit: formatUnit(map, waiting.unit, waiting.location), own: isOwn ? at : -1 };
  if (raw.kind === 'build' || raw.kind === 'waive') return misplaced(game, subject, raw.kind, 'a retreat or a disband');
  return judge(subject, () => {
    if (subject.unit === null) refuseExtra(`no unit in ${map.provinceTags[at]}`);
    if (stays) return refuseExtra(`${subject.unit} was not dislodged`);
    if (!isOwn) refuseExtra(`${subject.unit} belongs to ${map.powerNames[unitPower(waiting.unit)]}`);
    if (raw.kind !== 'retreat' && raw.kind !== 'move' && raw.kind !== 'disband')
      refuse(`got ${KIND_WORDS[raw.kind]}, wanted a retreat or a disband`);
    return readRetreat(game, reading, waiting.location, retreats.get(at) ?? [], raw);
  });
};

// ---- adjustments ----

/** The letter of a build that has none (DATC 4.C.3). */
const letterOfBuild = (
  { map }: Game,
  { buildWithoutType: rule }: Reading,
  { province, coast, type }: NamedUnit,
): UnitType => {
  if (type !== null) return type;
  if (map.kind[province] === LAND && rule !== 'fails') return ARMY;
  const named = coast >= 0 && rule === 'fleetByCoast';
  return named ? FLEET : refuse(`got ${map.provinceTags[province]} without a letter, wanted A or F`);
};

const readBuild = (game: Game, reading: Reading, unit: NamedUnit): Order => {
  const { map } = game;
  const { province } = unit;
  if (letterOfBuild(game, reading, unit) === ARMY) return buildArmy(province);
  if (map.kind[province] === LAND) {
    if (reading.fleetBuildInland === 'army') return buildArmy(province);
    refuse(`got a fleet in ${map.provinceTags[province]}, wanted an army inland`);
  }
  if (map.coastCount[province] === 0) return buildFleet(province);
  const first = map.firstCoast[province];
  const coasts = Array.from({ length: map.coastCount[province] }, (_, i) => first + i);
  if (coasts.includes(unit.coast)) return buildFleet(unit.coast);
  return buildFleet(reading.buildCoast === 'default' ? first : asWanted(map, unit, coasts));
};

const checkSite = (game: Game, power: Power, province: Province): void => {
  const { map } = game;
  const tag = map.provinceTags[province];
  const center = map.centerIndex[province];
  if (center < 0) refuse(`${tag} is no supply centre`);
  if (!map.buildAnywhere && map.homePower[center] !== power)
    refuse(`${tag} is no home centre of ${map.powerNames[power]}`);
  if (game.owner(center) !== power) refuse(`${tag} is not owned by ${map.powerNames[power]}`);
  if (game.unitAt(province) !== NO_UNIT) refuse(`${standing(game, province)} stands there`);
};

const noUnit: Subject = { unit: null, own: -1 };

/** Judges an order of an adjustment phase. */
export const judgeAdjustment = (
  { game, due }: Position,
  reading: Reading,
  power: Power,
  { kind, unit }: RawOrder,
): Interpreted => {
  const checkDue = (sign: number, what: string): void => {
    if (due[power] * sign <= 0) refuseExtra(`no ${what} is due`);
  };
  if (kind === 'waive')
    return judge(noUnit, () => {
      if (reading.waive === 'no') refuse('builds cannot be waived under these rules');
      checkDue(1, 'build');
      return waive(power);
    });
  const subject = unit === null ? noUnit : standingFor(game, power, unit.province);
  if (kind === 'build' && unit !== null)
    return judge(noUnit, () => {
      checkSite(game, power, unit.province);
      const order = readBuild(game, reading, unit);
      checkDue(1, 'build');
      return order;
    });
  if (kind === 'disband' && unit !== null)
    return judge(subject, () => {
      checkOwn(game, subject, unit.province);
      checkDue(-1, 'removal');
      return remove(game.unitLocation(unit.province));
    });
  return misplaced(game, subject, kind, 'a build, a removal or a waive');
};
