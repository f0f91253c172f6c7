// Where unit, name and centre of each province are drawn: inside it, and clear of one another.
import type { Point } from '../../../bindings/draw/curves.js';
import type { MapRows } from '../../../engine/internal.js';
import type { Project } from './projection.js';
import { pointsOf, type SeedTable } from './seed-table.js';

type Box = readonly [width: number, height: number];

/** A label for each drawing unit, islands counted to their province. */
export interface SmallRaster {
  readonly width: number;
  readonly height: number;
  readonly label: Int16Array;
}

export interface FoundPlaces {
  /** Rows as GeometryData has them. */
  readonly places: Readonly<Record<string, number[]>>;
  /** Provinces too small for what they have to hold. */
  readonly notes: readonly string[];
}

const covers = (a: Point, sizeA: Box, b: Point, sizeB: Box): boolean =>
  Math.abs(a[0] - b[0]) < (sizeA[0] + sizeB[0]) / 2 && Math.abs(a[1] - b[1]) < (sizeA[1] + sizeB[1]) / 2;

/** Distance of each cell to the nearest one of another label, or to the frame. */
const depthsOf = ({ width, height, label }: SmallRaster): Float32Array => {
  const depth = new Float32Array(width * height).fill(1e9);
  const inner: number[] = [];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const isFrame = x === 0 || y === 0 || x === width - 1 || y === height - 1;
      if (!isFrame) inner.push(i);
      if (isFrame || [i - 1, i + 1, i - width, i + width].some((next) => label[next] !== label[i])) depth[i] = 0.5;
    }
  const steps = [
    [1, 1],
    [width, 1],
    [width + 1, Math.SQRT2],
    [width - 1, Math.SQRT2],
  ] as const;
  // Two passes: from above and left, then from below and right.
  for (const i of inner) for (const [step, cost] of steps) depth[i] = Math.min(depth[i], depth[i - step] + cost);
  for (const i of inner.reverse())
    for (const [step, cost] of steps) depth[i] = Math.min(depth[i], depth[i + step] + cost);
  return depth;
};

/** One province on the raster. */
class Ground {
  /** Cells of the province, row by row. */
  readonly cells: Point[] = [];
  /** Cells of the province above and to the left of each corner of the raster. */
  private readonly sums: Float64Array;

  constructor(
    private readonly raster: SmallRaster,
    own: number,
  ) {
    const { width, height, label } = raster;
    this.sums = new Float64Array((width + 1) * (height + 1));
    for (let y = 0; y < height; y++)
      for (let x = 0, sum = 0; x < width; x++) {
        if (label[y * width + x] === own) {
          this.cells.push([x, y]);
          sum++;
        }
        this.sums[(y + 1) * (width + 1) + x + 1] = this.sums[y * (width + 1) + x + 1] + sum;
      }
  }

  get middle(): Point {
    const mean = (axis: 0 | 1): number => this.cells.reduce((sum, at) => sum + at[axis], 0) / this.cells.length;
    return [mean(0), mean(1)];
  }

  /** The part of a box around a point that is in the province. */
  share([x, y]: Point, [width, height]: Box): number {
    const [left, top] = [Math.round(x - width / 2), Math.round(y - height / 2)];
    const countTo = (column: number, row: number): number => {
      const [i, j] = [Math.min(Math.max(0, column), this.raster.width), Math.min(Math.max(0, row), this.raster.height)];
      return this.sums[j * (this.raster.width + 1) + i];
    };
    const [right, bottom] = [left + width, top + height];
    const count = countTo(right, bottom) - countTo(right, top) - countTo(left, bottom) + countTo(left, top);
    return count / (width * height);
  }
}

interface Choice {
  readonly unit: Point;
  readonly name: Point;
  readonly center: Point | null;
}

/** A place with its score. */
type Rated = readonly [value: number, at: Point];

/** Returns every second point up to a distance across and down from a point, row by row. */
const around = ([x, y]: Point, across: number, down: number): Point[] => {
  const points: Point[] = [];
  for (let dy = -down; dy <= down; dy += 2) for (let dx = -across; dx <= across; dx += 2) points.push([x + dx, y + dy]);
  return points;
};

