// Compares recorded results of orders with Lepanto's results.
//
// The package `diplomacy` lists words for each unit, and no word for an order that succeeded:
//
//   move      no word: it arrived; bounce; no convoy
//   support   no word: given; cut; void: it matched no order. The package also writes void if the supporter's own unit
//             is in the attacked province, and void or no convoy if the supported army has no convoy. In these cases no
//             more can be compared
//   convoy    no word; void: the army did something different; disrupted; no convoy, which means that the army did not
//             arrive or that no route needed the fleet: not compared
//   any       dislodged, even if the unit cannot retreat; void for an order that no power may give
//   retreat   no word; bounce and disband: two units met; disband, ordered or not
//   build     an empty word: done; void
//
// The remaining differences come from its adjudicator: a convoyed army does not cut a support of the fleet that carries
// it, and a support against the supporter's own unit counts if the attack is by convoy.
//
// webDiplomacy has two flags. `success` is 'No' for every hold. For a convoy it tells whether the army arrived by it,
// for a support whether it matched and the supporter was neither cut nor dislodged. `dislodged` is set in movement
// phases only.
import { type CompiledMap, explain, ReasonCode, type Results } from '../../../engine/internal.js';
import * as O from '../../../engine/rules/order.js';
import * as T from '../../../engine/rules/types.js';
import type { Wording } from './raw.js';

// ---- words of the package for results ----

/** Returns a list with the word of `diplomacy` for the reason why the move of the unit in a province failed. */
export const moveWords = (map: CompiledMap, results: Results, province: T.Province): string[] => {
  const { code } = explain(map, results, province);
  const lost =
    code === ReasonCode.CONVOY_NOT_ORDERED ||
    code === ReasonCode.CONVOY_DISRUPTED ||
    code === ReasonCode.CONVOY_PARADOX;
  return lost ? ['no convoy'] : ['bounce'];
};

/**
 * Returns a list with the word of `diplomacy` for the result of a unit's movement order, regardless of the unit's fate.
 * Empty if the order succeeded.
 */
export const orderWords = (map: CompiledMap, results: Results, province: T.Province): string[] => {
  const type = O.orderType(results.order[province]);
  switch (results.result[province]) {
    case T.STANDS:
    case T.SUCCEEDS:
    case T.GIVEN:
    case T.AVAILABLE:
      return [];
    case T.FAILS:
      return moveWords(map, results, province);
    case T.CUT:
      return ['cut'];
    case T.DISRUPTED:
      // The package gives a dislodged fleet only the word for its fate.
      return results.fate[province] === T.NO_FATE ? ['disrupted'] : [];
    case T.INVALID:
      return type === O.MOVE ? ['no convoy'] : ['void'];
    case T.ILLEGAL:
      return ['void'];
    default:
      return [];
  }
};

/**
 * Returns the words of `diplomacy` for a unit in a movement phase: the words for its order, and 'dislodged' if it was.
 */
export const movementWords = (map: CompiledMap, results: Results, province: T.Province): string[] => {
  const words = orderWords(map, results, province);
  // The package has no separate word for a unit that cannot retreat.
  if (results.fate[province] !== T.NO_FATE) words.push('dislodged');
  return words;
};

/** Returns the words of `diplomacy` for a dislodged unit in a retreat phase; none if it retreated. */
export const retreatWords = (results: Results, province: T.Province): string[] => {
  const type = O.orderType(results.order[province]);
  if (type === O.DISBAND) return ['disband'];
  return type === O.RETREAT_TO && results.result[province] === T.FAILS ? ['bounce', 'disband'] : [];
};

// ---- recorded words and results ----

/**
 * SUCCESS, FAILURE and WAS_DISLODGED: words for webDiplomacy's flags `success` (true or false) and `dislodged` in the
 * results of a RawGame.
 */
export const SUCCESS = 'success';
export const FAILURE = 'failure';
export const WAS_DISLODGED = 'dislodged';

/** Returns the result and fate of a unit in Lepanto's words: 'succeeds', 'cut, dislodged'. */
export const ourWords = (results: Results, province: T.Province): string => {
  const result = T.resultNames[results.result[province]];
  const fate = T.fates[results.fate[province]];
  return fate === null || fate === undefined ? result : `${result}, ${fate}`;
};

/** Returns recorded words as text for a message: 'bounce, dislodged'. 'success' if there are none. */
export const theirWords = (words: readonly string[]): string =>
  words.filter((word) => word !== '').join(', ') || SUCCESS;

const isSupport = (type: number): boolean => type === O.SUPPORT_HOLD || type === O.SUPPORT_MOVE;

const lostItsConvoy = (map: CompiledMap, results: Results, province: T.Province): boolean =>
  O.orderType(results.order[province]) === O.MOVE &&
  results.result[province] !== T.SUCCEEDS &&
  moveWords(map, results, province).includes('no convoy');

