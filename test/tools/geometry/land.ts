// Which cells are land, and of which country: Natural Earth on a raster, its coasts smoothed, corrected by hand.
import { createRequire } from 'node:module';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import type { Project } from './projection.js';
import { fillRings, type Raster } from './raster.js';
import { type LonLat, type SeedTable, wordsOf } from './seed-table.js';

export interface Land {
  /** Country of each cell by its number; 0 is sea. */
  readonly country: Int16Array;
  /** Country of the nearest land. */
  readonly nearest: Int16Array;
  /** Names by number. */
  readonly names: readonly string[];
}

/** Rings that are far from every map only cost time. */
const isNear = (ring: readonly LonLat[]): boolean => ring.some(([lon, lat]) => lat > -25 && lon > -80 && lon < 170);

const readCountries = (): { readonly name: string; readonly polygons: LonLat[][][] }[] => {
  const require = createRequire(import.meta.url);
  const atlas: Topology<{
    countries: GeometryCollection<{ name: string }>;
  }> = require('world-atlas/countries-50m.json');
  return feature(atlas, atlas.objects.countries).features.map(({ geometry, properties: { name } }) => {
    if (geometry.type !== 'Polygon' && geometry.type !== 'MultiPolygon')
      throw new Error(`${name}: got ${geometry.type}`);
    const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
    return { name, polygons: polygons as unknown as LonLat[][][] };
  });
};

/**
 * Blurs all rows or all columns with a box. Three times in both directions is nearly a Gaussian.
 * @param count number of rows or columns
 * @param apart cells from the start of a line to that of the next
 * @param step cells from one cell of a line to its next
 */
const blur = (
  from: Float32Array,
  to: Float32Array,
  count: number,
  apart: number,
  step: number,
  reach: number,
): void => {
  const length = from.length / count;
  for (let line = 0; line < count; line++) {
    const start = line * apart;
    const at = (k: number): number => from[start + Math.min(Math.max(0, k), length - 1) * step];
    let sum = at(0) * reach;
    for (let k = 0; k <= reach; k++) sum += at(k);
    for (let k = 0; k < length; k++) {
      to[start + k * step] = sum / (2 * reach + 1);
      sum += at(k + reach + 1) - at(k - reach);
    }
  }
};

/** The country of the nearest land, as far as eight drawing units from it. */
const spread = (country: Int16Array, { across, size, cells }: Raster): Int16Array => {
  const nearest = country.slice();
  const queue = new Int32Array(size);
  const depth = new Uint8Array(size);
  let count = 0;
  for (let i = 0; i < size; i++) if (country[i] > 0) queue[count++] = i;
  for (let q = 0; q < count; q++) {
    const here = queue[q];
    if (depth[here] > 8 * cells) continue;
    const column = here % across;
    for (const next of [
      column > 0 ? here - 1 : -1,
      column < across - 1 ? here + 1 : -1,
      here - across,
      here + across,
    ]) {
      if (next < 0 || next >= size || nearest[next] > 0) continue;
      nearest[next] = nearest[here];
      depth[next] = depth[here] + 1;
      queue[count++] = next;
    }
  }
  return nearest;
};

/** The part of a cell's surroundings that is land from which on it is land. */
const THRESHOLD = 0.45;

/** The land of a map before anything is corrected. */
export const makeLand = (table: SeedTable, raster: Raster, project: Project): Land => {
  const { across, down, size, cells } = raster;
  const country = new Int16Array(size);
  const names = [''];
  const dropped = ['Antarctica', ...wordsOf(table.drop, ', ')];
  for (const { name, polygons } of readCountries()) {
    if (dropped.includes(name)) continue;
    const id = names.push(name) - 1;
    for (const polygon of polygons)
      if (isNear(polygon[0]))
        fillRings(
          raster,
          polygon.map((ring) => ring.map(project)),
          (cell) => {
            country[cell] = id;
          },
        );
  }
  const nearest = spread(country, raster);
  const reach = Math.round((table.coastSmooth * cells) / 2);
  const a = Float32Array.from(country, (id) => (id > 0 ? 1 : 0));
  const b = new Float32Array(size);
  for (let k = 0; k < 3; k++) {
    blur(a, b, down, across, 1, reach);
    blur(b, a, across, 1, across, reach);
  }
  for (let i = 0; i < size; i++) country[i] = a[i] > THRESHOLD ? nearest[i] : 0;
  return { country, nearest, names };
};
