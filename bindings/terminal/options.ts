// Parses command lines by tables of options (question/option.ts), and formats the tables for --help in 80 columns.
import { parseArgs } from 'node:util';
import { isSimilar } from '../../engine/rules/error.js';
import { choiceMsOption } from '../../selfplay/crew/watchdog.js';
import {
  defaultOf,
  isSwitch,
  type Option,
  type Options,
  parseOption,
  type ValuesOf,
  wantedBy,
  wholeIn,
} from '../../selfplay/question/option.js';
import { say } from './output.js';
import { UsageError } from './usage.js';

const readValue = (name: string, option: Option, given: string | boolean | undefined) => {
  if (typeof given !== 'string') return given ?? defaultOf(option);
  const value = parseOption(option, given);
  if (value === undefined) throw new UsageError(`--${name}: got "${given}", wanted ${wantedBy(option)}`);
  return value;
};

/** Options that all commands accept, because scripts pass them to every command. Some commands have no use for them. */
const everywhere: Options = { quiet: { help: 'no progress' }, json: { help: 'JSON' } };

/** Options with a one-letter form, keyed by letter. A letter stands for the first of its options that a command has. */
const letters: Readonly<Record<string, readonly string[]>> = {
  o: ['out'],
  n: ['games', 'limit'],
  q: ['quiet'],
  j: ['workers'],
};

/** Returns the one-letter forms of options, keyed by option. Options without a letter are left out. */
const lettersOf = (options: Options): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(letters).flatMap(([letter, names]) => {
      const name = names.find((one) => Object.hasOwn(options, one));
      return name === undefined ? [] : [[name, letter] as const];
    }),
  );

/** Thrown for arguments that do not match the options of a command. */
export class ArgumentsError extends UsageError {}

/** Returns an error for users in place of an error of parseArgs(), with similar options for an unknown one. */
const parseTrouble = (error: Error & { readonly code?: string }, options: Options): ArgumentsError => {
  const [, quoted = ''] = /'([^']*)'/.exec(error.message) ?? [];
  const [option] = quoted.split(/[ ,]/);
  const wanted = (): string => {
    // Options without a help text are for tests only.
    const all = Object.keys(options).flatMap((name) => (options[name].help === '' ? [] : [`--${name}`]));
    const near = all.filter(
      (one) => isSimilar(option, one) || (option.length > 4 && one.startsWith(option.slice(0, 5))),
    );
    return near.length > 0 ? `did you mean ${near.join(' or ')}?` : `wanted one of ${all.join(', ')}`;
  };
  if (error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
    return new ArgumentsError(`got the option ${option}, ${wanted()}`);
  if (error.code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL')
    return new ArgumentsError(`got "${quoted}", wanted only options`);
  if (error.message.includes('ambiguous'))
    return new ArgumentsError(`${option}: got a value that begins with a dash, wanted ${option}=VALUE`);
  if (error.message.includes('does not take')) return new ArgumentsError(`${option}: got a value, wanted none`);
  return new ArgumentsError(
    error.message.includes('missing') ? `${quoted}: got nothing, wanted a value` : error.message,
  );
};

/**
 * Joins each option with a negative number after it, to --seed=-1 or -n-1. parseArgs() would take the number for an
 * option.
 */
const joinNegatives = (args: readonly string[]): string[] => {
  const joined: string[] = [];
  for (const arg of args) {
    const before = joined.at(-1) ?? '';
    if (/^-[\d.]/.test(arg) && /^--?[a-z][a-z-]*$/.test(before))
      joined[joined.length - 1] = `${before}${before.startsWith('--') ? '=' : ''}${arg}`;
    else joined.push(arg);
  }
  return joined;
};

/**
 * Parses the arguments of a command and the values of its options. Accepts former names of options, with a warning, and
 * one-letter options.
 * @param allowPositionals false to refuse arguments that are not options
 * @throws UsageError for an unknown option, a refused argument or an invalid value
 */
export const readArguments = <T extends Options>(
  args: readonly string[],
  options: T,
  allowPositionals = true,
): { readonly values: ValuesOf<T>; readonly positionals: string[] } => {
  // The options are in the order of the command's table, and its options replace common ones of the same name.
  const all: Options = { ...options, ...everywhere, ...options };
  const letter = lettersOf(all);
  const types = Object.entries(all).flatMap(([name, option]) => {
    const type = isSwitch(option) ? ('boolean' as const) : ('string' as const);
    const short = letter.get(name);
    const own = [name, { type, ...(short !== undefined && { short }) }] as const;
    return option.formerly === undefined ? [own] : [own, [option.formerly, { type }] as const];
  });
  let parsed: {
    readonly values: Readonly<Record<string, string | boolean | undefined>>;
    readonly positionals: string[];
  };
  try {
    parsed = parseArgs({ args: joinNegatives(args), allowPositionals, options: Object.fromEntries(types) });
  } catch (error) {
    throw parseTrouble(error as Error, all);
  }
  const { values, positionals } = parsed;
  const read = Object.entries(options).map(([name, option]) => {
    const { formerly = name } = option;
    const old = formerly === name ? undefined : values[formerly];
    if (old !== undefined) say(`--${formerly} is now --${name}; the old name works until 0.3`);
    return [name, readValue(name, option, values[name] ?? old)];
  });
  return { values: Object.fromEntries(read) as ValuesOf<T>, positionals };
};

// ---- help ----

const WIDTH = 80;
/** Number of characters of the longest name in a two-column list. A longer name is on a separate line. */
const LONGEST_NAME = 16;

const wrap = (text: string, width: number): string[] => {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const last = lines.length - 1;
    if (lines[last] === '') lines[last] = word;
    else if (lines[last].length + 1 + word.length <= width) lines[last] += ` ${word}`;
    else lines.push(word);
  }
  return lines;
};

