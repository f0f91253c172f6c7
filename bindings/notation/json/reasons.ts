// Puts the reasons that engine/adjudicate/explain.ts finds into words.
import {
  BORDER_TOO_DIFFICULT,
  BOUNCED,
  CANAL_PARADOX,
  CONTROL_DISLODGED,
  CONTROL_LEFT,
  CONVOY_DISRUPTED,
  CONVOY_NOT_ORDERED,
  CONVOY_PARADOX,
  type CompiledMap,
  CUT_BY_ATTACK,
  CUT_BY_DISLODGEMENT,
  explain,
  FLEET_DISLODGED,
  HELD,
  LOST_CENTER,
  LOST_HEAD_TO_HEAD,
  NO_LEAVE,
  NO_UNIT,
  OTHER_TRAIN,
  OWN_UNIT_STAYED,
  type Province,
  RAILROAD_PARADOX,
  RETREATS_COLLIDED,
  type Results,
  RIDE_BLOCKED,
  SUPPORT_PARADOX,
  UNMATCHED,
} from '../../../engine/internal.js';
import { formatOrder, formatUnit, unitsOf } from '../text/index.js';
import { fleetsWithoutOrder } from './convoy-gap.js';

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
export const describeFailure = (map: CompiledMap, results: Results, province: Province): string | null => {
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
