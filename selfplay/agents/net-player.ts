// Agents that play by a neural net without search: units draw their orders by the net's scores, one after another. The
// caller provides the weights, from a file in Node (net.ts) or from the server of a page.
import {
  ADJUSTMENT,
  adjustmentDue,
  type CompiledMap,
  Game,
  legalByPower,
  orderType,
  type Random,
  WAIVE,
} from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import type { Evaluator, PlayedMoves, Position, PositionScores } from '../nets/evaluator.js';
import { DEFAULT_WEIGHTS } from '../nets/graph-net.js';
import { drawIndex, JointDraw } from '../nets/joint.js';
import type { Agent, AgentKind, Answer, OptionValue, Past, Question, Soon } from '../question/agent.js';

/**
 * Calls `run`, which reads weights or makes a net, and returns its result.
 * @param place name of the file followed by ': ', for the error message; '' if the message of `run` has the name
 * @throws LepantoError if `run` throws; the message begins with the name of the option
 */
const ofOption = <T>(place: string, run: () => T): T => {
  try {
    return run();
  } catch (error) {
    throw new LepantoError('agent', `agent net, option file: ${place}${(error as Error).message}`);
  }
};

/** Returns the last movement phase of the past with the position before it; null if there is none. */
const lastMoves = ({ map, rules }: Game, { phases }: Past): PlayedMoves | null => {
  const last = phases.findLast(({ phase }) => phase.endsWith('M'));
  if (last === undefined) return null;
  const game = new Game(map, rules);
  game.bytes.set(last.state);
  return { game, orders: last.orders };
};

/** Draws orders with the net of one map. */
class NetPlayer {
  private readonly joint = new JointDraw(this.net.map);
  private readonly out = new Int32Array(this.net.map.provinceCount);

  constructor(
    private readonly file: string,
    private readonly net: Evaluator,
    private readonly temperature: number,
    private readonly readsPast: boolean,
  ) {}

  /**
   * Answers questions. Evaluates all positions in one batch, each position once for all its powers. Returns a promise
   * only if the net does.
   * @throws LepantoError if a score is not a finite number
   */
  answer(questions: readonly Question[]): Soon<Answer[]> {
    const positions: (Position & { readonly lists: Int32Array[] })[] = [];
    const asked = questions.map(({ game, past, power }) => {
      if (positions.at(-1)?.game !== game)
        positions.push({ game, past: this.readsPast ? lastMoves(game, past) : null, lists: [] });
      const position = positions.length - 1;
      const { lists } = positions[position];
      const begin = lists.length;
      lists.push(...legalByPower(game, power));
      return { position, begin, end: lists.length };
    });
    const draw = (scores: readonly PositionScores[]): Answer[] =>
      asked.map(({ position, begin, end }, i) => {
        const lists = positions[position].lists.slice(begin, end);
        const count = this.draw(questions[i], lists, scores[position].slice(begin, end));
        return { orders: this.out.slice(0, count) };
      });
    const scores = this.net.evaluate(positions);
    return scores instanceof Promise ? scores.then(draw) : draw(scores);
  }

  /**
   * Draws orders of one power, and writes them to `out`.
   * @param lists legal orders of each unit or site
   * @param scores scores of these orders
   * @returns number of orders
   * @throws LepantoError if a score is not a finite number, because the weights are too large
   */
  private draw({ game, power, random }: Question, lists: readonly Int32Array[], scores: PositionScores): number {
    for (const own of scores)
      for (let i = 0; i < own.length; i++)
        if (!Number.isFinite(own[i]))
          throw new LepantoError('agent', `${this.file}: got the score ${own[i]} of an order, wanted a finite number`);
    if (game.phase === ADJUSTMENT) return this.adjust(lists, scores, Math.abs(adjustmentDue(game, power)), random);
    this.joint.draw(lists, scores, this.temperature, random, this.out);
    return lists.length;
  }

  /**
   * Draws adjustment orders, at most one from each list, and writes them to `out`. The waive, which is in every list,
   * counts as one choice.
   * @param lists legal orders of each unit or site
   * @param scores scores of these orders
   * @param count number of orders to draw
   * @returns `count`
   */
  private adjust(lists: readonly Int32Array[], scores: PositionScores, count: number, random: Random): number {
    let open = lists.flatMap((list, k) => Array.from(list, (order, i) => ({ order, list: k, score: scores[k][i] })));
    for (let n = 0; n < count; n++) {
      const waive = open.find(({ order }) => orderType(order) === WAIVE);
      const choices = open.filter(({ order }) => orderType(order) !== WAIVE);
      if (waive !== undefined) choices.push(waive);
      const shares = Float32Array.from(choices, ({ score }) => score);
      const { order, list } = choices[drawIndex(shares, this.temperature, random)];
      this.out[n] = order;
      open = open.filter((one) => one.list !== list);
    }
    return count;
  }
}

/** Weights of a net that were read from a file or a server. */
export interface NetSource {
  /** First 12 hexadecimal digits of the SHA-256 of the weights file. */
  readonly hash: string;
  /**
   * True if the net also reads the last movement phase, and answers asynchronously. If false, as for the nets that
   * ship, answers depend on the position alone.
   */
  readonly readsPast: boolean;
  /** Makes the net of a map. @throws LepantoError if the weights belong to another map */
  readonly make: (map: CompiledMap) => Evaluator;
}

/**
 * Returns the agent kind `net`.
 * @param read reads weights. Arguments: name of the file, and hash that it must have, '' for any. Throws a LepantoError
 *   if the file is missing or has another hash
 */
export const netKind = (read: (file: string, hash: string) => NetSource): AgentKind => ({
  name: 'net',
  help: 'a neural network: draws compatible orders by the scores of file=WEIGHTS.safetensors or .onnx',
  options: {
    file: {
      help: 'weights, safetensors or ONNX (package onnxruntime-node); default: those that ship',
      default: DEFAULT_WEIGHTS,
      text: true,
      file: true,
    },
    temperature: { help: 'divisor of the scores; 0: always the best order', default: 0.1, least: 0, most: 10 },
    hash: { help: 'first 12 digits of the SHA-256 of the weights, to check', default: '', text: true },
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
    /** Answers questions, which are all about the same map, because a thread plays on one map at a time. */
    const answer = (questions: readonly Question[]): Soon<Answer[]> =>
      questions.length === 0 ? [] : playerOf(questions[0].game.map).answer(questions);
    return { name: 'net', options: { file, temperature, hash: source.hash }, readsPast: source.readsPast, answer };
  },
});
