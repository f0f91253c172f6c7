// Chooses orders by the heuristics of DumbBot: every unit moves to the most valuable location, or supports another unit
// that moves there.
//
// Follows the description and constants of David Norman's DumbBot (DAIDE, 2002, release 8), a baseline in the
// literature (Paquette et al. 2019, DipNet). Like the original it orders no convoys. One difference: a unit that waits
// for the order of another own unit stops waiting after MOST_WAITS attempts.
import {
  adjustmentDue,
  allLegalOrders,
  type CompiledMap,
  type Game,
  legalOrders,
  mix,
  unitKey,
} from '../../engine/internal.js';
import * as O from '../../engine/rules/order.js';
import * as T from '../../engine/rules/types.js';
import * as Values from '../evaluation/board-values.js';

// Rollouts call this code, so it is tuned for speed: imports are rebound, and loops use local names for arrays, as in
// engine/adjudicate/movement/passes.ts.
const { keyAt, powerAt, unitsBy, unitCounts, values } = Values;
const { competition, keyAfter, keyLocation, moveKeys, readGame, valueAt, valueMoves, setViewer, winterValueOf } =
  Values;
const {
  BUILD_ARMY,
  BUILD_FLEET,
  HOLD,
  MOVE,
  hold,
  move,
  orderLocation,
  orderTarget,
  orderType,
  supportHold,
  supportMove,
} = O;

const ALTERNATIVES = 50;
const DIFFERENCE = 500;
const MOST_WAITS = 8;
const GOLDEN = 0x9e37_79b9 | 0;

// ---- random numbers: one counter, so that the orders of a power depend on one seed ----
let counter = 0;
const draw = (n: number): number => {
  counter = (counter + GOLDEN) | 0;
  const bits = mix(counter ^ 0x2545_f491);
  // The upper word of bits * n, by halves: n is below 2^15.
  return (Math.imul(bits >>> 16, n) + (Math.imul(bits & 0xffff, n) >>> 16)) >>> 16;
};

/** Seeds the random numbers of the following orders of DumbBot. @param seed any int32 */
export const seedDumbbot = (seed: number): void => {
  counter = mix(seed);
};

// ---- a list of choices ----
const choice = new Int32Array(T.MAX_LOCATIONS);
const worth = new Float64Array(T.MAX_LOCATIONS);
let choices = 0;
/**
 * Number of choices at the beginning of the list that are sorted, best first. Equal choices keep the order in which
 * they were added.
 */
let sorted = 0;

const clearChoices = (): void => {
  choices = 0;
  sorted = 0;
};

const addChoice = (what: number, value: number): void => {
  choice[choices] = what;
  worth[choices++] = value;
};

const sortNext = (): void => {
  const list = choice;
  const worths = worth;
  const count = choices;
  const place = sorted;
  let best = place;
  for (let i = place + 1; i < count; i++) if (worths[i] > worths[best]) best = i;
  const what = list[best];
  const value = worths[best];
  for (let i = best; i > place; i--) {
    list[i] = list[i - 1];
    worths[i] = worths[i - 1];
  }
  list[place] = what;
  worths[place] = value;
  sorted = place + 1;
};

const dropChoice = (index: number): void => {
  const list = choice;
  const worths = worth;
  const count = choices - 1;
  choices = count;
  if (index < sorted) sorted--;
  for (let i = index; i < count; i++) {
    list[i] = list[i + 1];
    worths[i] = worths[i + 1];
  }
};

/**
 * Returns the index of a choice: the best, or a later one with a probability that falls with the loss of value. Sorts
 * the list as far as needed.
 * @param alternatives probability that the next choice is considered at all, in percent
 */
const pick = (alternatives: number): number => {
  const worths = worth;
  const last = choices - 1;
  let i = 0;
  if (sorted === 0) sortNext();
  while (i < last && draw(100) < alternatives) {
    if (sorted === i + 1) sortNext();
    const value = worths[i];
    const base = Math.abs(value);
    const chance = base === 0 ? 0 : ((value - worths[i + 1]) * DIFFERENCE) / base;
    if (draw(100) < chance) break;
    i++;
  }
  return i;
};

// ---- movement ----
const queue = new Int32Array(T.MAX_LOCATIONS);
const waits = new Int32Array(T.MAX_LOCATIONS);
/**
 * `ordered`: order of the own unit in a province. `moving`: province of the own unit that moves to a province, plus 1.
 * Both are indexed by province; 0 for none.
 */
const ordered = new Int32Array(T.MAX_LOCATIONS);
const moving = new Int32Array(T.MAX_LOCATIONS);

