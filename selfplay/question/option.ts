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
  /** Short names for command lines, mapped to the words they stand for. */
  readonly short?: Readonly<Record<string, string>>;
  /** Placeholder of the value in help. Default 'NAME'. */
  readonly takes?: string;
  readonly default?: string;
}

/** An option whose value is any text. */
type TextOption = { readonly default?: string } & (
  | { readonly text: true }
  // Placeholder of the value in help.
  | { readonly takes: string }
);

/** An option without a value: false unless it is given. */
interface Switch {
  readonly takes?: never;
}

/** Definition of an option: help text, allowed values, and optionally a default and a former command-line name. */
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
       * True if the text is the path of a file, which is then copied along with a queued job. The default value is not
       * a path: it is '' or a name.
       */
      readonly file?: true;
    }
);

/** The type of an option's value, if it is given. */
type GivenValue<O extends Option> = O extends { readonly least: number }
  ? number
  : O extends { readonly words: readonly (infer Word)[] }
    ? Word
    : O extends { readonly text: true } | { readonly takes: string }
      ? string
      : boolean;

/** The type of an option's value. Includes undefined if the option has no default and is no switch. */
export type ValueOf<O extends Option> =
  | GivenValue<O>
  | (O extends { readonly default: number | string } ? never : GivenValue<O> extends boolean ? never : undefined);

/** The values of a table of options, keyed by option name. */
export type ValuesOf<T extends Options> = { readonly [Name in keyof T]: ValueOf<T[Name]> };

/** True if an option is a switch, which takes no value. */
export const isSwitch = (option: Option): boolean =>
  !('least' in option || 'words' in option || 'text' in option || 'takes' in option);

/** Returns the default of an option: false for a switch, undefined if there is no default. */
export const defaultOf = (option: Option): string | number | boolean | undefined =>
  'default' in option ? option.default : isSwitch(option) ? false : undefined;

/** Replaces a short name with its word. Returns any other value unchanged. */
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

/** Parses the value of an option. Returns undefined if the text is not an allowed value. */
export const parseOption = (option: Option, text: string): string | number | undefined => {
  const value = 'least' in option ? readNumber(option, text) : longName(option, text);
  return accepts(option, value) ? (value as string | number) : undefined;
};

/** Returns a reader of the option's value in JSON. Replaces a missing or null value with the default, if one exists. */
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
 * Reads the values of a table of options from a JSON object.
 * @param where names the object in errors
 * @throws LepantoError for an unknown name or a value that is not allowed
 */
export const readOptions = <T extends Options>(options: T, record: object, where: string): ValuesOf<T> => {
  const other = Object.keys(record).find((name) => !Object.hasOwn(options, name));
  if (other !== undefined) refuseValue(where, other, `one of ${Object.keys(options).join(', ')}`);
  const values = Object.entries(options).map(([name, option]) => [name, readOne(option, fieldOf(record, name), name)]);
  return Object.fromEntries(values) as ValuesOf<T>;
};

/** Selects the values of the options in `options` from the values of a larger table. */
export const valuesOf = <T extends Options>(options: T, values: ValuesOf<T>): ValuesOf<T> =>
  Object.fromEntries(Object.keys(options).map((name) => [name, values[name]])) as ValuesOf<T>;

/** Returns the default values of a table in which every option has a default. */
export const defaultsOf = <T extends Readonly<Record<string, { readonly default: unknown }>>>(options: T) =>
  Object.fromEntries(Object.entries(options).map(([name, option]) => [name, option.default])) as {
    readonly [Name in keyof T]: T[Name]['default'];
  };

/** Returns the range fields of an option for integers from `least` to `most`, both included. */
export const wholeIn = (least: number, most: number) => ({ least, most, whole: true }) as const;

/** Option for the seed of all random numbers: any int32. */
export const seedOption = {
  seed: { ...wholeIn(-(2 ** 31), 2 ** 31 - 1), takes: 'S', default: 1, help: 'seed, a whole number' },
} as const;
