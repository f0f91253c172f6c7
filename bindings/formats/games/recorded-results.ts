// Compares recorded results of orders with Lepanto's results.
//
// The package `diplomacy` lists words by unit, none for an order that succeeded:
//
//   move      none: it arrived; bounce; no convoy
//   support   none: given; cut; void: it matched nothing. The package also says void if the unit in the attacked province
//             is the supporter's own, and void or no convoy if the supported army found no convoy: then nothing more can
//             be compared
//   convoy    none; void: the army did something else; disrupted; no convoy, which means that the army did not arrive or
//             that no route needed the fleet: not compared
//   any       dislodged, whether the unit can retreat or not; void for an order that no power may give
//   retreat   none; bounce and disband: two units met; disband, ordered or not
//   build     an empty word: done; void
//
// The remaining differences are those of its adjudicator: an army that comes by convoy does not cut a support of the
// fleet that carries it, and a support against the supporter's own unit counts if the attack is by convoy.
//
// webDiplomacy has two flags. `success` is 'No' for every hold; for a convoy it says whether the army arrived by it,
// for a support whether it matched and the supporter was neither cut nor dislodged. `dislodged` counts in movement
// phases.
import { type CompiledMap, explain, ReasonCode, type Results } from '../../../engine/internal.js';
import * as O from '../../../engine/rules/order.js';
import * as T from '../../../engine/rules/types.js';
import type { Wording } from './raw.js';

// ---- words of the package for results ----

/** Why a move failed, in the words of the package. */
export const moveWords = (map: CompiledMap, results: Results, province: T.Province): string[] => {
  const { code } = explain(map, results, province);
  const lost =
    code === ReasonCode.CONVOY_NOT_ORDERED ||
    code === ReasonCode.CONVOY_DISRUPTED ||
    code === ReasonCode.CONVOY_PARADOX;
  return lost ? ['no convoy'] : ['bounce'];
};

/** The word for the result of a movement order, whatever happened to the unit; none if the order succeeded. */
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
      // A dislodged fleet has the word for that only.
      return results.fate[province] === T.NO_FATE ? ['disrupted'] : [];
    case T.INVALID:
      return type === O.MOVE ? ['no convoy'] : ['void'];
    case T.ILLEGAL:
      return ['void'];
    default:
      return [];
  }
};

/** Words for the order of a unit in a movement phase; none for one that succeeded. */
export const movementWords = (map: CompiledMap, results: Results, province: T.Province): string[] => {
  const words = orderWords(map, results, province);
  // The package has no further word for a unit that cannot retreat.
  if (results.fate[province] !== T.NO_FATE) words.push('dislodged');
  return words;
};

/** Words for a dislodged unit after its retreat phase. */
export const retreatWords = (results: Results, province: T.Province): string[] => {
  const type = O.orderType(results.order[province]);
  if (type === O.DISBAND) return ['disband'];
  return type === O.RETREAT_TO && results.result[province] === T.FAILS ? ['bounce', 'disband'] : [];
};

// ---- recorded words and results ----

/** Words of webDiplomacy's flags. */
export const SUCCESS = 'success';
export const FAILURE = 'failure';
export const WAS_DISLODGED = 'dislodged';

/** The result and fate of a unit in Lepanto's words: 'succeeds', 'cut, dislodged'. */
export const ourWords = (results: Results, province: T.Province): string => {
  const result = T.resultNames[results.result[province]];
  const fate = T.fates[results.fate[province]];
  return fate === null || fate === undefined ? result : `${result}, ${fate}`;
};

/** Recorded words for a message: 'bounce, dislodged'. */
export const theirWords = (words: readonly string[]): string =>
  words.filter((word) => word !== '').join(', ') || SUCCESS;

const isSupport = (type: number): boolean => type === O.SUPPORT_HOLD || type === O.SUPPORT_MOVE;

const lostItsConvoy = (map: CompiledMap, results: Results, province: T.Province): boolean =>
  O.orderType(results.order[province]) === O.MOVE &&
  results.result[province] !== T.SUCCEEDS &&
  moveWords(map, results, province).includes('no convoy');

/** True if a support acts on a province with a unit of the supporter's own power. */
const attacksOwnUnit = (map: CompiledMap, results: Results, province: T.Province): boolean => {
  const order = results.order[province];
  if (O.orderType(order) !== O.SUPPORT_MOVE) return false;
  const there = results.unit[map.locationProvince[O.orderTarget(order)]];
  return there !== T.NO_UNIT && T.unitPower(there) === T.unitPower(results.unit[province]);
};

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

/** Null if an army may have gone by land, which the flag of its convoy does not tell. */
const convoyArrived = (results: Results, province: T.Province): boolean | null => {
  const army = O.orderHelped(results.order[province]);
  const order = results.order[army];
  if (O.orderType(order) !== O.MOVE || O.orderTarget(order) !== O.orderTarget(results.order[province])) return false;
  if (results.result[army] !== T.SUCCEEDS) return false;
  return results.convoyed[army] === 1 ? true : null;
};

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

/** True if the recorded words of a unit in a movement phase agree with its result here. */
export const movementAgrees = (
  map: CompiledMap,
  results: Results,
  province: T.Province,
  words: readonly string[],
  wording: Wording,
): boolean =>
  wording === 'diplomacy' ? packageAgrees(map, results, province, words) : flagsAgree(results, province, words);

/** Words that only an order that counted can have. */
const COUNTED = ['bounce', 'cut', 'disrupted'];

/** The same for a unit in a movement phase whose order does not count here: only some words say that it did. */
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

/** The same for a dislodged unit in a retreat phase. */
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

/** The same for a build or removal that was ordered. @param done here */
export const adjustmentAgrees = (done: boolean, words: readonly string[], wording: Wording): boolean =>
  wording === 'webdiplomacy' ? words.includes(SUCCESS) === done : words.includes('') === done;

/** True if a record says that no power may give an order: then Lepanto need not be able to read it. */
export const saysVoid = (words: readonly string[] | undefined): boolean => words?.includes('void') === true;
