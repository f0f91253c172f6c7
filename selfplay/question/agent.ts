// Types of agents: the questions an agent gets, the answers it gives, and the description of a kind of agent.
import { type Game, type Power, phaseName, type Random } from '../../engine/internal.js';
import type { Message, Said } from './message.js';
import type { AgentOption } from './option.js';

/** Limits of one answer. Agents that do not search ignore them. */
export interface Budget {
  /** Wall-clock limit in milliseconds. With this limit the answer depends on the speed of the machine. */
  readonly milliseconds: number;
  /** Maximum number of rollouts. With this limit alone, the answer is the same on every machine. */
  readonly rollouts: number;
}

/** Budget without limits: only the agent's own options limit its work. */
export const UNBOUNDED: Budget = { milliseconds: Number.POSITIVE_INFINITY, rollouts: Number.POSITIVE_INFINITY };

/** The value of an option of an agent. */
export type OptionValue = number | string;

/** A played phase: its position, orders and results. */
export interface PlayedPhase {
  /** Phase name such as 'S1901M'. COMPLETED for the position after the last phase, which has no orders. */
  readonly phase: string;
  /**
   * Position before the orders, in the byte layout of engine/position/game.ts. Outside retreat phases the last two
   * sections of this layout, which are all 0, are left out.
   */
  readonly state: Uint8Array;
  /**
   * Packed orders (engine/rules/order.ts) as given to adjudicate(): ascending by power, and for one power in the order
   * of its agent's answer.
   */
  readonly orders: Int32Array;
  /**
   * One byte for each order: its result and the fate of its unit (engine/adjudicate/order-results.ts). Adjustments
   * succeed or fail.
   */
  readonly results: Uint8Array;
}

/** The history of a game, as an agent sees it. */
export interface Past {
  /** Name of the game, unique among the games of a thread. '' if the game has no history. */
  readonly game: string;
  /** The phases played so far, from the first. */
  readonly phases: readonly PlayedPhase[];
  /** Messages that the power has sent or received, oldest first. Only in games with press. */
  readonly messages?: readonly Message[];
}

/** Number of a round of press in its movement phase, and number of rounds. */
export interface Round {
  /** Number of the round, from 1. */
  readonly round: number;
  /** Number of rounds in each movement phase. */
  readonly rounds: number;
}

/** History of a position whose history is unknown: no name and no phases. */
export const NO_PAST: Past = { game: '', phases: [] };

/** An order set that an agent compared with others. A record may store it for policy learning. */
export interface Candidate {
  /** Packed orders (engine/rules/order.ts). */
  readonly orders: Int32Array;
  /** Probability that the agent chooses this set, 0 to 1. */
  readonly probability: number;
  /** Estimated value for the power, in the agent's unit. NaN if unknown. */
  readonly value: number;
  /** Standard error of the value. NaN if unknown. */
  readonly error: number;
}

/** A question to an agent: which orders one power should give in one position. */
export interface Question {
  /** Position. Its phase decides the type of orders. A user module gets a copy and may play orders on it. */
  readonly game: Game;
  /** Power whose orders are wanted. It has at least one order to give. */
  readonly power: Power;
  /** Random numbers seeded by (game seed, phase index, power). Agents must use no other source of chance. */
  readonly random: Random;
  /** Limits of the answer. Agents that do not search ignore them. */
  readonly budget: Budget;
  /** History of the game; NO_PAST if unknown. Agents must also work without it. */
  readonly past: Past;
}

/** An agent's answer to a question: the orders, and optionally the order sets that it compared. */
export interface Answer {
  /**
   * Packed legal orders of the power: at most one for each unit, and in an adjustment phase at most
   * `adjustmentDue(game, power)` orders. A unit without an order holds, and a dislodged unit without an order is
   * disbanded. Builds without an order are not made. Missing removals are chosen by the civil disorder rules.
   */
  readonly orders: Int32Array;
  /**
   * Order sets that the agent compared, in descending probability. All are legal for the power, and their
   * probabilities add up to at most 1. A run with targets records them (games/targets.ts).
   */
  readonly candidates?: readonly Candidate[];
}

/**
 * A question to an agent: which messages one power should send in a round of press. `past.messages` has the messages
 * that the power may read.
 */
export interface TalkQuestion extends Omit<Question, 'budget'> {
  /** The current round and the number of rounds. */
  readonly round: Round;
}

