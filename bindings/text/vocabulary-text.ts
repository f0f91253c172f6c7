// The orders of a map's vocabulary as text.
import { type CompiledMap, FLEET, makeUnit, vocabulary } from '../../engine/internal.js';
import { formatOrder, type Units } from './format.js';

/** All orders of the vocabulary of a map as text without the letters of units: 'PAR S MAR - BUR'. */
export const vocabularyText = (map: CompiledMap): string[] => {
  // Letters come from the units; here nobody knows them, and they are cut out.
  const anywhere: Units = { unitAt: () => makeUnit(0, FLEET), unitLocation: (province) => province };
  return Array.from(vocabulary(map).orders, (order) => {
    const text = formatOrder(map, order, anywhere);
    return / B$/.test(text) ? text : text.replace(/^F /, '').replace(/ ([SC]) F /, ' $1 ');
  });
};
