// Draws the orders of a phase: lines below the units, marks above them.
//
//   move      solid and bowed; through the railroad's provinces a double line; failed: a cross on the line
//   convoyed  a wave through the convoying fleets in turn
//   support   dashed, to a dot on the supported arrow, or to a ring round a unit that stays; not given: a small cross
//   convoy    a dotted ring round the fleet
//   hold      a ring
//   retreat   dotted; a unit that is disbanded: a cross; by civil disorder: a cross in a dotted ring
//   build     a green ring and plus
//   standoff  a star in the empty province; dislodged: red rays
import { FLEET } from '../../engine/internal.js';
import { type Place, parseOrder, type RawOrder } from '../notation/text/index.js';
import {
  add,
  arrowHead,
  at,
  between,
  bow,
  cross,
  type Line,
  lengthOf,
  type Point,
  plus,
  rays,
  ring,
  subtract,
  wave,
} from './curves.js';
import { type Board, gateBetween, provinceTag, spotsAt } from './drawn-board.js';
import type { DrawnOrder, DrawnPhase } from './drawn-phase.js';
import { escapeXml } from './escape-xml.js';

/** What the orders of a phase look like: markup for below and above the units. */
export interface OrderLayers {
  readonly lines: string;
  readonly marks: string;
}

/** An order with its places resolved, as tags. */
export interface ReadOrder {
  readonly given: DrawnOrder;
  /** Number of its power. */
  readonly power: number;
  readonly kind: RawOrder['kind'] | 'none';
  /** Place of the unit: 'STP/SC'. */
  readonly from: string;
  /** 'A' or 'F'. */
  readonly type: string;
  /** Place of the supported or convoyed unit; '' for none. */
  readonly helped: string;
  /** Destination; '' for none. */
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
    // It was refused as illegal: only that is drawn.
    return null;
  }
};

/** Tags of the places with units, by province. */
const unitPlaces = (phase: DrawnPhase): ReadonlyMap<string, string> => {
  const places = new Map<string, string>();
  const put = (unit: string): void => {
    places.set(provinceTag(unit.slice(2)), unit);
  };
  for (const units of Object.values(phase.units)) units.forEach(put);
  for (const units of Object.values(phase.retreats ?? {})) Object.keys(units).forEach(put);
  return places;
};

