// Draws the orders of a phase: lines below the units, marks above them.
//
//   move      solid and bowed; by railroad a double line; failed: a cross on the line
//   convoyed  a wave through the convoying fleets
//   support   dashed, to a dot on the supported arrow, or to a ring around a unit that holds; failed: a small cross
//   convoy    a dotted ring around the fleet
//   hold      a ring
//   retreat   dotted; a disbanded unit: a cross; by civil disorder: a cross in a dotted ring
//   build     a green ring and plus
//   standoff  a star in the empty province; dislodged: red rays
import { cheapestChain, FLEET } from '../../engine/internal.js';
import { type Place, parseOrder, type RawOrder } from '../../engine/notation/text/index.js';
import {
  add,
  arrowHead,
  at,
  between,
  bow,
  cross,
  figure,
  type Line,
  lengthOf,
  type Point,
  pin,
  plus,
  rays,
  ring,
  subtract,
  times,
  wave,
} from './curves.js';
import { type Board, gateBetween, provinceTag, spotsAt, unitsOf } from './drawn-board.js';
import type { DrawnOrder, DrawnPhase } from './drawn-phase.js';
import { escapeXml } from './escape-xml.js';

/** SVG of the orders of a phase. lines: drawn below the units; marks: drawn above the units. */
export interface OrderLayers {
  readonly lines: string;
  readonly marks: string;
}

/** A parsed order, with tags for its places. kind: 'none' for a unit without a valid order. */
export interface ReadOrder {
  readonly given: DrawnOrder;
  readonly power: number;
  readonly kind: RawOrder['kind'] | 'none';
  /** Place of the ordered unit: 'STP/SC'. */
  readonly from: string;
  /** Type of the ordered unit: 'A' or 'F'. */
  readonly type: string;
  /** Place of the supported or convoyed unit; '' if there is none. */
  readonly helped: string;
  /** Destination; '' if there is none. */
  readonly to: string;
  readonly via: boolean;
  readonly rail: boolean;
}

const placeTag = ({ map }: Board, { province, coast }: Place): string =>
  coast >= 0 ? map.locationTags[coast] : map.provinceTags[province];

const tryParse = (board: Board, text: string): RawOrder | null => {
  try {
    return parseOrder(board.map, text);
  } catch {
    // The order is not valid text. Only its failure is drawn.
    return null;
  }
};

/** Returns the units of a phase, keyed by tag of the province. A dislodged unit replaces its attacker. */
const unitPlaces = (board: Board, phase: DrawnPhase): ReadonlyMap<string, string> =>
  new Map(unitsOf(board, phase).map(({ unit }) => [provinceTag(unit.slice(2)), unit]));

const readOrder = (board: Board, units: ReadonlyMap<string, string>, given: DrawnOrder): ReadOrder | null => {
  const power = board.map.powerNames.indexOf(given.power);
  if (power < 0) return null;
  const raw = given.order === null ? null : tryParse(board, given.order);
  const own = raw === null || raw.unit === null ? (given.unit ?? null) : placeTag(board, raw.unit);
  if (own === null) return null;
  const province = provinceTag(own.replace(/^[AF] /, ''));
  if (!board.provinces.has(province)) return null;
  // The place of a built unit is that of its order. Other units have the place of the position, with its coast.
  const unit =
    raw?.kind === 'build'
      ? `${raw.unit?.type === FLEET ? 'F' : 'A'} ${own}`
      : (units.get(province) ?? given.unit ?? `A ${province}`);
  const helped = raw?.helped ? board.map.provinceTags[raw.helped.province] : '';
  return {
    given,
    power,
    kind: raw === null ? 'none' : raw.kind,
    from: unit.slice(2),
    type: unit[0],
    helped: helped === '' ? '' : (units.get(helped)?.slice(2) ?? helped),
    to: raw?.target ? placeTag(board, raw.target) : '',
    via: raw?.via ?? false,
    rail: raw?.rail ?? false,
  };
};

/** Parses the orders of a phase. Orders without a known power or place are left out. */
export const readOrders = (board: Board, phase: DrawnPhase): ReadOrder[] => {
  const units = unitPlaces(board, phase);
  return (phase.orders ?? []).map((given) => readOrder(board, units, given)).filter((order) => order !== null);
};

// ---- what orders refer to ----

const failures: readonly string[] = ['fails', 'cut', 'disrupted', 'invalid', 'illegal', 'stops'];

const isFailed = ({ given }: ReadOrder): boolean => failures.includes(given.result ?? '');

