// Finds the fleets that a convoy lacks that was ordered in part: those of the route that lacks the fewest.
import {
  AVAILABLE,
  CONVOY,
  type CompiledMap,
  cheapestChain,
  FLEET,
  NO_UNIT,
  orderHelped,
  orderTarget,
  orderType,
  type Province,
  type Results,
  unitType,
} from '../../../engine/internal.js';

/**
 * Fleets of the best route for an army that were not ordered to convoy it, first to last. Empty if none was ordered, or
 * if fleets alone do not make a route.
 */
export const fleetsWithoutOrder = (map: CompiledMap, results: Results, army: Province): Province[] => {
  const target = map.locationProvince[orderTarget(results.order[army])];
  const isFleet = (p: Province): boolean => results.unit[p] !== NO_UNIT && unitType(results.unit[p]) === FLEET;
  const carries = (p: Province): boolean =>
    orderType(results.order[p]) === CONVOY && results.result[p] === AVAILABLE && orderHelped(results.order[p]) === army;
  if (![...results.order.keys()].some(carries)) return [];
  const costOf = (p: Province): number => (carries(p) ? 0 : isFleet(p) ? 1 : Number.POSITIVE_INFINITY);
  return (cheapestChain(map, army, target, costOf) ?? []).filter((p) => !carries(p));
};
