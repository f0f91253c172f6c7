// Runs `lepanto selfplay`: plays games with agents, records them, and summarizes them.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CompiledMap } from '../../../engine/internal.js';
import { splitAgents } from '../../../selfplay/agents/registry.js';
import { workersOption } from '../../../selfplay/crew/pool.js';
import { endingOptions } from '../../../selfplay/games/ending.js';
import { roundsOption } from '../../../selfplay/question/message.js';
import { seedOption, type ValuesOf, wholeIn } from '../../../selfplay/question/option.js';
import { MANIFEST, readManifest, shardName } from '../../../selfplay/records/manifest.js';
import {
  gamesFor,
  gamesIn,
  makeCounters,
  type RunOptions,
  type RunResult,
  runSelfplay,
  shardsFor,
} from '../../../selfplay/records/run.js';
import { GAMES_PER_SHARD, MOST_GAMES, MOST_SHARDS, type RunSpec } from '../../../selfplay/records/run-spec.js';
import { GAMES_PLAYED, STEPS_PLAYED } from '../../../selfplay/records/shard.js';
import { sized } from '../../../selfplay/records/shard-size.js';
import { findCommit } from '../../../selfplay/version.js';
import { playRunByQueue } from '../../cluster/queue/play-run.js';
import {
  makeQueueReport,
  progressNote,
  type QueueReport,
  readQueueChoice,
  threadsOf,
} from '../../cluster/queue/queue-report.js';
import { counted, group, percent, plural } from '../../reports/figures.js';
import { makeTable, numbers, renderText, words } from '../../reports/table.js';
import { readAgents } from '../../terminal/agents.js';
import { formatCommand, INTERRUPTED, sayInterrupted } from '../../terminal/interrupt.js';
import { readShare } from '../../terminal/job-array.js';
import { lastYear, readMap, readRules } from '../../terminal/map-and-rules.js';
import {
  agentsHelp,
  mapOptions,
  optionText,
  playerOptions,
  queueOption,
  quietOption,
  readArguments,
  rulesOption,
  storeOption,
} from '../../terminal/options.js';
import { sayBeside } from '../../terminal/output.js';
import { interruptible } from '../../terminal/progress.js';
import { runArguments, warnOfUnseen } from '../../terminal/run-arguments.js';
import { checkWritable, makeDirectory, orUsage, UsageError } from '../../terminal/usage.js';

const DEFAULT_GAMES = 1024;
/** Number of games with --demo. They take about ten seconds with the build on two cores, and 85 MB of records. */
const START_GAMES = 10_240;
/** Default number of years of a game, including the first. */
const DEFAULT_YEARS = 10;

export const options = {
  games: { ...wholeIn(1, MOST_GAMES), help: `number of games (default: ${DEFAULT_GAMES})` },
  ...endingOptions,
  until: { ...endingOptions.until, help: `${endingOptions.until.help} (default: ${DEFAULT_YEARS} years)` },
  seed: { ...seedOption.seed, help: 'seed, a whole number; the same seed gives the same games' },
  ...workersOption,
  agents: {
    takes: 'LIST',
    default: 'random',
    help: `agent of all powers, or one for each power, separated by commas: ${agentsHelp}`,
  },
  ...roundsOption,
  ...playerOptions,
  ...mapOptions,
  ...rulesOption('adjudication and of running games'),
  shard: {
    takes: 'I/N',
    help: `part I of N, from 1; the files of all parts in one directory are the run. auto: I and N from
      SLURM_ARRAY_TASK_ID, _MIN, _STEP and _COUNT; auto/N: I from JOB_COMPLETION_INDEX too`,
  },
  ...queueOption('play the shards'),
  ...storeOption,
  targets: {
    help: `also record training targets of agents that compare order sets (search): the likeliest sets with probabilities
      and values, and the value of the position; lepanto.dataset reads them`,
  },
  'shard-games': {
    ...wholeIn(1, MOST_GAMES),
    help: `games in a shard, a file that one worker plays (default: ${GAMES_PER_SHARD}, fewer for slow agents, 1 for search,
      up to 1024 if random or policy has all seats)`,
  },
  resume: { help: 'an error instead of a new run if there is none to resume' },
  out: { takes: 'DIR', help: 'directory of the records (default: runs/NAME, with a name from the options)' },
  demo: { formerly: 'start', help: 'run of about ten seconds in a new directory, as npm start plays it' },
  json: { help: 'the summary as one JSON object; with --queue each event as a line, the summary last' },
  ...quietOption,
} as const;

