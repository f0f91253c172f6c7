// Splits an agent text such as 'search:ms=500' into its parts, without loading the agent.
//
// All code that decides where an agent's code comes from must use readAgentName(). If two parsers differed by a space,
// a text could pass a security check as one kind of agent and run as another.

/** Prefix of agents that are commands. */
export const EXEC = 'exec:';

/** Parts of an agent text. */
export interface AgentName {
  /** 'module': a user's file. 'command': a bot in a separate process. 'kind': a built-in agent, or an unknown name. */
  readonly kind: 'module' | 'command' | 'kind';
  /** Path of a module such as './my-agent.js', the command after 'exec:', or the name of a built-in agent. */
  readonly name: string;
  /** Options as 'key=value' texts, in the order given. Always empty for a command. */
  readonly options: readonly string[];
}

/** Parses an agent text: './my-agent.js:n=1', 'exec:COMMAND', 'search:ms=500'. Surrounding space is ignored. */
export const readAgentName = (text: string): AgentName => {
  const trimmed = text.trim();
  if (trimmed.startsWith(EXEC)) return { kind: 'command', name: trimmed.slice(EXEC.length), options: [] };
  const [name = '', ...options] = trimmed.split(':');
  return { kind: /^\.{0,2}\//.test(name) ? 'module' : 'kind', name, options };
};

/** Returns the agent text with these parts. It is the inverse of readAgentName(). */
export const formatAgentName = ({ kind, name, options }: AgentName): string =>
  kind === 'command' ? EXEC + name : [name, ...options].join(':');

/** True if an agent text names a user module: './my-agent.js', '../a.mjs', '/home/me/a.js'. */
export const isModuleName = (text: string): boolean => readAgentName(text).kind === 'module';

/** True if an agent text names a bot in a separate process: 'exec:COMMAND'. */
export const isCommandName = (text: string): boolean => readAgentName(text).kind === 'command';
