// Implements non-default rules and special maps (railroad, canal, difficult borders), as far as they need no recursion.
// The strengths of special moves are in recursion.ts.
//
// Most order sets have the same result under all rules. needsRecursion() finds the orders for which that is not
// certain, one bit for each kind of order (constants ..._DIFFER). No other code knows the limits of the passes.
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

// ---- special maps: trains, passages through a canal, crossings of difficult borders ----

/** Additional input on maps with a railroad or a canal. Callers fill it together with units and orders. */
export const specialInput = {
  /** 1 for a lost centre (owned by a power other than the railroad's). Indexed by place on the railroad line. */
  lost: new Int32Array(MAX_LOCATIONS),
  /** End of the canal, 1 or 2, at which the fleet has leave of the controlling unit to pass; 0 for none. */
  leave: 0,
};

const keyOf = (province: number): number => (unit[province] & 0xffff) - 1;
const isArmy = (province: number): boolean => keyOf(province) < inUse.locationCount;

const isPassage = (special: SpecialTables, from: number, to: number): boolean => isCanal(special, from, to);
const isCrossing = ({ difficult }: SpecialTables, from: number, to: number): boolean =>
  isArmy(from) && testBit(difficult, from, to) === 1;

/**
 * True if the order of the unit in a province is special, so that the passes cannot resolve it: a ride by railroad, a
 * move through the canal or over a difficult border, or a convoy by a fleet in a coastal province.
 */
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

/** True if any order on the board is special (isSpecialOrder()). */
const hasSpecialOrder = (special: SpecialTables): boolean =>
  special.origins.some((p) => unit[p] !== 0 && isSpecialOrder(special, p));

// ---- the special orders of one set, found by findSpecial() ----

/** Value of found.train without a train that rides. */
export const NO_TRAIN = -1;
/** 1 for an army ordered over a difficult border without VIA. Indexed by province. */
const crosses = new Int32Array(MAX_LOCATIONS);
/** 1 for a fleet ordered through the canal. Indexed by province. */
const passes = new Int32Array(MAX_LOCATIONS);
/**
 * Number of steps along the railroad line from the train's origin to a province; 0 for provinces that are not on its
 * way. Indexed by province.
 */
const stretchTo = new Int32Array(MAX_LOCATIONS);
/**
 * Provinces of the train's ride in order. trip[0] is its origin, and stretch i (the i-th step along the line) leads to
 * trip[i].
 */
const trip = new Int32Array(MAX_LOCATIONS);
/** 1 if a stretch leads to a lost centre (owned by a power other than the railroad's). Indexed by stretch, from 1. */
const lostAt = new Int32Array(MAX_LOCATIONS);