/** Returns the provinces of fleets with convoy orders, keyed by 'FROM TO' of the convoyed army ('LON NWY'). */
const convoysIn = (orders: readonly ReadOrder[]): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, Set<string>>();
  for (const { kind, from, helped, to } of orders) {
    if (kind !== 'convoy') continue;
    const key = `${provinceTag(helped)} ${provinceTag(to)}`;
    const fleets = found.get(key) ?? new Set();
    found.set(key, fleets.add(provinceTag(from)));
  }
  return found;
};

/** Returns the tags of the provinces on the shortest chain of `fleets` from `from` to `to`. Null if there is none. */
const chainOf = ({ map, provinces }: Board, from: string, to: string, fleets: ReadonlySet<string>): string[] | null => {
  const [begin, end] = [provinces.get(from), provinces.get(to)];
  if (begin === undefined || end === undefined) return null;
  const costOf = (p: number): number => (fleets.has(map.provinceTags[p]) ? 1 : Number.POSITIVE_INFINITY);
  return cheapestChain(map, begin, end, costOf)?.map((p) => map.provinceTags[p]) ?? null;
};

/**
 * Returns the tags of the provinces on the railroad between two provinces, both excluded, in the order of the ride.
 * Empty if one of the two is not on the railroad.
 */
const rideOf = ({ map }: Board, from: string, to: string): string[] => {
  const line = map.rows.railroad?.line.split(' ') ?? [];
  const [begin, end] = [line.indexOf(from), line.indexOf(to)];
  if (begin < 0 || end < 0) return [];
  return begin < end ? line.slice(begin + 1, end) : line.slice(end + 1, begin).reverse();
};

const touches = ({ neighbours, provinces }: Board, from: string, to: string): boolean =>
  neighbours[provinces.get(from) ?? -1]?.has(provinces.get(to) ?? -1) ?? false;

/** Returns the tags of empty provinces into which several moves failed. @param units units, keyed by tag of province */
const standoffsIn = (orders: readonly ReadOrder[], units: ReadonlyMap<string, string>): string[] => {
  const tried = new Map<string, number>();
  const left = new Set<string>();
  const entered = new Set<string>();
  for (const { kind, from, to, given } of orders) {
    if (kind !== 'move') continue;
    const target = provinceTag(to);
    if (given.result === 'succeeds') {
      left.add(provinceTag(from));
      entered.add(target);
    } else if (given.result === 'fails') tried.set(target, (tried.get(target) ?? 0) + 1);
  }
  const held = new Set([...units.keys()].filter((tag) => !left.has(tag)));
  return [...tried].filter(([tag, count]) => count > 1 && !held.has(tag) && !entered.has(tag)).map(([tag]) => tag);
};

// ---- drawing ----

/** Returns a path in the colour of the paper, which is drawn below a line to keep it apart from others. */
const halo = (d: string, width: number): string => `<path class="halo" stroke-width="${width}" d="${d}"/>`;
const bad = (d: string, width: number): string =>
  `${halo(d, width + 2.8)}<path class="bad" stroke-width="${width}" d="${d}"/>`;

const GAP = 10;

/** Kind of a move's line: over land or sea, by convoy, or by railroad. */
type WayKind = 'plain' | 'convoyed' | 'rail';

/**
 * Returns the line of a move, through its convoying fleets or along the railroad, and its kind.
 * @param convoys provinces of convoying fleets, keyed by 'FROM TO' of the army
 */
const moveLine = (
  board: Board,
  order: ReadOrder,
  convoys: ReadonlyMap<string, ReadonlySet<string>>,
): { readonly line: Line; readonly kind: WayKind } => {
  const [from, to] = [provinceTag(order.from), provinceTag(order.to)];
  const spot = (place: string): Point => spotsAt(board, place).unit;
  const [a, b] = [spot(order.from), spot(order.to)];
  if (order.rail) {
    const end = order.given.end ?? to;
    return { line: wave([a, ...rideOf(board, from, end).map(spot), spot(end)], GAP, 14, 0), kind: 'rail' };
  }
  const isNear = touches(board, from, to);
  if (order.type === 'A' && (order.via || !isNear)) {
    const chain = chainOf(board, from, to, convoys.get(`${from} ${to}`) ?? new Set());
    if (chain !== null) return { line: wave([a, ...chain.map(spot), b], GAP, 14), kind: 'convoyed' };
  }
  const through = isNear ? gateBetween(board, order.from, order.to) : null;
  // A smaller gap leaves more of the line between units that are close.
  const endGap = lengthOf(subtract(b, a)) < 36 ? 11 : 14;
  return { line: bow(a, b, { startGap: 8, endGap, bend: 0.09, through }), kind: 'plain' };
};

