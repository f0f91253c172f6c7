// Defines an agent: something that gives orders for a power.
import type { Game, Power, Random } from '../../engine/internal.js';
import type { Message, Said } from './message.js';
import type { AgentOption } from './option.js';

/** The budget of one choice. An agent that does not search ignores it. */
export interface Budget {
  /** Wall clock: the choice then depends on the machine, and the caller says so in its output. */
  readonly milliseconds: number;
  /** Rollouts: the choice is the same on every machine. */
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
   * Packed orders (order.ts) as given to adjudicate(): by power, then in the order in which its agent wrote them. If all
   * agents draw by one sampler (sampled-steps.ts), retreats are in the order in which it drew them.
   */
  readonly orders: Int32Array;
  /** One byte an order: its result and fate (outcomes.ts). An adjustment succeeds or fails. */
  readonly results: Uint8Array;
}

/** The history of a game, for an agent that chooses. */
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

/** Something that gives orders for a power, in all three phases. */
export interface Agent {
  /** Name of its kind: 'search'. */
  readonly name: string;
  /** All options of its kind, by name. */
  readonly options: Readonly<Record<string, OptionValue>>;
  /**
   * UNIFORM or POLICY, for an agent that only draws by that sampler of the engine. If such agents have all seats, the
   * orders of a phase-step are drawn together from the stream of the game, and choose() is not called.
   */
  readonly sampler?: number;
  /**
   * How many choices it may be asked for at once: more than 1 where it answers them together, and infinitely many where
   * choose() answers on the spot. Default: 1. With more it must not use its game once choose() has returned.
   */
  readonly concurrency?: number;
  /**
   * The order sets that it compared for its last choice, the likeliest first: legal ones of that power, with probabilities
   * that add up to 1 at most. A run with targets records them (games/targets.ts).
   */
  readonly candidates?: () => readonly Candidate[];
  /**
   * What a power says in a round of press, before the orders of a movement phase; `past.messages` is what it may read. All
   * powers with units are asked at once: what is said is read from the next round on. An agent without it is silent.
   * @param random the stream of (seed of the game, index of the phase, power and round): the only source of chance
   * @returns messages, or whatever is to be refused and named; what a module throws ends the game
   */
  readonly talk?: (
    game: Game,
    power: Power,
    random: Random,
    round: Round,
    past: Past,
  ) => readonly Said[] | Promise<readonly Said[]>;
  /**
   * Writes packed legal orders for one power to `out` and returns their number: one at most for each unit, and in an
   * adjustment phase as many as `adjustmentDue(game, power)` says. A unit without an order holds, a dislodged one is disbanded; a
   * build that is not ordered is not made, a removal that is not ordered falls to civil disorder.
   * @param game the position. Its phase says what is wanted. An agent that does not ship with Lepanto is shown a copy: it
   * may try orders on it. Map and rules are those of all games, and not to be changed
   * @param out at least `game.map.provinceCount` long
   * @param random the stream of (seed of the game, index of the phase, power): the only source of chance
   * @param budget what the choice may cost; an agent that does not search ignores it
   * @param past the game so far, where there is one; no agent may need it
   */
  choose(
    game: Game,
    power: Power,
    out: Int32Array,
    random: Random,
    budget: Budget,
    past?: Past,
  ): number | Promise<number>;
}

/** How to make agents of one name: an entry of agentKinds, or the default export of a user's module. */
export interface AgentKind {
  /** The name that parseAgent() reads. */
  readonly name: string;
  /** One line about it. */
  readonly help: string;
  /** Its options by name. */
  readonly options: Readonly<Record<string, AgentOption>>;
  /** Makes an agent. All options are given. */
  readonly make: (options: Readonly<Record<string, OptionValue>>) => Agent;
}

/** The kind of an agent without options, whose choose() answers on the spot. @param sampler that it draws by, if it does */
export const plainKind = (name: string, help: string, choose: Agent['choose'], sampler?: number): AgentKind => {
  const drawn = sampler === undefined ? {} : { sampler };
  const agent: Agent = { name, options: {}, concurrency: Number.POSITIVE_INFINITY, ...drawn, choose };
  return { name, help, options: {}, make: () => agent };
};
