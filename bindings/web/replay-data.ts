// What the replay page shows of a game, as plain data.
import type { DrawnOrder, DrawnPhase } from '../draw/drawn-phase.js';
import type { ByPower, RetreatsByPower } from '../notation/json/position.js';

/**
 * An order and what became of it, with the defaults left out at the end: ['A PAR - BUR'] succeeds,
 * ['A PAR - BUR', 'fails', 'bounced with A MUN', 'dislodged']. A unit alone, 'A PAR', had no order.
 */
export type ShownOrder = readonly [order: string, result?: string, reason?: string | null, fate?: string | null];

/** An order set that a search has weighed: how often it would play it (0 to 1), its value and the error of that. */
export interface ShownCandidate {
  readonly orders: readonly string[];
  readonly probability: number;
  readonly value: number | null;
  readonly error: number | null;
}

/** A phase of a game. */
export interface ShownPhase {
  /** 'S1901M', or 'COMPLETED' for the position after the last phase. */
  readonly phase: string;
  readonly units: ByPower;
  /** Left out where they are those of the phase before. */
  readonly centers?: ByPower;
  readonly retreats?: RetreatsByPower;
  readonly orders?: Readonly<Record<string, readonly ShownOrder[]>>;
  /** What the agents' searches found, by power, where the record has it. */
  readonly search?: Readonly<Record<string, readonly ShownCandidate[]>>;
}

const shownOrder = ({ order, unit, result, reason = null, fate = null }: DrawnOrder): ShownOrder => {
  const text = order ?? unit ?? '';
  if (fate !== null) return [text, result ?? '', reason, fate];
  if (reason !== null) return [text, result ?? '', reason];
  return result === 'succeeds' ? [text] : [text, result ?? ''];
};

const ordersByPower = (orders: readonly DrawnOrder[]): Record<string, ShownOrder[]> => {
  const found: Record<string, ShownOrder[]> = {};
  for (const order of orders) {
    found[order.power] ??= [];
    found[order.power].push(shownOrder(order));
  }
  return found;
};

/** A phase as the page shows it. @param before the one before it; null for the first */
export const shownPhase = (drawn: DrawnPhase, before: DrawnPhase | null): ShownPhase => {
  const { phase, units, centers = {}, retreats = {}, orders = [] } = drawn;
  const isSame = before !== null && JSON.stringify(centers) === JSON.stringify(before.centers);
  return {
    phase,
    units,
    ...(isSame ? {} : { centers }),
    ...(Object.keys(retreats).length > 0 ? { retreats } : {}),
    ...(orders.length > 0 ? { orders: ordersByPower(orders) } : {}),
  };
};

/** A phase as it is drawn: markup of the layers that change, by their numbers in the lists of the page. */
export interface DrawnReplayPhase extends ShownPhase {
  readonly ground: number;
  readonly dots: number;
  /** Orders below the units, and above them. */
  readonly lines: string;
  readonly marks: string;
}

/** All that the replay page shows. */
export interface ReplayData {
  /** How the game ended. */
  readonly end: string;
  /** Name of the map, as the editor reads it. */
  readonly map: string;
  /** With what is written on their units where there are more powers than colours. */
  readonly powers: readonly { readonly name: string; readonly agent: string | null; readonly code: string | null }[];
  /** Centres of the map. */
  readonly centers: number;
  /** Class of the board's root, and its size in drawing units. */
  readonly scope: string;
  readonly width: number;
  readonly height: number;
  /** Path data that the grounds share: ` d="@3"` stands for paths[3]. */
  readonly paths: readonly string[];
  readonly grounds: readonly string[];
  readonly dots: readonly string[];
  readonly names: string;
  /** Markup of a unit by type and power: 'A FRANCE'. */
  readonly tokens: Readonly<Record<string, string>>;
  /** By place: where its unit stands, and where it stands while it is dislodged. */
  readonly spots: Readonly<Record<string, readonly [x: number, y: number, dislodgedX: number, dislodgedY: number]>>;
  /** Full names by tag. */
  readonly provinces: Readonly<Record<string, string>>;
  readonly phases: readonly DrawnReplayPhase[];
}
