// Reads the orders of a phase, text by power, into packed orders.
import { type Game, NONE, type Power } from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { asTexts, quote } from '../../../engine/rules/shape.js';
import { DATC_READING, type Interpreted, interpretOrders, type Position, type Reading } from '../text/index.js';
import { entriesByPower, positionOf } from './position.js';

/** The most orders that one power may give: far more than it can have units. */
export const MAX_ORDERS = 1000;

/** An order as it was given, and as it was read. */
export interface GivenOrder {
  readonly power: Power;
  readonly text: string;
  readonly read: Interpreted;
}

/**
 * Reads the orders of a phase by power, as JSON has them. If there are too many, `reading` decides which count.
 * @throws LepantoError for an unknown power, or anything but lists of text
 */
export const readOrders = (position: Position, reading: Reading, value: unknown): GivenOrder[] => {
  if (value === undefined || value === null) return [];
  const given = entriesByPower(position.game.map, value, 'orders').flatMap(([power, what, list]) =>
    list === null ? [] : asTexts(list, what, MAX_ORDERS).map((text) => [power, text] as const),
  );
  const read = interpretOrders(position, given, reading);
  return given.map(([power, text], i) => ({ power, text, read: read[i] }));
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
