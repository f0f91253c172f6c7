// Draws many small boards in one image. The shapes are stored once and referenced by each board.

import { styleOf, type Theme } from './colours.js';
import { figure } from './curves.js';
import { ownersOf, scopeOf } from './draw-board.js';
import { type Board, spotsAt, unitsOf } from './drawn-board.js';
import type { DrawnPhase } from './drawn-phase.js';
import { escapeXml } from './escape-xml.js';
import { areaProvince } from './geometry.js';
import { phaseTitle } from './titles.js';

/** Options of drawGrid(). */
export interface GridOptions {
  /** Theme of the colours. Default: auto, which follows the system of the reader. */
  readonly theme?: Theme;
  /** Boards per row; default: 4. */
  readonly columns?: number;
  /** Width of a board in pixels; default: 300. */
  readonly cell?: number;
  /** Titles above the boards, one per phase. Default: the names of the phases. */
  readonly titles?: readonly string[];
}

const GAP = 14;
const HEAD = 24;

/** Returns the SVG of a simplified unit: a disc for an army, a triangle for a fleet. @param unit text: 'F STP/SC' */
const smallUnit = (board: Board, power: number, unit: string): string => {
  const [type, place] = unit.split(' ');
  const [x, y] = spotsAt(board, place).unit;
  const style = 'style="stroke-width:3"';
  if (type === 'A') return `<circle class="u${power} edge" ${style} cx="${x}" cy="${y}" r="15"/>`;
  return `<path class="u${power} edge" ${style} d="M${x - 19} ${y + 13}L${x} ${y - 18}L${x + 19} ${y + 13}z"/>`;
};

/**
 * Draws positions of one map side by side as an SVG document: owners of centres and units, without orders and names.
 */
export const drawGrid = (board: Board, phases: readonly DrawnPhase[], options: GridOptions = {}): string => {
  const { theme = 'auto', columns = 4, cell = 300, titles } = options;
  const { geometry, shapes, map } = board;
  const across = Math.max(1, Math.min(columns, phases.length));
  const scale = cell / geometry.width;
  const cellHeight = geometry.height * scale + HEAD;
  const width = across * (cell + GAP) + GAP;
  const height = Math.ceil(phases.length / across) * (cellHeight + GAP) + GAP;
  const scope = scopeOf(board, theme);
  const areas = [...shapes.land].map(([area, d], i) => ({ area, d, id: `${board.scope}-s${i}` }));
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" class="${scope}" viewBox="0 0 ${figure(width)} ${figure(height)}"`,
    ` width="${figure(width)}" height="${figure(height)}" role="img"><title>${escapeXml(map.name)}</title>`,
    `<style>${styleOf(board.looks, scope, theme)}.${scope} text.over{font-size:13px;text-anchor:start}</style><defs>`,
    ...areas.map(({ d, id }) => `<path id="${id}" d="${d}"/>`),
    `<path id="${board.scope}-lines" d="${shapes.coastLine}${shapes.landLine}"/></defs>`,
    `<rect class="page" width="${figure(width)}" height="${figure(height)}"/>`,
  ];
  phases.forEach((phase, n) => {
    const owners = ownersOf(board, phase);
    const x = GAP + (n % across) * (cell + GAP);
    const y = GAP + Math.floor(n / across) * (cellHeight + GAP);
    parts.push(
      `<g class="board" data-phase="${escapeXml(phase.phase)}" transform="translate(${figure(x)} ${figure(y)})">`,
      `<text class="over" x="1" y="14">${escapeXml(titles?.[n] ?? phaseTitle(phase.phase))}</text>`,
      `<g transform="translate(0 20)scale(${scale.toFixed(5)})">`,
      `<rect class="sea" width="${geometry.width}" height="${geometry.height}"/><g transform="scale(${1 / geometry.quantum})">`,
    );
    for (const { area, id } of areas) {
      const owner = owners.get(areaProvince(area));
      parts.push(`<use href="#${id}" class="${area === '#' ? 'off' : owner === undefined ? 'land' : `o${owner}`}"/>`);
    }
    parts.push(`<use href="#${board.scope}-lines" class="border" style="stroke-width:6"/></g>`);
    for (const { power, unit, isDislodged } of unitsOf(board, phase))
      if (!isDislodged) parts.push(smallUnit(board, power, unit));
    parts.push('</g></g>');
  });
  return `${parts.join('')}</svg>\n`;
};
