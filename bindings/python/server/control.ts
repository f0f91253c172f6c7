// What a client asks of the server in JSON: texts of orders and of positions. Cold: one game at a time.

import {
  ADJUSTMENT,
  CONVOY,
  Game,
  MOVE,
  type Order,
  ordererOf,
  orderHelped,
  orderLocation,
  orderTarget,
  orderType,
  orderTypes,
  orderVia,
  type Power,
  RAIL,
  RETREAT_TO,
  SUPPORT_HOLD,
  SUPPORT_MOVE,
  vocabulary,
  WAIVE,
} from '../../../engine/internal.js';
import { asObject, asTexts, describeValue, fieldOf, refuse } from '../../../engine/rules/shape.js';
import { themes } from '../../draw/colours.js';
import { drawBoard } from '../../draw/draw-board.js';
import type { DrawnPhase } from '../../draw/drawn-phase.js';
import { type MappedPhase, readDrawnPhase } from '../../draw/read-phase.js';
import { deepmindActions } from '../../formats/tensors/deepmind.js';
import { adjudicateRecord } from '../../notation/json/adjudicate-record.js';
import { formatPosition, parsePosition, positionOf } from '../../notation/json/position.js';
import { formatOrder, interpretOrders, orderedUnits } from '../../notation/text/index.js';
import { vocabularyText, withoutCoast } from '../../notation/text/vocabulary-text.js';
import type { Setup } from './config.js';
import { diplomacyResults, diplomacyState } from './diplomacy-state.js';
import type { Memory } from './memory.js';

const gameOf = ({ map, rules, layout }: Setup, memory: Memory, value: unknown): Game => {
  const rows = layout.games + layout.children;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value >= rows)
    return refuse(`game: got ${describeValue(value)}, wanted 0 to ${rows - 1}`);
  const game = new Game(map, rules.adjudication, memory.bytes('state'));
  game.offset = value * game.layout.stride;
  return game;
};

const numbers = (value: unknown, what: string): readonly number[] =>
  Array.isArray(value) && value.every((one) => Number.isInteger(one)) ? value : refuse(`${what}: wanted whole numbers`);

/** Orders of a game as text by vocabulary id. */
const format = (setup: Setup, game: Game, ids: readonly number[]): string[] => {
  const { orders } = vocabulary(setup.map);
  const units = orderedUnits(game);
  return ids.map((id) =>
    id >= 0 && id < orders.length
      ? formatOrder(setup.map, orders[id], units)
      : refuse(`order: got id ${id}, wanted 0 to ${orders.length - 1}`),
  );
};

const helping: readonly number[] = [SUPPORT_HOLD, SUPPORT_MOVE, CONVOY];
const targeted: readonly number[] = [...helping, MOVE, RAIL, RETREAT_TO];

/** What the orders of the vocabulary say, one array for each field; -1 where an order has none. */
const listFields = ({ map }: Setup): Record<string, readonly (number | string)[]> => {
  const orders = Array.from(vocabulary(map).orders);
  const isNowhere = (order: Order): boolean => orderType(order) === WAIVE;
  return {
    types: orderTypes,
    type: orders.map(orderType),
    location: orders.map((order) => (isNowhere(order) ? -1 : orderLocation(order))),
    province: orders.map((order) => (isNowhere(order) ? -1 : map.locationProvince[orderLocation(order)])),
    target: orders.map((order) => (targeted.includes(orderType(order)) ? orderTarget(order) : -1)),
    helped: orders.map((order) => (helping.includes(orderType(order)) ? orderHelped(order) : -1)),
    via: orders.map(orderVia),
  };
};

interface Parsed {
  /** Vocabulary id; -1 if the order does not count. */
  readonly id: number;
  /** Location of the unit; -2 for an adjustment, -1 where there is none. */
  readonly location: number;
  readonly reason: string | null;
}

const parse = (setup: Setup, game: Game, power: Power, texts: readonly string[]): Parsed[] => {
  const { map } = setup;
  const { indexOf } = vocabulary(map);
  const given = texts.map((text) => [power, text] as const);
  return interpretOrders(positionOf(game), given, setup.rules.reading).map(({ order, reason }) =>
    reason === null
      ? {
          id: indexOf(withoutCoast(map, order)),
          location: game.phase === ADJUSTMENT ? -2 : orderLocation(order),
          reason: null,
        }
      : { id: -1, location: -1, reason },
  );
};

