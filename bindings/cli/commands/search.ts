// Runs `lepanto search`: finds orders for a position by Monte Carlo move search.

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type CompiledMap, type Game, newGame, type Power, phaseName, type Rules } from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { asObject, describeValue, fieldOf, refuse } from '../../../engine/rules/shape.js';
import { isLongSearch, planSearch } from '../../../selfplay/search/budget.js';
import { type PowerResult, type SearchResult, searchMoves } from '../../../selfplay/search/monte-carlo.js';
import {
  type MethodName,
  methodNames,
  type OpponentName,
  opponentNames,
  type PlayoutName,
  playoutNames,
  type SearchOptions,
  searchDefaults,
  type ValueName,
  valueNames,
} from '../../../selfplay/search/options.js';
import { makePool } from '../../../selfplay/workers/pool.js';
import { MAX_LINE } from '../../notation/json/lines.js';
import { readPowers as powersIn } from '../../notation/json/position.js';
import { openMap } from '../../notation/maps/open-map.js';
import { findPower, listPowers } from '../../notation/text/index.js';
import { ruleSetByName } from '../../notation/text/rule-set.js';
import { writeSearchPage } from '../../web/write-search.js';
import { catchInterrupt, INTERRUPTED, sayInterrupted } from '../shared/interrupt.js';
import { openInput, readInput, replyToLines } from '../shared/json-lines.js';
import { startProgress } from '../shared/progress.js';
import { type AskedPosition, type AskedSearch, formatSet, parseAsked, searchRecord } from '../shared/search-record.js';
import { checkFile, oneOf, orUsage, parseWhole, UsageError } from '../shared/usage.js';

const DEFAULT_ROLLOUTS = '20000';
const MAX_WORKERS = 256;
const DEFAULT_TOP = '5';

export const help = `
usage: lepanto search [OPTIONS] [FILE]
       lepanto search --lines [OPTIONS] [FILE]

Searches for orders in a position: one JSON object as lepanto adjudicate reads it, from FILE or standard input (-), of at
most ${MAX_LINE >> 20} MB.
With a budget in rollouts the answer depends on the position, the options and the seed, not on the number of workers.

  --start            the start of the map instead of FILE
  --lines            FILE has a position on each line, each answered with a line as --json writes it, as soon as it is
                     read; "power" or "powers" and "seed" of a line count instead of --power and --seed. A line that is
                     no position is answered with {"id", "line", "error"}, and the exit code is 1
  --power NAMES      powers to search for, separated by commas, or all (all)
  --rollouts N       budget (${DEFAULT_ROLLOUTS})
  --ms N             budget in milliseconds instead
  --depth K          phase-steps to the horizon (${searchDefaults.depth}: one with 12 N rollouts where units move, else by the budget)
  --value NAME       worth of the board there: ${valueNames.join(', ')} (${searchDefaults.value})
  --playout NAME     who plays to the horizon: ${playoutNames.join(', ')} (${searchDefaults.playout})
  --method NAME      choice: ${methodNames.join(', ')} (${searchDefaults.method})
  --opponents NAME   those not searched for: ${opponentNames.join(', ')} (${searchDefaults.opponents})
  --candidates N     order sets of each power to begin with, where it has so many (${searchDefaults.candidates})
  --workers W        threads (one for each processor: ${availableParallelism()} here)
  --seed S           a whole number (1)
  --top N            order sets printed for each power (${DEFAULT_TOP})
  --map NAME         map (standard)
  --map-options L    its own rules in force: tsr,suez or ice=no (as the map has them)
  --rules RULES      rules (datc-3.2); see lepanto rules: its options of adjudication count
  --html FILE        a page with the order sets printed, drawn on the board, in one file that needs no other
  --json             one JSON object
  --quiet            no progress
`;

