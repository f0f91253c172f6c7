// What a record says became of a unit's order, against what our rules make of it.
//
// The package `diplomacy` lists words by unit, none for an order that did what it should:
//
//   move      none: it arrived; bounce; no convoy
//   support   none: given; cut; void: it matched nothing. Beside that, void also where the unit in the province of the
//             attack is the supporter's own, and void or no convoy where the supported army found no convoy: of such a
//             support nothing more can be compared
//   convoy    none; void: the army did something else; disrupted; no convoy, which says of the army that it did not
//             arrive, or of the fleet that no route needed it: not compared
//   any       dislodged, whether there is somewhere to retreat or not; void for an order that nobody may give
//   retreat   none; bounce and disband: two met; disband, ordered or not
//   build     an empty word: done; void
//
// What is left are differences of its adjudicator: an army that comes by convoy does not cut a support of the fleet that
// carries it, and a support against the supporter's own unit counts if the attack is by convoy.
//
// webDiplomacy has two flags. `success` is 'No' for every hold, tells of a convoy whether the army arrived by it, and of a
// support whether it matched and was neither cut nor dislodged; `dislodged` counts in movement phases.
import {
  CONVOY,
  type CompiledMap,
  DESTROYED,
  DISBAND,
  FAILS,
  fates,
  GIVEN,
  ILLEGAL,
  MOVE,
  NO_FATE,
  NO_UNIT,
  orderAux,
  orderTarget,
  orderType,
  type Province,
  RETREAT_TO,
  type Results,
  resultNames,
  SUCCEEDS,
  SUPPORT_HOLD,
  SUPPORT_MOVE,
  unitPower,
} from '../../engine/internal.js';
import { moveWords, orderWords } from './outcome-words.js';
import type { Wording } from './raw.js';

/** Words of webDiplomacy's flags. */
export const SUCCESS = 'success';
export const FAILURE = 'failure';
export const WAS_DISLODGED = 'dislodged';

/** 'succeeds', 'cut, dislodged': what became of a unit, in our words. */
export const ourWords = (results: Results, province: Province): string => {
  const result = resultNames[results.result[province]];
  const fate = fates[results.fate[province]];
  return fate === null || fate === undefined ? result : `${result}, ${fate}`;
};

/** 'bounce, dislodged': recorded words for a message. */
export const theirWords = (words: readonly string[]): string =>
  words.filter((word) => word !== '').join(', ') || SUCCESS;

const isSupport = (type: number): boolean => type === SUPPORT_HOLD || type === SUPPORT_MOVE;

const lostItsConvoy = (map: CompiledMap, results: Results, province: Province): boolean =>
  orderType(results.order[province]) === MOVE &&
  results.result[province] !== SUCCEEDS &&
  moveWords(map, results, province).includes('no convoy');

/** True if a support acts on a province in which a unit of the supporter's own power stands. */
const attacksOwnUnit = (map: CompiledMap, results: Results, province: Province): boolean => {
  const order = results.order[province];
  if (orderType(order) !== SUPPORT_MOVE) return false;
  const there = results.unit[map.locationProvince[orderTarget(order)]];
  return there !== NO_UNIT && unitPower(there) === unitPower(results.unit[province]);
};

const packageAgrees = (map: CompiledMap, results: Results, province: Province, words: readonly string[]): boolean => {
  const fate = results.fate[province];
  if (words.includes('dislodged') !== (fate !== NO_FATE)) return false;
  if (words.includes('disband') && fate !== DESTROYED) return false;
  const said = words.filter((word) => word !== '' && word !== 'dislodged' && word !== 'disband');
  const order = results.order[province];
  const type = orderType(order);
  const says = (word: string): boolean => said.includes(word);
  if (isSupport(type)) {
    const lost = lostItsConvoy(map, results, orderAux(order));
    if ((says('void') && (lost || attacksOwnUnit(map, results, province))) || (says('no convoy') && lost)) return true;
  }
  if (type === CONVOY && says('no convoy')) return true;
  return said.join() === orderWords(map, results, province).join();
};

/** Null where an army may have gone by land, of which the flag of its convoy says nothing. */
const convoyArrived = (results: Results, province: Province): boolean | null => {
  const army = orderAux(results.order[province]);
  const order = results.order[army];
  if (orderType(order) !== MOVE || orderTarget(order) !== orderTarget(results.order[province])) return false;
  if (results.result[army] !== SUCCEEDS) return false;
  return results.convoyed[army] === 1 ? true : null;
};

const succeeded = (results: Results, province: Province): boolean | null => {
  const type = orderType(results.order[province]);
  const result = results.result[province];
  if (type === MOVE) return result === SUCCEEDS;
  if (isSupport(type)) return result === ILLEGAL ? null : result === GIVEN && results.fate[province] === NO_FATE;
  return type === CONVOY ? convoyArrived(results, province) : null;
};

const flagsAgree = (results: Results, province: Province, words: readonly string[]): boolean => {
  if (words.includes(WAS_DISLODGED) !== (results.fate[province] !== NO_FATE)) return false;
  const ours = succeeded(results, province);
  return ours === null || words.includes(SUCCESS) === ours;
};

/** True if the recorded words of a unit in a movement phase and what became of it here are of one mind. */
export const movementAgrees = (
  map: CompiledMap,
  results: Results,
  province: Province,
  words: readonly string[],
  wording: Wording,
): boolean =>
  wording === 'diplomacy' ? packageAgrees(map, results, province, words) : flagsAgree(results, province, words);

/** The same for a dislodged unit in a retreat phase. */
export const retreatAgrees = (
  results: Results,
  province: Province,
  words: readonly string[],
  wording: Wording,
): boolean => {
  const type = orderType(results.order[province]);
  const retreated = type === RETREAT_TO && results.result[province] === SUCCEEDS;
  if (wording === 'webdiplomacy')
    return type === DISBAND || type !== RETREAT_TO || words.includes(SUCCESS) === retreated;
  if (words.includes('disband') === retreated) return false;
  return words.includes('bounce') === (type === RETREAT_TO && results.result[province] === FAILS);
};

/** The same for a build or removal that was ordered. @param done here */
export const adjustmentAgrees = (done: boolean, words: readonly string[], wording: Wording): boolean =>
  wording === 'webdiplomacy' ? words.includes(SUCCESS) === done : words.includes('') === done;

/** True if a record says of an order that nobody may give it: then ours need not read it either. */
export const saysVoid = (words: readonly string[] | undefined): boolean => words?.includes('void') === true;
