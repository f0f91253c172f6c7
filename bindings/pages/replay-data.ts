// What the replay page shows of a game, as plain data. It needs nothing of Node, so that a page in a browser can make it
// of its own games.
import { adjudicate, type Game, makeResults } from '../../engine/internal.js';
import type { PhaseRecord } from '../../selfplay/games/play.js';
import { recordedOrders } from '../games/phases.js';
import { outcomes } from '../json/outcomes.js';
import { type ByPower, formatPosition, type RetreatsByPower } from '../json/position.js';

/**
 * An order and what became of it, with the defaults left out at the end: ['A PAR - BUR'] succeeds,
 * ['A PAR - BUR', 'fails', 'bounced with A MUN', 'dislodged'].
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

const shownOrder = (order: string, result: string, reason: string | null, fate: string | null): ShownOrder => {
  if (fate !== null) return [order, result, reason, fate];
  if (reason !== null) return [order, result, reason];
  return result === 'succeeds' ? [order] : [order, result];
};

/** Why orders of a phase failed, by unit: adjudicated once more, because records do not hold it. */
const reasonsOf = (game: Game, { orders }: PhaseRecord): Map<string, string | null> => {
  const played = game.clone();
  const results = makeResults();
  adjudicate(played, orders, orders.length, results);
  return new Map(outcomes(played, results).map(({ unit, result, reason }) => [`${unit} ${result}`, reason]));
};

const shownOrders = (game: Game, phase: PhaseRecord): Record<string, ShownOrder[]> => {
  const reasons = reasonsOf(game, phase);
  const found: Record<string, ShownOrder[]> = {};
  for (const { power, order, result, fate } of recordedOrders(game, phase)) {
    const unit = order.split(' ').slice(0, 2).join(' ');
    found[power] ??= [];
    found[power].push(shownOrder(order, result, reasons.get(`${unit} ${result}`) ?? null, fate));
  }
  return found;
};

/** The phases of a game as the page shows them. @param phases each with its position before the orders, which is kept by none */
export const shownPhases = (phases: Iterable<readonly [Game, PhaseRecord]>): ShownPhase[] => {
  const shown: ShownPhase[] = [];
  let before = '';
  for (const [game, phase] of phases) {
    const { units, centers, retreats } = formatPosition(game);
    const owned = JSON.stringify(centers);
    shown.push({
      phase: phase.phase,
      units,
      ...(owned === before ? {} : { centers }),
      ...(Object.keys(retreats).length > 0 ? { retreats } : {}),
      ...(phase.orders.length > 0 ? { orders: shownOrders(game, phase) } : {}),
    });
    before = owned;
  }
  return shown;
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
  readonly title: string;
  readonly about: string;
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
