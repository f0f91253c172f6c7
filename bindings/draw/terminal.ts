// Draws a board in a terminal: two colours per character (the upper half block), overlaid by names and units.
import { mixColours, paper, type Rgb, rgbOf } from './colours.js';
import type { Point } from './curves.js';
import { ownersOf } from './draw-board.js';
import { type Board, provinceTag, spotsAt, unitsOf } from './drawn-board.js';
import type { DrawnOrder, DrawnPhase } from './drawn-phase.js';
import { areaProvince } from './geometry.js';
import { type OrderLine, orderLines } from './order-lines.js';
import { phaseTitle, powerTitle } from './titles.js';

/** Colour modes of a terminal: true colour, a palette of 256, or none. */
export const terminalColours = ['true', '256', 'none'] as const;
/** A colour mode of a terminal. */
export type TerminalColours = (typeof terminalColours)[number];

/** Options of drawTerminal(). */
export interface TerminalOptions {
  /** Width in characters; default: 100. */
  readonly columns?: number;
  /** Colour mode; default: 'true'. */
  readonly colours?: TerminalColours;
  /** False to omit the orders. Default: true. */
  readonly orders?: boolean;
  /** Title under the board instead of the phase. */
  readonly title?: string;
}

/** Minimum width in characters for a legible board. */
export const MIN_COLUMNS = 40;

/** Returns the name of the area at each point of a grid of samples over the board, row by row. */
const sampleAreas = ({ arcs, geometry }: Board, columns: number, rows: number): string[] => {
  const { width, height, quantum } = geometry;
  const found: string[] = [];
  for (let row = 0; row < rows; row++) {
    const y = (((row + 0.5) * height) / rows + 0.013) * quantum;
    const hits: { readonly x: number; readonly area: string }[] = [];
    for (const { left, right, points } of arcs)
      for (let i = 1; i < points.length; i++) {
        const [[x0, y0], [x1, y1]] = [points[i - 1], points[i]];
        // In an arc that runs down, the left side is east.
        if (y0 <= y !== y1 <= y)
          hits.push({ x: x0 + ((y - y0) / (y1 - y0)) * (x1 - x0), area: y1 > y0 ? left : right });
      }
    hits.sort((a, b) => a.x - b.x);
    let next = 0;
    let area = '-';
    for (let column = 0; column < columns; column++) {
      const x = ((column + 0.5) * width * quantum) / columns;
      while (next < hits.length && hits[next].x <= x) area = hits[next++].area;
      found.push(area);
    }
  }
  return found;
};

const samples = new WeakMap<Board, Map<number, string[]>>();

const areasOf = (board: Board, columns: number, rows: number): readonly string[] => {
  const known = samples.get(board) ?? new Map<number, string[]>();
  samples.set(board, known);
  const areas = known.get(columns) ?? sampleAreas(board, columns, rows);
  known.set(columns, areas);
  return areas;
};

/** A character: `sign` in colour `front` (by default the upper half block) on colour `back`. */
interface Cell {
  front: string;
  back: string;
  sign: string;
}

const levels = [0, 95, 135, 175, 215, 255];
/** Colours 16 to 231 of a terminal with 256 colours: a cube of 216. */
const cube: readonly Rgb[] = levels.flatMap((r) => levels.flatMap((g) => levels.map((b): Rgb => [r, g, b])));
/** Colours 16 to 255 of a terminal with 256 colours: the cube and 24 greys. */
const palette = [...cube, ...Array.from({ length: 24 }, (_, i): Rgb => [8 + 10 * i, 8 + 10 * i, 8 + 10 * i])];

const nearestOf = (hex: string, colours: readonly Rgb[]): Rgb => {
  const rgb = rgbOf(hex);
  const off = (other: Rgb): number => rgb.reduce((sum, v, i) => sum + (v - other[i]) ** 2, 0);
  return colours.reduce((best, one) => (off(one) < off(best) ? one : best));
};

const codes = new Map<string, number>();

const code256 = (hex: string): number => {
  const code = codes.get(hex) ?? 16 + palette.indexOf(nearestOf(hex, palette));
  codes.set(hex, code);
  return code;
};

/**
 * Returns for each colour the nearest one of the 216 terminal colours in the cube that no earlier colour has, so that
 * all differ.
 */
const distinct256 = (colours: readonly string[]): string[] => {
  const free = new Set(cube);
  return colours.map((colour) => {
    const nearest = nearestOf(colour, [...free]);
    free.delete(nearest);
    return `#${nearest.map((v) => v.toString(16).padStart(2, '0')).join('')}`;
  });
};

const paintOf = (front: string, back: string, colours: TerminalColours): string => {
  if (colours === '256') return `\x1b[38;5;${code256(front)};48;5;${code256(back)}m`;
  return `\x1b[38;2;${rgbOf(front).join(';')};48;2;${rgbOf(back).join(';')}m`;
};

