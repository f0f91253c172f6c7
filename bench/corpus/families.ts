// Makes families of order sets: positions on the standard map with an order for every unit, determined by a seed. The
// benchmark resolves them packed for the board (makeCorpus); the tests use them one by one (families).
//
//   1901 uniform   the start position; every unit draws a legal order uniformly
//   mid uniform    positions of policy games from the spring of 1905 on with 30 units or more; uniform
//   mid policy     the same positions; orders of the heuristic sampler
//   mid dense      the same positions; half of the units move, supports and convoys match actual orders
//   1901 dense     the start position; orders as in "mid dense"

import { board, packedOrder } from '../../engine/adjudicate/movement/index.js';
import { isLegal } from '../../engine/legal/lists.js';
import { standard } from '../../engine/map/standard.js';
import { drawPolicy, drawUniform } from '../../engine/play/draw-orders.js';
import { RandomGame } from '../../engine/play/step.js';
import { type Game, newGame } from '../../engine/position/game.js';
import { DATC_3_2 } from '../../engine/rules/options.js';
import { hold } from '../../engine/rules/order.js';
import { Random } from '../../engine/rules/random.js';
import { MAX_LOCATIONS } from '../../engine/rules/types.js';
import { orderDensely } from './dense-orders.js';
import { midPositions, openMidGames } from './positions.js';

const map = standard;

/** A position in a movement phase and an order for each of its units. */
export interface OrderSet {
  readonly game: Game;
  /** Packed orders, ascending by province. Only the first `count` elements are valid. */
  readonly orders: Int32Array;
  readonly count: number;
}

export interface Family {
  readonly name: string;
  /**
   * Returns a function that returns the next order set at each call. The order sets depend only on the seed. A set is
   * valid until the next call.
   */
  open(seed: number): () => OrderSet;
}

export const familyNames = ['1901 uniform', 'mid uniform', 'mid policy', 'mid dense', '1901 dense'] as const;
export type FamilyName = (typeof familyNames)[number];

// ---- how orders are drawn, on the board ----

type Ordering = (game: Game, random: Random, count: number) => void;

const uniform: Ordering = (_game, random, count) => drawUniform(map, false, count, random.next());
const policy: Ordering = (_game, random, count) => drawPolicy(map, false, count, random.next());

const onBoard = new RandomGame();
const chosen = new Int32Array(MAX_LOCATIONS);
const dense: Ordering = (game, random, count) => {
  chosen.fill(0);
  orderDensely(game, random, chosen);
  for (let i = 0; i < count; i++) board.order[board.places[i]] = onBoard.boardOrder(chosen[board.places[i]]);
};

/**
 * How the order sets of each family are made. `opening`: true if all positions are the start position. `order`: draws
 * the orders.
 */
const recipes: Readonly<Record<FamilyName, { readonly opening: boolean; readonly order: Ordering }>> = {
  '1901 uniform': { opening: true, order: uniform },
  'mid uniform': { opening: false, order: uniform },
  'mid policy': { opening: false, order: policy },
  'mid dense': { opening: false, order: dense },
  '1901 dense': { opening: true, order: dense },
};

/** Returns the random numbers for the orders of a family. */
const openRandom = (name: FamilyName, seed: number): Random => new Random(seed, familyNames.indexOf(name));

/** Puts a position on the board and draws its orders there. Leaves both on the board. Returns the number of units. */
const drawOnBoard = (name: FamilyName, game: Game, random: Random): number => {
  onBoard.load(game);
  recipes[name].order(game, random, onBoard.count);
  return onBoard.count;
};

/** Removes all units from the board. */
const clearBoard = (): void => {
  board.unit.fill(0);
};

// ---- sets one by one ----

const openFamily = (name: FamilyName, seed: number): (() => OrderSet) => {
  const opening = newGame(map, DATC_3_2);
  const nextGame = recipes[name].opening ? () => opening : openMidGames(seed);
  const random = openRandom(name, seed);
  const orders = new Int32Array(MAX_LOCATIONS);
  return () => {
    const game = nextGame();
    const count = drawOnBoard(name, game, random);
    for (let i = 0; i < count; i++) {
      const at = game.unitLocation(board.places[i]);
      const order = packedOrder(board.order[board.places[i]], at);
      orders[i] = isLegal(game, order) ? order : hold(at);
    }
    clearBoard();
    return { game, orders, count };
  };
};

/** Families of order sets, one set at a time. Illegal orders become holds, because the board would execute them. */
export const families: readonly Family[] = familyNames.map((name) => ({
  name,
  open: (seed) => openFamily(name, seed),
}));

// ---- many sets, packed for the board ----

/**
 * One order set, ready for the board. Copying three lists takes a third of the time of writing unit by unit. The lists
 * of all sets of a family are contiguous in memory.
 */
export interface PackedSet {
  /** Provinces with units, ascending. */
  readonly places: Int32Array;
  /** Units in the format of the board, indexed by province; 0 for no unit. */
  readonly units: Int32Array;
  /** Orders in the format of the board, indexed by province. */
  readonly orders: Int32Array;
}

/** `positions`: mid-game positions. `sets`: order sets of each family, keyed by name of the family. */
export interface Corpus {
  readonly positions: readonly Game[];
  readonly sets: Readonly<Record<FamilyName, readonly PackedSet[]>>;
}

/**
 * Allocates memory for `size` order sets. Returns a function that returns the part for set k, which has `count` units.
 */
export const makeRoom = (size: number): ((k: number, count: number) => PackedSet) => {
  const provinces = map.provinceCount;
  const room = new Int32Array(3 * size * provinces);
  const row = (n: number, length: number): Int32Array => room.subarray(n * provinces, n * provinces + length);
  return (k, count) => ({
    places: row(3 * k, count),
    units: row(3 * k + 1, provinces),
    orders: row(3 * k + 2, provinces),
  });
};

const makeSets = (name: FamilyName, positions: readonly Game[], seed: number): PackedSet[] => {
  const room = makeRoom(positions.length);
  const random = openRandom(name, seed);
  const sets = positions.map((game, k) => {
    const count = drawOnBoard(name, game, random);
    const set = room(k, count);
    for (let i = 0; i < count; i++) {
      const p = board.places[i];
      set.places[i] = p;
      set.units[p] = board.unit[p];
      set.orders[p] = board.order[p];
    }
    return set;
  });
  clearBoard();
  return sets;
};

/** Makes `size` mid-game positions and `size` order sets of each family. They depend only on the seed. */
export const makeCorpus = (seed: number, size: number): Corpus => {
  const positions = midPositions(seed, size);
  const opening = newGame(map, DATC_3_2);
  const start = Array.from({ length: size }, () => opening);
  const make = (name: FamilyName): [FamilyName, PackedSet[]] => [
    name,
    makeSets(name, recipes[name].opening ? start : positions, seed),
  ];
  return { positions, sets: Object.fromEntries(familyNames.map(make)) as Record<FamilyName, PackedSet[]> };
};