const queueUnits = (map: CompiledMap, power: T.Power): number => {
  const units = unitsBy;
  const list = queue;
  const turns = waits;
  const first = Math.imul(power, map.provinceCount);
  const n = unitCounts[power];
  for (let i = 0; i < n; i++) {
    const p = units[(first + i) | 0];
    list[i] = p;
    turns[p] = 0;
  }
  for (let i = n - 1; i > 0; i--) {
    const k = draw(i + 1);
    const p = list[i];
    list[i] = list[k];
    list[k] = p;
  }
  return n;
};

const listDestinations = (map: CompiledMap, key: number): void => {
  const { moveOffsets, moveTargets } = map;
  const keysAfter = moveKeys();
  const list = choice;
  const worths = worth;
  const worthOf = values;
  const end = moveOffsets[key + 1];
  list[0] = keyLocation(map, key);
  worths[0] = worthOf[key] + 1;
  let n = 1;
  for (let i = moveOffsets[key]; i < end; i++) {
    list[n] = moveTargets[i];
    worths[n++] = worthOf[keysAfter[i]];
  }
  choices = n;
  sorted = 0;
};

/**
 * Moves the unit at index `at` of the queue to the place after the unit whose order it waits for.
 * @param count length of the queue
 * @param awaited province of the unit that it waits for
 */
const queueBehind = (at: number, count: number, awaited: T.Province): void => {
  const list = queue;
  const p = list[at];
  let i = at;
  for (; i + 1 < count; i++) {
    list[i] = list[i + 1];
    if (list[i] === awaited) break;
  }
  list[i + 1] = p;
};

const WAIT = -1;
const REJECT = 0;

/**
 * Returns the order of a unit that has chosen a location: a hold, a move, or a support of the own unit that stays or
 * moves there. Returns WAIT if the unit there must be ordered first, REJECT if the order would be useless.
 * @param p province of the unit
 * @param to chosen location
 */
const orderTo = (map: CompiledMap, power: T.Power, p: T.Province, to: T.Location): O.Order => {
  const at = keyLocation(map, keyAt[p] - 1);
  const target = map.locationProvince[to];
  if (target === p) return hold(at);
  if (moving[target] !== 0)
    return competition(power, target) > 0 ? supportMove(at, moving[target] - 1, target) : REJECT;
  if (powerAt[target] === power) {
    if (ordered[target] === 0) return waits[p] < MOST_WAITS ? WAIT : REJECT;
    if (orderType(ordered[target]) !== MOVE) return competition(power, target) > 1 ? supportHold(at, target) : REJECT;
  }
  return move(at, to);
};

const orderUnit = (map: CompiledMap, power: T.Power, p: T.Province, alternatives: number): O.Order => {
  listDestinations(map, keyAt[p] - 1);
  while (true) {
    const i = pick(alternatives);
    const to = choice[i];
    const order = orderTo(map, power, p, to);
    if (order === WAIT) {
      waits[p]++;
      return ~map.locationProvince[to];
    }
    if (order !== REJECT) return order;
    dropChoice(i);
  }
};

/**
 * Replaces the hold of a unit by a support of the most valuable own move or hold next to it that needs support. Changes
 * nothing if there is none.
 * @param p province of the unit
 */
const useHold = (map: CompiledMap, power: T.Power, p: T.Province): void => {
  const { moveOffsets, moveTargets, locationProvince } = map;
  const key = keyAt[p] - 1;
  const keysAfter = moveKeys();
  const movers = moving;
  const powers = powerAt;
  const orders = ordered;
  const worthOf = values;
  const end = moveOffsets[key + 1];
  let best = 0;
  for (let i = moveOffsets[key]; i < end; i++) {
    const target = locationProvince[moveTargets[i]];
    const mover = movers[target];
    const stays = mover === 0 && powers[target] === power && orderType(orders[target]) !== MOVE;
    if (!(mover !== 0 || stays) || competition(power, target) <= (stays ? 1 : 0)) continue;
    const value = worthOf[keysAfter[i]];
    if (value <= best) continue;
    best = value;
    const at = keyLocation(map, key);
    orders[p] = stays ? supportHold(at, target) : supportMove(at, mover - 1, target);
  }
};

/**
 * Writes packed movement orders of a power to `out` from index `begin` on, and returns the index after the last one.
 * Uses the position loaded last in board-values.ts and the random numbers of seedDumbbot().
 * @param alternatives probability of considering the next best choice, in percent
 */
