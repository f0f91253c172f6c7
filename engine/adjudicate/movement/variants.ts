// Variants: what rules other than the default ones, and maps with rules of their own, change, as far as it takes no
// recursion. The strengths of special moves are in recursion.ts.
//
// Most order sets come out the same under all rules. needsRecursion() finds the orders for which that is not certain: it
// alone knows what the passes leave out, with a bit for each kind of order (the constants ..._DIFFER).
import { fleetsOnChains } from '../../map/chains.js';
import type { CompiledMap, SpecialTables } from '../../map/compiled-map.js';
import { isCanal } from '../../map/special.js';
import { testBit } from '../../rules/bitset.js';
import { DATC_3_2, fallsBackToLand, type Rules, ruleValue } from '../../rules/options.js';
import * as O from '../../rules/order.js';
import * as T from '../../rules/types.js';
import * as B from './board.js';
import { allCarry, type Carries, convoys, hasChain, isOrdered, NO_PROVINCE } from './convoys.js';

const { places, unit, order, byConvoy, matched } = B.board;
const { firstConvoy, nextConvoy } = convoys;
const { canMove, isNextToSea, isOpposed, samePower } = B;
const MAX_LOCATIONS = T.MAX_LOCATIONS;
const { MOVE, SUPPORT_MOVE, CONVOY, RAIL, orderType, orderTarget, orderHelped, orderVia, isMoveBit } = O;

// ---- maps with rules of their own: trains, passages through a canal, crossings of difficult borders ----

/** Input besides units and orders, on maps with a railroad or a canal: callers must fill it too. */
export const specialInput = {
  /** 1 for a lost centre, which another power than that of the railroad owns, by place on the line. */
  lost: new Int32Array(MAX_LOCATIONS),
  /** End of the canal whose fleet the controlling unit lets through, 1 or 2; 0 for none. */
  leave: 0,
};

const keyOf = (province: number): number => (unit[province] & 0xffff) - 1;
const isArmy = (province: number): boolean => keyOf(province) < inUse.locationCount;

const isPassage = (special: SpecialTables, from: number, to: number): boolean => isCanal(special, from, to);
const isCrossing = ({ difficult }: SpecialTables, from: number, to: number): boolean =>
  isArmy(from) && testBit(difficult, from, to) === 1;

/** True if the order of the unit in a province is one that the passes do not know. */
const isSpecialOrder = (special: SpecialTables, province: number): boolean => {
  const o = order[province];
  switch (orderType(o)) {
    case RAIL:
      return true;
    case MOVE:
      return isPassage(special, province, orderTarget(o)) || isCrossing(special, province, orderTarget(o));
    case CONVOY:
      return testBit(special.convoyable, 0, province) === 1;
    default:
      return false;
  }
};

/** True if some order on the board is one that the passes do not know. */
const hasSpecialOrder = (special: SpecialTables): boolean =>
  special.origins.some((p) => unit[p] !== 0 && isSpecialOrder(special, p));

// ---- the special orders of one set, found by findSpecial() ----

export const NO_TRAIN = -1;
/** 1 for an army that crosses a difficult border, unless it goes by convoy, by province. */
const crosses = new Int32Array(MAX_LOCATIONS);
/** 1 for a fleet that is ordered through the canal, by province. */
const passes = new Int32Array(MAX_LOCATIONS);
/** Number of stretches that the train must ride to a province; 0 for provinces off its way. */
const stretchTo = new Int32Array(MAX_LOCATIONS);
/** The provinces of the ride: trip[0] is where the train begins. */
const trip = new Int32Array(MAX_LOCATIONS);
/** 1 if the province at the end of a stretch is a lost centre, by stretch. */
const lostAt = new Int32Array(MAX_LOCATIONS);

export const found = {
  crosses,
  passes,
  stretchTo,
  trip,
  lostAt,
  /** True if the order set has a special order. If false, the arrays by province are 0. */
  any: false,
  /** Province of the train; NO_TRAIN without one. */
  train: NO_TRAIN,
  /** Number of stretches of its ride. */
  stretches: 0,
  /** Where the last stretch leads that the train tried. Written when all is resolved, if there is a train. */
  tried: -1,
  /** Province of the fleet that has leave to pass the canal; -1 if none has. */
  permitted: -1,
};

