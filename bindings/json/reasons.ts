// Puts the reasons that engine/explain.ts finds into words.
import {
  BOUNCED,
  CONVOY_DISRUPTED,
  CONVOY_NOT_ORDERED,
  CONVOY_PARADOX,
  type CompiledMap,
  CUT_BY_ATTACK,
  CUT_BY_DISLODGEMENT,
  explain,
  FLEET_DISLODGED,
  HELD,
  LOST_HEAD_TO_HEAD,
  NO_UNIT,
  OWN_UNIT_STAYED,
  type Province,
  RETREATS_COLLIDED,
  type Results,
  UNMATCHED,
} from '../../engine/internal.js';
import { formatOrder, formatUnit, unitsOf } from '../text/index.js';

type Words = (unit: string, order: string) => string;

/** By code; `unit` is the unit in the province that the reason names, `order` its order. */
const words: ReadonlyMap<number, Words> = new Map<number, Words>([
  [BOUNCED, (unit) => `bounced with ${unit}`],
  [HELD, (unit) => `${unit} held`],
  [OWN_UNIT_STAYED, (unit) => `${unit} of the same power stayed`],
  [LOST_HEAD_TO_HEAD, (unit) => `lost head-to-head against ${unit}`],
  [CONVOY_NOT_ORDERED, () => 'no convoy was ordered'],
  [CONVOY_DISRUPTED, (unit) => `convoy disrupted: ${unit} was dislodged`],
  [CONVOY_PARADOX, (unit) => `convoy paradox at ${unit}`],
  [CUT_BY_ATTACK, (unit) => `cut by ${unit}`],
  [CUT_BY_DISLODGEMENT, (unit) => `dislodged by ${unit}`],
  [UNMATCHED, (_, order) => `order was ${order}`],
  [FLEET_DISLODGED, (unit) => `dislodged by ${unit}`],
]);

/**
 * Why the order of the unit in a province failed; null if it did not fail.
 * @param results of a movement or retreat phase
 */
export const describeFailure = (map: CompiledMap, results: Results, province: Province): string | null => {
  const reason = explain(map, results, province);
  if (reason.code === RETREATS_COLLIDED) return `two retreats to ${map.provinceTags[reason.province]}`;
  const say = words.get(reason.code);
  if (say === undefined) return null;
  const other = reason.province;
  if (other < 0 || results.unit[other] === NO_UNIT) return say('another unit', 'none');
  const units = unitsOf(results);
  const unit = formatUnit(map, results.unit[other], units.unitLocation(other));
  return say(unit, formatOrder(map, results.order[other], units));
};
