// Defines an agent: something that gives orders for a power.
import type { Game, Power, Random } from '../../engine/internal.js';

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
   * Writes packed legal orders for one power to `out` and returns their number: one at most for each unit, and in an
   * adjustment phase as many as `balance(game, power)` says. A unit without an order holds, a dislodged one is disbanded; a
   * build that is not ordered is not made, a removal that is not ordered falls to civil disorder.
   * @param game the position. Its phase says what is wanted. An agent that does not ship with Lepanto is shown a copy: it
   * may try orders on it. Map and rules are those of all games, and not to be changed
   * @param out at least `game.map.provinceCount` long
   * @param random the stream of (seed of the game, index of the phase, power): the only source of chance
   * @param budget what the choice may cost; an agent that does not search ignores it
   */
  choose(game: Game, power: Power, out: Int32Array, random: Random, budget: Budget): number | Promise<number>;
}

/** One option of an agent: a number in a range, or one of several words. */
export type AgentOption = { readonly help: string } & (
  | { readonly default: number; readonly least: number; readonly most: number }
  | { readonly default: string; readonly words: readonly string[] }
);

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
