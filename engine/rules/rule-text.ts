// Reads texts of rules: a preset, then the options that differ, as in '2000,paradox=allHold'. Options come in several
// kinds, each with a table next to the code that acts on it: options.ts has those of adjudication. One text names options
// of any kind; its reader passes the tables that it knows.
import { LepantoError } from './error.js';

/** The presets, in the order of listings. */
export const presetNames = [
  'datc-3.2',
  'datc-2.4',
  '1971',
  '1982',
  '2000',
  '2023',
  '2025ee',
  'dptg',
  'strict-2003',
] as const;
/** Name of a preset of the rules. */
export type PresetName = (typeof presetNames)[number];

/**
 * Presets by other names that people and files use for them. Case, hyphens, dots, blanks and underscores are ignored.
 */
export const presetAliases: Readonly<Record<string, PresetName>> = {
  datc: 'datc-3.2',
  default: 'datc-3.2',
  szykman: 'datc-3.2',
  '2025': '2025ee',
  guide: 'dptg',
};

/** The possible values of each option, keyed by option. The first one is the preference of DATC 3.2. */
export type OptionTable = Readonly<Record<string, readonly string[]>>;

/** One value of each option of a table. */
export type OptionValues<T extends OptionTable> = { readonly [K in keyof T]: T[K][number] };

/** Values that presets choose instead of the first one. Where a rulebook is silent, its preset follows DATC 3.2. */
export type PresetChoices<T extends OptionTable> = Readonly<Partial<Record<PresetName, Partial<OptionValues<T>>>>>;

/** A text of rules after reading: its preset and the options that it names. Every option and value exists. */
export interface RuleText {
  readonly preset: PresetName;
  /** Values given after the preset, keyed by option. */
  readonly given: ReadonlyMap<string, string>;
}

const fold = (text: string): string => text.toLowerCase().replace(/[-_.\s]/g, '');

const presetByFoldedName = new Map<string, PresetName>([
  ...presetNames.map((name): [string, PresetName] => [fold(name), name]),
  ...Object.entries(presetAliases).map(([alias, name]): [string, PresetName] => [fold(alias), name]),
]);

const readPreset = (text: string): PresetName => {
  const name = presetByFoldedName.get(fold(text));
  if (name !== undefined) return name;
  throw new LepantoError('rules', `rules: got preset "${text.trim()}", wanted one of ${presetNames.join(', ')}`);
};

const readOption = (text: string, options: OptionTable): readonly [key: string, value: string] => {
  const at = text.indexOf('=');
  const word = at < 0 ? text : text.slice(0, at);
  const key = Object.keys(options).find((one) => fold(one) === fold(word));
  if (key === undefined)
    throw new LepantoError(
      'rules',
      at < 0
        ? `rules: got "${text.trim()}", wanted option=value after the preset`
        : `rules: got option "${word.trim()}", wanted one of ${Object.keys(options).join(', ')}`,
    );
  const given = at < 0 ? '' : text.slice(at + 1);
  const value = options[key].find((one) => fold(one) === fold(given));
  if (value !== undefined) return [key, value];
  throw new LepantoError(
    'rules',
    `rules: got ${key}=${given.trim()}, wanted ${key}= one of ${options[key].join(', ')}`,
  );
};

/**
 * Parses a preset or its alias, then changed options, separated by commas. A text that begins with an option
 * changes datc-3.2. Case is ignored.
 * @param tables the kinds of options that may be named
 * @throws LepantoError if a preset, option or value is unknown, or if an option is given two values
 */
export const readRuleText = (text: string, ...tables: readonly OptionTable[]): RuleText => {
  const options: OptionTable = Object.assign({}, ...tables);
  const parts = text.split(',').map((part) => part.trim());
  const named = !parts[0].includes('=');
  const given = new Map<string, string>();
  for (const part of named ? parts.slice(1) : parts) {
    if (part === '') continue;
    const [key, value] = readOption(part, options);
    const earlier = given.get(key);
    if (earlier !== undefined && earlier !== value)
      throw new LepantoError('rules', `rules: ${key} is given twice: ${earlier} and ${value}`);
    given.set(key, value);
  }
  return { preset: named ? readPreset(parts[0]) : 'datc-3.2', given };
};

/** Returns a text of rules, '2000,paradox=allHold', with the preset and those given options that are in the table. */
export const ruleTextFor = ({ preset, given }: RuleText, options: OptionTable): string =>
  [preset, ...[...given].filter(([key]) => key in options).map(([key, value]) => `${key}=${value}`)].join(',');

/** Returns the value of each option of a table: the given value, the preset's choice, or the first value, in that order. */
export const chosenValues = <T extends OptionTable>(
  options: T,
  presets: PresetChoices<T>,
  { preset, given }: RuleText,
): OptionValues<T> => {
  const choices: Readonly<Record<string, string | undefined>> = presets[preset] ?? {};
  const values = Object.keys(options).map((key) => [key, given.get(key) ?? choices[key] ?? options[key][0]]);
  return Object.fromEntries(values) as OptionValues<T>;
};

/** Returns the options of a table whose given value differs from the preset's, each as 'key=value'. */
export const changedOptions = <T extends OptionTable>(
  options: T,
  presets: PresetChoices<T>,
  { preset, given }: RuleText,
): string[] => {
  const own: Readonly<Record<string, string>> = chosenValues(options, presets, { preset, given: new Map() });
  return Object.keys(options).flatMap((key) => {
    const value = given.get(key);
    return value === undefined || value === own[key] ? [] : [`${key}=${value}`];
  });
};
