// The agent that chooses its orders by Monte Carlo move search (search/monte-carlo.ts).
import { type Game, MOVEMENT, type Power, type Random } from '../../engine/internal.js';
import { settleOrders } from '../heuristics/settle-orders.js';
import { readWeights, type Weights } from '../nets/weights.js';
import { searchMoves } from '../search/monte-carlo.js';
import {
  type MethodName,
  methodNames,
  type OpponentName,
  opponentNames,
  type PlayoutName,
  type PriorName,
  playoutNames,
  priorNames,
  searchDefaults,
  type ValueName,
  type VersionName,
  valueNames,
  versionNames,
} from '../search/options.js';
import type { Agent, AgentKind, Budget, Considered, OptionValue, Past } from './agent.js';

/** Share of a movement phase's budget for retreats and adjustments, which have few alternatives. */
const OPEN_SHARE = 0.25;
/** 0 means no bound of this kind. */
const NO_BOUND = 0;
const bound = (option: number, granted: number): number =>
  Math.min(option === NO_BOUND ? Number.POSITIVE_INFINITY : option, granted);

/** The net of a search; none without a file. */
const readNet = (file: string, hash: string): Weights | undefined => {
  if (file === '') {
    if (hash !== '') throw new RangeError(`agent search, option hash: got "${hash}" without a net, wanted net=FILE`);
    return undefined;
  }
  try {
    return readWeights(file, hash);
  } catch (error) {
    throw new RangeError(`agent search, option net: ${(error as Error).message}`);
  }
};

/** Options that say nothing without a net. */
const NET_OPTIONS: readonly string[] = ['net', 'hash', 'prior', 'trust'];

/**
 * Options as they are noted: a net with its hash. Without one they are those of a search that knows of none, so that runs go on
 * that were recorded by it.
 * @throws RangeError for some that do not go together
 */
const settleOptions = (options: Readonly<Record<string, OptionValue>>, net: Weights | undefined): typeof options => {
  const refuse = (option: string, got: string, wanted: string): never => {
    throw new RangeError(`agent search, option ${option}: got ${got}, wanted ${wanted}`);
  };
  if (net !== undefined && options.version === '1') refuse('net', 'a net for version 1', 'version=2');
  if (options.value === 'learned') {
    if (net === undefined) refuse('value', 'learned without a net', 'net=FILE or net=default');
    if (options.depth !== 0) refuse('depth', `${options.depth} with value=learned`, 'depth=0');
    if (options.playout !== 'dumbbot') refuse('playout', `${options.playout} with value=learned`, 'playout=dumbbot');
  }
  if (net !== undefined) return { ...options, hash: net.hash };
  return Object.fromEntries(Object.entries(options).filter(([key]) => !NET_OPTIONS.includes(key)));
};

const make = (given: Readonly<Record<string, OptionValue>>): Agent => {
  const net = readNet(String(given.net), String(given.hash));
  const options = settleOptions(given, net);
  const number = (key: string): number => Number(options[key]);
  let considered: readonly Considered[] = [];
  const choose = async (
    game: Game,
    power: Power,
    out: Int32Array,
    random: Random,
    budget: Budget,
    past?: Past,
  ): Promise<number> => {
    if (options.version !== '1' && game.phase !== MOVEMENT) {
      const count = settleOrders(game, power, out);
      considered = [{ orders: out.slice(0, count), probability: 1, value: Number.NaN, error: Number.NaN }];
      return count;
    }
    const milliseconds = bound(number('ms'), budget.milliseconds);
    const asked =
      number('rollouts') === NO_BOUND && number('ms') === NO_BOUND ? searchDefaults.rollouts : number('rollouts');
    const share = game.phase === MOVEMENT ? 1 : OPEN_SHARE;
    const seed = random.next();
    const { powers } = await searchMoves(game, {
      powers: [power],
      seed,
      past,
      rollouts: share * bound(asked, budget.rollouts),
      milliseconds: share * milliseconds,
      depth: number('depth'),
      value: options.value as ValueName,
      playout: options.playout as PlayoutName,
      version: options.version as VersionName,
      method: options.method as MethodName,
      opponents: options.opponents as OpponentName,
      candidates: number('candidates'),
      replies: number('replies'),
      anchor: number('anchor'),
      net,
      prior: given.prior as PriorName,
      trust: Number(given.trust),
    });
    const { ranked } = powers[power];
    considered = ranked;
    if (ranked.length === 0) return 0;
    let left = random.fraction();
    const chosen = ranked.find(({ probability }) => {
      left -= probability;
      return left < 0;
    });
    const { orders } = chosen ?? ranked[0];
    out.set(orders);
    return orders.length;
  };
  return { name: 'search', options, considered: () => considered, choose };
};

export const search: AgentKind = {
  name: 'search',
  help: 'Monte Carlo move search against a mixture of the types of players that the opponents seem to be',
  options: {
    rollouts: {
      help: `rollouts a choice, 0 for no bound (${searchDefaults.rollouts} without ms)`,
      default: 0,
      least: 0,
      most: 1e9,
    },
    ms: {
      help: 'milliseconds a choice, 0 for no bound; the play then depends on the machine',
      default: 0,
      least: 0,
      most: 1e7,
    },
    depth: { help: 'phase-steps to the horizon, 0: by the budget', default: searchDefaults.depth, least: 0, most: 100 },
    value: { help: 'worth of the board at the horizon', default: searchDefaults.value, words: valueNames },
    playout: { help: 'who plays to the horizon', default: searchDefaults.playout, words: playoutNames },
    version: {
      help: 'the search of now, or 1: as it was in November 2026, which never changes',
      default: searchDefaults.version,
      words: versionNames,
    },
    method: { help: 'how orders are chosen', default: searchDefaults.method, words: methodNames },
    opponents: { help: 'opponents draw, or learn too', default: searchDefaults.opponents, words: opponentNames },
    candidates: { help: 'order sets to begin with', default: searchDefaults.candidates, least: 30, most: 2000 },
    replies: { help: 'order sets of each opponent', default: searchDefaults.replies, least: 1, most: 2000 },
    net: {
      help: 'weights of a net to search with (safetensors), or default: those that ship with Lepanto',
      default: '',
      text: true,
    },
    hash: { help: 'the first 12 digits of the SHA-256 that the weights must have', default: '', text: true },
    prior: {
      help: 'what draws of the net are taken for: candidates, a type of opponents, or both',
      default: searchDefaults.prior,
      words: priorNames,
    },
    trust: {
      help: 'how much of what the net sees beyond looks counts with value=learned',
      default: searchDefaults.trust,
      least: 0,
      most: 1,
    },
    anchor: { help: "share of DumbBot's play among opponents", default: searchDefaults.anchor, least: 0, most: 1 },
  },
  make,
};
