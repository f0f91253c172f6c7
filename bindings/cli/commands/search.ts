// Runs `lepanto search`: finds orders for a position by Monte Carlo move search.

import { type CompiledMap, type Game, newGame, type Power, phaseName, type Rules } from '../../../engine/internal.js';
import { MAX_LINE } from '../../../engine/notation/json/lines.js';
import { parseJson } from '../../../engine/notation/json/long-ids.js';
import { readPowers as powersIn } from '../../../engine/notation/json/position.js';
import { describeJsonError } from '../../../engine/notation/json/untrusted.js';
import { listPowers } from '../../../engine/notation/text/index.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { asObject, describeValue, fieldOf, refuse } from '../../../engine/rules/shape.js';
import { makePool, workersOption } from '../../../selfplay/crew/pool.js';
import { seedOption, type ValuesOf, valuesOf, wholeIn } from '../../../selfplay/question/option.js';
import { EVALUATIONS_IN_ROLLOUT, planSearch } from '../../../selfplay/search/budget.js';
import {
  type PowerResult,
  type RankedOrders,
  type SearchResult,
  searchMoves,
} from '../../../selfplay/search/monte-carlo.js';
import { expectMap } from '../../../selfplay/search/opponent-file.js';
import {
  budgetOf,
  budgetOptions,
  modelOption,
  type SearchOptions,
  searchOptions,
  weightsOf,
} from '../../../selfplay/search/options.js';
import { readOpponent } from '../../../selfplay/search/read-opponent.js';
import { counted, percent } from '../../reports/figures.js';
import {
  type AskedPosition,
  type AskedSearch,
  formatSet,
  parseAsked,
  searchRecord,
} from '../../reports/search-record.js';
import { makeTable, numbers, renderText, type Table, words } from '../../reports/table.js';
import { INTERRUPTED, sayInterrupted } from '../../terminal/interrupt.js';
import { answerLines, LineAnswerer, openInput, readInput } from '../../terminal/json-lines.js';
import { readMap, readPowers, readRules } from '../../terminal/map-and-rules.js';
import { jsonOption, mapOptions, optionText, quietOption, readArguments, rulesOption } from '../../terminal/options.js';
import { print } from '../../terminal/output.js';
import { interruptible } from '../../terminal/progress.js';
import { checkFile, HTML_ENDINGS, UsageError } from '../../terminal/usage.js';
import { writePage } from '../../web/document.js';
import { searchPage } from '../../web/search-page.js';

export const options = {
  start: { help: 'start of the map instead of FILE' },
  lines: {
    help: `one position a line, each answered with a line of --json as soon as it is read; "power" or "powers" and "seed" of
      a line override --power and --seed. A malformed line is answered with {"id", "line", "error"} (exit code 1)`,
  },
  power: { takes: 'NAMES', default: 'all', help: 'powers to search orders for, separated by commas, or all' },
  rollouts: budgetOptions.rollouts,
  ms: budgetOptions.milliseconds,
  ...searchOptions,
  ...modelOption,
  ...workersOption,
  ...seedOption,
  top: { ...wholeIn(1, 1e9), default: 5, help: 'number of printed order sets of each power' },
  ...mapOptions,
  ...rulesOption('adjudication'),
  html: {
    takes: 'FILE',
    help: 'output as a page that draws and adjudicates the printed order sets',
  },
  ...jsonOption,
  ...quietOption,
} as const;

export const help = `
usage: lepanto search [OPTIONS] [FILE]
       lepanto search --lines [OPTIONS] [FILE]

Searches for good orders in a position: a JSON object, as lepanto adjudicate
reads it (${MAX_LINE >> 20} MB at most), from FILE or standard input (-). Prints order sets
with the frequency at which to play each, its value and standard error (+-).
With a budget in rollouts the answer does not depend on the number of workers.

${optionText(options)}
`;

const chosenPowers = (map: CompiledMap, text: string): Power[] =>
  text.toLowerCase() === 'all' ? map.powerNames.map((_, q) => q) : readPowers(map, text, `${listPowers(map)} or all`);