const clearFound = (): void => {
  if (found.any) for (const array of [crosses, passes, stretchTo]) array.fill(0);
  found.any = false;
  found.train = NO_TRAIN;
  found.stretches = 0;
  found.permitted = -1;
};

const layTrip = (from: number, to: number, { line, lineIndex }: SpecialTables): void => {
  const first = lineIndex[from];
  const step = lineIndex[to] > first ? 1 : -1;
  found.stretches = Math.abs(lineIndex[to] - first);
  for (let i = 0; i <= found.stretches; i++) {
    const place = first + i * step;
    trip[i] = line[place];
    lostAt[i] = specialInput.lost[place];
    if (i > 0) stretchTo[line[place]] = i;
  }
};

/** Whether the unit in a province is one of the power of the railroad. */
export const isRailUnit = (province: number): boolean => (unit[province] >>> 16) - 1 === inUse.special?.railPower;

/** The fleet that has leave: the one that is named, else the only one of the controller's own that is ordered through. */
const findPermitted = ({ canal, control }: SpecialTables): number => {
  const named = specialInput.leave;
  if (unit[control] === 0) return -1;
  if (named !== 0 && unit[canal[named - 1]] !== 0) return canal[named - 1];
  const own = canal.filter((p) => passes[p] === 1 && samePower(unit[p], unit[control]));
  return own.length === 1 ? own[0] : -1;
};

/**
 * Finds the special orders on the board.
 * @returns true if there are any. Of several trains none rides, and `train` is NO_TRAIN
 */
export const findSpecial = (): boolean => {
  const { special } = inUse;
  if (special === null) return false;
  clearFound();
  let trains = 0;
  for (const p of special.origins) {
    if (unit[p] === 0 || !isSpecialOrder(special, p)) continue;
    found.any = true;
    const o = order[p];
    if (orderType(o) === RAIL) {
      trains++;
      found.train = p;
    } else if (orderType(o) === MOVE) {
      if (isPassage(special, p, orderTarget(o))) passes[p] = 1;
      else crosses[p] = 1 - orderVia(o);
    }
  }
  if (trains > 1) found.train = NO_TRAIN;
  if (found.train !== NO_TRAIN) layTrip(found.train, orderTarget(order[found.train]), special);
  if (special.canal.length > 0) found.permitted = findPermitted(special);
  return found.any;
};

// ---- rules and map in use ----

// What the passes do not know: bits, each for some orders that needsRecursion() looks for.
/** A convoy that matches. */
export const CONVOYS_DIFFER = 1;
/** A support to move that matches, against a unit of the supporter's own power. */
const OWN_SUPPORTS_DIFFER = 2;
/** A move VIA of an army that could also go by land. */
const WAYS_DIFFER = 4;

const differencesOf = (rules: Rules): number => {
  const convoysDiffer =
    (rules.convoyRoutes |
      rules.paradox |
      rules.adjacentConvoy |
      rules.convoyFallback |
      rules.cutFromOrigin |
      rules.dislodgedNoEffect) !==
    0;
  return (
    (convoysDiffer ? CONVOYS_DIFFER : 0) |
    (rules.ownSupportVsRivals !== 0 ? OWN_SUPPORTS_DIFFER : 0) |
    (fallsBackToLand(rules) ? WAYS_DIFFER : 0)
  );
};

/** 4.A.2: what decides a paradox that is left. */
const backupRuleOf = (rules: Rules): 'szykman' | 'allHold' | 'dptg' => {
  const own = ruleValue(rules, 'paradox');
  return own === 'szykman' || own === 'allHold' || own === 'dptg' ? own : ruleValue(rules, 'paradoxBackup');
};

/** The options of some rules as the resolver asks about them. */
const variantOf = (rules: Rules) => ({
  /** What the passes do not know of these rules: bits. 0 for the default rules. */
  differences: differencesOf(rules),
  /** 4.A.1: every route that was ordered must hold. */
  everyRoute: rules.convoyRoutes !== 0,
  /** 4.A.1: an army that its own fleets can take refuses those of others. */
  ownFleetsFirst: rules.preferOwnConvoy !== 0,
  /** 4.A.2: the rulebooks among the values spare supports from convoyed armies. */
  paradox: ruleValue(rules, 'paradox'),
  backupRule: backupRuleOf(rules),
  /** 4.A.3: how an army goes to an adjacent province, and what becomes of a convoy that it cannot have. */
  adjacentConvoy: ruleValue(rules, 'adjacentConvoy'),
  fallback: ruleValue(rules, 'convoyFallback'),
  /** 4.A.4: a convoyed army cuts supports against the province that it comes from. */
  cutFromOrigin: rules.cutFromOrigin !== 0,
  /** 4.A.7: a dislodged unit never has an effect on the province that its attacker comes from. */
  noEffectAlways: rules.dislodgedNoEffect !== 0,
  /** Support against a unit of the supporter's own power counts against the other moves there. */
  ownSupportCounts: rules.ownSupportVsRivals !== 0,
});

