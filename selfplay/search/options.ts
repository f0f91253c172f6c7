// Defines the options of a search. Imports no search code, because the list of agents needs the options before that is
// loaded.

import type { Power } from '../../engine/internal.js';
import { type EvaluationWeights, halfNextWeights, nextWeights } from '../evaluation/weights.js';
import { defaultsOf, wholeIn } from '../question/option.js';
import type { NamedOpponent } from './opponent-parameters.js';

export const playoutNames = ['dumbbot', 'policy', 'uniform'] as const;
/** Player of all powers from the second phase-step to the horizon: DumbBot, or a sampler of the engine. */
export type PlayoutName = (typeof playoutNames)[number];

export const valueNames = ['heuristic', 'sum_of_squares', 'sum_of_centers'] as const;
/**
 * Value of the position at the horizon: the share of a power by a scoring system. `heuristic` is the sum of squares of
 * expected centres, which are estimated from the owner of each centre, the unit in it and the units near it.
 */
export type ValueName = (typeof valueNames)[number];

export const methodNames = ['regret', 'best', 'halving'] as const;
/**
 * Method of choosing a candidate. `regret`: regret matching among the best candidates of all powers. `best`: best
 * response to sampled opponents, with the same number of rollouts for every candidate. `halving`: best response by
 * successive halving, which drops the worse half of the candidates after each comparison.
 */
export type MethodName = (typeof methodNames)[number];

export const opponentNames = ['sampled', 'learning'] as const;
/**
 * Play of the opponents in regret matching. `sampled`: they draw from the order sets expected of them. `learning`: they
 * learn as the searched powers do. Searched powers always learn.
 */
export type OpponentName = (typeof opponentNames)[number];

/** Value of the option `depth` that lets the search choose the horizon. */
export const AUTO_DEPTH = 0;

/** Horizon of the rollouts of a search, and the value of the position there. */
export interface HorizonOptions {
  /**
   * Number of phase-steps to the horizon, including the first one. Pending retreats or adjustments are played before
   * them and not counted. In SearchOptions, 0 lets the search choose by phase and budget.
   */
  readonly depth: number;
  /** Player of all powers up to the horizon. */
  readonly playout: PlayoutName;
  /**
   * Value of the position at the horizon. Three values replace rollouts by lookahead (lookahead.ts). `next`: one turn
   * plus the usual change of the next turn (next-turn.ts). `first`: the same with half of that change, used before
   * order sets are compared after two turns. `second`: two turns.
   */
  readonly value: ValueName | 'next' | 'first' | 'second';
}

/** Returns the evaluation weights for one-turn lookahead; null if the value is neither `next` nor `first`. */
export const weightsOf = ({ value }: Pick<HorizonOptions, 'value'>): EvaluationWeights | null => {
  if (value === 'next') return nextWeights;
  return value === 'first' ? halfNextWeights : null;
};

/** A past phase of a game, with its orders. */
export interface SeenPhase {
  /** Name of the phase, such as 'S1901M'. */
  readonly phase: string;
  /** Position before the orders, as the bytes of a Game. */
  readonly state: Uint8Array;
  /** Packed orders of all powers. */
  readonly orders: Int32Array;
}

/** Options of a search. */
export interface SearchOptions extends HorizonOptions {
  /** Powers to search for. Powers without orders to give are skipped. */
  readonly powers: readonly Power[];
  /** Seed of all random numbers of the search, an int32. */
  readonly seed: number;
  /**
   * Budget in rollouts. May be infinite if `milliseconds` is finite. A search exceeds a budget that does not suffice to
   * try each candidate.
   */
  readonly rollouts: number;
  /**
   * Maximum time in milliseconds. May be infinite if `rollouts` is finite. If finite, the result depends on the
   * machine.
   */
  readonly milliseconds: number;
  /** Method of choosing a candidate. */
  readonly method: MethodName;
  /** Play of the opponents in regret matching. */
  readonly opponents: OpponentName;
  /** Initial number of candidates of each searched power. The search adds others. */
  readonly candidates: number;
  /** Number of candidates of each other power. */
  readonly replies: number;
  /** Past phases of the game, for the opponent model. Default: none are known. */
  readonly past?: { readonly phases: readonly SeenPhase[] } | undefined;
  /** Prior of the opponent model, fitted to a named opponent. Default: a prior for bots of all kinds. */
  readonly model?: NamedOpponent | undefined;
  /**
   * Probability, 0 to 1, that a draw in regret matching comes from the prior of a power instead of its learned
   * strategy.
   */
  readonly anchor: number;
}

/** Options of a search after its horizon and value were chosen to fit the budget. */
export interface PlannedOptions extends SearchOptions {
  /**
   * True if opponents are modelled from their past orders. If false, each is expected to play like DumbBot, with a
   * share of greedy responses.
   */
  readonly modelled: boolean;
  /**
   * Share of the budget for evaluations after one turn, before the best order sets are compared after two turns. 1 if
   * there is no comparison after two turns.
   */
  readonly firstTurn: number;
}

/** Command-line and agent options of a search, except its budget. */
export const searchOptions = {
  depth: {
    ...wholeIn(0, 1000),
    takes: 'K',
    default: AUTO_DEPTH,
    help: 'phase-steps of a rollout; 0: one-turn lookahead for moves (12 count as a rollout), otherwise by the budget',
  },
  value: { words: valueNames, default: 'heuristic', help: 'value of the last position' },
  playout: { words: playoutNames, default: 'dumbbot', help: 'players of a rollout' },
  method: { words: methodNames, default: 'regret', help: 'choice among candidates' },
  opponents: { words: opponentNames, default: 'sampled', help: 'opponents that draw from their model, or learn too' },
  candidates: {
    ...wholeIn(30, 100_000),
    default: 120,
    help: 'initial order sets of each power, if it has as many',
  },
  replies: {
    ...wholeIn(1, 100_000),
    default: 30,
    help: 'initial order sets of each opponent',
  },
  anchor: {
    least: 0,
    most: 1,
    takes: 'P',
    default: 0.5,
    help: 'share of rollouts in which opponents follow their model',
  },
} as const;

/** Option for the file of a named opponent (read-opponent.ts). */
export const modelOption = {
  model: {
    takes: 'FILE',
    text: true,
    help: 'model of a named opponent, by bench/strength/fit-opponent (default: bots of all kinds)',
  },
} as const;

/** Number of rollouts of a search without a budget. */
const DEFAULT_ROLLOUTS = 20_000;

/** Options for the budget of a search, in rollouts or in milliseconds. */
export const budgetOptions = {
  rollouts: {
    ...wholeIn(1, 1e12),
    help: `budget in rollouts, exceeded if it does not suffice to try each candidate (default: ${DEFAULT_ROLLOUTS})`,
  },
  milliseconds: { ...wholeIn(1, 1e9), help: 'budget in milliseconds; the answer then depends on the machine' },
} as const;

/**
 * Returns the budget of a search. A missing limit is infinite. If both are missing, the number of rollouts is
 * DEFAULT_ROLLOUTS.
 */
export const budgetOf = (
  rollouts: number | undefined,
  milliseconds: number | undefined,
): Pick<SearchOptions, 'rollouts' | 'milliseconds'> => ({
  rollouts: rollouts ?? (milliseconds === undefined ? DEFAULT_ROLLOUTS : Number.POSITIVE_INFINITY),
  milliseconds: milliseconds ?? Number.POSITIVE_INFINITY,
});

/** The default options of a search. */
export const searchDefaults = {
  rollouts: 4000,
  milliseconds: Number.POSITIVE_INFINITY,
  ...defaultsOf(searchOptions),
} as const;
