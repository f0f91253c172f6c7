// Lines of the drawing as SVG path data: bowed arrows, waves and small marks.

/** A point in drawing units. y points down. */
export type Point = readonly [x: number, y: number];

export const subtract = (a: Point, b: Point): Point => [a[0] - b[0], a[1] - b[1]];
export const add = (a: Point, b: Point): Point => [a[0] + b[0], a[1] + b[1]];
export const times = (a: Point, k: number): Point => [a[0] * k, a[1] * k];
/** Returns the length of a vector, but 1 for the zero vector, so that callers can divide by the length. */
export const lengthOf = ([x, y]: Point): number => Math.hypot(x, y) || 1;
const unitOf = (a: Point): Point => times(a, 1 / lengthOf(a));
/** Returns a vector rotated by a quarter turn, clockwise on the screen (y points down). */
const aside = ([x, y]: Point): Point => [-y, x];
/** Returns the point at share `t` of the line from a to b. */
export const between = (a: Point, b: Point, t: number): Point => add(times(a, 1 - t), times(b, t));

/** Returns the point closest to `point` on the line segment from a to b. */
export const closestOn = (a: Point, b: Point, point: Point): Point => {
  const [way, to] = [subtract(b, a), subtract(point, a)];
  return between(a, b, Math.min(1, Math.max(0, (way[0] * to[0] + way[1] * to[1]) / lengthOf(way) ** 2)));
};

/** Formats a number with at most one digit after the point. */
export const figure = (value: number): string => String(Math.round(value * 10) / 10);
export const at = ([x, y]: Point): string => `${figure(x)} ${figure(y)}`;

/** A line that may end in an arrowhead. Lengths are in drawing units. */
export interface Line {
  /** SVG path data of the line. */
  readonly d: string;
  /** Last point of the line. */
  readonly end: Point;
  /** Direction of the line at its end, as a vector of length 1. */
  readonly way: Point;
  /** Distance from `end`, where the line stops, to the point that the line leads to. */
  readonly gap: number;
  /** Returns a point of the line. @param t 0 at the start, 1 at the end */
  on(t: number): Point;
}

/** Shape of a bowed line. Lengths are in drawing units. */
export interface BowShape {
  /** Length of the straight part of the line at its start. */
  readonly startGap: number;
  /** Distance between the end of the line and its target. */
  readonly endGap: number;
  /** Height of the bow as a share of the distance from start to target. Without effect with `through`. */
  readonly bend: number;
  /** Point that the line passes at a distance of at most 4.5 units; null or absent for none. */
  readonly through?: Point | null;
}

/** Returns a bowed line from a unit to a point near its target. Lines in opposite directions do not overlap. */
export const bow = (from: Point, to: Point, { startGap, endGap, bend, through }: BowShape): Line => {
  const way = subtract(to, from);
  const side = aside(unitOf(way));
  let middle = add(between(from, to, 0.5), times(side, -lengthOf(way) * bend));
  if (through) {
    const before = lengthOf(subtract(through, from));
    const t = Math.min(0.75, Math.max(0.25, before / (before + lengthOf(subtract(to, through)))));
    const ends = add(times(from, (1 - t) ** 2), times(to, t * t));
    middle = add(times(side, -9), times(subtract(through, ends), 1 / (2 * t * (1 - t))));
  }
  const gap = (end: Point, wanted: number): Point => {
    const toMiddle = subtract(middle, end);
    return add(end, times(unitOf(toMiddle), Math.min(wanted, lengthOf(toMiddle) * 0.8)));
  };
  const start = gap(from, startGap);
  const end = gap(to, endGap);
  return {
    d: `M${at(from)}L${at(start)}Q${at(middle)} ${at(end)}`,
    end,
    way: unitOf(subtract(end, middle)),
    gap: lengthOf(subtract(to, end)),
    on: (t) => add(add(times(start, (1 - t) ** 2), times(middle, 2 * t * (1 - t))), times(end, t * t)),
  };
};

