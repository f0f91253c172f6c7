// Runs `lepanto arena`: plays agents against each other.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type ScoreName, scoreNames } from '../../engine/internal.js';
import { expandAgents } from '../../selfplay/agents/probe.js';
import { agentKinds, isModuleName, isSchemeName } from '../../selfplay/agents/registry.js';
import { type ArenaResult, runArena } from '../../selfplay/arena/arena.js';
import { type ArenaSpec, type ProtocolName, protocolNames } from '../../selfplay/arena/protocol.js';
import type { AgentStanding } from '../../selfplay/arena/standings.js';
import { findCommit, lepantoVersion } from '../../selfplay/records/version.js';
import { CHOICE_MS } from '../../selfplay/workers/patience.js';
import { catchInterrupt, INTERRUPTED, sayInterrupted } from '../cli/interrupt.js';
import { sayBeside } from '../cli/output.js';
import { startProgress } from '../cli/progress.js';
import { asUsage, MAX_CHOICE_MS, oneOf, orUsage, parseWhole, UsageError } from '../cli/usage.js';
import { openMap } from '../maps/open-map.js';
import { ruleSetByName } from '../text/rule-set.js';

const DEFAULT_GAMES = '70';
const DEFAULT_YEARS = 10;
const MAX_GAMES = 10_000_000;
const MAX_WORKERS = 256;
const aliases: Readonly<Record<string, ScoreName>> = {
  sos: 'sum_of_squares',
  dss: 'draw_size',
  soc: 'sum_of_centers',
};

export const help = `
usage: lepanto arena --agents A,B,... [OPTIONS]

Plays agents against each other and says how they did. Seats move on from game to game; the same seed gives the same
games, with any number of workers (but for agents that search by milliseconds). Ctrl-C ends it with the games played so
far, as many of the first ones as have ended.

  --agents LIST      two or more, separated by commas; options as name:key=value; ./my-agent.js loads a
                     module, exec:COMMAND starts a bot of any language (bindings/PROTOCOL.md); COMMAND has no comma
  --protocol NAME    1v6 (the first agent in one seat against six of each other), 6v1, round-robin (each in one seat
                     against six of each), random-seats (1v6)
  --games N          games (${DEFAULT_GAMES}); a multiple of the powers times the pairings gives every seat its turn
  --until YEAR       last year; a game without a winner after its winter is a draw (${DEFAULT_YEARS} years)
  --scoring NAME     ${scoreNames.join(', ')} (sum_of_squares)
  --seed S           a whole number (1)
  --workers W        threads (one for each processor: ${availableParallelism()} here)
  --choice-ms N      milliseconds for one choice of a module (${CHOICE_MS}, 0: as many as it takes); over it its thread is
                     replaced and the game played again, the third time the arena ends: no result depends on the clock
  --map NAME         map (standard)
  --map-options L    its own rules in force: tsr,suez or ice=no (as the map has them)
  --rules RULES      rules (datc-3.2); see lepanto rules: its options of adjudication and of running games count
  --json             one JSON object
  --quiet            no progress

Agents:
${agentKinds.map(({ name, help: about }) => `  ${name.padEnd(10)}${about}`).join('\n')}
`;

const optionTypes = {
  agents: { type: 'string' },
  protocol: { type: 'string', default: '1v6' },
  games: { type: 'string', default: DEFAULT_GAMES },
  until: { type: 'string' },
  scoring: { type: 'string', default: 'sum_of_squares' },
  seed: { type: 'string', default: '1' },
  workers: { type: 'string' },
  'choice-ms': { type: 'string', default: String(CHOICE_MS) },
  map: { type: 'string', default: 'standard' },
  'map-options': { type: 'string' },
  rules: { type: 'string', default: 'datc-3.2' },
  json: { type: 'boolean', default: false },
  quiet: { type: 'boolean', default: false },
} as const;

const readAgents = async (text: string | undefined, choiceMs: number): Promise<string[]> => {
  if (text === undefined) throw new UsageError('--agents: got nothing, wanted two or more, separated by commas');
  try {
    return await expandAgents(text.split(','), choiceMs);
  } catch (error) {
    throw asUsage('agents', error);
  }
};

interface Plan {
  readonly spec: ArenaSpec;
  readonly workers: number;
  readonly choiceMs: number;
  readonly json: boolean;
  readonly quiet: boolean;
}

