// A recorded game of any format as text, before the engine has looked at it.
import type { ByPower } from '../json/position.js';

/** Whose words a record uses for the results of orders; recorded-results.ts says what they mean. */
export type Wording = 'diplomacy' | 'webdiplomacy';

/** What a record says of a unit's order. */
export interface RawResult {
  /** 'A PAR', as it stood before the phase, or as it was built. */
  readonly unit: string;
  /** As the record has them: 'bounce', 'cut', 'void'. */
  readonly words: readonly string[];
}

/** A phase of a recorded game as text. */
export interface RawPhase {
  /** 'S1901M', or COMPLETED. */
  readonly name: string;
  /** The units by power, dislodged ones left out; null where the format does not have them. */
  readonly units: ByPower | null;
  /** Dislodged units by power. */
  readonly dislodged: ByPower;
  /** Legal retreats by power and unit; null where the format does not have them. Not checked yet. */
  readonly retreats: unknown;
  /** Supply centres by power; null where the format does not have them. */
  readonly centers: ByPower | null;
  /** Orders by power. */
  readonly orders: ByPower;
  /** Empty where the format does not have them. */
  readonly results: readonly RawResult[];
}

/** A recorded game as text: what parseSavedGame() reads and replayGame() plays. */
export interface RawGame {
  /** As the game names itself; '' if it does not. */
  readonly id: string;
  /** Name of the map. */
  readonly map: string;
  /** In whose words its results are. */
  readonly wording: Wording;
  /** Its phases, in the order in which they were played. */
  readonly phases: readonly RawPhase[];
}
