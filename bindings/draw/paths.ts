// Arcs as path data of SVG, rounded between their points.

import type { Point } from './curves.js';
import { type Arc, areaProvince } from './geometry.js';

/** A command of path data, with points in quanta. */
type Step = readonly ['M' | 'l' | 'q' | 'z', ...Point[]];

/** Path data of relative curves: a space only where a number would run into the one before it. */
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

/** From the first point on: curves between the middles of the pieces; the ends stay where they are. */
const run = (points: readonly Point[], straight: boolean): Step[] => {
  if (straight || points.length < 3) return points.slice(1).map((point) => ['l', point]);
  const curves = points.slice(1, -1).map((point, i): Step => ['q', point, middle(point, points[i + 2])]);
  return [['l', middle(points[0], points[1])], ...curves, ['l', points[points.length - 1]]];
};

/** A closed line: its first point is its last. */
const loop = (points: readonly Point[], straight: boolean): Step[] => {
  const count = points.length - 1;
  if (straight) return [['M', points[0]], ...run(points.slice(0, -1), true), ['z']];
  const curves = points.slice(0, -1).map((point, i): Step => ['q', point, middle(point, points[(i + 1) % count])]);
  return [['M', middle(points[count - 1], points[0])], ...curves, ['z']];
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
