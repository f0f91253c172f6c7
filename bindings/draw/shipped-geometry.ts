// The geometries that ship with Lepanto, and the maps they fit.
import type { CompiledMap } from '../../engine/internal.js';
import { ancmedGeometry } from './ancmed-geometry.js';
import { colonialGeometry } from './colonial-geometry.js';
import type { GeometryData } from './geometry.js';
import { loeb9Geometry } from './loeb9-geometry.js';
import { standardGeometry } from './standard-geometry.js';

/** All of them. */
export const shippedGeometries: readonly GeometryData[] = [
  standardGeometry,
  ancmedGeometry,
  loeb9Geometry,
  colonialGeometry,
];

const tagsOf = (places: Iterable<string>): string => [...places].sort().join(' ');

let byTags: ReadonlyMap<string, GeometryData> | undefined;

/**
 * The geometry for a map with the same provinces and coasts: maps that differ in powers, start or rules of their own share
 * one. Null if there is none.
 */
export const geometryFor = (map: CompiledMap): GeometryData | null => {
  byTags ??= new Map(shippedGeometries.map((geometry) => [tagsOf(Object.keys(geometry.places)), geometry]));
  return byTags.get(tagsOf(map.locationTags)) ?? null;
};