/** Where a dislodged unit may stand, from its place. */
const OFFSETS: readonly Point[] = [
  [13, 9],
  [-13, 9],
  [13, -9],
  [-13, -9],
  [15, 0],
  [-15, 0],
  [0, 13],
  [0, -13],
];
const COAST_BOX: Box = [18, 14];

class Placer {
  private readonly depths: Float32Array = depthsOf(this.raster);
  private readonly boxes = { unit: [22, 18], text: [22, 10], center: [10, 10], ...this.table.sizes } as const;
  /** What is placed already. */
  private readonly taken: { readonly at: Point; readonly box: Box }[] = [];
  readonly places: Record<string, number[]> = {};
  readonly notes: string[] = [];

  constructor(
    private readonly table: SeedTable,
    private readonly raster: SmallRaster,
    private readonly project: Project,
  ) {}

  private hint(place: string): Point | null {
    const { hints } = this.table;
    return hints[place] === undefined ? null : this.project(pointsOf(hints[place])[0]);
  }

  /** Sorts the points where a box lies within the frame by their score, best first. */
  private rank(points: readonly Point[], box: Box, rate: (at: Point) => number): Rated[] {
    const [dx, dy] = [box[0] / 2 + 3, box[1] / 2 + 3];
    const { width, height } = this.raster;
    return points
      .filter(([x, y]) => x >= dx && y >= dy && x <= width - dx && y <= height - dy)
      .map((at): Rated => [rate(at), at])
      .filter(([value]) => value > Number.NEGATIVE_INFINITY)
      .sort(([a], [b]) => b - a);
  }

  private isTaken(at: Point, box: Box): boolean {
    return this.taken.some((other) => covers(other.at, other.box, at, box));
  }

  /** The best forty places for the unit, apart from each other. */
  private unitPlaces(ground: Ground, hint: Point | null): readonly Rated[] {
    const { unit } = this.boxes;
    const home = hint ?? ground.middle;
    const left = Math.min(...ground.cells.map(([x]) => x));
    const [[, top]] = ground.cells;
    const found = this.rank(
      ground.cells.filter(([x, y]) => (x - left) % 2 === 0 && (y - top) % 2 === 0),
      unit,
      ([x, y]) => {
        const far = Math.hypot(x - home[0], y - home[1]) * (hint === null ? 0.06 : 0.5);
        const depth = Math.min(this.depths[y * this.raster.width + x], 14) * 1.2;
        return 30 * ground.share([x, y], unit) - (this.isTaken([x, y], unit) ? 12 : 0) + depth - far;
      },
    );
    const apart: Rated[] = [];
    for (const place of found) {
      const [, [x, y]] = place;
      if (apart.every(([, [px, py]]) => Math.abs(px - x) + Math.abs(py - y) >= 4)) apart.push(place);
      if (apart.length === 40) break;
    }
    return apart;
  }

  private namePlaces(ground: Ground, unit: Point): readonly Rated[] {
    const { text } = this.boxes;
    const found = this.rank(around(unit, 44, 40), text, (at) => {
      const share = ground.share(at, text);
      if (share < 0.5 || covers(unit, this.boxes.unit, at, text)) return Number.NEGATIVE_INFINITY;
      const [dx, dy] = [at[0] - unit[0], at[1] - unit[1]];
      const below = (Math.abs(dx) < 3 ? 1.5 : 0) + (dy > 0 ? 1 : 0);
      return 34 * share * share - Math.hypot(dx, dy * 1.3) * 0.25 + below - (this.isTaken(at, text) ? 20 : 0);
    });
    return found.slice(0, 6);
  }

  private centerPlaces(ground: Ground, unit: Point, name: Point): readonly Rated[] {
    const { center, text } = this.boxes;
    return this.rank(around(unit, 34, 30), center, (at) => {
      const share = ground.share(at, center);
      if (share < 0.6 || covers(unit, this.boxes.unit, at, center) || covers(name, text, at, center))
        return Number.NEGATIVE_INFINITY;
      const far = Math.hypot(at[0] - unit[0], at[1] - unit[1]);
      return 20 * share - far * 0.15 - (this.isTaken(at, center) ? 8 : 0);
    });
  }

