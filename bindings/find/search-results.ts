// What a search finds, as plain data for commands and pages: types alone.

/** How often something was played, and what it scored. */
export interface OpeningTally {
  readonly games: number;
  readonly score: number;
  /** Standard error; null of one game. */
  readonly error: number | null;
  /** How many order sets were played in the next turn, and the most frequent of them; none where they are not counted. */
  readonly sets: number;
  readonly next: readonly Opening[];
}

/** An order set. */
export interface Opening extends OpeningTally {
  readonly phase: string;
  readonly orders: readonly string[];
  /** Of the games of the set before it, 0 to 1. */
  readonly share: number;
}

/** The openings of an agent with a power. */
export interface PowerOpenings extends OpeningTally {
  readonly power: string;
  readonly agent: string;
}
