// Geometries that ship with Lepanto.
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
 * Returns the geometry that ships for a map, or null if there is none. Maps with the same provinces and coasts share a
 * geometry; powers, start and special rules may differ.
 */
export const geometryFor = (map: CompiledMap): GeometryData | null => {
  byTags ??= new Map(shippedGeometries.map((geometry) => [tagsOf(Object.keys(geometry.places)), geometry]));
  return byTags.get(tagsOf(map.locationTags)) ?? null;
};