/** True for a support of a move into a province where the supporter's own power has a unit. */
const attacksOwnUnit = (map: CompiledMap, results: Results, province: T.Province): boolean => {
  const order = results.order[province];
  if (O.orderType(order) !== O.SUPPORT_MOVE) return false;
  const there = results.unit[map.locationProvince[O.orderTarget(order)]];
  return there !== T.NO_UNIT && T.unitPower(there) === T.unitPower(results.unit[province]);
};

/** True if words recorded by `diplomacy` agree with the result of a unit in a movement phase. */
const packageAgrees = (map: CompiledMap, results: Results, province: T.Province, words: readonly string[]): boolean => {
  const fate = results.fate[province];
  if (words.includes('dislodged') !== (fate !== T.NO_FATE)) return false;
  if (words.includes('disband') && fate !== T.DESTROYED) return false;
  const said = words.filter((word) => word !== '' && word !== 'dislodged' && word !== 'disband');
  const order = results.order[province];
  const type = O.orderType(order);
  const says = (word: string): boolean => said.includes(word);
  if (isSupport(type)) {
    const lost = lostItsConvoy(map, results, O.orderHelped(order));
    if ((says('void') && (lost || attacksOwnUnit(map, results, province))) || (says('no convoy') && lost)) return true;
  }
  if (type === O.CONVOY && says('no convoy')) return true;
  return said.join() === orderWords(map, results, province).join();
};

/**
 * True if an army arrived by the convoy of the fleet in a province. Null if the army arrived but may have gone by land,
 * which the flag of webDiplomacy does not tell.
 */
const convoyArrived = (results: Results, province: T.Province): boolean | null => {
  const army = O.orderHelped(results.order[province]);
  const order = results.order[army];
  if (O.orderType(order) !== O.MOVE || O.orderTarget(order) !== O.orderTarget(results.order[province])) return false;
  if (results.result[army] !== T.SUCCEEDS) return false;
  return results.convoyed[army] === 1 ? true : null;
};

/** Returns the `success` flag that webDiplomacy would set for a unit's order, or null if it cannot be compared. */
const succeeded = (results: Results, province: T.Province): boolean | null => {
  const type = O.orderType(results.order[province]);
  const result = results.result[province];
  if (type === O.MOVE) return result === T.SUCCEEDS;
  if (isSupport(type)) return result === T.ILLEGAL ? null : result === T.GIVEN && results.fate[province] === T.NO_FATE;
  return type === O.CONVOY ? convoyArrived(results, province) : null;
};

const flagsAgree = (results: Results, province: T.Province, words: readonly string[]): boolean => {
  if (words.includes(WAS_DISLODGED) !== (results.fate[province] !== T.NO_FATE)) return false;
  const ours = succeeded(results, province);
  return ours === null || words.includes(SUCCESS) === ours;
};

/** True if the recorded words of a unit in a movement phase agree with its result. */
export const movementAgrees = (
  map: CompiledMap,
  results: Results,
  province: T.Province,
  words: readonly string[],
  wording: Wording,
): boolean =>
  wording === 'diplomacy' ? packageAgrees(map, results, province, words) : flagsAgree(results, province, words);

/** Words of `diplomacy` that only a valid order can have as its result. */
const COUNTED = ['bounce', 'cut', 'disrupted'];

/**
 * True if the recorded words of a unit in a movement phase agree with an order that is invalid under Lepanto's rules:
 * they say whether the unit was dislodged, and words of `diplomacy` include no word that only a valid order can have.
 */
export const refusedAgrees = (
  results: Results,
  province: T.Province,
  words: readonly string[],
  wording: Wording,
): boolean => {
  const isDislodged = results.fate[province] !== T.NO_FATE;
  if (words.includes(WAS_DISLODGED) !== isDislodged) return false;
  return wording === 'webdiplomacy' || !words.some((word) => COUNTED.includes(word));
};

/** True if the recorded words of a dislodged unit in a retreat phase agree with its result. */
export const retreatAgrees = (
  results: Results,
  province: T.Province,
  words: readonly string[],
  wording: Wording,
): boolean => {
  const type = O.orderType(results.order[province]);
  const retreated = type === O.RETREAT_TO && results.result[province] === T.SUCCEEDS;
  if (wording === 'webdiplomacy')
    return type === O.DISBAND || type !== O.RETREAT_TO || words.includes(SUCCESS) === retreated;
  if (words.includes('disband') === retreated) return false;
  return words.includes('bounce') === (type === O.RETREAT_TO && results.result[province] === T.FAILS);
};

/**
 * True if the recorded words agree with the result of an ordered build or removal.
 * @param done true if it was carried out
 */
export const adjustmentAgrees = (done: boolean, words: readonly string[], wording: Wording): boolean =>
  wording === 'webdiplomacy' ? words.includes(SUCCESS) === done : words.includes('') === done;

/** True if the record marks an order as void. Lepanto then need not be able to parse it. */
export const saysVoid = (words: readonly string[] | undefined): boolean => words?.includes('void') === true;
