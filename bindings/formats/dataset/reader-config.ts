// What a reader of datasets is asked for, checked.
import { type CompiledMap, type ScoreName, scoreNames } from '../../../engine/internal.js';
import {
  fieldReader,
  listOf,
  oneOf,
  orElse,
  refuse,
  type Shape,
  text,
  wholeNumber,
} from '../../../engine/rules/shape.js';
import { workersOption } from '../../../selfplay/crew/pool.js';
import { optionShape, seedOption, wholeIn } from '../../../selfplay/question/option.js';
import { observationKinds } from '../arrays/observations.js';
import { memoryFile } from '../arrays/shared-arrays.js';
import type { FoundBy } from './find-games.js';

/** What nets read: the arrays of a batch, or the boards of dipcc. */
export const datasetObservations = [...observationKinds, 'dipcc'] as const;
export type DatasetObservations = (typeof datasetObservations)[number];

/** One sample is a phase with the orders of all powers, or one power in a phase. */
export const samplings = ['phase', 'power'] as const;
export type Sampling = (typeof samplings)[number];

/** By number of the kind of a phase. */
export const phaseKinds = ['movement', 'retreat', 'adjustment'] as const;
export type PhaseKind = (typeof phaseKinds)[number];

/** What is done with a game that cannot be read or played. */
export const troubleModes = ['raise', 'skip'] as const;
export type TroubleMode = (typeof troubleModes)[number];

/** The options of a dataset. */
export const datasetOptions = {
  observations: { words: datasetObservations, default: 'dipnet', help: 'observations' },
  per: {
    words: samplings,
    takes: 'KIND',
    default: 'phase',
    help: 'a sample is a phase with the orders of all powers, or one power in it',
  },
  score: { words: scoreNames, default: 'sum_of_squares', help: 'scoring system of the returns' },
  n_step: { ...wholeIn(0, 1 << 15), default: 0, help: 'phases to the next position of a sample; 0: none' },
  discount: { least: 0, most: 1, default: 1, help: 'discount of a phase' },
  batch_size: { ...wholeIn(1, 1 << 20), help: 'samples of a batch' },
  prefetch: { ...wholeIn(1, 63), default: 2, help: 'batches that are read ahead' },
  shuffle: { ...wholeIn(0, 1 << 24), help: 'games whose samples are shuffled together; 0: in order' },
  errors: {
    words: troubleModes,
    takes: 'MODE',
    default: 'raise',
    help: 'raise stops at a game that cannot be read or played; skip leaves it out',
  },
  ...seedOption,
  ...workersOption,
} as const;

/** Name of a draw among winners. */
export const DRAWN = 'DRAW';

/** Which orders are samples; null or an empty list for no such condition. */
export interface Filters {
  /** Powers whose orders are samples. */
  readonly powers: readonly string[] | null;
  readonly phases: readonly PhaseKind[] | null;
  /** Games that one of these powers won alone, or DRAWN. */
  readonly winners: readonly string[] | null;
  /** True for the orders of the power alone that has won the game. */
  readonly winnerOnly: boolean;
  /** Agents whose orders are samples, as the manifest of a run names them. */
  readonly agents: readonly string[] | null;
  /** First and last year; null for all. */
  readonly years: readonly [number, number] | null;
}

/** The request of the handshake. */
export interface ReaderConfig extends FoundBy, Filters {
  readonly observations: DatasetObservations;
  readonly per: Sampling;
  readonly legal: boolean;
  /** Adds what agents weighed; only with legal lists. */
  readonly targets: boolean;
  /** Of `returns` and `rewards`. */
  readonly score: ScoreName;
  /** Phases to the next position of a sample; 0 for none. */
  readonly nStep: number;
  readonly discount: number;
  /** Samples of a batch, and batches that may be under way. */
  readonly batchSize: number;
  readonly slots: number;
  /** Games whose samples are shuffled together; 0: in order. */
  readonly shuffle: number;
  readonly seed: number;
  /** Which part of the games this reader has: index and count. */
  readonly shard: readonly [number, number];
  readonly trouble: TroubleMode;
  readonly workers: number;
  /** Open file of the shared memory, and the client's process. */
  readonly fd: number;
  readonly parent: number;
}

const pair = (least: number, most: number): Shape<[number, number]> => {
  const numbers = listOf(wholeNumber(least, most), 2, 2);
  return (value, where) => {
    const [first, second] = numbers(value, where);
    return [first, second];
  };
};
const names = listOf(text, 1, 1 << 20);
const upper: Shape<string[]> = (value, where) => names(value, where).map((name) => name.toUpperCase());

/** @throws LepantoError that names what was got and what was wanted */
export const readReaderConfig = (value: unknown): ReaderConfig => {
  const field = fieldReader(value, 'handshake');
  const option = <Name extends keyof typeof datasetOptions>(name: Name) =>
    field(name, optionShape(datasetOptions[name]));
  const is = (name: string, wanted: unknown): boolean => field(name, (found) => found === wanted);
  const shard = field('shard', pair(0, 1 << 20));
  if (shard[0] >= shard[1]) refuse(`shard: got ${shard.join(' of ')}, wanted an index below the count`);
  const legal = !is('legal', false);
  return {
    paths: field('paths', names),
    map: field('map', orElse(text, null)),
    rules: field('rules', orElse(text, null)),
    powers: field('powers', orElse(upper, null)),
    phases: field('phases', orElse(listOf(oneOf(phaseKinds), 1, phaseKinds.length), null)),
    winners: field('winners', orElse(upper, null)),
    winnerOnly: is('winner_only', true),
    agents: field('agents', orElse(names, null)),
    years: field('years', orElse(pair(0, 1 << 15), null)),
    observations: option('observations'),
    per: option('per'),
    legal,
    targets: legal && is('targets', true),
    score: option('score'),
    nStep: option('n_step'),
    discount: option('discount'),
    batchSize: option('batch_size'),
    // One of them is being read by the client.
    slots: option('prefetch') + 1,
    shuffle: option('shuffle'),
    seed: option('seed'),
    shard,
    trouble: option('errors'),
    workers: option('workers'),
    fd: field('fd', memoryFile),
    parent: field('parent', wholeNumber(1, 2 ** 31)),
  };
};

/** @throws LepantoError for a power that is none of the map's */
export const checkPowers = (config: ReaderConfig, map: CompiledMap): void => {
  for (const [name, powers, others] of [
    ['powers', config.powers, []],
    ['winners', config.winners, [DRAWN]],
  ] as const)
    for (const power of powers ?? []) oneOf([...map.powerNames, ...others])(power, name);
};