/** Powers of orders by vocabulary id, for actions_from_text() of several powers. */
const powersOf = (setup: Setup, game: Game, ids: readonly number[]): number[] => {
  const { orders } = vocabulary(setup.map);
  return ids.map((id) => ordererOf(game, orders[id]));
};

/** The orders of a phase as they were given, without results. */
const unplayed = (phase: DrawnPhase): DrawnPhase => ({
  ...phase,
  orders: (phase.orders ?? []).filter(({ order }) => order !== null).map(({ power, order }) => ({ power, order })),
  contested: [],
});

/** A position of a game, or of JSON, as SVG. */
const draw = ({ map, rules }: Setup, record: object, game: () => Game): string => {
  const position = fieldOf(record, 'position');
  const orders = fieldOf(record, 'orders');
  const given = position === undefined ? formatPosition(game()) : asObject(position, 'position');
  const asked = orders === undefined || orders === null ? given : { ...given, orders };
  const read: MappedPhase = readDrawnPhase(asked, map, rules);
  const wanted = fieldOf(record, 'theme');
  const theme = themes.find((one) => one === wanted);
  if (theme === undefined) return refuse(`theme: got ${describeValue(wanted)}, wanted one of ${themes.join(', ')}`);
  const width = fieldOf(record, 'width') ?? null;
  if (width !== null && (typeof width !== 'number' || !Number.isInteger(width) || width < 100 || width > 10_000))
    return refuse(`width: got ${describeValue(width)}, wanted 100 to 10000`);
  const title = fieldOf(record, 'title');
  return drawBoard(read.map, fieldOf(record, 'played') === false ? unplayed(read.phase) : read.phase, {
    theme,
    ...(width === null ? {} : { width }),
    ...(typeof title === 'string' ? { title } : {}),
  });
};

/** Answers one request. @throws LepantoError that says what is wrong */
export const answerControl = (setup: Setup, memory: Memory, request: unknown): unknown => {
  const record = asObject(request, 'request');
  const op = fieldOf(record, 'op');
  const game = (): Game => gameOf(setup, memory, fieldOf(record, 'game'));
  switch (op) {
    case 'format':
      return format(setup, game(), numbers(fieldOf(record, 'ids'), 'ids'));
    case 'powers':
      return powersOf(setup, game(), numbers(fieldOf(record, 'ids'), 'ids'));
    case 'state':
      return diplomacyState(game());
    case 'results': {
      const { orders } = vocabulary(setup.map);
      return diplomacyResults(
        game(),
        numbers(fieldOf(record, 'ids'), 'ids').map((id) => orders[id] ?? refuse(`order: got id ${id}`)),
      );
    }
    case 'vocabulary':
      return vocabularyText(setup.map);
    case 'fields':
      return listFields(setup);
    case 'deepmind': {
      const { bits, indexOf } = deepmindActions(setup.map);
      return { bits: Array.from(bits), index: Array.from(indexOf) };
    }
    case 'parse': {
      const power = setup.map.powerNames.indexOf(String(fieldOf(record, 'power')));
      if (power < 0)
        return refuse(
          `power: got ${describeValue(fieldOf(record, 'power'))}, wanted ${setup.map.powerNames.join(', ')}`,
        );
      return parse(setup, game(), power, asTexts(fieldOf(record, 'orders'), 'orders', 1000));
    }
    case 'position': {
      const now = game();
      return { ...formatPosition(now), due: Array.from(positionOf(now).due), status: now.status, winner: now.winner };
    }
    case 'adjudicate':
      return adjudicateRecord({ ...formatPosition(game()), orders: fieldOf(record, 'orders') }, setup.map, setup.rules);
    case 'read_position': {
      const { game: read } = parsePosition(fieldOf(record, 'position'), setup.map, setup.rules.adjudication);
      return Array.from(read.bytes);
    }
    case 'draw':
      return draw(setup, record, game);
    default:
      return refuse(`op: got ${describeValue(op)}, wanted one of those in server/control.ts`);
  }
};
