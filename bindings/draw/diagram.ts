// Makes a geometry for a map without one: each province is a disc, each pair of neighbours is joined by a line.
//
// The layout depends on the graph only, so it is always the same. Stress majorization (Gansner, Koren and North 2005)
// brings distances between discs close to the number of moves between them. Then discs are moved apart, and away from
// lines.
import type { CompiledMap } from '../../engine/internal.js';
import type { GeometryData } from './geometry.js';

/** Radius of a disc and width of the margin, in drawing units. */
const RADIUS = 32;
const MARGIN = 46;
/** Wanted length of a line between neighbours, in drawing units. */
const STEP = 104;
/** Minimum distance between the centre of a disc and a line that passes it, in drawing units. */
const CLEAR = RADIUS + 6;
const QUANTUM = 4;

/** Returns all pairs of neighbouring provinces, each with the smaller number first. */
const pairsOf = (map: CompiledMap): [number, number][] => {
  const { provinceCount: n, distance } = map;
  const pairs: [number, number][] = [];
  for (let a = 0; a < n; a++) for (let b = a + 1; b < n; b++) if (distance[a * n + b] === 1) pairs.push([a, b]);
  return pairs;
};

/** Layout of a diagram: the positions of its discs, which relax() and clear() improve. */
class Layout {
  declare private readonly count: number;
  /** Wanted distance between provinces i and j, at index i * count + j. */
  declare private readonly wanted: Float64Array;
  declare private readonly pairs: readonly (readonly [number, number])[];
  declare readonly x: Float64Array;
  declare readonly y: Float64Array;

  constructor(map: CompiledMap) {
    const { provinceCount: n, distance } = map;
    const farthest = Math.max(1, ...distance.filter((moves) => moves < 255));
    this.count = n;
    this.wanted = Float64Array.from(distance, (moves) => STEP * (moves < 255 ? moves : farthest + 1));
    this.pairs = pairsOf(map);
    // The discs start on a spiral: no two at the same point, and no preferred direction.
    const golden = Math.PI * (3 - Math.sqrt(5));
    const radius = (k: number): number => STEP * farthest * 0.5 * Math.sqrt((k + 0.5) / n);
    this.x = Float64Array.from({ length: n }, (_, k) => radius(k) * Math.cos(k * golden));
    this.y = Float64Array.from({ length: n }, (_, k) => radius(k) * Math.sin(k * golden));
  }

  /** Moves all discs towards their wanted distances from each other. Near discs have the most weight. */
  relax(): void {
    const { count, wanted, x, y } = this;
    for (let i = 0; i < count; i++) {
      let [sumX, sumY, sum] = [0, 0, 0];
      for (let j = 0; j < count; j++) {
        if (i === j) continue;
        const ideal = wanted[i * count + j];
        const weight = 1 / (ideal * ideal);
        const now = Math.hypot(x[i] - x[j], y[i] - y[j]) || 1;
        sumX += weight * (x[j] + (ideal * (x[i] - x[j])) / now);
        sumY += weight * (y[j] + (ideal * (y[i] - y[j])) / now);
        sum += weight;
      }
      if (sum === 0) continue;
      x[i] = sumX / sum;
      y[i] = sumY / sum;
    }
  }

  private push(i: number, dx: number, dy: number): void {
    this.x[i] += dx;
    this.y[i] += dy;
  }

