// Writes the messages that describe the board: the map (MDF), positions (NOW), ownership (SCO) and results (ORD).
import {
  type Dislodged,
  explain,
  Fate,
  type Game,
  isLegal,
  type Location,
  makeOrder,
  NO_UNIT,
  type Order,
  OrderType,
  orderHelped,
  orderLocation,
  orderTarget,
  orderType,
  orderVia,
  Phase,
  type Power,
  type Province,
  ProvinceKind,
  ReasonCode,
  Result,
  type Results,
  Season,
  type Unit,
  UnitType,
  unitPower,
  unitType,
} from '../../../engine/index.js';
import { coastsOf, reachFrom } from './borders.js';
import { diplomacyFrame } from './framing.js';
import { BRA, integerToken, KET, list, Word } from './language.js';
import type { Representation } from './representation.js';

/** The position at the start of a turn, as DAIDE clients see it. */
export interface TurnPosition {
  readonly rep: Representation;
  readonly game: Game;
  /** Kind of the turn: MOVEMENT, RETREAT or ADJUSTMENT. */
  readonly kind: number;
  /**
   * Dislodged units without a retreat. The engine has already removed them, but in DAIDE their powers still disband
   * them.
   */
  readonly doomed: readonly Dislodged[];
}

/** Returns the dislodged units that can retreat. Empty outside a retreat phase. */
export const waitingUnits = ({ game }: TurnPosition): Dislodged[] =>
  game.phase === Phase.RETREAT ? Array.from({ length: game.dislodgedCount }, (_, i) => game.dislodged(i)) : [];

// ---- the map ----

/** Returns the tokens of a province and its adjacencies for MDF: (province (type place ...) ...). */
const adjacencies = (rep: Representation, province: Province): number[] => {
  const { map } = rep;
  const places = (type: UnitType, from: Location): number[] =>
    reachFrom(map, type, from).flatMap((location) => rep.place(location));
  const parts: number[][] = [];
  if (map.kind[province] !== ProvinceKind.SEA) parts.push(list(Word.AMY, places(UnitType.ARMY, province)));
  if (map.kind[province] !== ProvinceKind.LAND && map.coastCount[province] === 0)
    parts.push(list(Word.FLT, places(UnitType.FLEET, province)));
  for (const coast of coastsOf(map, province))
    parts.push(list(BRA, Word.FLT, rep.coast(coast), KET, places(UnitType.FLEET, coast)));
  return list(rep.provinces[province], ...parts);
};

/**
 * Returns the tokens of the home centres of each power and then of the neutral centres, for MDF. If units can be built
 * anywhere, all centres are listed once, as homes of all powers.
 */
const centers = (rep: Representation): number[][] => {
  const { map } = rep;
  const tokens = Array.from(map.centers, (province) => rep.provinces[province]);
  if (map.buildAnywhere) return [list(BRA, rep.powers, KET, tokens)];
  const homesOf = (power: number): number[] => tokens.filter((_, center) => map.homePower[center] === power);
  const homes = rep.powers.map((token, power) => list(token, homesOf(power)));
  return [...homes, list(Word.UNO, homesOf(-1))];
};

/** Returns the tokens of the map definition: MDF (powers) (provinces) (adjacencies). */
export const mapDefinition = (rep: Representation): number[] => {
  const { map, provinces } = rep;
  const others = provinces.filter((_, province) => map.centerIndex[province] < 0);
  return [
    Word.MDF,
    ...list(rep.powers),
    ...list(list(...centers(rep)), list(others)),
    ...list(...provinces.map((_, province) => adjacencies(rep, province))),
  ];
};

const definitions = new WeakMap<Representation, Buffer>();

/**
 * Returns the frame of the map definition (MDF). Caches it by representation.
 * @throws LepantoError if the map is too large for one message
 */
export const definitionFrame = (rep: Representation): Buffer => {
  const known = definitions.get(rep) ?? diplomacyFrame(mapDefinition(rep));
  definitions.set(rep, known);
  return known;
};

// ---- positions ----

/** Words for turns, keyed by season: `plain` for a turn of moves or builds, `retreats` for a retreat turn. */
const seasonWords: Readonly<Record<number, readonly [plain: number, retreats: number]>> = {
  [Season.SPRING]: [Word.SPR, Word.SUM],
  [Season.FALL]: [Word.FAL, Word.AUT],
  [Season.WINTER]: [Word.WIN, Word.WIN],
};

