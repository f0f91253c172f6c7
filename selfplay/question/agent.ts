// Defines what an agent is asked and what it answers, and what a kind of agent states about itself.
import { type Game, type Power, phaseName, type Random } from '../../engine/internal.js';
import type { Message, Said } from './message.js';
import type { AgentOption } from './option.js';

/** The budget of one answer. An agent that does not search ignores it. */
export interface Budget {
  /** Wall clock: the answer then depends on the machine, and the caller says so in its output. */
  readonly milliseconds: number;
  /** Rollouts: the answer is the same on every machine. */
  readonly rollouts: number;
}

/** A budget without bounds: the options of the agent decide. */
export const UNBOUNDED: Budget = { milliseconds: Number.POSITIVE_INFINITY, rollouts: Number.POSITIVE_INFINITY };

/** The value of an option of an agent. */
export type OptionValue = number | string;

/** One phase as it was played. */
export interface PlayedPhase {
  /** 'S1901M', or COMPLETED for the position after the last phase, which has no orders. */
  readonly phase: string;
  /** The position before the orders: the bytes of state.ts, outside retreats without its two last sections, all 0. */
  readonly state: Uint8Array;
  /**
   * Packed orders (order.ts) as given to adjudicate(): by power, then in the order in which its agent wrote them.
   */
  readonly orders: Int32Array;
  /** One byte an order: its result and fate (outcomes.ts). An adjustment succeeds or fails. */
  readonly results: Uint8Array;
}

/** The history of a game, for an agent. */
export interface Past {
  /** Names the game among those that the thread plays. */
  readonly game: string;
  /** Its phases so far, from the first. */
  readonly phases: readonly PlayedPhase[];
  /** What the power may read, the oldest first, its own messages too; only in games with press. */
  readonly messages?: readonly Message[];
}

/** A round of press. */
export interface Round {
  /** From 1. */
  readonly round: number;
  /** Rounds of each movement phase. */
  readonly rounds: number;
}

/** The past of a game without a history. */
export const NO_PAST: Past = { game: '', phases: [] };

/** An order set that an agent has compared with others, as a target for learning a policy. */
export interface Candidate {
  /** Packed orders. */
  readonly orders: Int32Array;
  /** How likely it was to be chosen, 0 to 1. */
  readonly probability: number;
  /** What it is worth; NaN where unknown. */
  readonly value: number;
  /** The standard error of the value; NaN where unknown. */
  readonly error: number;
}

/** A question to an agent: the orders of one power in one position. */
export interface Question {
  /** The position. Its phase says which orders are wanted. A user module gets a copy and may try orders on it. */
  readonly game: Game;
  /** The power whose orders are wanted. It has something to order. */
  readonly power: Power;
  /** The stream of (seed of the game, index of the phase, power): the only source of chance. */
  readonly random: Random;
  /** What the answer may cost. An agent that does not search ignores it. */
  readonly budget: Budget;
  /** The game so far, where it is known. No agent may need it. */
  readonly past: Past;
}

/** The answer to a question. */
export interface Answer {
  /**
   * Packed legal orders of the power: at most one for each unit, and in an adjustment phase as many as
   * `adjustmentDue(game, power)` says. A unit without an order holds, a dislodged one is disbanded; a build that is not
   * ordered is not made, a removal that is not ordered falls to civil disorder.
   */
  readonly orders: Int32Array;
  /**
   * The order sets that the agent compared, the likeliest first: legal ones of that power, with probabilities that add up
   * to 1 at most. A run with targets records them (games/targets.ts).
   */
  readonly candidates?: readonly Candidate[];
}

/** A question to an agent: what a power says in a round of press. `past.messages` is what it may read. */
export interface TalkQuestion extends Omit<Question, 'budget'> {
  /** The round, and their number. */
  readonly round: Round;
}

/** A value now, or later. */
export type Soon<T> = T | Promise<T>;

/** Something that gives orders for powers, in all three phases. */
export interface Agent {
  /** Name of its kind: 'search'. */
  readonly name: string;
  /** All options of its kind, by name. */
  readonly options: Readonly<Record<string, OptionValue>>;
  /**
   * Answers questions, one answer for each question in the same order. All questions of a phase, over all games that a
   * thread plays, come in one call; those about one position follow one another. An answer depends on its question alone.
   */
  readonly answer: (questions: readonly Question[]) => Soon<readonly Answer[]>;
  /**
   * Says something in a round of press, before the orders of a movement phase: a list of messages for each question. All
   * powers with units are asked in one call, and read each other from the next round on. An agent without it is silent.
   */
  readonly talk?: (questions: readonly TalkQuestion[]) => Soon<readonly (readonly Said[])[]>;
  /**
   * UNIFORM or POLICY, for an agent that draws by that sampler of the engine. Where such agents have all seats of a game,
   * a phase-step is drawn at once from the stream of the game, as Batch does it.
   */
  readonly sampler?: number;
  /** False if answers never depend on the past. Default true. */
  readonly readsPast?: boolean;
  /** Most questions in one call, for a user module. Default 1, so that an error or a time limit names its question. */
  readonly batch?: number;
}

/** How to make agents of one name: an entry of agentKinds, or the default export of a user's module. */
export interface AgentKind {
  /** The name that parseAgent() reads. */
  readonly name: string;
  /** One line about it. */
  readonly help: string;
  /** Its options by name. */
  readonly options: Readonly<Record<string, AgentOption>>;
  /**
   * Time of an answer, as a multiple of DumbBot's: it decides how many games a file of a run has. Default 32.
   * Below 1 for agents that draw by a sampler or do nothing.
   */
  readonly cost?: number;
  /** Name of an option that multiplies the cost. */
  readonly costBy?: string;
  /** False for an agent that needs Node. Default true. */
  readonly inBrowser?: boolean;
  /** Makes an agent. All options are given. */
  readonly make: (options: Readonly<Record<string, OptionValue>>) => Agent;
}

/** Writes packed orders of one power to `out`, at least `game.map.provinceCount` long, and returns their number. */
export type WriteOrders = (game: Game, power: Power, out: Int32Array, random: Random) => number;

/** The answer without orders. It has no element that one could change, so that all questions share it. */
const NO_ORDERS: Answer = { orders: new Int32Array(0) };

/** Makes answers from a function that answers one question at a time. */
export const answerEach = (write: WriteOrders): Agent['answer'] => {
  let out = new Int32Array(0);
  return (questions) =>
    questions.map(({ game, power, random }) => {
      if (out.length < game.map.provinceCount) out = new Int32Array(game.map.provinceCount);
      const count = write(game, power, out, random);
      return count === 0 ? NO_ORDERS : { orders: out.slice(0, count) };
    });
};

/** The kind of an agent without options that answers one question at a time. */
export const plainKind = (name: string, cost: number, help: string, write: WriteOrders): AgentKind => {
  const agent: Agent = { name, options: {}, answer: answerEach(write), readsPast: false };
  return { name, help, options: {}, cost, make: () => agent };
};

/** Asks an agent one question. */
export const askOne = async (agent: Agent, question: Question): Promise<Answer> => {
  const [answer] = await agent.answer([question]);
  return answer;
};

/** Names a question in messages: 'FRANCE in S1901M of game 12', and ', round 2' in a round of press. */
export const placeOf = (question: Pick<Question, 'game' | 'power' | 'past'> & { readonly round?: Round }): string => {
  const { game, power, past, round } = question;
  const name = past.game === '' ? '' : ` of game ${past.game}`;
  return `${game.map.powerNames[power]} in ${phaseName(game)}${name}${round === undefined ? '' : `, round ${round.round}`}`;
};
