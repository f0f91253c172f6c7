// Plays the rollouts of a task (rollout-tasks.ts) in one thread.
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
import { askAgent } from '../../../selfplay/games/ask.js';
import { type Agent, NO_PAST, UNBOUNDED } from '../../../selfplay/question/agent.js';
import { playoutNames, valueNames } from '../../../selfplay/search/options.js';
import { Playouts } from '../../../selfplay/search/playout.js';
import type { AgentOrders } from './agent-orders.js';
import type { Games } from './games.js';
import {
  AFTER,
  AGENT,
  COUNT,
  FIRST,
  FIRST_ROW,
  FIRST_TASK,
  GROUP,
  HORIZON,
  PLACE,
  PLAYOUT,
  type RolloutMemory,
  SEED,
  sumsOf,
  TASK_SIZE,
  VALUE,
} from './rollout-tasks.js';

/** Plays the rollouts of one thread. */
export class RolloutPlay {
  private readonly results = makeResults();
  declare private readonly values: Float64Array;
  declare private readonly centers: Int32Array;
  declare private readonly orders: Int32Array;
  declare private readonly chosen: Int32Array;
  declare private readonly trial: Game;

  constructor(
    private readonly games: Games,
    private readonly agents: AgentOrders,
    private readonly memory: RolloutMemory,
  ) {
    const { map, rules } = games;
    this.values = new Float64Array(map.powerCount);
    this.centers = new Int32Array(map.powerCount);
    this.chosen = new Int32Array(map.provinceCount);
    this.orders = new Int32Array(map.powerCount * map.provinceCount);
    this.trial = new Game(map, rules);
  }

  /** Plays the rollouts of a task, and writes their sums. */
  play(task: number): number | Promise<number> {
    const { words, sums } = this.memory;
    const { map, arrays } = this.games;
    const size = words[TASK_SIZE];
    const each = Math.ceil(words[COUNT] / size);
    const number = words[FIRST_TASK] + task;
    const row = words[FIRST_ROW] + Math.floor(number / each);
    const begin = words[FIRST] + (number % each) * size;
    const count = Math.min(size, words[FIRST] + words[COUNT] - begin);
    const into = sums.subarray(task * sumsOf(map.powerCount), (task + 1) * sumsOf(map.powerCount));
    into.fill(0);
    const game = this.games.at(row);
    if (game.status !== PLAYING) return this.addEnd(game, count, into);
    const isAfter = words[AFTER] === 1 && this.games.at(arrays.parents[row]).phase === MOVEMENT;
    const depth = Math.max(0, words[HORIZON] - (isAfter ? 1 : 0));
    // Whatever streams the games have, which children share.
    const place = words[PLACE] + row - words[FIRST_ROW];
    const seed = hashSeed(words[SEED], Math.floor(place / words[GROUP]));
    const own = this.games.at(row).clone();
    if (words[AGENT] > 0) return this.playAgent(own, depth, seed, begin, count, into);
    const players = this.playouts(own, depth, words[PLAYOUT]);
    for (let k = begin; k < begin + count; k++) {
      players.playOn(this.games.config.until, seed, k, this.values);
      this.add(into);
    }
    return count;
  }

  private playouts(game: Game, depth: number, playout: number): Playouts {
    const value = valueNames[this.memory.words[VALUE]];
    return new Playouts(game, { depth, playout: playoutNames[playout], value });
  }

  private add(into: Float64Array, times = 1): void {
    const { values } = this;
    const powers = values.length;
    for (let q = 0; q < powers; q++) {
      into[q] += times * values[q];
      into[powers + q] += times * values[q] * values[q];
    }
  }

  /** A game that is over is worth its score. */
  private addEnd(game: Game, count: number, into: Float64Array): number {
    const value = valueNames[this.memory.words[VALUE]];
    const system = scoreNames.indexOf(value === 'sum_of_centers' ? 'sum_of_centers' : 'sum_of_squares');
    game.countCenters(this.centers);
    scoreInto(system, this.centers, 0, this.values.length, game.winner, this.values);
    this.add(into, count);
    return count;
  }

  private async playAgent(
    start: Game,
    depth: number,
    seed: number,
    begin: number,
    count: number,
    into: Float64Array,
  ): Promise<number> {
    const agent = await this.agents.load(this.memory.words[AGENT]);
    const { until } = this.games.config;
    for (let k = begin; k < begin + count; k++) {
      this.trial.copyFrom(start);
      await this.playTurns(agent, depth, hashSeed(seed, k));
      if (this.trial.status !== PLAYING || isAfterLastYear(this.trial.year, until)) this.addEnd(this.trial, 1, into);
      else {
        this.playouts(this.trial.clone(), 0, 0).playOn(until, seed, k, this.values);
        this.add(into);
      }
    }
    return count;
  }

  /** What is open of a turn, and then so many turns. */
  private async playTurns(agent: Agent, depth: number, seed: number): Promise<void> {
    const { trial, games, orders, chosen } = this;
    const { until } = games.config;
    const isOver = (): boolean => trial.status !== PLAYING || isAfterLastYear(trial.year, until);
    for (let left = depth, phase = 0; !isOver(); phase++) {
      if (trial.phase === MOVEMENT && left-- === 0) return;
      let n = 0;
      for (let power = 0; power < games.map.powerCount; power++) {
        if (!hasOrders(trial, power)) continue;
        const random = new Random(seed, phase, power);
        const question = { game: trial, power, random, budget: UNBOUNDED, index: 0, past: NO_PAST };
        const given = await askAgent(agent, question, chosen);
        orders.set(chosen.subarray(0, given), n);
        n += given;
      }
      adjudicate(trial, orders, n, this.results);
    }
  }
}