export const help = `
usage: lepanto selfplay [OPTIONS]

Plays games from the start of a map to a solo or to the end of a year, records
each game, and prints a summary. Ctrl-C stops a run; the same command resumes
it. The records do not depend on the number of workers.

${optionText(options)}
`;

/** Returns the first of 'runs/start-1', 'runs/start-2' and so on that does not exist. */
const newStartDirectory = (): string => {
  let n = 1;
  while (existsSync(join('runs', `start-${n}`))) n++;
  return join('runs', `start-${n}`);
};

const directoryFor = (spec: RunSpec): string => {
  const { map, agents, games, until, seed, stalemate = 0, chance = 0, rounds = 0, targets } = spec;
  const who = agents.every((agent) => agent === agents[0]) ? agents[0] : agents.join('-');
  const ending = (stalemate > 0 ? `-stalemate-${stalemate}` : '') + (chance > 0 ? `-chance-${chance}` : '');
  const more = (rounds > 0 ? `-rounds-${rounds}` : '') + (targets === true ? '-targets' : '');
  const name = `${map}-${who}-${games}-until-${until}${ending}-seed-${seed}${more}`;
  return join('runs', name.replace(/[^\w.-]+/g, '_').slice(0, 200));
};

/**
 * Returns an object with the number of games per shard, from the option or from the manifest of an existing run. An
 * empty object if neither gives it.
 * @param shardGames value of --shard-games; undefined without the option
 * @param games number of games of the run
 * @throws UsageError if the option would give the run more than MOST_SHARDS
 */
const sizeOfShards = (
  shardGames: number | undefined,
  games: number,
  directory: string,
): Pick<RunSpec, 'shardGames'> => {
  if (shardGames !== undefined) {
    if (games / shardGames <= MOST_SHARDS) return { shardGames };
    throw new UsageError(
      `--shard-games: got ${shardGames} for ${games} games, wanted at least ${Math.ceil(games / MOST_SHARDS)}`,
    );
  }
  try {
    return { shardGames: readManifest(directory).shardGames };
  } catch {
    // A new run. If the manifest is damaged, opening the run reports it.
    return {};
  }
};

const readSpec = async (values: ValuesOf<typeof options>, map: CompiledMap, choiceMs: number): Promise<RunSpec> => {
  const { stalemate, chance, seed, rounds } = values;
  const { runName } = readRules(values.rules);
  const names = orUsage('agents', () => splitAgents(values.agents, map.powerCount));
  return {
    map: map.name,
    rules: runName,
    agents: await readAgents('agents', names, choiceMs),
    games: values.games ?? (values.demo ? START_GAMES : DEFAULT_GAMES),
    until: lastYear(map, values.until, DEFAULT_YEARS),
    ...{ stalemate, chance, seed },
    ...(values.targets ? { targets: true } : {}),
    ...(rounds > 0 && { rounds }),
    ...(values['bot-version'] !== undefined && { botVersion: values['bot-version'] }),
  };
};

const readPlan = async (args: string[]) => {
  const { values } = readArguments(args, options, false);
  const map = readMap(values);
  const { json, quiet, workers, 'choice-ms': choiceMs } = values;
  const asked = await readSpec(values, map, choiceMs);
  const directory = values.out ?? (values.demo ? newStartDirectory() : directoryFor(asked));
  const spec = sized({ ...asked, ...sizeOfShards(values['shard-games'], asked.games, directory) });
  const share = readShare(values.shard);
  if (gamesFor(spec, share) === 0)
    throw new UsageError(
      `--shard: got part ${share.index + 1} of ${share.count}, which has none of the ${spec.games} games, wanted fewer parts`,
    );
  if (values.resume && !existsSync(join(directory, MANIFEST)))
    throw new UsageError(`--resume: got ${directory}, which holds no run, wanted the directory of one`);
  if (!quiet) warnOfUnseen(spec.agents, spec.botVersion);
  return { ...readQueueChoice(values, directory), map, spec, share, workers, choiceMs, directory, json, quiet };
};