/** Special orders (isSpecialOrder()) of the current order set, written by findSpecial(). */
export const found = {
  crosses,
  passes,
  stretchTo,
  trip,
  lostAt,
  /** True if the order set has a special order. If false, the arrays indexed by province are all 0. */
  any: false,
  /** Province of the train, the army ordered to move by railroad; NO_TRAIN without one. */
  train: NO_TRAIN,
  /** Number of stretches of the train's ride. */
  stretches: 0,
  /** Province at the end of the last stretch that the train tried. Written after resolving, if there is a train. */
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

/**
 * Writes the ride from province `from` to province `to` of the railroad line to `found`: stretches, trip, lostAt and
 * stretchTo.
 */
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

/** True if the unit in a province belongs to the power of the railroad. */
export const isRailUnit = (province: number): boolean => (unit[province] >>> 16) - 1 === inUse.special?.railPower;

/**
 * Returns the province of the fleet that has leave to pass the canal: the fleet named in `specialInput.leave`,
 * otherwise the controlling power's fleet if exactly one is ordered through. Returns -1 if none has leave.
 */
const findPermitted = ({ canal, control }: SpecialTables): number => {
  const named = specialInput.leave;
  if (unit[control] === 0) return -1;
  if (named !== 0 && unit[canal[named - 1]] !== 0) return canal[named - 1];
  const own = canal.filter((p) => passes[p] === 1 && samePower(unit[p], unit[control]));
  return own.length === 1 ? own[0] : -1;
};

/**
 * Finds the special orders on the board and writes them to `found`. If there are several trains, none rides and `train`
 * is NO_TRAIN.
 * @returns true if there is a special order
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

// Bits of the orders that the passes may resolve differently than the rules in use. needsRecursion() looks for them.
/** Bit for a convoy that matches the order of its army. */
export const CONVOYS_DIFFER = 1;
/** Bit for a support to move that matches and acts against a unit of the supporter's own power. */
const OWN_SUPPORTS_DIFFER = 2;
/** Bit for a move VIA of an army that could also move by land. */
const WAYS_DIFFER = 4;

/** Returns the bits ..._DIFFER of the orders that some rules may resolve differently than the default rules. */
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

/** Returns the rule that settles a convoy paradox which the main rule leaves open (DATC 4.A.2). */
const backupRuleOf = (rules: Rules): 'szykman' | 'allHold' | 'dptg' => {
  const own = ruleValue(rules, 'paradox');
  return own === 'szykman' || own === 'allHold' || own === 'dptg' ? own : ruleValue(rules, 'paradoxBackup');
};

/** Returns the options of some rules in the form that the resolver reads. */
const variantOf = (rules: Rules) => ({
  /** Bits ..._DIFFER of orders that the passes may resolve differently. 0 for the default rules. */
  differences: differencesOf(rules),
  /** DATC 4.A.1: a convoy succeeds only if every ordered route holds. */
  everyRoute: rules.convoyRoutes !== 0,
  /** DATC 4.A.1: an army refuses fleets of other powers if fleets of the same power can convoy it. */
  ownFleetsFirst: rules.preferOwnConvoy !== 0,
  /**
   * DATC 4.A.2: the paradox rule. The values named after rulebooks protect supports from convoyed armies (isSpared()).
   */
  paradox: ruleValue(rules, 'paradox'),
  /** DATC 4.A.2: the rule for convoy paradoxes that `paradox` leaves open. */
  backupRule: backupRuleOf(rules),
  /** DATC 4.A.3: when an army goes to an adjacent province by convoy. */
  adjacentConvoy: ruleValue(rules, 'adjacentConvoy'),
  /** DATC 4.A.3: whether, and when, an army that was to go to an adjacent province by convoy goes by land instead. */
  fallback: ruleValue(rules, 'convoyFallback'),
  /** DATC 4.A.4: a convoyed army cuts supports that act on its province of origin. */
  cutFromOrigin: rules.cutFromOrigin !== 0,
  /** DATC 4.A.7: a dislodged unit never affects its attacker's province of origin, even with a convoy. */
  noEffectAlways: rules.dislodgedNoEffect !== 0,
  /** Support against a unit of the supporter's own power counts against other moves into that province. */
  ownSupportCounts: rules.ownSupportVsRivals !== 0,
});

/** Rules and map in use, as set by useRules() and useMap(). */
export const inUse = {
  ...variantOf(DATC_3_2),
  rules: DATC_3_2,
  map: undefined as CompiledMap | undefined,
  locationCount: 0,
  special: null as SpecialTables | null,
  /** True if units on this map can have special orders. */
  mapDiffers: false,
};

/** Sets the rules in `inUse`. Returns at once if they are in use already. */
export const useRules = (rules: Rules): void => {
  if (rules !== inUse.rules) Object.assign(inUse, variantOf(rules), { rules });
};

/**
 * Selects the map in use, with its tables and special rules, and clears `found`. Returns at once if it is in use
 * already.
 */
export const useMap = (map: CompiledMap): void => {
  if (map === inUse.map) return;
  B.useMap(map);
  // findSpecial() does not clear `found` on maps without special rules, so special orders of the last map would remain.
  clearFound();
  inUse.map = map;
  inUse.locationCount = map.locationCount;
  inUse.special = map.special;
  inUse.mapDiffers = map.special !== null && map.special.origins.length > 0;
};

// ---- which orders the passes cannot resolve ----

/**
 * True if the passes may resolve some order on the board differently than the rules and map in use.
 * @param count number of units on the board: places[0 .. count)
 */
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

/**
 * True if the unit that a support or convoy helps is ordered to the target named in it.
 * @param o the order of the supporter or fleet, in the board's format
 */
const helpsMove = (o: number): boolean => {
  const helped = orderHelped(o);
  return unit[helped] !== 0 && isMoveBit(order[helped]) === 1 && orderTarget(order[helped]) === orderTarget(o);
};

/** True if a support to move matches and acts against a unit of the supporter's power, for a mover of another power. */
const helpsAgainstOwn = (supporter: number): boolean => {
  const o = order[supporter];
  const occupant = unit[orderTarget(o)];
  if (occupant === 0 || !samePower(unit[supporter], occupant)) return false;
  return helpsMove(o) && !samePower(unit[orderHelped(o)], occupant);
};

// ---- paths of convoyed armies (DATC 4.A.1) ----

/**
 * True if an army has a path by convoy under the rules in use: one chain of fleets, or every ordered fleet.
 * @param carries tells whether a fleet carries the army
 * @param optimistic passed to `carries`: the assumption for undecided orders
 * @param without fleet that the path may not use; NO_PROVINCE for none
 */
export const isCarried = (army: number, carries: Carries, optimistic: boolean, without: number): boolean =>
  inUse.everyRoute
    ? without === NO_PROVINCE && allCarry(army, carries, optimistic)
    : hasChain(army, carries, optimistic, without);

// ---- which way an army goes, and with which fleets (DATC 4.A.1, 4.A.3) ----

/**
 * 1 for an army that goes by convoy if it has a path, otherwise by land. The recursion decides. Indexed by province.
 */
const eitherWay = new Int32Array(MAX_LOCATIONS);
/** The array eitherWay, which chooseWays() writes. */
export const ways = { eitherWay };

/**
 * Sets byConvoy and eitherWay for moves with convoys, and unmatches the fleets that an army refuses. Call it after
 * linking all matching convoys (convoys.ts).
 * @param count number of units on the board: places[0 .. count)
 * @returns true if eitherWay is 1 for some army
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

/**
 * Returns BY_LAND, BY_CONVOY or EITHER_WAY for a move under the rules in use (DATC 4.A.3).
 * @param ordered true if a chain of fleets is ordered for the army
 * @param hasOwn true if one of the fleets is of the army's power
 */
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

/** 1 if a fleet of the army being processed keeps its convoy. Indexed by province of the fleet. */
const kept = new Int32Array(MAX_LOCATIONS);

/** Removes the fleets with 0 in `kept` from the army's convoys, and unmatches them. */
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

/**
 * Removes the fleets of other powers from an army's convoys if fleets of the army's power make a route (Player's
 * Technical Guide, step 1).
 */
const refuseForeign = (army: number): void => {
  if (!hasChain(army, isOwnFleet, true, NO_PROVINCE)) return;
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1]) kept[f - 1] = isOwnFleet(f - 1, true) ? 1 : 0;
  dropOthers(army);
};

/** Removes the fleets from an army's convoys that are on no simple chain from the army to its destination. */
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
 * True if the rulebook in use protects a support from a convoyed army, even if the army dislodges the supporter (DATC
 * case 6.F.17). The 1971 and 2000 rules protect supports of an attack on one of the army's convoying fleets, the 1982
 * rules supports that act on any convoying fleet.
 */
export const isSpared = (supporter: number, army: number): boolean => {
  // The paradox rule is not that of a rulebook.
  if (inUse.paradox === inUse.backupRule) return false;
  const fleet = orderTarget(order[supporter]);
  if (unit[fleet] === 0 || orderType(order[fleet]) !== CONVOY || matched[fleet] === 0) return false;
  if (inUse.paradox === '1982') return true;
  return orderType(order[supporter]) === SUPPORT_MOVE && orderHelped(order[fleet]) === army;
};

/** True under the 2000 rules: an army still cuts a protected support if it has a path without the attacked fleet. */
export const sparesOnlyNeeded = (): boolean => inUse.paradox === '2000';
