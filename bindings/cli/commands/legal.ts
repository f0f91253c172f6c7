// Runs `lepanto legal`: lists all legal orders of each position in the input.

import { legalRecord } from '../../../engine/notation/json/legal-record.js';
import { MAX_LINE } from '../../../engine/notation/json/lines.js';
import { lineOptions, runJsonLines } from '../../terminal/json-lines.js';
import { optionText, rulesOption } from '../../terminal/options.js';

export const options = {
  ...lineOptions,
  ...rulesOption('adjudication'),
} as const;

export const help = `
usage: lepanto legal [OPTIONS] [FILE]

Lists the legal orders of positions. Reads JSON objects as lepanto adjudicate
does, from FILE or standard input (-), and writes one line for each, in order.
Orders in the input are ignored.

${optionText(options)}

Out:
  {"id", "phase",
   "orders": {"AUSTRIA": {"A BUD": ["A BUD H", "A BUD - SER", ...], ...}, ...},
   "builds": {"AUSTRIA": 0, ...}}

Retreat phase: the orders of the dislodged units. Adjustment phase: "builds" has
the builds (above zero) or removals (below) due to each power, of which as many
orders count: removals by unit, {"A PAR": ["A PAR D"]}, or builds by free home
centre, {"STP": ["A STP B", "F STP/NC B", "F STP/SC B", "WAIVE"]}.

A line that is not a position, or has more than ${MAX_LINE >> 20} MB, is answered with
{"id", "line", "error"}; the exit code is then 1.
`;

export const run = (args: string[]): Promise<number> =>
  runJsonLines('legal', args, options, (record, map, { adjudication }) => legalRecord(record, map, adjudication));
