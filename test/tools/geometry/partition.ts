// Divides land and sea among the provinces: each cell gets the label of an area.

import type { Point } from '../../../bindings/draw/curves.js';
import type { MapRows } from '../../../engine/internal.js';
import type { Land } from './land.js';
import type { Project } from './projection.js';
import { cellAt, fillRings, piecesOf, type Raster, strokeLine } from './raster.js';
import { pointsOf, type SeedTable, wordsOf } from './seed-table.js';

export interface Partition {
  /** Label of each cell. */
  readonly label: Int16Array;
  /** Areas by label: tags, then '#', '~' and '@' with the tag of each province of water with islands. */
  readonly areas: readonly string[];
  /** What a label is, for drawing: those with islands are water. */
  readonly isLand: (label: number) => boolean;
  /** What to look at: seeds that lie elsewhere, countries without a pool. */
  readonly notes: readonly string[];
}

/** Noise between lattice points, from -1/2 to 1/2, the same at each call. */
const latticeNoise = (x: number, y: number, stream: number): number => {
  const at = (i: number, j: number): number => {
    const seed = (i * 374761393 + j * 668265263 + stream * 974634777) | 0;
    const mixed = Math.imul(seed ^ (seed >>> 13), 1274126177);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 4294967296 - 0.5;
  };
  const [i, j] = [Math.floor(x), Math.floor(y)];
  const smooth = (t: number): number => t * t * (3 - 2 * t);
  const [u, v] = [smooth(x - i), smooth(y - j)];
  return (at(i, j) * (1 - u) + at(i + 1, j) * u) * (1 - v) + (at(i, j + 1) * (1 - u) + at(i + 1, j + 1) * u) * v;
};

/** A point and the label of the area that it belongs to. */
interface Seed {
  readonly x: number;
  readonly y: number;
  readonly label: number;
}

/** Returns the label of the seed nearest to a point. */
const nearestOf = (seeds: readonly Seed[], px: number, py: number): number => {
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  for (const { x, y, label } of seeds) {
    const distance = (x - px) ** 2 + (y - py) ** 2;
    if (distance >= least) continue;
    least = distance;
    best = label;
  }
  return best;
};

class Partitioner {
  private readonly tags: readonly string[] = this.rows.provinces.map(({ tag }) => tag);
  private readonly isles: Readonly<Record<string, string>> = this.table.isles ?? {};
  readonly areas: readonly string[] = [...this.tags, '#', '~', ...Object.keys(this.isles).map((tag) => `@${tag}`)];
  private readonly wet: readonly boolean[] = this.areas.map(
    (area, label) => area === '~' || area in this.isles || this.rows.provinces[label]?.kind === 'sea',
  );
  private readonly seeds: ReadonlyMap<number, readonly Point[]> = new Map(
    Object.entries(this.table.seeds).map(([area, text]) => [this.labelOf(area), this.places(text)]),
  );
  readonly label: Int16Array = new Int16Array(this.raster.size).fill(-1);
  /** Labels painted by hand; -1 for none. */
  private readonly forced: Int16Array = new Int16Array(this.raster.size).fill(-1);
  readonly notes: string[] = [];

  constructor(
    private readonly table: SeedTable,
    private readonly rows: MapRows,
    private readonly raster: Raster,
    private readonly land: Land,
    private readonly project: Project,
  ) {}

  private places(text: string): Point[] {
    return pointsOf(text).map(this.project);
  }
  private labelOf(area: string): number {
    const label = this.areas.indexOf(area);
    if (label < 0) throw new Error(`seeds of ${this.table.name}: got the area "${area}", wanted a province, # or ~`);
    return label;
  }
  private countryOf(name: string): number {
    const id = this.land.names.indexOf(name);
    if (id < 0) throw new Error(`seeds of ${this.table.name}: got the country "${name}", wanted one of Natural Earth`);
    return id;
  }

  /** Corrections by hand, in turn. */
  paint(): void {
    const { country, nearest } = this.land;
    for (const { as, line, width, area, only } of this.table.paint) {
      const label = as === 'sea' || as === 'land' ? -1 : this.labelOf(as);
      const put = (cell: number): void => {
        if (as === 'sea') {
          country[cell] = 0;
          this.forced[cell] = -1;
        } else if (as === 'land') country[cell] ||= nearest[cell] || 1;
        else {
          if ((only === 'land' && country[cell] === 0) || (only === 'sea' && country[cell] > 0)) return;
          this.forced[cell] = label;
          country[cell] = this.wet[label] ? 0 : country[cell] || nearest[cell] || 1;
        }
      };
      if (line !== undefined) strokeLine(this.raster, this.places(line), width ?? 1, put);
      else if (area !== undefined) fillRings(this.raster, [this.places(area)], put);
    }
  }

