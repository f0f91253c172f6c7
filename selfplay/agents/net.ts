// The agent that plays by a net alone: units draw their orders by the net's scores, one after the other.
import {
  ADJUSTMENT,
  adjustmentDue,
  type CompiledMap,
  type Game,
  legalByPower,
  type Order,
  orderType,
  type Power,
  type Random,
  WAIVE,
} from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { askNet, type Evaluator } from '../nets/evaluator.js';
import { drawIndex, JointDraw, scoreLists } from '../nets/joint.js';
import { DEFAULT_WEIGHTS, makeNet, readWeights, type Weights } from '../nets/weights.js';
import type { Agent, AgentKind, OptionValue } from './agent.js';

/** A net that keeps its last evaluation, so that a position is evaluated once for all of its powers. */
class LastEvaluation implements Evaluator {
  readonly map: CompiledMap = this.net.map;
  readonly room: number = 1;
  readonly values: Float32Array = this.net.values;
  private known = new Uint8Array(0);

  constructor(private readonly net: Evaluator) {}

  evaluate(games: readonly Game[]): void | Promise<void> {
    const [{ bytes, offset, layout }] = games;
    const state = bytes.subarray(offset, offset + layout.stride);
    if (Buffer.compare(this.known, state) === 0) return;
    const position = state.slice();
    this.known = new Uint8Array(0);
    const evaluated = this.net.evaluate(games);
    const keep = (): void => {
      this.known = position;
    };
    return evaluated instanceof Promise ? evaluated.then(keep) : keep();
  }

  scoreOrders(position: number, orders: Int32Array, count: number, out: Float32Array): void {
    this.net.scoreOrders(position, orders, count, out);
  }
}

/** A net of a map, and how orders are drawn by its scores. */
interface Player {
  readonly net: Evaluator;
  readonly joint: JointDraw;
}

class NetAgent {
  private readonly players = new Map<CompiledMap, Player>();

  constructor(
    private readonly weights: Weights,
    private readonly temperature: number,
  ) {}

  private playerOf(map: CompiledMap): Player {
    let player = this.players.get(map);
    if (player === undefined) {
      player = { net: new LastEvaluation(makeNet(map, this.weights)), joint: new JointDraw(map) };
      this.players.set(map, player);
    }
    return player;
  }

  private draw(net: Evaluator, orders: Int32Array, random: Random): Order {
    const [scores] = scoreLists(net, 0, [orders]);
    return orders[drawIndex(scores, orders.length, this.temperature, random)];
  }

  choose(game: Game, power: Power, out: Int32Array, random: Random): number | Promise<number> {
    const player = this.playerOf(game.map);
    return askNet(player.net, [game], () => this.give(player, game, power, out, random));
  }

  private give({ net, joint }: Player, game: Game, power: Power, out: Int32Array, random: Random): number {
    const lists = legalByPower(game, power);
    if (game.phase === ADJUSTMENT) return this.adjust(net, lists, adjustmentDue(game, power), out, random);
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

/** @throws LepantoError as readWeights() does, with the option's name in front */
const readOption = (option: string, file: string, hash: string): Weights => {
  try {
    return readWeights(file, hash);
  } catch (error) {
    throw new LepantoError('agent', `${option}: ${(error as Error).message}`);
  }
};

const make = ({ file, temperature, hash }: Readonly<Record<string, OptionValue>>): Agent => {
  const weights = readOption('agent net, option file', String(file), String(hash));
  const player = new NetAgent(weights, Number(temperature));
  return {
    name: 'net',
    options: { file, temperature, hash: weights.hash },
    // A model in ONNX answers later, and reads its game until then.
    concurrency: weights.model === undefined ? Number.POSITIVE_INFINITY : 1,
    choose: (game, power, out, random) => player.choose(game, power, out, random),
  };
};

/** Plays by the scores of a net, one position at a time for all powers. The hash keeps a run to one net. */
export const net: AgentKind = {
  name: 'net',
  help: 'a trained net alone: units draw orders that fit together by the scores of net:file=WEIGHTS.safetensors, or .onnx',
  options: {
    file: {
      help: 'weights (safetensors, or ONNX with the package onnxruntime-node); default: those that ship with Lepanto',
      default: DEFAULT_WEIGHTS,
      text: true,
    },
    temperature: { help: 'what scores are divided by; 0: always the best order', default: 0.1, least: 0, most: 10 },
    hash: { help: 'the first 12 digits of the SHA-256 that the weights must have', default: '', text: true },
  },
  make,
};
