// Draws the orders of powers by a sampler of the engine (engine/play/sampler.ts, step.ts).
import { board, packedOrder } from '../../engine/adjudicate/movement/index.js';
import {
  type Game,
  MAX_LOCATIONS,
  MAX_POWERS,
  MOVEMENT,
  ordererOf,
  type Power,
  type Random,
} from '../../engine/internal.js';
import { boardLocation, boardPower, boardUnits, played, RandomGame, UNIFORM } from '../../engine/play/step.js';
import type { Answer, Question } from '../question/agent.js';

const { places, order } = board;
const { retreats, adjustments, counts } = played;
const onBoard = new RandomGame();
const stream = new Int32Array(2);
/** Random bits for the orders of each power, indexed by power + 1. */
const bases = new Int32Array(MAX_POWERS + 2);

/** Draws the random bits for the orders of one power in one phase. Takes two numbers from `random`. */
const drawBase = (random: Random): number => onBoard.randomBits(random.next(), random.next());

/** Writes the movement orders of a power from the engine's board to `out`, as packed orders. Returns their number. */
const writeMoves = (power: Power, out: Int32Array): number => {
  const count = onBoard.count;
  let n = 0;
  for (let i = 0; i < count; i++) {
    const p = places[i];
    if (boardPower(p) === power + 1) out[n++] = packedOrder(order[p], boardLocation(p));
  }
  return n;
};

/**
 * Draws the retreats or adjustments of a power, writes them to `out` and returns their number.
 * @param sampler UNIFORM or POLICY
 */
const writeOpen = (sampler: number, game: Game, power: Power, out: Int32Array, random: Random): number => {
  stream[0] = random.next();
  stream[1] = random.next();
  onBoard.load(game, stream);
  onBoard.playOpen(sampler);
  const retreating = game.dislodgedCount > 0;
  const list = retreating ? retreats : adjustments;
  const count = counts[retreating ? 0 : 1];
  let n = 0;
  for (let i = 0; i < count; i++) if (ordererOf(game, list[i]) === power) out[n++] = list[i];
  return n;
};

/**
 * Draws the orders of a power in any phase, writes them to `out` as packed orders and returns their number.
 * @param sampler UNIFORM or POLICY
 */
export const sampledOrders = (sampler: number, game: Game, power: Power, out: Int32Array, random: Random): number => {
  if (game.phase !== MOVEMENT) return writeOpen(sampler, game, power, out, random);
  onBoard.load(game, stream);
  bases[power + 1] = drawBase(random);
  onBoard.drawMoves(sampler, bases, power);
  const n = writeMoves(power, out);
  return n;
};

/**
 * Answers questions[first] to questions[end - 1], which must be about the same movement phase, and appends the answers
 * to `out`. Loads the game on the board once for all.
 */
const answerMoves = (
  sampler: number,
  questions: readonly Question[],
  first: number,
  end: number,
  out: Answer[],
): void => {
  onBoard.load(questions[first].game, stream);
  for (let i = first; i < end; i++) bases[questions[i].power + 1] = drawBase(questions[i].random);
  if (sampler === UNIFORM) onBoard.drawMoves(sampler, bases, -1);
  for (let i = first; i < end; i++) {
    const { power } = questions[i];
    if (sampler !== UNIFORM) onBoard.drawMoves(sampler, bases, power);
    const orders = new Int32Array(boardUnits[power + 1]);
    writeMoves(power, orders);
    out.push({ orders });
  }
};

const chosen = new Int32Array(2 * MAX_LOCATIONS);

/**
 * Returns an answer to each question, with orders drawn by a sampler of the engine.
 * @param sampler UNIFORM or POLICY
 */
export const answerSampled = (sampler: number, questions: readonly Question[]): Answer[] => {
  const answers: Answer[] = [];
  for (let i = 0; i < questions.length; ) {
    const { game, power, random } = questions[i];
    let end = i + 1;
    if (game.phase === MOVEMENT) {
      while (end < questions.length && questions[end].game === game) end++;
      answerMoves(sampler, questions, i, end, answers);
    } else answers.push({ orders: chosen.slice(0, writeOpen(sampler, game, power, chosen, random)) });
    i = end;
  }
  return answers;
};
