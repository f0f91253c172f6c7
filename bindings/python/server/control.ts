// JSON requests of a client about orders and positions, one game at a time. Not performance-critical.

import {
  ADJUSTMENT,
  adjudicate,
  type Game,
  makeResults,
  ordererOf,
  scoreNames,
  vocabulary,
} from '../../../engine/internal.js';
import { type AdjudicatedRecord, adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import { formatPosition, parsePosition, positionOf } from '../../../engine/notation/json/position.js';
import { findOrders } from '../../../engine/notation/text/find-orders.js';
import { formatOrder, type Interpreted, interpretOrders, orderedUnits } from '../../../engine/notation/text/index.js';
import { vocabularyText, withoutCoast } from '../../../engine/notation/text/vocabulary-text.js';
import { LepantoError } from '../../../engine/rules/error.js';
import * as O from '../../../engine/rules/order.js';
import {
  asObject,
  byKey,
  fieldOf,
  listOf,
  oneOf,
  optional,
  orElse,
  refuse,
  text,
  wholeNumber,
} from '../../../engine/rules/shape.js';
import { gameScores } from '../../../selfplay/games/game-record.js';
import { themes } from '../../draw/colours.js';
import { drawBoard } from '../../draw/draw-board.js';
import type { DrawnPhase } from '../../draw/drawn-phase.js';
import { type MappedPhase, readDrawnPhase } from '../../draw/read-phase.js';
import { resultWords } from '../../formats/games/package-state.js';
import { mapValues } from '../../formats/games/raw.js';
import { positionKeys } from '../../formats/games/zobrist.js';
import { deepmindActions } from '../../formats/tensors/deepmind.js';
import { dipccVocabulary } from '../../formats/tensors/dipcc-orders.js';
import { mapVocabulary, readVocabulary } from '../../formats/tensors/vocabulary-file.js';
import type { Setup } from './config.js';
import type { Memory } from './memory.js';
import { type Asked, answerBy, type Handlers, wholeNumbers } from './requests.js';

/**
 * Returns the texts of orders in the position of a game, for the vocabulary ids in the request.
 * @throws LepantoError for an id outside the vocabulary
 */
const format = (asked: Asked): string[] => {
  const { map } = asked.setup;
  const { orders } = vocabulary(map);
  const units = orderedUnits(asked.game());
  return asked
    .field('ids', wholeNumbers)
    .map((id) =>
      id >= 0 && id < orders.length
        ? formatOrder(map, orders[id], units)
        : refuse(`order: got id ${id}, wanted 0 to ${orders.length - 1}`),
    );
};

/**
 * Returns the fields of all orders in the vocabulary: for each field, by name, an array indexed by vocabulary id. -1
 * stands for a field that an order does not have.
 */
const listFields = ({ map }: Setup): Record<string, readonly (number | string)[]> => {
  const orders = Array.from(vocabulary(map).orders);
  const isNowhere = (order: O.Order): boolean => O.orderType(order) === O.WAIVE;
  return {
    types: O.orderTypes,
    type: orders.map(O.orderType),
    location: orders.map((order) => (isNowhere(order) ? -1 : O.orderLocation(order))),
    province: orders.map((order) => (isNowhere(order) ? -1 : map.locationProvince[O.orderLocation(order)])),
    target: orders.map((order) => (O.hasTarget(order) ? O.orderTarget(order) : -1)),
    helped: orders.map((order) => (O.isHelp(order) ? O.orderHelped(order) : -1)),
    via: orders.map(O.orderVia),
  };
};

interface Parsed {
  /** Vocabulary id; -1 for a refused order. */
  readonly id: number;
  /** Location of the unit; -2 for an adjustment, -1 for a refused order. */
  readonly location: number;
  readonly reason: string | null;
}

const orderTexts = listOf(text, 0, 1000);

/**
 * Reads orders as text in the position of a game, without changing the game. Returns each order in engine form, or the
 * reason for refusal.
 * @param given texts of orders, keyed by name of the power
 */
const interpret = (
  { setup: { map, rules } }: Asked,
  game: Game,
  given: Readonly<Record<string, readonly string[]>>,
): Interpreted[] => {
  const named = Object.entries(given).flatMap(([power, orders]) =>
    orders.map((order) => [map.powerNames.indexOf(power), order] as const),
  );
  return interpretOrders(positionOf(game), named, rules.reading);
};

const parse = (asked: Asked): Parsed[] => {
  const { map } = asked.setup;
  const game = asked.game();
  const { indexOf } = vocabulary(map);
  const power = asked.field('power', oneOf(map.powerNames));
  return interpret(asked, game, { [power]: asked.field('orders', orderTexts) }).map(({ order, reason }) =>
    reason === null
      ? {
          id: indexOf(withoutCoast(map, order)),
          location: game.phase === ADJUSTMENT ? -2 : O.orderLocation(order),
          reason: null,
        }
      : { id: -1, location: -1, reason },
  );
};

/**
 * Returns the orders in a language model's answer: text, vocabulary id (-1 if the order does not count), and the reason
 * why it does not count (or null). `isMentioned` is true for orders that the answer mentions but does not give.
 */
const answer = (asked: Asked): object[] => {
  const { map, rules } = asked.setup;
  const game = asked.game();
  const { indexOf } = vocabulary(map);
  const power = map.powerNames.indexOf(asked.field('power', oneOf(map.powerNames)));
  return findOrders(positionOf(game), power, asked.field('text', text), rules.reading).map((one) => ({
    text: one.text,
    id: one.reason === null && one.judged !== null ? indexOf(withoutCoast(map, one.judged.order)) : -1,
    reason: one.reason,
    isMentioned: one.judged === null,
  }));
};

/** Returns a copy of a drawn phase with its orders but without their results. */
const unplayed = (phase: DrawnPhase): DrawnPhase => ({
  ...phase,
  orders: (phase.orders ?? []).filter(({ order }) => order !== null).map(({ power, order }) => ({ power, order })),
  contested: [],
});

/** Draws the position of a game, or a position in JSON, as SVG. Reads the theme, size and title from the request. */
const draw = (asked: Asked): string => {
  const { record, setup } = asked;
  const position = asked.field('position', optional(asObject)) ?? formatPosition(asked.game());
  const orders = fieldOf(record, 'orders') ?? undefined;
  const read: MappedPhase = readDrawnPhase(
    orders === undefined ? position : { ...position, orders },
    setup.map,
    setup.rules,
  );
  const theme = asked.field('theme', oneOf(themes));
  const width = asked.field('width', orElse(wholeNumber(100, 10_000), undefined));
  const title = fieldOf(record, 'title');
  return drawBoard(read.map, fieldOf(record, 'played') === false ? unplayed(read.phase) : read.phase, {
    theme,
    ...(width !== undefined && { width }),
    ...(typeof title === 'string' && { title }),
  });
};

const describePosition = (asked: Asked): object => {
  const game = asked.game();
  return { ...formatPosition(game), due: Array.from(positionOf(game).due), status: game.status, winner: game.winner };
};

/**
 * Adjudicates each position of the request in its field `records`, as `lepanto adjudicate` does. Changes no game.
 * @throws LepantoError for an invalid record; it names the record if there are several
 */
const adjudicateRecords = ({ setup, record }: Asked): AdjudicatedRecord[] => {
  const records = listOf((one) => one, 0, 100_000)(fieldOf(record, 'records'), 'records');
  return records.map((one, i) => {
    try {
      return adjudicateRecord(one, setup.map, setup.rules);
    } catch (error) {
      if (error instanceof LepantoError && records.length > 1) refuse(`position ${i}, ${error.message}`);
      throw error;
    }
  });
};

const handlers: Handlers = {
  format,
  parse,
  answer,
  draw,
  powers: (asked) => {
    const { orders } = vocabulary(asked.setup.map);
    return asked.field('ids', wholeNumbers).map((id) => ordererOf(asked.game(), orders[id]));
  },
  // Returns the results that orders would have in the position of a game, keyed by unit, in the words of the package
  // `diplomacy`. Does not change the game.
  results: (asked) => {
    const game = asked.game();
    const read = interpret(asked, game, asked.field('orders', byKey(orderTexts)));
    const orders = read.flatMap(({ order }) => (order === O.NONE ? [] : [order]));
    const results = makeResults();
    adjudicate(game.clone(), Int32Array.from(orders), orders.length, results);
    return resultWords(game.map, game.phase, results);
  },
  'position keys': ({ setup }) =>
    positionKeys(setup.map).map((keys) => mapValues(keys, (own) => mapValues(Object.fromEntries(own), String))),
  vocabulary: ({ setup }) => vocabularyText(setup.map),
  rows: ({ setup }) => setup.map.rows,
  fields: ({ setup }) => listFields(setup),
  deepmind: ({ setup }) => {
    const { bits, indexOf } = deepmindActions(setup.map);
    return { bits: Array.from(bits), index: Array.from(indexOf) };
  },
  // Returns the scores of a game's current position, indexed by power.
  scores: (asked) => gameScores(asked.game())[asked.field('score', oneOf(scoreNames))],
  position: describePosition,
  // Returns all facts for the context of a language model in one answer: the position of a game, and the orders of the
  // adjudicated records.
  seen: (asked) => ({ position: describePosition(asked), told: adjudicateRecords(asked).map(({ orders }) => orders) }),
  adjudicate: (asked) => {
    const { map, rules } = asked.setup;
    return adjudicateRecord({ ...formatPosition(asked.game()), orders: fieldOf(asked.record, 'orders') }, map, rules);
  },
  adjudicate_records: adjudicateRecords,
  map_vocabulary: (asked) => {
    const source = asked.field('text', text);
    const entries = fieldOf(asked.record, 'dipcc') === true ? dipccVocabulary(source) : readVocabulary(source);
    return mapVocabulary(asked.setup.map, entries);
  },
  read_position: ({ setup, record }) => {
    const { game } = parsePosition(fieldOf(record, 'position'), setup.map, setup.rules.adjudication);
    return Array.from(game.bytes);
  },
};

/**
 * Answers one JSON request about the map, positions, orders or drawings.
 * @throws LepantoError if the request is invalid
 */
export const answerControl = (setup: Setup, memory: Memory, request: unknown): unknown =>
  answerBy(handlers, setup, memory, request);