/** Returns points on a smooth curve (Catmull-Rom) through the given points: 24 from each to the next. */
const smoothThrough = (points: readonly Point[]): Point[] => {
  const steps = 24;
  const last = points.length - 1;
  const found: Point[] = [];
  for (let i = 0; i < last; i++) {
    const [p0, p1, p2, p3] = [points[Math.max(0, i - 1)], points[i], points[i + 1], points[Math.min(last, i + 2)]];
    const on = (t: number, c: 0 | 1): number =>
      0.5 *
      (2 * p1[c] +
        (p2[c] - p0[c]) * t +
        (2 * p0[c] - 5 * p1[c] + 4 * p2[c] - p3[c]) * t * t +
        (3 * p1[c] - p0[c] - 3 * p2[c] + p3[c]) * t * t * t);
    for (let k = 0; k < steps; k++) found.push([on(k / steps, 0), on(k / steps, 1)]);
  }
  found.push(points[last]);
  return found;
};

/** Returns for each point of a polyline the length of the polyline from its start to that point. */
export const lengthsAlong = (points: readonly Point[]): number[] => {
  let sum = 0;
  return points.map((point, i) => {
    sum += i === 0 ? 0 : Math.hypot(...subtract(point, points[i - 1]));
    return sum;
  });
};

/**
 * Returns a wavy line through points. Lengths are in drawing units.
 * @param startGap distance from the first point where the waves start
 * @param endGap distance between the end of the line and the last point
 * @param height height of the waves; 0 for a smooth line
 */
export const wave = (points: readonly Point[], startGap: number, endGap: number, height = 2.6): Line => {
  const smooth = smoothThrough(points);
  const lengths = lengthsAlong(smooth);
  const total = lengths[lengths.length - 1];
  const from = Math.min(startGap, total / 3);
  const to = total - Math.min(endGap, total / 3);
  let piece = 1;
  const find = (length: number): { readonly point: Point; readonly way: Point } => {
    while (piece > 1 && lengths[piece - 1] > length) piece--;
    while (piece < lengths.length - 1 && lengths[piece] < length) piece++;
    const way = subtract(smooth[piece], smooth[piece - 1]);
    const t = (length - lengths[piece - 1]) / (lengths[piece] - lengths[piece - 1] || 1);
    return { point: add(smooth[piece - 1], times(way, t)), way: unitOf(way) };
  };
  const waves = Math.max(2, Math.round((to - from) / 11));
  const parts: string[] = [];
  for (let i = 0; i <= waves * 8; i++) {
    const t = i / (waves * 8);
    const { point, way } = find(from + (to - from) * t);
    const swing = height * Math.min(1, t * 8, (1 - t) * 8) * Math.sin(t * waves * 2 * Math.PI);
    parts.push(at(add(point, times(aside(way), swing))));
  }
  const end = find(to);
  return {
    d: `M${at(points[0])}L${parts.join('L')}`,
    end: end.point,
    way: end.way,
    gap: total - to,
    on: (t) => find(from + (to - from) * t).point,
  };
};

/**
 * Returns the SVG path data of an arrowhead that points right. Its middle is at x = -gap, y = 0.
 * @param size length, and about its height, in drawing units
 */
export const arrowHead = (gap: number, size: number): string =>
  `M${figure(size * 0.55 - gap)} 0L${at([-size * 0.45 - gap, size * 0.55])}V${figure(-size * 0.55)}z`;

// Marks are drawn around the origin; pin() moves them to their place.

export const cross = (r: number, [x, y]: Point = [0, 0]): string =>
  `M${at([x - r, y - r])}L${at([x + r, y + r])}M${at([x - r, y + r])}L${at([x + r, y - r])}`;

export const plus = (r: number, [x, y]: Point): string => `M${at([x - r, y])}h${2 * r}M${at([x, y - r])}v${2 * r}`;

export const ring = (r: number): string => `M${-r} 0a${r} ${r} 0 1 1 ${2 * r} 0a${r} ${r} 0 1 1 ${-2 * r} 0z`;

export const rays = (count: number, from: number, to: number): string =>
  Array.from({ length: count }, (_, k) => {
    const angle = (2 * Math.PI * k) / count;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    return `M${at([from * c, from * s])}L${at([to * c, to * s])}`;
  }).join('');

/**
 * Returns a drawing (SVG), moved from the origin to a point. Pages can scale all elements of class `pin` to a constant
 * size on the screen.
 * @param inside the drawing around the origin
 */
export const pin = (point: Point, inside: string): string =>
  `<g transform="translate(${at(point)})"><g class="pin">${inside}</g></g>`;
