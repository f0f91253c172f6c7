// What an agent is: something that gives orders for a power.
import type { Game, Power, Random } from '../../engine/internal.js';

/** What a caller grants for one choice. An agent that does not search ignores it. */
export interface Budget {
  /** Wall clock: the choice then depends on the machine, and the caller says so in its output. */
  readonly milliseconds: number;
  readonly rollouts: number;
}

/** No bound of the caller's own: the options of the agent decide. */
export const UNBOUNDED: Budget = { milliseconds: Number.POSITIVE_INFINITY, rollouts: Number.POSITIVE_INFINITY };

export type OptionValue = number | string;

/** Something that gives orders for a power, in all three phases. */
export interface Agent {
  readonly name: string;
  readonly options: Readonly<Record<string, OptionValue>>;
  /**
   * Writes packed legal orders for one power to `out` and returns their number. A unit without an order holds, a
   * dislodged one is disbanded; a build not ordered is not built, a removal not ordered falls to civil disorder.
   * @param game the position; not to be changed. Its phase says what is wanted
   * @param out at least `game.map.provinceCount` long
   * @param random the stream of (seed of the game, index of the phase, power): the only source of chance
   */
  choose(game: Game, power: Power, out: Int32Array, random: Random, budget: Budget): number | Promise<number>;
}

/** One option of an agent: a number in a range, or one of several words. */
export type AgentOption = { readonly help: string } & (
  | { readonly default: number; readonly least: number; readonly most: number }
  | { readonly default: string; readonly words: readonly string[] }
);

/** An entry of the registry: how to make an agent of this name. */
export interface AgentKind {
  readonly name: string;
  readonly help: string;
  readonly options: Readonly<Record<string, AgentOption>>;
  readonly make: (options: Readonly<Record<string, OptionValue>>) => Agent;
}
