// Runs `lepanto selfplay`: plays games with agents, records them, and sums them up.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { CompiledMap } from '../../../engine/internal.js';
import { expandAgents } from '../../../selfplay/agents/probe.js';
import { agentKinds, splitAgents } from '../../../selfplay/agents/registry.js';
import { MANIFEST, readManifest, runArguments } from '../../../selfplay/records/manifest.js';
import { shardName } from '../../../selfplay/records/record.js';
import {
  gamesFor,
  gamesIn,
  makeCounters,
  type RunOptions,
  type RunResult,
  runSelfplay,
  type Share,
  shardsFor,
} from '../../../selfplay/records/run.js';
import { GAMES_PLAYED, type RunSpec, STEPS_PLAYED } from '../../../selfplay/records/shard.js';
import { GAMES_PER_SHARD, MOST_SHARDS } from '../../../selfplay/records/shard-size.js';
import { findCommit } from '../../../selfplay/records/version.js';
import { CHOICE_MS } from '../../../selfplay/workers/patience.js';
import { defaultWorkers } from '../../../selfplay/workers/pool.js';
import type { QueueAddress } from '../../cluster/queue/address.js';
import type { FailedTask } from '../../cluster/queue/coordinator.js';
import { playRunByQueue } from '../../cluster/queue/play-run.js';
import { makeTeller, progressNote, readWay, threadsOf } from '../../cluster/queue/tell.js';
import { openMap } from '../../notation/maps/open-map.js';
import { ruleSetByName } from '../../notation/text/rule-set.js';
import { catchInterrupt, formatCommand, INTERRUPTED, sayInterrupted } from '../shared/interrupt.js';
import { sayBeside } from '../shared/output.js';
import { startProgress } from '../shared/progress.js';
import { asUsage, checkFile, MAX_CHOICE_MS, makeDirectory, orUsage, parseWhole, UsageError } from '../shared/usage.js';

const DEFAULT_GAMES = '1024';
/** About ten seconds with the build on two cores, 85 MB of records. */
const START_GAMES = '10240';
/** Years played without --until, the first one counted. */
const DEFAULT_YEARS = 10;
const MAX_GAMES = 100_000 * 256;
const MAX_WORKERS = 256;

export const help = `
usage: lepanto selfplay [OPTIONS]

Plays games from the start of a map to a solo or to the end of a year, records every one, and prints a summary.
The same command goes on with a run that was stopped, and keeps what is finished; Ctrl-C stops it. The records do not depend on the
number of workers.

  --games N        games to play (${DEFAULT_GAMES})
  --until YEAR     last year; a game without a winner after its winter is a draw (${DEFAULT_YEARS} years)
  --stalemate N    a draw after N years in a row without a change of ownership
  --chance P       a draw after each year with this probability, from 0 to 1, drawn from the game's seed
  --seed S         a whole number; the same seed gives the same games (1)
  --workers W      threads (one for each processor: ${defaultWorkers()} here)
  --agents LIST    one agent for all powers, or one for each, separated by commas (random); ./my-agent.js loads a
                   module, exec:COMMAND starts a bot of any language (bindings/protocols/PROTOCOL.md); COMMAND has no comma
  --choice-ms N    milliseconds for one choice of a module (${CHOICE_MS}, 0: as many as it takes); over it its thread is
                   replaced and its shard played again, the third time the run ends: no record depends on the clock
  --map NAME       map (standard)
  --map-options L  its own rules in force: tsr,suez or ice=no (as the map has them)
  --rules RULES    rules (datc-3.2); see lepanto rules: its options of adjudication and of running games count
  --shard I/N      plays the I-th of N parts of the run, I from 1; the files of all parts, copied together, are the run.
                   auto: I and N from SLURM_ARRAY_TASK_ID, _MIN, _STEP and _COUNT; auto/N: I from JOB_COMPLETION_INDEX too
  --queue URL      has the shards played by lepanto worker on other machines: redis://HOST:PORT, or env for the address in
                   LEPANTO_QUEUE_URL (bindings/cluster/queue/README.md); --workers check the files that are there
  --store STORE    on which way they come here: a folder that all see, s3://BUCKET/PREFIX, or redis; by default the
                   directory of the records where workers see it, else redis
  --targets        records what agents weighed for their orders, where they say (search): the likeliest order sets with
                   their probabilities and values, and what the position is worth; lepanto.dataset reads them
  --shard-games N  games in a file of the run (${GAMES_PER_SHARD}; fewer where the agents are slow: 1 with search; up to 1024 where
                   random or policy has all seats); a file appears once all its games are played, and a worker plays
                   whole files
  --resume         refuses to begin: only goes on with a run that is there
  --out DIR        directory of the records (a name under runs/ made from the options)
  --start          a run of about ten seconds in a new directory: what npm start does
  --json           the summary as one JSON object; with --queue every event as a line, the summary as the last one
  --quiet          no progress

Agents, with options as name:key=value:key=value:
${agentKinds.map((kind) => `  ${kind.name.padEnd(15)}${kind.help}`).join('\n')}
`;

