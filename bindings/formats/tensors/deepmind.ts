// Encodes DeepMind's observations and actions.
//
// An action has 64 bits: bits 0 to 7 the kind of order, 9 to 15 the ordered province, 17 to 23 its target, 25 to 31 the
// helped unit, 48 to 63 its index in the list of all actions, which ascends by the low 32 bits. Bit 8 (of a fleet to
// build) and bit 16 (of the target of a move or retreat) are set for the south coast and 0 for the other coast. Actions
// leave out the type and the coast of the unit, which follow from the position.
import {
  type CompiledMap,
  type Game,
  type Location,
  perMap,
  SEA,
  testBit,
  vocabulary,
  WINTER,
} from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';
import * as O from '../../../engine/rules/order.js';
import { locationsOf } from '../../../selfplay/nets/dipnet-orders.js';
import { BoardEncoder, dueIn } from './board.js';

/** DeepMind's codes for kinds of order: bits 0 to 7 of an action. 'convoy to' is a move VIA. */
export const deepmindKinds = {
  'convoy to': 1,
  convoy: 2,
  hold: 3,
  'move to': 4,
  'support hold': 5,
  'support move to': 6,
  disband: 8,
  'retreat to': 9,
  'build army': 10,
  'build fleet': 11,
  remove: 12,
  waive: 13,
} as const;

const VIA_CODE = deepmindKinds['convoy to'];
const codes = new Int32Array(16);
codes[O.HOLD] = deepmindKinds.hold;
codes[O.MOVE] = deepmindKinds['move to'];
codes[O.SUPPORT_HOLD] = deepmindKinds['support hold'];
codes[O.SUPPORT_MOVE] = deepmindKinds['support move to'];
codes[O.CONVOY] = deepmindKinds.convoy;
codes[O.RETREAT_TO] = deepmindKinds['retreat to'];
codes[O.DISBAND] = deepmindKinds.disband;
codes[O.BUILD_ARMY] = deepmindKinds['build army'];
codes[O.BUILD_FLEET] = deepmindKinds['build fleet'];
codes[O.REMOVE] = deepmindKinds.remove;
codes[O.WAIVE] = deepmindKinds.waive;

/** Returns the column for the kind of area of a location: 0 land or coastal province, 1 sea, 2 coast of a province. */
const areaOf = (map: CompiledMap, location: Location): number => {
  if (location >= map.provinceCount) return 2;
  return map.kind[location] === SEA ? 1 : 0;
};

/** Returns the locations in the order of DeepMind's areas: each province, followed by its coasts. */
export const deepmindLocations = (map: CompiledMap): Location[] =>
  map.provinceTags.flatMap((_, province) => locationsOf(map, province));

/** Returns the encoder for DeepMind's boards of a map, which is cached. For code that encodes many boards. */
export const deepmindEncoder = perMap(
  (map) => new BoardEncoder(map, deepmindLocations(map), (location) => areaOf(map, location)),
);

/**
 * Writes the board of a game as the input of DeepMind's nets (Anthony et al. 2020, "Learning to play no-press Diplomacy
 * with best response policy iteration") to out[at .. at + rows * columns). boardLayout() returns the shape, [81, 35] on
 * the standard map; board.ts describes the columns, deepmindLocations() the order of the rows. Allocates memory only in
 * the first call for a map.
 */
export const deepmindBoardInto = (game: Game, out: Uint8Array, at = 0): void =>
  deepmindEncoder(game.map).encode(game, out, at, dueIn(game));

/** Returns the board of a game as the input of DeepMind's nets, in a new array. See deepmindBoardInto(). */
export const deepmindBoard = (game: Game): Uint8Array => {
  const out = new Uint8Array(deepmindEncoder(game.map).size);
  deepmindBoardInto(game, out);
  return out;
};

/**
 * Returns DeepMind's number of a phase: 0 spring moves, 1 spring retreats, 2 autumn moves, 3 autumn retreats, 4 builds.
 */
export const deepmindSeason = ({ season, phase }: Pick<Game, 'season' | 'phase'>): number =>
  season === WINTER ? 4 : 2 * season + phase;

/** Returns 1 for a coast that is not the first coast of its province (of two coasts, the south coast), otherwise 0. */
const coastFlag = (map: CompiledMap, location: Location): number =>
  location >= map.provinceCount && location !== map.firstCoast[map.locationProvince[location]] ? 1 : 0;

