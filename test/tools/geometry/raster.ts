// A raster over the drawing, and what is painted and counted on it.
import type { Point } from '../../../bindings/draw/curves.js';

/** A raster of square cells, `cells` to a drawing unit. */
export interface Raster {
  readonly cells: number;
  /** Cells across and down. */
  readonly across: number;
  readonly down: number;
  readonly size: number;
}

export const makeRaster = (width: number, height: number, cells: number): Raster => ({
  cells,
  across: width * cells,
  down: height * cells,
  size: width * cells * height * cells,
});

/** The cell of a point; -1 for one outside. */
export const cellAt = ({ cells, across, down }: Raster, [x, y]: Point): number => {
  const [i, j] = [Math.floor(x * cells), Math.floor(y * cells)];
  return i < 0 || j < 0 || i >= across || j >= down ? -1 : j * across + i;
};

/** Calls `put` for each cell inside some rings; a ring in a ring is a hole. */
export const fillRings = (raster: Raster, rings: readonly (readonly Point[])[], put: (cell: number) => void): void => {
  const { cells, across, down } = raster;
  const edges: [x0: number, y0: number, x1: number, y1: number][] = [];
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const ring of rings)
    for (let i = 0; i < ring.length; i++) {
      const [x0, y0] = ring[i];
      const [x1, y1] = ring[(i + 1) % ring.length];
      if (y0 === y1) continue;
      edges.push(y0 < y1 ? [x0, y0, x1, y1] : [x1, y1, x0, y0]);
      least = Math.min(least, y0, y1);
      most = Math.max(most, y0, y1);
    }
  edges.sort((a, b) => a[1] - b[1]);
  let active: typeof edges = [];
  let next = 0;
  for (let j = Math.max(0, Math.floor(least * cells)); j <= Math.min(down - 1, Math.ceil(most * cells)); j++) {
    const y = (j + 0.5) / cells;
    while (next < edges.length && edges[next][1] <= y) active.push(edges[next++]);
    active = active.filter((edge) => edge[3] > y);
    const crossings = active.map(([x0, y0, x1, y1]) => x0 + ((y - y0) / (y1 - y0)) * (x1 - x0)).sort((a, b) => a - b);
    for (let k = 0; k + 1 < crossings.length; k += 2) {
      const from = Math.max(0, Math.ceil(crossings[k] * cells - 0.5));
      const to = Math.min(across - 1, Math.floor(crossings[k + 1] * cells - 0.5));
      for (let i = from; i <= to; i++) put(j * across + i);
    }
  }
};

/** Calls `put` for each cell within half a width of a line. */
export const strokeLine = (
  { cells, across, down }: Raster,
  line: readonly Point[],
  width: number,
  put: (cell: number) => void,
): void => {
  const reach = width / 2;
  for (let s = 0; s < Math.max(1, line.length - 1); s++) {
    const [x0, y0] = line[s];
    const [x1, y1] = line[Math.min(s + 1, line.length - 1)];
    const [dx, dy] = [x1 - x0, y1 - y0];
    const square = dx * dx + dy * dy || 1;
    const [left, right] = [Math.min(x0, x1) - reach, Math.max(x0, x1) + reach];
    const [top, bottom] = [Math.min(y0, y1) - reach, Math.max(y0, y1) + reach];
    for (let j = Math.max(0, Math.floor(top * cells)); j <= Math.min(down - 1, Math.ceil(bottom * cells)); j++)
      for (let i = Math.max(0, Math.floor(left * cells)); i <= Math.min(across - 1, Math.ceil(right * cells)); i++) {
        const [x, y] = [(i + 0.5) / cells, (j + 0.5) / cells];
        const t = Math.max(0, Math.min(1, ((x - x0) * dx + (y - y0) * dy) / square));
        if (Math.hypot(x - x0 - t * dx, y - y0 - t * dy) <= reach) put(j * across + i);
      }
  }
};

/** Cells that hang together. */
export interface Pieces {
  /** Piece of each cell. */
  readonly of: Int32Array;
  /** Cells of each piece. */
  readonly sizes: readonly number[];
  /** A cell of each piece. */
  readonly firsts: readonly number[];
}

/** Cuts a raster into pieces of side-by-side cells with the same value. */
export const piecesOf = ({ across, size }: Raster, valueAt: (cell: number) => number): Pieces => {
  const of = new Int32Array(size).fill(-1);
  const sizes: number[] = [];
  const firsts: number[] = [];
  const stack = new Int32Array(size);
  for (let cell = 0; cell < size; cell++) {
    if (of[cell] >= 0) continue;
    const value = valueAt(cell);
    let [count, depth] = [0, 0];
    const reach = (next: number): void => {
      if (of[next] >= 0 || valueAt(next) !== value) return;
      of[next] = sizes.length;
      stack[depth++] = next;
    };
    reach(cell);
    while (depth > 0) {
      const here = stack[--depth];
      const column = here % across;
      count++;
      if (column > 0) reach(here - 1);
      if (column < across - 1) reach(here + 1);
      if (here >= across) reach(here - across);
      if (here < size - across) reach(here + across);
    }
    sizes.push(count);
    firsts.push(cell);
  }
  return { of, sizes, firsts };
};