/**
 * Reads the position in a file; '-' is standard input.
 * @throws LepantoError if the file is not JSON or the position is invalid
 */
const readPosition = async (path: string, map: CompiledMap, rules: Rules): Promise<AskedPosition> => {
  const text = await readInput(path);
  let record: unknown;
  try {
    record = parseJson(text);
  } catch (error) {
    throw new LepantoError(
      'file',
      `${path}: got no JSON object (${describeJsonError(text, error)}), wanted a position`,
    );
  }
  return parseAsked(record, map, rules);
};

const powerTable = (game: Game, { power, searched, ranked }: PowerResult, top: number, unit: string): Table => {
  const worth = ({ value, error }: RankedOrders): string =>
    Number.isNaN(value) ? '' : `${value.toFixed(4)} +- ${error.toFixed(4)}`;
  const ofSearch = [
    numbers<RankedOrders>('value +- error', worth),
    numbers<RankedOrders>(unit, ({ rollouts }) => rollouts),
  ];
  return makeTable(
    ranked.slice(0, top),
    [
      numbers('#', (_, i) => i + 1),
      numbers('frequency', ({ probability }) => percent(probability, 1)),
      ...(searched ? ofSearch : []),
      words(`orders (${ranked.length} ${searched ? 'tried' : 'expected'})`, ({ orders }) =>
        formatSet(game, orders).join(', '),
      ),
    ],
    game.map.powerNames[power],
  );
};

/** Returns how many one-turn lookaheads count as one rollout of the budget. Null if the search does not look ahead. */
const lookaheadsFor = (game: Game, { options, workers }: SearchPlan): number | null => {
  const planned = planSearch(game, options, workers);
  if (weightsOf(planned) === null) return null;
  return Number.isFinite(options.rollouts) ? planned.rollouts / options.rollouts : EVALUATIONS_IN_ROLLOUT;
};

const searchText = (game: Game, result: SearchResult, plan: SearchPlan): string => {
  const { powers, depth, rollouts, milliseconds, processorMilliseconds } = result;
  const looks = lookaheadsFor(game, plan);
  const what =
    looks === null
      ? `${counted(rollouts, 'rollout')} of ${counted(depth, 'phase-step')}`
      : `${Math.round(rollouts / looks)} rollouts as ${rollouts} one-turn lookaheads`;
  return renderText([
    `${phaseName(game)}: ${what} in ${(milliseconds / 1000).toFixed(2)} s, ` +
      `${Math.round((1000 * rollouts) / milliseconds)} a second; ` +
      `${(processorMilliseconds / 1000).toFixed(2)} s of processor time`,
    ...powers
      .filter(({ ranked }) => ranked.length > 0)
      .map((one) => powerTable(game, one, plan.top, looks === null ? 'rollouts' : 'lookaheads')),
  ]);
};

type Values = ValuesOf<typeof options>;

const checkValues = ({ lines, start, html, json, ms, rollouts }: Values, files: number): void => {
  if (ms !== undefined && rollouts !== undefined) throw new UsageError('--ms and --rollouts: got both, wanted one');
  if (lines && start) throw new UsageError('--lines and --start: got both, wanted one');
  if (html !== undefined) {
    if (json || lines) throw new UsageError('--html: got it with --json or --lines, wanted one of them');
    checkFile('--html', html, HTML_ENDINGS);
  }
  if (start ? files > 0 : files !== 1)
    throw new UsageError(`search: got ${files} files, wanted one, or --start and none`);
};

/**
 * Returns the opponent model in the file of --model; undefined without the option.
 * @throws UsageError if the file has none, or one for another map
 */
const readModel = ({ model: path, lines }: Values, map: CompiledMap): SearchOptions['model'] => {
  if (path === undefined) return undefined;
  try {
    const { opponent } = readOpponent(path);
    // A line may name another map, and is then refused by itself.
    if (!lines) expectMap(opponent, map);
    return opponent;
  } catch (error) {
    throw new UsageError(`--model: ${(error as Error).message}`);
  }
};

