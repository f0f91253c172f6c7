// The seed table of a map: what is typed in by hand so that the generator can draw it on the coasts of Natural Earth.
//
// A table may be based on another one: its own entries are added to those of the base, or take their place.
//
// Points are text, longitude and latitude in degrees: '-3.3 48.2, -0.6 48.6'. Sizes are drawing units.

import { readFileSync } from 'node:fs';

/** A place that is enlarged: distances d from its middle become d(1 + gain(1 - (d/radius)^2)^2). */
export interface Lens {
  readonly at: string;
  readonly radius: number;
  readonly gain: number;
}

/** A correction by hand: a line of some width, or an area, becomes part of a province, `sea`, `land`, `~` or `#`. */
export interface Stroke {
  readonly as: string;
  readonly line?: string;
  /** Of a line. */
  readonly width?: number;
  readonly area?: string;
  /** Paints only what is land, or sea, before. */
  readonly only?: 'land' | 'sea';
  readonly why: string;
}

export interface SeedTable {
  readonly name: string;
  /** Middle of the projection. */
  readonly center: string;
  /** How fast distances from the middle shrink: radius r = compress(1 - exp(-angle/compress)). */
  readonly compress: number;
  readonly lenses: readonly Lens[];
  readonly width: number;
  readonly height: number;
  /** Drawing units of a radian at the middle. */
  readonly scale: number;
  /** Where the middle is drawn. */
  readonly origin: readonly [x: number, y: number];
  /** How much of fjords and skerries goes. */
  readonly coastSmooth: number;
  /** Smaller islands and lakes are left out. */
  readonly minIsland: number;
  readonly minLake: number;
  /** How far borders that are no country's bend. */
  readonly noise: number;
  /** Borders that are shorter are reported. */
  readonly minBorder: number;
  /** Provinces that share some countries: a country's land goes to the nearest of their seeds. */
  readonly pools: Readonly<Record<string, string>>;
  /** Countries that are no province. */
  readonly neutral: string;
  /** A point on each island that is no province. */
  readonly neutralIslands?: string;
  /** Countries that are left out as if they were sea. */
  readonly drop?: string;
  /** Provinces of water with islands in it, and a point on each island. */
  readonly isles?: Readonly<Record<string, string>>;
  /** Points of each province; `~` is water that is no province, `#` land that is none. */
  readonly seeds: Readonly<Record<string, string>>;
  readonly paint: readonly Stroke[];
  /** Neighbours that meet only over a bar drawn for them, and why. */
  readonly links?: Readonly<Record<string, string>>;
  /** Neighbours that have a common border, but not one that fleets and armies alike may use, and why. */
  readonly exceptions?: Readonly<Record<string, string>>;
  /** Neighbours whose fleets pass along a river: their border need not meet a sea. */
  readonly rivers?: readonly string[];
  /** Waterways that are drawn as a thin line over land. */
  readonly canals?: Readonly<Record<string, string>>;
  /** Where the unit of a province or of a coast should stand. */
  readonly hints: Readonly<Record<string, string>>;
  /** Boxes that are kept free: unit, name, centre. */
  readonly sizes?: Readonly<Record<'unit' | 'text' | 'center', readonly [number, number]>>;
}

export type LonLat = readonly [longitude: number, latitude: number];

/** '-3.3 48.2, -0.6 48.6' as points. */
export const pointsOf = (text: string): LonLat[] =>
  text.split(',').map((pair) => {
    const [x, y] = pair.trim().split(/\s+/).map(Number);
    if (!Number.isFinite(x) || !Number.isFinite(y))
      throw new Error(`point: got "${pair}", wanted a longitude and a latitude`);
    return [x, y];
  });

export const wordsOf = (text: string | undefined, by: string | RegExp = /\s+/): string[] =>
  (text ?? '').split(by).filter((word) => word !== '');

/** A table as its file has it. */
interface SeedFile extends Partial<SeedTable> {
  readonly base?: string;
  /** Seeds of the base that are left out. */
  readonly without?: readonly string[];
}

/** Reads the seed table of a map. */
export const readSeeds = (name: string): SeedTable => {
  const file = new URL(`../../../../test/tools/geometry/seeds/${name}.json`, import.meta.url);
  const { base, without = [], ...own } = JSON.parse(readFileSync(file, 'utf8')) as SeedFile;
  if (base === undefined) return own as SeedTable;
  const table = readSeeds(base);
  const seeds = Object.entries({ ...table.seeds, ...own.seeds }).filter(([area]) => !without.includes(area));
  return {
    ...table,
    ...own,
    pools: { ...table.pools, ...own.pools },
    seeds: Object.fromEntries(seeds),
    paint: [...table.paint, ...(own.paint ?? [])],
    hints: { ...table.hints, ...own.hints },
  };
};
