// A board has the shapes, places and colours for drawing positions of a map. It is made once per map.
import { type CompiledMap, perMap, SEA } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { looksOf, type PowerLook } from './colours.js';
import { add, between, closestOn, lengthOf, lengthsAlong, type Point, subtract, times } from './curves.js';
import { diagramOf } from './diagram.js';
import { type DrawnPhase, type StandingUnit, unitsOfPhase } from './drawn-phase.js';
import { type Arc, decodeArcs, type GeometryData } from './geometry.js';
import { type Shapes, shapesOf } from './paths.js';
import { geometryFor } from './shipped-geometry.js';

/** Points in a province or on a coast where things are drawn, in drawing units. */
export interface Spots {
  /** Centre of the unit. */
  readonly unit: Point;
  /** Centre of a dislodged unit, while another unit is at `unit`. */
  readonly dislodged: Point;
  /** Centre of the name; null for a coast. */
  readonly name: Point | null;
  /** Middle of the supply centre's symbol; null for a province without a centre, and for a coast. */
  readonly center: Point | null;
}

/** A map that is ready to be drawn. */
export interface Board {
  /** The map. */
  readonly map: CompiledMap;
  /** Geometry of the drawing. */
  readonly geometry: GeometryData;
  /** Class name that no other map has. The style sheet of a board applies to elements under it. */
  readonly scope: string;
  /** Appearance of each power, indexed by power. */
  readonly looks: readonly PowerLook[];
  /** Borders between areas, decoded from the geometry. */
  readonly arcs: readonly Arc[];
  /** Path data, in quanta of the geometry. */
  readonly shapes: Shapes;
  /** Points for drawing, keyed by tag of province or coast. */
  readonly spots: ReadonlyMap<string, Spots>;
  /** Number of each province, keyed by tag. */
  readonly provinces: ReadonlyMap<string, number>;
  /** Numbers of the provinces that an army or a fleet can reach without a convoy, indexed by province. */
  readonly neighbours: readonly ReadonlySet<number>[];
  /** Cached results of gateBetween(), keyed by 'FROM TO', tags of two places. */
  readonly gates: Map<string, Point | null>;
}

const spotsOf = (row: readonly number[]): Spots => ({
  unit: [row[0], row[1]],
  dislodged: [row[2], row[3]],
  name: row.length > 5 ? [row[4], row[5]] : null,
  center: row.length > 7 ? [row[6], row[7]] : null,
});

/** Returns the names of the areas that are drawn as water. */
const wetTags = (map: CompiledMap, { isles }: GeometryData): ReadonlySet<string> =>
  new Set(map.provinceTags.filter((tag, p) => map.kind[p] === SEA || isles.includes(tag)).concat('~', '-'));

/** Returns the appearance of a map's boards, without computing a drawing. */
export const frameOf = (map: CompiledMap): Pick<Board, 'scope' | 'looks'> => ({
  scope: `lb-${(map.id >>> 0).toString(36)}`,
  looks: looksOf(
    map.powerNames,
    map.rows.powers.map((power) => power.homes.split(' ')[0]),
  ),
});

const neighboursOf = ({ provinceTags, provinceCount, distance }: CompiledMap): ReadonlySet<number>[] =>
  provinceTags.map((_, a) => new Set([...provinceTags.keys()].filter((b) => distance[a * provinceCount + b] === 1)));

/** Makes the board of a map with a geometry. */
export const makeBoard = (map: CompiledMap, geometry: GeometryData): Board => {
  const arcs = decodeArcs(geometry);
  const wet = wetTags(map, geometry);
  return {
    map,
    geometry,
    ...frameOf(map),
    arcs,
    shapes: shapesOf(arcs, (area) => wet.has(area)),
    spots: new Map(Object.entries(geometry.places).map(([tag, row]) => [tag, spotsOf(row)])),
    provinces: new Map(map.provinceTags.map((tag, p) => [tag, p])),
    neighbours: neighboursOf(map),
    gates: new Map(),
  };
};

/**
 * Returns the board of a map, which is cached. Maps with the same provinces as a map that ships with Lepanto use its
 * geometry; others are drawn as a diagram of their graph.
 */
export const boardOf: (map: CompiledMap) => Board = /* @__PURE__ */ perMap(
  (map): Board => makeBoard(map, geometryFor(map) ?? diagramOf(map)),
);

/** Returns the tag of a place's province: 'STP' for 'STP/SC'. */
export const provinceTag = (place: string): string => place.split('/')[0];

