#!/usr/bin/env node
// Runs the `lepanto` command: its subcommands are in commands.ts.
import { isSimilar } from '../../engine/rules/error.js';
import { lepantoVersion } from '../../selfplay/version.js';
import { say } from '../terminal/output.js';
import { runCommand, runMain } from '../terminal/run-command.js';
import { commands } from './commands.js';

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

const runNamed = async (name: string, args: string[]): Promise<number> => {
  if (Object.hasOwn(commands, name)) return runCommand(name, commands[name][1], args);
  say(`unknown command "${name}"; ${suggest(name)}`);
  return 2;
};

const main = async ([first, ...rest]: string[]): Promise<number> => {
  if (first === undefined) {
    process.stderr.write(help);
    return 2;
  }
  if (first === '--version' || first === '-V') process.stdout.write(`lepanto ${lepantoVersion}\n`);
  else if (first === 'help' && rest.length > 0) return runNamed(rest[0], ['--help']);
  else if (first === '--help' || first === '-h' || first === 'help') process.stdout.write(help);
  else return runNamed(first, rest);
  return 0;
};

await runMain(main);