/** Formats names with their meanings in a second column, which is wrapped so that lines have at most 80 characters. */
export const listText = (rows: readonly (readonly [name: string, meaning: string])[]): string => {
  const longest = Math.max(...rows.map(([name]) => name.length).filter((length) => length <= LONGEST_NAME), 8);
  const indent = longest + 4;
  const show = ([name, meaning]: readonly [string, string]): string => {
    const lines = wrap(meaning, WIDTH - indent).map((line) => ' '.repeat(indent) + line);
    const head = `  ${name}`;
    return (name.length > longest ? [head, ...lines] : [head.padEnd(indent) + lines[0].trim(), ...lines.slice(1)]).join(
      '\n',
    );
  };
  return rows.map(show).join('\n');
};

const takenBy = (option: Option): string => {
  if (isSwitch(option)) return '';
  const { takes } = option as { readonly takes?: string };
  return ` ${takes ?? ('words' in option ? 'NAME' : 'N')}`;
};

/** Returns the help text of an option, with its possible words unless the text lists them. */
const meaningOf = (option: Option): string =>
  !('words' in option) || option.words.every((word) => option.help.includes(word))
    ? option.help
    : `${option.help}: ${option.words.join(', ')}`;

/** Returns the help text of an option, with its possible words and its default unless the text has them. */
const helpOf = (option: Option): string => {
  const preset = defaultOf(option);
  const isSaid =
    typeof preset === 'boolean' || preset === undefined || preset === '' || option.help.includes('(default:');
  return isSaid ? meaningOf(option) : `${meaningOf(option)} (default: ${preset})`;
};

/** Formats options for --help in two columns, with their one-letter forms. */
export const optionText = (options: Options): string => {
  const list = listText(
    Object.entries(options).map(([name, option]) => [`--${name}${takenBy(option)}`, helpOf(option)]),
  );
  const short = [...lettersOf(options)].map(([name, letter]) => `-${letter} --${name}`);
  return short.length === 0 ? list : `${list}\nIn short: ${short.join(', ')}`;
};

/** Formats the options of agents: 'depth=0', with meaning and range. */
export const pairText = (options: Options): string =>
  listText(
    Object.entries(options).map(([name, option]) => [
      `${name}=${defaultOf(option)}`,
      'least' in option ? `${option.help}: ${option.least} to ${option.most}` : meaningOf(option),
    ]),
  );

// ---- options of several commands ----

export const mapOption = {
  map: { takes: 'NAME', default: 'standard', help: 'map: name or file (see lepanto map)' },
} as const;

export const mapOptions = {
  ...mapOption,
  'map-options': { takes: 'LIST', help: 'options of the map, such as tsr,suez or ice=no (see lepanto map)' },
} as const;

/** Returns the option --rules. @param acts kinds of rules that the command uses, for its help: 'adjudication' */
export const rulesOption = (acts: string) =>
  ({
    rules: {
      takes: 'RULES',
      default: 'datc-3.2',
      help: `rules (see lepanto rules); only options of ${acts} have an effect`,
    },
  }) as const;

/** Options of commands that play user modules and bots. */
export const playerOptions = {
  'choice-ms': {
    ...choiceMsOption,
    help: `${choiceMsOption.help}. A module that takes longer stops the command with an error`,
  },
  'bot-version': {
    takes: 'TEXT',
    help: `version of exec: bots whose files are not on this machine; games of another version are played again`,
  },
} as const;

/** Returns the option --queue. @param what what workers do, for its help: 'play the games' */
export const queueOption = (what: string) =>
  ({
    queue: {
      takes: 'URL',
      help: `queue of lepanto worker processes that ${what}: redis://HOST:PORT, or env for the address in LEPANTO_QUEUE_URL (lepanto help machines)`,
    },
  }) as const;

/** Help text for agents, in commands that take several. */
export const agentsHelp = `a name from lepanto agents, ./FILE.js (a module), or exec:COMMAND (a bot in any language,
  see lepanto help protocol; no comma in COMMAND)`;

/** Options of commands that read records. */
export const recordOptions = {
  map: {
    takes: 'NAME',
    help: 'map of a games-*.lep without manifest.json (default: the map that it names, or standard)',
  },
  rules: { takes: 'RULES', help: 'rules (default: those of manifest.json, or datc-3.2)' },
} as const;

/** Options of commands that read all games of an arena. */
export const arenaOption = {
  arena: {
    ...wholeIn(1, 999_999_999),
    takes: 'K',
    help: 'number of an arena in a directory of lepanto arena --out, from 1 (default: all; with --game the first)',
  },
} as const;

/** Option --store of commands that play over a queue. */
export const storeOption = {
  store: {
    takes: 'STORE',
    // Shards have megabytes and are stored at their destination. Games of an arena have some hundred bytes.
    help: `where workers of --queue put results: a shared directory, s3://BUCKET/PREFIX, or redis (default: the directory of the
      run for workers that see it, redis for others)`,
  },
} as const;

/** Option --queue of commands that also take the address of the queue as an argument. */
export const addressOption = {
  queue: { takes: 'URL', help: 'address of the server; env: from LEPANTO_QUEUE_URL' },
} as const;

export const quietOption = { quiet: { help: 'no progress' } } as const;
export const jsonOption = { json: { help: 'one JSON object' } } as const;

export const portOption = {
  port: { ...wholeIn(0, 65_535), takes: 'P', default: 0, help: 'port; 0: any free port' },
} as const;

/** Value of an option for the number of a game: a whole number from 0. */
export const gameOption = wholeIn(0, Number.MAX_SAFE_INTEGER);
