// Chooses the units that civil disorder removes from a power that does not order its removals (DATC 4.D.8).
//
// Letters of the option `disorderMeasure` select how the distance of a unit to its goal centres is counted: a to e.

import { linkedSeas } from '../map/chains.js';
import { rankNames } from '../map/compile.js';
import { perMap } from '../map/per-map.js';
import type { Game } from '../position/game.js';
import { bitsIn } from '../rules/bitset.js';
import { ruleValue } from '../rules/options.js';
import * as T from '../rules/types.js';

/**
 * Distance of a unit that cannot reach a goal. Greater than any real distance, small enough for civilDisorderRemoval().
 */
const NO_WAY = 255;

/**
 * True if units of a power count their distance to this centre: a home centre or an owned centre, by the rules in use.
 */
const isGoal = (game: Game, power: T.Power, center: number): boolean =>
  ruleValue(game.rules, 'disorderGoal') === 'home' && !game.map.buildAnywhere
    ? game.map.homePower[center] === power
    : game.owner(center) === power && !isUncounted(game, power, center);

const isUncounted = ({ map: { special } }: Game, power: T.Power, center: number): boolean =>
  special !== null && special.uncounted === center && special.uncountedPower === power;

/**
 * Returns the number of steps over land and sea from a province to the nearest goal centre, coasts ignored (measure e;
 * for armies also d); 255 if there is none.
 */
const stepsToGoal = (game: Game, power: T.Power, province: T.Province): number => {
  const { map } = game;
  let least = NO_WAY;
  for (let c = 0; c < map.centerCount; c++) {
    if (!isGoal(game, power, c)) continue;
    const d = map.distance[province * map.provinceCount + map.centers[c]];
    if (d < least) least = d;
  }
  return least;
};

/**
 * True if an army may be convoyed over a sea, for the distances of civil disorder: over any sea (measure a), with a
 * fleet of its power there (b), or with any fleet there (c).
 * @param letter letter of the measure
 */
const canConvoyOver = (game: Game, power: T.Power, sea: T.Province, letter: string): boolean => {
  if (((game.map.seas[sea >> 5] >>> (sea & 31)) & 1) === 0) return false;
  const unit = game.unitAt(sea);
  if (letter === 'a') return true;
  if (unit === T.NO_UNIT || T.unitType(unit) !== T.FLEET) return false;
  return letter === 'c' || T.unitPower(unit) === power;
};

/**
 * Returns the coastal provinces that an army of a power in province `from` can reach by one convoy, with repetitions.
 * @param letter letter of the measure: a, b or c (canConvoyOver())
 */
const convoyTargets = (game: Game, power: T.Power, from: T.Province, letter: string): readonly T.Province[] => {
  const { map } = game;
  const ports = bitsIn(map.seaNeighbours, from).filter((p) => p < map.provinceCount);
  const seas = linkedSeas(map, ports, (sea) => canConvoyOver(game, power, sea, letter));
  return seas.flatMap((sea) => bitsIn(map.coastNeighbours, sea));
};

/**
 * Returns the least number of moves of a unit to a goal centre (fleets in measures a to d, armies in a to c); 255 if it
 * cannot reach one. A convoy counts as one move.
 * @param letter letter of the measure
 */
const movesToGoal = (game: Game, power: T.Power, location: T.Location, fleet: boolean, letter: string): number => {
  const { map } = game;
  const begin = fleet ? map.locationCount : 0;
  const steps = new Map<T.Location, number>([[location, 0]]);
  for (const [at, step] of steps) {
    const province = map.locationProvince[at];
    const center = map.centerIndex[province];
    if (center >= 0 && isGoal(game, power, center)) return step;
    for (let i = map.moveOffsets[begin + at]; i < map.moveOffsets[begin + at + 1]; i++)
      if (!steps.has(map.moveTargets[i])) steps.set(map.moveTargets[i], step + 1);
    if (!fleet) for (const p of convoyTargets(game, power, province, letter)) if (!steps.has(p)) steps.set(p, step + 1);
  }
  return NO_WAY;
};

/**
 * Returns the distance of a unit to its nearest goal centre, as the game's rules count it; 255 if it cannot reach one.
 * @param power power of the unit
 * @param province province of the unit
 * @param fleet true for a fleet, false for an army
 */
export const civilDisorderDistance = (game: Game, power: T.Power, province: T.Province, fleet: boolean): number => {
  const letter = ruleValue(game.rules, 'disorderMeasure');
  if (letter === 'e' || (letter === 'd' && !fleet)) return stepsToGoal(game, power, province);
  return movesToGoal(game, power, game.unitLocation(province), fleet, letter);
};

/**
 * Returns the alphabetical rank of each province, by the names that the Player's Technical Guide sorts by: Bothnia,
 * Lyon, Saint Petersburg.
 */
export const guideRankOf = perMap((map): Uint8Array => {
  const names = map.provinceNames.map((name) =>
    name
      .replace(/^Gulf of (the )?/i, '')
      .replace(/^St\.? /, 'Saint ')
      .toLowerCase()
      .replace(/[^a-z]/g, ''),
  );
  return rankNames(names);
});

/**
 * Returns the province of the unit that civil disorder removes next from a power; -1 if the power has no unit. The unit
 * farthest from the centres that the power owns is removed first, then fleets before armies, then alphabetically by
 * full name (2023 rules; DATC 4.D.8). Other rules count the distance differently, or to the home centres.
 */
export const civilDisorderRemoval = (game: Game, power: T.Power): T.Province => {
  const { map } = game;
  const names = ruleValue(game.rules, 'disorderNames') === 'dptg' ? guideRankOf(map) : map.alphabeticalRank;
  let chosen = -1;
  let best = -1;
  for (let p = 0; p < map.provinceCount; p++) {
    const unit = game.unitAt(p);
    if (unit === T.NO_UNIT || T.unitPower(unit) !== power) continue;
    const fleet = T.unitType(unit) === T.FLEET;
    // Sorts by distance, then fleets first, then alphabetically.
    const rank = (civilDisorderDistance(game, power, p, fleet) * 2 + T.unitType(unit)) * 256 + (255 - names[p]);
    if (rank <= best) continue;
    best = rank;
    chosen = p;
  }
  return chosen;
};