const optionTypes = {
  games: { type: 'string' },
  until: { type: 'string' },
  stalemate: { type: 'string', default: '0' },
  chance: { type: 'string', default: '0' },
  seed: { type: 'string' },
  workers: { type: 'string' },
  'choice-ms': { type: 'string', default: String(CHOICE_MS) },
  agents: { type: 'string', default: 'random' },
  map: { type: 'string', default: 'standard' },
  'map-options': { type: 'string' },
  rules: { type: 'string', default: 'datc-3.2' },
  out: { type: 'string' },
  shard: { type: 'string' },
  targets: { type: 'boolean', default: false },
  'shard-games': { type: 'string' },
  resume: { type: 'boolean', default: false },
  queue: { type: 'string' },
  store: { type: 'string' },
  start: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  quiet: { type: 'boolean', default: false },
} as const;

interface Plan {
  readonly map: CompiledMap;
  readonly spec: RunSpec;
  readonly workers: number;
  readonly choiceMs: number;
  readonly directory: string;
  readonly share: Share;
  readonly address: QueueAddress | undefined;
  readonly store: string | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
}

const parseChance = (text: string): number => {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= 0 && value <= 1) return value;
  throw new UsageError(`--chance: got "${text}", wanted a number from 0 to 1`);
};

/** By power, with all their options. */
const readAgents = async (text: string, powerCount: number, choiceMs: number): Promise<string[]> => {
  try {
    return await expandAgents(splitAgents(text, powerCount), choiceMs);
  } catch (error) {
    throw asUsage('agents', error);
  }
};

/** A whole number from the environment. */
const fromEnvironment = (name: string): number => {
  const text = process.env[name] ?? '';
  if (!/^\d+$/.test(text)) throw new UsageError(`--shard: got ${name}="${text}", wanted a whole number`);
  return Number(text);
};

const checkShare = (text: string, index: number, count: number): Share => {
  if (count >= 1 && index >= 0 && index < count) return { index, count };
  throw new UsageError(`--shard: got "${text}", which is part ${index + 1} of ${count}, wanted 1/N to N/N`);
};

/** The part that an array job has, from what Slurm or Kubernetes tell it. */
const shareOfArray = (text: string, given: number): Share => {
  if (process.env.SLURM_ARRAY_TASK_ID === undefined)
    return checkShare(text, fromEnvironment('JOB_COMPLETION_INDEX'), given);
  const least = process.env.SLURM_ARRAY_TASK_MIN === undefined ? 0 : fromEnvironment('SLURM_ARRAY_TASK_MIN');
  const step = process.env.SLURM_ARRAY_TASK_STEP === undefined ? 1 : fromEnvironment('SLURM_ARRAY_TASK_STEP');
  const index = (fromEnvironment('SLURM_ARRAY_TASK_ID') - least) / Math.max(1, step);
  return checkShare(text, index, given > 0 ? given : fromEnvironment('SLURM_ARRAY_TASK_COUNT'));
};

