// Plays games in which one sampler of the engine has all seats: a whole phase-step on the board, from the stream of the
// game, like Batch. So a seed gives the same game in both. The board leaves what the log needs: the moves with their
// results, the retreats, the adjustments.
//
// The loops over units have no branches: orders are random, and mispredicted branches would make the log cost more than
// the game. Sums of places end in | 0 as in engine/legal/movement.ts.
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

/** What is added to the result of a dislodged unit: by 1 if a location was open to it, else 0. */
const FATES = Uint8Array.of(outcomeByte(0, T.DESTROYED), outcomeByte(0, T.DISLODGED));
/** Result of a retreat: by 1 if it met another, else 0. */
const MEETINGS = Uint8Array.of(T.SUCCEEDS, T.FAILS);

/** Where the next unit of each power goes among the orders, by power + 1; and where that of each province went. */
const nextOf = scratch(T.MAX_POWERS + 2);
const slotOf = scratch(T.MAX_LOCATIONS);

/**
 * The sampler by which all agents of a game draw; undefined if they must be asked. The engine's steps do not support
 * expedited removal and maps that begin with builds.
 */
export const commonSampler = (agents: readonly Agent[], map: CompiledMap, rules: Rules): number | undefined => {
  const [{ sampler }] = agents;
  const isStepped = rules.expedited === 0 && map.startPhase === T.MOVEMENT;
  return isStepped && agents.every((agent) => agent.sampler === sampler) ? sampler : undefined;
};

/** Adds the moves on the board to a log, without fates; returns where their results begin. */
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
    // Negative for a ride.
    rides |= (type ^ RAIL) - 1;
  }
  if (rides < 0) logStops(log, first, n);
  return first;
};

/** Results of rides by railroad that end before their target. */
const logStops = ({ results }: GameLog, first: number, n: number): void => {
  for (let i = 0; i < n; i++) {
    const p = places[i];
    if (orderType(order[p]) === RAIL && success[p] === 1 && destination[p] !== orderTarget(order[p]))
      results[first + slotOf[p]] = T.STOPS;
  }
};

/** Adds the retreats to a log, and the fates of the dislodged units to the results of the moves. */
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

/** Adds the adjustments to a log: all of them succeed. */
const logAdjustments = (log: GameLog, key: number): void => {
  const n = counts[1];
  const first = log.add(key, n);
  for (let i = 0; i < n; i++) log.orders[first + i] = adjustments[i];
  log.results.fill(T.SUCCEEDS, first, first + n);
};

/** Puts a new game on the board, with its stream. Nothing else may use the board until store(). */
export const beginSampled = (game: Game, seed: number): void => {
  stream[0] = hashSeed(seed, 1);
  stream[1] = hashSeed(seed, 2);
  onBoard.load(game, stream);
};

/** Plays a phase-step of the game on the board: its phases go to the log. Returns true while nobody has won. */
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

/** The year of the game on the board. */
export const sampledYear = (): number => onBoard.year;

/** Writes the game on the board to its row. The board keeps it. */
export const storeSampled = (game: Game): void => onBoard.store(game, stream);
