#!/usr/bin/env node
// Runs the `lepanto` command: its table of subcommands, and the code that they share.
import { hasCode, isSimilar } from '../../engine/rules/error.js';
import { lepantoVersion } from '../../selfplay/records/version.js';
import { guardStreams, say } from './shared/output.js';

/** What a module of a subcommand exports. */
interface Command {
  /** Printed by --help. */
  readonly help: string;
  /** Returns the exit code; the message of an error is printed as one line. */
  readonly run: (args: string[]) => Promise<number>;
}

/** What they do, and where they are. */
const commands: Readonly<Record<string, readonly [about: string, load: () => Promise<Command>]>> = {
  adjudicate: ['play one phase of positions, JSON lines in and out', () => import('./commands/adjudicate.js')],
  legal: ['list all legal orders of positions', () => import('./commands/legal.js')],
  selfplay: ['play games, record them, say how they went', () => import('./commands/selfplay.js')],
  merge: ['put the parts of a run into one directory', () => import('./commands/merge.js')],
  replay: ['print recorded games, or adjudicate them again', () => import('./commands/replay.js')],
  find: ['find recorded games by orders, positions and results', () => import('./commands/find.js')],
  compare: ['find the phases in which two agents differ most', () => import('./commands/compare.js')],
  draw: ['draw a board: SVG, PNG, or in the terminal', () => import('./commands/draw.js')],
  convert: ['turn recorded games of one format into another', () => import('./commands/convert.js')],
  tensors: ['write recorded games as arrays that programs map', () => import('./commands/tensors.js')],
  view: ['show runs, replays and a position editor in the browser', () => import('./commands/view.js')],
  play: ['play against agents in the browser', () => import('./commands/play.js')],
  stats: ['what happened in recorded games', () => import('./commands/stats.js')],
  agent: ['answer requests for orders, JSON lines in and out', () => import('./commands/agent.js')],
  search: ['find orders for a position by rollouts', () => import('./commands/search.js')],
  arena: ['play agents against each other', () => import('./commands/arena.js')],
  worker: ['play what waits in a queue', () => import('./commands/work.js')],
  queue: ['what waits in a queue; pause, retry, drop', () => import('./commands/queue.js')],
  daide: ['tables for bots that speak DAIDE', () => import('./commands/daide.js')],
  rules: ['presets and options of the rules', () => import('./commands/rules.js')],
  map: ['list maps, check map files, import those of other programs', () => import('./commands/map.js')],
  bench: ['measure how fast it is here', () => import('../../bench/command.js')],
};

const help = `lepanto: a simulation engine for bots that play Diplomacy

usage: lepanto COMMAND [OPTIONS]

${Object.entries(commands)
  .map(([name, [about]]) => `  ${name.padEnd(12)}${about}`)
  .join('\n')}

  lepanto COMMAND --help    options of a command
  lepanto --version         version
`;

/** Commands that the user may have meant; all of them if none is similar. */
const suggest = (name: string): string => {
  const all = Object.keys(commands);
  const near = all.filter((one) => isSimilar(name, one) || (name.length > 1 && one.startsWith(name)));
  return near.length > 0 ? `did you mean ${near.join(' or ')}?` : `wanted one of ${all.join(', ')}`;
};

/** Rewords a message of node:util's parseArgs. */
const parseTrouble = (error: NodeJS.ErrnoException, name: string, { help }: Command): string => {
  const [, quoted = ''] = /'([^']*)'/.exec(error.message) ?? [];
  const [option] = quoted.split(/[ ,]/);
  const seeHelp = `(lepanto ${name} --help)`;
  if (error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const options = [...new Set(help.match(/--[a-z][a-z-]*/g) ?? [])];
    const near = options.filter(
      (one) => isSimilar(option, one) || (option.length > 4 && one.startsWith(option.slice(0, 5))),
    );
    return `got the option ${option}, ${near.length > 0 ? `did you mean ${near.join(' or ')}?` : `wanted one of ${options.join(', ')}`} ${seeHelp}`;
  }
  if (error.code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return `got "${quoted}", wanted options alone ${seeHelp}`;
  if (error.message.includes('ambiguous'))
    return `${option}: got a value with a dash before it, wanted ${option}=VALUE`;
  if (error.message.includes('does not take')) return `${option}: got a value, wanted none ${seeHelp}`;
  return error.message.includes('missing') ? `${quoted}: got nothing, wanted a value ${seeHelp}` : error.message;
};

const isParseError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');

const isUsageError = (error: unknown): boolean =>
  error instanceof Error && (hasCode(error, 'usage') || isParseError(error));

const asksForHelp = (args: readonly string[]): boolean => {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some((arg) => arg === '--help' || arg === '-h');
};

const runCommand = async (name: string, args: string[]): Promise<number> => {
  if (!Object.hasOwn(commands, name)) {
    say(`unknown command "${name}"; ${suggest(name)}`);
    return 2;
  }
  let command: Command | null = null;
  try {
    command = await commands[name][1]();
    if (!asksForHelp(args)) return await command.run(args);
    process.stdout.write(`${command.help.trim()}\n`);
    return 0;
  } catch (error) {
    if (process.env.LEPANTO_DEBUG) console.error(error);
    else if (command !== null && isParseError(error)) say(parseTrouble(error, name, command));
    else say(error instanceof Error ? error.message : String(error));
    return isUsageError(error) ? 2 : 1;
  }
};

const main = async ([first, ...rest]: string[]): Promise<number> => {
  if (first === undefined) {
    process.stderr.write(help);
    return 2;
  }
  if (first === '--version' || first === '-V') process.stdout.write(`lepanto ${lepantoVersion}\n`);
  else if (first === 'help' && rest.length > 0) return runCommand(rest[0], ['--help']);
  else if (first === '--help' || first === '-h' || first === 'help') process.stdout.write(help);
  else return runCommand(first, rest);
  return 0;
};

guardStreams(say);
process.exitCode = await main(process.argv.slice(2));