/** A value of type T, or a promise of one. */
export type Soon<T> = T | Promise<T>;

/** A player: gives orders for powers in movement, retreat and adjustment phases. */
export interface Agent {
  /** Name of the agent's kind, such as 'search'. */
  readonly name: string;
  /** Values of all options of the kind, keyed by option name. */
  readonly options: Readonly<Record<string, OptionValue>>;
  /**
   * Answers questions. Returns one answer for each question, in the order of the questions. One call has all current
   * questions to the agent from all games that a thread plays. Questions about the same position are adjacent. An
   * answer must depend only on its own question.
   */
  readonly answer: (questions: readonly Question[]) => Soon<readonly Answer[]>;
  /**
   * Writes messages in a round of press, before the orders of a movement phase. Returns a list of messages for each
   * question, in the order of the questions. All powers with units are asked at the same time, so they read each
   * other's messages from the next round on. An agent without this function sends no messages.
   */
  readonly talk?: (questions: readonly TalkQuestion[]) => Soon<readonly (readonly Said[])[]>;
  /**
   * Sampler of the engine, UNIFORM or POLICY, if the agent draws its orders with one. If all agents of a game use the
   * same sampler, the engine draws whole phase-steps from the random numbers of the game, without calling answer().
   */
  readonly sampler?: number;
  /** False if answers never depend on the past. Default true. */
  readonly readsPast?: boolean;
  /**
   * Maximum number of questions in one call to a user module. Default 1, so that errors and timeouts identify the
   * question.
   */
  readonly batch?: number;
}

/** A kind of agent and the function that makes one. The default export of a user module has this type. */
export interface AgentKind {
  /** Name of the kind, which parseAgent() accepts. */
  readonly name: string;
  /** Description in one line, shown in help. */
  readonly help: string;
  /** Definitions of the kind's options, keyed by option name. */
  readonly options: Readonly<Record<string, AgentOption>>;
  /**
   * Time of one answer as a multiple of DumbBot's. Below 1 for agents that use a sampler or do nothing. Decides the
   * number of games in each file of a run. Default 32.
   */
  readonly cost?: number;
  /** Name of a numeric option. Its value multiplies the cost. Default: none. */
  readonly costBy?: string;
  /** False if the agent needs Node. Default true. */
  readonly inBrowser?: boolean;
  /** Makes an agent. @param options value of every option, keyed by option name */
  readonly make: (options: Readonly<Record<string, OptionValue>>) => Agent;
}

/**
 * Writes packed orders of one power to `out`, which has at least `game.map.provinceCount` elements. Returns the number
 * of orders.
 */
export type WriteOrders = (game: Game, power: Power, out: Int32Array, random: Random) => number;

/** Answer without orders. All questions can share it, because an empty array cannot be modified. */
const NO_ORDERS: Answer = { orders: new Int32Array(0) };

/** Returns a function for Agent.answer that calls `write` for each question and returns its orders as the answer. */
export const answerEach = (write: WriteOrders): Agent['answer'] => {
  let out = new Int32Array(0);
  return (questions) =>
    questions.map(({ game, power, random }) => {
      if (out.length < game.map.provinceCount) out = new Int32Array(game.map.provinceCount);
      const count = write(game, power, out, random);
      return count === 0 ? NO_ORDERS : { orders: out.slice(0, count) };
    });
};

/**
 * Returns a kind of agent without options that never reads the past.
 * @param cost time of one answer as a multiple of DumbBot's
 * @param help description in one line
 */
export const plainKind = (name: string, cost: number, help: string, write: WriteOrders): AgentKind => {
  const agent: Agent = { name, options: {}, answer: answerEach(write), readsPast: false };
  return { name, help, options: {}, cost, make: () => agent };
};

/** Asks an agent one question and returns its answer. */
export const askOne = async (agent: Agent, question: Question): Promise<Answer> => {
  const [answer] = await agent.answer([question]);
  return answer;
};

/**
 * Describes the place of a question in a game, for messages: 'FRANCE in S1901M of game 12', or with ', round 2' at the
 * end in a round of press.
 */
export const placeOf = (question: Pick<Question, 'game' | 'power' | 'past'> & { readonly round?: Round }): string => {
  const { game, power, past, round } = question;
  const name = past.game === '' ? '' : ` of game ${past.game}`;
  return `${game.map.powerNames[power]} in ${phaseName(game)}${name}${round === undefined ? '' : `, round ${round.round}`}`;
};
