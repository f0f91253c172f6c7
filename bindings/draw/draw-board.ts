// Draws a board as SVG, in layers from bottom to top: ground, centres, orders, names, units, marks, legend.
//
// Pages can select elements by their attributes: `.province[data-province]`,
// `.unit[data-unit][data-power][data-province]` (moved by its transform), `.order` and
// `.mark[data-unit][data-kind][data-result]`, `.standoff[data-province]`. The layers of drawLayers() use drawing units.
// They need styleOf() and a parent `<svg class="SCOPE" viewBox="0 0 WIDTH HEIGHT">`.

import { type CompiledMap, SEA } from '../../engine/internal.js';
import { type Pattern, styleOf, type Theme, withPatterns } from './colours.js';
import { at, figure, pin, rays } from './curves.js';
import { type Board, boardOf, provinceTag, spotsAt, unitsOf } from './drawn-board.js';
import type { DrawnPhase } from './drawn-phase.js';
import { escapeXml } from './escape-xml.js';
import { areaProvince } from './geometry.js';
import { drawOrders } from './order-lines.js';
import { phaseTitle, powerTitle, unitTitle } from './titles.js';

/** Options for drawing a board. */
export interface DrawOptions {
  /** Theme of the colours. Default: auto, which follows the system of the reader. */
  readonly theme?: Theme;
  /** Width of the image in pixels. Default: the image fills its frame. */
  readonly width?: number;
  /** False to omit the orders. Default: true. */
  readonly orders?: boolean;
  /** False to omit the tags of provinces. Default: true. */
  readonly names?: boolean;
  /** False to omit the line below the board with phase, powers and centres. Default: true. */
  readonly legend?: boolean;
  /** True to fill each power's land with a different pattern, for print and colour-blind readers. Default: false. */
  readonly patterns?: boolean;
  /** Title in the legend instead of the phase: 'game 3, S1904M'. */
  readonly title?: string;
  /** Name of the power that last owned a province without an owner, keyed by tag. The province is tinted pale. */
  readonly influence?: Readonly<Record<string, string>>;
}

/** Returns the number of the power that owns each centre, keyed by tag. Centres without an owner are left out. */
export const ownersOf = ({ map }: Board, phase: DrawnPhase): ReadonlyMap<string, number> => {
  const owners = new Map<string, number>();
  for (const [name, tags] of Object.entries(phase.centers ?? {})) {
    const power = map.powerNames.indexOf(name);
    if (power >= 0) for (const tag of tags) owners.set(tag, power);
  }
  return owners;
};

const nameOf = ({ map, provinces }: Board, tag: string): string =>
  map.provinceNames[provinces.get(provinceTag(tag)) ?? -1] ?? tag;

const hatch = (width: number, d: string): string => `<path class="hatch" stroke-width="${width}" d="${d}"/>`;

/** SVG content of one tile of each pattern, 32 by 32 drawing units. */
const tiles: Readonly<Record<Pattern, string>> = {
  plain: '',
  stripes: hatch(10, 'M-8 8L8-8M-8 40L40-8M24 40L40 24'),
  dots: '<circle class="speck" cx="16" cy="16" r="6.5"/>',
  waves: hatch(7, 'M0 8Q8 0 16 8T32 8M0 24Q8 16 16 24T32 24'),
  checks: hatch(5, 'M0 16H32M16 0V32'),
  backs: hatch(6, 'M-8 24L8 40M-8-8L40 40M24-8L40 8'),
  rings: '<circle class="hatch" stroke-width="5" cx="16" cy="16" r="8"/>',
  bars: hatch(9, 'M0 16H32'),
  posts: hatch(9, 'M16 0V32'),
};

/** Returns SVG definitions of the patterns of a board's powers. Their ids are 'SCOPE-NAME', as 'SCOPE-dots'. */
const patternsOf = ({ scope, looks }: Board): string =>
  [...new Set(looks.map(({ pattern }) => pattern))]
    .filter((name) => name !== 'plain')
    .map(
      (name) =>
        `<pattern id="${scope}-${name}" width="32" height="32" patternUnits="userSpaceOnUse">${tiles[name]}</pattern>`,
    )
    .join('');

const links = ({ geometry }: Board): string =>
  Object.values(geometry.links)
    .map(([x1, y1, x2, y2]) => {
      const d = `M${x1} ${y1}L${x2} ${y2}`;
      return geometry.diagram
        ? `<path class="way" d="${d}"/>`
        : `<path class="link" d="${d}"/><path class="link in" d="${d}"/>`;
    })
    .join('');

const polyline = (kind: string, points: readonly number[], inside = ''): string =>
  `<polyline class="${kind}" points="${points.join(' ')}"${inside === '' ? '/>' : `>${inside}</polyline>`}`;