/** Returns a turn as tokens without brackets: SPR 1901. @param kind MOVEMENT, RETREAT or ADJUSTMENT */
export const turnTokens = (season: number, kind: number, year: number): number[] => {
  const [plain, retreats] = seasonWords[season];
  return [kind === Phase.RETREAT ? retreats : plain, integerToken(year)];
};

/** Returns a unit as tokens without brackets: RUS FLT (STP SCS). */
const tokensOf = (rep: Representation, power: Power, type: UnitType, location: Location): number[] => [
  rep.powers[power],
  type === UnitType.FLEET ? Word.FLT : Word.AMY,
  ...rep.place(location),
];

/** Returns a packed unit at a location as tokens without brackets: RUS FLT (STP SCS). */
export const unitTokens = (rep: Representation, unit: Unit, location: Location): number[] =>
  tokensOf(rep, unitPower(unit), unitType(unit), location);

/** Returns the tokens of a dislodged unit and its possible retreats: (unit MRT (place ...)). */
const dislodgedTokens = ({ rep, game, doomed }: TurnPosition, one: Dislodged): number[] => {
  const { unit, location } = one;
  const open = doomed.includes(one)
    ? []
    : reachFrom(rep.map, unitType(unit), location).filter((to) => isLegal(game, makeOrder.retreat(location, to)));
  return list(unitTokens(rep, unit, location), Word.MRT, list(open.flatMap((to) => rep.place(to))));
};

/**
 * Returns all dislodged units of a retreat turn, with and without retreats, ascending by province. Empty in other
 * turns.
 */
export const dislodgedUnits = (position: TurnPosition): Dislodged[] =>
  position.kind === Phase.RETREAT
    ? [...waitingUnits(position), ...position.doomed].sort((a, b) => a.province - b.province)
    : [];

/**
 * Returns the tokens of a unit in brackets, as in NOW and MIS. Empty if there is no dislodged unit to return.
 * @param isDislodged true for the unit that was dislodged from the province, false for the unit in it
 */
export const positionUnit = (position: TurnPosition, province: Province, isDislodged: boolean): number[] => {
  const { rep, game } = position;
  if (!isDislodged) return list(unitTokens(rep, game.unitAt(province), game.unitLocation(province)));
  const found = dislodgedUnits(position).find((one) => one.province === province);
  return found === undefined ? [] : dislodgedTokens(position, found);
};

/**
 * Returns the tokens of a position, with units grouped by power: NOW (turn) (unit) ...
 * @param turn tokens of the turn, without brackets
 */
export const nowMessage = (position: TurnPosition, turn: readonly number[]): number[] => {
  const { rep, game } = position;
  const byPower: number[][] = rep.powers.map(() => []);
  for (let p = 0; p < game.map.provinceCount; p++) {
    const unit = game.unitAt(p);
    if (unit !== NO_UNIT) byPower[unitPower(unit)].push(...positionUnit(position, p, false));
  }
  for (const one of dislodgedUnits(position)) byPower[unitPower(one.unit)].push(...dislodgedTokens(position, one));
  return [Word.NOW, ...list(turn), ...byPower.flat()];
};

/**
 * Returns the tokens of the ownership of centres: SCO (power centre ...) ... Unowned centres come last. Powers without
 * centres are left out.
 */
export const scoMessage = (rep: Representation, game: Game): number[] => {
  const byOwner: number[][] = [...rep.powers, Word.UNO].map(() => []);
  for (let c = 0; c < game.map.centerCount; c++) {
    const owner = game.owner(c);
    byOwner[owner < 0 ? rep.powers.length : owner].push(rep.provinces[game.map.centers[c]]);
  }
  return [
    Word.SCO,
    ...[...rep.powers, Word.UNO].flatMap((token, i) => (byOwner[i].length > 0 ? list(token, byOwner[i]) : [])),
  ];
};

// ---- results ----

/** Returns the tokens of the result of one order: ORD (turn) (order) (result). */
export const ordMessage = (turn: readonly number[], order: readonly number[], result: readonly number[]): number[] => [
  Word.ORD,
  ...list(turn),
  ...list(order),
  ...list(result),
];

