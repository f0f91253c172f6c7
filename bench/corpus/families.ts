// The order sets that the resolver is measured on: five families, each fixed by a seed, packed as the board wants them.
//
//   1901 uniform   the start; every unit a uniform random legal order
//   mid uniform    positions of policy games from the spring of 1905 on with 30 units or more; uniform
//   mid policy     the same positions; the policy sampler's orders
//   mid dense      the same positions; half of the units move, supports and convoys match real orders
//   1901 dense     the start, likewise
import { testBit } from '../../engine/bitset.js';
import { isLegal } from '../../engine/legal/lists.js';
import { standard } from '../../engine/map/standard.js';
import * as O from '../../engine/order.js';
import { hashSeed, Random } from '../../engine/random.js';
import { board } from '../../engine/resolve/index.js';
import { DATC_3_2 } from '../../engine/rules.js';
import { samplePolicy, sampleUniform, useMapForSampling } from '../../engine/sampling/sampler.js';
import { boardYear, load, POLICY, step, store } from '../../engine/sampling/stepper.js';
import { Game, newGame } from '../../engine/state.js';
import { ARMY, COAST, FLEET, MAX_LOCATIONS, NO_UNIT, unitType } from '../../engine/types.js';

const map = standard;

export const familyNames = ['1901 uniform', 'mid uniform', 'mid policy', 'mid dense', '1901 dense'] as const;
export type FamilyName = (typeof familyNames)[number];

/**
 * One order set, ready for the board: copying three rows takes a third of the time that scattering unit by unit does.
 * Rows of all sets of a family lie side by side.
 */
export interface PackedSet {
  /** Provinces with units. */
  readonly places: Int32Array;
  /** By province: the unit word, 0 for none; the order. */
  readonly units: Int32Array;
  readonly orders: Int32Array;
}

/** Mid-game positions, and the sets of every family. */
export interface Corpus {
  readonly positions: readonly Game[];
  readonly sets: Readonly<Record<FamilyName, readonly PackedSet[]>>;
}

const MID_UNITS = 30;
const MID_YEAR = map.startYear + 4;
const LAST_YEAR = map.startYear + 11;

const countUnits = (game: Game): number => {
  let n = 0;
  for (let p = 0; p < map.provinceCount; p++) if (game.unitAt(p) !== NO_UNIT) n++;
  return n;
};

/** Positions of random policy games that a test accepts, at most one a year. Games until there are enough. */
export const findPositions = (seed: number, size: number, accept: (units: number, year: number) => boolean): Game[] => {
  const found: Game[] = [];
  const start = newGame(map, DATC_3_2);
  const stream = new Int32Array(2);
  for (let g = 0; found.length < size; g++) {
    stream[0] = hashSeed(seed, g, 1);
    stream[1] = hashSeed(seed, g, 2);
    load(start, stream);
    while (boardYear() < LAST_YEAR && found.length < size) {
      if (step(POLICY) >= 0 || step(POLICY) >= 0) break;
      const game = new Game(map, DATC_3_2);
      store(game, stream);
      if (accept(countUnits(game), game.year)) found.push(game);
    }
  }
  return found;
};

export const midPositions = (seed: number, size: number): Game[] =>
  findPositions(seed, size, (units, year) => year >= MID_YEAR && units >= MID_UNITS);

// ---- dense orders ----

const keyOf = (game: Game, p: number): number =>
  unitType(game.unitAt(p)) === FLEET ? map.locationCount + game.unitLocation(p) : p;

const isNextToSea = (p: number, sea: number): boolean => testBit(map.seaNeighbours, p, sea) === 1;

/** True for a few in a hundred. */
const chance = (random: Random, percent: number): boolean => random.below(100) < percent;

const isFleetAtSea = (game: Game, p: number): boolean => game.unitAt(p) !== NO_UNIT && testBit(map.seas, 0, p) === 1;

/** The fleets at sea of a position in groups that hang together. */
const groupFleets = (game: Game, provinces: readonly number[]): number[][] => {
  const rest = new Set(provinces.filter((p) => isFleetAtSea(game, p)));
  const groups: number[][] = [];
  for (const first of rest) {
    const group = [first];
    rest.delete(first);
    for (const sea of group)
      for (const next of rest)
        if (isNextToSea(sea, next)) {
          rest.delete(next);
          group.push(next);
        }
    groups.push(group);
  }
  return groups;
};

const provincesOf = (game: Game): number[] =>
  [...Array(map.provinceCount).keys()].filter((p) => game.unitAt(p) !== NO_UNIT);

const pick = (random: Random, list: readonly number[]): number => list[random.below(list.length)];

