// What a reader of datasets is asked for, checked.
import { type CompiledMap, type ScoreName, scoreNames } from '../../../engine/internal.js';
import { asFields, type Fields, isWhole, refuse, whole, wordOf } from '../shared/fields.js';
import { observationKinds } from '../shared/observations.js';
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

const pair = (fields: Fields, name: string, least: number, most: number): [number, number] => {
  const value = fields[name];
  return Array.isArray(value) && value.length === 2 && value.every((one) => isWhole(one, least, most))
    ? [Number(value[0]), Number(value[1])]
    : refuse(name, value, `two whole numbers from ${least} to ${most}`);
};

const texts = (fields: Fields, name: string): string[] | null => {
  const value = fields[name];
  if (value === null || value === undefined) return null;
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string')
    ? value
    : refuse(name, value, 'a list of names');
};

const words = <T extends string>(fields: Fields, name: string, known: readonly T[]): T[] | null =>
  texts(fields, name)?.map((word) => wordOf(name, word, known)) ?? null;

const maybeText = (fields: Fields, name: string): string | null => {
  const value = fields[name] ?? null;
  return value === null || typeof value === 'string' ? value : refuse(name, value, 'text');
};

const upper = (names: readonly string[] | null): string[] | null => names?.map((name) => name.toUpperCase()) ?? null;

/** @throws LepantoError that names what was got and what was wanted */
export const readReaderConfig = (value: unknown): ReaderConfig => {
  const fields = asFields(value);
  const shard = pair(fields, 'shard', 0, 1 << 20);
  if (shard[0] >= shard[1]) refuse('shard', shard, 'index and count, the index below the count');
  const discount = fields.discount;
  return {
    paths: texts(fields, 'paths') ?? refuse('paths', null, 'a list of paths'),
    map: maybeText(fields, 'map'),
    rules: maybeText(fields, 'rules'),
    powers: upper(texts(fields, 'powers')),
    phases: words(fields, 'phases', phaseKinds),
    winners: upper(texts(fields, 'winners')),
    winnerOnly: fields.winner_only === true,
    agents: texts(fields, 'agents'),
    years: fields.years === null || fields.years === undefined ? null : pair(fields, 'years', 0, 1 << 15),
    observations: wordOf('observations', fields.observations, datasetObservations),
    per: wordOf('per', fields.per, samplings),
    legal: fields.legal !== false,
    targets: fields.targets === true && fields.legal !== false,
    score: wordOf('score', fields.score, scoreNames),
    nStep: whole(fields, 'n_step', 0, 1 << 15),
    discount:
      typeof discount === 'number' && discount >= 0 && discount <= 1
        ? discount
        : refuse('discount', discount, 'a number from 0 to 1'),
    batchSize: whole(fields, 'batch_size', 1, 1 << 20),
    slots: whole(fields, 'slots', 1, 64),
    shuffle: whole(fields, 'shuffle', 0, 1 << 24),
    seed: whole(fields, 'seed', -(2 ** 31), 2 ** 31 - 1),
    shard,
    trouble: wordOf('errors', fields.errors, troubleModes),
    workers: whole(fields, 'workers', 1, 256),
    fd: whole(fields, 'fd', 3, 1 << 20),
    parent: whole(fields, 'parent', 1, 2 ** 31),
  };
};

/** @throws LepantoError for a power that is none of the map's */
export const checkPowers = (config: ReaderConfig, map: CompiledMap): void => {
  for (const [name, powers, others] of [
    ['powers', config.powers, []],
    ['winners', config.winners, [DRAWN]],
  ] as const)
    for (const power of powers ?? []) wordOf(name, power, [...map.powerNames, ...others]);
};
