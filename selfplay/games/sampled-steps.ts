// Plays games in which all seats use the same sampler of the engine, one whole phase-step at a time.
//
// Like Batch, it draws from the stream of the game, so a seed gives the same game in both. After a step the engine's
// board still has the moves with their results, the retreats and the adjustments, which are copied to the log.
//
// The loops over units have no branches: orders are random, and mispredicted branches would make logging slower than
// playing. Sums of indices end in | 0 as in engine/legal/movement.ts.
import * as B from '../../engine/adjudicate/movement/index.js';
import { outcomeByte } from '../../engine/adjudicate/order-results.js';
import { type CompiledMap, type Game, hashSeed, type Rules } from '../../engine/internal.js';
import * as P from '../../engine/play/step.js';
import * as O from '../../engine/rules/order.js';
import { movementResultBy } from '../../engine/rules/results.js';
import { scratch } from '../../engine/rules/scratch.js';
import * as T from '../../engine/rules/types.js';
import type { Agent } from '../question/agent.js';
import type { GameLog } from './game-log.js';
import { keyOf } from './phase-key.js';

const { places, unit, order, success, byConvoy, matched, destination } = B.board;
const { retreats, open, met, adjustments, counts } = P.played;
const { boardUnits, powerOfWord } = P;
const { packedByWord } = B;
const { orderLocation, orderTarget, orderType, RAIL } = O;
const resultBy = movementResultBy;

const onBoard = new P.RandomGame();
const stream = new Int32Array(2);

/**
 * Fate bits of a dislodged unit. Index 1: the unit had an open location to retreat to. Index 0: it had none and is
 * destroyed.
 */
const FATES = Uint8Array.of(outcomeByte(0, T.DESTROYED), outcomeByte(0, T.DISLODGED));
/**
 * Result of a retreat. Index 0: the retreat succeeds. Index 1: it fails, because another unit retreated to the same
 * province.
 */
const MEETINGS = Uint8Array.of(T.SUCCEEDS, T.FAILS);

/**
 * nextOf: position in the phase's orders for the next unit of a power, indexed by power + 1.
 * slotOf: position in the phase's orders of the unit in a province, indexed by province.
 */
const nextOf = scratch(T.MAX_POWERS + 2);
const slotOf = scratch(T.MAX_LOCATIONS);

/**
 * Returns the sampler of the engine that all agents of a game use; undefined if the agents must be asked. The engine's
 * samplers support neither expedited removal nor maps that begin with builds.
 */
export const commonSampler = (agents: readonly Agent[], map: CompiledMap, rules: Rules): number | undefined => {
  const [{ sampler }] = agents;
  const isStepped = rules.expedited === 0 && map.startPhase === T.MOVEMENT;
  return isStepped && agents.every((agent) => agent.sampler === sampler) ? sampler : undefined;
};

/**
 * Logs the movement phase on the engine's board, without the fates of dislodged units. Returns the index of its first
 * order in the log.
 */
const logMoves = (log: GameLog, { powerCount, locationCount }: CompiledMap): number => {
  const locations = locationCount | 0;
  let n = 0;
  for (let q = 1; q <= powerCount; q++) {
    nextOf[q] = n;
    n = (n + boardUnits[q]) | 0;
  }
  const key = keyOf(onBoard.year, onBoard.season, T.MOVEMENT);
  if (log.beginsYear(key)) log.endYear(P.boardCenters, powerCount, 1);
  const first = log.add(key, n) | 0;
  const { orders, results } = log;
  let rides = 0;
  for (let i = 0; i < n; i++) {
    const p = places[i];
    const o = order[p];
    const word = unit[p];
    const power = powerOfWord(word);
    const slot = nextOf[power];
    nextOf[power] = slot + 1;
    slotOf[p] = slot;
    orders[(first + slot) | 0] = packedByWord(o, word, locations);
    const type = orderType(o);
    results[(first + slot) | 0] = resultBy(type, success[p] & 1, matched[p], byConvoy[p]);
    // Negative if the order is a move by railroad.
    rides |= (type ^ RAIL) - 1;
  }
  if (rides < 0) logStops(log, first, n);
  return first;
};

/**
 * Writes the result STOPS for moves by railroad that end before their target.
 * @param first index in the log of the phase's first order
 * @param n number of its orders
 */
const logStops = ({ results }: GameLog, first: number, n: number): void => {
  for (let i = 0; i < n; i++) {
    const p = places[i];
    if (orderType(order[p]) === RAIL && success[p] === 1 && destination[p] !== orderTarget(order[p]))
      results[first + slotOf[p]] = T.STOPS;
  }
};

/**
 * Logs the retreat phase, if a unit can retreat. Adds the fates of dislodged units to the results of the movement
 * phase.
 * @param moves index in the log of the first order of the movement phase
 * @param key key of the retreat phase (phase-key.ts)
 */
const logRetreats = (log: GameLog, { locationProvince }: CompiledMap, moves: number, key: number): void => {
  const dislodged = counts[0];
  const first = log.reserve(dislodged);
  const { orders, results } = log;
  let n = 0;
  for (let i = 0; i < dislodged; i++) {
    const province = locationProvince[orderLocation(retreats[i])];
    const hasWay = (0 - open[i]) >>> 31;
    results[moves + slotOf[province]] |= FATES[hasWay];
    orders[first + n] = retreats[i];
    results[first + n] = MEETINGS[met[i]];
    n += hasWay;
  }
  if (n > 0) log.add(key, n);
};

/**
 * Logs the adjustment phase on the engine's board. All adjustments have the result SUCCEEDS.
 * @param key key of the phase (phase-key.ts)
 */
const logAdjustments = (log: GameLog, key: number): void => {
  const n = counts[1];
  const first = log.add(key, n);
  for (let i = 0; i < n; i++) log.orders[first + i] = adjustments[i];
  log.results.fill(T.SUCCEEDS, first, first + n);
};

/**
 * Loads a new game onto the engine's board, with the random numbers of its seed. No other code may use the board until
 * storeSampled().
 */
export const beginSampled = (game: Game, seed: number): void => {
  stream[0] = hashSeed(seed, 1);
  stream[1] = hashSeed(seed, 2);
  onBoard.load(game, stream);
};

/** Plays a phase-step of the game on the engine's board and logs its phases. Returns false once a power has won. */
export const playSampled = (map: CompiledMap, sampler: number, log: GameLog): boolean => {
  const year = onBoard.year;
  const season = onBoard.season;
  onBoard.begin(sampler);
  const moves = logMoves(log, map);
  onBoard.finish(sampler);
  if (counts[0] > 0) logRetreats(log, map, moves, keyOf(year, season, T.RETREAT));
  if (counts[1] > 0) logAdjustments(log, keyOf(year, T.WINTER, T.ADJUSTMENT));
  return onBoard.winner < 0;
};

/** Returns the current year of the game on the engine's board. */
export const sampledYear = (): number => onBoard.year;

/** Copies the position on the engine's board to `game`. playSampled() can continue afterwards. */
export const storeSampled = (game: Game): void => onBoard.store(game, stream);
