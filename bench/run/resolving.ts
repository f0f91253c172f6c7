// Resolves order sets one by one for timing, and computes statistics of the sets.

import { board, counters, resolveByRecursion, resolveOrders, useMap } from '../../engine/adjudicate/movement/index.js';
import { standard } from '../../engine/map/standard.js';
import * as O from '../../engine/rules/order.js';
import type { PackedSet } from '../corpus/families.js';

const { places, unit, order, success, dislodgedBy, matched } = board;

/** Puts an order set on the board and returns its number of units. The board must not have units of another map. */
const loadSet = ({ places: from, units, orders }: PackedSet): number => {
  places.set(from);
  unit.set(units);
  order.set(orders);
  return from.length;
};

/**
 * Resolves every order set once on the board. Returns a number that depends on all results, so that V8 cannot remove
 * the work. prepareBoard() must have been called.
 */
export const resolveAll = (sets: readonly PackedSet[]): number => {
  let sum = 0;
  for (let k = 0; k < sets.length; k++) {
    const count = loadSet(sets[k]);
    sum = (Math.imul(sum, 31) + resolveOrders(count)) | 0;
    sum = (Math.imul(sum, 31) + success[places[k % count]]) | 0;
  }
  return sum;
};

/** Removes all units from the board and loads the tables of the standard map. */
export const prepareBoard = (): void => {
  useMap(standard);
  unit.fill(0);
};

/**
 * Returns a hash of all results and dislodgements of order sets, an unsigned 32-bit integer.
 * @param resolve resolver: resolveOrders() or resolveByRecursion()
 */
export const checkSets = (sets: readonly PackedSet[], resolve: (count: number) => number = resolveOrders): number => {
  prepareBoard();
  let sum = 0;
  for (const set of sets) {
    const count = loadSet(set);
    resolve(count);
    for (let i = 0; i < count; i++) {
      const p = places[i];
      const type = O.orderType(order[p]);
      // success is meaningless for a hold and for an order that was not matched.
      const counts = type === O.MOVE || (type !== O.HOLD && matched[p] !== 0);
      sum = (Math.imul(sum, 0x0100_0193) + (counts ? success[p] : 2) + 4 * dislodgedBy[p]) | 0;
    }
  }
  return sum >>> 0;
};

export const checkByRecursion = (sets: readonly PackedSet[]): number => checkSets(sets, resolveByRecursion);

/** Returns the share of the order sets that resolveOrders() leaves to the recursion, 0 to 1. */
export const bailOutRate = (sets: readonly PackedSet[]): number => {
  prepareBoard();
  const before = { ...counters };
  resolveAll(sets);
  return (counters.recursions - before.recursions) / (counters.sets - before.sets);
};

/**
 * Statistics of order sets. `units`: mean number of units. `moves`, `supports`, `convoys`, `via`: shares of the units,
 * 0 to 1. `given`: share of the supports that succeed. `succeeding`: share of the moves that succeed.
 */
export interface Profile {
  readonly units: number;
  readonly moves: number;
  readonly supports: number;
  readonly given: number;
  readonly convoys: number;
  readonly via: number;
  readonly succeeding: number;
}

export const profile = (sets: readonly PackedSet[]): Profile => {
  prepareBoard();
  let [units, moves, supports, given, convoys, via, succeeding] = [0, 0, 0, 0, 0, 0, 0];
  for (const set of sets) {
    const count = loadSet(set);
    resolveOrders(count);
    for (let i = 0; i < count; i++) {
      const p = places[i];
      const type = O.orderType(order[p]);
      units++;
      if (type === O.MOVE) {
        moves++;
        via += O.orderVia(order[p]);
        succeeding += success[p];
      } else if (type === O.CONVOY) convoys++;
      else if (type !== O.HOLD) {
        supports++;
        given += matched[p] !== 0 ? success[p] : 0;
      }
    }
  }
  return {
    units: units / sets.length,
    moves: moves / units,
    supports: supports / units,
    given: given / supports,
    convoys: convoys / units,
    via: via / units,
    succeeding: succeeding / moves,
  };
};
