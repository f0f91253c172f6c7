// A recorded game of any format as text, before the engine has looked at it.
import type { ByPower } from '../json/position.js';

/** Whose words a record uses for what became of an order; recorded-results.ts says what they mean. */
export type Wording = 'diplomacy' | 'webdiplomacy';

/** What a record says became of a unit's order. */
export interface RawResult {
  /** 'A PAR', as it stood before the phase, or as it was built. */
  readonly unit: string;
  readonly words: readonly string[];
}

export interface RawPhase {
  /** 'S1901M', or COMPLETED. */
  readonly name: string;
  /** The units that stand; null where the format does not say them. */
  readonly units: ByPower | null;
  readonly dislodged: ByPower;
  /** Legal retreats by power and unit; null where the format does not say them. */
  readonly retreats: unknown;
  /** Null where the format does not say them. */
  readonly centers: ByPower | null;
  readonly orders: ByPower;
  /** Empty where the format does not say them. */
  readonly results: readonly RawResult[];
}

export interface RawGame {
  readonly id: string;
  readonly map: string;
  readonly wording: Wording;
  readonly phases: readonly RawPhase[];
}