type Plan = Awaited<ReturnType<typeof readPlan>>;

/**
 * Returns the summary as --json prints it. Means are over all games of the run, speeds over the games played by this
 * command.
 */
const makeReport = (plan: Plan, { summary, kept, bytes }: RunResult, steps: number, seconds: number) => {
  const { games } = summary;
  const played = games - kept;
  const perSecond = (count: number): number | null => (played === 0 ? null : count / seconds);
  const powers = plan.map.powerNames.map((name, q) => {
    const means = { mean_centers: summary.centers[q] / games, mean_sum_of_squares: summary.sumOfSquares[q] / games };
    return [name, { solos: summary.solos[q], survived: summary.survived[q], ...means }] as const;
  });
  return {
    games,
    kept,
    seconds,
    phase_steps: summary.phaseSteps,
    phase_steps_per_second: perSecond(steps),
    games_per_second: perSecond(played),
    mean_years: summary.years / games,
    mean_phase_steps: summary.phaseSteps / games,
    mean_phases: summary.phases / games,
    solos: summary.solos.reduce((total, n) => total + n, 0),
    draws: summary.draws,
    powers: Object.fromEntries(powers),
    agents: plan.spec.agents,
    seed: plan.spec.seed,
    until: plan.spec.until,
    workers: plan.workers,
    bytes_written: bytes,
    out: plan.directory,
  };
};

type Report = ReturnType<typeof makeReport>;

const speedLine = (report: Report): string => {
  const { phase_steps_per_second: steps, games_per_second: games } = report;
  if (steps === null || games === null) return 'none played now';
  const threads = report.workers === 1 ? '1 worker' : `${report.workers} workers`;
  return `${group(steps)} phase-steps/s, ${group(games)} games/s with ${threads}`;
};

const reportText = (report: Report): string => {
  const { games, kept } = report;
  const [years, steps, phases] = [report.mean_years, report.mean_phase_steps, report.mean_phases];
  const rows: [string, string][] = [
    ['games', group(games) + (kept > 0 ? `, ${group(kept)} of them already recorded` : '')],
    ['time', `${report.seconds.toFixed(1)} s`],
    ['speed', speedLine(report)],
    ['mean length', `${years.toFixed(1)} years, ${steps.toFixed(1)} phase-steps, ${phases.toFixed(1)} phases`],
    ['solos', group(report.solos)],
    ['draws', group(report.draws)],
  ];
  const head = rows.map(([name, value]) => name.padEnd(14) + value);
  const powers = makeTable(Object.entries(report.powers), [
    words('power', ([name]) => name),
    numbers('solos', ([, { solos }]) => group(solos)),
    numbers('survived', ([, { survived }]) => percent(survived, games)),
    numbers('mean centres', ([, power]) => power.mean_centers.toFixed(2)),
    numbers('sum of squares', ([, power]) => power.mean_sum_of_squares.toFixed(3)),
  ]);
  return renderText([head.join('\n'), powers, readBack(report)]);
};

const readBack = ({ out, bytes_written }: Report): string => {
  const size = bytes_written > 0 ? ` (${(bytes_written / 1e6).toFixed(1)} MB written)` : '';
  return `records       ${out}${size}\nread one back ${formatCommand(['replay', out, '--game', '0'])}`;
};

/** Returns the command line that plays a run, or its missing games, on this machine. */
const commandOf = ({ spec, directory, share }: Plan): string => {
  const part = share.count > 1 ? ['--shard', `${share.index + 1}/${share.count}`] : [];
  return formatCommand(['selfplay', ...runArguments(spec), ...part, '--out', directory]);
};

const resumeText = (plan: Plan): string => `to resume: ${commandOf(plan)}${queueArguments(plan)}`;

/** Returns the command's arguments for its queue, without a password: ' --queue ADDRESS --store STORE'. '' for none. */
const queueArguments = ({ address, store }: Plan): string =>
  (address === undefined ? '' : ` --queue ${address.shown}`) + (store === undefined ? '' : ` --store ${store}`);

