// Chains of fleets between provinces, for questions that are asked seldom. The resolver has a search of its own
// (adjudicate/movement/convoys.ts), and so have the lists of legal orders (legal/routes.ts): those are hot.

import { bitsIn, testBit } from '../rules/bitset.js';
import type { Location, Province } from '../rules/types.js';
import type { CompiledMap } from './compiled-map.js';

/** What a chain costs up to a place, and the place before it. */
interface Link {
  readonly at: Province;
  readonly cost: number;
  readonly before: Link | null;
}

/**
 * The fleets of the cheapest chain from an army to a coast, first to last; of equal ones the one found first.
 * @param costOf what a fleet costs by its province, from 0; Infinity where there is none
 * @returns null without a chain
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

/** The seas of a kind, `counts`, that a fleet could sail to from one of these over seas of that kind; these included. */
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

/** Where the fleets of an army's chains may be, and what is next to what. */
export interface ChainPlaces {
  readonly army: Province;
  readonly fleets: readonly Location[];
  readonly areLinked: (from: Location, fleet: Location) => boolean;
  readonly arrives: (fleet: Location) => boolean;
}

/**
 * The fleets on some simple chain: one that has no fleet twice.
 * @param wanted if given, the search ends once this fleet is found
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
