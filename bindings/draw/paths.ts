// Converts arcs to SVG path data with rounded corners.

import type { Point } from './curves.js';
import { type Arc, areaProvince } from './geometry.js';

/** A command of path data. Points are in quanta and absolute. */
type Step = readonly ['M' | 'l' | 'q' | 'z', ...Point[]];

/** Formats path data with relative curves. Numbers are separated by a space only if necessary. */
const pathData = (steps: readonly Step[]): string => {
  let [text, last, x, y] = ['', '', 0, 0];
  for (const [command, ...points] of steps) {
    const isAgain = command === last;
    last = command;
    if (command === 'z') text += command;
    else if (command === 'M') text += `M${points[0][0]} ${points[0][1]}`;
    else {
      const numbers = points.flatMap((point) => [point[0] - x, point[1] - y]);
      const shown = numbers.map((n, i) => (n < 0 || (i === 0 && !isAgain) ? n : ` ${n}`));
      text += (isAgain ? '' : command) + shown.join('');
    }
    [x, y] = points.at(-1) ?? [x, y];
  }
  return text;
};

const middle = (a: Point, b: Point): Point => [Math.round((a[0] + b[0]) / 2), Math.round((a[1] + b[1]) / 2)];

/** Returns the path from the first point to the last: curves between the middles of the segments, with fixed ends. */
const run = (points: readonly Point[], straight: boolean): Step[] => {
  if (straight || points.length < 3) return points.slice(1).map((point) => ['l', point]);
  const curves = points.slice(1, -1).map((point, i): Step => ['q', point, middle(point, points[i + 2])]);
  return [['l', middle(points[0], points[1])], ...curves, ['l', points[points.length - 1]]];
};

/** Returns the path of a closed line, whose last point equals its first. */
const loop = (points: readonly Point[], straight: boolean): Step[] => {
  const count = points.length - 1;
  if (straight) return [['M', points[0]], ...run(points.slice(0, -1), true), ['z']];
  const curves = points.slice(0, -1).map((point, i): Step => ['q', point, middle(point, points[(i + 1) % count])]);
  return [['M', middle(points[count - 1], points[0])], ...curves, ['z']];
};

const isFrame = ({ left, right }: Arc): boolean => left === '-' || right === '-';

/** An arc on the outline of an area. */
interface Side {
  readonly arc: Arc;
  /** Points in the direction in which the area is on the left. */
  readonly points: readonly Point[];
}

/** Returns the outline of an area as path data. @param straight true to omit the rounding, which gives shorter data */
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
  const steps: Step[] = [];
  for (const side of sides) {
    if (drawn.has(side)) continue;
    drawn.add(side);
    if (side.arc.closed) {
      steps.push(...loop(side.points, straight || isFrame(side.arc)));
      continue;
    }
    steps.push(['M', side.points[0]]);
    for (let next: Side | undefined = side; next !== undefined; ) {
      drawn.add(next);
      steps.push(...run(next.points, straight || isFrame(next.arc)));
      const end: Point = next.points[next.points.length - 1];
      next = starting.get(keyOf(end))?.find((other) => !drawn.has(other));
    }
    steps.push(['z']);
  }
  return pathData(steps);
};

const linesOf = (arcs: readonly Arc[], test: (arc: Arc) => boolean): string =>
  pathData(
    arcs
      .filter(test)
      .flatMap(({ points, closed }): Step[] =>
        closed ? loop(points, false) : [['M', points[0]], ...run(points, false)],
      ),
  );

/** Shapes of a board, as path data in quanta. */
export interface Shapes {
  /** Outlines of land, by area: provinces, '#' and islands ('@BAL'). */
  readonly land: ReadonlyMap<string, string>;
  /** Outlines of sea provinces, without rounding. */
  readonly water: ReadonlyMap<string, string>;
  /** Borders between land and water. */
  readonly coastLine: string;
  /** Borders between areas of land. */
  readonly landLine: string;
  /** Borders between areas of water. */
  readonly waterLine: string;
}

/** Returns the shapes of a board. @param isWet true for an area of water */
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
