// Puts the results of a phase into words: what came of each order, and why it failed.
import {
  AVAILABLE,
  BORDER_TOO_DIFFICULT,
  BOUNCED,
  CANAL_PARADOX,
  CONTROL_DISLODGED,
  CONTROL_LEFT,
  CONVOY,
  CONVOY_DISRUPTED,
  CONVOY_NOT_ORDERED,
  CONVOY_PARADOX,
  type CompiledMap,
  CUT_BY_ATTACK,
  CUT_BY_DISLODGEMENT,
  cheapestChain,
  explain,
  type FateName,
  FLEET,
  FLEET_DISLODGED,
  fates,
  type Game,
  HELD,
  LOST_CENTER,
  LOST_HEAD_TO_HEAD,
  NO_LEAVE,
  NO_UNIT,
  OTHER_TRAIN,
  OWN_UNIT_STAYED,
  orderHelped,
  orderLocation,
  orderTarget,
  orderType,
  type Province,
  RAILROAD_PARADOX,
  RETREATS_COLLIDED,
  type ResultName,
  type Results,
  RIDE_BLOCKED,
  resultNames,
  STOPS,
  SUPPORT_PARADOX,
  UNMATCHED,
  unitPower,
  unitType,
} from '../../../engine/internal.js';
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
  readonly result: ResultName;
  /** 'dislodged', or 'destroyed' if the unit cannot retreat; null if it stays. Given once for each unit. */
  readonly fate: FateName;
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

type Words = (unit: string, order: string) => string;

/** By code; `unit` is the unit in the province that the reason names, `order` its order. */
const words: ReadonlyMap<number, Words> = new Map<number, Words>([
  [BOUNCED, (unit) => `bounced with ${unit}`],
  [HELD, (unit) => `${unit} held`],
  [OWN_UNIT_STAYED, (unit) => `${unit} of the same power stayed`],
  [LOST_HEAD_TO_HEAD, (unit) => `lost head-to-head against ${unit}`],
  [CONVOY_DISRUPTED, (unit) => `convoy disrupted: ${unit} was dislodged`],
  [CONVOY_PARADOX, (unit) => `convoy paradox at ${unit}`],
  [CUT_BY_ATTACK, (unit) => `cut by ${unit}`],
  [CUT_BY_DISLODGEMENT, (unit) => `dislodged by ${unit}`],
  [UNMATCHED, (_, order) => `order was ${order}`],
  [FLEET_DISLODGED, (unit) => `dislodged by ${unit}`],
  [OTHER_TRAIN, (unit) => `${unit} had a ride in the same phase`],
  [RIDE_BLOCKED, (unit) => `${unit} stood in the way`],
  [CONTROL_LEFT, (unit) => `${unit}, which controls the canal, left`],
  [CONTROL_DISLODGED, (unit) => `the unit that controls the canal was dislodged by ${unit}`],
  [SUPPORT_PARADOX, () => 'cut: the supports over difficult borders hang on one another'],
  [BORDER_TOO_DIFFICULT, (unit) => `too weak against ${unit} over the difficult border`],
]);

/** The same for reasons that name a province, whether there is a unit or not. */
const placeWords: ReadonlyMap<number, (place: string) => string> = new Map([
  [LOST_CENTER, (place: string) => `does not go on behind ${place}, a lost centre`],
  [RAILROAD_PARADOX, (place: string) => `railroad paradox at ${place}`],
  [NO_LEAVE, (place: string) => `no leave from ${place} to pass the canal`],
  [CANAL_PARADOX, (place: string) => `canal paradox at ${place}`],
]);

/**
 * Fleets of the best route for an army that were not ordered to convoy it, first to last. Empty if none was ordered, or
 * if fleets alone do not make a route.
 */
const fleetsWithoutOrder = (map: CompiledMap, results: Results, army: Province): Province[] => {
  const target = map.locationProvince[orderTarget(results.order[army])];
  const isFleet = (p: Province): boolean => results.unit[p] !== NO_UNIT && unitType(results.unit[p]) === FLEET;
  const carries = (p: Province): boolean =>
    orderType(results.order[p]) === CONVOY && results.result[p] === AVAILABLE && orderHelped(results.order[p]) === army;
  if (![...results.order.keys()].some(carries)) return [];
  const costOf = (p: Province): number => (carries(p) ? 0 : isFleet(p) ? 1 : Number.POSITIVE_INFINITY);
  return (cheapestChain(map, army, target, costOf) ?? []).filter((p) => !carries(p));
};

/** 'convoy incomplete: F ENG was not ordered to convoy'. */
const describeNoConvoy = (map: CompiledMap, results: Results, army: Province): string => {
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
const describeFailure = (map: CompiledMap, results: Results, province: Province): string | null => {
  const reason = explain(map, results, province);
  const sayPlace = placeWords.get(reason.code);
  if (sayPlace !== undefined) return sayPlace(map.provinceTags[reason.province]);
  if (reason.code === CONVOY_NOT_ORDERED) return describeNoConvoy(map, results, province);
  if (reason.code === RETREATS_COLLIDED) return `two retreats to ${map.provinceTags[reason.province]}`;
  const say = words.get(reason.code);
  if (say === undefined) return null;
  const other = reason.province;
  if (other < 0 || results.unit[other] === NO_UNIT) return say('another unit', 'none');
  const units = unitsOf(results);
  const unit = formatUnit(map, results.unit[other], units.unitLocation(other));
  return say(unit, formatOrder(map, results.order[other], units));
};

// ---- entries ----

/** The result of the unit in a province. There must be one in the results. */
export const outcomeIn = (map: CompiledMap, results: Results, province: Province): OrderEntry => {
  const order = results.order[province];
  return {
    power: map.powerNames[unitPower(results.unit[province])],
    unit: formatUnit(map, results.unit[province], orderLocation(order)),
    order: formatOrder(map, order, unitsOf(results)),
    result: resultNames[results.result[province]],
    fate: fates[results.fate[province]],
    reason: describeFailure(map, results, province),
    ...(results.result[province] === STOPS ? { end: map.provinceTags[results.rideEnd[province]] } : {}),
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
    if (results.unit[p] !== NO_UNIT) entries.push(outcomeIn(game.map, results, p));
  return sortEntries(entries);
};
