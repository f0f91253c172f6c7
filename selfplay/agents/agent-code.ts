// Hashes the code of user agents, so that games before and after an edit of a bot are not mixed.
//
// The hash of a module covers its file and all files that it imports by relative paths. The hash of exec:COMMAND covers
// the files named in the command. Not covered: packages, files read at run time, and system programs.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isCommandName, isModuleName, readAgentName } from '../question/agent-name.js';

/** Hash of the code of each user agent (16 hexadecimal digits), keyed by agent text. Built-in agents have no entry. */
export type AgentCode = Readonly<Record<string, string>>;

const MOST_BYTES = 1 << 26;

/** Returns the content of a file. Returns null unless it is a readable regular file of at most MOST_BYTES. */
const contentOf = (path: string): Buffer | null => {
  try {
    const found = statSync(path);
    return found.isFile() && found.size <= MOST_BYTES ? readFileSync(path) : null;
  } catch {
    return null;
  }
};

const IMPORT = /\b(?:from|import|require)\s*\(?\s*(['"])(\.{1,2}\/[^'"\n]+)\1/g;

/**
 * Returns the contents of a module and of its relative imports, keyed by path, in the order in which they are found.
 * Files that cannot be read are left out.
 */
const filesOfModule = (path: string, found = new Map<string, Buffer>()): Map<string, Buffer> => {
  const content = found.has(path) ? null : contentOf(path);
  if (content === null) return found;
  found.set(path, content);
  for (const [, , name] of content.toString('utf8').matchAll(IMPORT))
    filesOfModule(resolve(dirname(path), name), found);
  return found;
};

/**
 * Returns the contents of the files named in a command, keyed by path. Words that name no readable file are left out.
 */
const filesOfCommand = (command: string): Map<string, Buffer> => {
  const words = [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => resolve(a ?? b ?? c));
  const files = words.map((path) => [path, contentOf(path)] as const);
  return new Map(files.flatMap(([path, content]) => (content === null ? [] : [[path, content]])));
};

const filesOf = (agent: string): Map<string, Buffer> => {
  const { kind, name } = readAgentName(agent);
  return kind === 'module' ? filesOfModule(resolve(name)) : filesOfCommand(name);
};

/**
 * Returns the exec: agents whose commands name no readable file, so that their code cannot be hashed. Each is listed
 * once.
 */
export const unseenBots = (agents: readonly string[]): string[] =>
  [...new Set(agents)].filter((agent) => isCommandName(agent) && filesOf(agent).size === 0);

/**
 * Returns the hashes of the code of all user agents in a list.
 * @param botVersion version of the exec: bots as stated by the user; changes their hashes
 */
export const codeOfAgents = (agents: readonly string[], botVersion = ''): AgentCode => {
  const ofUsers = [...new Set(agents)].filter((agent) => isModuleName(agent) || isCommandName(agent));
  const hashOf = (agent: string): string => {
    const hash = createHash('sha256').update(isCommandName(agent) ? botVersion : '');
    // The hash leaves out the paths, because a run may be moved together with its bot.
    for (const content of filesOf(agent).values()) hash.update(`${content.length} `).update(content);
    return hash.digest('hex').slice(0, 16);
  };
  return Object.fromEntries(ofUsers.map((agent) => [agent, hashOf(agent)]));
};
