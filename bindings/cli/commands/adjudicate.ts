// Runs `lepanto adjudicate`: adjudicates one phase of each position in the input.
import type { CompiledMap } from '../../../engine/internal.js';
import { formatDatcOutcome, formatOutcome } from '../../formats/games/notation.js';
import { type AdjudicatedRecord, adjudicateRecord } from '../../notation/json/adjudicate-record.js';
import { mapOf } from '../../notation/json/map-of-record.js';
import { MAX_ORDERS } from '../../notation/json/orders.js';
import type { OrderEntry } from '../../notation/json/outcomes.js';
import type { RuleSet } from '../../notation/text/index.js';
import { MAX_LINE, runJsonLines } from '../shared/json-lines.js';

export const help = `
usage: lepanto adjudicate [OPTIONS] [FILE]

Reads positions with orders, one JSON object a line, from FILE or standard input (-), plays one phase of each, and
writes one line for each, in order.

  --map NAME       map (standard)
  --map-options L  its own rules in force: tsr,suez or ice=no (as the map has them)
  --rules RULES    rules (datc-3.2); see lepanto rules: its options of adjudication and of reading orders count
  --format FORMAT  what is written for each position: json; s004, the orders with what became of them in the notation of
                   an adjudicator of 2003, A PAR s A BUR; (cut); datc, in the words of the test cases, A Paris Supports
                   A Burgundy; cut by A Munich (json)
  --quiet          no progress and no count of malformed lines

In:
  {"id": 1, "phase": "S1901M",
   "units": {"AUSTRIA": ["A BUD", "F TRI"], ...},      those that stand
   "centers": {"AUSTRIA": ["BUD", ...], ...},          missing ones belong to nobody
   "retreats": {"ITALY": {"A TRI": ["VEN"]}},          retreat phase: the dislodged and their legal retreats
   "builds": {"RUSSIA": -1},                           adjustment phase: instead of what units and centers say
   "orders": {"AUSTRIA": ["A BUD - SER", "F TRI S A BUD - SER"], ...},
   "map": "colonial",                                  instead of --map; so lines of several maps may be mixed
   "options": {"tsr": true, "suez": false},            rules of its own that the map has; lepanto map --help lists them
   "mapEdits": {"convoyable": ["DEN"], "fleetBorders": [["BER", "DEN"]]}}     and armyBorders, difficult
Out:
  {"id", "phase", "next_phase",
   "orders": [{"power", "unit", "order", "result", "fate", "reason"}, ...],
   "units", "centers",                                 after the phase
   "dislodged": {"A TRI": "VEN"},                      with the province of the attacker
   "retreats", "destroyed", "contested", "built", "disbanded"}

Orders are read in any usual notation, those of --format too, with what they say of results.
There is an entry for every order, as given, and for every unit without one (order null). An order that counted is shown
in canonical form, any other as it was given. Results are stands, succeeds, fails, given, cut, available, disrupted,
invalid (legal, but not matched) and illegal (no order that can be read or obeyed); stops, with "end": "PRM", for a move by
railroad that ended before its end. Rides are written A MOS - TSR - VLA, leave to pass the canal A EGY H PERMITS F MED - RED. The first legal order of a unit counts.
A line that is no position is answered with {"id", "line", "error"}; the rest goes on, and the exit code is 1. So is a
line of more than ${MAX_LINE >> 20} MB, or with more than ${MAX_ORDERS} orders of a power.
`;

type ShowEntry = (entry: OrderEntry, map: CompiledMap) => string;

/** Orders by power under a line with the id and the phase; a blank line ends it. */
const showOrders = (record: AdjudicatedRecord, map: CompiledMap, show: ShowEntry): string => {
  const head = record.id === null ? record.phase : `${record.id}, ${record.phase}`;
  const blocks = map.powerNames.map((name) => {
    const entries = record.orders.filter(({ power }) => power === name);
    return entries.length === 0 ? '' : [name, ...entries.map((entry) => `  ${show(entry, map)}`), ''].join('\n');
  });
  return `${head}\n${blocks.join('')}`;
};

/** The map of the line that was answered last: it may name its own. */
let lastMap: CompiledMap | undefined;

const answer = (record: unknown, given: CompiledMap, rules: RuleSet): AdjudicatedRecord => {
  lastMap = mapOf(record, given);
  return adjudicateRecord(record, given, rules);
};

const formats = {
  s004: (record: object, map: CompiledMap) => showOrders(record as AdjudicatedRecord, lastMap ?? map, formatOutcome),
  datc: (record: object, map: CompiledMap) =>
    showOrders(record as AdjudicatedRecord, lastMap ?? map, formatDatcOutcome),
};

export const run = (args: string[]): Promise<number> => runJsonLines('adjudicate', args, answer, formats);