/** Draws the waterways over land as SVG. The canal of a map option is drawn only if the option is in force. */
const canals = ({ geometry, map }: Board): string =>
  Object.entries(geometry.canals)
    .filter(([name]) => name !== 'suez' || (map.special?.canal.length ?? 0) > 0)
    .map(([name, points]) => polyline('canal', points, `<title>${escapeXml(name)}</title>`))
    .join('');

const railroad = (board: Board): string => {
  const { map, geometry } = board;
  const places = (map.special?.line ?? []).map((p) => spotsAt(board, map.provinceTags[p]).unit);
  const points = places.flatMap(([x, y]) => [x * geometry.quantum, y * geometry.quantum]);
  return points.length === 0 ? '' : polyline('rail', points) + polyline('rail in', points);
};

/**
 * Draws water and land with their borders.
 * @param owners number of the power that owns each centre, keyed by tag
 * @param influence last owners of other provinces, see DrawOptions.influence
 */
const drawGround = (
  board: Board,
  owners: ReadonlyMap<string, number>,
  influence: Readonly<Record<string, string>> = {},
): string => {
  const { geometry, shapes, scope, looks, map } = board;
  const { width, height, quantum, diagram } = geometry;
  const parts = [
    `<rect class="sea" width="${width}" height="${height}"/><defs>${patternsOf(board)}</defs>`,
    `<g transform="scale(${1 / quantum})"><defs><path id="${scope}-coast" d="${shapes.coastLine}"/></defs>`,
  ];
  const area = (tag: string, cls: string, d: string): void => {
    const name = nameOf(board, tag);
    parts.push(
      `<path class="province ${cls}" data-province="${escapeXml(tag)}" d="${d}"><title>${escapeXml(name)}</title></path>`,
    );
  };
  const overlay = (power: number, d: string): void => {
    const { pattern } = looks[power];
    if (pattern !== 'plain') parts.push(`<path class="texture" fill="url(#${scope}-${pattern})" d="${d}"/>`);
  };
  const water = (): void => {
    for (const [tag, d] of shapes.water) {
      area(tag, 'sea', d);
      const owner = owners.get(tag);
      if (owner !== undefined) parts.push(`<path class="o${owner}" opacity=".35" pointer-events="none" d="${d}"/>`);
    }
  };
  const land = (): void => {
    for (const [name, d] of shapes.land) {
      if (name === '#') continue;
      const tag = areaProvince(name);
      const owner = owners.get(tag);
      const last = map.powerNames.indexOf(influence[tag] ?? '');
      area(tag, owner !== undefined ? `o${owner}` : last >= 0 ? `i${last}` : 'land', d);
      if (owner !== undefined) overlay(owner, d);
    }
  };
  const off = shapes.land.get('#');
  const offPath = off === undefined ? '' : `<path class="off" d="${off}"/>`;
  const glow = (width: number, opacity: string): string =>
    `<use href="#${scope}-coast" class="glow" stroke-width="${width}" opacity="${opacity}"/>`;
  if (diagram) {
    parts.push(offPath, links(board));
    water();
    land();
  } else {
    water();
    parts.push(glow(44, '.35'), glow(22, '.6'), `<path class="seam" d="${shapes.waterLine}"/>`, offPath);
    land();
  }
  parts.push(`<path class="border" d="${shapes.landLine}"/>`, canals(board));
  parts.push(`<use href="#${scope}-coast" class="coast"/>`, diagram ? '' : links(board), railroad(board), '</g>');
  return parts.join('');
};

/**
 * Draws the symbols of supply centres in the colours of their owners.
 * @param owners number of the owner, keyed by tag
 */
const drawCenters = (board: Board, owners: ReadonlyMap<string, number>): string => {
  const parts: string[] = [];
  for (const tag of board.map.provinceTags) {
    const { center } = spotsAt(board, tag);
    if (center === null) continue;
    const owner = owners.get(tag);
    const inner = owner === undefined ? '<circle class="ink" r="1.2"/>' : `<circle class="h${owner}" r="2.6"/>`;
    parts.push(`<g class="center" data-province="${tag}">${pin(center, `<circle class="dot" r="4"/>${inner}`)}</g>`);
  }
  return parts.join('');
};

/** Draws the tags of provinces and coasts. */
const drawNames = (board: Board): string => {
  const { map } = board;
  const texts: string[] = [];
  for (const [tag, { name, unit }] of board.spots) {
    const p = board.provinces.get(tag);
    if (p !== undefined && name !== null) {
      const wet = map.kind[p] === SEA ? ' class="wet"' : '';
      texts.push(`<text${wet} x="${name[0]}" y="${figure(name[1] + 3.2)}">${escapeXml(map.provinceTags[p])}</text>`);
    } else
      texts.push(
        `<text class="side" x="${unit[0]}" y="${figure(unit[1] + 2.4)}">${escapeXml(tag.split('/')[1])}</text>`,
      );
  }
  // The texts are drawn twice, with the outline below, because some renderers do not support paint-order.
  const all = texts.join('');
  return `<g class="names"><g class="under">${all}</g>${all}</g>`;
};

