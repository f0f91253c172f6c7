// Names the code of users by hashes, so that games of a bot are not taken for those of the bot that it was before an edit.
//
// Of a module: its file, and those that it imports by relative paths as its text says them. Of exec:COMMAND: the files that
// its words name. Not covered: packages, what is read while it runs, programs of the system.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isCommandName, isModuleName, readAgentName } from '../question/agent-name.js';

/** By agent, as the spec has it: a hash of its code. Agents of Lepanto have none. */
export type AgentCode = Readonly<Record<string, string>>;

const MOST_BYTES = 1 << 26;

/** The content of a file; null for anything else, and for one that cannot be read. */
const contentOf = (path: string): Buffer | null => {
  try {
    const found = statSync(path);
    return found.isFile() && found.size <= MOST_BYTES ? readFileSync(path) : null;
  } catch {
    return null;
  }
};

const IMPORT = /\b(?:from|import|require)\s*\(?\s*(['"])(\.{1,2}\/[^'"\n]+)\1/g;

/** A module and what it imports, by path, in the order in which it is found. */
const filesOfModule = (path: string, found = new Map<string, Buffer>()): Map<string, Buffer> => {
  const content = found.has(path) ? null : contentOf(path);
  if (content === null) return found;
  found.set(path, content);
  for (const [, , name] of content.toString('utf8').matchAll(IMPORT))
    filesOfModule(resolve(dirname(path), name), found);
  return found;
};

/** The files that the words of a command name. */
const filesOfCommand = (command: string): Map<string, Buffer> => {
  const words = [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => resolve(a ?? b ?? c));
  const files = words.map((path) => [path, contentOf(path)] as const);
  return new Map(files.flatMap(([path, content]) => (content === null ? [] : [[path, content]])));
};

const filesOf = (agent: string): Map<string, Buffer> => {
  const { kind, name } = readAgentName(agent);
  return kind === 'module' ? filesOfModule(resolve(name)) : filesOfCommand(name);
};

/** The exec: bots none of whose files can be seen here. */
export const unseenBots = (agents: readonly string[]): string[] =>
  [...new Set(agents)].filter((agent) => isCommandName(agent) && filesOf(agent).size === 0);

/** @param botVersion what the user calls the version of exec: bots; a part of their hashes */
export const codeOfAgents = (agents: readonly string[], botVersion = ''): AgentCode => {
  const ofUsers = [...new Set(agents)].filter((agent) => isModuleName(agent) || isCommandName(agent));
  const hashOf = (agent: string): string => {
    const hash = createHash('sha256').update(isCommandName(agent) ? botVersion : '');
    // Not the paths: a run may be moved with its bot.
    for (const content of filesOf(agent).values()) hash.update(`${content.length} `).update(content);
    return hash.digest('hex').slice(0, 16);
  };
  return Object.fromEntries(ofUsers.map((agent) => [agent, hashOf(agent)]));
};
