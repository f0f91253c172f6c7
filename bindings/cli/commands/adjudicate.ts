// Runs `lepanto adjudicate`: adjudicates one phase of each position in the input.
import type { CompiledMap } from '../../../engine/internal.js';
import { type AdjudicatedRecord, adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import { MAX_LINE } from '../../../engine/notation/json/lines.js';
import { mapOf } from '../../../engine/notation/json/map-of-record.js';
import type { OrderEntry } from '../../../engine/notation/json/outcomes.js';
import { MAX_ORDERS } from '../../../engine/notation/json/position.js';
import type { RuleSet } from '../../../engine/notation/text/index.js';
import { formatDatcOutcome, formatOutcome } from '../../formats/games/notation.js';
import { lineOptions, runJsonLines } from '../../terminal/json-lines.js';
import { optionText, rulesOption } from '../../terminal/options.js';

export const options = {
  ...lineOptions,
  ...rulesOption('adjudication and of reading orders'),
  format: {
    ...{ words: ['json', 'marked', 'datc'], takes: 'FORMAT', default: 'json' },
    help: `output: json; marked, orders with marks for failures (A PAR s A BUR; (cut)); datc, in the words of the test cases (A Paris Supports A Burgundy; cut by A Munich)`,
  },
} as const;

export const help = `
usage: lepanto adjudicate [OPTIONS] [FILE]

Plays one phase of each position. Reads JSON objects, each on one line or
several, from FILE or standard input (-), and writes one line for each, in
order.

${optionText(options)}

In:
  {"id": 1, "phase": "S1901M",
   "units": {"AUSTRIA": ["A BUD", "F TRI"], ...},   without dislodged units
   "centers": {"AUSTRIA": ["BUD", ...], ...},       others have no owner
   "retreats": {"ITALY": {"A TRI": ["VEN"]}},       retreat phase: dislodged
                                                    units, legal retreats
   "builds": {"RUSSIA": -1},                        adjustment phase (default:
                                                    centres minus units)
   "orders": {"AUSTRIA": ["A BUD - SER", "F TRI S A BUD - SER"], ...},
   "map": "colonial",                               replaces --map
   "options": {"tsr": true, "suez": false},         of the map
   "mapEdits": {"convoyable": ["DEN"], "fleetBorders": [["BER", "DEN"]]}}
                                                    also armyBorders, difficult
Out:
  {"id", "phase", "next_phase",
   "orders": [{"power", "unit", "order", "result", "fate", "reason"}, ...],
   "units", "centers",                              after the phase
   "dislodged": {"A TRI": "VEN"},                   province of the attacker
   "retreats", "destroyed", "contested", "built", "disbanded"}

Orders are in any usual notation, also that of --format, with or without
results. The first legal order of a unit counts and is shown in canonical form,
other orders as given. A unit without an order has an entry with "order": null.

Results: stands, succeeds, fails, given, cut, available, disrupted, invalid
(legal, but unmatched), illegal (cannot be read or obeyed), and stops, with
"end": "PRM", for a move by railroad that stopped before its target. Rides are
written A MOS - TSR - VLA, leave to pass the canal A EGY H PERMITS F MED - RED.

A line that is not a position, or has more than ${MAX_LINE >> 20} MB or ${MAX_ORDERS} orders of a power,
is answered with {"id", "line", "error"}; the exit code is then 1.
`;

type ShowEntry = (entry: OrderEntry, map: CompiledMap) => string;

/** Formats an answer as text: a line with id and phase, then each power that has orders, which `show` formats. */
const showOrders = (record: AdjudicatedRecord, map: CompiledMap, show: ShowEntry): string => {
  const head = record.id === null ? record.phase : `${record.id}, ${record.phase}`;
  const blocks = map.powerNames.map((name) => {
    const entries = record.orders.filter(({ power }) => power === name);
    return entries.length === 0 ? '' : [name, ...entries.map((entry) => `  ${show(entry, map)}`), ''].join('\n');
  });
  return `${head}\n${blocks.join('')}`;
};

/** Map of the last answered line, because a line may name another map than the command. */
let lastMap: CompiledMap | undefined;

const answer = (record: unknown, given: CompiledMap, rules: RuleSet): AdjudicatedRecord => {
  lastMap = mapOf(record, given);
  return adjudicateRecord(record, given, rules);
};

const formats = {
  marked: (record: object, map: CompiledMap) => showOrders(record as AdjudicatedRecord, lastMap ?? map, formatOutcome),
  datc: (record: object, map: CompiledMap) =>
    showOrders(record as AdjudicatedRecord, lastMap ?? map, formatDatcOutcome),
};

export const run = (args: string[]): Promise<number> => runJsonLines('adjudicate', args, options, answer, formats);
