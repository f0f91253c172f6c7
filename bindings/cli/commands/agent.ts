// Runs `lepanto agent`: answers requests for orders with an agent, until standard input ends.

import { MAX_LINE } from '../../../engine/notation/json/lines.js';
import { loadAgent } from '../../../selfplay/agents/registry.js';
import { seedOption } from '../../../selfplay/question/option.js';
import { RequestAnswerer } from '../../protocols/bots/answerer.js';
import { answerLines, LineAnswerer, tellTerminal } from '../../terminal/json-lines.js';
import { readMap, readRules } from '../../terminal/map-and-rules.js';
import { agentsHelp, mapOption, optionText, readArguments } from '../../terminal/options.js';
import { asUsage, UsageError } from '../../terminal/usage.js';

export const options = {
  agent: {
    takes: 'NAME',
    help: agentsHelp,
  },
  seed: { ...seedOption.seed, help: 'seed of requests without one, a whole number' },
  ...mapOption,
  rules: { takes: 'RULES', default: 'datc-3.2', help: 'rules (see lepanto rules)' },
} as const;

export const help = `
usage: lepanto agent --agent NAME [OPTIONS]

Answers requests for orders from standard input: a JSON object or a list of
objects on each line (lepanto help protocol). The shortest request is a position
as lepanto adjudicate reads it (one line, wrapped here):

  {"id": 1, "phase": "S1901M", "units": {"FRANCE": ["A PAR"]},
   "centers": {"FRANCE": ["PAR"]}, "power": "FRANCE"}
  {"id":1,"game":null,"phase":"S1901M","orders":{"FRANCE":["A PAR - BUR"]}}

${optionText(options)}

A line that is not a request, or has more than ${MAX_LINE >> 20} MB, is answered with
{"id", "line", "error"}; the exit code is then 1. Answers of search list its
candidates with value and frequency.
`;

export const run = async (args: string[]): Promise<number> => {
  const { values } = readArguments(args, options, false);
  if (values.agent === undefined) throw new UsageError('--agent: got nothing, wanted the name of an agent');
  const { agent: name, seed } = values;
  const map = readMap(values);
  const rules = readRules(values.rules);
  const agent = await loadAgent(name).catch((error: unknown) => {
    throw asUsage('agent', error);
  });
  const answerer = new RequestAnswerer({ agent, map, rules, seed });
  const lines = new LineAnswerer((record) => answerer.reply(record));
  tellTerminal('requests');
  await answerLines(process.stdin, process.stdout, lines);
  return lines.malformed > 0 ? 1 : 0;
};
