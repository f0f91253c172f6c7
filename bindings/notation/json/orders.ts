// Reads the orders of a phase, text by power, into packed orders.

import { ADJUSTMENT, type CompiledMap, type Game, NONE, type Power } from '../../../engine/internal.js';
import { hasCode, LepantoError } from '../../../engine/rules/error.js';
import { asTexts, quote } from '../../../engine/rules/shape.js';
import {
  DATC_READING,
  type Interpreted,
  type Interpreter,
  makeInterpreter,
  parseOrder,
  type Reading,
  settleSurplus,
  settleTwice,
} from '../text/index.js';
import { entriesByPower, type Position, positionOf } from './position.js';

/** The most orders that one power may give: far more than it can have units. */
export const MAX_ORDERS = 1000;

/** An order as it was given, and as it was read. */
export interface GivenOrder {
  readonly power: Power;
  readonly text: string;
  readonly read: Interpreted;
}

const readText = (map: CompiledMap, interpret: Interpreter, power: Power, text: string): Interpreted => {
  try {
    return interpret(power, parseOrder(map, text));
  } catch (error) {
    if (!hasCode(error, 'notation')) throw error;
    return { order: NONE, reason: error.message, unit: null, own: -1, misplaced: true };
  }
};

/**
 * Reads the orders of a phase by power, as JSON has them. If there are too many, `reading` decides which count.
 * @throws LepantoError for an unknown power, or anything but lists of text
 */
export const readOrders = ({ game, retreats, due }: Position, reading: Reading, value: unknown): GivenOrder[] => {
  const { map } = game;
  if (value === undefined || value === null) return [];
  const interpret = makeInterpreter(game, retreats, due, reading);
  const given: GivenOrder[] = [];
  for (const [power, what, list] of entriesByPower(map, value, 'orders')) {
    if (list === null) continue;
    for (const text of asTexts(list, what, MAX_ORDERS))
      given.push({ power, text, read: readText(map, interpret, power, text) });
  }
  // Then the interpreter has settled all there is to settle.
  if (reading.twoOrders === 'first' && game.phase !== ADJUSTMENT) return given;
  const all = given.map(({ power, read }): readonly [Power, Interpreted] => [power, read]);
  const once = settleTwice(reading, all);
  const settled =
    game.phase === ADJUSTMENT
      ? settleSurplus(
          game,
          reading,
          due,
          all.map(([power], i) => [power, once[i]]),
        )
      : once;
  return given.map((order, i) => ({ ...order, read: settled[i] }));
};

/** The packed orders among them, and moves that are not obeyed but still count as moves (DATC 4.E.1). */
export const packedOrders = (given: readonly GivenOrder[]): Int32Array =>
  Int32Array.from(given.map(({ read }) => read.effect ?? read.order).filter((order) => order !== NONE));

/** An order that orders() refused. */
export interface RefusedOrder {
  /** Name of the power that gave it. */
  readonly power: string;
  /** As it was given. */
  readonly text: string;
  /** Why it was refused: 'A PAR does not border LON'. */
  readonly reason: string;
}

/**
 * Reads orders of the game's current phase into what adjudicate() takes: `orders(game, {FRANCE: ['A PAR - BUR']})`. Any
 * usual notation is read ('Army Paris -> Burgundy', 'par-bur'), with the choices of DATC 3.2, chapter 4.B to 4.E, that
 * `reading` makes; of several orders for a unit the first counts by default.
 * @param byPower lists of orders by the name of the power, in any case; powers may be left out
 * @param refused if given, receives the orders that cannot be read or obeyed, which the result leaves out
 * @param reading how orders are read: `ruleSetByName('strict-2003').reading`; default: the preferences of DATC 3.2
 * @returns the packed orders of all powers
 * @throws LepantoError that names power, order and reason for the first order that cannot be read or obeyed, unless
 * `refused` is given; for an unknown power, or anything but lists of text, in any case
 */
export const orders = (
  game: Game,
  byPower: Readonly<Record<string, readonly string[]>>,
  refused?: RefusedOrder[],
  reading: Reading = DATC_READING,
): Int32Array => {
  const given = readOrders(positionOf(game), reading, byPower);
  for (const { power, text, read } of given) {
    if (read.reason === null) continue;
    const name = game.map.powerNames[power];
    if (refused === undefined)
      throw new LepantoError(
        'orders',
        `orders of ${name}: got ${quote(text)} (${read.reason}), wanted orders that can be obeyed`,
      );
    refused.push({ power: name, text, reason: read.reason });
  }
  return packedOrders(given);
};
