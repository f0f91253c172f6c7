// Defines a recorded game of any format as text, before the engine has read it.

import type { ByPower } from '../../../engine/notation/json/position.js';
import type { Message } from '../../../selfplay/question/message.js';

/** The program whose words a record uses for the results of orders; recorded-results.ts says what they mean. */
export type Wording = 'diplomacy' | 'webdiplomacy';

/** The recorded result of a unit's order. */
export interface RawResult {
  /** The unit before the phase, or as it was built: 'A PAR'. */
  readonly unit: string;
  /** The words of the record: 'bounce', 'cut', 'void'. */
  readonly words: readonly string[];
}

/** A phase of a recorded game as text. */
export interface RawPhase {
  /** 'S1901M', or COMPLETED. */
  readonly name: string;
  /** The units by power, without dislodged ones; null if the format does not have them. */
  readonly units: ByPower | null;
  /** Dislodged units by power. */
  readonly dislodged: ByPower;
  /** Legal retreats by power and unit, not checked yet; null if the format does not have them. */
  readonly retreats: unknown;
  /** Supply centres by power; null if the format does not have them. */
  readonly centers: ByPower | null;
  /** Home centres by power; null if the format does not have them. */
  readonly homes: ByPower | null;
  /** The hash of the position in decimal digits, by the package `diplomacy`; null if the format does not have it. */
  readonly hash: string | null;
  /** Orders by power. */
  readonly orders: ByPower;
  /** Recorded results; empty if the format does not have them. */
  readonly results: readonly RawResult[];
}

/** A recorded game as text: what parseSavedGame() reads and replayGame() plays. */
export interface RawGame {
  /** The game's own id; '' if it has none. */
  readonly id: string;
  /** Name of the map. */
  readonly map: string;
  /** Rules of the package diplomacy that the game names, and that no replay here plays. */
  readonly unplayed?: readonly string[];
  /** The program whose words its results use. */
  readonly wording: Wording;
  /** Messages of the players, phase by phase. Whether their powers are of the map is another question. */
  readonly messages: readonly Message[];
  /** Why other messages cannot be read. */
  readonly refused: readonly string[];
  /** Its phases, in order of play. */
  readonly phases: readonly RawPhase[];
}

/** The same keys with other values. */
export const mapValues = <A, B>(
  of: Readonly<Record<string, A>>,
  make: (value: A, key: string) => B,
): Record<string, B> => Object.fromEntries(Object.entries(of).map(([key, value]) => [key, make(value, key)]));
