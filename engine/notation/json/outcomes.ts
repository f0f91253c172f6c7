// Describes the result of each order of a phase as text, with the reason for each failure.
import { type CompiledMap, cheapestChain, explain, type Game, ReasonCode, type Results } from '../../internal.js';
import * as O from '../../rules/order.js';
import * as T from '../../rules/types.js';
import { formatOrder, formatUnit, unitsOf } from '../text/index.js';

/** The result of one order, or of one unit without an order. */
export interface OrderEntry {
  /** Name of the power: 'FRANCE'. */
  readonly power: string;
  /** The unit as it stood before the phase, or as it was built: 'F STP/SC'. Null if the order refers to no unit. */
  readonly unit: string | null;
  /**
   * The order as canonical text: 'A PAR - BUR'. In an AdjudicatedRecord, a refused order is the original text, and null
   * means that the unit had no order.
   */
  readonly order: string | null;
  /** Result in the terms of DATC 3.2, issue 4.E.2. `stops` is a railroad move that ended before its target. */
  readonly result: T.ResultName;
  /** 'dislodged', or 'destroyed' if the unit cannot retreat. Null otherwise, and in all but one entry of a unit. */
  readonly fate: T.FateName;
  /** Reason for the failure: 'bounced with A MUN'. Null if the order did not fail. */
  readonly reason: string | null;
  /** Tag of the province where a railroad move with the result `stops` ended. Absent for any other result. */
  readonly end?: string;
}

/** Sorts entries in place by power name, then by the unit's location. Returns the same array. */
export const sortEntries = (entries: OrderEntry[]): OrderEntry[] => {
  const key = (entry: OrderEntry): string => entry.power + (entry.unit ?? '').slice(2);
  return entries.sort((a, b) => (key(a) < key(b) ? -1 : 1));
};

// ---- why an order failed ----

type Words = (unit: string, order: string, succeeded: boolean) => string;

/**
 * Text for each ReasonCode that names a unit. `unit` is the unit in the province of the reason, `order` its order, and
 * `succeeded` is true if that order succeeded.
 */
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
  [ReasonCode.RIDE_BLOCKED, (unit) => `${unit} blocked the way`],
  [ReasonCode.CONTROL_LEFT, (unit) => `${unit}, which controls the canal, left`],
  [ReasonCode.CONTROL_DISLODGED, (unit) => `the unit that controls the canal was dislodged by ${unit}`],
  [ReasonCode.SUPPORT_PARADOX, () => 'cut: the supports over difficult borders depend on one another'],
  [ReasonCode.BORDER_TOO_DIFFICULT, (unit) => `too weak against ${unit} over the difficult border`],
]);

/** Text for each ReasonCode that names only a province. `place` is the tag of the province. */
const placeWords: ReadonlyMap<number, (place: string) => string> = new Map([
  [ReasonCode.LOST_CENTER, (place: string) => `cannot continue past ${place}, a lost centre`],
  [ReasonCode.RAILROAD_PARADOX, (place: string) => `railroad paradox at ${place}`],
  [ReasonCode.NO_LEAVE, (place: string) => `no leave from ${place} to pass the canal`],
  [ReasonCode.CANAL_PARADOX, (place: string) => `canal paradox at ${place}`],
]);

/**
 * Returns the provinces of fleets that lack a convoy order on an army's route, from origin to target. The route is the
 * one with the fewest such fleets. Empty if no fleet convoys the army, or if the fleets on the board form no route.
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

/** Describes a missing convoy: 'convoy incomplete: F ENG was not ordered to convoy'. */
const describeNoConvoy = (map: CompiledMap, results: Results, army: T.Province): string => {
  const units = unitsOf(results);
  const lacking = fleetsWithoutOrder(map, results, army).map((p) =>
    formatUnit(map, results.unit[p], units.unitLocation(p)),
  );
  if (lacking.length === 0) return 'no convoy was ordered';
  return `convoy incomplete: ${lacking.join(' and ')} ${lacking.length > 1 ? 'were' : 'was'} not ordered to convoy`;
};

/**
 * Returns the reason why the order of the unit in a province failed, as text. Returns null if it did not fail.
 * @param results results of a movement or retreat phase
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

/** Returns the entry of the unit in a province. The results must contain a unit there. */
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
 * Returns the results of a phase as text, sorted by power name and then by the unit's location.
 *
 * In a movement phase, every unit has an entry; a unit without an order holds. In a retreat phase, every dislodged unit
 * has an entry; without an order it is a disband that fails. In an adjustment phase, every built or removed unit has an
 * entry, including removals by civil disorder.
 * @param game game of the phase; only its map is used
 * @param results from adjudicate()
 */
export const outcomes = (game: Game, results: Results): OrderEntry[] => {
  const entries: OrderEntry[] = [];
  for (let p = 0; p < game.map.provinceCount; p++)
    if (results.unit[p] !== T.NO_UNIT) entries.push(outcomeIn(game.map, results, p));
  return sortEntries(entries);
};