export const inUse = {
  ...variantOf(DATC_3_2),
  rules: DATC_3_2,
  map: undefined as CompiledMap | undefined,
  locationCount: 0,
  special: null as SpecialTables | null,
  /** True if units can have orders that only maps with rules of their own know. */
  mapDiffers: false,
};

/** Makes rules those in use. Cheap when they are already. */
export const useRules = (rules: Rules): void => {
  if (rules !== inUse.rules) Object.assign(inUse, variantOf(rules), { rules });
};

/** Makes the tables of a map those in use, and its own rules. Cheap when they are already. */
export const useMap = (map: CompiledMap): void => {
  if (map === inUse.map) return;
  B.useMap(map);
  // Special orders of another map must not be read on this one, where none may ever be looked for.
  clearFound();
  inUse.map = map;
  inUse.locationCount = map.locationCount;
  inUse.special = map.special;
  inUse.mapDiffers = map.special !== null && map.special.origins.length > 0;
};

// ---- which orders the passes cannot resolve ----

/** True if what the passes do not know of the rules in use could matter for the orders on the board. */
export const needsRecursion = (count: number): boolean =>
  (inUse.differences !== 0 || inUse.mapDiffers) && someOrderDiffers(count);

const someOrderDiffers = (count: number): boolean => {
  const { differences, special } = inUse;
  if (special !== null && hasSpecialOrder(special)) return true;
  if (differences === 0) return false;
  for (let i = 0; i < count; i++) {
    const p = places[i];
    const o = order[p];
    switch (orderType(o)) {
      case MOVE:
        if ((differences & WAYS_DIFFER) !== 0 && orderVia(o) === 1 && canMove(p, orderTarget(o))) return true;
        break;
      case SUPPORT_MOVE:
        if ((differences & OWN_SUPPORTS_DIFFER) !== 0 && helpsAgainstOwn(p)) return true;
        break;
      case CONVOY:
        if ((differences & CONVOYS_DIFFER) !== 0 && helpsMove(o)) return true;
    }
  }
  return false;
};

/** The unit that a support or convoy helps moves there. */
const helpsMove = (o: number): boolean => {
  const helped = orderHelped(o);
  return unit[helped] !== 0 && isMoveBit(order[helped]) === 1 && orderTarget(order[helped]) === orderTarget(o);
};

const helpsAgainstOwn = (supporter: number): boolean => {
  const o = order[supporter];
  const occupant = unit[orderTarget(o)];
  if (occupant === 0 || !samePower(unit[supporter], occupant)) return false;
  return helpsMove(o) && !samePower(unit[orderHelped(o)], occupant);
};

// ---- paths of convoyed armies (DATC 4.A.1) ----

/** True if the fleets that carry the army make the route, or all the routes, that the rules want. */
export const isCarried = (army: number, carries: Carries, optimistic: boolean, without: number): boolean =>
  inUse.everyRoute
    ? without === NO_PROVINCE && allCarry(army, carries, optimistic)
    : hasChain(army, carries, optimistic, without);

// ---- which way an army goes, and with which fleets (DATC 4.A.1, 4.A.3) ----

/** 1 for an army that goes by convoy if that gives it a path, and else by land: the recursion finds out. */
const eitherWay = new Int32Array(MAX_LOCATIONS);
export const ways = { eitherWay };

/**
 * Sets byConvoy and eitherWay of every unit, and unmatches the fleets that an army does not want. All matching convoys
 * are linked (convoys.ts).
 * @returns true if some army goes either way
 */
