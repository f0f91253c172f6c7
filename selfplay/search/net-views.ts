// What a net thinks of positions in movement phases: by unit, how likely it gives each legal order. A search draws order
// sets from it, and it is told whether orders that were seen are those of a player like the net.
import {
  type CompiledMap,
  Game,
  hashGame,
  legalByPower,
  orderLocation,
  type Power,
  type Random,
} from '../../engine/internal.js';
import { askNet, type Evaluator, softmaxInto } from '../nets/evaluator.js';
import { JointDraw, scoreLists } from '../nets/joint.js';
import { makeNet, type Weights } from '../nets/weights.js';
import { ordersSeen, surprise } from './belief.js';
import type { SeenPhase } from './options.js';
import { PositionMemory } from './prediction.js';

/** Positions that a net of a search thinks of at once. */
export const NET_ROOM = 64;
/** Nets that a thread keeps for each map. */
const MOST_NETS = 16;
/** What scores are divided by where a power is to play like the net. */
export const TYPE_TEMPERATURE = 0.2;
/** And where it is asked how likely orders are: of each unit alone, which is surer of its order than that. */
const EVIDENCE_TEMPERATURE = 0.5;

const nets = new WeakMap<CompiledMap, Map<string, Evaluator>>();

/** The net of some weights for a map: one for each thread. @throws RangeError if the weights are those of another map */
export const netOf = (map: CompiledMap, weights: Weights): Evaluator => {
  const known = nets.get(map) ?? new Map<string, Evaluator>();
  nets.set(map, known);
  const net = known.get(weights.hash) ?? makeNet(map, weights, NET_ROOM);
  known.set(weights.hash, net);
  const [first] = known.keys();
  if (known.size > MOST_NETS && first !== undefined) known.delete(first);
  return net;
};

/** What a net thinks of one power. Units are in the order of their locations, as in sets of orders. */
export interface NetView {
  readonly map: CompiledMap;
  /** By unit: its legal orders, and their scores. */
  readonly orders: readonly Int32Array[];
  readonly scores: readonly Float32Array[];
}

const legalByUnit = (game: Game, power: Power): Int32Array[] =>
  legalByPower(game, power)
    .map((list) => Int32Array.from(list))
    .sort((a, b) => orderLocation(a[0]) - orderLocation(b[0]));

const readView = (net: Evaluator, position: number, game: Game): NetView[] =>
  game.map.powerNames.map((_, power) => {
    const orders = legalByUnit(game, power);
    return { map: game.map, orders, scores: scoreLists(net, position, orders) };
  });

/** What a net thinks of a position, by power. */
export const viewOf = (net: Evaluator, game: Game): NetView[] | Promise<NetView[]> =>
  askNet(net, [game], 'all', () => readView(net, 0, game));

/** How likely each order of a unit is. @param temperature above 0 */
const sharesOf = (scores: Float32Array, temperature: number): Float64Array => {
  const shares = scores.slice();
  softmaxInto(shares, shares.length, temperature);
  return Float64Array.from(shares);
};

/** Draws order sets whose orders fit together. @param temperature what scores are divided by */
export const drawFromView = (
  { map, orders, scores }: NetView,
  temperature: number,
  draws: number,
  random: Random,
): Int32Array[] => {
  const joint = new JointDraw(map);
  return Array.from({ length: draws }, () => {
    const set = new Int32Array(orders.length);
    joint.draw(orders, scores, temperature, random, set);
    return set.sort();
  });
};

/** By power: logarithm of how likely the net gives the orders that were seen. */
export type NetEvidence = readonly number[];

const remembered = new PositionMemory<NetEvidence>(4096);

const evidenceOf = (views: readonly NetView[], seen: readonly Int32Array[]): NetEvidence =>
  views.map(({ orders, scores }, q) =>
    orders.reduce((sum, list, unit) => {
      const place = list.indexOf(seen[q][unit]);
      const share = place < 0 ? 0 : sharesOf(scores[unit], EVIDENCE_TEMPERATURE)[place];
      return sum + Math.log(surprise(share, list.length));
    }, 0),
  );

/** By phase of a past, as far as a net has thought of it: its evidence. */
export type NetMemory = ReadonlyMap<SeenPhase, NetEvidence>;

/**
 * How likely a net gives the orders of the movement phases of a game so far, the latest first.
 * @param isLate asked before each batch of positions: true once there is no time for another
 */
export const rememberPast = async (
  net: Evaluator,
  hash: string,
  { map, rules }: Game,
  phases: readonly SeenPhase[],
  isLate: () => boolean,
): Promise<NetMemory> => {
  const found = new Map<SeenPhase, NetEvidence>();
  const missing: { readonly key: string; readonly phase: SeenPhase; readonly game: Game }[] = [];
  for (const phase of phases.toReversed()) {
    if (!phase.phase.endsWith('M')) continue;
    const game = new Game(map, rules);
    game.bytes.set(phase.state, game.offset);
    const key = [hash, ...hashGame(game), phase.orders.join(), ...Object.values(rules)].join();
    const known = remembered.get(map, key);
    if (known === undefined) missing.push({ key, phase, game });
    else found.set(phase, known);
  }
  for (let i = 0; i < missing.length && !isLate(); i += net.room) {
    const batch = missing.slice(i, i + net.room);
    const games = batch.map(({ game }) => game);
    const read = (): NetView[][] => games.map((game, position) => readView(net, position, game));
    const asked = askNet(net, games, 'all', read);
    const views = asked instanceof Promise ? await asked : asked;
    for (const [position, { key, phase, game }] of batch.entries()) {
      const evidence = evidenceOf(views[position], ordersSeen(game, phase));
      remembered.set(map, key, evidence);
      found.set(phase, evidence);
    }
  }
  return found;
};
