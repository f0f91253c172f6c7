// Judges the orders of a movement phase.
import {
  ARMY,
  type CompiledMap,
  convoy,
  FLEET,
  fallsBackToLand,
  type Game,
  hold,
  isCanal,
  isFrozen,
  isLegal,
  LAND,
  type Location,
  move,
  moveVia,
  NO_UNIT,
  NONE,
  type Order,
  type Power,
  type Province,
  rail,
  SEA,
  type SpecialTables,
  supportHold,
  supportMove,
  testBit,
  unitKey,
  unitPower,
  unitType,
  withLeave,
} from '../../../engine/internal.js';
import { isSea, listLocations } from './names.js';
import type { OrderKind, Place, RawOrder } from './parse.js';
import type { Reading } from './reading-options.js';
import {
  asWanted,
  checkNamed,
  checkOwn,
  chooseCoast,
  defaultCoast,
  type Interpreted,
  judge,
  misplaced,
  reachedIn,
  refuse,
  standing,
  standingFor,
} from './verdict.js';

const canEnter = (map: CompiledMap, type: number, province: Province): boolean =>
  map.kind[province] !== (type === FLEET ? LAND : SEA);

const whyNoBorder = (map: CompiledMap, name: string | null, at: Province, to: Province): string => {
  const ends = map.rows.canal?.ends.split(' ') ?? [];
  const isCanal = [at, to].every((p) => ends.includes(map.provinceTags[p]));
  return isCanal ? 'the canal is not in use' : `${name} does not border ${map.provinceTags[to]}`;
};

const readFleetMove = (game: Game, reading: Reading, at: Province, raw: RawOrder, target: Place): Order => {
  const { map } = game;
  if (raw.via || raw.path) refuse('got a fleet to be convoyed, wanted an army');
  if (!canEnter(map, FLEET, target.province)) refuse(`a fleet cannot enter ${map.provinceTags[target.province]}`);
  const possible = reachedIn(map, unitKey(game, at), target.province);
  if (possible.length === 0) refuse(whyNoBorder(map, standing(game, at), at, target.province));
  return move(game.unitLocation(at), chooseCoast(game, reading, target, possible));
};

/**
 * A move that needs a convoy is by convoy, whether or not it says so; a path is ignored (DATC 4.A.6). One to an adjacent
 * province by a convoy that no fleet on the board could give is by land under rules that fall back to it (DATC 4.A.3).
 */
const readArmyMove = (game: Game, at: Province, raw: RawOrder, to: Province): Order => {
  const { map } = game;
  const tag = map.provinceTags[to];
  if (!canEnter(map, ARMY, to)) refuse(`an army cannot enter ${tag}`);
  const byLand = isLegal(game, move(at, to));
  if (!raw.via && byLand) return move(at, to);
  if (isLegal(game, moveVia(at, to))) return moveVia(at, to);
  if (byLand && fallsBackToLand(game.rules)) return move(at, to);
  const name = standing(game, at);
  if (raw.via) refuse(`no chain of fleets can take ${name} to ${tag}`);
  const couldSail = testBit(map.coasts, 0, at) === 1 && testBit(map.coasts, 0, to) === 1;
  return refuse(`${name} does not border ${tag}${couldSail ? ', and no chain of fleets can take it there' : ''}`);
};

/** A coast named for an army is irrelevant (DATC 4.B.6). */
const checkUseless = ({ map }: Game, { uselessCoast }: Reading, target: Place): void => {
  if (target.coast >= 0 && uselessCoast === 'fails')
    refuse(`got ${map.locationTags[target.coast]}, wanted ${map.provinceTags[target.province]}`);
};

/** A ride by railroad (DATC 2.4, 7.B). */
const readRail = (game: Game, at: Province, to: Province): Order => {
  const { map } = game;
  const order = rail(at, to);
  if (isLegal(game, order)) return order;
  if (map.special === null || map.special.line.length === 0) refuse('the railroad is not in use');
  const { lineIndex, railPower } = map.special as SpecialTables;
  if (unitType(game.unitAt(at)) === FLEET) refuse(`got ${standing(game, at)}, wanted an army for the railroad`);
  for (const p of [at, to]) if (lineIndex[p] < 0) refuse(`${map.provinceTags[p]} is not on the railroad`);
  return refuse(`only ${map.powerNames[railPower]} uses the railroad`);
};

