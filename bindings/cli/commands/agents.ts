// Runs `lepanto agents`: lists the agents that ship with Lepanto, and their options.
import { agentKinds } from '../../../selfplay/agents/registry.js';
import type { AgentKind } from '../../../selfplay/question/agent.js';
import { jsonOption, listText, optionText, pairText, readArguments } from '../../terminal/options.js';
import { print } from '../../terminal/output.js';
import { UsageError } from '../../terminal/usage.js';

export const options = jsonOption;

export const help = `
usage: lepanto agents [NAME ...] [--json]

Lists the agents that ship with Lepanto, or the options of the agents NAME.
Options follow the name of an agent: search:rollouts=200:depth=2. Your own agent
is a module, ./my-agent.js, or a bot in any language, exec:COMMAND (lepanto help
protocol).

${optionText(options)}
`;

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals: names } = readArguments(args, options);
  const unknown = names.find((name) => !agentKinds.some((kind) => kind.name === name));
  if (unknown !== undefined)
    throw new UsageError(`agents: got "${unknown}", wanted one of ${agentKinds.map(({ name }) => name).join(', ')}`);
  const kinds = agentKinds.filter(({ name }) => names.length === 0 || names.includes(name));
  const list = (some: typeof kinds): string => `${listText(some.map(({ name, help }) => [name, help]))}\n`;
  const describe = (kind: AgentKind): string =>
    `${list([kind])}\n${Object.keys(kind.options).length === 0 ? '  no options' : pairText(kind.options)}\n`;
  print(
    values.json,
    () => ({ agents: kinds }),
    () => (names.length === 0 ? list(kinds) : kinds.map(describe).join('\n')),
  );
  return 0;
};
