// Rollouts from the games and children of a batch, cut into tasks that the threads share.
//
// A task is some of the rollouts of one row. The cut follows from what is asked for alone, and each task has a place of its
// own for what it comes to: the same sums, to the last bit, for any number of threads.
import {
  adjudicate,
  Game,
  hashSeed,
  hasOrders,
  MAX_POWERS,
  MOVEMENT,
  makeResults,
  PLAYING,
  Random,
  scoreInto,
  scoreNames,
} from '../../../engine/internal.js';
import { isAfterLastYear } from '../../../engine/play/batch.js';
import { fieldReader, oneOf, orElse, wholeNumber } from '../../../engine/rules/shape.js';
import { type Agent, NO_PAST, UNBOUNDED } from '../../../selfplay/agents/agent.js';
import { askAgent } from '../../../selfplay/games/ask.js';
import { playoutNames, valueNames } from '../../../selfplay/search/options.js';
import { Playouts } from '../../../selfplay/search/playout.js';
import type { AgentOrders } from './agent-orders.js';
import type { Games } from './games.js';
import type { Layout } from './layout.js';

/** Tasks that one command has at most. */
export const MOST_TASKS = 4096;
/** Rollouts of a task: a millisecond or two, whoever plays; values alone cost as much as a phase-step. */
const STEPS_A_TASK = { dumbbot: 40, policy: 1000, uniform: 1000, agent: 4 } as const;

/** What the threads share. */
export interface RolloutMemory {
  /** WORDS numbers that say what is asked for. */
  readonly words: Int32Array;
  /** By task: sums of the values by power, and of their squares. */
  readonly sums: Float64Array;
}

// Of the words: first row, rollouts of a row and of a task, the number of the first rollout, phase-steps (the first ones of
// games that wait for a movement phase counted, if they are children), ...
const FIRST_ROW = 0;
const COUNT = 1;
const TASK_SIZE = 2;
const FIRST = 3;
const HORIZON = 4;
const AFTER = 5;
const PLAYOUT = 6;
const VALUE = 7;
const SEED = 8;
const AGENT = 9;
const FIRST_TASK = 10;
const PLACE = 11;
const GROUP = 12;
const WORDS = 16;

const sumsOf = (powers: number): number => 2 * powers;

export const makeRolloutMemory = (): RolloutMemory => ({
  words: new Int32Array(new SharedArrayBuffer(4 * WORDS)),
  sums: new Float64Array(new SharedArrayBuffer(8 * MOST_TASKS * sumsOf(MAX_POWERS))),
});

/** Rollouts that a client asks for. */
export interface AskedRollouts {
  /** Rows of the batch and of its children. */
  readonly first: number;
  readonly end: number;
  /** Rollouts of each row, and the number of the first one. */
  readonly count: number;
  readonly from: number;
  /** Place of the first row among all that are asked about, and how many in a row have the same chance. */
  readonly place: number;
  readonly group: number;
  /** Phase-steps to the value. */
  readonly horizon: number;
  /** True if the phase-step that has led to a child is the first one. */
  readonly after: boolean;
  /** Place in playoutNames; -1 for an agent. */
  readonly playout: number;
  readonly value: number;
  readonly seed: number;
  /** Number of the agent; 0 for none. */
  readonly agent: number;
}

/** @throws LepantoError that names what is wrong */
export const readRollouts = (request: object, { games, children }: Layout): AskedRollouts => {
  const field = fieldReader(request, 'rollouts');
  const agent = field('agent', orElse(wholeNumber(0, 255), 0));
  const first = field('first', wholeNumber(0, games + children));
  return {
    first,
    end: field('end', wholeNumber(first, games + children)),
    count: field('count', wholeNumber(1, 2 ** 31 - 1)),
    from: field('from', wholeNumber(0, 2 ** 31 - 1)),
    place: field('place', wholeNumber(0, 2 ** 31 - 1)),
    group: field('group', wholeNumber(1, 2 ** 31 - 1)),
    horizon: field('horizon', wholeNumber(0, 1000)),
    after: field('after', (found) => found === true),
    playout: agent > 0 ? -1 : playoutNames.indexOf(field('playout', oneOf(playoutNames))),
    value: valueNames.indexOf(field('value', oneOf(valueNames))),
    seed: field('seed', wholeNumber(-(2 ** 31), 2 ** 31 - 1)),
    agent,
  };
};

/** Rollouts of one task. */
const taskSize = ({ playout, horizon, count }: AskedRollouts): number => {
  const steps = STEPS_A_TASK[playout < 0 ? 'agent' : playoutNames[playout]];
  return Math.min(count, Math.max(1, Math.floor(steps / (horizon + 1))));
};

/**
 * Plays what is asked for.
 * @param run does so many tasks with all threads
 * @returns by row, the sums of the values by power and of their squares
 */
export const runRollouts = async (
  asked: AskedRollouts,
  powers: number,
  { words, sums }: RolloutMemory,
  run: (tasks: number) => Promise<unknown>,
): Promise<Float64Array> => {
  const size = taskSize(asked);
  const each = Math.ceil(asked.count / size);
  const tasks = each * (asked.end - asked.first);
  const width = sumsOf(powers);
  const total = new Float64Array((asked.end - asked.first) * width);
  words[FIRST_ROW] = asked.first;
  words[COUNT] = asked.count;
  words[TASK_SIZE] = size;
  words[FIRST] = asked.from;
  words[HORIZON] = asked.horizon;
  words[AFTER] = asked.after ? 1 : 0;
  words[PLAYOUT] = asked.playout;
  words[VALUE] = asked.value;
  words[SEED] = asked.seed;
  words[AGENT] = asked.agent;
  words[PLACE] = asked.place;
  words[GROUP] = asked.group;
  for (let first = 0; first < tasks; first += MOST_TASKS) {
    const some = Math.min(MOST_TASKS, tasks - first);
    words[FIRST_TASK] = first;
    await run(some);
    for (let task = 0; task < some; task++) {
      const row = Math.floor((first + task) / each);
      for (let i = 0; i < width; i++) total[row * width + i] += sums[task * width + i];
    }
  }
  return total;
};

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
