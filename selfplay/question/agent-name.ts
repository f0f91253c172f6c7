// Reads what the text of an agent names, without loading anything. Everything that decides where the code of an agent comes
// from reads it by readAgentName(): two readings that differ by a space would let a text pass one check and run as another.

export const EXEC = 'exec:';

/** What the text of an agent names. */
export interface AgentName {
  /** 'module': a user's file. 'command': a bot in a process of its own. 'kind': an agent that ships, or no agent. */
  readonly kind: 'module' | 'command' | 'kind';
  /** './my-agent.js', the command after 'exec:', or the name of an agent that ships; no space in front or behind. */
  readonly name: string;
  /** 'key=value' texts, in their order. None for a command. */
  readonly options: readonly string[];
}

/** Reads the text of an agent: './my-agent.js:n=1', 'exec:COMMAND', 'search:ms=500'. */
export const readAgentName = (text: string): AgentName => {
  const trimmed = text.trim();
  if (trimmed.startsWith(EXEC)) return { kind: 'command', name: trimmed.slice(EXEC.length), options: [] };
  const [name = '', ...options] = trimmed.split(':');
  return { kind: /^\.{0,2}\//.test(name) ? 'module' : 'kind', name, options };
};

/** Writes the text that readAgentName() reads. */
export const formatAgentName = ({ kind, name, options }: AgentName): string =>
  kind === 'command' ? EXEC + name : [name, ...options].join(':');

/** True for the name of a user's module: './my-agent.js', '../a.mjs', '/home/me/a.js'. */
export const isModuleName = (text: string): boolean => readAgentName(text).kind === 'module';

/** True for a bot in a process of its own: 'exec:COMMAND'. */
export const isCommandName = (text: string): boolean => readAgentName(text).kind === 'command';
