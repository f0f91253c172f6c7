// The orders of a map's vocabulary as text, and what it leaves out of the orders that text can say.
import { type CompiledMap, FLEET, makeUnit, vocabulary } from '../../internal.js';
import * as O from '../../rules/order.js';
import { formatOrder, type Units } from './format.js';

/** The vocabulary names no coasts in supports, and no leave to pass a canal. */
export const withoutCoast = (map: CompiledMap, given: O.Order): O.Order => {
  const order = O.withoutLeave(given);
  return O.orderType(order) === O.SUPPORT_MOVE
    ? O.withTarget(order, map.locationProvince[O.orderTarget(order)])
    : order;
};

/** All orders of the vocabulary of a map as text without the letters of units: 'PAR S MAR - BUR'. */
export const vocabularyText = (map: CompiledMap): string[] => {
  // Letters come from the units, which are not known here: they are cut out.
  const anywhere: Units = { unitAt: () => makeUnit(0, FLEET), unitLocation: (province) => province };
  return Array.from(vocabulary(map).orders, (order) => {
    const text = formatOrder(map, order, anywhere);
    return / B$/.test(text) ? text : text.replace(/^F /, '').replace(/ ([SC]) F /, ' $1 ');
  });
};