/**
 * Returns the order that was adjudicated for the unit of a province, as tokens without outer brackets.
 * @param path provinces of the fleets on the route, for a move by convoy
 */
export const orderTokens = (
  rep: Representation,
  results: Results,
  province: Province,
  path: readonly Province[] = [],
): number[] => {
  const order = results.order[province];
  const written = (p: Province): number[] => list(unitTokens(rep, results.unit[p], orderLocation(results.order[p])));
  const target = orderTarget(order);
  const [targetProvince] = rep.place(rep.map.locationProvince[target]);
  const helped = (): number[] => written(orderHelped(order));
  const after: Readonly<Record<number, () => number[]>> = {
    [OrderType.MOVE]: () =>
      orderVia(order) === 1
        ? [Word.CTO, targetProvince, Word.VIA, ...list(path.map((p) => rep.provinces[p]))]
        : [Word.MTO, ...rep.place(target)],
    [OrderType.SUPPORT_HOLD]: () => [Word.SUP, ...helped()],
    [OrderType.SUPPORT_MOVE]: () => [Word.SUP, ...helped(), Word.MTO, targetProvince],
    [OrderType.CONVOY]: () => [Word.CVY, ...helped(), Word.CTO, targetProvince],
    [OrderType.RETREAT_TO]: () => [Word.RTO, ...rep.place(target)],
    [OrderType.DISBAND]: () => [Word.DSB],
    [OrderType.BUILD_ARMY]: () => [Word.BLD],
    [OrderType.BUILD_FLEET]: () => [Word.BLD],
    [OrderType.REMOVE]: () => [Word.REM],
  };
  return [...written(province), ...(after[orderType(order)]?.() ?? [Word.HLD])];
};

/** Returns a waive (an unused build) of a power as tokens, without brackets. */
export const waiveTokens = (rep: Representation, power: Power): number[] => [rep.powers[power], Word.WVE];

const isFleetBuild = (order: Order): boolean => orderType(order) === OrderType.BUILD_FLEET;

/** Returns a packed build order of a power as tokens, without outer brackets: (RUS FLT (STP SCS)) BLD. */
export const buildTokens = (rep: Representation, power: Power, order: Order): number[] => [
  ...list(tokensOf(rep, power, isFleetBuild(order) ? UnitType.FLEET : UnitType.ARMY, orderLocation(order))),
  Word.BLD,
];

/**
 * Returns the result word of the move of the unit in a province: SUC if it succeeded, NSO if the order was invalid,
 * DSR if its convoy was disrupted, otherwise BNC (bounced).
 */
const wordOfMove = (rep: Representation, results: Results, province: Province): number => {
  const result = results.result[province];
  if (result === Result.SUCCEEDS) return Word.SUC;
  if (result === Result.INVALID) return Word.NSO;
  if (results.convoyed[province] === 0) return Word.BNC;
  const { code } = explain(rep.map, results, province);
  return code === ReasonCode.CONVOY_DISRUPTED || code === ReasonCode.CONVOY_PARADOX ? Word.DSR : Word.BNC;
};

/**
 * Returns the result words for the unit of a province in a movement turn, with RET at the end if it was dislodged.
 * @param note reason why an accepted order could not be obeyed; MBV for any other order
 * @param isIdle true for a fleet whose convoy order was replaced by a hold (convoy-paths.ts)
 */
export const movementResult = (
  rep: Representation,
  results: Results,
  province: Province,
  note: number,
  isIdle: boolean,
): number[] => {
  const isDislodged = results.fate[province] !== Fate.NONE;
  const type = orderType(results.order[province]);
  const after = isDislodged ? [Word.RET] : [];
  if (note !== Word.MBV) return [note, ...after];
  if (isIdle) return [Word.NSO, ...after];
  if (type === OrderType.MOVE) return [wordOfMove(rep, results, province), ...after];
  if (results.result[province] === Result.INVALID) return [Word.NSO, ...after];
  if (results.result[province] === Result.CUT) return [Word.CUT, ...after];
  // There is no further word for a dislodged unit that held or convoyed.
  return isDislodged && (type === OrderType.HOLD || type === OrderType.CONVOY) ? after : [Word.SUC, ...after];
};
