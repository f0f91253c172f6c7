// Plays one game by agents, from the start of its map to a stated end, and records it phase by phase.

import {
  COMPLETED,
  type CompiledMap,
  DATC_3_2,
  declareDraw,
  type Game,
  hasOrders,
  makeResults,
  newGame,
  PLAYING,
  type Power,
  Random,
  type Rules,
  standard,
} from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { type Agent, type Budget, type Past, UNBOUNDED } from '../agents/agent.js';
import { askAgent, askCandidates, SharedTables } from './ask.js';
import { type EndingByYear, EndingWatch } from './ending.js';
import { type GameRecord, gameScores, type PhaseRecord, playPhase, recordState } from './game-record.js';
import { commonSampler, SampledSteps } from './sampled-steps.js';
import { type PolicyTargets, policyTargets } from './targets.js';

/** How a game is to be played. */
export interface PlayOptions extends EndingByYear {
  /** One for each power. */
  readonly agents: readonly Agent[];
  /** What a choice may cost; UNBOUNDED by default. */
  readonly budget?: Budget;
  /** Called after each phase, with its kind: MOVEMENT, RETREAT or ADJUSTMENT. */
  readonly onPhase?: (phase: number) => void;
  /** True to keep what agents weighed for their orders. Agents that answer many questions later and together are left out. */
  readonly targets?: boolean;
}

/** What agents were asked for in a phase. */
interface Answers {
  readonly orders: Int32Array;
  /** What they weighed for these orders, ascending by power. */
  readonly targets: readonly PolicyTargets[];
}

/** Asks for the orders of all powers. Lists by power and the list of all are overwritten. */
const askAll = async (
  game: Game,
  { agents, budget = UNBOUNDED, targets: isKept = false }: PlayOptions,
  { seed, index, past }: { readonly seed: number; readonly index: number; readonly past: Past },
  chosen: readonly Int32Array[],
  out: Int32Array,
): Promise<Answers> => {
  const targets: (PolicyTargets | null)[] = [];
  const keep = (power: Power): void => {
    if (!isKept) return;
    const candidates = askCandidates(agents[power], game, power, index);
    targets[power] = candidates === null ? null : policyTargets(power, candidates);
  };
  const choose = (power: Power): number | Promise<number> => {
    if (!hasOrders(game, power)) return 0;
    const random = new Random(seed, past.phases.length, power);
    const choice = askAgent(agents[power], { game, power, random, budget, index, past }, chosen[power]);
    if (typeof choice === 'number') keep(power);
    return choice;
  };
  // Those that answer many questions together are asked first, and wait for each other; the others one after the other.
  const counts = agents.map((agent, power) => (isConcurrent(agent) ? choose(power) : 0));
  for (let power = 0; power < agents.length; power++) {
    if (isConcurrent(agents[power])) continue;
    const choice = choose(power);
    counts[power] = typeof choice === 'number' ? choice : await choice;
    if (typeof choice !== 'number') keep(power);
  }
  let n = 0;
  for (let power = 0; power < agents.length; power++) {
    const choice = counts[power];
    const count = typeof choice === 'number' ? choice : await choice;
    out.set(chosen[power].subarray(0, count), n);
    n += count;
  }
  return { orders: out.slice(0, n), targets: isKept ? targets.filter((one) => one !== null && one !== undefined) : [] };
};

const isConcurrent = ({ concurrency = 1 }: Agent): boolean => concurrency > 1;

/** Games that a thread should play at once, so that its agents are asked for many choices together. */
export const gamesAtOnce = (agents: readonly Agent[]): number => {
  const most = Math.min(...agents.map(({ concurrency = 1 }) => concurrency));
  return Number.isFinite(most) ? most : 1;
};

/** Plays one game by its seed. @param index place in its run @throws LepantoError for illegal orders of guests */
export const play = async (
  map: CompiledMap,
  rules: Rules,
  seed: number,
  index: number,
  options: PlayOptions,
): Promise<GameRecord> => {
  const game = newGame(map, rules);
  const shared = new SharedTables(map, rules, game.layout, options.agents);
  const chosen = map.powerNames.map(() => new Int32Array(map.provinceCount));
  const all = new Int32Array(2 * map.provinceCount);
  const sampler = commonSampler(options.agents, rules);
  const steps = sampler === undefined ? null : new SampledSteps(map, rules, sampler, seed);
  const watch = new EndingWatch(options, game, seed);
  const results = makeResults();
  const phases: PhaseRecord[] = [];
  // Apart from the phases, which agents see.
  const targets: (readonly PolicyTargets[])[] = [];
  const past: Past = { game: String(index), phases };
  while (game.status === PLAYING) {
    const { phase } = game;
    const answers =
      steps === null
        ? await askAll(game, options, { seed, index, past }, chosen, all)
        : { orders: steps.next(game), targets: [] };
    targets.push(answers.targets);
    phases.push(playPhase(game, answers.orders, results));
    options.onPhase?.(phase);
    if (game.status === PLAYING && watch.isOver(game)) declareDraw(game);
  }
  phases.push({ phase: COMPLETED, state: recordState(game), orders: new Int32Array(0), results: new Uint8Array(0) });
  shared.check(index);
  const withTargets = phases.map((phase, i) => (targets[i]?.length > 0 ? { ...phase, targets: targets[i] } : phase));
  return { index, seed, phases: withTargets, scores: gameScores(game) };
};

/** A game to be played: playGame(). */
export interface PlayGameOptions extends PlayOptions {
  /** The whole course of the game follows from it and the agents: any int32. Default 0. */
  readonly seed?: number;
  /** Place of the game in a series; only written into the record. Default 0. */
  readonly index?: number;
  /** Default: the standard map. */
  readonly map?: CompiledMap;
  /** Default: DATC 3.2. */
  readonly rules?: Rules;
}

/**
 * Plays one game from the start of its map to a solo or to the end of the year `until`, asking one agent for each power,
 * and records it phase by phase: `playGame({ agents: parseAgents('random', 7), until: 1910, seed: 1 })`. The same seed and
 * agents give the same game, unless an agent searches by the clock.
 * @throws LepantoError for another number of agents than powers; LepantoError if an agent that does not ship with Lepanto gives
 * orders that are not legal, which names the agent, the power and the phase
 */
export const playGame = async (options: PlayGameOptions): Promise<GameRecord> => {
  const { seed = 0, index = 0, map = standard, rules = DATC_3_2 } = options;
  if (options.agents.length !== map.powerCount)
    throw new LepantoError(
      'argument',
      `agents: got ${options.agents.length}, wanted ${map.powerCount}, one for each power`,
    );
  return play(map, rules, seed, index, options);
};
