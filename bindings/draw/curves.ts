// Lines of the drawing: bowed arrows, waves, and small marks, as path data of SVG.

/** A point in drawing units; y points down. */
export type Point = readonly [x: number, y: number];

export const subtract = (a: Point, b: Point): Point => [a[0] - b[0], a[1] - b[1]];
export const add = (a: Point, b: Point): Point => [a[0] + b[0], a[1] + b[1]];
export const times = (a: Point, k: number): Point => [a[0] * k, a[1] * k];
/** Never 0, so that it may divide. */
export const lengthOf = ([x, y]: Point): number => Math.hypot(x, y) || 1;
const unitOf = (a: Point): Point => times(a, 1 / lengthOf(a));
/** A quarter turn. */
const aside = ([x, y]: Point): Point => [-y, x];
export const between = (a: Point, b: Point, t: number): Point => add(times(a, 1 - t), times(b, t));

/** The point of a straight line from a to b that is closest to another point. */
export const closestOn = (a: Point, b: Point, point: Point): Point => {
  const [way, to] = [subtract(b, a), subtract(point, a)];
  return between(a, b, Math.min(1, Math.max(0, (way[0] * to[0] + way[1] * to[1]) / lengthOf(way) ** 2)));
};

export const figure = (value: number): string => String(Math.round(value * 10) / 10);
export const at = ([x, y]: Point): string => `${figure(x)} ${figure(y)}`;

/** A line with an arrowhead's place. */
export interface Line {
  readonly d: string;
  readonly end: Point;
  /** The way it comes to its end, of length 1. */
  readonly way: Point;
  /** How far its end is from what it points at. */
  readonly gap: number;
  /** A point of it, from 0 at the begin to 1 at the end. */
  on(t: number): Point;
}

export interface BowShape {
  /** Where it begins to bow, and how far from its end it stops. */
  readonly startGap: number;
  readonly endGap: number;
  /** How far it bows, of its length. */
  readonly bend: number;
  /** A point to go through. */
  readonly through?: Point | null;
}

/** A bowed line from under a unit that stops short of its end. Lines there and back lie side by side. */
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

/** Points along the smooth curve through some points (Catmull-Rom). */
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

/** By point of a line: the length up to it. */
export const lengthsAlong = (points: readonly Point[]): number[] => {
  let sum = 0;
  return points.map((point, i) => {
    sum += i === 0 ? 0 : Math.hypot(...subtract(point, points[i - 1]));
    return sum;
  });
};

/** A line through points at a height of waves (0 for a plain one) that stops short of its end. */
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

/** An arrowhead to the right whose middle is left of the origin by a gap. */
export const arrowHead = (gap: number, size: number): string =>
  `M${figure(size * 0.55 - gap)} 0L${at([-size * 0.45 - gap, size * 0.55])}V${figure(-size * 0.55)}z`;

// Around the origin: pin() puts them where they are wanted.

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

/** Puts at a point what is drawn around the origin; a page gives all of class `pin` one size on the screen. */
export const pin = (point: Point, inside: string): string =>
  `<g transform="translate(${at(point)})"><g class="pin">${inside}</g></g>`;