const readMove = (game: Game, reading: Reading, at: Province, raw: RawOrder, target: Place): Order => {
  if (target.province === at) refuse(`${standing(game, at)} is there already`);
  if (raw.rail) return readRail(game, at, target.province);
  if (unitType(game.unitAt(at)) === FLEET) return readFleetMove(game, reading, at, raw, target);
  checkUseless(game, reading, target);
  return readArmyMove(game, at, raw, target.province);
};

const checkHelped = (game: Game, at: Province, helped: Province, what: string): void => {
  if (helped === at) refuse(`a unit cannot ${what} itself`);
  if (game.unitAt(helped) === NO_UNIT) refuse(`no unit in ${game.map.provinceTags[helped]} to ${what}`);
};

/** The target of a support, with its coast if one is named for a fleet (DATC 4.B.4, 4.B.6). */
const supportTarget = (game: Game, reading: Reading, at: Province, helped: Province, target: Place): Location => {
  const { map } = game;
  const { province, coast } = target;
  if (unitType(game.unitAt(helped)) !== FLEET) {
    checkUseless(game, reading, target);
    return province;
  }
  const rule = reading.supportCoast;
  if (rule === 'ignore' || map.coastCount[province] === 0) return province;
  if (coast >= 0) return coast;
  const possible = reachedIn(map, unitKey(game, helped), province);
  const own = unitPower(game.unitAt(at)) === unitPower(game.unitAt(helped));
  if (rule === 'default') return defaultCoast(map, province, possible) ?? province;
  const forgiven = possible.length < 2 || (rule === 'forgiven' && own);
  if (rule === 'required' || ((rule === 'requiredIfTwo' || rule === 'forgiven') && !forgiven))
    asWanted(map, target, possible);
  return province;
};

const whyNoSupport = (game: Game, at: Province, helped: Province, target: Location): string => {
  const { map } = game;
  const to = map.locationProvince[target];
  const name = standing(game, helped);
  if (to === helped) return `${name} is in ${map.provinceTags[to]} already`;
  if (target !== to) {
    const possible = reachedIn(map, unitKey(game, helped), to);
    if (possible.length > 0) return `got ${map.locationTags[target]}, wanted ${listLocations(map, possible)}`;
  }
  if (isLegal(game, moveVia(helped, to))) return `${name} would need ${standing(game, at)} for its convoy`;
  return `${name} cannot move to ${map.provinceTags[to]}`;
};

const whyNoReach = (game: Game, at: Province, into: Province): string => {
  const { map } = game;
  const crosses = reachedIn(map, unitKey(game, at), into).length > 0;
  const border = unitType(game.unitAt(at)) === FLEET ? 'the canal' : 'the difficult border';
  if (crosses) return `${standing(game, at)} cannot support over ${border} to ${map.provinceTags[into]}`;
  return `${standing(game, at)} does not border ${map.provinceTags[into]}`;
};

const readSupport = (game: Game, reading: Reading, at: Province, helped: Province, target: Place | null): Order => {
  const { map } = game;
  checkHelped(game, at, helped, 'support');
  const into = target?.province ?? helped;
  if (testBit(map.reach, unitKey(game, at), into) === 0) refuse(whyNoReach(game, at, into));
  const from = game.unitLocation(at);
  if (target === null) return supportHold(from, helped);
  const to = supportTarget(game, reading, at, helped, target);
  const order = supportMove(from, helped, to);
  return isLegal(game, order) ? order : refuse(whyNoSupport(game, at, helped, to));
};