/** SVG path data of the body of an army, around the origin. */
const DISC = 'M-8.6 0A8.6 8.6 0 1 1 8.6 0A8.6 8.6 0 1 1-8.6 0z';
const CANNON =
  'M-5.4-1.5L5.5-5.3L6.5-2.6L2.2-1A3.7 3.7 0 1 1-4.7.6L-5 .6zM-.9.7A1.45 1.45 0 1 0-.9 3.6A1.45 1.45 0 1 0-.9.7z';
const BOAT =
  'M-11 2.2H11C10.4 6 8 8.2 4.6 8.2H-4.6C-8 8.2-10.4 6-11 2.2zM-1-8.6C2.6-6.4 6.6-3.4 8.2.6H-1zM-2.6-6.8V.6H-8.2C-7-2.6-5-5-2.6-6.8z';

/**
 * Returns the SVG symbol of a unit around the origin, with the code of its power if it has one.
 * @param type 'A' or 'F'
 */
const token = (board: Board, power: number, type: string): string => {
  const { code } = board.looks[power];
  const body = type === 'A' ? DISC : BOAT;
  const shape = `<path class="halo" stroke-width="3" d="${body}"/><path class="u${power} edge" d="${body}"/>`;
  if (code === null) return shape + (type === 'A' ? `<path class="g${power}" fill-rule="evenodd" d="${CANNON}"/>` : '');
  const letters = escapeXml(code);
  if (type === 'A') return `${shape}<text class="code g${power}" y="2.5">${letters}</text>`;
  const plate = '<rect class="page edge" x="-8.5" y="2" width="17" height="7.6" rx="1.6"/>';
  return `${shape}${plate}<text class="code" y="8.2">${letters}</text>`;
};

/**
 * Draws a unit as an SVG group with its title.
 * @param power number of the unit's power
 * @param unit text of the unit: 'F STP/SC'
 * @param dislodged true to draw it next to its place, with rays
 * @throws LepantoError for a place that the map does not have
 */
export const drawUnit = (board: Board, power: number, unit: string, dislodged = false): string => {
  const [type, place] = unit.split(' ');
  const spots = spotsAt(board, place);
  const owner = board.map.powerNames[power];
  const told = unitTitle(type, nameOf(board, place), owner, dislodged);
  const fields = `data-unit="${escapeXml(unit)}" data-power="${escapeXml(owner)}" data-province="${escapeXml(provinceTag(place))}"`;
  const star = dislodged ? `<path class="bad" stroke-width="2" d="${rays(12, 11, 14)}"/>` : '';
  return (
    `<g class="unit${dislodged ? ' dislodged' : ''}" ${fields} transform="translate(${at(dislodged ? spots.dislodged : spots.unit)})">` +
    `<title>${escapeXml(told)}</title><g class="pin"><g transform="scale(1.14)">${token(board, power, type)}${star}</g></g></g>`
  );
};

/** Draws all units of a position, including dislodged and newly built ones. */
const drawUnits = (board: Board, phase: DrawnPhase): string =>
  unitsOf(board, phase)
    .map(({ power, unit, isDislodged }) => drawUnit(board, power, unit, isDislodged))
    .join('') + drawBuilt(board, phase);

/** Draws the units that are built in a phase. They are pale if the phase has no results yet. */
const drawBuilt = (board: Board, { phase, orders = [] }: DrawnPhase): string =>
  orders
    .filter(
      ({ order, result }) => phase.endsWith('A') && / B$/.test(order ?? '') && (result ?? 'succeeds') === 'succeeds',
    )
    .map(({ power, unit, order, result }) => {
      const number = board.map.powerNames.indexOf(power);
      const built = unit ?? order?.slice(0, -2) ?? '';
      if (number < 0 || !board.provinces.has(provinceTag(built.slice(2)))) return '';
      if (result) return drawUnit(board, number, built);
      const place = at(spotsAt(board, built.slice(2)).unit);
      const body = `<g class="pin"><g transform="scale(1.14)">${token(board, number, built[0])}</g></g>`;
      return `<g class="planned" opacity=".72" transform="translate(${place})">${body}</g>`;
    })
    .join('');

const LEGEND_ROW = 26;
const LEGEND_PAD = 7;

interface LegendShape {
  readonly columns: number;
  readonly cell: number;
  readonly height: number;
}

const LONGEST_TITLE = 44;

