// Types of a recorded game as text, before it is replayed.

import type { ByPower } from '../../../engine/notation/json/position.js';
import type { Message } from '../../../selfplay/question/message.js';

/** Program whose words the record uses for results. recorded-results.ts explains the words. */
export type Wording = 'diplomacy' | 'webdiplomacy';

/** The recorded result of a unit's order. */
export interface RawResult {
  /** The unit before the phase, or the built unit: 'A PAR'. */
  readonly unit: string;
  /** Words for the result: 'bounce', 'cut', 'void'. */
  readonly words: readonly string[];
}

/** A phase of a recorded game as text. Lists by power are keyed by power name. */
export interface RawPhase {
  /** Name of the phase: 'S1901M' or 'COMPLETED'. */
  readonly name: string;
  /** Units of each power, without dislodged units. Null if the format does not store them. */
  readonly units: ByPower | null;
  /** Dislodged units of each power. */
  readonly dislodged: ByPower;
  /** Possible retreats by power and unit, not validated. Null if the format does not store them. */
  readonly retreats: unknown;
  /** Supply centres of each power. Null if the format does not store them. */
  readonly centers: ByPower | null;
  /** Home centres of each power. Null if the format does not store them. */
  readonly homes: ByPower | null;
  /**
   * Zobrist hash of the position by the package `diplomacy`, in decimal digits. Null if the format does not store it.
   */
  readonly hash: string | null;
  /** Texts of the orders of each power. */
  readonly orders: ByPower;
  /** Recorded results. Empty if the format does not store them. */
  readonly results: readonly RawResult[];
}

/** A recorded game as text. parseSavedGame() returns it and replayGame() replays it. */
export interface RawGame {
  /** Id of the game; '' if it has none. */
  readonly id: string;
  /** Name of the game's map, for loadMap(). */
  readonly map: string;
  /** Rules of the package `diplomacy` that the game names and that Lepanto cannot play. */
  readonly unplayed?: readonly string[];
  /** Program whose words the results use. */
  readonly wording: Wording;
  /** Messages of the players, phase by phase. Senders and recipients are not checked against the map. */
  readonly messages: readonly Message[];
  /** Reasons why messages were skipped, one text per message. */
  readonly refused: readonly string[];
  /** Phases in order of play. */
  readonly phases: readonly RawPhase[];
}

/** Returns an object with the same keys, and values that `make` returns. */
export const mapValues = <A, B>(
  of: Readonly<Record<string, A>>,
  make: (value: A, key: string) => B,
): Record<string, B> => Object.fromEntries(Object.entries(of).map(([key, value]) => [key, make(value, key)]));