const optionTypes = {
  start: { type: 'boolean', default: false },
  lines: { type: 'boolean', default: false },
  power: { type: 'string', default: 'all' },
  rollouts: { type: 'string' },
  ms: { type: 'string' },
  depth: { type: 'string', default: String(searchDefaults.depth) },
  value: { type: 'string', default: searchDefaults.value },
  playout: { type: 'string', default: searchDefaults.playout },
  method: { type: 'string', default: searchDefaults.method },
  opponents: { type: 'string', default: searchDefaults.opponents },
  candidates: { type: 'string', default: String(searchDefaults.candidates) },
  workers: { type: 'string' },
  seed: { type: 'string', default: '1' },
  top: { type: 'string', default: DEFAULT_TOP },
  map: { type: 'string', default: 'standard' },
  'map-options': { type: 'string' },
  rules: { type: 'string', default: 'datc-3.2' },
  html: { type: 'string' },
  json: { type: 'boolean', default: false },
  quiet: { type: 'boolean', default: false },
} as const;

const readPowers = (map: CompiledMap, text: string): Power[] => {
  if (text.toLowerCase() === 'all') return map.powerNames.map((_, q) => q);
  return text.split(',').map((name) => {
    const power = findPower(map, name.trim());
    if (power < 0) throw new UsageError(`--power: got "${name}", wanted ${listPowers(map)} or all`);
    return power;
  });
};

/** The position in a file. */
const readPosition = async (path: string, map: CompiledMap, rules: Rules): Promise<AskedPosition> => {
  const text = await readInput(path);
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch (error) {
    throw new LepantoError('file', `${path}: got no JSON object (${(error as Error).message})`);
  }
  return parseAsked(record, map, rules);
};

const powerTable = (game: Game, { power, searched, ranked }: PowerResult, top: number): string => {
  const lines = ranked.slice(0, top).map(({ orders, probability, value, error, rollouts }, i) => {
    const worth = Number.isNaN(value) ? '' : `${value.toFixed(4)} +- ${error.toFixed(4)}`;
    const head = `${String(i + 1).padStart(4)}  ${(100 * probability).toFixed(1).padStart(5)} %`;
    const numbers = searched ? `${worth.padStart(18)}  ${String(rollouts).padStart(8)}` : '';
    return `${head}${numbers}  ${formatSet(game, orders).join(', ')}`;
  });
  const title = searched
    ? `${game.map.powerNames[power]}\n   #  played   value +- error  rollouts  orders (${ranked.length} tried)`
    : `${game.map.powerNames[power]}: sampled replies (${ranked.length})`;
  return [title, ...lines].join('\n');
};

const printTable = (game: Game, result: SearchResult, top: number): void => {
  const { powers, depth, rollouts, milliseconds, processorMilliseconds } = result;
  const blocks = powers.filter(({ ranked }) => ranked.length > 0).map((one) => powerTable(game, one, top));
  process.stdout.write(
    `${phaseName(game)}: ${rollouts} rollouts of ${depth} phase-step${depth === 1 ? '' : 's'} in ${(milliseconds / 1000).toFixed(2)} s, ` +
      `${Math.round((1000 * rollouts) / milliseconds)} a second; ` +
      `${(processorMilliseconds / 1000).toFixed(2)} s of processor time\n\n${blocks.join('\n\n')}\n`,
  );
};

