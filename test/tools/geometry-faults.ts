// Says where the geometry of a map and its rows differ: graph, places, coasts and overlaps, from these two alone.
import type { Point } from '../../bindings/draw/curves.js';
import { isInside } from '../../bindings/draw/drawn-board.js';
import { type Arc, areaProvince, decodeArcs, type GeometryData } from '../../bindings/draw/geometry.js';
import type { MapRows, ProvinceRow } from '../../engine/internal.js';

/** The shortest border that can be seen, in drawing units. */
const SHORTEST = 4;
/** Boxes of what is drawn in a province. */
const boxes = { unit: [22, 18], name: [22, 9], center: [8, 8] } as const;

const pair = (a: string, b: string): string => (a < b ? `${a} ${b}` : `${b} ${a}`);
const words = (text: string | undefined): string[] => (text ?? '').split(' ').filter((word) => word !== '');
const provinceOf = (place: string): string => place.split('/')[0];

const fleetWays = ({ fleet }: ProvinceRow): string[] =>
  typeof fleet === 'object' ? Object.values(fleet).flatMap(words) : words(fleet);

/** Pairs of neighbours of a map. */
const graphOf = ({ provinces }: MapRows): Readonly<Record<'army' | 'fleet' | 'all', ReadonlySet<string>>> => {
  const army = new Set(provinces.flatMap((row) => words(row.army).map((to) => pair(row.tag, to))));
  const fleet = new Set(provinces.flatMap((row) => fleetWays(row).map((to) => pair(row.tag, provinceOf(to)))));
  return { army, fleet, all: new Set([...army, ...fleet]) };
};

const lengthOf = ({ points }: Arc, quantum: number): number =>
  points.slice(1).reduce((sum, [x, y], i) => sum + Math.hypot(x - points[i][0], y - points[i][1]), 0) / quantum;

const asPair = (text: string): string => {
  const [a, b] = text.split(' ');
  return pair(a, b);
};

class Checker {
  readonly graph = graphOf(this.rows);
  private readonly arcs: readonly Arc[] = decodeArcs(this.geometry).map((arc) => ({
    ...arc,
    left: areaProvince(arc.left),
    right: areaProvince(arc.right),
  }));
  private readonly kind: ReadonlyMap<string, string> = new Map(this.rows.provinces.map(({ tag, kind }) => [tag, kind]));
  private readonly linked: ReadonlySet<string> = new Set(Object.keys(this.geometry.links).map(asPair));
  readonly faults: string[] = [];

  constructor(
    private readonly geometry: GeometryData,
    private readonly rows: MapRows,
  ) {}

  /** Each pair of neighbours has a common border or a link, and no other pair touches. */
  borders(): ReadonlyMap<string, number> {
    const { kind, geometry, graph, linked } = this;
    const lengths = new Map<string, number>();
    for (const arc of this.arcs) {
      if (!kind.has(arc.left) || !kind.has(arc.right) || arc.left === arc.right) continue;
      const key = pair(arc.left, arc.right);
      lengths.set(key, (lengths.get(key) ?? 0) + lengthOf(arc, geometry.quantum));
    }
    for (const key of graph.all) {
      const length = lengths.get(key) ?? 0;
      if (linked.has(key) && length > 0) this.faults.push(`${key}: got a link and a border of ${length.toFixed(1)}`);
      if (!linked.has(key) && length < SHORTEST) this.faults.push(`${key}: got a border of ${length.toFixed(1)}`);
    }
    for (const [key, length] of lengths)
      if (!graph.all.has(key)) this.faults.push(`${key}: no neighbours, but touch for ${length.toFixed(1)}`);
    for (const key of linked) if (!graph.all.has(key)) this.faults.push(`${key}: no neighbours, but linked`);
    return lengths;
  }

  /** Where coasts are neighbours for fleets their border ends at water, and only there; no four areas meet. */
  coasts(): void {
    const { kind, geometry, graph, linked } = this;
    const excepted = new Set([...geometry.exceptions, ...geometry.rivers].map(asPair));
    const corners = new Map<string, Set<string>>();
    for (const { left, right, points, closed } of this.arcs) {
      if (closed) continue;
      for (const end of [points[0], points[points.length - 1]]) {
        const areas = corners.get(end.join()) ?? new Set();
        corners.set(end.join(), areas.add(left).add(right));
      }
    }
    const isIsle = (tag: string): boolean => geometry.isles.includes(tag);
    const isCoast = (tag: string): boolean => kind.get(tag) === 'coast' && !isIsle(tag);
    const meeting = new Set<string>();
    for (const [at, areas] of corners) {
      if (areas.size > 3) this.faults.push(`${[...areas].join(' ')}: four meet at ${at}`);
      const coasts = [...areas].filter(isCoast);
      if (coasts.length === 2 && [...areas].some((tag) => kind.get(tag) === 'sea' || isIsle(tag)))
        meeting.add(pair(coasts[0], coasts[1]));
    }
    for (const key of graph.fleet)
      if (key.split(' ').every(isCoast) && ![meeting, linked, excepted].some((pairs) => pairs.has(key)))
        this.faults.push(`${key}: fleets pass, but the border meets no sea`);
    for (const key of meeting)
      if (!graph.fleet.has(key) && !excepted.has(key))
        this.faults.push(`${key}: the border meets a sea, but fleets do not pass`);
  }

