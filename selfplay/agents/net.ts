// The agent that plays by a net alone: units draw their orders by the net's scores, one after the other.
import {
  ADJUSTMENT,
  balance,
  type CompiledMap,
  type Game,
  legalByPower,
  type Order,
  orderType,
  type Power,
  type Random,
  WAIVE,
} from '../../engine/internal.js';
import type { Evaluator } from '../net/evaluator.js';
import { drawIndex, JointDraw, scoreLists } from '../net/joint.js';
import { DEFAULT_WEIGHTS, makeNet, readWeights, type Weights } from '../net/weights.js';
import type { Agent, AgentKind, OptionValue } from './agent.js';

/** A net that thinks of one position at a time, and how orders are drawn by its scores. */
interface Mind {
  readonly net: Evaluator;
  readonly joint: JointDraw;
}

class NetPlayer {
  declare private readonly weights: Weights;
  declare private readonly temperature: number;
  declare private readonly minds: Map<CompiledMap, Mind>;
  /** The position that the net of its map thought of last. */
  declare private known: Uint8Array;
  declare private knownMap: CompiledMap | null;

  constructor(weights: Weights, temperature: number) {
    this.weights = weights;
    this.temperature = temperature;
    this.minds = new Map();
    this.known = new Uint8Array(0);
    this.knownMap = null;
  }

  /** The net, after it has thought of a position: once for all powers of it. */
  private thinkOf(game: Game): Mind {
    let mind = this.minds.get(game.map);
    if (mind === undefined) {
      mind = { net: makeNet(game.map, this.weights), joint: new JointDraw(game.map) };
      this.minds.set(game.map, mind);
    }
    const { bytes, offset, layout } = game;
    const state = bytes.subarray(offset, offset + layout.stride);
    if (this.knownMap !== game.map || Buffer.compare(this.known, state) !== 0) {
      mind.net.evaluate([game]);
      this.known = state.slice();
      this.knownMap = game.map;
    }
    return mind;
  }

  private draw(net: Evaluator, orders: Int32Array, random: Random): Order {
    const [scores] = scoreLists(net, 0, [orders]);
    return orders[drawIndex(scores, orders.length, this.temperature, random)];
  }

  choose(game: Game, power: Power, out: Int32Array, random: Random): number {
    const { net, joint } = this.thinkOf(game);
    const lists = legalByPower(game, power);
    if (game.phase === ADJUSTMENT) return this.adjust(net, lists, balance(game, power), out, random);
    joint.draw(lists, scoreLists(net, 0, lists), this.temperature, random, out);
    return lists.length;
  }

  /** Draws an order from those of all provinces, then from those of the others, and so on. A waive counts once. */
  private adjust(net: Evaluator, lists: readonly Int32Array[], due: number, out: Int32Array, random: Random): number {
    const open = [...lists];
    const count = Math.abs(due);
    for (let n = 0; n < count; n++) {
      const [waive] = open.flatMap((orders) => [...orders.filter((order) => orderType(order) === WAIVE)]);
      const orders = open.flatMap((list) => [...list.filter((order) => orderType(order) !== WAIVE)]);
      if (waive !== undefined) orders.push(waive);
      out[n] = this.draw(net, Int32Array.from(orders), random);
      const taken = open.findIndex((list) => list.includes(out[n]));
      open.splice(taken, 1);
    }
    return count;
  }
}

/** @throws RangeError as readWeights() does, with the option's name in front */
const readOption = (option: string, file: string, hash: string): Weights => {
  try {
    return readWeights(file, hash);
  } catch (error) {
    throw new RangeError(`${option}: ${(error as Error).message}`);
  }
};

const make = ({ file, temperature, hash }: Readonly<Record<string, OptionValue>>): Agent => {
  const weights = readOption('agent net, option file', String(file), String(hash));
  const player = new NetPlayer(weights, Number(temperature));
  return {
    name: 'net',
    options: { file, temperature, hash: weights.hash },
    concurrency: Number.POSITIVE_INFINITY,
    choose: (game, power, out, random) => player.choose(game, power, out, random),
  };
};

/** Plays by the scores of a net, one position at a time for all powers. The hash keeps a run to one net. */
export const net: AgentKind = {
  name: 'net',
  help: 'a trained net alone: units draw orders that fit together by the scores of net:file=WEIGHTS.safetensors',
  options: {
    file: {
      help: 'weights (safetensors); default: those that ship with Lepanto',
      default: DEFAULT_WEIGHTS,
      text: true,
    },
    temperature: { help: 'what scores are divided by; 0: always the best order', default: 0.1, least: 0, most: 10 },
    hash: { help: 'the first 12 digits of the SHA-256 that the weights must have', default: '', text: true },
  },
  make,
};
