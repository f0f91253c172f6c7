// Results of a search for openings as plain data, for commands and pages. Types only.

/** Number of games, their mean score, and the order sets of the next turn. */
export interface OpeningTally {
  readonly games: number;
  /** Mean final score of the power in these games, by the scoring system of the search. */
  readonly score: number;
  /** Standard error of the score; null for one game. */
  readonly error: number | null;
  /** Number of different order sets in the next turn; 0 if they were not counted. */
  readonly sets: number;
  /** Most frequent order sets in the next turn. */
  readonly next: readonly Opening[];
}

/** An order set that a power gave in a turn, with the games in which it did. */
export interface Opening extends OpeningTally {
  readonly phase: string;
  readonly orders: readonly string[];
  /** Share of these games among the games with the order set of the turn before, 0 to 1. */
  readonly share: number;
}

/** Openings of an agent with a power. */
export interface PowerOpenings extends OpeningTally {
  readonly power: string;
  readonly agent: string;
}
