// Agents that play by a net alone: units draw their orders by the net's scores, one after the other. Where the weights come
// from is up to the caller: a file in Node (net.ts), or the server of a page.
import {
  ADJUSTMENT,
  adjustmentDue,
  type CompiledMap,
  Game,
  legalByPower,
  orderType,
  type Power,
  type Random,
  WAIVE,
} from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import type { Evaluator, PlayedMoves } from '../nets/evaluator.js';
import { DEFAULT_WEIGHTS } from '../nets/graph-net.js';
import { drawIndex, JointDraw } from '../nets/joint.js';
import { type Agent, type AgentKind, NO_PAST, type OptionValue, type Past } from '../question/agent.js';

/** Runs what reads weights or makes a net of them. @throws LepantoError with the option's name in front */
const ofOption = <T>(place: string, run: () => T): T => {
  try {
    return run();
  } catch (error) {
    throw new LepantoError('agent', `agent net, option file: ${place}${(error as Error).message}`);
  }
};

/** The movement phase before a position; null where none is known. */
const lastMoves = ({ map, rules }: Game, { phases }: Past): PlayedMoves | null => {
  const last = phases.findLast(({ phase }) => phase.endsWith('M'));
  if (last === undefined) return null;
  const game = new Game(map, rules);
  game.bytes.set(last.state);
  return { game, orders: last.orders };
};

const joined = (parts: readonly Uint8Array[]): Uint8Array => {
  const out = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
};

/** A net of a map that draws orders. It keeps its last evaluation: a position is evaluated once for all of its powers. */
class NetPlayer {
  private readonly joint = new JointDraw(this.net.map);
  /** The position that was evaluated last. */
  private known: Uint8Array = new Uint8Array(0);
  /** Evaluations before, where the net runs in another thread or process. */
  private before: Promise<unknown> | null = null;

  constructor(
    private readonly file: string,
    private readonly net: Evaluator,
    private readonly temperature: number,
  ) {}

  choose(game: Game, power: Power, out: Int32Array, random: Random, past: Past): number | Promise<number> {
    const give = (): number => this.give(game, power, out, random);
    const begin = (): number | Promise<number> => {
      const evaluated = this.evaluate(game, past);
      return evaluated instanceof Promise ? evaluated.then(give) : give();
    };
    const answer = this.before === null ? begin() : this.before.then(begin);
    if (answer instanceof Promise) this.before = answer.catch(() => {});
    return answer;
  }

  private evaluate(game: Game, past: Past): void | Promise<void> {
    const { bytes, offset, layout } = game;
    const before = lastMoves(game, past);
    // Two games may reach one position by other orders.
    const parts = [bytes.subarray(offset, offset + layout.stride)];
    if (before !== null) parts.push(before.game.bytes, new Uint8Array(before.orders.slice().buffer));
    const position = joined(parts);
    const { known } = this;
    if (known.length === position.length && known.every((byte, i) => byte === position[i])) return;
    this.known = new Uint8Array(0);
    const keep = (): void => {
      this.known = position;
    };
    const evaluated = this.net.evaluate(game, before);
    return evaluated instanceof Promise ? evaluated.then(keep) : keep();
  }

  private give(game: Game, power: Power, out: Int32Array, random: Random): number {
    const { joint, temperature } = this;
    const lists = legalByPower(game, power);
    if (game.phase === ADJUSTMENT) return this.adjust(lists, adjustmentDue(game, power), out, random);
    const scores = lists.map((orders) => this.score(orders));
    joint.draw(lists, scores, temperature, random, out);
    return lists.length;
  }

  /** @throws LepantoError where the weights are so large that a score is no number */
  private score(orders: Int32Array): Float32Array {
    const scores = this.net.scoreOrders(orders);
    const wrong = scores.findIndex((score) => !Number.isFinite(score));
    if (wrong < 0) return scores;
    throw new LepantoError('agent', `${this.file}: got the score ${scores[wrong]} of an order, wanted a finite number`);
  }

  /** Draws an order from those of all provinces, then from those of the others, and so on. A waive counts once. */
  private adjust(lists: readonly Int32Array[], due: number, out: Int32Array, random: Random): number {
    const open = [...lists];
    const count = Math.abs(due);
    for (let n = 0; n < count; n++) {
      const all = open.flatMap((list) => [...list]);
      const waive = all.find((order) => orderType(order) === WAIVE);
      const orders = all.filter((order) => orderType(order) !== WAIVE);
      if (waive !== undefined) orders.push(waive);
      out[n] = orders[drawIndex(this.score(Int32Array.from(orders)), this.temperature, random)];
      const taken = open.findIndex((list) => list.includes(out[n]));
      open.splice(taken, 1);
    }
    return count;
  }
}

/** Weights that were read. */
export interface NetSource {
  /** The first digits of the SHA-256 of their file. */
  readonly hash: string;
  /** Whether the net reads what was played before, and answers later. Those that ship do not: two positions are one, whatever led to them. */
  readonly readsPast: boolean;
  /** The net of a map. @throws LepantoError if the weights are those of another one */
  readonly make: (map: CompiledMap) => Evaluator;
}

/** The agents that play by the weights of files. @param read @throws LepantoError for a file that is not there, or of another hash */
export const netKind = (read: (file: string, hash: string) => NetSource): AgentKind => ({
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
  make: ({ file, temperature, hash }: Readonly<Record<string, OptionValue>>): Agent => {
    const source = ofOption('', () => read(String(file), String(hash)));
    const players = new Map<CompiledMap, NetPlayer>();
    const playerOf = (map: CompiledMap): NetPlayer => {
      const known = players.get(map);
      if (known !== undefined) return known;
      const net = ofOption(`${file}: `, () => source.make(map));
      const player = new NetPlayer(String(file), net, Number(temperature));
      players.set(map, player);
      return player;
    };
    return {
      name: 'net',
      options: { file, temperature, hash: source.hash },
      // A net that answers later reads its game until then.
      concurrency: source.readsPast ? 1 : Number.POSITIVE_INFINITY,
      choose: (game, power, out, random, _, past) =>
        playerOf(game.map).choose(game, power, out, random, source.readsPast ? (past ?? NO_PAST) : NO_PAST),
    };
  },
});