const readShare = (text: string | undefined): Share => {
  if (text === undefined) return { index: 0, count: 1 };
  const [, first = '', count = '0'] = /^(auto|\d+)(?:\/(\d+))?$/.exec(text) ?? [];
  if (first === '' || (first !== 'auto' && count === '0'))
    throw new UsageError(`--shard: got "${text}", wanted I/N, auto or auto/N`);
  return first === 'auto' ? shareOfArray(text, Number(count)) : checkShare(text, Number(first) - 1, Number(count));
};

/** 'runs/start-1', or the first number that is free. */
const newStartDirectory = (): string => {
  let n = 1;
  while (existsSync(join('runs', `start-${n}`))) n++;
  return join('runs', `start-${n}`);
};

const directoryFor = ({ map, agents, games, until, seed, stalemate = 0, chance = 0, targets }: RunSpec): string => {
  const who = agents.every((agent) => agent === agents[0]) ? agents[0] : agents.join('-');
  const ending = (stalemate > 0 ? `-stalemate-${stalemate}` : '') + (chance > 0 ? `-chance-${chance}` : '');
  const more = targets === true ? '-targets' : '';
  const name = `${map}-${who}-${games}-until-${until}${ending}-seed-${seed}${more}`;
  return join('runs', name.replace(/[^\w.-]+/g, '_').slice(0, 200));
};

/** Games in a shard, if they are given, or an earlier start has settled them. */
const sizeOfShards = (text: string | undefined, games: number, directory: string): Pick<RunSpec, 'shardGames'> => {
  if (text !== undefined) {
    const shardGames = parseWhole('shard-games', text, 1, MAX_GAMES);
    if (games / shardGames <= MOST_SHARDS) return { shardGames };
    throw new UsageError(
      `--shard-games: got ${shardGames} for ${games} games, wanted at least ${Math.ceil(games / MOST_SHARDS)}`,
    );
  }
  try {
    return { shardGames: readManifest(directory).shardGames };
  } catch {
    // A new run, or what is wrong with it is said when it is opened.
    return {};
  }
};

const readPlan = async (args: string[]): Promise<Plan> => {
  const { values } = parseArgs({ args, options: optionTypes });
  const map = orUsage('map', () => openMap(values.map, values['map-options']));
  const rules = orUsage('rules', () => ruleSetByName(values.rules));
  const choiceMs = parseWhole('choice-ms', values['choice-ms'], 0, MAX_CHOICE_MS);
  const agents = await readAgents(values.agents, map.powerCount, choiceMs);
  const until = values.until ?? String(map.startYear + DEFAULT_YEARS - 1);
  const games = parseWhole('games', values.games ?? (values.start ? START_GAMES : DEFAULT_GAMES), 1, MAX_GAMES);
  const asked: RunSpec = {
    map: map.name,
    rules: rules.runName,
    agents,
    games,
    until: parseWhole('until', until, map.startYear, 9999),
    stalemate: parseWhole('stalemate', values.stalemate, 0, 9999),
    chance: parseChance(values.chance),
    seed: parseWhole('seed', values.seed ?? '1', -(2 ** 31), 2 ** 31 - 1),
    ...(values.targets ? { targets: true } : {}),
  };
  if (values.out === '') throw new UsageError('--out: got "", wanted a directory');
  const directory = values.out ?? (values.start ? newStartDirectory() : directoryFor(asked));
  const spec = { ...asked, ...sizeOfShards(values['shard-games'], games, directory) };
  const share = readShare(values.shard);
  if (gamesFor(spec, share) === 0)
    throw new UsageError(
      `--shard: got part ${share.index + 1} of ${share.count}, which has none of the ${spec.games} games`,
    );
  if (values.resume && !existsSync(join(directory, MANIFEST)))
    throw new UsageError(`--resume: got ${directory}, which holds no run`);
  return {
    ...readWay(values, directory),
    map,
    spec,
    share,
    workers: parseWhole('workers', values.workers ?? String(defaultWorkers()), 1, MAX_WORKERS),
    choiceMs,
    directory,
    json: values.json,
    quiet: values.quiet,
  };
};