export const dumbbotMoves = (
  map: CompiledMap,
  power: T.Power,
  out: Int32Array,
  begin: number,
  alternatives = ALTERNATIVES,
): number => {
  const { locationProvince } = map;
  const list = queue;
  const orders = ordered;
  const movers = moving;
  setViewer(power);
  valueMoves();
  const count = queueUnits(map, power);
  for (let i = 0; i < count; ) {
    const p = list[i];
    const order = orderUnit(map, power, p, alternatives);
    if (order < 0) {
      queueBehind(i, count, ~order);
      continue;
    }
    orders[p] = order;
    if (orderType(order) === MOVE) movers[locationProvince[orderTarget(order)]] = p + 1;
    i++;
  }
  for (let i = 0; i < count; i++) {
    const p = list[i];
    if (orderType(orders[p]) === HOLD) useHold(map, power, p);
  }
  for (let i = 0; i < count; i++) {
    const p = list[i];
    const order = orders[p];
    out[begin + i] = order;
    orders[p] = 0;
    if (orderType(order) === MOVE) movers[locationProvince[orderTarget(order)]] = 0;
  }
  return begin + count;
};

// ---- retreats and adjustments ----

/** Packed legal orders, as legalOrders() or allLegalOrders() writes them. */
const legal = new Int32Array(1 << 14);
const taken = new Uint8Array(T.MAX_LOCATIONS);

const retreats = (game: Game, power: T.Power, out: Int32Array): number => {
  const { map } = game;
  setViewer(power);
  taken.fill(0);
  let n = 0;
  for (let i = 0; i < game.dislodgedCount; i++) {
    const { unit, province, location } = game.dislodged(i);
    if (T.unitPower(unit) !== power) continue;
    const count = legalOrders(game, province, legal);
    const fleet = (unit & 1) * map.locationCount;
    clearChoices();
    for (let k = 0; k < count; k++) {
      const to = orderTarget(legal[k]);
      if (orderType(legal[k]) === O.RETREAT_TO && taken[map.locationProvince[to]] === 0)
        addChoice(legal[k], valueAt(keyAfter(map, fleet + location, to)));
    }
    const order = choices === 0 ? O.disband(location) : choice[pick(ALTERNATIVES)];
    if (orderType(order) === O.RETREAT_TO) taken[map.locationProvince[orderTarget(order)]] = 1;
    out[n++] = order;
  }
  return n;
};

const removals = (game: Game, power: T.Power, due: number, out: Int32Array): number => {
  clearChoices();
  for (let p = 0; p < game.map.provinceCount; p++)
    if (powerAt[p] === power) addChoice(p, -winterValueOf(unitKey(game, p)));
  for (let n = 0; n < due; n++) {
    const i = pick(ALTERNATIVES);
    out[n] = O.remove(game.unitLocation(choice[i]));
    dropChoice(i);
  }
  return due;
};

const offsets = new Int32Array(T.MAX_LOCATIONS + 1);

const builds = (game: Game, power: T.Power, due: number, out: Int32Array): number => {
  const { map } = game;
  const count = allLegalOrders(game, legal, offsets);
  clearChoices();
  for (let k = 0; k < count; k++) {
    const center = map.centerIndex[map.locationProvince[orderLocation(legal[offsets[k]])]];
    if (center < 0 || game.owner(center) !== power) continue;
    for (let i = offsets[k]; i < offsets[k + 1]; i++) {
      const type = orderType(legal[i]);
      const at = orderLocation(legal[i]);
      if (type === BUILD_ARMY) addChoice(legal[i], winterValueOf(at));
      else if (type === BUILD_FLEET) addChoice(legal[i], winterValueOf(map.locationCount + at));
    }
  }
  let n = 0;
  for (; n < due && choices > 0; n++) {
    out[n] = choice[pick(ALTERNATIVES)];
    const province = map.locationProvince[orderLocation(out[n])];
    for (let i = choices - 1; i >= 0; i--)
      if (map.locationProvince[orderLocation(choice[i])] === province) dropChoice(i);
  }
  for (; n < due; n++) out[n] = O.waive(power);
  return n;
};

/**
 * Writes packed orders of a power in any phase to `out`, and returns their number. Does not check that movement orders
 * are legal on maps with special rules.
 * @param seed seed of the random choices, an int32
 */
export const dumbbotOrders = (game: Game, power: T.Power, out: Int32Array, seed: number): number => {
  seedDumbbot(seed);
  readGame(game);
  if (game.phase === T.MOVEMENT) return dumbbotMoves(game.map, power, out, 0);
  if (game.phase !== T.ADJUSTMENT) return retreats(game, power, out);
  setViewer(power, true);
  const due = adjustmentDue(game, power);
  return due < 0 ? removals(game, power, -due, out) : builds(game, power, due, out);
};
