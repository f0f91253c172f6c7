// Defines the options of a search. Imports no search: the table of agents reads it before any search is loaded.

import type { Power } from '../../engine/internal.js';
import { type EvaluationWeights, halfNextWeights, nextWeights } from '../evaluation/weights.js';
import { defaultsOf, wholeIn } from '../question/option.js';
import type { NamedOpponent } from './opponent-parameters.js';

export const playoutNames = ['dumbbot', 'policy', 'uniform'] as const;
/** Who plays from the second phase-step to the horizon: DumbBot, or a sampler of the engine. */
export type PlayoutName = (typeof playoutNames)[number];

export const valueNames = ['heuristic', 'sum_of_squares', 'sum_of_centers'] as const;
/**
 * What a position is worth at the horizon: a power's share by a scoring system, or (heuristic) by the sum of squares of
 * the centres that it can expect, judged by who owns each, who is in it and who has units next to it.
 */
export type ValueName = (typeof valueNames)[number];

export const methodNames = ['regret', 'best', 'halving'] as const;
/**
 * How a candidate is chosen: regret matching among the best of all powers; best response, every candidate with the same
 * rollouts against sampled opponents; sequential halving, the same with ever fewer candidates.
 */
export type MethodName = (typeof methodNames)[number];

export const opponentNames = ['sampled', 'learning'] as const;
/**
 * What opponents of a regret matching do: draw from what is expected of them (mostly what DumbBot would do), or learn
 * too. With all powers searched for they all learn.
 */
export type OpponentName = (typeof opponentNames)[number];

export const AUTO_DEPTH = 0;

/** How far the rollouts of a search go, and how they value the end. */
export interface HorizonOptions {
  /**
   * Phase-steps to the horizon, the first one counted; retreats or adjustments of the position come before them. In
   * SearchOptions 0 means as many as the budget allows for.
   */
  readonly depth: number;
  /** Who plays up to the horizon. */
  readonly playout: PlayoutName;
  /**
   * Value of the position there; next for one-turn lookahead (lookahead.ts) with what the next turn usually changes
   * (next-turn.ts), first for the same with half of it, before a second turn is looked at, and second for that.
   */
  readonly value: ValueName | 'next' | 'first' | 'second';
}

/** The weights of one-turn lookahead; null for other values. */
export const weightsOf = ({ value }: Pick<HorizonOptions, 'value'>): EvaluationWeights | null => {
  if (value === 'next') return nextWeights;
  return value === 'first' ? halfNextWeights : null;
};

/** A phase of a game that has been played. */
export interface SeenPhase {
  /** 'S1901M' */
  readonly phase: string;
  /** The position before the orders: bytes of a game's state. */
  readonly state: Uint8Array;
  /** Packed orders of all powers. */
  readonly orders: Int32Array;
}

/** How a search is made. */
export interface SearchOptions extends HorizonOptions {
  /** Powers to search for; those that have nothing to order are left out. */
  readonly powers: readonly Power[];
  /** Any int32: all chance follows from it. */
  readonly seed: number;
  /** Budget in rollouts; may be infinite if the time is not. */
  readonly rollouts: number;
  /** Budget in time; may be infinite if the rollouts are not. The answer then depends on the machine. */
  readonly milliseconds: number;
  /** How a candidate is chosen. */
  readonly method: MethodName;
  /** What opponents do in regret matching. */
  readonly opponents: OpponentName;
  /** Candidates of a searching power to begin with; the search adds others. */
  readonly candidates: number;
  /** Candidates of each other power. */
  readonly replies: number;
  /** The game so far, from which it is learned who the opponents are. */
  readonly past?: { readonly phases: readonly SeenPhase[] } | undefined;
  /** What is expected of the opponents before any of their orders is seen. Default: what fits bots of all kinds. */
  readonly model?: NamedOpponent | undefined;
  /** Share of rollouts in which opponents play what is expected of them, whatever the search has found for them: 0 to 1. */
  readonly anchor: number;
}

/** Options of a search, with the horizon and the value there that follow from the budget. */
export interface PlannedOptions extends SearchOptions {
  /** False where opponents are not modelled: each is expected to play like DumbBot, or at times to take what it can get. */
  readonly modelled: boolean;
  /** Share of the budget before the best order sets are compared by a second turn; 1 if they are not. */
  readonly firstTurn: number;
}

/** The options of a search besides its budget. */
export const searchOptions = {
  depth: {
    ...wholeIn(0, 1000),
    takes: 'K',
    default: AUTO_DEPTH,
    help: 'phase-steps to the horizon; 0: one-turn lookahead (12 for a rollout) where units move, else by the budget',
  },
  value: { words: valueNames, default: 'heuristic', help: 'value of the board there' },
  playout: { words: playoutNames, default: 'dumbbot', help: 'players up to the horizon' },
  method: { words: methodNames, default: 'regret', help: 'choice among candidates' },
  opponents: { words: opponentNames, default: 'sampled', help: 'opponents draw their orders, or learn too' },
  candidates: {
    ...wholeIn(30, 100_000),
    default: 120,
    help: 'order sets of each power to begin with, where it has so many',
  },
  replies: {
    ...wholeIn(1, 100_000),
    default: 30,
    help: 'order sets of each opponent to begin with',
  },
  anchor: {
    least: 0,
    most: 1,
    takes: 'P',
    default: 0.5,
    help: 'share of rollouts in which opponents play what is expected of them',
  },
} as const;

/** The file of a named opponent. What it holds is read where files are (read-opponent.ts). */
export const modelOption = {
  model: {
    takes: 'FILE',
    text: true,
    help: 'file of bench/strength/fit-opponent about a named opponent; default: expect bots of all kinds',
  },
} as const;

/** Rollouts of a search without a budget. */
const DEFAULT_ROLLOUTS = 20_000;

/** The budget of a search: one of the two. */
export const budgetOptions = {
  rollouts: { ...wholeIn(1, 1e12), help: `budget (default: ${DEFAULT_ROLLOUTS})` },
  milliseconds: { ...wholeIn(1, 1e9), help: 'budget in milliseconds instead' },
} as const;

/** The budget of a search that states one of the two, or neither. */
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
