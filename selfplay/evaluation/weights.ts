// Weights of the static evaluation, with their ranges. They were chosen by playing games
// (bench/strength/EXPERIMENTS.md).

/** A weight: its default, range and help text. */
interface Weight {
  readonly default: number;
  readonly least: number;
  readonly most: number;
  readonly help: string;
}

const weight = (value: number, most: number, help: string): Weight => ({ default: value, least: 0, most, help });

/**
 * Weights of the static evaluation, by name. The presence of a power in a centre is the weighted sum of ownership, a
 * unit in the centre and units near it, raised to `exponent`. The power's share of the centre is its part of the
 * presence of all powers. Weights with `Mid` apply between spring and fall.
 */
export const weightRanges = {
  own: weight(1.2, 4, 'weight of owning a centre'),
  ownMid: weight(0.7, 4, 'the same, between spring and fall'),
  stand: weight(1.2, 4, 'weight of a unit in a centre'),
  standMid: weight(1.6, 4, 'the same, between spring and fall'),
  near: weight(0.8, 4, 'weight of a unit that can move to a centre'),
  nearMid: weight(0.65, 4, 'the same, between spring and fall'),
  exponent: weight(2, 4, 'exponent of the presence of a power in a centre'),
  free: weight(1, 4, 'presence of no power in a centre without an owner'),
  pull: weight(0.08, 1, 'attraction of a unit to foreign centres, in centres'),
  decay: weight(0.4, 1, 'factor of that attraction for each move of distance'),
  build: weight(0.3, 2, 'value of a unit that can be built, in centres'),
  next: weight(0, 4, 'weight of the usual changes of the next turn (next-turn.ts), after moves'),
  crossing: weight(1, 1, '1: armies are attracted over water too; 0: only by land'),
  garrison: weight(0.5, 4, 'value of a unit in an own centre, in adjustments, in centres'),
  crowd: weight(0.2, 1, 'exponent of the attraction to a centre, in adjustments: less attracts both kinds of units'),
} as const satisfies Readonly<Record<string, Weight>>;

/** Values of the weights, by name. */
export type EvaluationWeights = Readonly<Record<keyof typeof weightRanges, number>>;

const names = Object.keys(weightRanges) as (keyof EvaluationWeights)[];

/** Returns the weights given in the options of an agent, with defaults for missing ones. */
export const weightsFrom = (options: Readonly<Record<string, unknown>>): EvaluationWeights =>
  Object.fromEntries(names.map((name) => [name, Number(options[name] ?? weightRanges[name].default)])) as Record<
    keyof EvaluationWeights,
    number
  >;

/** Default weights of the static evaluation. */
export const defaultWeights: EvaluationWeights = weightsFrom({});

/**
 * Weights for a search's own orders, if it looks one turn ahead. They include the usual change of the next turn
 * (next-turn.ts). Opponents are modelled with the default weights.
 */
export const nextWeights: EvaluationWeights = weightsFrom({ next: 1 });
/**
 * Weights for the first stage of a search that later looks two turns ahead. They include only half of the usual change
 * of the next turn, so that different kinds of order sets reach the second stage.
 */
export const halfNextWeights: EvaluationWeights = weightsFrom({ next: 0.5 });
