// The options of a command, stated once: for --help, in 80 columns, and for reading them.
import { parseArgs } from 'node:util';
import { defaultWorkers } from '../../selfplay/crew/pool.js';
import { CHOICE_MS } from '../../selfplay/crew/watchdog.js';
import { MOST_ROUNDS } from '../../selfplay/question/message.js';
import { parseWhole } from './usage.js';

/** An option: a switch unless it takes a value. */
export interface Option {
  /** Its value in --help: 'N', 'FILE'. */
  readonly takes?: string;
  /** Said by --help, unless `help` names a default itself. */
  readonly default?: string;
  readonly help: string;
}

export type Options = Readonly<Record<string, Option>>;

type ValueOf<O extends Option> = O extends { takes: string }
  ? O extends { default: string }
    ? string
    : string | undefined
  : boolean;

/** The values of options as a command reads them. */
export type Values<T extends Options> = { readonly [Name in keyof T]: ValueOf<T[Name]> };

/** @throws what node:util's parseArgs throws, which the command line rewords */
export const readArguments = <T extends Options>(
  args: string[],
  options: T,
  allowPositionals = true,
): { readonly values: Values<T>; readonly positionals: string[] } => {
  const types = Object.entries(options).map(([name, { takes, default: preset }]) => {
    if (takes === undefined) return [name, { type: 'boolean', default: false }] as const;
    return [name, { type: 'string', ...(preset === undefined ? {} : { default: preset }) }] as const;
  });
  const { values, positionals } = parseArgs({ args, allowPositionals, options: Object.fromEntries(types) });
  return { values: values as Values<T>, positionals };
};

// ---- help ----

const WIDTH = 80;
/** Longer names have a line of their own. */
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

/** Names with their meanings in a second column, in lines of at most 80 characters. */
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

/** The options as --help lists them. */
export const optionText = (options: Options): string =>
  listText(
    Object.entries(options).map(([name, { takes, default: preset, help }]) => [
      takes === undefined ? `--${name}` : `--${name} ${takes}`,
      preset === undefined || help.includes('(default:') ? help : `${help} (default: ${preset})`,
    ]),
  );

// ---- options of several commands ----

export const mapOption = {
  map: { takes: 'NAME', default: 'standard', help: 'map: a name or a file, see lepanto map' },
} as const;

export const mapOptions = {
  ...mapOption,
  'map-options': { takes: 'LIST', help: 'options of the map, such as tsr,suez or ice=no; see lepanto map' },
} as const;

/** @param acts kinds of options that count: 'adjudication' */
export const rulesOption = (acts: string) =>
  ({
    rules: { takes: 'RULES', default: 'datc-3.2', help: `rules; see lepanto rules: its options of ${acts} count` },
  }) as const;

/** Of commands that play games of modules and bots. @param again what is played again */
export const playerOptions = (again: string) =>
  ({
    'choice-ms': {
      takes: 'N',
      default: String(CHOICE_MS),
      help: `milliseconds for one choice of a module, 0: no limit. When it takes longer, its thread is replaced and ${again}.
        No result depends on the clock`,
    },
    'bot-version': {
      takes: 'TEXT',
      help: `version of exec: bots none of whose files can be seen here: games of another version are not taken for theirs`,
    },
  }) as const;

/** Of commands that play games with press. */
export const roundsOption = {
  rounds: {
    takes: 'N',
    default: '0',
    help: `rounds of press before the orders of each movement phase: all powers speak at once, and read it in the next round;
      agents that do not talk are silent`,
  },
} as const;

export const readRounds = (text: string): number => parseWhole('rounds', text, 0, MOST_ROUNDS);

/** @param what done on other machines: 'lets lepanto worker on other machines play the games' */
export const queueOption = (what: string) =>
  ({
    queue: {
      takes: 'URL',
      help: `${what}: redis://HOST:PORT, or env for the address in LEPANTO_QUEUE_URL (bindings/cluster/queue/README.md)`,
    },
  }) as const;

export const seedOption = { seed: { takes: 'S', default: '1', help: 'a whole number' } } as const;

/** Of commands that take several agents. */
export const agentsHelp = `./my-agent.js loads a module; exec:COMMAND starts a bot in any language
  (bindings/protocols/PROTOCOL.md), COMMAND without a comma`;

/** Of commands that read records. */
export const recordOptions = {
  map: { takes: 'NAME', help: 'map of a games-*.lep without its manifest.json (default: what it says, else standard)' },
  rules: { takes: 'RULES', help: 'rules to play by (default: those of the manifest.json, else datc-3.2)' },
} as const;

/** Of commands that read all games of an arena. */
export const arenaOption = {
  arena: {
    takes: 'K',
    help: 'in a directory of lepanto arena --out: the arena of this number, from 1 (default: all; with --game the first)',
  },
} as const;

export const workersOption = {
  workers: { takes: 'W', help: `threads (default: one for each processor, here ${defaultWorkers()})` },
} as const;

export const quietOption = { quiet: { help: 'no progress' } } as const;
export const jsonOption = { json: { help: 'one JSON object' } } as const;

const MAX_WORKERS = 256;

export const readWorkers = (text: string | undefined, most = MAX_WORKERS): number =>
  text === undefined ? Math.min(most, defaultWorkers()) : parseWhole('workers', text, 1, most);

export const readSeed = (text: string): number => parseWhole('seed', text, -(2 ** 31), 2 ** 31 - 1);

/** --game: -1 where it is not given. */
export const readGame = (text: string | undefined): number =>
  text === undefined ? -1 : parseWhole('game', text, 0, Number.MAX_SAFE_INTEGER);
