// Runs `lepanto legal`: lists all legal orders of each position in the input.

import { legalRecord } from '../../notation/json/legal-record.js';
import { MAX_LINE, runJsonLines } from '../shared/json-lines.js';

export const help = `
usage: lepanto legal [OPTIONS] [FILE]

Reads positions, one JSON object a line as for adjudicate, from FILE or standard input (-), and writes their legal
orders, one line for each, in order. Orders in the input are not looked at.

  --map NAME       map (standard)
  --map-options L  its own rules in force: tsr,suez or ice=no (as the map has them)
  --rules RULES    rules (datc-3.2); see lepanto rules: its options of adjudication count
  --quiet          no progress and no count of malformed lines

Out:
  {"id", "phase",
   "orders": {"AUSTRIA": {"A BUD": ["A BUD H", "A BUD - SER", ...], ...}, ...},
   "builds": {"AUSTRIA": 0, ...}}

Retreat phase: the orders of the dislodged units. Adjustment phase: "builds" has the builds (or, below zero, the
removals) due to each power; its orders are removals by unit, {"A PAR": ["A PAR D"]}, or builds by free home centre,
{"STP": ["A STP B", "F STP/NC B", "F STP/SC B", "WAIVE"]}: of that many centres one order each.
A line that is no position, or has more than ${MAX_LINE >> 20} MB, is answered with {"id", "line", "error"}; the rest goes
on, and the exit code is 1.
`;

export const run = (args: string[]): Promise<number> =>
  runJsonLines('legal', args, (record, map, { adjudication }) => legalRecord(record, map, adjudication));
