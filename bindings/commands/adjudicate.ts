// lepanto adjudicate: one phase of each position that comes in.
import { adjudicateRecord } from '../adjudicate.js';
import { runJsonLines } from '../json-lines.js';

export const help = `
usage: lepanto adjudicate [OPTIONS] [FILE]

Reads positions with orders, one JSON object a line, from FILE or standard input (-), plays one phase of each, and
writes one line for each, in order.

  --map NAME       map (standard)
  --rules PRESET   rules (datc-3.2)
  --quiet          no progress and no count of malformed lines

In:
  {"id": 1, "phase": "S1901M",
   "units": {"AUSTRIA": ["A BUD", "F TRI"], ...},      those that stand
   "centers": {"AUSTRIA": ["BUD", ...], ...},          missing ones belong to nobody
   "retreats": {"ITALY": {"A TRI": ["VEN"]}},          retreat phase: the dislodged and their legal retreats
   "builds": {"RUSSIA": -1},                           adjustment phase: instead of what units and centers say
   "orders": {"AUSTRIA": ["A BUD - SER", "F TRI S A BUD - SER"], ...}}
Out:
  {"id", "phase", "next_phase",
   "orders": [{"power", "unit", "order", "result", "fate", "reason"}, ...],
   "units", "centers",                                 after the phase
   "dislodged": {"A TRI": "VEN"},                      with the province of the attacker
   "retreats", "destroyed", "contested", "built", "disbanded"}

There is an entry for every order, as given, and for every unit without one (order null). An order that counted is shown
in canonical form, any other as it was given. Results are stands, succeeds, fails, given, cut, available, disrupted,
invalid (legal, but not matched) and illegal (no order that can be read or obeyed). The first legal order of a unit counts.
A line that is no position is answered with {"id", "line", "error"}; the rest goes on, and the exit code is 1.
`;

export const run = (args: string[]): Promise<number> => runJsonLines('adjudicate', args, adjudicateRecord);