const readBudget = (ms: string | undefined, rollouts: string | undefined): [number, number] => {
  if (ms !== undefined && rollouts !== undefined) throw new UsageError('--ms and --rollouts: got both, wanted one');
  if (ms !== undefined) return [Number.POSITIVE_INFINITY, parseWhole('ms', ms, 1, 1e9)];
  return [parseWhole('rollouts', rollouts ?? DEFAULT_ROLLOUTS, 1, 1e12), Number.POSITIVE_INFINITY];
};

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals } = parseArgs({ args, options: optionTypes, allowPositionals: true });
  const map = orUsage('map', () => openMap(values.map, values['map-options']));
  const rules = orUsage('rules', () => ruleSetByName(values.rules)).adjudication;
  if (values.lines && values.start) throw new UsageError('--lines and --start: got both, wanted one');
  const { html } = values;
  if (html !== undefined) {
    if (values.json || values.lines)
      throw new UsageError('--html: got it beside --json or --lines, wanted one of them');
    checkFile('--html', html);
  }
  if (values.start ? positionals.length > 0 : positionals.length !== 1)
    throw new UsageError(`search: got ${positionals.length} files, wanted one, or --start and none`);
  const [rollouts, milliseconds] = readBudget(values.ms, values.rollouts);
  const asked =
    values.start || values.lines
      ? { game: newGame(map, rules), id: undefined }
      : await readPosition(positionals[0], map, rules);
  const options: SearchOptions = {
    powers: readPowers(asked.game.map, values.power),
    seed: parseWhole('seed', values.seed, -(2 ** 31), 2 ** 31 - 1),
    rollouts,
    milliseconds,
    depth: parseWhole('depth', values.depth, 0, 1000),
    value: oneOf<ValueName>('value', values.value, valueNames),
    playout: oneOf<PlayoutName>('playout', values.playout, playoutNames),
    method: oneOf<MethodName>('method', values.method, methodNames),
    opponents: oneOf<OpponentName>('opponents', values.opponents, opponentNames),
    candidates: parseWhole('candidates', values.candidates, 30, 100_000),
    replies: searchDefaults.replies,
    anchor: searchDefaults.anchor,
  };
  const workers = parseWhole('workers', values.workers ?? String(availableParallelism()), 1, MAX_WORKERS);
  const top = parseWhole('top', values.top, 1, 1e9);
  const plan = { options, power: values.power, workers, top };
  if (values.lines) return searchLines(positionals[0], map, rules, plan);
  const { result, interrupted } = await search(asked.game, options, workers, values.quiet);
  if (html !== undefined) {
    const record = searchRecord(asked, result, plan, interrupted);
    const size = writeSearchPage(html, asked.game, record);
    process.stdout.write(`${record.phase}, ${record.rollouts} rollouts: ${html} (${Math.round(size / 1000)} kB)\n`);
  } else if (!values.json) printTable(asked.game, result, top);
  else process.stdout.write(`${JSON.stringify(searchRecord(asked, result, plan, interrupted))}\n`);
  if (!interrupted) return 0;
  sayInterrupted(`${result.rollouts} rollouts were played; the same command searches from the beginning`);
  return INTERRUPTED;
};

interface SearchPlan extends AskedSearch {
  /** --power: a line may have a map of its own. */
  readonly power: string;
}

/** Answers each line of a file with the search of its position, on the workers of one pool. */
const searchLines = async (file: string, map: CompiledMap, rules: Rules, plan: SearchPlan): Promise<number> => {
  const pool = makePool({ workers: plan.workers });
  try {
    const refused = await replyToLines(openInput(file).stream, process.stdout, async (record) => {
      const line = asObject(record, 'line');
      const asked = parseAsked(line, map, rules);
      const seed = fieldOf(line, 'seed') ?? plan.options.seed;
      if (!Number.isSafeInteger(seed)) refuse(`seed: got ${describeValue(seed)}, wanted a whole number`);
      const options = {
        ...plan.options,
        powers: powersIn(line, asked.game.map) ?? readPowers(asked.game.map, plan.power),
        seed: Number(seed) | 0,
      };
      const result = await searchMoves(asked.game, options, { pool });
      return searchRecord(asked, result, { ...plan, options }, false);
    });
    return refused > 0 ? 1 : 0;
  } finally {
    await pool.close();
  }
};

interface Found {
  readonly result: SearchResult;
  readonly interrupted: boolean;
}

/** The search on the workers of a pool, with progress. Ctrl-C ends it early, with what it has found. */
const search = async (game: Game, options: SearchOptions, workers: number, quiet: boolean): Promise<Found> => {
  let played = 0;
  const onProgress = (rollouts: number): void => {
    played = rollouts;
  };
  const { signal, release } = catchInterrupt('ending the search with what it has found');
  const pool = makePool({ workers });
  let stop = (): void => {};
  try {
    if (isLongSearch(options, workers)) await pool.ready();
    const begin = performance.now();
    const timed = Number.isFinite(options.milliseconds);
    const done = (): number => (timed ? Math.min(options.milliseconds, Math.round(performance.now() - begin)) : played);
    stop = startProgress({
      total: timed ? options.milliseconds : planSearch(game, options, workers).rollouts,
      unit: timed ? 'ms' : 'rollouts',
      quiet,
      read: () => ({ done: done(), note: '' }),
    });
    const result = await searchMoves(game, options, { pool, signal, onProgress });
    return { result, interrupted: signal.aborted };
  } finally {
    release();
    stop();
    await pool.close();
  }
};