/** State while the orders of a phase are drawn. isRetreat: true in a retreat phase; convoys: see convoysIn(). */
interface Scene {
  readonly board: Board;
  readonly isRetreat: boolean;
  readonly convoys: ReadonlyMap<string, ReadonlySet<string>>;
  /**
   * Moves drawn so far, keyed by tag of the unit's province. middle: point of the line where supports end; to: tag of
   * the destination.
   */
  readonly moves: Map<string, { readonly middle: Point; readonly to: string }>;
}

/** SVG of an order. lines: drawn below the units; marks: drawn above the units. */
type Drawn = readonly [lines: string, marks: string];
type Draw = (scene: Scene, order: ReadOrder) => Drawn;

const NOTHING: Drawn = ['', ''];

const stroke = (power: number, d: string, width: number, dashes = ''): string =>
  `<path class="a${power}" stroke-width="${width}"${dashes && ` stroke-dasharray="${dashes}"`} d="${d}"/>`;
const gone = (spot: Point): string => pin(spot, bad(cross(7.5), 2.6));
/** Returns a small cross next to a unit: `size` is half its width, `width` that of its lines, in drawing units. */
const beside = (spot: Point, size = 2.6, width = 1.8): string => pin(spot, bad(cross(size, [10, -9]), width));
/**
 * Returns the SVG of a cross on a line. On a short line the cross is small and near the start, so that the arrowhead
 * remains visible.
 * @param size half the width of the cross, in drawing units
 */
const crossOn = (line: Line, size: number): string => {
  const length = lengthOf(subtract(line.end, line.on(0)));
  const isShort = length < 10 * size;
  const r = isShort ? Math.max(1.8, length / 10) : size;
  return pin(line.on(isShort ? 0.3 : 0.55), bad(cross(r), r < 3 ? 1.5 : 2.2));
};

/** Returns a drawing (SVG) that points right at the origin, moved to the target of a line and turned as its end. */
const turned = ({ end, way, gap }: Line, inside: string): string => {
  const degrees = Math.round((Math.atan2(way[1], way[0]) * 180) / Math.PI);
  return `<g transform="translate(${at(add(end, times(way, gap)))})rotate(${degrees})">${inside}</g>`;
};

/**
 * Returns the end of a line as SVG: the head, and a `neck` that fills the gap to the head if a page draws heads
 * smaller.
 * @param power number of the power, for the colour
 * @param width width of the line
 * @param head SVG of the head, pointing right at the origin
 */
const endOf = (line: Line, power: number, width: number, head: string): string => {
  const neck = `<path class="a${power} neck" stroke-width="${width}" transform="scale(0 1)" d="M0 0h${figure(line.gap)}"/>`;
  return turned(line, `<g transform="translate(${figure(-line.gap)})">${neck}</g><g class="pin">${head}</g>`);
};

const headOf = (line: Line, power: number, size: number, width: number): string => {
  const d = arrowHead(line.gap, size);
  return endOf(line, power, width, `${halo(d, 3.4)}<path class="h${power}" d="${d}"/>`);
};
/** Returns the point where the unit of an order is drawn. */
const standing = ({ board, isRetreat }: Scene, { from }: ReadOrder): Point =>
  spotsAt(board, from)[isRetreat ? 'dislodged' : 'unit'];

const drawMove: Draw = ({ board, convoys, moves }, order) => {
  const { power } = order;
  const { line, kind } = moveLine(board, order, convoys);
  const failed = isFailed(order);
  moves.set(provinceTag(order.from), { middle: line.on(0.5), to: provinceTag(order.to) });
  if (order.given.result === 'illegal') return [stroke(power, line.d, 1.4, '2 4'), crossOn(line, 2.6)];
  const head = headOf(line, power, failed ? 7.5 : 8.5, failed ? 2.4 : 3);
  const body =
    kind === 'rail'
      ? `${stroke(power, line.d, 4.6)}<path class="halo" stroke-width="1.6" d="${line.d}"/>`
      : stroke(power, line.d, failed ? 2.4 : 3);
  const faint = failed ? ' opacity=".78"' : '';
  return [`${halo(line.d, 5.6)}<g${faint}>${body}${head}</g>`, failed ? crossOn(line, 3.4) : ''];
};