/** Returns the low 32 bits of an order's action. */
export const actionBits = (map: CompiledMap, order: O.Order): number => {
  const type = O.orderType(order);
  if (type === O.WAIVE) return codes[O.WAIVE];
  const at = O.orderLocation(order);
  const to = O.orderTarget(order);
  const code = type === O.MOVE && O.orderVia(order) === 1 ? VIA_CODE : codes[type];
  let bits = code | (map.locationProvince[at] << 9);
  if (type === O.BUILD_FLEET) bits |= coastFlag(map, at) << 8;
  if (type === O.MOVE || type === O.RETREAT_TO) bits |= coastFlag(map, to) << 16;
  if (
    type === O.MOVE ||
    type === O.RETREAT_TO ||
    type === O.SUPPORT_HOLD ||
    type === O.SUPPORT_MOVE ||
    type === O.CONVOY
  )
    bits |= map.locationProvince[to] << 17;
  if (type === O.SUPPORT_MOVE || type === O.CONVOY) bits |= O.orderHelped(order) << 25;
  return bits;
};

/** DeepMind's actions on a map: 18,584 on the standard map. */
export interface DeepmindActions {
  /** Low 32 bits of each action, ascending as unsigned numbers. The index in this array is the index of the action. */
  readonly bits: Uint32Array;
  /**
   * Index in `bits` of the action of each order, indexed as vocabulary(map). Orders that differ only in the unit share
   * an action.
   */
  readonly indexOf: Int32Array;
}

/** Returns the seas next to a province. */
const seasNextTo = (map: CompiledMap, province: number): number[] => {
  const found: number[] = [];
  for (let p = 0; p < map.provinceCount; p++)
    if (testBit(map.seas, 0, p) === 1 && testBit(map.seaNeighbours, province, p) === 1) found.push(p);
  return found;
};

/**
 * Adds the convoys of an army on every path that visits no sea twice, as in DeepMind's list. These are more than are
 * ever legal: a fleet may be on a path although a shorter path does without it.
 * @param army province of the army
 * @param next neighbouring seas of each province, indexed by province
 * @param bits receives the low 32 bits of the actions
 */
const addConvoysOnPaths = (map: CompiledMap, army: number, next: readonly number[][], bits: Set<number>): void => {
  const path: number[] = [];
  const onPath = new Uint8Array(map.provinceCount);
  const landAt = (fleets: readonly number[]): void => {
    const last = fleets[fleets.length - 1];
    for (let to = 0; to < map.provinceCount; to++) {
      if (to === army || testBit(map.coastNeighbours, last, to) === 0) continue;
      for (const fleet of fleets) bits.add(actionBits(map, O.convoy(fleet, army, to)) >>> 0);
    }
  };
  const walk = (sea: number): void => {
    path.push(sea);
    onPath[sea] = 1;
    landAt(path);
    for (const further of next[sea]) if (onPath[further] === 0) walk(further);
    onPath[sea] = 0;
    path.pop();
  };
  for (const sea of next[army]) walk(sea);
};

/** Maximum number of seas on a map for which all paths can be enumerated. */
const MAX_SEAS = 20;

const listConvoys = (map: CompiledMap, bits: Set<number>): void => {
  const next = Array.from({ length: map.provinceCount }, (_, p) => seasNextTo(map, p));
  const seas = next.filter((_, p) => testBit(map.seas, 0, p) === 1).length;
  if (seas > MAX_SEAS)
    throw new LepantoError('argument', `DeepMind's actions: got a map of ${seas} seas, wanted at most ${MAX_SEAS}`);
  for (let p = 0; p < map.provinceCount; p++)
    if (testBit(map.coasts, 0, p) === 1) addConvoysOnPaths(map, p, next, bits);
};

/**
 * Returns all actions of a map, and the action of each order in its vocabulary. The first call for a map takes some
 * hundred milliseconds; later calls return the same object.
 * @throws LepantoError for a map with more than 20 seas, which has too many convoy routes
 */
export const deepmindActions = perMap((map): DeepmindActions => {
  const { orders } = vocabulary(map);
  const all = Array.from(orders, (order) => actionBits(map, order) >>> 0);
  const distinct = new Set(all);
  listConvoys(map, distinct);
  const bits = Uint32Array.from(distinct).sort();
  const places = new Map(Array.from(bits, (value, index) => [value, index]));
  return { bits, indexOf: Int32Array.from(all, (value) => places.get(value) ?? -1) };
});

/** Returns all 64 bits of the action at an index. */
export const wholeAction = (actions: DeepmindActions, index: number): bigint =>
  (BigInt(index) << 48n) | BigInt(actions.bits[index]);

/**
 * Returns an order's action as DeepMind's nets choose it: 64 bits, with the index among all actions in the upper 16.
 * @param order order in vocabulary(map), which contains every legal order (supports without coasts)
 * @throws LepantoError for any other order
 */
export const deepmindAction = (map: CompiledMap, order: O.Order): bigint => {
  const place = vocabulary(map).indexOf(order);
  if (place < 0) throw new LepantoError('argument', `order: got ${order}, wanted one of the vocabulary of ${map.name}`);
  const actions = deepmindActions(map);
  return wholeAction(actions, actions.indexOf[place]);
};
