// Options as data: command lines, servers, Python and pages read the same tables.
import { fieldOf, refuseValue, type Shape } from '../../engine/rules/shape.js';

/** A number in a range. */
interface NumberOption {
  readonly least: number;
  readonly most: number;
  /** True if fractions are refused. */
  readonly whole?: true;
  /** Name of the value in help. Default 'N'. */
  readonly takes?: string;
  readonly default?: number;
}

/** One of several words. */
interface WordOption {
  readonly words: readonly string[];
  /** Short names of some of the words, for command lines. */
  readonly short?: Readonly<Record<string, string>>;
  /** Name of the value in help. Default 'NAME'. */
  readonly takes?: string;
  readonly default?: string;
}

/** Any text. */
type TextOption = { readonly default?: string } & (
  | { readonly text: true }
  // Name of the value in help.
  | { readonly takes: string }
);

/** A switch: off unless it is given. */
interface Switch {
  readonly takes?: never;
}

/** An option: what it means, which values it takes, its default and an older name on command lines, if it has them. */
export type Option = { readonly help: string; readonly formerly?: string } & (
  | NumberOption
  | WordOption
  | TextOption
  | Switch
);

/** A table of options by name. */
export type Options = Readonly<Record<string, Option>>;

/** One option of an agent: a number in a range, one of several words, or any text without a colon. */
export type AgentOption = { readonly help: string } & (
  | { readonly default: number; readonly least: number; readonly most: number; readonly whole?: true }
  | { readonly default: string; readonly words: readonly string[] }
  | {
      readonly default: string;
      readonly text: true;
      /** True if the text is the path of a file, which travels with a job of a queue. Not so the default, '' or a name. */
      readonly file?: true;
    }
);

type GivenValue<O extends Option> = O extends { readonly least: number }
  ? number
  : O extends { readonly words: readonly (infer Word)[] }
    ? Word
    : O extends { readonly text: true } | { readonly takes: string }
      ? string
      : boolean;

/** The type of an option's value: undefined for an option without a default that is not given. */
export type ValueOf<O extends Option> =
  | GivenValue<O>
  | (O extends { readonly default: number | string } ? never : GivenValue<O> extends boolean ? never : undefined);

/** The values of a table of options. */
export type ValuesOf<T extends Options> = { readonly [Name in keyof T]: ValueOf<T[Name]> };

/** True if an option takes no value. */
export const isSwitch = (option: Option): boolean =>
  !('least' in option || 'words' in option || 'text' in option || 'takes' in option);

/** The default of an option; undefined if it has none. */
export const defaultOf = (option: Option): string | number | boolean | undefined =>
  'default' in option ? option.default : isSwitch(option) ? false : undefined;

/** A word that was given by its short name, or else what was given. */
const longName = (option: Option, value: unknown): unknown =>
  'words' in option && option.short !== undefined && typeof value === 'string' && Object.hasOwn(option.short, value)
    ? option.short[value]
    : value;

const accepts = (option: Option, value: unknown): boolean => {
  if ('least' in option) {
    if (typeof value !== 'number' || (option.whole && !Number.isSafeInteger(value))) return false;
    return value >= option.least && value <= option.most;
  }
  if ('words' in option) return option.words.some((word) => word === value);
  return typeof value === (isSwitch(option) ? 'boolean' : 'string');
};

/** Returns what an option wants, for messages: 'a whole number from 1 to 9', 'one of a, b'. */
export const wantedBy = (option: Option): string => {
  if ('least' in option) return `a ${option.whole ? 'whole ' : ''}number from ${option.least} to ${option.most}`;
  if ('words' in option) return `one of ${option.words.join(', ')}`;
  return isSwitch(option) ? 'true or false' : 'text';
};

const readNumber = ({ whole }: NumberOption, text: string): number =>
  (whole ? /^[+-]?\d+$/.test(text.trim()) : text.trim() !== '') ? Number(text) : Number.NaN;

/** Reads the value of an option from text. Returns undefined if the option does not take it. */
export const parseOption = (option: Option, text: string): string | number | undefined => {
  const value = 'least' in option ? readNumber(option, text) : longName(option, text);
  return accepts(option, value) ? (value as string | number) : undefined;
};

/** Reads the value of an option from JSON. A value that is missing or null is the default, if there is one. */
export const optionShape =
  <O extends Option>(option: O): Shape<GivenValue<O>> =>
  (given, where) => {
    const value = given ?? defaultOf(option);
    return accepts(option, value) ? (value as GivenValue<O>) : refuseValue(where, value, wantedBy(option));
  };

const readOne = (option: Option, given: unknown, name: string): unknown => {
  const isLeftOut = (given ?? defaultOf(option)) === undefined;
  return isLeftOut ? undefined : optionShape(option)(given, name);
};

/** Reads the values of a table from JSON, and refuses other names. */
export const readOptions = <T extends Options>(options: T, record: object, where: string): ValuesOf<T> => {
  const other = Object.keys(record).find((name) => !Object.hasOwn(options, name));
  if (other !== undefined) refuseValue(where, other, `one of ${Object.keys(options).join(', ')}`);
  const values = Object.entries(options).map(([name, option]) => [name, readOne(option, fieldOf(record, name), name)]);
  return Object.fromEntries(values) as ValuesOf<T>;
};

/** Returns the values of a table out of those of a larger one. */
export const valuesOf = <T extends Options>(options: T, values: ValuesOf<T>): ValuesOf<T> =>
  Object.fromEntries(Object.keys(options).map((name) => [name, values[name]])) as ValuesOf<T>;

/** Returns the defaults of a table in which every option has one. */
export const defaultsOf = <T extends Readonly<Record<string, { readonly default: unknown }>>>(options: T) =>
  Object.fromEntries(Object.entries(options).map(([name, option]) => [name, option.default])) as {
    readonly [Name in keyof T]: T[Name]['default'];
  };

/** The range of an option that takes whole numbers. */
export const wholeIn = (least: number, most: number) => ({ least, most, whole: true }) as const;

/** The seed of everything that is drawn. */
export const seedOption = {
  seed: { ...wholeIn(-(2 ** 31), 2 ** 31 - 1), takes: 'S', default: 1, help: 'a whole number' },
} as const;
