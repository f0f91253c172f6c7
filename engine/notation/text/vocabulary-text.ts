// Formats the orders of a map's vocabulary as text, and maps any order to its form in the vocabulary.
import { type CompiledMap, FLEET, makeUnit, vocabulary } from '../../internal.js';
import * as O from '../../rules/order.js';
import { formatOrder, type Units } from './format.js';

/**
 * Returns an order in the form of the vocabulary: without the coast of a supported move and without canal permissions.
 */
export const withoutCoast = (map: CompiledMap, given: O.Order): O.Order => {
  const order = O.withoutLeave(given);
  return O.orderType(order) === O.SUPPORT_MOVE
    ? O.withTarget(order, map.locationProvince[O.orderTarget(order)])
    : order;
};

/**
 * Returns all orders of a map's vocabulary as text, in the order of their indices, without unit types: 'PAR S MAR -
 * BUR'.
 */
export const vocabularyText = (map: CompiledMap): string[] => {
  // The units are unknown here. Every unit is formatted as a fleet, and its letter is then removed.
  const anywhere: Units = { unitAt: () => makeUnit(0, FLEET), unitLocation: (province) => province };
  return Array.from(vocabulary(map).orders, (order) => {
    const text = formatOrder(map, order, anywhere);
    return / B$/.test(text) ? text : text.replace(/^F /, '').replace(/ ([SC]) F /, ' $1 ');
  });
};
