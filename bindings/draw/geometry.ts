// The geometry of a map: borders, coasts and places as they are stored, and decoded.
//
// Borders are stored once, as arcs between the points where three areas meet, with the area on either side; so the
// geometry tells by itself which provinces touch. Areas are named by the tags of provinces, and by
//
//   -      outside the frame
//   #      land that is no province
//   ~      water that is no province
//   @BAL   an island that belongs to the province of water BAL
import type { Point } from './curves.js';

/** A geometry as it is stored: plain data, fit for JSON. */
export interface GeometryData {
  /** The map that it was made for: 'standard'. */
  readonly name: string;
  /** Size of the drawing, in drawing units. */
  readonly width: number;
  /** Size of the drawing, in drawing units. */
  readonly height: number;
  /** Steps of a drawing unit in which arcs, links and canals are stored. */
  readonly quantum: number;
  /** Each 'BUR PAR 208 0 15 14 …': the area to the left, to the right, the first point, then differences; y points down. */
  readonly arcs: readonly string[];
  /**
   * In drawing units, by tag: unit x y, dislodged unit x y, then for provinces name x y, and centre x y where there is
   * one; for coasts ('STP/NC') the first two alone.
   */
  readonly places: Readonly<Record<string, readonly number[]>>;
  /** Provinces of water with islands in it. */
  readonly isles: readonly string[];
  /** Neighbours without a common border, and the bar that joins them: x1 y1 x2 y2. */
  readonly links: Readonly<Record<string, readonly number[]>>;
  /** Neighbours with a common border that ends at a sea, where fleets may not pass. */
  readonly exceptions: readonly string[];
  /** Neighbours that fleets pass between along a river: their border need not meet a sea. */
  readonly rivers: readonly string[];
  /** True for a diagram: provinces are discs, and `links` are lines under them. */
  readonly diagram?: boolean;
  /** Waterways drawn over land, by name, as x y x y …; the one of a canal with rules of its own is 'suez'. */
  readonly canals: Readonly<Record<string, readonly number[]>>;
}

/** A border between two areas. */
export interface Arc {
  /** The area to the left of the way, as in GeometryData. */
  readonly left: string;
  /** The area to the right of the way. */
  readonly right: string;
  /** In quanta; the first point is the last one again where the line is closed. */
  readonly points: readonly Point[];
  /** True for a line that ends where it begins. */
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

export const decodeArcs = ({ arcs }: GeometryData): Arc[] => arcs.map(decodeArc);

/** The province that an area belongs to: 'BAL' for '@BAL'; other names as they are. */
export const areaProvince = (area: string): string => (area.startsWith('@') ? area.slice(1) : area);