/** How it went, as --json prints it. Means are over all games of the run, speeds over those that this start played. */
interface Report {
  readonly games: number;
  readonly kept: number;
  readonly seconds: number;
  readonly phase_steps: number;
  readonly phase_steps_per_second: number | null;
  readonly games_per_second: number | null;
  readonly mean_years: number;
  readonly mean_phase_steps: number;
  readonly mean_phases: number;
  readonly solos: number;
  readonly draws: number;
  readonly powers: Readonly<Record<string, PowerReport>>;
  readonly agents: readonly string[];
  readonly seed: number;
  readonly until: number;
  readonly workers: number;
  readonly bytes_written: number;
  readonly out: string;
}

interface PowerReport {
  readonly solos: number;
  readonly survived: number;
  readonly mean_centers: number;
  readonly mean_sum_of_squares: number;
}

const makeReport = (plan: Plan, { summary, kept, bytes }: RunResult, steps: number, seconds: number): Report => {
  const { games } = summary;
  const played = games - kept;
  const perSecond = (count: number): number | null => (played === 0 ? null : count / seconds);
  const powers = plan.map.powerNames.map((name, q): [string, PowerReport] => [
    name,
    {
      solos: summary.solos[q],
      survived: summary.survived[q],
      mean_centers: summary.centers[q] / games,
      mean_sum_of_squares: summary.sumOfSquares[q] / games,
    },
  ]);
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

const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const group = (value: number): string => Math.round(value).toLocaleString('en-US');

const speedLine = (report: Report): string => {
  const { phase_steps_per_second: steps, games_per_second: games } = report;
  if (steps === null || games === null) return 'none played now';
  const threads = report.workers === 1 ? '1 worker' : `${report.workers} workers`;
  return `${group(steps)} phase-steps/s, ${group(games)} games/s with ${threads}`;
};

const table = (report: Report): string => {
  const { games, kept } = report;
  const rows: [string, string][] = [
    ['games', group(games) + (kept > 0 ? `, ${group(kept)} of them found finished` : '')],
    ['time', `${report.seconds.toFixed(1)} s`],
    ['speed', speedLine(report)],
    [
      'mean length',
      `${report.mean_years.toFixed(1)} years, ${report.mean_phase_steps.toFixed(1)} phase-steps, ${report.mean_phases.toFixed(1)} phases`,
    ],
    ['solos', group(report.solos)],
    ['draws', group(report.draws)],
  ];
  const head = rows.map(([name, value]) => `${name.padEnd(14)}${value}`);
  const powers = Object.entries(report.powers).map(
    ([name, power]) =>
      name.padEnd(14) +
      group(power.solos).padStart(7) +
      `${((100 * power.survived) / games).toFixed(1)} %`.padStart(10) +
      power.mean_centers.toFixed(2).padStart(14) +
      power.mean_sum_of_squares.toFixed(3).padStart(16),
  );
  const title = `${'power'.padEnd(14)}  solos  survived  mean centres  sum of squares`;
  return [...head, '', title, ...powers].join('\n');
};

const readBack = ({ out, bytes_written }: Report): string => {
  const size = bytes_written > 0 ? ` (${(bytes_written / 1e6).toFixed(1)} MB written)` : '';
  return `records       ${out}${size}\nread one back npx lepanto replay ${out} --game 0`;
};

/** What plays a run, or what is missing of it. */
const commandOf = ({ spec, directory, share }: Plan): string => {
  const part = share.count > 1 ? ['--shard', `${share.index + 1}/${share.count}`] : [];
  return formatCommand(['selfplay', ...runArguments(spec), ...part, '--out', directory]);
};

const resumeText = (plan: Plan): string => `to go on: ${commandOf(plan)}${queueArguments(plan)}`;

/** The rest of the command where it goes over a queue; a password is never part of it. */
const queueArguments = ({ address, store }: Plan): string =>
  (address === undefined ? '' : ` --queue ${address.shown}`) + (store === undefined ? '' : ` --store ${store}`);

/** Games in the files that are there, whether this start has come to them or not. */
const recordedGames = ({ spec, directory, share }: Plan): number =>
  gamesIn(
    spec,
    shardsFor(spec, share).filter((shard) => existsSync(join(directory, shardName(shard)))),
  );

/** Makes the directory; in that of an earlier start, finds out whether the shards that it lacks can be written. */
const openDirectory = ({ spec, directory, share }: Plan): void => {
  makeDirectory('--out', directory);
  if (!existsSync(join(directory, MANIFEST))) return;
  const missing = shardsFor(spec, share).find((shard) => !existsSync(join(directory, shardName(shard))));
  if (missing !== undefined) checkFile('--out', join(directory, shardName(missing)));
};

export const run = async (args: string[]): Promise<number> => {
  const plan = await readPlan(args);
  const { spec, workers, choiceMs, directory, quiet, share } = plan;
  openDirectory(plan);
  const counters = makeCounters();
  let kept = 0;
  const begin = performance.now();
  const seconds = (): number => (performance.now() - begin) / 1000;
  const talk = (line: string): void => {
    if (!quiet) process.stderr.write(`${line}\n`);
  };
  const total = gamesFor(spec, share);
  const part = share.count === 1 ? '' : ` of ${group(spec.games)} (part ${share.index + 1} of ${share.count})`;
  talk(`${group(total)} games${part} to the end of ${spec.until}, into ${directory}`);
  const teller = makeTeller(plan.json, 'shard');
  const speed = (): string => `${group(Number(Atomics.load(counters, STEPS_PLAYED)) / seconds())} phase-steps/s`;
  const stop = startProgress({
    total,
    unit: 'games',
    quiet,
    read: () => ({
      done: kept + Number(Atomics.load(counters, GAMES_PLAYED)),
      note: plan.address === undefined ? speed() : progressNote(teller.progress(), 'shards'),
    }),
  });
  const interrupt = catchInterrupt('waiting up to 5 s for the games that are being recorded');
  let result: RunResult;
  let failed: readonly FailedTask[] = [];
  try {
    const options: RunOptions = {
      spec,
      directory,
      share,
      commit: findCommit(),
      workers,
      counters,
      signal: interrupt.signal,
      choiceMs,
      onRemark: sayBeside,
      onKept: (games) => {
        kept += games;
      },
      onDamage: (file, what) => talk(`${file} is damaged, its games are played again: ${what}`),
      onRewrite: (file, what) => talk(`${file} is written anew: ${what}`),
    };
    if (plan.address === undefined) result = await runSelfplay(options);
    else {
      const { address, store } = plan;
      const played = await playRunByQueue({ ...options, address, store, onEvent: teller.onEvent });
      result = played;
      failed = played.failed;
    }
  } finally {
    interrupt.release();
    stop();
  }
  if (failed.length > 0) {
    const shards = failed.map(({ task }) => task).join(', ');
    process.stderr.write(`lepanto: without ${countOf(failed.length, 'shard')} that failed every time: ${shards}\n`);
    process.stderr.write(`lepanto: to play what is missing here: ${commandOf(plan)}\n`);
  } else if (result.summary.games < total) {
    sayInterrupted(`${group(recordedGames(plan))} of ${group(total)} games are recorded; ${resumeText(plan)}`);
    return INTERRUPTED;
  }
  if (result.summary.games === 0) return 1;
  const threads = plan.address === undefined ? workers : threadsOf(teller.progress());
  const report = makeReport({ ...plan, workers: threads }, result, Number(counters[STEPS_PLAYED]), seconds());
  const event = plan.address === undefined ? report : { event: 'summary', ...report, failed };
  if (plan.json) process.stdout.write(`${JSON.stringify(event)}\n`);
  else process.stdout.write(`${table(report)}\n\n${readBack(report)}\n`);
  return failed.length > 0 ? 1 : 0;
};
