// Plays the rollouts of a chunk (rollout-tasks.ts) in one thread.
import {
  adjudicate,
  Game,
  hashSeed,
  hasOrders,
  MOVEMENT,
  makeResults,
  PLAYING,
  Random,
  scoreInto,
  scoreNames,
} from '../../../engine/internal.js';
import { isAfterLastYear } from '../../../engine/play/batch.js';
import { CHUNK_NUMBERS } from '../../../selfplay/crew/rollout-jobs.js';
import { type Agent, NO_PAST, type Question, UNBOUNDED } from '../../../selfplay/question/agent.js';
import { playoutNames, valueNames } from '../../../selfplay/search/options.js';
import { Playouts } from '../../../selfplay/search/playout.js';
import type { ActionDecoder } from './action-decoder.js';
import type { AgentOrders } from './agent-orders.js';
import type { Games } from './games.js';
import { type AskedRollouts, readAsked, sumsOf } from './rollout-tasks.js';

/** Third argument of hashSeed(seed, rollout, AGENTS), the seed of agents that order again in each rollout. */
const AGENTS = 7;

/** Plays the rollouts of one thread's chunks. */
export class RolloutPlay {
  private readonly results = makeResults();
  private readonly values = new Float64Array(this.games.map.powerCount);
  private readonly centers = new Int32Array(this.games.map.powerCount);
  private readonly orders = new Int32Array(this.games.map.powerCount * this.games.map.provinceCount);
  private readonly trial = new Game(this.games.map, this.games.rules);

  constructor(
    private readonly games: Games,
    private readonly agents: AgentOrders,
    private readonly decoder: ActionDecoder,
  ) {}

  /**
   * Plays the rollouts of a chunk, and writes sums of their values and of the values' squares to shared memory. Returns
   * the number of rollouts.
   * @param chunk index of the chunk in the round
   */
  play(chunk: number): number | Promise<number> {
    const { rollouts: memory } = this.games.shared;
    const { chunks, sums } = memory;
    const { map, arrays } = this.games;
    const asked = readAsked(memory);
    const [nth, offset, count] = chunks.subarray(CHUNK_NUMBERS * chunk);
    const row = asked.first + nth;
    const begin = asked.from + offset;
    const end = begin + count;
    const width = sumsOf(map.powerCount);
    const into = sums.subarray(chunk * width, (chunk + 1) * width);
    into.fill(0);
    const parent = asked.after === 1 ? this.games.at(arrays.parents[row]) : null;
    const isAfter = parent?.phase === MOVEMENT;
    const isDrawn = parent?.status === PLAYING && this.agents.order(arrays.parents[row]);
    const game = this.games.at(row);
    if (game.status !== PLAYING && !isDrawn) return this.addEnd(asked, game, count, into);
    const depth = Math.max(0, asked.horizon - (isAfter ? 1 : 0));
    const seed = arrays.seeds[row];
    if (isDrawn) return this.playFromParent(asked, row, depth, seed, begin, end, into);
    const own = this.games.at(row).clone();
    if (asked.agent > 0) return this.playAgent(asked, own, depth, seed, begin, end, into);
    const players = this.playouts(asked, own, depth);
    for (let k = begin; k < end; k++) {
      players.playOn(this.games.config.until, seed, k, this.values);
      this.add(into);
    }
    return count;
  }

  private playouts({ value, playout }: AskedRollouts, game: Game, depth: number): Playouts {
    return new Playouts(game, { depth, playout: playoutNames[Math.max(0, playout)], value: valueNames[value] });
  }

  private add(into: Float64Array, times = 1): void {
    const { values } = this;
    const powers = values.length;
    for (let q = 0; q < powers; q++) {
      into[q] += times * values[q];
      into[powers + q] += times * values[q] * values[q];
    }
  }

  /**
   * Counts the score of a finished game as the value of `count` rollouts: adds it to the sums in `into`. Returns
   * `count`.
   */
  private addEnd({ value }: AskedRollouts, game: Game, count: number, into: Float64Array): number {
    const system = scoreNames.indexOf(valueNames[value] === 'sum_of_centers' ? 'sum_of_centers' : 'sum_of_squares');
    game.countCenters(this.centers);
    scoreInto(system, this.centers, 0, this.values.length, game.winner, this.values);
    this.add(into, count);
    return count;
  }