  /** Moves discs that overlap apart, and discs away from lines that pass them. */
  clear(): void {
    const { count, pairs, x, y } = this;
    for (let i = 0; i < count; i++)
      for (let j = i + 1; j < count; j++) {
        const [dx, dy] = [x[j] - x[i], y[j] - y[i]];
        const far = Math.hypot(dx, dy) || 1;
        const short = 2 * CLEAR - far;
        if (short <= 0) continue;
        this.push(i, (-dx / far) * short * 0.5, (-dy / far) * short * 0.5);
        this.push(j, (dx / far) * short * 0.5, (dy / far) * short * 0.5);
      }
    for (const [a, b] of pairs)
      for (let k = 0; k < count; k++) {
        if (k === a || k === b) continue;
        const [dx, dy] = [x[b] - x[a], y[b] - y[a]];
        const t = ((x[k] - x[a]) * dx + (y[k] - y[a]) * dy) / (dx * dx + dy * dy || 1);
        if (t <= 0 || t >= 1) continue;
        const [awayX, awayY] = [x[k] - x[a] - t * dx, y[k] - y[a] - t * dy];
        const far = Math.hypot(awayX, awayY) || 1;
        const short = (CLEAR - far) * 0.5;
        if (short <= 0) continue;
        this.push(k, (awayX / far) * short, (awayY / far) * short);
        this.push(a, (-awayX / far) * short * (1 - t), (-awayY / far) * short * (1 - t));
        this.push(b, (-awayX / far) * short * t, (-awayY / far) * short * t);
      }
  }

  run(): void {
    for (let round = 0; round < 120; round++) this.relax();
    for (let round = 0; round < 80; round++) {
      if (round < 40) this.relax();
      this.clear();
    }
  }
}

const disc = (x: number, y: number): string => {
  const points = Array.from({ length: 25 }, (_, k) => {
    const angle = (2 * Math.PI * (k % 24)) / 24;
    return [Math.round((x + RADIUS * Math.cos(angle)) * QUANTUM), Math.round((y + RADIUS * Math.sin(angle)) * QUANTUM)];
  });
  return points
    .flatMap(([px, py], k) => (k === 0 ? [px, py] : [px - points[k - 1][0], py - points[k - 1][1]]))
    .join(' ');
};

/** Returns a geometry made from the graph of a map. Works for any map. */
export const diagramOf = (map: CompiledMap): GeometryData => {
  const layout = new Layout(map);
  layout.run();
  const left = Math.min(...layout.x) - MARGIN;
  const top = Math.min(...layout.y) - MARGIN;
  const width = Math.max(640, Math.ceil(Math.max(...layout.x) + MARGIN - left));
  const height = Math.ceil(Math.max(...layout.y) + MARGIN - top);
  const indent = (width - (Math.max(...layout.x) + MARGIN - left)) / 2;
  const spots = map.provinceTags.map((_, p) => [
    Math.round(layout.x[p] - left + indent),
    Math.round(layout.y[p] - top),
  ]);
  const [right, bottom] = [width * QUANTUM, height * QUANTUM];
  const places: Record<string, number[]> = {};
  map.provinceTags.forEach((tag, p) => {
    const [x, y] = spots[p];
    const center = map.centerIndex[p] >= 0 ? [x + 19, y - 15] : [];
    places[tag] = [x, y - 7, x + 13, y + 2, x, y + 16, ...center];
    for (let coast = 0; coast < map.coastCount[p]; coast++) {
      const side = coast % 2 === 0 ? -1 : 1;
      const [cx, cy] = [x + side * 18, y + 2 - 9 * Math.floor(coast / 2)];
      places[map.locationTags[map.firstCoast[p] + coast]] = [cx, cy, cx, cy - 14];
    }
  });
  return {
    name: map.name,
    width,
    height,
    quantum: QUANTUM,
    diagram: true,
    arcs: [
      `- # 0 ${bottom} 0 ${-bottom} ${right} 0 0 ${bottom} ${-right} 0`,
      ...map.provinceTags.map((tag, p) => `# ${tag} ${disc(spots[p][0], spots[p][1])}`),
    ],
    places,
    isles: [],
    links: Object.fromEntries(
      pairsOf(map).map(([a, b]) => [
        `${map.provinceTags[a]} ${map.provinceTags[b]}`,
        [...spots[a], ...spots[b]].map((v) => v * QUANTUM),
      ]),
    ),
    exceptions: [],
    rivers: [],
    canals: {},
  };
};