const readOrder = (board: Board, units: ReadonlyMap<string, string>, given: DrawnOrder): ReadOrder | null => {
  const power = board.map.powerNames.indexOf(given.power);
  if (power < 0) return null;
  const raw = given.order === null ? null : tryParse(board, given.order);
  const own = raw === null || raw.unit === null ? (given.unit ?? null) : placeTag(board, raw.unit);
  if (own === null) return null;
  const province = provinceTag(own.replace(/^[AF] /, ''));
  if (!board.provinces.has(province)) return null;
  // A new unit is where its order says; others where the position says, coast and all.
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

/** The orders of a phase with their places resolved; without those that cannot be read at all. */
export const readOrders = (board: Board, phase: DrawnPhase): ReadOrder[] => {
  const units = unitPlaces(phase);
  return (phase.orders ?? []).map((given) => readOrder(board, units, given)).filter((order) => order !== null);
};

// ---- what orders refer to ----

const failures: readonly string[] = ['fails', 'cut', 'disrupted', 'invalid', 'illegal', 'stops'];

const isFailed = ({ given }: ReadOrder): boolean => failures.includes(given.result ?? '');

/** Fleets that convoy, by 'from to' of the army. */
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

/** The shortest chain of fleets from a province to another; null if there is none. */
const chainOf = (board: Board, from: string, to: string, fleets: ReadonlySet<string>): string[] | null => {
  const { map, neighbours, provinces } = board;
  const [begin, end] = [provinces.get(from), provinces.get(to)];
  if (begin === undefined || end === undefined) return null;
  const before = new Map<number, number>([[begin, -1]]);
  const queue = [begin];
  for (const here of queue)
    for (const next of neighbours[here]) {
      if (next === end && here !== begin) {
        const chain: string[] = [];
        for (let p = here; p !== begin; p = before.get(p) ?? begin) chain.unshift(map.provinceTags[p]);
        return chain;
      }
      if (!fleets.has(map.provinceTags[next]) || before.has(next)) continue;
      before.set(next, here);
      queue.push(next);
    }
  return null;
};

/** Provinces of the railroad between two of its provinces. */
const rideOf = ({ map }: Board, from: string, to: string): string[] => {
  const line = map.rows.railroad?.line.split(' ') ?? [];
  const [begin, end] = [line.indexOf(from), line.indexOf(to)];
  if (begin < 0 || end < 0) return [];
  return begin < end ? line.slice(begin + 1, end) : line.slice(end + 1, begin).reverse();
};

const touches = ({ neighbours, provinces }: Board, from: string, to: string): boolean =>
  neighbours[provinces.get(from) ?? -1]?.has(provinces.get(to) ?? -1) ?? false;

/** Empty provinces that several moves failed to enter: those of a standoff. */
const standoffsIn = (orders: readonly ReadOrder[], phase: DrawnPhase): string[] => {
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
  const held = new Set([...unitPlaces(phase).keys()].filter((tag) => !left.has(tag)));
  return [...tried].filter(([tag, count]) => count > 1 && !held.has(tag) && !entered.has(tag)).map(([tag]) => tag);
};

// ---- drawing ----

/** A path under it in the colour of the paper, so that lines stay apart. */
const halo = (d: string, width: number): string => `<path class="halo" stroke-width="${width}" d="${d}"/>`;
const bad = (d: string, width: number): string =>
  `${halo(d, width + 2.8)}<path class="bad" stroke-width="${width}" d="${d}"/>`;

/** Gap between a unit's middle and a line. */
const GAP = 10;

/** How a unit goes: over land or sea, convoyed, or by railroad. */
type WayKind = 'plain' | 'convoyed' | 'rail';

/** The line of a move, through its convoy or along the railroad. @param convoys fleets by 'from to' of the army */
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
  // The arrow between close units is short.
  const endGap = lengthOf(subtract(b, a)) < 50 ? 11 : 14;
  return { line: bow(a, b, { startGap: 8, endGap, bend: 0.09, through }), kind: 'plain' };
};

/** A move, for what draws lines by points. */
export interface DrawnMove {
  readonly order: ReadOrder;
  readonly line: Line;
  readonly isFailed: boolean;
}

/** The moves and retreats of a phase that could be obeyed. */
export const movesIn = (board: Board, phase: DrawnPhase): DrawnMove[] => {
  const orders = readOrders(board, phase);
  const convoys = convoysIn(orders);
  return orders
    .filter(({ kind, given }) => (kind === 'move' || kind === 'retreat') && given.result !== 'illegal')
    .map((order) => ({ order, line: moveLine(board, order, convoys).line, isFailed: isFailed(order) }));
};

class OrderDrawing {
  declare private readonly isRetreat: boolean;
  declare private readonly orders: readonly ReadOrder[];
  declare private readonly convoys: ReadonlyMap<string, ReadonlySet<string>>;
  /** Where supports of a move end, and where the move goes, by province of the mover. */
  private readonly moves: Map<string, { readonly middle: Point; readonly to: string }> = new Map();
  lines = '';
  marks = '';

  constructor(
    private readonly board: Board,
    phase: DrawnPhase,
  ) {
    this.isRetreat = phase.phase.endsWith('R');
    this.orders = readOrders(board, phase);
    this.convoys = convoysIn(this.orders);
    for (const order of this.orders) if (order.kind === 'move' && !this.isRetreat) this.group(order, this.move(order));
    for (const order of this.orders) if (order.kind !== 'move' || this.isRetreat) this.group(order, this.other(order));
    const left = unitPlaces(phase);
    for (const tag of phase.contested ?? standoffsIn(this.orders, phase)) this.standoff(tag, left.has(tag));
  }

  private unit(place: string): Point {
    return spotsAt(this.board, place).unit;
  }