  /**
   * Plays rollouts number `begin` to `end - 1` of a child: from the position of its parent game, with the orders that
   * led to the child. Agents of other powers choose their orders again in each rollout. Returns the number of rollouts.
   * @param row row of the child
   * @param depth number of turns from the child's position to the horizon
   * @param seed seed of the child; each rollout derives its own from it
   * @param into receives sums of the values by power, then sums of their squares
   */
  private async playFromParent(
    asked: AskedRollouts,
    row: number,
    depth: number,
    seed: number,
    begin: number,
    end: number,
    into: Float64Array,
  ): Promise<number> {
    const { games, trial, orders } = this;
    const { parents, steps } = games.arrays;
    const { until, maxSteps } = games.config;
    const agent = asked.agent > 0 ? await this.agents.load(asked.agent) : null;
    const start = games.at(parents[row]).clone();
    const own = this.decoder.ordersOf(row);
    const seeds = Array.from({ length: end - begin }, (_, i) => hashSeed(seed, begin + i, AGENTS));
    const answers = await this.agents.askAgain(parents[row], seeds);
    const turns = steps[parents[row]] + (start.phase === MOVEMENT ? 1 : 0);
    for (let k = begin; k < end; k++) {
      trial.copyFrom(start);
      orders.set(own);
      orders.set(answers[k - begin], own.length);
      adjudicate(trial, orders, own.length + answers[k - begin].length, this.results);
      const isCut = maxSteps > 0 && trial.phase === MOVEMENT && turns >= maxSteps;
      if (isCut || trial.status !== PLAYING || isAfterLastYear(trial.year, until)) this.addEnd(asked, trial, 1, into);
      else if (agent !== null) await this.addAgents(asked, agent, depth, seed, k, into);
      else {
        this.playouts(asked, trial.clone(), depth).playOn(until, seed, k, this.values);
        this.add(into);
      }
    }
    return end - begin;
  }

  private async playAgent(
    asked: AskedRollouts,
    start: Game,
    depth: number,
    seed: number,
    begin: number,
    end: number,
    into: Float64Array,
  ): Promise<number> {
    const agent = await this.agents.load(asked.agent);
    for (let k = begin; k < end; k++) {
      this.trial.copyFrom(start);
      await this.addAgents(asked, agent, depth, seed, k, into);
    }
    return end - begin;
  }

  /**
   * Plays one rollout from the position in `trial` with an agent for all powers, and adds its value to the sums in
   * `into`.
   * @param depth number of turns after the current one
   * @param seed seed of all rollouts of the row
   * @param k number of the rollout, from which its own seed is derived
   */
  private async addAgents(
    asked: AskedRollouts,
    agent: Agent,
    depth: number,
    seed: number,
    k: number,
    into: Float64Array,
  ): Promise<void> {
    const { until } = this.games.config;
    await this.playTurns(agent, depth, hashSeed(seed, k));
    if (this.trial.status !== PLAYING || isAfterLastYear(this.trial.year, until)) {
      this.addEnd(asked, this.trial, 1, into);
      return;
    }
    this.playouts(asked, this.trial.clone(), 0).playOn(until, seed, k, this.values);
    this.add(into);
  }

  /**
   * Plays on from the position in `trial` with an agent for all powers: finishes the current turn if it has begun, then
   * plays `depth` turns. Stops earlier if the game ends.
   */
  private async playTurns(agent: Agent, depth: number, seed: number): Promise<void> {
    const { trial, games, orders } = this;
    const { until } = games.config;
    const isOver = (): boolean => trial.status !== PLAYING || isAfterLastYear(trial.year, until);
    for (let left = depth, phase = 0; !isOver(); phase++) {
      if (trial.phase === MOVEMENT && left-- === 0) return;
      let n = 0;
      const powers = [...games.map.powerNames.keys()].filter((power) => hasOrders(trial, power));
      const questions = powers.map((power): Question => {
        const random = new Random(seed, phase, power);
        return { game: trial, power, random, budget: UNBOUNDED, past: NO_PAST };
      });
      for (const answer of questions.length === 0 ? [] : await agent.answer(questions)) {
        orders.set(answer.orders, n);
        n += answer.orders.length;
      }
      adjudicate(trial, orders, n, this.results);
    }
  }
}