/** A third of the armies that can goes by convoy; nine in ten fleets of the group take it, where that is legal. */
const orderConvoys = (game: Game, random: Random, provinces: readonly number[], chosen: Int32Array): void => {
  const groups = groupFleets(game, provinces);
  for (const army of provinces) {
    if (unitType(game.unitAt(army)) !== ARMY || map.kind[army] !== COAST || !chance(random, 35)) continue;
    const group = groups.find((g) => g.some((sea) => isNextToSea(army, sea)) && g.every((sea) => chosen[sea] === 0));
    if (group === undefined) continue;
    const ends = [...Array(map.provinceCount).keys()].filter(
      (p) => p !== army && map.kind[p] === COAST && group.some((sea) => isNextToSea(p, sea)),
    );
    if (ends.length === 0) continue;
    const to = pick(random, ends);
    chosen[army] = O.moveVia(army, to);
    for (const sea of group) {
      const order = O.convoy(sea, army, to);
      if (chance(random, 90) && isLegal(game, order)) chosen[sea] = order;
    }
  }
};

/** Half of the others move, rather to where somebody stands. */
const orderMoves = (game: Game, random: Random, provinces: readonly number[], chosen: Int32Array): void => {
  for (const p of provinces) {
    if (chosen[p] !== 0 || !chance(random, 50)) continue;
    const key = keyOf(game, p);
    const begin = map.moveOffsets[key];
    const n = map.moveOffsets[key + 1] - begin;
    if (n === 0) continue;
    let to = map.moveTargets[begin + random.below(n)];
    if (game.unitAt(map.locationProvince[to]) === NO_UNIT) to = map.moveTargets[begin + random.below(n)];
    chosen[p] = O.move(game.unitLocation(p), to);
  }
};

/** Whoever is left supports what another unit within reach really does, or holds. */
const orderSupports = (game: Game, random: Random, provinces: readonly number[], chosen: Int32Array): void => {
  const left = provinces.filter((p) => chosen[p] === 0);
  for (const p of left) {
    const at = game.unitLocation(p);
    const key = keyOf(game, p);
    const helpful: number[] = [];
    for (const q of provinces) {
      if (q === p) continue;
      const moves = O.orderType(chosen[q]) === O.MOVE;
      const to = moves ? map.locationProvince[O.orderTarget(chosen[q])] : q;
      if (to === p || testBit(map.reach, key, to) === 0) continue;
      helpful.push(moves ? O.supportMove(at, q, to) : O.supportHold(at, q));
    }
    chosen[p] = helpful.length > 0 ? pick(random, helpful) : O.hold(at);
  }
};

const denseOrders = (game: Game, random: Random, chosen: Int32Array): void => {
  const provinces = provincesOf(game);
  chosen.fill(0);
  orderConvoys(game, random, provinces, chosen);
  orderMoves(game, random, provinces, chosen);
  orderSupports(game, random, provinces, chosen);
};

// ---- order sets ----

/** Puts the units of a position on the board; returns their number. */
const putOnBoard = (game: Game): number => {
  useMapForSampling(map);
  board.unit.fill(0);
  let n = 0;
  for (let p = 0; p < map.provinceCount; p++) {
    const there = game.unitAt(p);
    if (there === NO_UNIT) continue;
    board.places[n++] = p;
    board.unit[p] = ((there >> 1) << 16) | (keyOf(game, p) + 1);
  }
  return n;
};

type Ordering = (game: Game, random: Random, count: number) => void;

const uniform: Ordering = (_game, random, count) => sampleUniform(count, random.next());
const policy: Ordering = (_game, random, count) => samplePolicy(count, random.next());

const chosen = new Int32Array(MAX_LOCATIONS);
const dense: Ordering = (game, random, count) => {
  denseOrders(game, random, chosen);
  for (let i = 0; i < count; i++) {
    const p = board.places[i];
    board.order[p] = O.withTarget(chosen[p], map.locationProvince[O.orderTarget(chosen[p])]);
  }
};

/** Rows for so many order sets. */
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

const makeSets = (positions: readonly Game[], random: Random, order: Ordering): PackedSet[] => {
  const room = makeRoom(positions.length);
  const sets = positions.map((game, k) => {
    const count = putOnBoard(game);
    order(game, random, count);
    const set = room(k, count);
    for (let i = 0; i < count; i++) {
      const p = board.places[i];
      set.places[i] = p;
      set.units[p] = board.unit[p];
      set.orders[p] = board.order[p];
    }
    return set;
  });
  board.unit.fill(0);
  return sets;
};

/** Positions and order sets of all families, `size` of each. The same seed gives the same ones. */
export const makeCorpus = (seed: number, size: number): Corpus => {
  const positions = midPositions(seed, size);
  const opening = newGame(map, DATC_3_2);
  const start = Array.from({ length: size }, () => opening);
  const make = (index: number, from: readonly Game[], order: Ordering): PackedSet[] =>
    makeSets(from, new Random(seed, index), order);
  return {
    positions,
    sets: {
      '1901 uniform': make(0, start, uniform),
      'mid uniform': make(1, positions, uniform),
      'mid policy': make(2, positions, policy),
      'mid dense': make(3, positions, dense),
      '1901 dense': make(4, start, dense),
    },
  };
};
