// Answers questions about the borders of a map: what a unit reaches, and where fleets convoy.
import { type CompiledMap, type Location, type Province, ProvinceKind, UnitType } from '../../../engine/index.js';

/** Coasts of a province, ascending; none if it has none of its own. */
export const coastsOf = ({ coastCount, firstCoast }: CompiledMap, province: Province): Location[] =>
  Array.from({ length: coastCount[province] }, (_, i) => firstCoast[province] + i);

/** Locations that a unit can move to without a convoy, ascending. */
export const reachFrom = (map: CompiledMap, type: UnitType, location: Location): Location[] => {
  const key = type === UnitType.FLEET ? map.locationCount + location : location;
  return Array.from(map.moveTargets.subarray(map.moveOffsets[key], map.moveOffsets[key + 1]));
};

/** True if a fleet can move from one province to the other. */
export const isNextTo = (map: CompiledMap, from: Province, to: Province): boolean =>
  [from, ...coastsOf(map, from)]
    .flatMap((location) => reachFrom(map, UnitType.FLEET, location))
    .some((location) => map.locationProvince[location] === to);

/** True if a province is a sea: on the maps that a Representation takes, the one kind of province where fleets convoy. */
export const isSea = (map: CompiledMap, province: Province): boolean => map.kind[province] === ProvinceKind.SEA;
