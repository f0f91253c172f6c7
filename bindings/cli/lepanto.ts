#!/usr/bin/env node
// Runs the `lepanto` command. commands.ts has the subcommands.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSimilar } from '../../engine/rules/error.js';
import { lepantoVersion, packageRoot } from '../../selfplay/version.js';
import { say } from '../terminal/output.js';
import { runCommand, runMain } from '../terminal/run-command.js';
import { commands, groups } from './commands.js';
import { topics } from './topics.js';

const listed = (rows: Readonly<Record<string, readonly [string, ...unknown[]]>>): string =>
  Object.entries(rows)
    .map(([name, [about]]) => `  ${name.padEnd(12)}${about}`)
    .join('\n');

const help = `lepanto: a simulation engine for bots that play Diplomacy

usage: lepanto COMMAND [OPTIONS]

${Object.entries(groups)
  .map(([group, entries]) => `${group}\n${listed(entries)}`)
  .join('\n\n')}

  lepanto COMMAND --help    options of a command
  lepanto help TOPIC        a document: ${Object.keys(topics).join(', ')}
  lepanto version           version

Exit codes: 0 success, 1 error in files or games, 2 wrong arguments, 130 Ctrl-C.
`;

/** Returns a hint for an unknown command: similar commands, or all of them if none is similar. */
const suggest = (name: string): string => {
  const all = Object.keys(commands);
  const near = all.filter((one) => isSimilar(name, one) || (name.length > 1 && one.startsWith(name)));
  return near.length > 0 ? `did you mean ${near.join(' or ')}?` : `wanted one of ${all.join(', ')}`;
};

const runNamed = async (name: string, args: string[]): Promise<number> => {
  if (Object.hasOwn(commands, name)) {
    const [, example, load] = commands[name];
    return runCommand(name, load, args, example);
  }
  say(`unknown command "${name}"; ${suggest(name)}`);
  return 2;
};

const main = async ([first, ...rest]: string[]): Promise<number> => {
  if (first === undefined) {
    process.stderr.write(help);
    return 2;
  }
  if (['--version', '-V', '-v', 'version'].includes(first)) process.stdout.write(`lepanto ${lepantoVersion}\n`);
  else if (first === 'help' && rest.length > 0) {
    const [topic] = rest;
    if (!Object.hasOwn(topics, topic)) return runNamed(topic, ['--help']);
    process.stdout.write(readFileSync(join(packageRoot, topics[topic].path), 'utf8'));
  } else if (first === '--help' || first === '-h' || first === 'help') process.stdout.write(help);
  else return runNamed(first, rest);
  return 0;
};

await runMain(main);
