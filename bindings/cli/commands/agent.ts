// Runs `lepanto agent`: answers requests for orders with an agent, as long as standard input lasts.
import { parseArgs } from 'node:util';
import { agentKinds, loadAgent } from '../../../selfplay/agents/registry.js';
import { MAX_LINE } from '../../notation/json/lines.js';
import { openMap } from '../../notation/maps/open-map.js';
import { ruleSetByName } from '../../notation/text/rule-set.js';
import { RequestAnswerer } from '../../protocols/bots/answerer.js';
import { replyToLines } from '../shared/json-lines.js';
import { asUsage, orUsage, parseWhole, UsageError } from '../shared/usage.js';

const width = Math.max(...agentKinds.map(({ name }) => name.length)) + 2;

export const help = `
usage: lepanto agent --agent NAME [OPTIONS]

Reads requests for orders from standard input, one JSON object a line or a list of them, and answers each line with one
line. bindings/protocols/PROTOCOL.md describes both; the shortest request is a position as lepanto adjudicate reads it:

  {"id": 1, "phase": "S1901M", "units": {"FRANCE": ["A PAR"]}, "centers": {"FRANCE": ["PAR"]}, "power": "FRANCE"}
  {"id":1,"game":null,"phase":"S1901M","orders":{"FRANCE":["A PAR - BUR"]}}

  --agent NAME     ${agentKinds.map(({ name }) => name).join(', ')}, or the path of a module; options as name:key=value
  --seed S         a whole number (1): draws where a request has no seed
  --map MAP        map: a name or a file, see lepanto map (standard)
  --rules RULES    rules (datc-3.2); see lepanto rules

Agents:
${agentKinds.map((kind) => `  ${kind.name.padEnd(width)}${kind.help}`).join('\n')}

A line that is no request, or has more than ${MAX_LINE >> 20} MB, is answered with {"id", "line", "error"}; the rest goes
on, and the exit code is 1. The candidates of search come with value and share.
`;

export const run = async (args: string[]): Promise<number> => {
  const { values } = parseArgs({
    args,
    options: {
      agent: { type: 'string' },
      seed: { type: 'string', default: '1' },
      map: { type: 'string', default: 'standard' },
      rules: { type: 'string', default: 'datc-3.2' },
    },
  });
  if (values.agent === undefined) throw new UsageError('--agent: got nothing, wanted the name of an agent');
  const { agent: name } = values;
  const map = orUsage('map', () => openMap(values.map));
  const rules = orUsage('rules', () => ruleSetByName(values.rules));
  const seed = parseWhole('seed', values.seed, -(2 ** 31), 2 ** 31 - 1);
  const agent = await loadAgent(name).catch((error: unknown) => {
    throw asUsage('agent', error);
  });
  const answerer = new RequestAnswerer({ agent, map, rules, seed });
  const refused = await replyToLines(process.stdin, process.stdout, (record) => answerer.reply(record));
  return refused > 0 ? 1 : 0;
};