/** Returns the layout of the legend: one row of powers next to the title if they fit, otherwise as many as needed. */
const legendShape = ({ map, geometry, looks }: Board, title: string): LegendShape => {
  const coded = looks.some(({ code }) => code !== null);
  const longest = Math.max(...map.powerNames.map((name) => Math.min(16, name.length)));
  const left = 24 + 10.5 * Math.min(LONGEST_TITLE, title.length);
  const room = Math.max(100, geometry.width - left);
  const cell = Math.min(room, 19 + (longest + 3.5 + (coded ? 4 : 0)) * 7.5);
  const columns = Math.max(1, Math.min(map.powerCount, Math.floor(room / cell)));
  return { columns, cell, height: Math.ceil(map.powerCount / columns) * LEGEND_ROW + 2 * LEGEND_PAD };
};

const shorten = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/**
 * Draws the legend under the board: the title, and each power with its number of centres.
 * @param y top of the legend
 */
const drawLegend = (board: Board, phase: DrawnPhase, y: number, title = phaseTitle(phase.phase)): string => {
  const { map, geometry, looks, scope } = board;
  const { columns, cell, height } = legendShape(board, title);
  const parts = [
    `<g class="legend"><rect class="page" y="${y}" width="${geometry.width}" height="${height}"/>`,
    `<text class="title" x="14" y="${figure(y + LEGEND_PAD + 19)}">${escapeXml(shorten(title, LONGEST_TITLE))}</text>`,
  ];
  const left = geometry.width - columns * cell - 4;
  map.powerNames.forEach((name, i) => {
    const x = left + (i % columns) * cell;
    const top = y + LEGEND_PAD + Math.floor(i / columns) * LEGEND_ROW + 6;
    const { code, pattern } = looks[i];
    const box = `x="${figure(x)}" y="${figure(top)}" width="14" height="14" rx="3"`;
    parts.push(`<rect class="u${i}" ${box}/>`);
    if (pattern !== 'plain') {
      const k = 1 / geometry.quantum;
      const big = `width="${14 / k}" height="${14 / k}"`;
      parts.push(
        `<g transform="translate(${figure(x)} ${figure(top)})scale(${k})"><rect fill="url(#${scope}-${pattern})" ${big}/></g>`,
      );
    }
    const count = phase.centers === undefined ? '' : ` ${phase.centers[name]?.length ?? 0}`;
    const said = `${code === null ? '' : `${code} `}${shorten(powerTitle(name), 16)}${count}`;
    parts.push(`<text class="key" x="${figure(x + 19)}" y="${figure(top + 11)}">${escapeXml(said)}</text>`);
  });
  return `${parts.join('')}</g>`;
};

/** Returns the SVG content of a board without its root element and legend, in drawing units. */
export const drawLayers = (board: Board, phase: DrawnPhase, options: DrawOptions = {}): string => {
  const owners = ownersOf(board, phase);
  const { lines, marks } = options.orders === false ? { lines: '', marks: '' } : drawOrders(board, phase);
  return [
    `<g class="ground">${drawGround(board, owners, options.influence)}</g>`,
    `<g class="centers">${drawCenters(board, owners)}</g>`,
    `<g class="orders">${lines}</g>`,
    options.names === false ? '' : drawNames(board),
    `<g class="units">${drawUnits(board, phase)}</g>`,
    `<g class="marks">${marks}</g>`,
  ].join('');
};

/**
 * Returns the class of a board's root element. It differs between maps and themes, so that their style sheets do not
 * interfere.
 */
export const scopeOf = (board: Pick<Board, 'scope'>, theme: Theme): string => `${board.scope}-${theme}`;

/**
 * Draws a position and its orders as an SVG document: valid XML, without scripts, with system fonts.
 * @param board board of a map, or the map
 * @throws LepantoError for a place that the map does not have
 */
export const drawBoard = (board: Board | CompiledMap, phase: DrawnPhase, options: DrawOptions = {}): string => {
  const plain = 'shapes' in board ? board : boardOf(board);
  const on = options.patterns ? { ...plain, looks: withPatterns(plain.looks) } : plain;
  const { theme = 'auto', width, title = phaseTitle(phase.phase) } = options;
  const { geometry } = on;
  const isKeyed = options.legend !== false;
  const height = geometry.height + (isKeyed ? legendShape(on, title).height : 0);
  const scope = scopeOf(on, theme);
  const size = width === undefined ? '' : ` width="${width}" height="${Math.round((width * height) / geometry.width)}"`;
  const told = escapeXml(`${title} on the map ${on.map.name}`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="${scope}" viewBox="0 0 ${geometry.width} ${height}"${size} role="img">`,
    `<title>${told}</title><style>${styleOf(on.looks, scope, theme)}</style>`,
    drawLayers(on, phase, options),
    isKeyed ? drawLegend(on, phase, geometry.height, title) : '',
    '</svg>\n',
  ].join('');
};