/**
 * Returns the line of a support. helped: point of the supported unit; aim: middle of the supported move, where the line
 * ends, or null if the unit holds and the line ends near it.
 */
const supportLine = (
  { board, moves }: Scene,
  order: ReadOrder,
): { readonly line: Line; readonly helped: Point; readonly aim: Point | null } => {
  const helped = spotsAt(board, order.helped).unit;
  const supported = moves.get(provinceTag(order.helped));
  const isMeant = supported?.to === provinceTag(order.to);
  const middle = (): Point => between(helped, spotsAt(board, order.to).unit, 0.5);
  const aim = order.to === '' ? null : isMeant && supported !== undefined ? supported.middle : middle();
  const shape = { startGap: 9, endGap: aim === null ? 13 : 2.5, bend: 0.06 };
  return { line: bow(spotsAt(board, order.from).unit, aim ?? helped, shape), helped, aim };
};

const drawSupport: Draw = (scene, order) => {
  const { power } = order;
  const failed = isFailed(order);
  const { line, helped, aim } = supportLine(scene, order);
  const end =
    aim === null
      ? endOf(line, power, 2, '') + pin(helped, stroke(power, ring(12.5), 1.8))
      : pin(aim, `<circle class="h${power}" r="2.8"/>`);
  const faint = failed ? ' opacity=".6"' : '';
  const drawn = `${halo(line.d, 4.4)}<g${faint}>${stroke(power, line.d, 2, '4.5 3.6')}${end}</g>`;
  return [drawn, failed ? crossOn(line, 2.6) : ''];
};

const drawConvoy: Draw = ({ board }, order) => {
  const spot = spotsAt(board, order.from).unit;
  return [pin(spot, stroke(order.power, ring(13), 1.8, '1.5 2.8')), isFailed(order) ? beside(spot) : ''];
};

const drawRetreat: Draw = ({ board }, order) => {
  const { power } = order;
  const away = spotsAt(board, order.from).dislodged;
  const through = gateBetween(board, order.from, order.to);
  const line = bow(away, spotsAt(board, order.to).unit, { startGap: 9, endGap: 12, bend: 0.09, through });
  const dots = stroke(power, line.d, 3.2, '.1 5');
  // Has a wide background, so that the dots are visible on land of the same colour.
  const drawn = `${halo(line.d, 7)}${dots}${headOf(line, power, 8, 2.6)}`;
  return [drawn, isFailed(order) ? crossOn(line, 3.4) + gone(away) : ''];
};

const drawBuild: Draw = ({ board }, order) => {
  const spot = spotsAt(board, order.from).unit;
  if (isFailed(order)) return ['', beside(spot, 3, 2)];
  const sign = plus(4, [11, -10]);
  const circle = `<path class="good" stroke-width="2" d="${ring(13)}"/>`;
  return ['', pin(spot, `${circle}${halo(sign, 5)}<path class="good" stroke-width="2.4" d="${sign}"/>`)];
};

/**
 * Draws the mark of a unit without a valid order: a small cross if its order is invalid; a crossed, dotted ring if it
 * is disbanded; nothing if it holds.
 */
const drawSilent: Draw = (scene, order) => {
  const { given } = order;
  const spot = standing(scene, order);
  if (given.order !== null) return ['', beside(spot)];
  if (given.result === 'stands' || !given.result) return NOTHING;
  const circle = `<path class="bad" stroke-width="1.6" stroke-dasharray="1.5 3" d="${ring(13)}"/>`;
  return ['', pin(spot, circle) + gone(spot)];
};

const drawHold: Draw = ({ board }, { power, from, given }) => {
  if (given.fate === 'dislodged' || given.fate === 'destroyed') return NOTHING;
  const circle = ring(13);
  return [pin(spotsAt(board, from).unit, halo(circle, 3.8) + stroke(power, circle, 1.7)), ''];
};

const drawDisband: Draw = (scene, order) =>
  isFailed(order) && !scene.isRetreat ? NOTHING : ['', gone(standing(scene, order))];

const draws: Partial<Record<ReadOrder['kind'], Draw>> = {
  move: (scene, order) => (scene.isRetreat ? drawRetreat : drawMove)(scene, order),
  support: drawSupport,
  convoy: drawConvoy,
  hold: drawHold,
  retreat: drawRetreat,
  disband: drawDisband,
  build: drawBuild,
  none: drawSilent,
};