/** A board as character cells, on which lines and texts are drawn. */
class Screen {
  declare readonly rows: number;
  declare private readonly areas: readonly string[];
  declare private readonly cells: readonly Cell[];

  constructor(
    private readonly board: Board,
    readonly columns: number,
    colourOf: (area: string) => string,
  ) {
    const { width, height } = board.geometry;
    this.rows = Math.max(1, Math.round((columns * height) / width / 2));
    this.areas = areasOf(board, columns, 2 * this.rows);
    const at = (row: number, column: number): string => colourOf(this.areas[row * columns + column]);
    this.cells = Array.from({ length: this.rows * columns }, (_, i) => {
      const [row, column] = [Math.floor(i / columns), i % columns];
      return { front: at(2 * row, column), back: at(2 * row + 1, column), sign: '▀' };
    });
  }

  /**
   * Draws a line of half blocks.
   * @param on returns the point of the line, in drawing units, at 0 (start) to 1 (end)
   * @param dashed true to leave gaps
   */
  line(on: (t: number) => Point, colour: string, dashed: boolean): void {
    const { width, height } = this.board.geometry;
    const steps = 4 * this.columns;
    const [[x0, y0], [x1, y1]] = [on(0), on(1)];
    const dash = Math.hypot(x1 - x0, y1 - y0) / (width / this.columns) / 2;
    for (let k = 0; k <= steps; k++) {
      if (dashed && Math.floor((k / steps) * dash) % 2 === 1) continue;
      const [x, y] = on(k / steps);
      const column = Math.floor((x * this.columns) / width);
      const half = Math.floor((y * 2 * this.rows) / height);
      const cell = column < 0 || column >= this.columns ? undefined : this.cells[(half >> 1) * this.columns + column];
      if (cell === undefined || half < 0) continue;
      if (half % 2 === 0) cell.front = colour;
      else cell.back = colour;
    }
  }

  /** Writes text centred at a point. @param behind background colour; default: the colours of the board */
  write([x, y]: Point, text: string, colour: string, behind?: string): void {
    const { width, height } = this.board.geometry;
    const row = Math.max(0, Math.min(this.rows - 1, Math.round((y / height) * this.rows - 0.5)));
    const wish = Math.round((x * this.columns) / width - text.length / 2);
    const first = Math.max(0, Math.min(this.columns - text.length, wish));
    [...text].forEach((sign, i) => {
      const cell = this.cells[row * this.columns + first + i];
      cell.sign = sign;
      cell.back = behind ?? mixColours(cell.front, cell.back, 0.5);
      cell.front = colour;
    });
  }

  /** Draws borders as dots, for terminals without colours. */
  outline(): void {
    const { areas, columns } = this;
    for (let row = 0; row < this.rows; row++)
      for (let column = 0; column < columns; column++) {
        const area = areas[2 * row * columns + column];
        const isBorder =
          area !== areas[2 * row * columns + column + 1] || area !== areas[2 * (row + 1) * columns + column];
        const isLast = column === columns - 1 || row === this.rows - 1;
        this.cells[row * columns + column].sign = isBorder && !isLast ? '·' : ' ';
      }
  }

  text(colours: TerminalColours): string {
    const lines: string[] = [];
    for (let row = 0; row < this.rows; row++) {
      let line = '';
      let paint = '';
      for (const { front, back, sign } of this.cells.slice(row * this.columns, (row + 1) * this.columns)) {
        const next = colours === 'none' ? '' : paintOf(front, back, colours);
        if (next !== paint) line += next;
        paint = next;
        line += sign;
      }
      lines.push(colours === 'none' ? line.trimEnd() : `${line}\x1b[0m`);
    }
    return lines.join('\n');
  }
}

const isBright = (hex: string): boolean => {
  const [r, g, b] = rgbOf(hex);
  return r * 0.3 + g * 0.59 + b * 0.11 > 130;
};

/** Returns `even` or `odd` by the index of an area, so that borders between neighbouring areas are visible. */
const alternate = (index: number, even: string, odd: string): string => (index % 2 === 0 ? even : odd);

/** Returns the signs before and after a unit: ( ) if it holds, ~ ~ if it convoys, and ! after it if it is dislodged. */
const signsOf = ({ order: { kind, given } }: OrderLine): readonly [before: string, after: string] => {
  if (given.fate) return ['', '!'];
  if (kind === 'hold') return ['(', ')'];
  return kind === 'convoy' ? ['~', '~'] : ['', ''];
};

/**
 * Returns the lines of text under the board: the title, and each power with its number of centres. Without colours also
 * the units or orders of each power.
 */