  /** Pieces of land that some points lie on. */
  private landAt(text: string, of: Int32Array): number[] {
    return this.places(text).flatMap((point) => {
      const cell = cellAt(this.raster, point);
      if (cell >= 0 && this.land.country[cell] > 0) return [of[cell]];
      this.notes.push(`no land at ${text}`);
      return [];
    });
  }

  /** Drops what is too small to draw, and labels islands that belong to a sea or to nobody. */
  settleIslands(): void {
    const { table, raster, forced } = this;
    const { country, nearest } = this.land;
    const { of, sizes, firsts } = piecesOf(raster, (cell) => (country[cell] > 0 ? 1 : 0));
    const own = new Map<number, number>();
    for (const piece of table.neutralIslands === undefined ? [] : this.landAt(table.neutralIslands, of))
      own.set(piece, this.labelOf('#'));
    for (const [tag, text] of Object.entries(this.isles))
      for (const piece of this.landAt(text, of)) own.set(piece, this.labelOf(`@${tag}`));
    const cellsOf = raster.cells ** 2;
    const isDropped = sizes.map((size, piece) =>
      country[firsts[piece]] > 0 ? size < table.minIsland * cellsOf && !own.has(piece) : size < table.minLake * cellsOf,
    );
    for (let cell = 0; cell < raster.size; cell++) {
      const piece = of[cell];
      const label = own.get(piece);
      if (isDropped[piece]) {
        if (forced[cell] < 0) country[cell] = country[cell] > 0 ? 0 : nearest[cell] || 1;
      } else if (label !== undefined && forced[cell] < 0) forced[cell] = label;
    }
  }

  private seedsOf(labels: readonly number[]): Seed[] {
    return labels.flatMap((label) => (this.seeds.get(label) ?? []).map(([x, y]) => ({ x, y, label })));
  }

  /** Each cell of land to the nearest seed of its country's pool, each of the sea to the nearest of the seas. */
  divide(): void {
    const { table, raster, land, label, forced } = this;
    const neutral = this.labelOf('#');
    const pools = new Map<number, { readonly labels: readonly number[]; readonly seeds: readonly Seed[] }>();
    for (const [countries, provinces] of Object.entries(table.pools)) {
      const labels = wordsOf(provinces).map((tag) => this.labelOf(tag));
      const pool = { labels, seeds: this.seedsOf(labels) };
      for (const name of countries.split(', ')) pools.set(this.countryOf(name), pool);
    }
    const offMap = new Set(wordsOf(table.neutral, ', ').map((name) => this.countryOf(name)));
    const seas = this.seedsOf(this.areas.flatMap((_, area) => (this.wet[area] ? [area] : [])));
    const poolless = new Set<string>();
    const bend = (x: number, y: number, stream: number): number =>
      2 * table.noise * (latticeNoise(x / 26, y / 26, stream) + 0.5 * latticeNoise(x / 11, y / 11, stream + 1));
    for (let cell = 0; cell < raster.size; cell++) {
      const x = ((cell % raster.across) + 0.5) / raster.cells;
      const y = (Math.floor(cell / raster.across) + 0.5) / raster.cells;
      const country = land.country[cell];
      const pool = pools.get(country);
      if (forced[cell] >= 0) label[cell] = forced[cell];
      else if (country === 0) label[cell] = nearestOf(seas, x, y);
      else if (offMap.has(country)) label[cell] = neutral;
      else if (pool === undefined) {
        poolless.add(land.names[country]);
        label[cell] = neutral;
      } else if (pool.labels.length === 1) label[cell] = pool.labels[0];
      else label[cell] = nearestOf(pool.seeds, x + bend(x, y, 1), y + bend(x, y, 3));
    }
    for (const name of poolless) this.notes.push(`country without a pool: ${name}`);
  }

