// Makes golden playthroughs: whole games as readable text, test/data/golden/*.txt. It plays the orders in a file from the
// start of the map, phase by phase, and makes the text anew from the answers of `lepanto adjudicate`: results, reasons,
// retreats, builds, the board of each year. test/engine/adjudicate/golden.test.ts asserts that the text is the same.
//
//   node dist/test/tools/golden.js                                 writes every file anew from its orders
//   lepanto replay DIR --game N --json | node dist/test/tools/golden.js FILE 'its first line'     makes a file of a record
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { loadMap } from '../../engine/map/index.js';
import { type AdjudicatedRecord, adjudicateRecord } from '../../engine/notation/json/adjudicate-record.js';
import type { OrderEntry } from '../../engine/notation/json/outcomes.js';
import { type ByPower, formatPosition } from '../../engine/notation/json/position.js';
import { ruleSetByName } from '../../engine/notation/text/rule-set.js';
import { newGame } from '../../engine/position/game.js';
import { byPower } from './cases.js';

const directory = new URL('../../../test/data/golden/', import.meta.url);

/** The orders of one phase, as given. */
interface PhaseOrders {
  readonly phase: string;
  readonly orders: ByPower;
}

/** A game as its orders alone. */
export interface Playthrough {
  /** What it shows: the first line. */
  readonly title: string;
  readonly map: string;
  readonly rules: string;
  readonly phases: readonly PhaseOrders[];
}

const PHASE = /^[SFW]\d+[MRA]$/;
/** An order is indented by two spaces and followed by its result; a unit without one is in brackets. */
const ORDER = /^ {2}(?!\()(\S+(?: \S+)*)/;

/** Reads title, map, rules and orders; all that follows from them is not looked at. */
export const parsePlaythrough = (text: string): Playthrough => {
  const [title, setup, ...lines] = text.split('\n');
  const [, map, rules] = /^map (\S+), rules (\S+)$/.exec(setup) ?? [];
  if (map === undefined) throw new Error(`got "${setup}", wanted "map NAME, rules PRESET" as the second line`);
  const powers = new Set(loadMap(map).powerNames);
  const phases: PhaseOrders[] = [];
  let power = '';
  for (const line of lines) {
    const [, order] = ORDER.exec(line) ?? [];
    if (PHASE.test(line)) phases.push({ phase: line, orders: {} });
    else if (powers.has(line)) power = line;
    else if (order !== undefined) {
      const { orders } = phases[phases.length - 1];
      orders[power] ??= [];
      orders[power].push(order);
    }
  }
  return { title, map, rules, phases };
};

const WIDTH = 34;

const orderLine = ({ unit, order, result, fate, reason }: OrderEntry): string => {
  const what = order ?? `(${unit})`;
  const said = [result, fate].filter((word) => word !== null).join(', ');
  return `  ${what.padEnd(WIDTH - 3)} ${said}${reason === null ? '' : `: ${reason}`}`;
};

const orderBlock = (entries: readonly OrderEntry[]): string[] => {
  const powers = [...new Set(entries.map(({ power }) => power))];
  return powers.flatMap((power) => [power, ...entries.filter((entry) => entry.power === power).map(orderLine)]);
};

const factLines = (record: AdjudicatedRecord): string[] => {
  const open = new Map(Object.values(record.retreats).flatMap((units) => Object.entries(units)));
  const dislodged = Object.entries(record.dislodged).map(([unit, attacker]) => {
    const places = open.get(unit);
    return `dislodged: ${unit} from ${attacker}, ${places === undefined ? 'destroyed' : `to ${places.join(' or ')}`}`;
  });
  const list = (name: string, items: readonly string[]): string[] =>
    items.length === 0 ? [] : [`${name}: ${items.join(', ')}`];
  return [
    ...dislodged,
    ...list('contested', record.contested),
    ...list('built', record.built),
    ...list('disbanded', record.disbanded),
  ];
};

const boardLines = ({ units, centers }: AdjudicatedRecord): string[] =>
  Object.keys(units)
    .filter((power) => units[power].length + centers[power].length > 0)
    .map((power) => `${power} ${centers[power].length}: ${centers[power].join(' ')} | ${units[power].join(', ')}`);

const yearOf = (phase: string): string => phase.slice(1, -1);

/**
 * Plays the orders and writes down what came of them.
 * @throws Error if the game is at another phase than its orders
 */
export const renderPlaythrough = ({ title, map, rules, phases }: Playthrough): string => {
  const compiled = loadMap(map);
  const preset = ruleSetByName(rules);
  const lines = [title, `map ${map}, rules ${rules}`];
  let { phase: at, ...board }: { phase: string } = formatPosition(newGame(compiled, preset.adjudication));
  for (const { phase, orders } of phases) {
    if (phase !== at) throw new Error(`got orders for ${phase}, wanted some for ${at}`);
    const record = adjudicateRecord({ phase, ...board, orders }, compiled, preset);
    const { next_phase: next, units, centers, retreats } = record;
    lines.push('', phase, ...orderBlock(record.orders), ...factLines(record));
    if (yearOf(next) !== yearOf(phase)) lines.push('', `the end of ${yearOf(phase)}`, ...boardLines(record));
    at = next;
    board = next.endsWith('R') ? { units, centers, retreats } : { units, centers };
  }
  return `${[...lines, '', `the game stands at ${at}`].join('\n')}\n`;
};

/** Name and text of every file. */
export const goldenTexts = (): [string, string][] =>
  readdirSync(directory)
    .filter((file) => file.endsWith('.txt'))
    .sort()
    .map((file) => [basename(file, '.txt'), readFileSync(new URL(file, directory), 'utf8')]);

/** A game as `lepanto replay --json` prints it. */
interface ReplayedGame {
  readonly map: string;
  readonly rules: string;
  readonly phases: readonly {
    readonly phase: string;
    readonly orders: readonly { readonly power: string; readonly order: string }[];
  }[];
}

const fromReplay = (title: string, { map, rules, phases }: ReplayedGame): Playthrough => ({
  title,
  map,
  rules,
  phases: phases
    .filter(({ phase }) => PHASE.test(phase))
    .map(({ phase, orders }) => ({ phase, orders: byPower(orders.map(({ power, order }) => [power, order])) })),
});

const main = async ([file, title]: string[]): Promise<void> => {
  if (file !== undefined) {
    const game: ReplayedGame = JSON.parse(await readAll(process.stdin));
    writeFileSync(file, renderPlaythrough(fromReplay(title ?? file, game)));
    return;
  }
  for (const [name, text] of goldenTexts())
    writeFileSync(new URL(`${name}.txt`, directory), renderPlaythrough(parsePlaythrough(text)));
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv.slice(2));
