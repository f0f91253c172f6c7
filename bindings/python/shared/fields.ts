// Reads the fields of what a client says first.
import { LepantoError } from '../../../engine/rules/error.js';

/** What a client has written: an object of JSON. */
export type Fields = Readonly<Record<string, unknown>>;

const show = (value: unknown): string => JSON.stringify(value)?.slice(0, 60) ?? 'nothing';

/** @throws LepantoError that names what was got and what was wanted, always */
export const refuse = (name: string, value: unknown, wanted: string): never => {
  throw new LepantoError('argument', `${name}: got ${show(value)}, wanted ${wanted}`);
};

/** @throws LepantoError for anything but an object */
export const asFields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : refuse('handshake', value, 'an object');

export const isWhole = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;

export const whole = (fields: Fields, name: string, least: number, most: number): number => {
  const value = fields[name];
  return isWhole(value, least, most) ? value : refuse(name, value, `a whole number from ${least} to ${most}`);
};

/** One of some words. */
export const wordOf = <T extends string>(name: string, value: unknown, words: readonly T[]): T =>
  words.find((word) => word === value) ?? refuse(name, value, `one of ${words.join(', ')}`);

export const text = (fields: Fields, name: string): string => {
  const value = fields[name];
  return typeof value === 'string' ? value : refuse(name, value, 'text');
};
