// Runs `lepanto arena`: plays agents against each other.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type ScoreName, scoreNames } from '../../engine/internal.js';
import { expandAgents } from '../../selfplay/agents/probe.js';
import { agentKinds } from '../../selfplay/agents/registry.js';
import { type ArenaResult, runArena } from '../../selfplay/arena/arena.js';
import { type ArenaSpec, type ProtocolName, protocolNames } from '../../selfplay/arena/protocol.js';
import { CHOICE_MS } from '../../selfplay/workers/patience.js';
import { arenaRecord, arenaText } from '../cli/arena-report.js';
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
  const { standings } = result;
  process.stdout.write(
    json
      ? `${JSON.stringify(arenaRecord(played, standings, workers, seconds))}\n`
      : arenaText(played, standings, seconds),
  );
  return isWhole ? 0 : INTERRUPTED;
};