  /** Pieces without a seed join the neighbour that they share the longest border with. Returns how many did. */
  private joinStrays(): number {
    const { raster, label, forced, wet } = this;
    const { of, sizes, firsts } = piecesOf(raster, (cell) => label[cell]);
    const labelOfPiece = (piece: number): number => label[firsts[piece]];
    const kept = new Set<number>();
    for (const [own, points] of this.seeds)
      for (const cell of points.map((point) => cellAt(raster, point)))
        if (cell >= 0 && label[cell] === own && own < this.tags.length) kept.add(of[cell]);
    for (let cell = 0; cell < raster.size; cell++) if (forced[cell] >= 0) kept.add(of[cell]);
    // The biggest piece of each area stays, too.
    const bySize = [...sizes.keys()].sort((a, b) => sizes[b] - sizes[a]);
    for (const own of new Set(label)) kept.add(bySize.find((piece) => labelOfPiece(piece) === own) ?? -1);
    const borders = new Map<number, Map<number, number>>();
    const meet = (a: number, b: number): void => {
      if (kept.has(of[a]) || of[a] === of[b] || wet[label[a]] !== wet[label[b]]) return;
      const found = borders.get(of[a]) ?? new Map<number, number>();
      borders.set(of[a], found.set(of[b], (found.get(of[b]) ?? 0) + 1));
    };
    for (let cell = 0; cell < raster.size; cell++)
      for (const next of [(cell + 1) % raster.across === 0 ? -1 : cell + 1, cell + raster.across])
        if (next >= 0 && next < raster.size) {
          meet(cell, next);
          meet(next, cell);
        }
    const joined = new Map<number, number>();
    const neutral = this.labelOf('#');
    // Neighbours that stay come first.
    const weight = ([piece, length]: readonly [number, number]): number => (kept.has(piece) ? 1000 : 1) * length;
    for (const [piece, found] of borders) {
      if (labelOfPiece(piece) === neutral && sizes[piece] > 200 * raster.cells ** 2) continue;
      const [[best]] = [...found].sort((a, b) => weight(b) - weight(a));
      joined.set(piece, labelOfPiece(best));
    }
    of.forEach((piece, cell) => {
      label[cell] = joined.get(piece) ?? label[cell];
    });
    return joined.size;
  }

  /** Gives each cell at a border the label that most cells around it have, of land or of sea as it is itself. */
  private straighten(): void {
    const { raster, label, forced, wet } = this;
    const { across, down, cells: reach } = raster;
    const before = label.slice();
    const counts = new Int32Array(this.areas.length);
    for (let j = 1; j < down - 1; j++)
      for (let i = 1; i < across - 1; i++) {
        const cell = j * across + i;
        const own = before[cell];
        if (forced[cell] >= 0) continue;
        if ([-1, 1, -across, across].every((step) => before[cell + step] === own)) continue;
        counts.fill(0);
        let [best, most] = [own, 0];
        for (let y = Math.max(0, j - reach); y <= Math.min(down - 1, j + reach); y++)
          for (let x = Math.max(0, i - reach); x <= Math.min(across - 1, i + reach); x++) {
            const other = before[y * across + x];
            if (wet[other] !== wet[own] || ++counts[other] <= most) continue;
            most = counts[other];
            best = other;
          }
        label[cell] = best;
      }
  }

  /** No two areas meet in a corner alone. */
  private cutCorners(): void {
    const { raster, label } = this;
    const { across, down } = raster;
    for (let round = 0, changed = 1; changed > 0 && round < 8; round++) {
      changed = 0;
      for (let j = 0; j + 1 < down; j++)
        for (let i = 0; i + 1 < across; i++) {
          const cell = j * across + i;
          const [a, b, c, d] = [label[cell], label[cell + 1], label[cell + across], label[cell + across + 1]];
          if (a === d && b !== a && c !== a) label[cell + 1] = a;
          else if (b === c && a !== b && d !== b) label[cell] = b;
          else continue;
          changed++;
        }
    }
  }

  tidy(): void {
    for (let k = 0; k < 4 && this.joinStrays() > 0; k++);
    this.straighten();
    this.straighten();
    for (let k = 0; k < 2 && this.joinStrays() > 0; k++);
    this.cutCorners();
  }

  /** What a label is, for drawing: those with islands are water. */
  readonly isLand = (label: number): boolean => !this.wet[label];

  /** Notes what the seeds did not get. */
  check(): void {
    for (const [label, points] of this.seeds)
      points.forEach((point, k) => {
        const cell = cellAt(this.raster, point);
        if (cell >= 0 && this.label[cell] !== label)
          this.notes.push(`seed ${k} of ${this.areas[label]} lies in ${this.areas[this.label[cell]]}`);
      });
    const found = new Set(this.label);
    for (const [label, tag] of this.tags.entries()) if (!found.has(label)) this.notes.push(`no room for ${tag}`);
  }
}

/** Divides a raster among the provinces of a map. */
export const makePartition = (
  table: SeedTable,
  rows: MapRows,
  raster: Raster,
  land: Land,
  project: Project,
): Partition => {
  const partitioner = new Partitioner(table, rows, raster, land, project);
  partitioner.paint();
  partitioner.settleIslands();
  partitioner.divide();
  partitioner.tidy();
  partitioner.check();
  return partitioner;
};
