// The geometry of a map: borders, coasts and places, as stored and as decoded.
//
// Each border is stored once, as an arc between two points where three areas meet, with the area on either side. The
// geometry therefore also tells which provinces touch. The name of an area is the tag of a province, or
//
//   -      outside the frame
//   #      land outside all provinces
//   ~      water outside all provinces
//   @BAL   an island that belongs to the sea province BAL
import type { Point } from './curves.js';

/** A geometry of a map (its shapes and places for drawing) as stored, in plain data for JSON. */
export interface GeometryData {
  /** Name of the map that the geometry was made for: 'standard'. */
  readonly name: string;
  /** Width of the drawing in drawing units. */
  readonly width: number;
  /** Height of the drawing in drawing units. */
  readonly height: number;
  /** Quanta per drawing unit: arcs are stored in quanta, as whole numbers. */
  readonly quantum: number;
  /** Borders as text, 'BUR PAR 208 0 15 14 …': left area, right area, first point, then differences. y points down. */
  readonly arcs: readonly string[];
  /**
   * Points in drawing units, by tag. Provinces have x and y of the unit, the dislodged unit, the name, and the centre
   * (if any). Coasts ('STP/NC') have the first two points only.
   */
  readonly places: Readonly<Record<string, readonly number[]>>;
  /** Tags of provinces that contain islands. They are drawn as water, whatever their kind. */
  readonly isles: readonly string[];
  /** Neighbours without a common border, by 'A B', and the line that joins them: x1 y1 x2 y2. */
  readonly links: Readonly<Record<string, readonly number[]>>;
  /** Pairs of neighbours whose common border ends at a sea, but between which fleets cannot move. */
  readonly exceptions: readonly string[];
  /** Pairs of neighbours between which fleets move along a river. Their common border need not end at a sea. */
  readonly rivers: readonly string[];
  /** True for a diagram: provinces are discs, and `links` are lines under them. */
  readonly diagram?: boolean;
  /** Waterways drawn over land, by name: x y x y …. 'suez' is the canal of a map option. */
  readonly canals: Readonly<Record<string, readonly number[]>>;
}

/** A border between two areas. */
export interface Arc {
  /** Name of the area to the left of the line as seen along its points. The head of this file lists the names. */
  readonly left: string;
  /** Name of the area to the right of the line. */
  readonly right: string;
  /** Points in quanta. The last point of a closed line is its first point. */
  readonly points: readonly Point[];
  /** True if the border is a closed line, as around an island. */
  readonly closed: boolean;
}

const decodeArc = (text: string): Arc => {
  const [left, right, ...rest] = text.split(' ');
  const points: Point[] = [];
  let x = 0;
  let y = 0;
  for (let i = 0; i < rest.length; i += 2) {
    x += Number(rest[i]);
    y += Number(rest[i + 1]);
    points.push([x, y]);
  }
  const last = points[points.length - 1];
  return { left, right, points, closed: points.length > 2 && points[0][0] === last[0] && points[0][1] === last[1] };
};

/** Returns the decoded borders of a geometry. */
export const decodeArcs = ({ arcs }: GeometryData): Arc[] => arcs.map(decodeArc);

/** Returns the province of an area: 'BAL' for '@BAL'. Other names are returned unchanged. */
export const areaProvince = (area: string): string => (area.startsWith('@') ? area.slice(1) : area);