  /** Wraps what an order looks like, so that a page finds it. */
  private group(order: ReadOrder, [lines, marks]: readonly [string, string]): void {
    const { given, power, type, from, kind } = order;
    const fields = [
      `data-unit="${type} ${from}"`,
      `data-power="${escapeXml(this.board.map.powerNames[power])}"`,
      `data-kind="${kind}"`,
      given.result ? `data-result="${escapeXml(given.result)}"` : '',
    ]
      .join(' ')
      .trim();
    if (lines !== '')
      this.lines += `<g class="order" ${fields}><title>${escapeXml(tellOrder(given))}</title>${lines}</g>`;
    const fate = this.fate(order);
    if (marks + fate !== '') this.marks += `<g class="mark" ${fields}>${marks}${fate}</g>`;
  }

  private fate({ given, from }: ReadOrder): string {
    if (this.isRetreat || !given.fate) return '';
    const spot = this.unit(from);
    const star = `<path class="bad" stroke-width="2" d="${rays(spot, 12, 12.5, 16)}"/>`;
    return given.fate === 'destroyed' ? star + bad(cross(spot, 7), 2.4) : star;
  }

  /** A line in the colours of a power. */
  private stroke(power: number, d: string, width: number, dashes = ''): string {
    const dashed = dashes === '' ? '' : ` stroke-dasharray="${dashes}"`;
    return `<path class="a${power}" stroke-width="${width}"${dashed} d="${d}"/>`;
  }

  private move(order: ReadOrder): [string, string] {
    const { power } = order;
    const { line, kind } = moveLine(this.board, order, this.convoys);
    const failed = isFailed(order);
    this.moves.set(provinceTag(order.from), { middle: line.on(0.5), to: provinceTag(order.to) });
    const head = arrowHead(line, failed ? 7.5 : 8.5);
    const body =
      kind === 'rail'
        ? `${this.stroke(power, line.d, 4.6)}<path class="halo" stroke-width="1.6" d="${line.d}"/>`
        : this.stroke(power, line.d, failed ? 2.4 : 3);
    if (order.given.result === 'illegal')
      return [this.stroke(power, line.d, 1.4, '2 4'), bad(cross(line.on(0.5), 2.6), 1.8)];
    const faint = failed ? ' opacity=".78"' : '';
    const drawn = `${halo(line.d, 5.6)}${halo(head, 3.4)}<g${faint}>${body}<path class="h${power}" d="${head}"/></g>`;
    return [drawn, failed ? bad(cross(line.on(0.55), 3.4), 2.2) : ''];
  }

  private support(order: ReadOrder): [string, string] {
    const { power } = order;
    const from = this.unit(order.from);
    const failed = isFailed(order);
    const supported = this.moves.get(provinceTag(order.helped));
    let aim: Point | null = null;
    if (order.to !== '')
      aim =
        supported !== undefined && supported.to === provinceTag(order.to)
          ? supported.middle
          : between(this.unit(order.helped), this.unit(order.to), 0.5);
    const line = bow(from, aim ?? this.unit(order.helped), {
      startGap: 9,
      endGap: aim === null ? 13 : 2.5,
      bend: 0.06,
    });
    const end =
      aim === null
        ? this.stroke(power, ring(this.unit(order.helped), 12.5), 1.8)
        : `<circle class="h${power}" cx="${at(aim).replace(' ', '" cy="')}" r="2.8"/>`;
    const faint = failed ? ' opacity=".6"' : '';
    const drawn = `${halo(line.d, 4.4)}<g${faint}>${this.stroke(power, line.d, 2, '4.5 3.6')}${end}</g>`;
    return [drawn, failed ? bad(cross(line.on(0.5), 2.6), 1.8) : ''];
  }

  private convoy(order: ReadOrder): [string, string] {
    const spot = this.unit(order.from);
    const drawn = this.stroke(order.power, ring(spot, 13), 1.8, '1.5 2.8');
    return [drawn, isFailed(order) ? bad(cross(add(spot, [10, -9]), 2.6), 1.8) : ''];
  }

