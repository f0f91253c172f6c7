// What a search can be asked, by name. Nothing is imported but types: agents are made from this before the rest is loaded.
import type { Power } from '../../engine/internal.js';

/** Who plays from the second phase-step to the horizon: DumbBot, or a sampler of the engine. */
export const playoutNames = ['dumbbot', 'policy', 'uniform'] as const;
export type PlayoutName = (typeof playoutNames)[number];

/**
 * What a power has at the horizon: its share by a scoring system, or, heuristic, sum of squares of the centres that it
 * can expect, by who owns each, stands in it and has units next to it.
 */
export const valueNames = ['heuristic', 'sum_of_squares', 'sum_of_centers'] as const;
export type ValueName = (typeof valueNames)[number];

/**
 * How a candidate is chosen: regret matching among the best of all powers; best response, every candidate with the same
 * rollouts against sampled opponents; sequential halving, the same with ever fewer candidates.
 */
export const methodNames = ['regret', 'best', 'halving'] as const;
export type MethodName = (typeof methodNames)[number];

/**
 * What opponents of a regret matching do: draw from what is expected of them (mostly what DumbBot would do), or learn
 * too. With all powers searched for they all learn.
 */
export const opponentNames = ['sampled', 'learning'] as const;
export type OpponentName = (typeof opponentNames)[number];

/** A depth that follows from the budget. */
export const AUTO_DEPTH = 0;

export interface HorizonOptions {
  /**
   * Phase-steps to the horizon, the first one counted; retreats or adjustments of the position come before them. In
   * SearchOptions AUTO_DEPTH stands for as many as the budget is good for.
   */
  readonly depth: number;
  readonly playout: PlayoutName;
  readonly value: ValueName;
}

export interface SearchOptions extends HorizonOptions {
  /** Powers to search for; those that have nothing to order are left out. */
  readonly powers: readonly Power[];
  readonly seed: number;
  /** Of these two at least one is finite. */
  readonly rollouts: number;
  readonly milliseconds: number;
  readonly method: MethodName;
  readonly opponents: OpponentName;
  /** Candidates of a searching power to begin with, to which the search adds others, and of each other power. */
  readonly candidates: number;
  readonly replies: number;
  /** Share of rollouts in which opponents play what is expected of them, whatever the search has found for them: 0 to 1. */
  readonly anchor: number;
}

export const searchDefaults = {
  rollouts: 4000,
  milliseconds: Number.POSITIVE_INFINITY,
  depth: AUTO_DEPTH,
  value: 'heuristic',
  playout: 'dumbbot',
  method: 'regret',
  opponents: 'sampled',
  candidates: 120,
  replies: 30,
  anchor: 0.5,
} as const;
