// Tables of a map for the static evaluation (static-evaluation.ts): centres near a unit, and distances to all centres.
import { type CompiledMap, perMap } from '../../engine/internal.js';
import { SEA } from '../../engine/rules/types.js';
import { keyAfter, keyLocation } from './board-values.js';
import { nearCentersOf } from './center-shares.js';

/** Distance, in moves, at which a centre no longer attracts a unit. Larger distances are stored as this one. */
export const FAR = 9;

/** Tables of a map for the static evaluation. A key identifies a location and a unit type. */
export interface EvaluationTables {
  /** Centres that a unit is in or can move to: near[offsets[key]] to near[offsets[key + 1] - 1]. */
  readonly offsets: Int32Array;
  readonly near: Int32Array;
  /** Number of moves to a centre, at most FAR, indexed by key, then centre. */
  readonly moves: Uint8Array;
  /** Centre that a unit is in, indexed by key; -1 for none. */
  readonly centerOf: Int32Array;
  /** Centres where a power may build if they are free, indexed by power. */
  readonly homes: readonly Int32Array[];
}

/**
 * Returns for each key the keys after one move. If armies may cross water, the keys of units are followed by keys of
 * armies at sea, one for each location. Such an army takes one move to put to sea, one from sea to sea, and one to
 * land.
 * @param crosses true if armies may cross water
 */
const listSteps = (map: CompiledMap, crosses: boolean): number[][] => {
  const { locationCount, locationProvince, moveOffsets, moveTargets } = map;
  const steps = Array.from({ length: 2 * locationCount }, (_, key) =>
    Array.from(moveTargets.subarray(moveOffsets[key], moveOffsets[key + 1]), (to) => keyAfter(map, key, to)),
  );
  if (!crosses) return steps;
  const isSea = (location: number): boolean => map.kind[locationProvince[location]] === SEA;
  for (let at = 0; at < locationCount; at++) {
    const aboard = 2 * locationCount + at;
    steps[aboard] = [];
    if (!isSea(at)) steps[locationProvince[at]].push(aboard);
    for (const fleet of steps[locationCount + at]) {
      const to = fleet - locationCount;
      if (isSea(to)) steps[aboard].push(2 * locationCount + to);
      else if (isSea(at)) steps[aboard].push(locationProvince[to]);
    }
  }
  return steps;
};

/**
 * Returns the number of moves from one key to each key, at most FAR, indexed by key.
 * @param steps keys after one move, indexed by key
 */
const movesFrom = (steps: readonly (readonly number[])[], key: number): Int32Array => {
  const moves = new Int32Array(steps.length).fill(FAR);
  moves[key] = 0;
  let last = [key];
  for (let n = 1; n < FAR && last.length > 0; n++) {
    const next: number[] = [];
    for (const from of last)
      for (const to of steps[from]) {
        if (moves[to] < FAR || to === key) continue;
        moves[to] = n;
        next.push(to);
      }
    last = next;
  }
  return moves;
};

const makeTables = (map: CompiledMap, crosses: boolean): EvaluationTables => {
  const keys = 2 * map.locationCount;
  const { centerCount } = map;
  const centerAt = (key: number): number => map.centerIndex[map.locationProvince[keyLocation(map, key)]];
  const centerOf = Int32Array.from({ length: keys }, (_, key) => centerAt(key));
  const steps = listSteps(map, crosses);
  const moves = new Uint8Array(keys * centerCount).fill(FAR);
  for (let key = 0; key < keys; key++) {
    const distance = moves.subarray(key * centerCount, (key + 1) * centerCount);
    const from = movesFrom(steps, key);
    for (let to = 0; to < keys; to++)
      if (centerOf[to] >= 0) distance[centerOf[to]] = Math.min(distance[centerOf[to]], from[to]);
  }
  const homes = map.powerNames.map((_, q) =>
    Int32Array.from(map.centers.keys()).filter((c) => map.buildAnywhere || map.homePower[c] === q),
  );
  const { offsets, near } = nearCentersOf(map);
  return { offsets, near: near.map((at) => at / map.powerCount), moves, centerOf, homes };
};

/** Returns the tables in which armies move on land only. They are computed once for each map. */
export const plainTablesOf = perMap((map) => makeTables(map, false));
/** Returns the tables in which armies may also cross water. They are computed once for each map. */
export const crossingTablesOf = perMap((map) => makeTables(map, true));
