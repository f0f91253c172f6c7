// Border queries on a map: coasts, reachable locations and seas.
import { type CompiledMap, type Location, type Province, ProvinceKind, UnitType } from '../../../engine/index.js';

/** Returns the coasts of a province, ascending. Empty for a province without separate coasts. */
export const coastsOf = ({ coastCount, firstCoast }: CompiledMap, province: Province): Location[] =>
  Array.from({ length: coastCount[province] }, (_, i) => firstCoast[province] + i);

/** Returns the locations that a unit can move to without a convoy, ascending. */
export const reachFrom = (map: CompiledMap, type: UnitType, location: Location): Location[] => {
  const key = type === UnitType.FLEET ? map.locationCount + location : location;
  return Array.from(map.moveTargets.subarray(map.moveOffsets[key], map.moveOffsets[key + 1]));
};

/** True if a fleet in `from`, or on any of its coasts, can move to `to`. */
export const isNextTo = (map: CompiledMap, from: Province, to: Province): boolean =>
  [from, ...coastsOf(map, from)]
    .flatMap((location) => reachFrom(map, UnitType.FLEET, location))
    .some((location) => map.locationProvince[location] === to);

/** True if a province is a sea. DAIDE has convoys at sea only. */
export const isSea = (map: CompiledMap, province: Province): boolean => map.kind[province] === ProvinceKind.SEA;