/** Draws the mark around a dislodged or destroyed unit. '' for any other unit, and in a retreat phase. */
const drawFate = ({ board, isRetreat }: Scene, { given, from }: ReadOrder): string => {
  if (isRetreat || !given.fate) return '';
  const spot = spotsAt(board, from).unit;
  const star = `<path class="bad" stroke-width="2" d="${rays(12, 12.5, 16)}"/>`;
  return pin(spot, given.fate === 'destroyed' ? star + bad(cross(7), 2.4) : star);
};

/** Returns SVG with its stroke widths scaled by the share of an order: by 0.2 at share 0, by 1.8 at share 1. */
const widened = (markup: string, share: number): string =>
  markup.replace(
    /stroke-width="([\d.]+)"/g,
    (_, width: string) => `stroke-width="${figure(Number(width) * (0.2 + 1.6 * share))}"`,
  );

/** Formats an order as text: 'FRANCE: A PAR - BUR, fails: bounced with A MUN'. */
const tellOrder = ({ power, order, unit, result, fate, reason, share }: DrawnOrder): string => {
  const often = share === undefined ? null : `${(100 * share).toFixed(0)} %`;
  const words = [often, result, fate].filter((word) => word).join(', ');
  const said = `${power}: ${order ?? `${unit ?? 'a unit'}, no order`}`;
  return `${said}${words === '' ? '' : `, ${words}`}${reason ? `: ${reason}` : ''}`;
};

/** Parses the orders of a phase for drawing. Moves come first, because supports end on the lines of moves. */
const sceneOf = (board: Board, phase: DrawnPhase): { readonly orders: readonly ReadOrder[]; readonly scene: Scene } => {
  const all = readOrders(board, phase);
  const scene = { board, isRetreat: phase.phase.endsWith('R'), convoys: convoysIn(all), moves: new Map() };
  const isFirst = ({ kind }: ReadOrder): boolean => kind === 'move' && !scene.isRetreat;
  return { orders: [...all.filter(isFirst), ...all.filter((one) => !isFirst(one))], scene };
};

/** An order with its line; null if it is drawn without one. */
export interface OrderLine {
  readonly order: ReadOrder;
  readonly line: Line | null;
  readonly isFailed: boolean;
}

/** Returns the orders of a phase with their lines. Illegal orders are left out. */
export const orderLines = (board: Board, phase: DrawnPhase): OrderLine[] => {
  const { orders, scene } = sceneOf(board, phase);
  const lineOf = (order: ReadOrder): Line | null => {
    if (order.kind === 'support') return supportLine(scene, order).line;
    if (order.kind !== 'move' && order.kind !== 'retreat') return null;
    const { line } = moveLine(board, order, scene.convoys);
    scene.moves.set(provinceTag(order.from), { middle: line.on(0.5), to: provinceTag(order.to) });
    return line;
  };
  return orders
    .filter(({ given }) => given.result !== 'illegal')
    .map((order) => ({ order, line: lineOf(order), isFailed: isFailed(order) }));
};

/** Draws the orders of a phase and its standoffs. lines and marks are '' for a phase without them. */
export const drawOrders = (board: Board, phase: DrawnPhase): OrderLayers => {
  const { orders, scene } = sceneOf(board, phase);
  let [lines, marks] = NOTHING;
  for (const order of orders) {
    const { given, power, type, from, kind } = order;
    const [plain, above] = draws[kind]?.(scene, order) ?? NOTHING;
    const below = given.share === undefined ? plain : widened(plain, given.share);
    const owner = escapeXml(board.map.powerNames[power]);
    const result = given.result ? ` data-result="${escapeXml(given.result)}"` : '';
    const named = given.share === undefined ? '' : ` data-order="${escapeXml(given.order ?? '')}"`;
    const fields = `data-unit="${type} ${from}" data-power="${owner}" data-kind="${kind}"${result}${named}`;
    if (below !== '') lines += `<g class="order" ${fields}><title>${escapeXml(tellOrder(given))}</title>${below}</g>`;
    const over = above + drawFate(scene, order);
    if (over !== '') marks += `<g class="mark" ${fields}>${over}</g>`;
  }
  const units = unitPlaces(board, phase);
  for (const tag of phase.contested ?? standoffsIn(orders, units)) {
    // Next to the place of a unit that has left the province, because it is still drawn there.
    const spot = spotsAt(board, tag)[units.has(tag) ? 'dislodged' : 'unit'];
    marks += `<g class="standoff" data-province="${escapeXml(tag)}">${pin(spot, bad(rays(8, 2.5, 8), 1.8))}</g>`;
  }
  return { lines, marks };
};