  private retreat(order: ReadOrder): [string, string] {
    const { power } = order;
    const away = spotsAt(this.board, order.from).dislodged;
    const through = gateBetween(this.board, order.from, order.to);
    const line = bow(away, this.unit(order.to), { startGap: 9, endGap: 12, bend: 0.09, through });
    const dots = this.stroke(power, line.d, 2.6, '.1 5');
    const drawn = `${halo(line.d, 5)}${dots}<path class="h${power}" d="${arrowHead(line, 8)}"/>`;
    return [drawn, isFailed(order) ? bad(cross(line.on(0.6), 3.4), 2.2) + this.gone(away) : ''];
  }

  private gone(spot: Point): string {
    return bad(cross(spot, 7.5), 2.6);
  }

  private build(order: ReadOrder): [string, string] {
    const spot = this.unit(order.from);
    if (isFailed(order)) return ['', bad(cross(add(spot, [10, -9]), 3), 2)];
    const sign = plus(add(spot, [11, -10]), 4);
    const circle = `<path class="good" stroke-width="2" d="${ring(spot, 13)}"/>`;
    return ['', `${circle}${halo(sign, 5)}<path class="good" stroke-width="2.4" d="${sign}"/>`];
  }

  /** A unit without an order: it holds, and is disbanded where it had to retreat or to be removed. */
  private silent(order: ReadOrder): [string, string] {
    const { given } = order;
    const spot = this.isRetreat ? spotsAt(this.board, order.from).dislodged : this.unit(order.from);
    if (given.order !== null) return ['', bad(cross(add(spot, [10, -9]), 2.6), 1.8)];
    if (given.result === 'stands' || !given.result) return ['', ''];
    return [
      '',
      `<path class="bad" stroke-width="1.6" stroke-dasharray="1.5 3" d="${ring(spot, 13)}"/>${this.gone(spot)}`,
    ];
  }

  private hold({ power, from, given }: ReadOrder): [string, string] {
    if (given.fate === 'dislodged' || given.fate === 'destroyed') return ['', ''];
    const circle = ring(this.unit(from), 13);
    return [halo(circle, 3.8) + this.stroke(power, circle, 1.7), ''];
  }

  private other(order: ReadOrder): [string, string] {
    switch (order.kind) {
      case 'support':
        return this.support(order);
      case 'convoy':
        return this.convoy(order);
      case 'hold':
        return this.hold(order);
      case 'move':
      case 'retreat':
        return this.retreat(order);
      case 'disband':
        return ['', isFailed(order) && !this.isRetreat ? '' : this.gone(this.standing(order))];
      case 'build':
        return this.build(order);
      case 'none':
        return this.silent(order);
      default:
        return ['', ''];
    }
  }

  private standing({ from }: ReadOrder): Point {
    const { dislodged, unit } = spotsAt(this.board, from);
    return this.isRetreat ? dislodged : unit;
  }

  /** @param isDrawn true where a unit stood that has gone: it is still drawn */
  private standoff(tag: string, isDrawn: boolean): void {
    const { unit, dislodged } = spotsAt(this.board, tag);
    const spot = isDrawn ? dislodged : unit;
    const star = rays(spot, 8, 2.5, 8);
    this.marks += `<g class="standoff" data-province="${escapeXml(tag)}">${bad(star, 1.8)}</g>`;
  }
}

/** 'FRANCE: A PAR - BUR, fails: bounced with A MUN' */
const tellOrder = ({ power, order, unit, result, fate, reason }: DrawnOrder): string => {
  const words = [result, fate].filter((word) => word).join(', ');
  const said = `${power}: ${order ?? `${unit ?? 'a unit'}, no order`}`;
  return `${said}${words === '' ? '' : `, ${words}`}${reason ? `: ${reason}` : ''}`;
};

/** What the orders of a phase look like; empty for a phase without any. */
export const drawOrders = (board: Board, phase: DrawnPhase): OrderLayers => {
  const { lines, marks } = new OrderDrawing(board, phase);
  return { lines, marks };
};
