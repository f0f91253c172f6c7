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
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const own = label[i];
      const isEdge = x === 0 || y === 0 || x === width - 1 || y === height - 1;
      if (isEdge || [i - 1, i + 1, i - width, i + width].some((next) => label[next] !== own)) depth[i] = 0.5;
    }
  const reach = (i: number, from: number, cost: number): void => {
    depth[i] = Math.min(depth[i], depth[from] + cost);
  };
  for (let y = 1; y < height - 1; y++)
    for (let x = 1; x < width - 1; x++) {
      const i = y * width + x;
      reach(i, i - 1, 1);
      reach(i, i - width, 1);
      reach(i, i - width - 1, Math.SQRT2);
      reach(i, i - width + 1, Math.SQRT2);
    }
  for (let y = height - 2; y > 0; y--)
    for (let x = width - 2; x > 0; x--) {
      const i = y * width + x;
      reach(i, i + 1, 1);
      reach(i, i + width, 1);
      reach(i, i + width + 1, Math.SQRT2);
      reach(i, i + width - 1, Math.SQRT2);
    }
  return depth;
};

/** One province on the raster. */
class Ground {
  declare readonly left: number;
  declare readonly right: number;
  declare readonly top: number;
  declare readonly bottom: number;
  declare readonly middle: Point;
  /** Cells of the province above and to the left of each corner of a window around it. */
  declare private readonly sums: Float64Array;
  declare private readonly windowX: number;
  declare private readonly windowY: number;
  declare private readonly windowWidth: number;
  declare private readonly windowHeight: number;

  constructor(
    private readonly raster: SmallRaster,
    private readonly own: number,
  ) {
    const { width, height, label } = raster;
    let [left, right, top, bottom, sumX, sumY, count] = [width, 0, height, 0, 0, 0, 0];
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        if (label[y * width + x] !== own) continue;
        left = Math.min(left, x);
        right = Math.max(right, x);
        top = Math.min(top, y);
        bottom = Math.max(bottom, y);
        sumX += x;
        sumY += y;
        count++;
      }
    [this.left, this.right, this.top, this.bottom] = [left, right, top, bottom];
    this.middle = [sumX / count, sumY / count];
    this.windowX = Math.max(0, left - 20);
    this.windowY = Math.max(0, top - 20);
    this.windowWidth = Math.min(width, right + 21) - this.windowX;
    this.windowHeight = Math.min(height, bottom + 21) - this.windowY;
    const stride = this.windowWidth + 1;
    this.sums = new Float64Array(stride * (this.windowHeight + 1));
    for (let y = 0; y < this.windowHeight; y++) {
      let sum = 0;
      for (let x = 0; x < this.windowWidth; x++) {
        if (this.has(this.windowX + x, this.windowY + y)) sum++;
        this.sums[(y + 1) * stride + x + 1] = this.sums[y * stride + x + 1] + sum;
      }
    }
  }

  has(x: number, y: number): boolean {
    return this.raster.label[y * this.raster.width + x] === this.own;
  }

  /** The part of a box around a point that is in the province. */
  share([x, y]: Point, [width, height]: Box): number {
    const left = Math.round(x - width / 2) - this.windowX;
    const top = Math.round(y - height / 2) - this.windowY;
    const [x0, y0] = [Math.max(0, left), Math.max(0, top)];
    const [x1, y1] = [Math.min(this.windowWidth, left + width), Math.min(this.windowHeight, top + height)];
    if (x1 <= x0 || y1 <= y0) return 0;
    const stride = this.windowWidth + 1;
    const sum = this.sums[y1 * stride + x1] - this.sums[y0 * stride + x1] - this.sums[y1 * stride + x0];
    return (sum + this.sums[y0 * stride + x0]) / (width * height);
  }
}

