// Provides what the references share: turns orders into pieces that refer to one another. Each reference judges them in
// its own way.

import type { CompiledMap } from '../../engine/map/compiled-map.js';
import { testBit } from '../../engine/rules/bitset.js';
import * as O from '../../engine/rules/order.js';
import { FLEET, NO_UNIT, unitPower, unitType } from '../../engine/rules/types.js';

export type Kind = 'hold' | 'move' | 'support' | 'convoy';

/** A unit with its order; at most one in a province, which names it. */
export interface Piece {
  readonly at: number;
  readonly power: number;
  readonly isFleet: boolean;
  readonly kind: Kind;
  /** Province that a move, support or convoy goes to; its own for a hold. */
  readonly target: number;
  /** The location that it names, a coast perhaps. */
  readonly targetLocation: number;
  /** Province of the unit that is helped; -1. */
  readonly helped: number;
  readonly isHoldSupport: boolean;
  readonly via: boolean;
  /** Can go there over a border. */
  readonly canWalk: boolean;
}

export interface Paper {
  readonly map: CompiledMap;
  readonly pieces: readonly Piece[];
  at(province: number): Piece | undefined;
}

/** What a reference says: the orders that did what they should, and who dislodged whom (-1: nobody), by province. */
export interface Verdict {
  readonly success: Uint8Array;
  readonly attacker: Int16Array;
}

const kindOf = (type: number): Kind => {
  if (type === O.MOVE) return 'move';
  if (type === O.SUPPORT_HOLD || type === O.SUPPORT_MOVE) return 'support';
  return type === O.CONVOY ? 'convoy' : 'hold';
};

/**
 * Reads units and orders by province, as for the oracle (oracle.ts).
 * @param sequence provinces of all units, in the order in which the pieces are listed; ascending if not given
 */
export const readPaper = (
  map: CompiledMap,
  units: Uint8Array,
  orders: Int32Array,
  sequence: readonly number[] = [...Array(map.provinceCount).keys()],
): Paper => {
  const byProvince: (Piece | undefined)[] = new Array(map.provinceCount).fill(undefined);
  for (let p = 0; p < map.provinceCount; p++) {
    if (units[p] === NO_UNIT) continue;
    const order = orders[p];
    const kind = kindOf(O.orderType(order));
    const targetLocation = kind === 'hold' ? p : O.orderTarget(order);
    const target = map.locationProvince[targetLocation];
    const isFleet = unitType(units[p]) === FLEET;
    byProvince[p] = {
      at: p,
      power: unitPower(units[p]),
      isFleet,
      kind,
      target,
      targetLocation,
      helped: kind === 'support' || kind === 'convoy' ? O.orderHelped(order) : -1,
      isHoldSupport: O.orderType(order) === O.SUPPORT_HOLD,
      via: kind === 'move' && O.orderVia(order) === 1,
      canWalk: isFleet || testBit(map.reach, p, target) === 1,
    };
  }
  return {
    map,
    pieces: sequence.map((province) => byProvince[province]).filter((piece) => piece !== undefined),
    at: (province) => byProvince[province],
  };
};

/** The support helps what its unit does; a coast that it names must be that of the move. */
export const supportMatches = (paper: Paper, support: Piece): boolean => {
  const helped = paper.at(support.helped);
  if (helped === undefined) return false;
  if (support.isHoldSupport) return helped.kind !== 'move';
  if (helped.kind !== 'move' || helped.target !== support.target) return false;
  return support.targetLocation < paper.map.provinceCount || support.targetLocation === helped.targetLocation;
};

export const isNextToSea = (paper: Paper, province: number, sea: number): boolean =>
  testBit(paper.map.seaNeighbours, province, sea) === 1;

/** The fleets that are ordered to take the army where it goes. */
export const fleetsOf = (paper: Paper, army: Piece): readonly Piece[] =>
  paper.pieces.filter((fleet) => fleet.kind === 'convoy' && fleet.helped === army.at && fleet.target === army.target);

/** A chain of these fleets leads from the army to where it goes. */
export const hasChain = (paper: Paper, army: Piece, fleets: readonly Piece[]): boolean => {
  const reached = fleets.filter((fleet) => isNextToSea(paper, army.at, fleet.at));
  for (const fleet of reached) {
    if (isNextToSea(paper, army.target, fleet.at)) return true;
    for (const next of fleets) if (!reached.includes(next) && isNextToSea(paper, fleet.at, next.at)) reached.push(next);
  }
  return false;
};

/** The backup rule of DATC 3.2, chapter 5.B.9, on the orders of a cycle: what it decides. */
export const applyBackupRule = (cycle: readonly Piece[]): readonly (readonly [Piece, boolean])[] => {
  const convoys = cycle.filter((piece) => piece.kind === 'convoy');
  if (convoys.length > 0) return convoys.map((piece) => [piece, false] as const);
  const isCircle = cycle.every((piece) => piece.kind === 'move');
  return cycle.map((piece) => [piece, isCircle] as const);
};

/** Asks for every order in turn, and reads from the answers who dislodged whom. */
export const toVerdict = (paper: Paper, succeeds: (piece: Piece) => boolean): Verdict => {
  const success = new Uint8Array(paper.map.provinceCount);
  const attacker = new Int16Array(paper.map.provinceCount).fill(-1);
  for (const piece of paper.pieces) if (piece.kind !== 'hold') success[piece.at] = succeeds(piece) ? 1 : 0;
  for (const move of paper.pieces) {
    const occupant = paper.at(move.target);
    if (move.kind !== 'move' || success[move.at] === 0 || occupant === undefined) continue;
    if (occupant.kind !== 'move' || success[occupant.at] === 0) attacker[occupant.at] = move.at;
  }
  return { success, attacker };
};
