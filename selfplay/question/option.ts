// Definitions of options as data, shared by command lines, servers, Python and web pages.
import { fieldOf, refuseValue, type Shape } from '../../engine/rules/shape.js';

/** An option whose value is a number from `least` to `most`, both included. */
interface NumberOption {
  readonly least: number;
  readonly most: number;
  /** True if the value must be an integer. */
  readonly whole?: true;
  /** Placeholder of the value in help. Default 'N'. */
  readonly takes?: string;
  readonly default?: number;
}

/** An option whose value is one of several words. */
interface WordOption {
  readonly words: readonly string[];
  /** Short names for command lines, each with the word that it stands for. */
  readonly short?: Readonly<Record<string, string>>;
  /** Placeholder of the value in help. Default 'NAME'. */
  readonly takes?: string;
  readonly default?: string;
}

/** An option whose value is any text. `takes`: placeholder of the value in help. */
type TextOption = { readonly default?: string } & (
  | { readonly text: true }
  // Placeholder of the value in help.
  | { readonly takes: string }
);

/** An option without a value (a switch): true if it is given, else false. */
interface Switch {
  readonly takes?: never;
}

/**
 * Definition of an option. `help`: help text. `formerly`: former name of the option on command lines. The other fields:
 * allowed values, default and placeholder in help.
 */
export type Option = { readonly help: string; readonly formerly?: string } & (
  | NumberOption
  | WordOption
  | TextOption
  | Switch
);

/** Definitions of options, keyed by option name. */
export type Options = Readonly<Record<string, Option>>;

/** Definition of an agent's option: a number in a range, one of several words, or any text without a colon. */
export type AgentOption = { readonly help: string } & (
  | { readonly default: number; readonly least: number; readonly most: number; readonly whole?: true }
  | { readonly default: string; readonly words: readonly string[] }
  | {
      readonly default: string;
      readonly text: true;
      /**
       * True if the text is the path of a file. The file is then copied along with a queued job. The default value is
       * not a path: it is '' or a name.
       */
      readonly file?: true;
    }
);

/** Type of an option's value, for an option that is given. */
type GivenValue<O extends Option> = O extends { readonly least: number }
  ? number
  : O extends { readonly words: readonly (infer Word)[] }
    ? Word
    : O extends { readonly text: true } | { readonly takes: string }
      ? string
      : boolean;

/** Type of an option's value. Includes undefined if the option has no default and takes a value. */
export type ValueOf<O extends Option> =
  | GivenValue<O>
  | (O extends { readonly default: number | string } ? never : GivenValue<O> extends boolean ? never : undefined);

/** Values of a table of options, keyed by option name. */
export type ValuesOf<T extends Options> = { readonly [Name in keyof T]: ValueOf<T[Name]> };

/** True if an option is a switch, which takes no value. */
export const isSwitch = (option: Option): boolean =>
  !('least' in option || 'words' in option || 'text' in option || 'takes' in option);

/** Returns the default of an option: false for a switch, undefined if there is no default. */
export const defaultOf = (option: Option): string | number | boolean | undefined =>
  'default' in option ? option.default : isSwitch(option) ? false : undefined;

/** Returns the word that a short name of the option stands for, or any other value unchanged. */
const longName = (option: Option, value: unknown): unknown =>
  'words' in option && option.short !== undefined && typeof value === 'string' && Object.hasOwn(option.short, value)
    ? option.short[value]
    : value;

/** True if a value has the option's type and is within its range or among its words. */
const accepts = (option: Option, value: unknown): boolean => {
  if ('least' in option) {
    if (typeof value !== 'number' || (option.whole && !Number.isSafeInteger(value))) return false;
    return value >= option.least && value <= option.most;
  }
  if ('words' in option) return option.words.some((word) => word === value);
  return typeof value === (isSwitch(option) ? 'boolean' : 'string');
};

/** Describes the allowed values of an option, for error messages: 'a whole number from 1 to 9', 'one of a, b'. */
export const wantedBy = (option: Option): string => {
  if ('least' in option) return `a ${option.whole ? 'whole ' : ''}number from ${option.least} to ${option.most}`;
  if ('words' in option) return `one of ${option.words.join(', ')}`;
  return isSwitch(option) ? 'true or false' : 'text';
};

const readNumber = ({ whole }: NumberOption, text: string): number =>
  (whole ? /^[+-]?\d+$/.test(text.trim()) : text.trim() !== '') ? Number(text) : Number.NaN;

/**
 * Parses the value of an option from a command line. Returns undefined if the text is not an allowed value. Replaces a
 * short name with its word.
 */
export const parseOption = (option: Option, text: string): string | number | undefined => {
  const value = 'least' in option ? readNumber(option, text) : longName(option, text);
  return accepts(option, value) ? (value as string | number) : undefined;
};

/**
 * Returns a function that reads the option's value in JSON. A missing or null value becomes the default, if the option
 * has one. The function throws a LepantoError for a value that is not allowed.
 */
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

/**
 * Reads the values of a table of options from a JSON object. An option without a value or default is undefined.
 * @param where name of the object in error messages
 * @throws LepantoError for an unknown name or a value that is not allowed
 */
export const readOptions = <T extends Options>(options: T, record: object, where: string): ValuesOf<T> => {
  const other = Object.keys(record).find((name) => !Object.hasOwn(options, name));
  if (other !== undefined) refuseValue(where, other, `one of ${Object.keys(options).join(', ')}`);
  const values = Object.entries(options).map(([name, option]) => [name, readOne(option, fieldOf(record, name), name)]);
  return Object.fromEntries(values) as ValuesOf<T>;
};

/** Returns the values of the options in `options`, taken from the values of a larger table. */
export const valuesOf = <T extends Options>(options: T, values: ValuesOf<T>): ValuesOf<T> =>
  Object.fromEntries(Object.keys(options).map((name) => [name, values[name]])) as ValuesOf<T>;

/** Returns the default of every option, keyed by option name. Every option of the table must have a default. */
export const defaultsOf = <T extends Readonly<Record<string, { readonly default: unknown }>>>(options: T) =>
  Object.fromEntries(Object.entries(options).map(([name, option]) => [name, option.default])) as {
    readonly [Name in keyof T]: T[Name]['default'];
  };

/** Returns the fields of an option for integers from `least` to `most`, both included. */
export const wholeIn = (least: number, most: number) => ({ least, most, whole: true }) as const;

/** Option for the seed of all random numbers: any int32. */
export const seedOption = {
  seed: { ...wholeIn(-(2 ** 31), 2 ** 31 - 1), takes: 'S', default: 1, help: 'seed, a whole number' },
} as const;