interface Choice {
  readonly value: number;
  readonly unit: Point;
  readonly name: Point;
  readonly center: Point | null;
}

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
  declare private readonly unit: Box;
  declare private readonly text: Box;
  declare private readonly center: Box;
  declare private readonly hint: (place: string) => Point | null;
  /** What is placed already. */
  private readonly taken: { readonly at: Point; readonly box: Box }[] = [];
  readonly places: Record<string, number[]> = {};
  readonly notes: string[] = [];

  constructor(
    table: SeedTable,
    private readonly raster: SmallRaster,
    project: Project,
  ) {
    this.unit = table.sizes?.unit ?? [22, 18];
    this.text = table.sizes?.text ?? [22, 10];
    this.center = table.sizes?.center ?? [10, 10];
    this.hint = (place) => (table.hints[place] === undefined ? null : project(pointsOf(table.hints[place])[0]));
  }

  private isFramed([x, y]: Point, [width, height]: Box): boolean {
    const { raster } = this;
    const [dx, dy] = [width / 2 + 3, height / 2 + 3];
    return x >= dx && y >= dy && x <= raster.width - dx && y <= raster.height - dy;
  }

  /** The best forty places for the unit, apart from each other. */
  private unitPlaces(ground: Ground, hint: Point | null): (readonly [value: number, at: Point])[] {
    const { raster, depths, unit, taken } = this;
    const home = hint ?? ground.middle;
    const found: [number, Point][] = [];
    for (let y = ground.top; y <= ground.bottom; y += 2)
      for (let x = ground.left; x <= ground.right; x += 2) {
        const at: Point = [x, y];
        if (!ground.has(x, y) || !this.isFramed(at, unit)) continue;
        const crowd = taken.some((other) => covers(other.at, other.box, at, unit)) ? 12 : 0;
        const far = Math.hypot(x - home[0], y - home[1]) * (hint === null ? 0.06 : 0.5);
        const depth = Math.min(depths[y * raster.width + x], 14) * 1.2;
        found.push([30 * ground.share(at, unit) - crowd + depth - far, at]);
      }
    found.sort(([a], [b]) => b - a);
    const apart: [number, Point][] = [];
    for (const place of found) {
      const [, [x, y]] = place;
      if (apart.every(([, [px, py]]) => Math.abs(px - x) + Math.abs(py - y) >= 4)) apart.push(place);
      if (apart.length === 40) break;
    }
    return apart;
  }

  private namePlaces(ground: Ground, unit: Point): (readonly [value: number, at: Point])[] {
    const near = this.taken.filter(({ at }) => Math.abs(at[0] - unit[0]) < 70 && Math.abs(at[1] - unit[1]) < 60);
    const found: [number, Point][] = [];
    for (let dy = -40; dy <= 40; dy += 2)
      for (let dx = -44; dx <= 44; dx += 2) {
        const at: Point = [unit[0] + dx, unit[1] + dy];
        if (!this.isFramed(at, this.text) || covers(unit, this.unit, at, this.text)) continue;
        const share = ground.share(at, this.text);
        if (share < 0.5) continue;
        const crowd = near.some((other) => covers(other.at, other.box, at, this.text)) ? 20 : 0;
        const below = (Math.abs(dx) < 3 ? 1.5 : 0) + (dy > 0 ? 1 : 0);
        found.push([34 * share * share - Math.hypot(dx, dy * 1.3) * 0.25 + below - crowd, at]);
      }
    return found.sort(([a], [b]) => b - a).slice(0, 6);
  }

  private centerPlaces(ground: Ground, unit: Point, name: Point): (readonly [value: number, at: Point])[] {
    const found: [number, Point][] = [];
    for (let dy = -30; dy <= 30; dy += 2)
      for (let dx = -34; dx <= 34; dx += 2) {
        const at: Point = [unit[0] + dx, unit[1] + dy];
        if (!this.isFramed(at, this.center)) continue;
        if (covers(unit, this.unit, at, this.center) || covers(name, this.text, at, this.center)) continue;
        const share = ground.share(at, this.center);
        if (share < 0.6) continue;
        const crowd = this.taken.some((other) => covers(other.at, other.box, at, this.center)) ? 8 : 0;
        found.push([20 * share - Math.hypot(dx, dy) * 0.15 - crowd, at]);
      }
    return found;
  }

  private choose(ground: Ground, hint: Point | null, hasCenter: boolean): Choice | null {
    let best: Choice | null = null;
    for (const [unitValue, unit] of this.unitPlaces(ground, hint))
      for (const [nameValue, name] of this.namePlaces(ground, unit)) {
        const value = unitValue + nameValue;
        if (!hasCenter) {
          if (best === null || value > best.value) best = { value, unit, name, center: null };
          break;
        }
        for (const [centerValue, center] of this.centerPlaces(ground, unit, name))
          if (best === null || value + centerValue > best.value)
            best = { value: value + centerValue, unit, name, center };
      }
    return best;
  }

  private dislodgedAt(ground: Ground, unit: Point, name: Point, center: Point | null): Point {
    let best: Point = unit;
    let most = Number.NEGATIVE_INFINITY;
    for (const [dx, dy] of OFFSETS) {
      const at: Point = [unit[0] + dx, unit[1] + dy];
      if (!this.isFramed(at, this.unit)) continue;
      const onName = covers(name, this.text, at, this.unit) ? 3 : 0;
      const onCenter = center !== null && covers(center, this.center, at, this.unit) ? 3 : 0;
      const value = ground.share(at, this.unit) * 10 - onName - onCenter;
      if (value <= most) continue;
      most = value;
      best = at;
    }
    return best;
  }

  private coastPlace(ground: Ground, hint: Point, { unit, name, center }: Choice): Point {
    let best: Point = hint;
    let most = Number.NEGATIVE_INFINITY;
    for (let y = ground.top; y <= ground.bottom; y++)
      for (let x = ground.left; x <= ground.right; x++) {
        const at: Point = [x, y];
        if (!ground.has(x, y) || !this.isFramed(at, this.unit)) continue;
        const value =
          30 * ground.share(at, COAST_BOX) -
          Math.hypot(x - hint[0], y - hint[1]) * 0.6 -
          (center !== null && covers(center, this.center, at, this.unit) ? 8 : 0) -
          (covers(name, this.text, at, this.unit) ? 8 : 0) -
          (covers(unit, this.unit, at, this.unit) ? 4 : 0);
        if (value <= most) continue;
        most = value;
        best = at;
      }
    return best;
  }

  place(tag: string, own: number, hasCenter: boolean, coasts: readonly string[]): void {
    const ground = new Ground(this.raster, own);
    const { middle } = ground;
    let choice = this.choose(ground, this.hint(tag), hasCenter);
    if (choice === null) {
      this.notes.push(`${tag}: no room for all`);
      const below: Point = [middle[0], middle[1] + 14];
      choice = { value: 0, unit: middle, name: below, center: hasCenter ? middle : null };
    }
    const { unit, name, center } = choice;
    const shares = [ground.share(unit, this.unit), ground.share(name, this.text)];
    if (Math.min(...shares) < 0.9)
      this.notes.push(
        `${tag}: inside are ${shares.map((share) => share.toFixed(2)).join(' of the unit, ')} of the name`,
      );
    const away = this.dislodgedAt(ground, unit, name, center);
    this.places[tag] = [...unit, ...away, ...name, ...(center ?? [])].map(Math.round);
    this.taken.push({ at: name, box: this.text }, { at: unit, box: this.unit });
    if (center !== null) this.taken.push({ at: center, box: this.center });
    for (const coast of coasts) {
      const hint = this.hint(`${tag}/${coast}`);
      if (hint === null) this.notes.push(`${tag}/${coast}: no hint`);
      const at = this.coastPlace(ground, hint ?? middle, choice);
      this.places[`${tag}/${coast}`] = [...at, ...this.dislodgedAt(ground, at, name, center)].map(Math.round);
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
