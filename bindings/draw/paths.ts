// Converts arcs to SVG path data with rounded corners.

import type { Point } from './curves.js';
import { type Arc, areaProvince } from './geometry.js';

const middle = (a: Point, b: Point): Point => [Math.round((a[0] + b[0]) / 2), Math.round((a[1] + b[1]) / 2)];

/**
 * Writes SVG path data of relative curves, with points in quanta. Puts a space only where a number would run into the
 * one before. Must be fast: a board has 12,000 points, and a page draws it while it starts.
 */
class PathWriter {
  text = '';
  private last = '';
  private x = 0;
  private y = 0;

  move([x, y]: Point): void {
    this.text += `M${x} ${y}`;
    this.last = 'M';
    this.goTo(x, y);
  }

  line([x, y]: Point): void {
    this.command('l', x - this.x);
    this.number(y - this.y);
    this.goTo(x, y);
  }

  curve([bendX, bendY]: Point, [x, y]: Point): void {
    this.command('q', bendX - this.x);
    this.number(bendY - this.y);
    this.number(x - this.x);
    this.number(y - this.y);
    this.goTo(x, y);
  }

  close(): void {
    this.text += 'z';
    this.last = 'z';
  }

  /**
   * Draws a line along points from the first one, where the path must be.
   * @param straight false to round corners, by curves between the middles of the pieces
   */
  along(points: readonly Point[], straight: boolean): void {
    const last = points.length - 1;
    if (straight || last < 2) {
      for (let i = 1; i <= last; i++) this.line(points[i]);
      return;
    }
    this.line(middle(points[0], points[1]));
    for (let i = 1; i < last; i++) this.curve(points[i], middle(points[i], points[i + 1]));
    this.line(points[last]);
  }

  /** Draws a closed line, whose last point is its first. @param straight false to round its corners */
  loop(points: readonly Point[], straight: boolean): void {
    const count = points.length - 1;
    if (straight) {
      this.move(points[0]);
      this.along(points.slice(0, -1), true);
    } else {
      this.move(middle(points[count - 1], points[0]));
      for (let i = 0; i < count; i++) this.curve(points[i], middle(points[i], points[(i + 1) % count]));
    }
    this.close();
  }

  private goTo(x: number, y: number): void {
    this.x = x;
    this.y = y;
  }

  private command(letter: string, first: number): void {
    if (this.last === letter) this.number(first);
    else this.text += letter + first;
    this.last = letter;
  }

  private number(n: number): void {
    this.text += n < 0 ? n : ` ${n}`;
  }
}

const isFrame = ({ left, right }: Arc): boolean => left === '-' || right === '-';

/** An arc on the outline of an area. */
interface Side {
  readonly arc: Arc;
  /** Points in the direction in which the area is on the left. */
  readonly points: readonly Point[];
}

/** Returns the sides of all areas, keyed by name of the area. */
const sidesOf = (arcs: readonly Arc[]): ReadonlyMap<string, readonly Side[]> => {
  const sides = new Map<string, Side[]>();
  const add = (area: string, side: Side): void => {
    const known = sides.get(area);
    if (known === undefined) sides.set(area, [side]);
    else known.push(side);
  };
  for (const arc of arcs) {
    add(arc.left, { arc, points: arc.points });
    add(arc.right, { arc, points: arc.points.toReversed() });
  }
  return sides;
};

/** Returns the outline of an area as SVG path data. @param straight true not to round corners, which is shorter */
const outlineOf = (sides: readonly Side[], straight = false): string => {
  const keyOf = ([x, y]: Point): string => `${x} ${y}`;
  const starting = new Map<string, Side[]>();
  for (const side of sides) {
    const key = keyOf(side.points[0]);
    starting.set(key, [...(starting.get(key) ?? []), side]);
  }
  const drawn = new Set<Side>();
  const path = new PathWriter();
  for (const side of sides) {
    if (drawn.has(side)) continue;
    drawn.add(side);
    if (side.arc.closed) {
      path.loop(side.points, straight || isFrame(side.arc));
      continue;
    }
    path.move(side.points[0]);
    for (let next: Side | undefined = side; next !== undefined; ) {
      drawn.add(next);
      path.along(next.points, straight || isFrame(next.arc));
      const end: Point = next.points[next.points.length - 1];
      next = starting.get(keyOf(end))?.find((other) => !drawn.has(other));
    }
    path.close();
  }
  return path.text;
};

const linesOf = (arcs: readonly Arc[], test: (arc: Arc) => boolean): string => {
  const path = new PathWriter();
  for (const { points, closed } of arcs.filter(test)) {
    if (closed) path.loop(points, false);
    else {
      path.move(points[0]);
      path.along(points, false);
    }
  }
  return path.text;
};

/** Shapes of a board, as path data in quanta. */
export interface Shapes {
  /** Outlines of land, keyed by name of the area: provinces, '#' and islands ('@BAL'). */
  readonly land: ReadonlyMap<string, string>;
  /** Outlines of sea provinces without rounded corners, keyed by tag. */
  readonly water: ReadonlyMap<string, string>;
  /** Path of all borders between land and water. */
  readonly coastLine: string;
  /** Path of all borders between areas of land. */
  readonly landLine: string;
  /** Path of all borders between areas of water. */
  readonly waterLine: string;
}

/** Returns the shapes of a board. @param isWet returns true for the name of an area of water */
export const shapesOf = (arcs: readonly Arc[], isWet: (area: string) => boolean): Shapes => {
  const land = new Map<string, string>();
  const water = new Map<string, string>();
  for (const [area, sides] of sidesOf(arcs))
    if (area === '-') continue;
    else if (!isWet(area)) land.set(area, outlineOf(sides));
    else if (area !== '~') water.set(area, outlineOf(sides, true));
  const inner = (arc: Arc): boolean => !isFrame(arc);
  const isProvince = (area: string): boolean => area !== '~' && areaProvince(area) === area;
  return {
    land,
    water,
    coastLine: linesOf(arcs, (arc) => inner(arc) && isWet(arc.left) !== isWet(arc.right)),
    landLine: linesOf(arcs, (arc) => inner(arc) && !isWet(arc.left) && !isWet(arc.right)),
    waterLine: linesOf(
      arcs,
      (arc) => inner(arc) && isWet(arc.left) && isWet(arc.right) && isProvince(arc.left) && isProvince(arc.right),
    ),
  };
};
