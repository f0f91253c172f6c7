// Puts the results of a phase into words: what came of each order, and why it failed.
import { type CompiledMap, cheapestChain, explain, type Game, ReasonCode, type Results } from '../../internal.js';
import * as O from '../../rules/order.js';
import * as T from '../../rules/types.js';
import { formatOrder, formatUnit, unitsOf } from '../text/index.js';

/** An order, or a unit without one, and its result. */
export interface OrderEntry {
  /** Name of the power: 'FRANCE'. */
  readonly power: string;
  /** The unit before the phase, or as it was built: 'F STP/SC'; null if there is none. */
  readonly unit: string | null;
  /**
   * The order as canonical text: 'A PAR - BUR'. In an adjudicated record an order that did not count is as it was given,
   * and no order is null.
   */
  readonly order: string | null;
  /** DATC 3.2, issue 4.E.2; `stops` for a move by railroad that stopped before its target. */
  readonly result: T.ResultName;
  /** 'dislodged', or 'destroyed' if the unit cannot retreat; null if it stays. Given once for each unit. */
  readonly fate: T.FateName;
  /** Why the order failed: 'bounced with A MUN'; null if it did not. */
  readonly reason: string | null;
  /** Where a move by railroad that `stops` ended; there is none otherwise. */
  readonly end?: string;
}

/** By power, then by the place of the unit. */
export const sortEntries = (entries: OrderEntry[]): OrderEntry[] => {
  const key = (entry: OrderEntry): string => entry.power + (entry.unit ?? '').slice(2);
  return entries.sort((a, b) => (key(a) < key(b) ? -1 : 1));
};

// ---- why an order failed ----

type Words = (unit: string, order: string, succeeded: boolean) => string;

/** By code; `unit` is the unit in the province that the reason names, `order` its order, and whether that succeeded. */
const words: ReadonlyMap<number, Words> = new Map<number, Words>([
  [ReasonCode.BOUNCED, (unit) => `bounced with ${unit}`],
  [ReasonCode.HELD, (unit) => `${unit} held`],
  [ReasonCode.OWN_UNIT_STAYED, (unit) => `${unit} of the same power stayed`],
  [
    ReasonCode.LOST_HEAD_TO_HEAD,
    (unit, _, succeeded) => `${succeeded ? 'lost head-to-head against' : 'bounced head-to-head with'} ${unit}`,
  ],
  [ReasonCode.CONVOY_DISRUPTED, (unit) => `convoy disrupted: ${unit} was dislodged`],
  [ReasonCode.CONVOY_PARADOX, (unit) => `convoy paradox at ${unit}`],
  [ReasonCode.CUT_BY_ATTACK, (unit) => `cut by ${unit}`],
  [ReasonCode.CUT_BY_DISLODGEMENT, (unit) => `dislodged by ${unit}`],
  [ReasonCode.UNMATCHED, (_, order) => `order was ${order}`],
  [ReasonCode.FLEET_DISLODGED, (unit) => `dislodged by ${unit}`],
  [ReasonCode.OTHER_TRAIN, (unit) => `${unit} had a ride in the same phase`],
  [ReasonCode.RIDE_BLOCKED, (unit) => `${unit} stood in the way`],
  [ReasonCode.CONTROL_LEFT, (unit) => `${unit}, which controls the canal, left`],
  [ReasonCode.CONTROL_DISLODGED, (unit) => `the unit that controls the canal was dislodged by ${unit}`],
  [ReasonCode.SUPPORT_PARADOX, () => 'cut: the supports over difficult borders hang on one another'],
  [ReasonCode.BORDER_TOO_DIFFICULT, (unit) => `too weak against ${unit} over the difficult border`],
]);

/** The same for reasons that name a province, whether there is a unit or not. */
const placeWords: ReadonlyMap<number, (place: string) => string> = new Map([
  [ReasonCode.LOST_CENTER, (place: string) => `does not go on behind ${place}, a lost centre`],
  [ReasonCode.RAILROAD_PARADOX, (place: string) => `railroad paradox at ${place}`],
  [ReasonCode.NO_LEAVE, (place: string) => `no leave from ${place} to pass the canal`],
  [ReasonCode.CANAL_PARADOX, (place: string) => `canal paradox at ${place}`],
]);

