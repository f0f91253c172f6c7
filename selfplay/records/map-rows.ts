// Checks the rows of a map that come from a file: that each field is of its kind. compileMap() checks what they say.
import { type MapRows, mapOptions, provinceKinds } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';

/** The most entries in a list of a map file: more than any map has. */
const MOST = 1024;

/** Throws where a value is not what it must be. */
type Check = (value: unknown, where: string) => void;

const show = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return JSON.stringify(value).slice(0, 80);
};

const refuse = (where: string, value: unknown, wanted: string): never => {
  throw new LepantoError('file', `${where}: got ${show(value)}, wanted ${wanted}`);
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text: Check = (value, where) => {
  if (typeof value !== 'string') refuse(where, value, 'text');
};
const isTrue: Check = (value, where) => {
  if (typeof value !== 'boolean') refuse(where, value, 'true or false');
};
const whole: Check = (value, where) => {
  if (!Number.isSafeInteger(value) || Number(value) < 1) refuse(where, value, 'a whole number from 1');
};
const exactly =
  (...wanted: readonly (string | number)[]): Check =>
  (value, where) => {
    if (!wanted.some((one) => one === value))
      refuse(where, value, wanted.map((one) => JSON.stringify(one)).join(' or '));
  };
const optional =
  (check: Check): Check =>
  (value, where) => {
    if (value !== undefined) check(value, where);
  };
const listOf =
  (check: Check, least: number): Check =>
  (value, where) => {
    if (!Array.isArray(value) || value.length < least || value.length > MOST)
      return refuse(where, value, `a list of ${least} to ${MOST}`);
    for (const [i, one] of value.entries()) check(one, `${where}, entry ${i + 1}`);
  };
const fields =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value, where) => {
    if (!isObject(value)) return refuse(where, value, 'an object');
    for (const name of Object.keys(value))
      if (!Object.hasOwn(checks, name))
        throw new LepantoError(
          'file',
          `${where}: got ${JSON.stringify(name)}, wanted one of ${Object.keys(checks).join(', ')}`,
        );
    for (const [name, check] of Object.entries(checks))
      check(Object.hasOwn(value, name) ? value[name] : undefined, `${where}, ${name}`);
  };
/** Locations that fleets reach: text, or text by coast. */
const fleet: Check = (value, where) => {
  if (!isObject(value)) return text(value, where);
  for (const [coast, one] of Object.entries(value)) text(one, `${where}, ${coast}`);
};

const rowChecks = {
  name: text,
  start: text,
  victory: optional(whole),
  buildAnywhere: optional(isTrue),
  options: optional(listOf(exactly(...mapOptions), 0)),
  railroad: optional(fields({ line: text, power: text })),
  canal: optional(fields({ ends: text, control: text })),
  uncounted: optional(fields({ center: text, power: text })),
  ice: optional(text),
  difficult: optional(text),
  convoyable: optional(text),
  powers: listOf(fields({ name: text, homes: text, units: text, owns: optional(text) }), 1),
  provinces: listOf(
    fields({
      tag: text,
      name: text,
      kind: exactly(...provinceKinds),
      center: optional(isTrue),
      aliases: optional(listOf(text, 0)),
      army: optional(text),
      fleet: optional(fleet),
    }),
    1,
  ),
} satisfies Record<Exclude<keyof MapRows, 'base'>, Check>;

/**
 * Checks the fields of a map, and those of `others` beside them.
 * @param where begins each message
 * @throws LepantoError that names the field, what was given and what was wanted
 */
export const checkMapRows = (
  value: unknown,
  where: string,
  others: Readonly<Record<string, string | number>> = {},
): void => {
  const checks = Object.entries(others).map(([name, wanted]) => [name, exactly(wanted)] as const);
  fields({ ...Object.fromEntries(checks), ...rowChecks })(value, where);
};
