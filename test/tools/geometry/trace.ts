// The borders of a partition as arcs between the corners where three areas meet: traced, smoothed and thinned out.
import type { Point } from '../../../bindings/draw/curves.js';
import type { Partition } from './partition.js';
import type { Raster } from './raster.js';

/** A border between two areas; y points down. */
export interface TracedArc {
  /** Labels to the left and to the right of the way; -1 is outside. */
  readonly left: number;
  readonly right: number;
  readonly points: readonly Point[];
  readonly closed: boolean;
}

/** Right, down, left, up. */
const STEP_X = [1, 0, -1, 0];
const STEP_Y = [0, 1, 0, -1];

class Tracer {
  /** Sides of cells that were followed: two for each corner, to the right and down. */
  private readonly seen = new Uint8Array((this.raster.across + 1) * (this.raster.down + 1) * 2);
  readonly arcs: TracedArc[] = [];

  constructor(
    private readonly raster: Raster,
    private readonly label: Int16Array,
  ) {}

  private labelAt(i: number, j: number): number {
    const { across, down } = this.raster;
    return i < 0 || j < 0 || i >= across || j >= down ? -1 : this.label[j * across + i];
  }
  /** Labels to the left and right of a step from a corner. */
  private sides(x: number, y: number, way: number): readonly [number, number] {
    const [a, b] = [this.labelAt(x - 1, y - 1), this.labelAt(x, y - 1)];
    const [c, d] = [this.labelAt(x - 1, y), this.labelAt(x, y)];
    return way === 0 ? [b, d] : way === 1 ? [d, c] : way === 2 ? [c, a] : [a, b];
  }
  private isBorder(x: number, y: number, way: number): boolean {
    const [left, right] = this.sides(x, y, way);
    return left !== right;
  }
  private isNode(x: number, y: number): boolean {
    let ways = 0;
    for (let way = 0; way < 4; way++) if (this.isBorder(x, y, way)) ways++;
    return ways > 2;
  }
  private edge(x: number, y: number, way: number): number {
    const [i, j] = [way === 2 ? x - 1 : x, way === 3 ? y - 1 : y];
    return (j * (this.raster.across + 1) + i) * 2 + (way & 1);
  }

  private follow(startX: number, startY: number, startWay: number): void {
    const { cells } = this.raster;
    const [left, right] = this.sides(startX, startY, startWay);
    const points: Point[] = [[startX / cells, startY / cells]];
    let [x, y, way] = [startX, startY, startWay];
    do {
      this.seen[this.edge(x, y, way)] = 1;
      x += STEP_X[way];
      y += STEP_Y[way];
      points.push([x / cells, y / cells]);
      if (this.isNode(x, y)) break;
      const next = [way, (way + 1) & 3, (way + 3) & 3].find((turn) => this.isBorder(x, y, turn));
      way = next ?? way;
    } while (x !== startX || y !== startY);
    this.arcs.push({ left, right, points, closed: x === startX && y === startY && !this.isNode(x, y) });
  }

  private each(visit: (x: number, y: number) => void): void {
    for (let y = 0; y <= this.raster.down; y++) for (let x = 0; x <= this.raster.across; x++) visit(x, y);
  }

  trace(): TracedArc[] {
    const start = (x: number, y: number, ways: number): void => {
      for (let way = 0; way < ways; way++)
        if (this.isBorder(x, y, way) && !this.seen[this.edge(x, y, way)]) this.follow(x, y, way);
    };
    this.each((x, y) => {
      if (this.isNode(x, y)) start(x, y, 4);
    });
    // What is left meets no third area.
    this.each((x, y) => start(x, y, 2));
    return this.arcs;
  }
}

/** Moves each point towards its neighbours, some times over; ends stay where they are. */
const smooth = (points: readonly Point[], closed: boolean, times: number): Point[] => {
  let from = points;
  const last = points.length - 1;
  for (let round = 0; round < times; round++) {
    const now = from;
    from = now.map((point, i) => {
      if (!closed && (i === 0 || i === last)) return point;
      const before = now[closed && i === 0 ? last - 1 : i - 1];
      const after = now[closed && i === last ? 1 : i + 1];
      return [(before[0] + 2 * point[0] + after[0]) / 4, (before[1] + 2 * point[1] + after[1]) / 4];
    });
  }
  return [...from];
};

/** Leaves out points as long as the triangle with their neighbours is small (Visvalingam and Whyatt 1993). */
const thinOut = (points: readonly Point[], smallest: number, closed: boolean): Point[] => {
  const kept = points.map((point) => ({ point, area: Number.POSITIVE_INFINITY }));
  const areaAt = (i: number): number => {
    const [a, b, c] = [kept[i - 1].point, kept[i].point, kept[i + 1].point];
    return Math.abs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])) / 2;
  };
  for (let i = 1; i < kept.length - 1; i++) kept[i].area = areaAt(i);
  const fewest = closed ? 5 : 2;
  while (kept.length > fewest) {
    let least = 1;
    for (let i = 2; i < kept.length - 1; i++) if (kept[i].area < kept[least].area) least = i;
    const { area } = kept[least];
    if (area > smallest) break;
    kept.splice(least, 1);
    for (const i of [least - 1, least]) if (i > 0 && i < kept.length - 1) kept[i].area = Math.max(areaAt(i), area);
  }
  return kept.map(({ point }) => point);
};

/** How smooth lines are, and the largest triangle that is left out, in square drawing units. */
const finish = {
  frame: { passes: 0, smallest: 0.5 },
  coast: { passes: 10, smallest: 1.4 },
  land: { passes: 24, smallest: 1.4 },
  sea: { passes: 60, smallest: 3 },
} as const;

/** The arcs of a partition, in drawing units. */
export const traceArcs = (raster: Raster, { label, isLand }: Partition): TracedArc[] =>
  new Tracer(raster, label).trace().map((arc) => {
    const { left, right, points, closed } = arc;
    const onFrame = left < 0 || right < 0;
    const kind = onFrame ? 'frame' : isLand(left) !== isLand(right) ? 'coast' : isLand(left) ? 'land' : 'sea';
    const { passes, smallest } = finish[kind];
    return { ...arc, points: thinOut(smooth(points, closed, passes), smallest, closed) };
  });