const readPlan = async (args: string[]): Promise<Plan> => {
  const { values } = parseArgs({ args, options: optionTypes });
  const map = orUsage('map', () => openMap(values.map, values['map-options']));
  const choiceMs = parseWhole('choice-ms', values['choice-ms'], 0, MAX_CHOICE_MS);
  const agents = await readAgents(values.agents, choiceMs);
  const protocol: ProtocolName = oneOf('protocol', values.protocol, protocolNames);
  if (agents.length < 2) throw new UsageError(`--agents: got ${agents.length}, wanted at least 2`);
  const until = values.until ?? String(map.startYear + DEFAULT_YEARS - 1);
  const spec: ArenaSpec = {
    map: map.name,
    rules: orUsage('rules', () => ruleSetByName(values.rules)).runName,
    agents,
    protocol,
    scoring: aliases[values.scoring] ?? oneOf('scoring', values.scoring, scoreNames),
    games: parseWhole('games', values.games, 1, MAX_GAMES),
    until: parseWhole('until', until, map.startYear, 9999),
    seed: parseWhole('seed', values.seed, -(2 ** 31), 2 ** 31 - 1),
  };
  const workers = parseWhole('workers', values.workers ?? String(availableParallelism()), 1, MAX_WORKERS);
  return { spec, workers, choiceMs, json: values.json, quiet: values.quiet };
};

const percent = (n: number, of: number): string => `${((100 * n) / of).toFixed(1)} %`;

const plusMinus = (mean: number, error: number): string =>
  `${mean.toFixed(3)}${Number.isNaN(error) ? '' : ` +- ${error.toFixed(3)}`}`;

/** Columns of text, the first to the left, the others to the right. */
const columns = (rows: readonly (readonly string[])[]): string => {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows
    .map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  '))
    .join('\n');
};

/** Agents by the shortest text that tells them apart: name and number where two have the same. */
const shortNames = (agents: readonly string[]): string[] =>
  agents.map((agent, i) => {
    const name = isModuleName(agent) || isSchemeName(agent) ? agent : agent.split(':')[0];
    return agents.filter((other) => other.split(':')[0] === name).length > 1 ? `${i + 1} ${name}` : name;
  });

const table = (standings: readonly AgentStanding[]): string => {
  const names = shortNames(standings.map(({ agent }) => agent));
  const head = [
    'agent',
    'games',
    'seats',
    'mean score',
    'solos',
    'most centres',
    'survived',
    'defeated',
    'centres',
    'rating',
  ];
  const rows = standings.map((one, i) => [
    names[i],
    String(one.games),
    String(one.seats),
    plusMinus(one.score, one.error),
    percent(one.solos, one.seats),
    percent(one.most, one.seats),
    percent(one.survived, one.seats),
    percent(one.defeated, one.seats),
    one.centers.toFixed(2),
    `${one.rating.mu.toFixed(1)} +- ${one.rating.sigma.toFixed(1)}`,
  ]);
  return columns([head, ...rows]);
};

const powerTable = (standings: readonly AgentStanding[]): string => {
  const names = shortNames(standings.map(({ agent }) => agent));
  const powers = [...new Set(standings.flatMap((one) => Object.keys(one.powers)))].sort();
  const rows = powers.map((power) => [
    power,
    ...standings.map(({ powers: own }) =>
      own[power] === undefined ? '-' : `${plusMinus(own[power].score, own[power].error)} (${own[power].games})`,
    ),
  ]);
  return columns([['mean score', ...names], ...rows]);
};

/** True for an agent whose play depends on the clock. */
const isTimed = (agent: string): boolean => /:ms=(?!0(:|$))/.test(agent);

const printResult = (spec: ArenaSpec, { standings }: ArenaResult, seconds: number): void => {
  const listed = spec.agents.map((agent, i) => `  ${i + 1} ${agent}`).join('\n');
  const note = spec.agents.some(isTimed) ? '\nsome agents search by milliseconds: these games cannot be repeated' : '';
  process.stdout.write(
    `${spec.games} games, ${spec.protocol}, to the end of ${spec.until}, ${spec.scoring}, ${seconds.toFixed(1)} s\n` +
      `${listed}\n\n${table(standings)}\n\n${powerTable(standings)}\n${note}`,
  );
};

export const run = async (args: string[]): Promise<number> => {
  const { spec, workers, choiceMs, json, quiet } = await readPlan(args);
  const begin = performance.now();
  let done = 0;
  const stop = startProgress({ total: spec.games, unit: 'games', quiet, read: () => ({ done, note: '' }) });
  const interrupt = catchInterrupt('waiting up to 5 s for the games that are being played');
  let result: ArenaResult;
  try {
    result = await runArena(spec, {
      workers,
      signal: interrupt.signal,
      choiceMs,
      onRemark: sayBeside,
      onGame: (played) => {
        done = played;
      },
    });
  } finally {
    interrupt.release();
    stop();
  }
  const played = { ...spec, games: result.games.length };
  const isWhole = played.games === spec.games;
  if (!isWhole)
    sayInterrupted(`${played.games} of ${spec.games} games were played; the same command begins with the first again`);
  if (played.games === 0) return INTERRUPTED;
  const seconds = (performance.now() - begin) / 1000;
  if (!json) printResult(played, result, seconds);
  else
    process.stdout.write(
      `${JSON.stringify({
        ...played,
        reproducible: !spec.agents.some(isTimed),
        lepanto: lepantoVersion,
        commit: findCommit(),
        workers,
        seconds,
        standings: result.standings,
      })}\n`,
    );
  return isWhole ? 0 : INTERRUPTED;
};
