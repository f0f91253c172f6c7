// Defines the parameters of the opponent model (opponent-model.ts): what a search expects of an opponent before it has seen
// any of its orders. A file of a named opponent has them too (opponent-file.ts).

/** What is expected of a stranger (stranger.ts). */
export interface HabitParameters {
  /** Prior over the styles of a unit: the player types in the order of typeNames, then the kinds of orders. Sums to 1. */
  readonly styles: readonly number[];
  /** Number of seen orders that weigh as much as the prior over styles. */
  readonly orders: number;
  /** A unit repeats its last order with the odds (repeat + agreed * p) * run * strength, p its probability by the styles. */
  readonly repeat: number;
  /** See `repeat`: how much more often it repeats an order that the styles make likely. */
  readonly agreed: number;
  /** Indexed by the number of turns in a row that the unit had the order, from 1; the last entry counts for more turns too. */
  readonly runs: readonly number[];
  /** Prior over the strengths of the habit of repeating, indexed as STRENGTHS. Sums to 1. */
  readonly strengths: readonly number[];
}

/** What is expected of an opponent: priors over player types and the stranger, and how both surprise. */
export interface OpponentParameters {
  /** Prior over the player types, in the order of typeNames, for an opponent that is no stranger. Sums to 1. */
  readonly types: readonly number[];
  /** Prior probability of the stranger. */
  readonly stranger: number;
  /** Share of the stranger in every opponent in the first turn of a game, and divided by n in the n-th turn. */
  readonly doubt: number;
  /** How often a unit of any type gets just any order. */
  readonly surprise: number;
  /** What it does if it is a stranger. */
  readonly habits: HabitParameters;
}

/** The parameters of a named opponent. */
export interface NamedOpponent extends OpponentParameters {
  /** Whom they were fitted to. */
  readonly opponent: string;
  /** Name of the only map that they count for. */
  readonly map: string;
  /** Where they come from, for messages: the path of a file. */
  readonly source: string;
}
