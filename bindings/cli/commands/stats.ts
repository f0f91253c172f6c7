// Runs `lepanto stats`: prints statistics of the recorded games of a run.
import { join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { CompiledMap } from '../../../engine/internal.js';
import { workersOption } from '../../../selfplay/crew/pool.js';
import {
  errorOf,
  type Moments,
  makeStats,
  meanOf,
  moveCounts,
  orderCounts,
  type Stats,
} from '../../../selfplay/records/stats.js';
import { addSums } from '../../../selfplay/records/summary.js';
import { writeWhole } from '../../../selfplay/records/whole-file.js';
import type { CoordinatorEvent } from '../../cluster/queue/coordinator.js';
import { gatherStats } from '../../cluster/queue/gather-stats.js';
import { makeQueueReport, progressNote, readQueueChoice } from '../../cluster/queue/queue-report.js';
import { looksOf, type Pattern, strokeOf } from '../../draw/colours.js';
import { barPlot, linePlot, type PlotLine } from '../../draw/plots.js';
import type { Source } from '../../formats/games/recorded-run.js';
import { countShards, forShards, SHARD_TASKS } from '../../formats/games/shard-tasks.js';
import { counted, percent, plusMinus } from '../../reports/figures.js';
import { makeTable, numbers, renderText, type Table, words } from '../../reports/table.js';
import {
  arenaOption,
  jsonOption,
  optionText,
  queueOption,
  quietOption,
  readArguments,
  recordOptions,
} from '../../terminal/options.js';
import { print } from '../../terminal/output.js';
import { withProgress } from '../../terminal/progress.js';
import { FaultReporter, openAllRecords } from '../../terminal/records.js';
import { checkFile, makeDirectory, onePath, sizeOfGames, UsageError } from '../../terminal/usage.js';

export const options = {
  partial: { help: 'exit code 0 even if games are missing or do not match their orders' },
  arena: {
    ...arenaOption.arena,
    help: 'number of an arena in a directory of lepanto arena --out, from 1 (default: all)',
  },
  ...recordOptions,
  ...workersOption,
  ...queueOption('read the files under the same path'),
  ...jsonOption,
  svg: { takes: 'DIR', help: 'directory for plots: centers.svg, lengths.svg, survivors.svg, orders.svg' },
  ...quietOption,
} as const;

export const help = `
usage: lepanto stats FILE|DIR [OPTIONS]

Prints statistics of recorded games, of a run or an arena: lengths, results,
centres by power and year, orders and their results. Missing games are listed
(exit code 1). So are games that do not match their orders, in shards without a
valid table; they are not counted.

${optionText(options)}
`;

/**
 * Returns the statistics of a run, counted over a queue by machines that read its files. Empty without an address.
 * @param queue value of --queue
 * @param faults gets the errors of files, and missing games
 */
const gather = async (source: Source, queue: string, quiet: boolean, faults: FaultReporter): Promise<Stats> => {
  const { address } = readQueueChoice({ queue }, '');
  const { map } = source;
  if (address === undefined) return makeStats(map.powerCount);
  const files = source.files.map((file) => resolve(file));
  const queueReport = makeQueueReport(false, 'file');
  let done = 0;
  const read = () => ({ done, note: progressNote(queueReport.progress(), 'files') });
  const onEvent = (event: CoordinatorEvent): void => {
    if (event.event === 'recorded') done++;
    queueReport.onEvent(event);
  };
  const { stats } = await withProgress({ total: files.length, unit: 'files', quiet, read }, () =>
    gatherStats({ ...source, files }, faults.report, { address, onEvent }),
  ).finally(() => faults.end());
  return stats;
};

/** Returns the statistics of some records, counted on threads. @param faults gets damaged and missing games */
const readStats = async (
  sources: readonly Source[],
  { workers, quiet }: { workers: number; quiet: boolean },
  faults: FaultReporter,
): Promise<Stats> => {
  const stats = makeStats(sources[0].map.powerCount);
  let done = 0;
  const total = sources.reduce((sum, { path }) => sum + sizeOfGames(path), 0);
  const read = () => ({ done: Math.min(total, done), note: counted(stats.games, 'game') });
  const call = { module: SHARD_TASKS, run: countShards };
  await withProgress({ total, unit: 'bytes', quiet, read }, async () => {
    for await (const { bytes, found } of forShards(sources, call, { workers, reportFault: faults.report })) {
      addSums(stats, found.stats);
      done += bytes;
      await setImmediate();
    }
  });
  faults.end();
  return stats;
};

const number = (value: number): number | null => (Number.isNaN(value) ? null : value);
const momentsJson = (of: Moments): object => ({ mean: meanOf(of), error: number(errorOf(of)) });

const yearsOf = (stats: Stats): number[] => Object.keys(stats.centers).map(Number);

const statsJson = (stats: Stats, map: CompiledMap): object => {
  const byPower = (values: readonly number[]): object =>
    Object.fromEntries(map.powerNames.map((name, q) => [name, values[q]]));
  const { moves, bounces, ordered, dislodged, destroyed } = moveCounts(stats);
  return {
    games: stats.games,
    map: map.name,
    draws: stats.draws,
    solos: byPower(stats.solos),
    survived: byPower(stats.survived),
    survivors: stats.survivors,
    years: momentsJson(stats.years),
    phases: momentsJson(stats.phases),
    phase_steps: momentsJson(stats.phaseSteps),
    lengths: stats.lengths,
    centers: Object.fromEntries(
      yearsOf(stats).map((year) => {
        const row = stats.centers[year] ?? [];
        const powers = map.powerNames.map((name, q) => [name, momentsJson(row[q])]);
        return [year, { games: row[0].count, ...Object.fromEntries(powers) }];
      }),
    ),
    orders: Object.fromEntries([...orderCounts(stats)].map(([type, results]) => [type, Object.fromEntries(results)])),
    bounce_rate: number(bounces / moves),
    dislodgement_rate: number(dislodged / ordered),
    destroyed_rate: number(destroyed / ordered),
  };
};

const share = (n: number, of: number): string => percent(n, of, 2);
const shown = (of: Moments): string => plusMinus(meanOf(of), of.count < 2 ? Number.NaN : errorOf(of), 2);

const powersTable = ({ solos, survived, games }: Stats, map: CompiledMap): Table =>
  makeTable(map.powerNames, [
    words('power', String),
    numbers('solos', (_, q) => share(solos[q], games)),
    numbers('survived', (_, q) => share(survived[q], games)),
  ]);

const centersTable = (stats: Stats, map: CompiledMap): Table =>
  makeTable(
    yearsOf(stats).map((year) => ({ year, means: stats.centers[year] ?? [] })),
    [
      words('centres', ({ year }) => year),
      numbers('games', ({ means }) => means[0].count),
      ...map.powerNames.map((name, q) =>
        numbers<{ means: readonly Moments[] }>(name.slice(0, 8), ({ means }) => meanOf(means[q]).toFixed(2)),
      ),
    ],
  );

const totalOf = (results: ReadonlyMap<string, number>): number => [...results.values()].reduce((sum, n) => sum + n, 0);

const resultsText = (results: ReadonlyMap<string, number>): string =>
  [...results]
    .sort(([, a], [, b]) => b - a)
    .map(([result, n]) => `${result} ${share(n, totalOf(results))}`)
    .join(', ');

const ordersTable = (stats: Stats): Table =>
  makeTable(
    [...orderCounts(stats)].sort(([, a], [, b]) => totalOf(b) - totalOf(a)),
    [
      words('order', ([type]) => type),
      numbers('number', ([, results]) => totalOf(results)),
      words('results', ([, results]) => resultsText(results)),
    ],
  );

const statsText = (stats: Stats, map: CompiledMap): string => {
  const solos = stats.solos.reduce((sum, n) => sum + n, 0);
  const survivors = stats.survivors.map((n, powers) => ({ n, powers })).filter(({ n }) => n > 0);
  const { moves, bounces, ordered, dislodged, destroyed } = moveCounts(stats);
  const head = [
    `games         ${stats.games}`,
    `length        ${shown(stats.years)} years, ${shown(stats.phaseSteps)} phase-steps, ${shown(stats.phases)} phases`,
    `solos         ${share(solos, stats.games)}, draws ${share(stats.draws, stats.games)}`,
    `survivors     ${survivors.map(({ n, powers }) => `${powers}: ${share(n, stats.games)}`).join(', ')}`,
    `bounces       ${share(bounces, moves)} of moves`,
    `dislodged     ${share(dislodged, ordered)} of ordered units, destroyed ${share(destroyed, ordered)}`,
  ];
  return renderText([head.join('\n'), powersTable(stats, map), centersTable(stats, map), ordersTable(stats)]);
};

/** Dashes (stroke-dasharray) that distinguish lines of the same colour, keyed by the pattern of the power's land. */
const dashes: Readonly<Partial<Record<Pattern, string>>> = { plain: '', stripes: '8 3', dots: '2 3', waves: '8 3 2 3' };

/** Returns one line per power with its mean number of centres by year, in the power's colour on boards. */
const centerLines = (stats: Stats, { powerNames }: CompiledMap): PlotLine[] => {
  const looks = looksOf(powerNames, []);
  return powerNames.map((name, q) => ({
    name,
    colour: strokeOf(looks[q], 'light'),
    dark: strokeOf(looks[q], 'dark'),
    dashes: dashes[looks[q].pattern] ?? '',
    points: yearsOf(stats).map((year) => [year, meanOf((stats.centers[year] ?? [])[q])]),
  }));
};

/** Returns the plots of statistics as SVG, keyed by file name. */
const plotsOf = (stats: Stats, map: CompiledMap): Readonly<Record<(typeof plotNames)[number], string>> => {
  const lengths = Object.entries(stats.lengths);
  const orders = Array.from(orderCounts(stats), ([type, results]) => [type, totalOf(results)] as const);
  return {
    'centers.svg': linePlot({
      title: 'Centres by power',
      unit: 'mean over games, by year',
      lines: centerLines(stats, map),
      from: yearsOf(stats)[0] ?? 0,
    }),
    'lengths.svg': barPlot('Length of games', lengths, 'games, by years'),
    'survivors.svg': barPlot('Survivors', [...stats.survivors.entries()], 'games, by powers left'),
    'orders.svg': barPlot('Orders', orders, 'number, by type'),
  };
};

const plotNames = ['centers.svg', 'lengths.svg', 'survivors.svg', 'orders.svg'] as const;

/** Creates the directory of the plots, and checks that they can be written. @throws UsageError if not */
const openPlots = (directory: string): void => {
  makeDirectory('--svg', directory);
  for (const name of plotNames) checkFile('--svg', join(directory, name));
};

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, options);
  const path = onePath('stats', positionals, 'one file or directory');
  const sources = openAllRecords(path, values);
  const [{ map }] = sources;
  const other = sources.find((source) => source.map.id !== map.id);
  if (other !== undefined)
    throw new UsageError(`stats: got arenas on ${map.name} and ${other.map.name}, wanted one of them by --arena`);
  const { queue, quiet, workers } = values;
  if (queue !== undefined && sources.length > 1)
    throw new UsageError('--queue: got it with the directory of an arena, wanted one of its runs');
  if (values.svg !== undefined) openPlots(values.svg);
  const faults = new FaultReporter();
  const stats = await (queue === undefined
    ? readStats(sources, { workers, quiet }, faults)
    : gather(sources[0], queue, quiet, faults));
  if (stats.games === 0) return 1;
  // The numbers are printed before the plots are written, so that a full disk does not lose them.
  print(
    values.json,
    () => statsJson(stats, map),
    () => statsText(stats, map),
  );
  if (values.svg !== undefined)
    for (const [name, svg] of Object.entries(plotsOf(stats, map))) writeWhole(join(values.svg, name), svg);
  return faults.count === 0 || values.partial ? 0 : 1;
};