/**
 * Returns the points for drawing at a place. A coast without points has the points of its province.
 * @throws LepantoError if the map does not have the place
 */
export const spotsAt = (board: Board, place: string): Spots => {
  const found = board.spots.get(place) ?? board.spots.get(provinceTag(place));
  if (found === undefined)
    throw new LepantoError('argument', `place: got "${place}", wanted one of the map ${board.map.name}`);
  return found;
};

/** Returns the units of a phase with the numbers of their powers. Units of unknown powers are left out. */
export const unitsOf = ({ map }: Board, phase: DrawnPhase): (Omit<StandingUnit, 'power'> & { power: number })[] =>
  unitsOfPhase(phase)
    .map((one) => ({ ...one, power: map.powerNames.indexOf(one.power) }))
    .filter(({ power }) => power >= 0);

/** True if a point is inside an area. Coordinates are in quanta. @param tag name of the area, as in Arc */
export const isInside = (arcs: readonly Arc[], tag: string, [x, y]: Point): boolean => {
  let odd = false;
  for (const { left, right, points } of arcs) {
    if ((left === tag) === (right === tag)) continue;
    for (let i = 1; i < points.length; i++) {
      const [x0, y0] = points[i - 1];
      const [x1, y1] = points[i];
      if (y0 <= y !== y1 <= y && x0 + ((y - y0) / (y1 - y0)) * (x1 - x0) > x) odd = !odd;
    }
  }
  return odd;
};

/** Width of a unit in drawing units. A straight line of a move may leave both of its provinces by this distance. */
const DISC = 20;
/** Share of a common border at each end (0 to 1) that no line crosses, because other provinces are close. */
const BORDER_END = 0.15;

/**
 * Computes gateBetween() for two provinces.
 * @param from tag of the unit's province
 * @param to tag of its target
 * @param a position of the unit in drawing units
 * @param b position of its target in drawing units
 */
const findGate = (
  { arcs, geometry: { quantum } }: Board,
  from: string,
  to: string,
  a: Point,
  b: Point,
): Point | null => {
  const ours = arcs.filter(({ left, right }) => left === from || right === from || left === to || right === to);
  const awayFromOurs = (point: Point): number =>
    Math.min(
      ...ours.flatMap(({ points }) =>
        points.slice(1).map((end, i) => lengthOf(subtract(point, closestOn(points[i], end, point)))),
      ),
    );
  const [begin, end] = [times(a, quantum), times(b, quantum)];
  let outside = 0;
  let away = 0;
  for (let k = 1; k < 12; k++) {
    const point = add([0.3, 0.3], between(begin, end, k / 12));
    if (isInside(ours, from, point) || isInside(ours, to, point)) continue;
    outside++;
    away = Math.max(away, awayFromOurs(point));
  }
  if (outside < 3 || away < DISC * quantum) return null;
  const common = ours.filter(({ left, right }) => (left === from && right === to) || (left === to && right === from));
  if (common.length === 0) return null;
  const measured = common.map(({ points }) => ({ points, lengths: lengthsAlong(points) }));
  const { points, lengths } = measured.reduce((a, b) => ((b.lengths.at(-1) ?? 0) > (a.lengths.at(-1) ?? 0) ? b : a));
  const [first, last] = [BORDER_END, 1 - BORDER_END].map((share) => share * (lengths.at(-1) ?? 0));
  const detour = (point: Point): number => lengthOf(subtract(point, begin)) + lengthOf(subtract(end, point));
  const inner = points.filter((_, k) => lengths[k] >= first && lengths[k] <= last);
  const gate = (inner.length > 0 ? inner : points).reduce((a, b) => (detour(b) < detour(a) ? b : a));
  return times(gate, 1 / quantum);
};

/**
 * Returns the point, in drawing units, where the line of a move crosses the common border of two provinces, chosen for
 * the shortest way. Null if a straight line does not leave the provinces by more than the width of a unit, or if they
 * have no common border. Caches results in `board`.
 * @param from place of the unit: 'STP/SC'
 * @param to place of its target
 */
export const gateBetween = (board: Board, from: string, to: string): Point | null => {
  const key = `${from} ${to}`;
  const known = board.gates.get(key);
  if (known !== undefined) return known;
  const [a, b] = [spotsAt(board, from).unit, spotsAt(board, to).unit];
  const gate = findGate(board, provinceTag(from), provinceTag(to), a, b);
  board.gates.set(key, gate);
  return gate;
};