const readSearch = (values: Values, map: CompiledMap): SearchOptions => ({
  ...budgetOf(values.rollouts, values.ms),
  ...valuesOf(searchOptions, values),
  powers: chosenPowers(map, values.power),
  seed: values.seed,
  model: readModel(values, map),
});

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, options);
  const map = readMap(values);
  const ruleSet = readRules(values.rules);
  const rules = ruleSet.adjudication;
  checkValues(values, positionals.length);
  const asked =
    values.start || values.lines
      ? { game: newGame(map, rules), id: undefined }
      : await readPosition(positionals[0], map, rules);
  const { power, html, json, quiet } = values;
  const plan: SearchPlan = {
    options: readSearch(values, asked.game.map),
    power,
    workers: values.workers,
    top: values.top,
  };
  if (values.lines) return searchLines(positionals[0], map, rules, plan);
  const { result, interrupted } = await search(asked.game, plan, quiet);
  if (html !== undefined) {
    const record = searchRecord(asked, result, plan, interrupted);
    const size = writePage(html, searchPage(asked.game, ruleSet, record));
    process.stdout.write(`${record.phase}, ${record.rollouts} rollouts: ${html} (${Math.round(size / 1000)} kB)\n`);
  } else
    print(
      json,
      () => searchRecord(asked, result, plan, interrupted),
      () => searchText(asked.game, result, plan),
    );
  if (!interrupted) return 0;
  sayInterrupted(`${result.rollouts} rollouts were played; the same command restarts the search`);
  return INTERRUPTED;
};

/** Settings of `lepanto search`. */
interface SearchPlan extends AskedSearch {
  /** Value of --power. It is parsed again for a line that names another map. */
  readonly power: string;
}

/**
 * Answers each line of a file with a search of its position, on the workers of one pool. Returns the exit code: 1 if
 * any line was malformed.
 */
const searchLines = async (file: string, map: CompiledMap, rules: Rules, plan: SearchPlan): Promise<number> => {
  const pool = makePool({ workers: plan.workers });
  try {
    const lines = new LineAnswerer(async (record) => {
      const line = asObject(record, 'line');
      const asked = parseAsked(line, map, rules);
      const seed = fieldOf(line, 'seed') ?? plan.options.seed;
      if (!Number.isSafeInteger(seed)) refuse(`seed: got ${describeValue(seed)}, wanted a whole number`);
      const wanted = {
        ...plan.options,
        powers: powersIn(line, asked.game.map) ?? chosenPowers(asked.game.map, plan.power),
        seed: Number(seed) | 0,
      };
      const result = await searchMoves(asked.game, wanted, { pool });
      return searchRecord(asked, result, { ...plan, options: wanted }, false);
    });
    await answerLines(openInput(file).stream, process.stdout, lines);
    return lines.malformed > 0 ? 1 : 0;
  } finally {
    await pool.close();
  }
};

/** Searches in a position with progress, on a new pool of workers. Ctrl-C ends the search with its result so far. */
const search = async (game: Game, plan: SearchPlan, quiet: boolean) => {
  const { options: asked, workers } = plan;
  let played = 0;
  const onProgress = (rollouts: number): void => {
    played = rollouts;
  };
  const pool = makePool({ workers });
  const timed = Number.isFinite(asked.milliseconds);
  const begin = performance.now();
  // If rollouts are shorter than requested, the search plays more than requested. Each then counts as a fraction.
  const share = asked.rollouts / planSearch(game, asked, workers).rollouts;
  const done = (): number =>
    timed ? Math.min(asked.milliseconds, Math.round(performance.now() - begin)) : Math.round(played * share);
  const progress = {
    total: timed ? asked.milliseconds : asked.rollouts,
    unit: timed ? 'ms' : 'rollouts',
    quiet,
    read: () => ({ done: done(), note: '' }),
  };
  try {
    return await interruptible('ending the search with its current result', progress, async (signal) => {
      const result = await searchMoves(game, asked, { pool, signal, onProgress });
      return { result, interrupted: signal.aborted };
    });
  } finally {
    await pool.close();
  }
};