  private choose(ground: Ground, hint: Point | null, hasCenter: boolean): Choice | null {
    let best: Choice | null = null;
    let most = Number.NEGATIVE_INFINITY;
    for (const [unitValue, unit] of this.unitPlaces(ground, hint))
      for (const [nameValue, name] of this.namePlaces(ground, unit)) {
        const centers = hasCenter ? this.centerPlaces(ground, unit, name) : [[0, null] as const];
        for (const [centerValue, center] of centers.slice(0, 1)) {
          const value = unitValue + nameValue + centerValue;
          if (value > most) [most, best] = [value, { unit, name, center }];
        }
      }
    return best;
  }

  /** Counts which of name and centre a unit at a point would cover: 0 to 2. */
  private countCovered(at: Point, { name, center }: Choice): number {
    const { unit, text, center: box } = this.boxes;
    return (covers(name, text, at, unit) ? 1 : 0) + (center !== null && covers(center, box, at, unit) ? 1 : 0);
  }

  private dislodgedAt(ground: Ground, from: Point, choice: Choice): Point {
    const { unit } = this.boxes;
    const points = OFFSETS.map(([dx, dy]): Point => [from[0] + dx, from[1] + dy]);
    const found = this.rank(points, unit, (at) => ground.share(at, unit) * 10 - 3 * this.countCovered(at, choice));
    return found[0]?.[1] ?? from;
  }

  private coastPlace(ground: Ground, hint: Point, choice: Choice): Point {
    const { unit } = this.boxes;
    const found = this.rank(ground.cells, unit, (at) => {
      const far = Math.hypot(at[0] - hint[0], at[1] - hint[1]);
      const onUnit = covers(choice.unit, unit, at, unit) ? 4 : 0;
      return 30 * ground.share(at, COAST_BOX) - far * 0.6 - 8 * this.countCovered(at, choice) - onUnit;
    });
    return found[0]?.[1] ?? hint;
  }

  place(tag: string, own: number, hasCenter: boolean, coasts: readonly string[]): void {
    const ground = new Ground(this.raster, own);
    const { middle } = ground;
    let choice = this.choose(ground, this.hint(tag), hasCenter);
    if (choice === null) {
      this.notes.push(`${tag}: no room for all`);
      choice = { unit: middle, name: [middle[0], middle[1] + 14], center: hasCenter ? middle : null };
    }
    const { unit, name, center } = choice;
    const { boxes } = this;
    const shares = [ground.share(unit, boxes.unit), ground.share(name, boxes.text)];
    if (Math.min(...shares) < 0.9) {
      const [ofUnit, ofName] = shares.map((share) => share.toFixed(2));
      this.notes.push(`${tag}: inside are ${ofUnit} of the unit, ${ofName} of the name`);
    }
    const away = this.dislodgedAt(ground, unit, choice);
    this.places[tag] = [...unit, ...away, ...name, ...(center ?? [])].map(Math.round);
    this.taken.push({ at: name, box: boxes.text }, { at: unit, box: boxes.unit });
    if (center !== null) this.taken.push({ at: center, box: boxes.center });
    for (const coast of coasts) {
      const hint = this.hint(`${tag}/${coast}`);
      if (hint === null) this.notes.push(`${tag}/${coast}: no hint`);
      const at = this.coastPlace(ground, hint ?? middle, choice);
      this.places[`${tag}/${coast}`] = [...at, ...this.dislodgedAt(ground, at, choice)].map(Math.round);
    }
  }
}

/** Places for all provinces of a map, in the order of its rows. */
export const findPlaces = (table: SeedTable, rows: MapRows, raster: SmallRaster, project: Project): FoundPlaces => {
  const placer = new Placer(table, raster, project);
  rows.provinces.forEach(({ tag, center, fleet }, own) => {
    placer.place(tag, own, center === true, typeof fleet === 'object' ? Object.keys(fleet) : []);
  });
  return placer;
};
