// Moves that only maps with rules of their own know: trains, passages through a canal, crossings of difficult borders; and
// fleets that convoy from coasts. Finds them among the orders on the board. Their strengths are in recursion.ts.

import type { CompiledMap, SpecialTables } from '../../map/compiled-map.js';
import { isCanal } from '../../map/special.js';
import { testBit } from '../../rules/bitset.js';
import * as O from '../../rules/order.js';
import { MAX_LOCATIONS } from '../../rules/types.js';
import * as B from './board.js';

const { unit, order } = B.board;
const { MOVE, CONVOY, RAIL, orderType, orderTarget, orderVia } = O;

let tables: SpecialTables | null = null;
let locationCount = 0;
/** Provinces of units that can have special orders. */
const origins = new Int32Array(MAX_LOCATIONS);
let originCount = 0;

/** Makes the tables of a map those in use. Returns true if it has places for orders that the passes do not know. */
export const useSpecial = (map: CompiledMap): boolean => {
  // What was found on another map must not be read on this one, where nothing may ever be looked for.
  clearFound();
  tables = map.special;
  locationCount = map.locationCount;
  originCount = 0;
  for (const p of tables?.origins ?? []) origins[originCount++] = p;
  return originCount > 0;
};

/** Input besides units and orders, on maps with a railroad or a canal: callers must fill it too. */
export const specialInput = {
  /** By place on the line: 1 for a lost centre, which another power than that of the railroad owns. */
  lost: new Int32Array(MAX_LOCATIONS),
  /** [0]: end of the canal whose fleet the controlling unit lets through, 1 or 2; 0 for none. */
  leave: new Int32Array(1),
};

const keyOf = (province: number): number => (unit[province] & 0xffff) - 1;
const isArmy = (province: number): boolean => keyOf(province) < locationCount;

const isPassage = (from: number, to: number): boolean => tables !== null && isCanal(tables, from, to);
const isCrossing = (from: number, to: number): boolean =>
  tables !== null && isArmy(from) && testBit(tables.difficult, from, to) === 1;

/** True if some order on the board is one that the passes do not know. */
export const hasSpecialOrder = (): boolean => {
  for (let i = 0; i < originCount; i++) if (unit[origins[i]] !== 0 && isSpecialOrder(origins[i])) return true;
  return false;
};

const isSpecialOrder = (province: number): boolean => {
  if (tables === null) return false;
  const o = order[province];
  switch (orderType(o)) {
    case RAIL:
      return true;
    case MOVE:
      return isPassage(province, orderTarget(o)) || isCrossing(province, orderTarget(o));
    case CONVOY:
      return testBit(tables.convoyable, 0, province) === 1;
    default:
      return false;
  }
};

// ---- the special orders of one set, found by findSpecial() ----

export const NO_TRAIN = -1;
/** By province: 1 for an army that crosses a difficult border, unless it goes by convoy. */
const crosses = new Int32Array(MAX_LOCATIONS);
/** By province: 1 for a fleet that is ordered through the canal. */
const passes = new Int32Array(MAX_LOCATIONS);
/** By province: how many stretches the train must ride to it; 0 for all others. */
const stretchTo = new Int32Array(MAX_LOCATIONS);
/** The provinces of the ride: trip[0] is where the train begins. */
const trip = new Int32Array(MAX_LOCATIONS);
/** By stretch: 1 if the province at its end is a lost centre. */
const lostAt = new Int32Array(MAX_LOCATIONS);

/** [0]: where the last stretch leads that the train tried. Written when all is resolved, if there is a train. */
const tried = new Int32Array(1);

export const found = { crosses, passes, stretchTo, trip, lostAt, tried };

let train = NO_TRAIN;
let stretches = 0;
let permitted = -1;
let dirty = false;

/** Province of the train; NO_TRAIN without one. */
export const trainProvince = (): number => train;
/** Length of its ride. */
export const stretchCount = (): number => stretches;
/** Province of the fleet that has leave to pass the canal; -1 if none has. */
export const permittedFleet = (): number => permitted;
/** Province that controls the canal. */
export const controlProvince = (): number => tables?.control ?? -1;

const clearFound = (): void => {
  if (dirty) {
    crosses.fill(0);
    passes.fill(0);
    stretchTo.fill(0);
  }
  dirty = false;
  train = NO_TRAIN;
  stretches = 0;
  permitted = -1;
};

const layTrip = (from: number, to: number, { line, lineIndex }: SpecialTables): void => {
  const first = lineIndex[from];
  const step = lineIndex[to] > first ? 1 : -1;
  stretches = Math.abs(lineIndex[to] - first);
  for (let i = 0; i <= stretches; i++) {
    const place = first + i * step;
    trip[i] = line[place];
    lostAt[i] = specialInput.lost[place];
    if (i > 0) stretchTo[line[place]] = i;
  }
};

/** Whether the unit in a province is one of the power of the railroad. */
export const isRailUnit = (province: number): boolean => (unit[province] >>> 16) - 1 === tables?.railPower;

/** The fleet that has leave: the one that is named, else the only one of the controller's own that is ordered through. */
const findPermitted = ({ canal, control }: SpecialTables): number => {
  const named = specialInput.leave[0];
  if (unit[control] === 0) return -1;
  if (named !== 0 && unit[canal[named - 1]] !== 0) return canal[named - 1];
  const own = canal.filter((p) => passes[p] === 1 && B.samePower(unit[p], unit[control]));
  return own.length === 1 ? own[0] : -1;
};

/**
 * Finds the special orders on the board.
 * @returns true if there are any. More than one train: none of them rides, and there is no train
 */
export const findSpecial = (): boolean => {
  if (tables === null) return false;
  clearFound();
  let trains = 0;
  let special = false;
  for (let i = 0; i < originCount; i++) {
    const p = origins[i];
    if (unit[p] === 0 || !isSpecialOrder(p)) continue;
    special = true;
    dirty = true;
    const o = order[p];
    if (orderType(o) === RAIL) {
      trains++;
      train = p;
    } else if (orderType(o) === MOVE) {
      if (isPassage(p, orderTarget(o))) passes[p] = 1;
      else crosses[p] = 1 - orderVia(o);
    }
  }
  if (trains > 1) train = NO_TRAIN;
  if (train !== NO_TRAIN) layTrip(train, orderTarget(order[train]), tables);
  if (tables.canal.length > 0) permitted = findPermitted(tables);
  return special;
};

// Coasts of a province lie at different seas: seaNeighbours (board.ts), which knows provinces alone, says too much of a
// fleet on one of them.

/** True if a chain of convoying fleets, which are in neighbouring provinces, can go from one to the other. */
export const areLinked = (a: number, b: number): boolean =>
  tables === null || testBit(tables.fleetReach, keyOf(a) - locationCount, keyOf(b) - locationCount) === 1;

/** True if a convoying fleet next to a province can take up an army there, or land it. */
export const touches = (fleet: number, province: number): boolean => tables === null || B.canMove(fleet, province);
