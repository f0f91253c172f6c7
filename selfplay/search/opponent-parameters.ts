// Defines the parameters of the opponent model (opponent-model.ts): the prior of a search over its opponents. A file of
// a named opponent contains them (opponent-file.ts).

/** Prior over the habits of a stranger (stranger.ts). */
export interface HabitParameters {
  /**
   * Prior over the styles of a unit: the player types in the order of typeNames, then the kinds of orders. Sums to 1.
   */
  readonly styles: readonly number[];
  /** Number of seen orders that weigh as much as the prior over styles. */
  readonly orders: number;
  /**
   * A unit repeats its last order with the odds (repeat + agreed * p) * run * strength, p its probability by the
   * styles.
   */
  readonly repeat: number;
  /** Factor in the formula of `repeat`. Raises the odds of repeating an order that the styles make likely. */
  readonly agreed: number;
  /**
   * `run` in the formula of `repeat`: index i is for an order given i + 1 turns in a row, the last index also for more
   * turns.
   */
  readonly runs: readonly number[];
  /** Prior over the strengths of the habit of repeating, indexed as STRENGTHS. Sums to 1. */
  readonly strengths: readonly number[];
}

/**
 * Parameters of the opponent model: priors over player types, the stranger and its habits, and probabilities of
 * surprises.
 */
export interface OpponentParameters {
  /** Prior over the player types, in the order of typeNames, for an opponent that is no stranger. Sums to 1. */
  readonly types: readonly number[];
  /** Prior probability of the stranger. */
  readonly stranger: number;
  /**
   * Share that the stranger gets in the mixture of every opponent in the first turn of a game, 0 to 1; divided by n in
   * the n-th turn.
   */
  readonly doubt: number;
  /** Probability that a unit of any type gets a uniformly random legal order. */
  readonly surprise: number;
  /** Prior over its habits if it is a stranger. */
  readonly habits: HabitParameters;
}

/** The parameters of a named opponent. */
export interface NamedOpponent extends OpponentParameters {
  /** Name of the opponent that the parameters were fitted to. */
  readonly opponent: string;
  /** Name of the only map that the parameters are valid for. */
  readonly map: string;
  /** Path of the file with the parameters, for messages. */
  readonly source: string;
}
