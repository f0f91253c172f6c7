// A recorded game of any format as text, before the engine has looked at it.
import type { ByPower } from '../position.js';

export interface RawPhase {
  /** 'S1901M', or COMPLETED. */
  readonly name: string;
  /** The units that stand, and those that are dislodged. */
  readonly units: ByPower;
  readonly dislodged: ByPower;
  /** Legal retreats by power and unit; null where the format does not say them. */
  readonly retreats: unknown;
  /** Null where the format does not say them. */
  readonly centers: ByPower | null;
  readonly orders: ByPower;
}

export interface RawGame {
  readonly id: string;
  readonly map: string;
  readonly phases: readonly RawPhase[];
}