/** Returns the number of games in the existing shards of the share that this command plays. */
const recordedGames = ({ spec, directory, share }: Plan): number => {
  const recorded = shardsFor(spec, share).filter((shard) => existsSync(join(directory, shardName(shard))));
  return gamesIn(spec, recorded);
};

/**
 * Creates the directory of a run. For an existing run, checks that its missing shards can be written.
 * @throws UsageError if that is not possible
 */
const openDirectory = ({ spec, directory, share }: Plan): void => {
  makeDirectory('--out', directory);
  if (!existsSync(join(directory, MANIFEST))) return;
  const missing = shardsFor(spec, share).find((shard) => !existsSync(join(directory, shardName(shard))));
  if (missing !== undefined) checkWritable('--out', join(directory, shardName(missing)));
};

/** Plays the missing games of a run with progress, here or over a queue, until the end or Ctrl-C. */
const play = async (plan: Plan, queueReport: QueueReport) => {
  const { spec, workers, choiceMs, directory, share, quiet, address, store } = plan;
  const counters = makeCounters();
  const total = gamesFor(spec, share);
  const begin = performance.now();
  const seconds = (): number => (performance.now() - begin) / 1000;
  const say = (line: string): void => {
    if (!quiet) process.stderr.write(`${line}\n`);
  };
  let kept = 0;
  const part = share.count === 1 ? '' : ` of ${group(spec.games)} (part ${share.index + 1} of ${share.count})`;
  say(`${group(total)} ${plural(total, 'game')}${part} to the end of ${spec.until}, into ${directory}`);
  const speed = (): string => `${group(Number(Atomics.load(counters, STEPS_PLAYED)) / seconds())} phase-steps/s`;
  const read = () => ({
    done: kept + Number(Atomics.load(counters, GAMES_PLAYED)),
    note: address === undefined ? speed() : progressNote(queueReport.progress(), 'shards'),
  });
  const run: Omit<RunOptions, 'signal'> = {
    ...{ spec, directory, share, workers, counters, choiceMs },
    commit: findCommit(),
    command: ['lepanto selfplay', ...runArguments(spec)].join(' '),
    onWarning: sayBeside,
    onKept: (games) => {
      kept += games;
    },
    onDamage: (file, what) => say(`${file} is damaged; its games are played again: ${what}`),
    onRewrite: (file, what) => say(`${file} is rewritten: ${what}`),
  };
  const doing = 'waiting up to 5 s for the games that are being recorded';
  const result = await interruptible(doing, { total, unit: 'games', quiet, read }, async (signal) =>
    address === undefined
      ? { ...(await runSelfplay({ ...run, signal })), failed: [] as const }
      : playRunByQueue({ ...run, signal, address, store, onEvent: queueReport.onEvent }),
  );
  return { ...result, steps: Number(counters[STEPS_PLAYED]), seconds: seconds() };
};

export const run = async (args: string[]): Promise<number> => {
  const plan = await readPlan(args);
  openDirectory(plan);
  const queueReport = makeQueueReport(plan.json, 'shard');
  const played = await play(plan, queueReport);
  const { summary, failed, steps, seconds } = played;
  const total = gamesFor(plan.spec, plan.share);
  if (failed.length > 0) {
    const shards = failed.map(({ task }) => task).join(', ');
    const count = counted(failed.length, 'shard');
    process.stderr.write(`lepanto: without ${count} that failed in every try: ${shards}\n`);
    process.stderr.write(`lepanto: to play the missing games: ${commandOf(plan)}\n`);
  } else if (summary.games < total) {
    sayInterrupted(
      `${group(recordedGames(plan))} of ${group(total)} ${plural(total, 'game')} are recorded; ${resumeText(plan)}`,
    );
    return INTERRUPTED;
  }
  if (summary.games === 0) return 1;
  const workers = plan.address === undefined ? plan.workers : threadsOf(queueReport.progress());
  const report = makeReport({ ...plan, workers }, played, steps, seconds);
  const event = plan.address === undefined ? report : { event: 'summary', ...report, failed };
  process.stdout.write(plan.json ? `${JSON.stringify(event)}\n` : reportText(report));
  return failed.length > 0 ? 1 : 0;
};
