// Results of a search for openings as plain data, for commands and pages. Types only.

/** Number of games, and their mean score. */
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

/** An order set of a turn. */
export interface Opening extends OpeningTally {
  readonly phase: string;
  readonly orders: readonly string[];
  /** Share of the games of the preceding set, 0 to 1. */
  readonly share: number;
}

/** Openings of an agent with a power. */
export interface PowerOpenings extends OpeningTally {
  readonly power: string;
  readonly agent: string;
}
