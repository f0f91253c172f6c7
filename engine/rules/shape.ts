// Validates untrusted values, as returned by JSON.parse(). A shape returns its value with a static type, or throws.
// Shapes are composed like the types that they check.
import { LepantoError } from './error.js';

/** Returns the value if it is a T. @throws LepantoError if it is not. `where` is the start of the message */
export type Shape<T> = (value: unknown, where: string) => T;

/** Returns text of a user in double quotes for a message, cut to 40 characters. */
export const quote = (given: string): string => JSON.stringify(given.length > 40 ? `${given.slice(0, 37)}...` : given);

/** Describes a value for a message: 'a list of 3', 'an object', or the quoted text. */
export const describeValue = (value: unknown): string => {
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return value === undefined ? 'nothing' : String(value);
};

export const refuse = (message: string): never => {
  throw new LepantoError('record', message);
};

export const refuseValue = (where: string, value: unknown, wanted: string): never =>
  refuse(`${where}: got ${describeValue(value)}, wanted ${wanted}`);

/** Returns an own field of an object, or undefined. Ignores fields of its prototype. */
export const fieldOf = (record: object, name: string): unknown =>
  Object.hasOwn(record, name) ? (record as Record<string, unknown>)[name] : undefined;

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);

export const asObject: Shape<Readonly<Record<string, unknown>>> = (value, where) =>
  isObject(value) ? value : refuseValue(where, value, 'an object');

/** Shape that accepts any value without a check. */
export const anything: Shape<never> = (value) => value as never;

export const text: Shape<string> = (value, where) =>
  typeof value === 'string' ? value : refuseValue(where, value, 'text');

/** Makes a shape of text that matches `form`. `wanted` describes the form in the message. */
export const textLike =
  (form: RegExp, wanted: string): Shape<string> =>
  (value, where) =>
    typeof value === 'string' && form.test(value) ? value : refuseValue(where, value, wanted);

export const trueOrFalse: Shape<boolean> = (value, where) =>
  typeof value === 'boolean' ? value : refuseValue(where, value, 'true or false');

const rangeText = (least: number, most: number): string => {
  if (least === -Infinity) return '';
  return most === Infinity ? ` from ${least}` : ` from ${least} to ${most}`;
};

export const numberIn =
  (least: number, most = Infinity): Shape<number> =>
  (value, where) =>
    typeof value === 'number' && value >= least && value <= most
      ? value
      : refuseValue(where, value, `a number${rangeText(least, most)}`);

export const wholeNumber =
  (least = -Infinity, most = Infinity): Shape<number> =>
  (value, where) =>
    Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most
      ? Number(value)
      : refuseValue(where, value, `a whole number${rangeText(least, most)}`);

export const oneOf =
  <T extends string | number>(words: readonly T[]): Shape<T> =>
  (value, where) =>
    words.find((word) => word === value) ??
    refuseValue(where, value, words.length === 1 ? JSON.stringify(words[0]) : `one of ${words.join(', ')}`);

/** Makes a shape that also accepts undefined. */
export const optional =
  <T>(shape: Shape<T>): Shape<T | undefined> =>
  (value, where) =>
    value === undefined ? undefined : shape(value, where);

/** Makes a shape that returns `other` for undefined and null. */
export const orElse =
  <T, U>(shape: Shape<T>, other: U): Shape<T | U> =>
  (value, where) =>
    value === undefined || value === null ? other : shape(value, where);

const countText = (least: number, most: number): string => {
  if (least === most) return `${most}`;
  return least > 0 ? `${least} to ${most}` : `at most ${most}`;
};

export const listOf =
  <T>(shape: Shape<T>, least: number, most: number): Shape<T[]> =>
  (value, where) => {
    if (!Array.isArray(value)) return refuseValue(where, value, 'a list');
    if (value.length < least || value.length > most)
      refuse(`${where}: got ${value.length}, wanted ${countText(least, most)}`);
    return value.map((entry: unknown, i) => shape(entry, `${where}, entry ${i + 1}`));
  };

/** Reads a list of at most `most` texts. @param where start of the message @throws LepantoError for any other value */
export const asTexts = (value: unknown, where: string, most: number): string[] => listOf(text, 0, most)(value, where);

/** Makes a shape of objects whose values all have the given shape, under any keys. */
export const byKey =
  <T>(shape: Shape<T>): Shape<Readonly<Record<string, T>>> =>
  (value, where) => {
    for (const [key, entry] of Object.entries(asObject(value, where))) shape(entry, `${where}, ${key.slice(0, 40)}`);
    return value as Readonly<Record<string, T>>;
  };

type FieldShapes<T> = { readonly [K in keyof T]-?: Shape<T[K]> };

/** Makes a shape of objects whose fields have these shapes. Other fields are ignored. */
export const fields =
  <T extends object>(shapes: FieldShapes<T>): Shape<T> =>
  (value, where) => {
    const record = asObject(value, where);
    for (const name of Object.keys(shapes))
      shapes[name as keyof T](fieldOf(record, name), where === '' ? name : `${where}, ${name}`);
    return value as T;
  };

/** Makes a shape of objects whose fields have these shapes. Other fields are rejected. */
export const onlyFields =
  <T extends object>(shapes: FieldShapes<T>): Shape<T> =>
  (value, where) => {
    for (const name of Object.keys(asObject(value, where)))
      if (!Object.hasOwn(shapes, name))
        refuse(`${where}: got ${quote(name)}, wanted one of ${Object.keys(shapes).join(', ')}`);
    return fields(shapes)(value, where);
  };

/**
 * Returns a reader of the fields of an object: field('games', wholeNumber(1)) returns the value of `games`, or throws a
 * LepantoError if it does not have that shape.
 * @param where start of the message
 * @throws LepantoError if `value` is not an object
 */
export const fieldReader = (value: unknown, where: string): (<T>(name: string, shape: Shape<T>) => T) => {
  const record = asObject(value, where);
  return (name, shape) => shape(fieldOf(record, name), name);
};
