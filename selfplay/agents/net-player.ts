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
import type { Agent, AgentKind, Answer, OptionValue, Past, Question, Soon } from '../question/agent.js';

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

/** A net of a map that draws orders. */
class NetPlayer {
  private readonly joint = new JointDraw(this.net.map);
  private readonly out = new Int32Array(this.net.map.provinceCount);

  constructor(
    private readonly file: string,
    private readonly net: Evaluator,
    private readonly temperature: number,
    private readonly readsPast: boolean,
  ) {}

  /** Answers questions from the one at `first` on. Each position is evaluated once for all of its powers. */
  answer(questions: readonly Question[], answers: Answer[] = []): Soon<Answer[]> {
    while (answers.length < questions.length) {
      const { game, past } = questions[answers.length];
      const evaluated = this.net.evaluate(game, this.readsPast ? lastMoves(game, past) : null);
      const giveAll = (): void => {
        for (let i = answers.length; i < questions.length && questions[i].game === game; i++) {
          const { power, random } = questions[i];
          answers.push({ orders: this.out.slice(0, this.give(game, power, this.out, random)) });
        }
      };
      if (evaluated instanceof Promise)
        return evaluated.then(() => {
          giveAll();
          return this.answer(questions, answers);
        });
      giveAll();
    }
    return answers;
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
  cost: 4,
  make: ({ file, temperature, hash }: Readonly<Record<string, OptionValue>>): Agent => {
    const source = ofOption('', () => read(String(file), String(hash)));
    const players = new Map<CompiledMap, NetPlayer>();
    const playerOf = (map: CompiledMap): NetPlayer => {
      const known = players.get(map);
      if (known !== undefined) return known;
      const net = ofOption(`${file}: `, () => source.make(map));
      const player = new NetPlayer(String(file), net, Number(temperature), source.readsPast);
      players.set(map, player);
      return player;
    };
    /** Questions about one map follow one another: a thread plays on one map at a time. */
    const answer = (questions: readonly Question[]): Soon<Answer[]> =>
      questions.length === 0 ? [] : playerOf(questions[0].game.map).answer(questions);
    return { name: 'net', options: { file, temperature, hash: source.hash }, readsPast: source.readsPast, answer };
  },
});
