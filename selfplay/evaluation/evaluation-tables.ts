// What the static evaluation (static-evaluation.ts) knows of a map: which centres a unit is near, and how many moves from.
import { type CompiledMap, perMap } from '../../engine/internal.js';
import { SEA } from '../../engine/rules/types.js';
import { keyAfter, keyLocation } from './board-values.js';
import { nearCentersOf } from './center-shares.js';

/** Moves to what is too far to count. */
export const FAR = 9;

/** What the static evaluation knows of a map. */
export interface EvaluationTables {
  /** By key: the centres that a unit is in or can move to, near[offsets[key] .. offsets[key + 1]). */
  readonly offsets: Int32Array;
  readonly near: Int32Array;
  /** By key, then centre: moves to it; FAR where there are more. */
  readonly moves: Uint8Array;
  /** By key: the centre in which the unit is; -1 for none. */
  readonly centerOf: Int32Array;
  /** By power: the centres where it can build. */
  readonly homes: readonly Int32Array[];
}

/**
 * By key: the keys after one move. Behind those of units are keys of armies on board, one for each location of fleets: an
 * army that may cross water goes on board in a move, from sea to sea, and on land.
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

/** Moves from a key to every other one; FAR where there are more. */
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

export const plainTablesOf = perMap((map) => makeTables(map, false));
/** Where armies are drawn over water. */
export const crossingTablesOf = perMap((map) => makeTables(map, true));
