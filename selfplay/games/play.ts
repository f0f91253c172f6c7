// Plays one game by agents, from the start of its map to a stated end, and records it phase by phase.

import {
  COMPLETED,
  type CompiledMap,
  DATC_3_2,
  declareDraw,
  type Game,
  hasOrders,
  MOVEMENT,
  makeResults,
  newGame,
  PLAYING,
  type Power,
  phaseName,
  Random,
  type Rules,
  standard,
} from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { type Agent, type Budget, type Past, UNBOUNDED } from '../question/agent.js';
import { type Message, MOST_ROUNDS, type Said } from '../question/message.js';
import { askAgent, askCandidates, askTalk, noteUnsaid, SharedTables, talkRandom } from './ask.js';
import { type EndingByYear, EndingWatch } from './ending.js';
import { type GameRecord, gameScores, type PhaseRecord, playPhase, recordState } from './game-record.js';
import { Mail } from './mail.js';
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
  /**
   * Rounds of press before the orders of each movement phase, from 0, the default: messages are then in the record. Powers
   * without units are silent; retreats and adjustments have no press, as in the rulebooks.
   */
  readonly rounds?: number;
}

/** What agents were asked for in a phase. */
interface Answers {
  readonly orders: Int32Array;
  /** What they weighed for these orders, ascending by power. */
  readonly targets: readonly PolicyTargets[];
}

/** A game that is being played. */
interface Course {
  readonly game: Game;
  readonly seed: number;
  readonly index: number;
  readonly past: Past;
  /** Null without press. */
  readonly mail: Mail | null;
}

/** The past as a power may know it. */
const pastOf = ({ past, mail }: Course, power: Power): Past =>
  mail === null ? past : { ...past, messages: mail.boxOf(power) };

/** What came of asking every agent: those that are not concurrent are not asked yet, and others may answer later. */
const finishAsking = async <T>(
  agents: readonly Agent[],
  ask: (power: Power) => T | Promise<T>,
  answers: readonly (T | Promise<T> | undefined)[],
): Promise<T[]> => {
  const asked = [...answers];
  for (let power = 0; power < agents.length; power++) if (!isConcurrent(agents[power])) asked[power] = await ask(power);
  return Promise.all(asked as (T | Promise<T>)[]);
};

/**
 * Asks every agent. Those that answer many questions together are asked first, and wait for each other; the others one after
 * the other. Nothing waits where all answer on the spot: games of fast agents would take a tenth longer.
 */
const askEach = <T>(agents: readonly Agent[], ask: (power: Power) => T | Promise<T>): T[] | Promise<T[]> => {
  const answers: (T | Promise<T> | undefined)[] = [];
  let isWhole = true;
  for (let power = 0; power < agents.length; power++) {
    const answer = isConcurrent(agents[power]) ? ask(power) : undefined;
    if (answer === undefined || answer instanceof Promise) isWhole = false;
    answers.push(answer);
  }
  return isWhole ? (answers as T[]) : finishAsking(agents, ask, answers);
};

const NOTHING: readonly Said[] = [];
const NO_MESSAGES: readonly Message[] = [];

/** Plays the rounds of press of a phase. @returns what was sent, in the order of time */
const talkAll = async (course: Course, mail: Mail, { agents, rounds = 0 }: PlayOptions): Promise<Message[]> => {
  const { game, seed, index, past } = course;
  const phase = phaseName(game);
  const messages: Message[] = [];
  for (let round = 1; round <= rounds; round++) {
    const answers = await askEach(agents, (power) => {
      if (agents[power].talk === undefined || !hasOrders(game, power)) return NOTHING;
      const random = talkRandom(seed, past.phases.length, power, round);
      return askTalk(agents[power], { game, power, random, index, past: pastOf(course, power) }, { round, rounds });
    });
    answers.forEach((said, power) => {
      const { sent, refused } = mail.send(phase, round, power, said);
      messages.push(...sent);
      if (refused > 0) noteUnsaid(agents[power], game, power, index, 'got more messages than one game may have');
    });
  }
  return messages;
};

/** Asks for the orders of all powers. Lists by power and the list of all are overwritten. */
const askAll = async (
  course: Course,
  { agents, budget = UNBOUNDED, targets: isKept = false }: PlayOptions,
  chosen: readonly Int32Array[],
  out: Int32Array,
): Promise<Answers> => {
  const { game, seed, index, past } = course;
  const targets: (PolicyTargets | null)[] = [];
  const keep = (power: Power): void => {
    if (!isKept) return;
    const candidates = askCandidates(agents[power], game, power, index);
    targets[power] = candidates === null ? null : policyTargets(power, candidates);
  };
  const choose = (power: Power): number | Promise<number> => {
    if (!hasOrders(game, power)) return 0;
    const random = new Random(seed, past.phases.length, power);
    const question = { game, power, random, budget, index, past: pastOf(course, power) };
    const choice = askAgent(agents[power], question, chosen[power]);
    if (typeof choice === 'number') keep(power);
    else if (!isConcurrent(agents[power]))
      return choice.then((count) => {
        keep(power);
        return count;
      });
    return choice;
  };
  const answers = askEach(agents, choose);
  const counts = answers instanceof Promise ? await answers : answers;
  let n = 0;
  for (let power = 0; power < agents.length; power++) {
    out.set(chosen[power].subarray(0, counts[power]), n);
    n += counts[power];
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
  const kept = new Map<number, Pick<PhaseRecord, 'targets' | 'messages'>>();
  const hasPress = (options.rounds ?? 0) > 0 && options.agents.some(({ talk }) => talk !== undefined);
  const mail = hasPress ? new Mail(map.powerNames) : null;
  const course: Course = { game, seed, index, past: { game: String(index), phases }, mail };
  while (game.status === PLAYING) {
    const { phase } = game;
    const messages = mail !== null && phase === MOVEMENT ? await talkAll(course, mail, options) : NO_MESSAGES;
    const { orders, targets } =
      steps === null ? await askAll(course, options, chosen, all) : { orders: steps.next(game), targets: [] };
    if (targets.length + messages.length > 0)
      kept.set(phases.length, { ...(targets.length > 0 && { targets }), ...(messages.length > 0 && { messages }) });
    phases.push(playPhase(game, orders, results));
    options.onPhase?.(phase);
    if (game.status === PLAYING && watch.isOver(game)) declareDraw(game);
  }
  phases.push({ phase: COMPLETED, state: recordState(game), orders: new Int32Array(0), results: new Uint8Array(0) });
  shared.check(index);
  const told = kept.size === 0 ? phases : phases.map((phase, i) => ({ ...phase, ...kept.get(i) }));
  return { index, seed, phases: told, scores: gameScores(game) };
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
  const { rounds = 0 } = options;
  if (!(Number.isInteger(rounds) && rounds >= 0 && rounds <= MOST_ROUNDS))
    throw new LepantoError('argument', `rounds: got ${rounds}, wanted a whole number from 0 to ${MOST_ROUNDS}`);
  return play(map, rules, seed, index, options);
};
