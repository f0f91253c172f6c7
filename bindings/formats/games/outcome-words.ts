// Writes the results of orders in the words of the package `diplomacy`.
import {
  AVAILABLE,
  CONVOY_DISRUPTED,
  CONVOY_NOT_ORDERED,
  CONVOY_PARADOX,
  type CompiledMap,
  CUT,
  DISBAND,
  DISRUPTED,
  explain,
  FAILS,
  GIVEN,
  ILLEGAL,
  INVALID,
  MOVE,
  NO_FATE,
  orderType,
  type Province,
  RETREAT_TO,
  type Results,
  STANDS,
  SUCCEEDS,
} from '../../../engine/internal.js';

/** Why a move failed, in the words of the package. */
export const moveWords = (map: CompiledMap, results: Results, province: Province): string[] => {
  const { code } = explain(map, results, province);
  const lost = code === CONVOY_NOT_ORDERED || code === CONVOY_DISRUPTED || code === CONVOY_PARADOX;
  return lost ? ['no convoy'] : ['bounce'];
};

/** The word for the result of a movement order, whatever happened to the unit; none if the order succeeded. */
export const orderWords = (map: CompiledMap, results: Results, province: Province): string[] => {
  const type = orderType(results.order[province]);
  switch (results.result[province]) {
    case STANDS:
    case SUCCEEDS:
    case GIVEN:
    case AVAILABLE:
      return [];
    case FAILS:
      return moveWords(map, results, province);
    case CUT:
      return ['cut'];
    case DISRUPTED:
      // A dislodged fleet has the word for that only.
      return results.fate[province] === NO_FATE ? ['disrupted'] : [];
    case INVALID:
      return type === MOVE ? ['no convoy'] : ['void'];
    case ILLEGAL:
      return ['void'];
    default:
      return [];
  }
};

/** Words for the order of a unit in a movement phase; none for one that succeeded. */
export const movementWords = (map: CompiledMap, results: Results, province: Province): string[] => {
  const words = orderWords(map, results, province);
  // The package has no further word for a unit that cannot retreat.
  if (results.fate[province] !== NO_FATE) words.push('dislodged');
  return words;
};

/** Words for a dislodged unit after its retreat phase. */
export const retreatWords = (results: Results, province: Province): string[] => {
  const type = orderType(results.order[province]);
  if (type === DISBAND) return ['disband'];
  return type === RETREAT_TO && results.result[province] === FAILS ? ['bounce', 'disband'] : [];
};