export const chooseWays = (count: number): boolean => {
  let open = false;
  for (let i = 0; i < count; i++) {
    const army = places[i];
    eitherWay[army] = 0;
    if (isMoveBit(order[army]) === 0 || (firstConvoy[army] === 0 && byConvoy[army] === 0)) continue;
    const hasOwn = hasOwnFleet(army);
    if (inUse.ownFleetsFirst) refuseForeign(army);
    const ordered = hasChain(army, isOrdered, true, NO_PROVINCE);
    if (inUse.everyRoute && ordered) dropUseless(army);
    const way = wayOf(army, ordered, hasOwn);
    byConvoy[army] = way === BY_CONVOY ? 1 : 0;
    eitherWay[army] = way === EITHER_WAY ? 1 : 0;
    if (way === EITHER_WAY) open = true;
  }
  return open;
};

const BY_LAND = 0;
const BY_CONVOY = 1;
const EITHER_WAY = 2;

const wayOf = (army: number, ordered: boolean, hasOwn: boolean): number => {
  const written = orderVia(order[army]) === 1;
  if (!canMove(army, orderTarget(order[army]))) return BY_CONVOY;
  switch (inUse.adjacentConvoy) {
    case 'intent':
      if (!written && !hasOwn) return BY_LAND;
      if (inUse.fallback === 'none') return BY_CONVOY;
      if (!ordered) return BY_LAND;
      return inUse.fallback === 'unordered' ? BY_CONVOY : EITHER_WAY;
    case 'always':
      return ordered ? BY_CONVOY : BY_LAND;
    case 'opposite':
      return ordered && isOpposed(army) ? BY_CONVOY : BY_LAND;
    case 'written':
      return written ? BY_CONVOY : BY_LAND;
    default:
      return ordered && isOpposed(army) ? EITHER_WAY : BY_LAND;
  }
};

const isOwnFleet: Carries = (fleet) => samePower(unit[fleet], unit[orderHelped(order[fleet])]);

const hasOwnFleet = (army: number): boolean => {
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1]) if (isOwnFleet(f - 1, true)) return true;
  return false;
};

/** By fleet of one army: 1 if it keeps its convoy. */
const kept = new Int32Array(MAX_LOCATIONS);

/** Takes the fleets that are not kept from the army's convoys, and unmatches them. */
const dropOthers = (army: number): void => {
  let last = NO_PROVINCE;
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1]) {
    const fleet = f - 1;
    if (kept[fleet] === 1) {
      last = fleet;
      continue;
    }
    matched[fleet] = 0;
    if (last === NO_PROVINCE) firstConvoy[army] = nextConvoy[fleet];
    else nextConvoy[last] = nextConvoy[fleet];
  }
};

/** If the army's own fleets make a route, the others are not wanted (Player's Technical Guide, step 1). */
const refuseForeign = (army: number): void => {
  if (!hasChain(army, isOwnFleet, true, NO_PROVINCE)) return;
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1]) kept[f - 1] = isOwnFleet(f - 1, true) ? 1 : 0;
  dropOthers(army);
};

/** Fleets on no simple chain from the army to its destination fall out. */
const dropUseless = (army: number): void => {
  const fleets: number[] = [];
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1]) fleets.push(f - 1);
  const areLinked = (from: number, fleet: number): boolean => isNextToSea(from, fleet) === 1;
  const arrives = (fleet: number): boolean => isNextToSea(orderTarget(order[army]), fleet) === 1;
  const onChains = fleetsOnChains({ army, fleets, areLinked, arrives });
  for (const fleet of fleets) kept[fleet] = onChains.has(fleet) ? 1 : 0;
  dropOthers(army);
};

// ---- the paradox rules of the rulebooks (DATC 4.A.2) ----

/**
 * A convoyed army does not cut a support against one of its own fleets (1971, 2000), or a support that acts where any
 * fleet convoys (1982); not even by dislodging the supporter (DATC case 6.F.17).
 */
export const isSpared = (supporter: number, army: number): boolean => {
  // The rule is no rulebook's.
  if (inUse.paradox === inUse.backupRule) return false;
  const fleet = orderTarget(order[supporter]);
  if (unit[fleet] === 0 || orderType(order[fleet]) !== CONVOY || matched[fleet] === 0) return false;
  if (inUse.paradox === '1982') return true;
  return orderType(order[supporter]) === SUPPORT_MOVE && orderHelped(order[fleet]) === army;
};

/** Since 2000 only fleets that the army needs count: it cuts the support all the same if it has a path without this one. */
export const sparesOnlyNeeded = (): boolean => inUse.paradox === '2000';