const readConvoy = (game: Game, at: Province, helped: Province, to: Province): Order => {
  const { map } = game;
  if (unitType(game.unitAt(at)) !== FLEET || !isSea(map, at))
    refuse(`got ${standing(game, at)}, wanted a fleet at sea for a convoy`);
  checkHelped(game, at, helped, 'convoy');
  if (unitType(game.unitAt(helped)) !== ARMY) refuse(`got ${standing(game, helped)} to be convoyed, wanted an army`);
  const order = convoy(at, helped, to);
  if (isLegal(game, order)) return order;
  const route = `from ${map.provinceTags[helped]} to ${map.provinceTags[to]}`;
  return isLegal(game, moveVia(helped, to))
    ? refuse(`no convoy ${route} needs ${standing(game, at)}`)
    : refuse(`no chain of fleets leads ${route}`);
};

/** Ice closes a sea in fall to all but the hold of a unit that is there (DATC 2.4, chapter 8). */
const checkIce = (game: Game, at: Province, { kind, helped, target }: RawOrder): void => {
  if (game.map.special === null || kind === 'hold') return;
  for (const p of [at, helped?.province, target?.province])
    if (p !== undefined && isFrozen(game.map.special, game.season, p))
      refuse(`ice closes ${game.map.provinceTags[p]} in fall`);
};

/** Which end of the canal a unit gives leave to pass: 1 or 2, or 0 and a note if there is no fleet. */
const readLeave = (game: Game, at: Province, leave: NonNullable<RawOrder['leave']>): readonly [number, string?] => {
  const { map } = game;
  const { special } = map;
  if (special === null || special.control < 0) return refuse('the canal is not in use');
  if (at !== special.control)
    refuse(`only a unit in ${map.provinceTags[special.control]} gives leave to pass the canal`);
  const from = leave.unit.province;
  if (!isCanal(special, from, leave.target.province)) {
    const [a, b] = special.canal.map((p) => map.provinceTags[p]);
    refuse(
      `got leave for ${map.provinceTags[from]} - ${map.provinceTags[leave.target.province]}, wanted ${a} - ${b} or ${b} - ${a}`,
    );
  }
  if (game.unitAt(from) === NO_UNIT) return [0, `leave is not given: no fleet in ${map.provinceTags[from]}`];
  return [special.canal.indexOf(from) + 1];
};

const readMovement = (game: Game, reading: Reading, at: Province, raw: RawOrder): Order => {
  const { helped, target } = raw;
  checkIce(game, at, raw);
  if (raw.kind === 'move' && target !== null) return readMove(game, reading, at, raw, target);
  if (raw.kind === 'support' && helped !== null) return readSupport(game, reading, at, helped.province, target);
  if (raw.kind === 'convoy' && helped !== null && target !== null)
    return readConvoy(game, at, helped.province, target.province);
  return hold(game.unitLocation(at));
};

const MOVEMENT_KINDS: readonly OrderKind[] = ['hold', 'move', 'support', 'convoy'];

/** Judges an order of a movement phase. */
export const judgeMovement = (game: Game, reading: Reading, power: Power, raw: RawOrder): Interpreted => {
  const at = raw.unit?.province ?? -1;
  const subject = at < 0 ? { unit: null, own: -1 } : standingFor(game, power, at);
  if (!MOVEMENT_KINDS.includes(raw.kind)) return misplaced(game, subject, raw.kind, 'a hold, move, support or convoy');
  let note: string | undefined;
  const found = judge(subject, () => {
    checkOwn(game, subject, at);
    checkNamed(game, reading, raw.unit, true);
    checkNamed(game, reading, raw.helped, false);
    const order = readMovement(game, reading, at, raw);
    if (raw.leave === null) return order;
    const [end, why] = readLeave(game, at, raw.leave);
    note = why;
    return end === 0 ? order : withLeave(order, end);
  });
  if (note !== undefined) return { ...found, note };
  const { kind, target } = raw;
  const isAttempt = found.order === NONE && found.own >= 0 && kind === 'move' && target !== null;
  return isAttempt && reading.illegalMove === 'holdNoSupport'
    ? { ...found, effect: moveVia(game.unitLocation(at), target.province) }
    : found;
};
