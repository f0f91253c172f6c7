// Finds the fleets that a convoy lacks that was ordered in part: those of the route that lacks the fewest.
import {
  AVAILABLE,
  CONVOY,
  type CompiledMap,
  FLEET,
  NO_UNIT,
  orderAux,
  orderTarget,
  orderType,
  type Province,
  type Results,
  testBit,
  unitType,
} from '../../../engine/internal.js';

/** The army's province or a fleet on the way, with the place before it. */
interface Place {
  readonly at: Province;
  readonly before: Place | null;
  readonly isOrdered: boolean;
}

/**
 * Fleets of the best route for an army that were not ordered to convoy it, first to last. Empty if none was ordered, or
 * if fleets alone do not make a route.
 */
export const fleetsWithoutOrder = (map: CompiledMap, results: Results, army: Province): Province[] => {
  const { seaNeighbours, provinceCount } = map;
  const target = map.locationProvince[orderTarget(results.order[army])];
  const carries = (p: Province): boolean =>
    orderType(results.order[p]) === CONVOY && results.result[p] === AVAILABLE && orderAux(results.order[p]) === army;
  const fleets = Array.from({ length: provinceCount }, (_, p) => p).filter(
    (p) => results.unit[p] !== NO_UNIT && unitType(results.unit[p]) === FLEET,
  );
  if (!fleets.some(carries)) return [];
  const seen = new Set<Province>();
  // Places that cost nothing more before those that lack one fleet more.
  const queue: Place[] = [{ at: army, before: null, isOrdered: true }];
  for (let place = queue.shift(); place !== undefined; place = queue.shift()) {
    const { at } = place;
    if (seen.has(at)) continue;
    seen.add(at);
    if (at !== army && testBit(seaNeighbours, target, at) === 1) return lackingOn(place);
    for (const p of fleets) {
      if (seen.has(p) || testBit(seaNeighbours, at, p) === 0) continue;
      const next = { at: p, before: place, isOrdered: carries(p) };
      if (next.isOrdered) queue.unshift(next);
      else queue.push(next);
    }
  }
  return [];
};

const lackingOn = (last: Place): Province[] => {
  const lacking: Province[] = [];
  for (let place: Place | null = last; place !== null; place = place.before)
    if (!place.isOrdered) lacking.unshift(place.at);
  return lacking;
};
