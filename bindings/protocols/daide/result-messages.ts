// Writes the results of orders: ORD.
import {
  ARMY,
  BUILD_ARMY,
  BUILD_FLEET,
  CONVOY,
  CUT,
  DISBAND,
  explain,
  FLEET,
  HOLD,
  INVALID,
  MOVE,
  makeUnit,
  NO_FATE,
  type Order,
  orderHelped,
  orderLocation,
  orderTarget,
  orderType,
  orderVia,
  type Power,
  type Province,
  REMOVE,
  RETREAT_TO,
  ReasonCode,
  type Results,
  SUCCEEDS,
  SUPPORT_HOLD,
  SUPPORT_MOVE,
} from '../../../engine/internal.js';
import { list, Word } from './language.js';
import { unitTokens } from './positions.js';
import type { Representation } from './representation.js';

/** ORD (turn) (order) (result) */
export const ordMessage = (turn: readonly number[], order: readonly number[], result: readonly number[]): number[] => [
  Word.ORD,
  ...list(turn),
  ...list(order),
  ...list(result),
];

/** The order that counted in a province, without brackets. @param path of a move by convoy */
export const orderTokens = (
  rep: Representation,
  results: Results,
  province: Province,
  path: readonly Province[],
): number[] => {
  const order = results.order[province];
  const written = (p: Province): number[] => list(unitTokens(rep, results.unit[p], orderLocation(results.order[p])));
  const own = written(province);
  const target = orderTarget(order);
  const [targetProvince] = rep.place(rep.map.locationProvince[target]);
  switch (orderType(order)) {
    case MOVE:
      return orderVia(order) === 1
        ? [...own, Word.CTO, targetProvince, Word.VIA, ...list(path.map((p) => rep.provinces[p]))]
        : [...own, Word.MTO, ...rep.place(target)];
    case SUPPORT_HOLD:
      return [...own, Word.SUP, ...written(orderHelped(order))];
    case SUPPORT_MOVE:
      return [...own, Word.SUP, ...written(orderHelped(order)), Word.MTO, targetProvince];
    case CONVOY:
      return [...own, Word.CVY, ...written(orderHelped(order)), Word.CTO, targetProvince];
    case RETREAT_TO:
      return [...own, Word.RTO, ...rep.place(target)];
    case DISBAND:
      return [...own, Word.DSB];
    case BUILD_ARMY:
    case BUILD_FLEET:
      return [...own, Word.BLD];
    case REMOVE:
      return [...own, Word.REM];
    default:
      return [...own, Word.HLD];
  }
};

/** A waive or a build that a power ordered, without brackets. */
export const waiveTokens = (rep: Representation, power: Power): number[] => [rep.powers[power], Word.WVE];

export const buildTokens = (rep: Representation, power: Power, order: Order): number[] => [
  ...list(unitTokens(rep, makeUnit(power, orderType(order) === BUILD_FLEET ? FLEET : ARMY), orderLocation(order))),
  Word.BLD,
];

const wordOfMove = (rep: Representation, results: Results, province: Province): number => {
  const result = results.result[province];
  if (result === SUCCEEDS) return Word.SUC;
  if (result === INVALID) return Word.NSO;
  if (results.convoyed[province] === 0) return Word.BNC;
  const { code } = explain(rep.map, results, province);
  return code === ReasonCode.CONVOY_DISRUPTED || code === ReasonCode.CONVOY_PARADOX ? Word.DSR : Word.BNC;
};

/**
 * The result of a unit in a movement turn.
 * @param note of an order that was accepted though it could not be obeyed; MBV for all others
 * @param isIdle true for a fleet whose convoy did not serve the way of its army
 */
export const movementResult = (
  rep: Representation,
  results: Results,
  province: Province,
  note: number,
  isIdle: boolean,
): number[] => {
  const isDislodged = results.fate[province] !== NO_FATE;
  const type = orderType(results.order[province]);
  const after = isDislodged ? [Word.RET] : [];
  if (note !== Word.MBV) return [note, ...after];
  if (isIdle) return [Word.NSO, ...after];
  if (type === MOVE) return [wordOfMove(rep, results, province), ...after];
  if (results.result[province] === INVALID) return [Word.NSO, ...after];
  if (results.result[province] === CUT) return [Word.CUT, ...after];
  // A unit that held or convoyed and was dislodged has no word but that.
  return isDislodged && (type === HOLD || type === CONVOY) ? after : [Word.SUC, ...after];
};