  /** What is drawn in a province lies in it, within the frame, and covers nothing of others. */
  places(): void {
    const { geometry, rows } = this;
    const { quantum, width, height } = geometry;
    const wanted = rows.provinces.flatMap(({ tag, fleet }) =>
      typeof fleet === 'object' ? [tag, ...Object.keys(fleet).map((coast) => `${tag}/${coast}`)] : [tag],
    );
    if (wanted.toSorted().join() !== Object.keys(geometry.places).sort().join())
      this.faults.push('places: got others than those of the map');
    const placed: { readonly what: string; readonly at: Point; readonly box: readonly [number, number] }[] = [];
    for (const [tag, row] of Object.entries(geometry.places)) {
      const isCoast = tag.includes('/');
      const hasCenter = rows.provinces.some((one) => one.tag === tag && one.center === true);
      if (row.length !== (isCoast ? 4 : hasCenter ? 8 : 6)) this.faults.push(`${tag}: got ${row.length} numbers`);
      for (const [part, at] of [
        ['unit', 0],
        ['name', 4],
        ['center', 6],
      ] as const) {
        if (at >= row.length) continue;
        const point: Point = [row[at], row[at + 1]];
        const inside: Point = [(point[0] + 0.01) * quantum, (point[1] + 0.013) * quantum];
        if (!isInside(this.arcs, provinceOf(tag), inside)) this.faults.push(`${tag}: its ${part} lies outside`);
        const box = boxes[part];
        const [dx, dy] = [box[0] / 2, box[1] / 2];
        if (point[0] < dx || point[1] < dy || point[0] > width - dx || point[1] > height - dy)
          this.faults.push(`${tag}: its ${part} is cut by the frame`);
        if (!isCoast) placed.push({ what: `${tag} ${part}`, at: point, box });
      }
    }
    placed.forEach((one, i) => {
      for (const other of placed.slice(i + 1)) {
        const [dx, dy] = [Math.abs(one.at[0] - other.at[0]), Math.abs(one.at[1] - other.at[1])];
        if (dx < (one.box[0] + other.box[0]) / 2 - 1 && dy < (one.box[1] + other.box[1]) / 2 - 1)
          this.faults.push(`${one.what} covers ${other.what}`);
      }
    });
  }

  /** No two lines cross. */
  crossings(): void {
    const cell = 12 * this.geometry.quantum;
    const grid = new Map<string, (readonly [Point, Point, Arc])[]>();
    const side = (o: Point, a: Point, b: Point): number =>
      (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
    const found = new Set<string>();
    for (const arc of this.arcs)
      for (let i = 1; i < arc.points.length; i++) {
        const [a, b] = [arc.points[i - 1], arc.points[i]];
        const range = (c: 0 | 1): [number, number] => [
          Math.floor(Math.min(a[c], b[c]) / cell),
          Math.floor(Math.max(a[c], b[c]) / cell),
        ];
        const [x0, x1] = range(0);
        const [y0, y1] = range(1);
        for (let x = x0; x <= x1; x++)
          for (let y = y0; y <= y1; y++) {
            const here = grid.get(`${x} ${y}`) ?? [];
            for (const [c, d, other] of here)
              if (side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0)
                found.add(`${arc.left}/${arc.right} crosses ${other.left}/${other.right}`);
            here.push([a, b, arc]);
            grid.set(`${x} ${y}`, here);
          }
      }
    this.faults.push(...found);
  }
}

/** What is wrong with a geometry; nothing if it says what the rows say. */
export const geometryFaults = (geometry: GeometryData, rows: MapRows): string[] => {
  const checker = new Checker(geometry, rows);
  checker.borders();
  checker.coasts();
  checker.places();
  checker.crossings();
  return checker.faults;
};

/** Pairs of neighbours of a map, those drawn by a link, and the shortest border of the others in drawing units. */
export const borderFigures = (
  geometry: GeometryData,
  rows: MapRows,
): { pairs: number; links: number; shortest: number } => {
  const checker = new Checker(geometry, rows);
  const lengths = checker.borders();
  const links = Object.keys(geometry.links).length;
  return { pairs: checker.graph.all.size, links, shortest: Math.min(...lengths.values()) };
};
