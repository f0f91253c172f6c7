// The geometries that ship with Lepanto, and the maps they fit.
import type { CompiledMap } from '../../engine/internal.js';
import ancmed from './geometries/ancmed.json' with { type: 'json' };
import colonial from './geometries/colonial.json' with { type: 'json' };
import loeb9 from './geometries/loeb9.json' with { type: 'json' };
import standard from './geometries/standard.json' with { type: 'json' };
import type { GeometryData } from './geometry.js';

export const shippedGeometries: readonly GeometryData[] = [standard, ancmed, loeb9, colonial];

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
