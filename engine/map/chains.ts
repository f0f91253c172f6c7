// Finds chains of convoying fleets between provinces, for rare queries. The resolver (adjudicate/movement/convoys.ts) and
// the lists of legal orders (legal/routes.ts) use faster searches.

import { bitsIn, testBit } from '../rules/bitset.js';
import type { Location, Province } from '../rules/types.js';
import type { CompiledMap } from './compiled-map.js';

/** Last province of a partial chain, the cost of the chain so far, and the link before it (null for the army). */
interface Link {
  readonly at: Province;
  readonly cost: number;
  readonly before: Link | null;
}

/**
 * Returns the provinces of the fleets on the cheapest chain from an army to a coast, first to last. Among chains of equal
 * cost, returns the first found.
 * @param costOf cost of the fleet in a province, at least 0; Infinity if the province has no usable fleet
 * @returns null if no chain exists
 */
export const cheapestChain = (
  map: CompiledMap,
  army: Province,
  to: Province,
  costOf: (province: Province) => number,
): Province[] | null => {
  const open: Link[] = [{ at: army, cost: 0, before: null }];
  const seen = new Set<Province>();
  while (open.length > 0) {
    const least = open.reduce((best, { cost }, i) => (cost < open[best].cost ? i : best), 0);
    const [link] = open.splice(least, 1);
    if (seen.has(link.at)) continue;
    seen.add(link.at);
    if (link.before !== null && testBit(map.coastNeighbours, link.at, to) === 1) return fleetsOf(link);
    for (const at of bitsIn(map.seaNeighbours, link.at)) {
      const cost = at < map.provinceCount ? link.cost + costOf(at) : Number.POSITIVE_INFINITY;
      if (cost < Number.POSITIVE_INFINITY) open.push({ at, cost, before: link });
    }
  }
  return null;
};

const fleetsOf = (last: Link): Province[] => {
  const fleets: Province[] = [];
  for (let link = last; link.before !== null; link = link.before) fleets.unshift(link.at);
  return fleets;
};

/** Returns every sea reachable from `from` through seas that satisfy `counts`, including the starting seas that do. */
export const linkedSeas = (
  map: CompiledMap,
  from: readonly Province[],
  counts: (sea: Province) => boolean,
): Province[] => {
  const found = new Set(from.filter(counts));
  for (const sea of found)
    for (const next of bitsIn(map.seaNeighbours, sea)) if (next < map.provinceCount && counts(next)) found.add(next);
  return [...found];
};

/** An army and the fleets that may convoy it, with tests of which fleets are adjacent and which reach the goal. */
export interface ChainPlaces {
  readonly army: Province;
  readonly fleets: readonly Location[];
  readonly areLinked: (from: Location, fleet: Location) => boolean;
  readonly arrives: (fleet: Location) => boolean;
}

/**
 * Returns the fleets that lie on at least one simple chain (a chain that repeats no fleet) from the army to its goal.
 * @param wanted if given, the search ends once this fleet is found, and the result may lack other fleets
 */
export const fleetsOnChains = ({ army, fleets, areLinked, arrives }: ChainPlaces, wanted?: Location): Set<Location> => {
  const found = new Set<Location>();
  const chain = new Set<Location>();
  const follow = (from: Location): void => {
    if (from !== army && arrives(from)) for (const fleet of chain) found.add(fleet);
    for (const fleet of fleets) {
      if (chain.has(fleet) || !areLinked(from, fleet) || (wanted !== undefined && found.has(wanted))) continue;
      chain.add(fleet);
      follow(fleet);
      chain.delete(fleet);
    }
  };
  follow(army);
  return found;
};