const legendLines = (
  board: Board,
  phase: DrawnPhase,
  { columns = 100, colours = 'true', title, orders = true }: TerminalOptions,
  unitColours: readonly string[],
): string[] => {
  const { map, looks } = board;
  const isFine = (result = ''): boolean => ['', 'succeeds', 'stands', 'given', 'available'].includes(result);
  const told = ({ order, unit, result, fate }: DrawnOrder): string =>
    [order ?? unit, fate ?? (isFine(result ?? '') ? '' : result)].filter(Boolean).join(' ');
  const entries = map.powerNames.map((name, i) => {
    const given = orders ? (phase.orders ?? []).filter(({ power }) => power === name) : [];
    const units = given.length > 0 ? given.map(told) : (phase.units[name] ?? []);
    const text = `${looks[i].code ?? powerTitle(name)} ${phase.centers?.[name]?.length ?? 0}`;
    if (colours === 'none') return units.length === 0 ? text : `${text}: ${units.join(', ')}`;
    const ink = isBright(unitColours[i]) ? '#0a0a0a' : '#ffffff';
    return `${paintOf(ink, unitColours[i], colours)} ${text} \x1b[0m`;
  });
  const head = title ?? phaseTitle(phase.phase);
  if (colours === 'none') return [head, ...entries];
  const lines = [''];
  let used = 0;
  entries.forEach((entry, i) => {
    const length = (looks[i].code ?? map.powerNames[i]).length + 6;
    if (used > 0 && used + length > columns) {
      lines.push('');
      used = 0;
    }
    used += length;
    lines[lines.length - 1] += `${entry} `;
  });
  return [head, ...lines];
};

/**
 * Draws a board as lines of text for a terminal, each with a line end. Uses the dark theme.
 * @throws LepantoError for a place that the map does not have
 */
export const drawTerminal = (board: Board, phase: DrawnPhase, options: TerminalOptions = {}): string => {
  const { columns = 100, colours = 'true' } = options;
  const { looks, provinces } = board;
  const shades = paper.dark;
  const owners = ownersOf(board, phase);
  // The nearest of 256 colours may be the same for several powers.
  const shown = (list: string[]): string[] => (colours === '256' ? distinct256(list) : list);
  const unitColours = shown(looks.map(({ dark }) => dark));
  const lands = shown(looks.map(({ dark }) => mixColours(dark, '#282a2e', 0.45)));
  const colourOf = (area: string): string => {
    const p = provinces.get(areaProvince(area));
    if (p === undefined) return area === '#' ? shades.neutral : colours === '256' ? '#00005f' : shades.sea;
    const owner = owners.get(areaProvince(area));
    const isWet = board.shapes.water.has(area);
    if (owner !== undefined) return isWet ? mixColours(looks[owner].dark, '#282a2e', 0.75) : lands[owner];
    // The nearest of 256 colours would be greys, like those of land.
    if (isWet) return colours === '256' ? '#00005f' : alternate(p, '#1d2d3c', '#182634');
    return alternate(p, '#424447', '#3a3c3f');
  };
  const screen = new Screen(board, columns, colourOf);
  const orders = options.orders === false ? [] : orderLines(board, phase);
  if (colours === 'none') screen.outline();
  else
    for (const { order, line, isFailed } of orders) {
      if (line === null) continue;
      screen.line(line.on, mixColours(looks[order.power].dark, '#ffffff', 0.2), order.kind === 'support');
      if (isFailed) screen.write(line.on(0.64), 'x', shades.bad);
    }
  const units = unitsOf(board, phase);
  const standing = new Map(units.filter((one) => !one.isDislodged).map((one) => [provinceTag(one.unit.slice(2)), one]));
  const signs = new Map(orders.map((one) => [provinceTag(one.order.from), signsOf(one)]));
  for (const [tag, { name }] of board.spots) {
    if (name === null) continue;
    const found = standing.get(tag);
    if (found === undefined) {
      screen.write(name, tag, board.shapes.water.has(tag) ? '#6e8ca5' : '#d7dadc');
      continue;
    }
    const { code } = looks[found.power];
    const dark = unitColours[found.power];
    const { unit } = spotsAt(board, found.unit.slice(2));
    const [before, after] = signs.get(tag) ?? ['', ''];
    const text = `${before}${found.unit[0]} ${code ?? tag}${after}`;
    screen.write(unit, text, isBright(dark) ? '#0a0a0a' : '#ffffff', dark);
  }
  for (const { power, unit, isDislodged } of units)
    if (isDislodged)
      screen.write(spotsAt(board, unit.slice(2)).dislodged, `${unit[0]}!`, shades.bad, unitColours[power]);
  return `${screen.text(colours)}\n${legendLines(board, phase, options, unitColours).join('\n')}\n`;
};
