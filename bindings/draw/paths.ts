// Arcs as path data of SVG, rounded between their points.

import type { Point } from './curves.js';
import { type Arc, areaProvince } from './geometry.js';

/** Path data of relative curves, in whole quanta. */
class Pen {
  private text = '';
  private command = '';
  /** True behind a letter, where a number needs no space before it. */
  private isOpen = true;
  private x = 0;
  private y = 0;

  private number(value: number): void {
    this.text += value < 0 || this.isOpen ? value : ` ${value}`;
    this.isOpen = false;
  }
  private begin(command: string): void {
    if (command === this.command) return;
    this.text += command;
    this.command = command;
    this.isOpen = true;
  }
  private point([x, y]: Point): void {
    this.number(x - this.x);
    this.number(y - this.y);
  }
  private reach([x, y]: Point): void {
    this.x = x;
    this.y = y;
  }

  move(to: Point): void {
    this.text += `M${to[0]} ${to[1]}`;
    this.command = '';
    this.reach(to);
  }
  line(to: Point): void {
    this.begin('l');
    this.point(to);
    this.reach(to);
  }
  curve(over: Point, to: Point): void {
    this.begin('q');
    this.point(over);
    this.point(to);
    this.reach(to);
  }
  close(): void {
    this.text += 'z';
    this.command = '';
  }
  done(): string {
    return this.text;
  }
}

const middle = (a: Point, b: Point): Point => [Math.round((a[0] + b[0]) / 2), Math.round((a[1] + b[1]) / 2)];

/** From the first point on: curves between the middles of the pieces; the ends stay where they are. */
const run = (pen: Pen, points: readonly Point[], straight: boolean): void => {
  if (straight || points.length < 3) {
    for (let i = 1; i < points.length; i++) pen.line(points[i]);
    return;
  }
  pen.line(middle(points[0], points[1]));
  for (let i = 1; i < points.length - 1; i++) pen.curve(points[i], middle(points[i], points[i + 1]));
  pen.line(points[points.length - 1]);
};

/** A closed line: its first point is its last. */
const loop = (pen: Pen, points: readonly Point[], straight: boolean): void => {
  const count = points.length - 1;
  if (straight) {
    pen.move(points[0]);
    run(pen, points.slice(0, -1), true);
  } else {
    pen.move(middle(points[count - 1], points[0]));
    for (let i = 0; i < count; i++) pen.curve(points[i], middle(points[i], points[(i + 1) % count]));
  }
  pen.close();
};

const isFrame = ({ left, right }: Arc): boolean => left === '-' || right === '-';

interface Side {
  readonly arc: Arc;
  /** In the direction that has the area to the left. */
  readonly points: readonly Point[];
}

/** The outline of an area. @param straight without rounding, which is shorter */
export const outlineOf = (arcs: readonly Arc[], area: string, straight = false): string => {
  const sides: Side[] = [];
  for (const arc of arcs) {
    if (arc.left === area) sides.push({ arc, points: arc.points });
    if (arc.right === area) sides.push({ arc, points: arc.points.toReversed() });
  }
  const keyOf = ([x, y]: Point): string => `${x} ${y}`;
  const starting = new Map<string, Side[]>();
  for (const side of sides) {
    const key = keyOf(side.points[0]);
    starting.set(key, [...(starting.get(key) ?? []), side]);
  }
  const drawn = new Set<Side>();
  const pen = new Pen();
  for (const side of sides) {
    if (drawn.has(side)) continue;
    drawn.add(side);
    if (side.arc.closed) {
      loop(pen, side.points, straight || isFrame(side.arc));
      continue;
    }
    pen.move(side.points[0]);
    for (let next: Side | undefined = side; next !== undefined; ) {
      drawn.add(next);
      run(pen, next.points, straight || isFrame(next.arc));
      const end: Point = next.points[next.points.length - 1];
      next = starting.get(keyOf(end))?.find((other) => !drawn.has(other));
    }
    pen.close();
  }
  return pen.done();
};

/** All arcs that pass a test, as one path. */
const linesOf = (arcs: readonly Arc[], test: (arc: Arc) => boolean): string => {
  const pen = new Pen();
  for (const arc of arcs) {
    if (!test(arc)) continue;
    if (arc.closed) loop(pen, arc.points, false);
    else {
      pen.move(arc.points[0]);
      run(pen, arc.points, false);
    }
  }
  return pen.done();
};

/** What a board is drawn of, as path data in quanta. */
export interface Shapes {
  /** Land by area: provinces, '#' and islands ('@BAL'). */
  readonly land: ReadonlyMap<string, string>;
  /** Provinces of water, not rounded. */
  readonly water: ReadonlyMap<string, string>;
  /** Borders between land and water. */
  readonly coastLine: string;
  /** Borders between lands. */
  readonly landLine: string;
  /** Borders between waters. */
  readonly waterLine: string;
}

/** @param isWet true for areas of water */
export const shapesOf = (arcs: readonly Arc[], isWet: (area: string) => boolean): Shapes => {
  const areas = new Set(arcs.flatMap(({ left, right }) => [left, right]));
  areas.delete('-');
  const land = new Map<string, string>();
  const water = new Map<string, string>();
  for (const area of areas)
    if (!isWet(area)) land.set(area, outlineOf(arcs, area));
    else if (area !== '~') water.set(area, outlineOf(arcs, area, true));
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
