// Defines the parameters of the opponent model (opponent-model.ts): the prior of a search over its opponents. A file of
// a named opponent contains them (opponent-file.ts).

/** Prior over the habits of a player that fits none of the player types (stranger.ts). */
export interface HabitParameters {
  /**
   * Prior over the styles in which a unit chooses its order: the player types in the order of typeNames, then the kinds
   * of orders in the order of kindNames. Sums to 1.
   */
  readonly styles: readonly number[];
  /** Number of seen orders with the same weight as the prior over styles. */
  readonly orders: number;
  /**
   * Term of the odds that a unit repeats its order of the turn before: (repeat + agreed * p) * run * strength. p is the
   * probability of that order by the styles.
   */
  readonly repeat: number;
  /** Factor in the odds of `repeat`. Raises the odds of repeating an order that the styles make likely. */
  readonly agreed: number;
  /**
   * Factor `run` in the odds of `repeat`, indexed by the number of turns in a row that the unit had the order, minus 1.
   * The last element also holds for more turns.
   */
  readonly runs: readonly number[];
  /** Prior over the factor `strength` in the odds of `repeat`, indexed like STRENGTHS (stranger.ts). Sums to 1. */
  readonly strengths: readonly number[];
}

/**
 * Parameters of the opponent model: priors over the player types and over the stranger (a player that fits none of
 * them), and the probability of surprising orders.
 */
export interface OpponentParameters {
  /** Prior over the player types, in the order of typeNames, for a player that fits one of them. Sums to 1. */
  readonly types: readonly number[];
  /** Prior probability that a player fits none of the types, 0 to 1. */
  readonly stranger: number;
  /**
   * Additional probability, 0 to 1, that an opponent fits none of the player types, in the first turn of a game. In
   * turn n it is divided by n.
   */
  readonly doubt: number;
  /** Probability that a unit of a player of any type gets a uniformly random legal order. */
  readonly surprise: number;
  /** Prior over the habits of a player that fits none of the types. */
  readonly habits: HabitParameters;
}

/** Parameters of the opponent model that were fitted to a named opponent. */
export interface NamedOpponent extends OpponentParameters {
  /** Name of the opponent that the parameters were fitted to. */
  readonly opponent: string;
  /** Name of the only map that the parameters are valid for. */
  readonly map: string;
  /** Path of the file with the parameters, for error messages. */
  readonly source: string;
}