/**
 * Fleets of the best route for an army that were not ordered to convoy it, first to last. Empty if none was ordered, or
 * if fleets alone do not make a route.
 */
const fleetsWithoutOrder = (map: CompiledMap, results: Results, army: T.Province): T.Province[] => {
  const target = map.locationProvince[O.orderTarget(results.order[army])];
  const isFleet = (p: T.Province): boolean => results.unit[p] !== T.NO_UNIT && T.unitType(results.unit[p]) === T.FLEET;
  const carries = (p: T.Province): boolean =>
    O.orderType(results.order[p]) === O.CONVOY &&
    results.result[p] === T.AVAILABLE &&
    O.orderHelped(results.order[p]) === army;
  if (![...results.order.keys()].some(carries)) return [];
  const costOf = (p: T.Province): number => (carries(p) ? 0 : isFleet(p) ? 1 : Number.POSITIVE_INFINITY);
  return (cheapestChain(map, army, target, costOf) ?? []).filter((p) => !carries(p));
};

/** 'convoy incomplete: F ENG was not ordered to convoy'. */
const describeNoConvoy = (map: CompiledMap, results: Results, army: T.Province): string => {
  const units = unitsOf(results);
  const lacking = fleetsWithoutOrder(map, results, army).map((p) =>
    formatUnit(map, results.unit[p], units.unitLocation(p)),
  );
  if (lacking.length === 0) return 'no convoy was ordered';
  return `convoy incomplete: ${lacking.join(' and ')} ${lacking.length > 1 ? 'were' : 'was'} not ordered to convoy`;
};

/**
 * Why the order of the unit in a province failed; null if it did not fail.
 * @param results of a movement or retreat phase
 */
const describeFailure = (map: CompiledMap, results: Results, province: T.Province): string | null => {
  const reason = explain(map, results, province);
  const sayPlace = placeWords.get(reason.code);
  if (sayPlace !== undefined) return sayPlace(map.provinceTags[reason.province]);
  if (reason.code === ReasonCode.CONVOY_NOT_ORDERED) return describeNoConvoy(map, results, province);
  if (reason.code === ReasonCode.RETREATS_COLLIDED) return `two retreats to ${map.provinceTags[reason.province]}`;
  const say = words.get(reason.code);
  if (say === undefined) return null;
  const other = reason.province;
  if (other < 0 || results.unit[other] === T.NO_UNIT) return say('another unit', 'none', false);
  const units = unitsOf(results);
  const unit = formatUnit(map, results.unit[other], units.unitLocation(other));
  return say(unit, formatOrder(map, results.order[other], units), results.result[other] === T.SUCCEEDS);
};

// ---- entries ----

/** The result of the unit in a province. There must be one in the results. */
export const outcomeIn = (map: CompiledMap, results: Results, province: T.Province): OrderEntry => {
  const order = results.order[province];
  return {
    power: map.powerNames[T.unitPower(results.unit[province])],
    unit: formatUnit(map, results.unit[province], O.orderLocation(order)),
    order: formatOrder(map, order, unitsOf(results)),
    result: T.resultNames[results.result[province]],
    fate: T.fates[results.fate[province]],
    reason: describeFailure(map, results, province),
    ...(results.result[province] === T.STOPS ? { end: map.provinceTags[results.rideEnd[province]] } : {}),
  };
};

/**
 * The results of a phase in words, by power and then by the place of the unit. In a movement phase every unit has an
 * entry, with a hold if it had no order; in a retreat phase every dislodged unit, with a disband that fails if it had
 * none; in an adjustment phase every unit that was built or removed, civil disorder included.
 * @param game in which the phase was played; only its map is used
 * @param results from adjudicate()
 */
export const outcomes = (game: Game, results: Results): OrderEntry[] => {
  const entries: OrderEntry[] = [];
  for (let p = 0; p < game.map.provinceCount; p++)
    if (results.unit[p] !== T.NO_UNIT) entries.push(outcomeIn(game.map, results, p));
  return sortEntries(entries);
};
