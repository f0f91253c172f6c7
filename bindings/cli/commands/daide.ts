// Runs `lepanto daide`: serves tables to bots that speak DAIDE, which play each other or agents of Lepanto.

import { closeSync, openSync, writeSync } from 'node:fs';
import { type CompiledMap, MAX_POWERS, type Power } from '../../../engine/internal.js';
import { loadAgent } from '../../../selfplay/agents/registry.js';
import { endingOptions } from '../../../selfplay/games/ending.js';
import { seedOption, type ValuesOf, wholeIn } from '../../../selfplay/question/option.js';
import { lepantoVersion } from '../../../selfplay/version.js';
import { DaideRecords } from '../../protocols/daide/daide-records.js';
import { DaideServer } from '../../protocols/daide/daide-server.js';
import type { GameTable } from '../../protocols/daide/game-table.js';
import { MAX_INTEGER } from '../../protocols/daide/language.js';
import { Representation } from '../../protocols/daide/representation.js';
import { SeatedAgent, shuffled } from '../../protocols/daide/seats.js';
import { counted } from '../../reports/figures.js';
import { catchInterrupt, formatCommand, INTERRUPTED, sayInterrupted } from '../../terminal/interrupt.js';
import { lastYear, readMap, readPowers, readRules } from '../../terminal/map-and-rules.js';
import { mapOption, optionText, portOption, readArguments } from '../../terminal/options.js';
import { printable, sayBeside } from '../../terminal/output.js';
import { asUsage, checkFile, makeDirectory, orUsage, UsageError } from '../../terminal/usage.js';

/** Default number of years, after which a game without a winner is a draw. */
const DEFAULT_YEARS = 35;
/** Options for the rules of DAIDE: an army moves by convoy only if ordered to (CTO), over the fleets it names. */
const ruleOptions = [
  'convoyRoutes=all',
  'paradox=dptg',
  'adjacentConvoy=written',
  'cutFromOrigin=yes',
  'superfluousConvoy=legal',
];
const SECONDS = { ...wholeIn(0, MAX_INTEGER), takes: 'S' } as const;

export const options = {
  port: { ...portOption.port, default: 16713 },
  host: { takes: 'H', default: '127.0.0.1', help: 'address to listen at; 0.0.0.0: all networks' },
  tables: { ...wholeIn(1, 1000), formerly: 'games', default: 1, help: 'number of tables at once' },
  repeat: {
    formerly: 'rounds',
    ...wholeIn(0, 1_000_000),
    takes: 'R',
    default: 1,
    help: 'number of games of each table; 0: until Ctrl-C',
  },
  agents: {
    takes: 'A',
    default: 'dumbbot',
    help: 'agent of the other seats (see lepanto agents), or one for each, separated by commas',
  },
  power: { takes: 'LIST', help: 'powers of clients (default: all, or --clients powers, drawn by the seed)' },
  clients: { ...wholeIn(1, MAX_POWERS), help: 'number of seats of clients at a table (default: that of --power)' },
  'in-order': { help: 'powers in the order of arrival instead of by the seed' },
  seed: { ...seedOption.seed, help: 'seed of the powers and the agents, a whole number' },
  until: {
    ...endingOptions.until,
    most: MAX_INTEGER - 1,
    help: `${endingOptions.until.help} (default: ${DEFAULT_YEARS} years)`,
  },
  'move-time': { ...SECONDS, default: 0, help: `time limit for moves in seconds, at most ${MAX_INTEGER}; 0: none` },
  'retreat-time': { ...SECONDS, help: 'time limit for retreats in seconds (default: as for moves)' },
  'build-time': { ...SECONDS, help: 'time limit for builds and removals in seconds (default: as for moves)' },
  'lost-time': {
    ...SECONDS,
    formerly: 'grace',
    default: 10,
    help: 'time to wait for a lost client if there is no time limit, in seconds',
  },
  dsd: { help: 'stop the clock and the game while a power that must order is disconnected' },
  aoa: { help: 'accept all orders; impossible ones fail' },
  'no-adm': { help: 'refuse admin messages' },
  out: { takes: 'DIR', help: 'directory of the records, empty or new' },
  ...mapOption,
  rules: {
    takes: 'RULES',
    default: `datc-3.2,${ruleOptions.join(',')}`,
    help: `rules, see lepanto rules (default: datc-3.2 with ${ruleOptions.join(', ')})`,
  },
  connections: { ...wholeIn(1, 100_000), default: 1000, help: 'maximum number of connections at once' },
  log: { takes: 'FILE', help: 'log of every message from (<) and to (>) clients, as text' },
  json: { help: 'one JSON object a line' },
  quiet: { help: 'nothing on standard error' },
} as const;

export const help = `
usage: lepanto daide [OPTIONS]

Serves games to bots that speak DAIDE (clients), level 0 (no press), over TCP. A
client gets a seat at the first table with a free one. Prints the address, then
the result of each game. lepanto help daide-bots describes the protocol.

${optionText(options)}

Ctrl-C tells every client to exit (OFF) and ends; unfinished games are not
recorded.
`;

/** Seconds after which a table without clients is abandoned. */
const ABANDON_SECONDS = 60;
/** Seconds in which a client has to accept the map. Long, because clients may process the map before. */
const MAP_SECONDS = 300;

type Chosen = ValuesOf<typeof options>;

/**
 * Returns the powers given by --power, ascending; null without the option.
 * @throws UsageError for an unknown or repeated power
 */
const clientPowers = (map: CompiledMap, text: string | undefined): Power[] | null => {
  if (text === undefined) return null;
  const powers = readPowers(map, text, `some of ${map.powerNames.join(',')}`);
  if (new Set(powers).size < powers.length) throw new UsageError(`--power: got "${text}", wanted each power once`);
  return powers.sort((a, b) => a - b);
};

/**
 * Returns a function that takes the seed of a table and returns its players, indexed by power: an agent, or null for a
 * client.
 * @throws UsageError for too many clients, a wrong number of agents, or an agent that cannot be loaded
 */
const readSeats = async (
  map: CompiledMap,
  { agents, power, clients }: Chosen,
): Promise<(seed: number) => (SeatedAgent | null)[]> => {
  const powers = clientPowers(map, power);
  const all = [...map.powerNames.keys()];
  const most = powers?.length ?? map.powerCount;
  const count = clients ?? most;
  if (count > most) throw new UsageError(`--clients: got "${count}", wanted a whole number from 1 to ${most}`);
  const names = agents.split(',');
  const left = map.powerCount - count;
  if (left > 0 && names.length !== 1 && names.length !== left)
    throw new UsageError(`--agents: got ${names.length}, wanted 1 or ${left}, one for each other seat`);
  const made = new Map<string, SeatedAgent>();
  for (const name of left > 0 ? names : []) {
    const agent = await loadAgent(name).catch((error: unknown) => {
      throw asUsage('agents', error);
    });
    made.set(name, new SeatedAgent(name, agent));
  }
  return (seed) => {
    const drawn = shuffled(powers ?? all, seed).slice(0, count);
    let next = 0;
    return all.map((one) => (drawn.includes(one) ? null : (made.get(names[next++ % names.length]) ?? null)));
  };
};

const readPlan = async (args: string[]) => {
  const { values } = readArguments(args, options, false);
  const map = readMap(values);
  const rules = readRules(values.rules);
  const rep = orUsage('map', () => new Representation(map));
  const { seed, 'move-time': moveTime } = values;
  const until = lastYear(map, values.until, DEFAULT_YEARS);
  const table = {
    rep,
    rules: rules.adjudication,
    until,
    longGameDraw: rules.running.longGameDraw === 'yes',
    seatsOf: await readSeats(map, values),
    version: lepantoVersion,
    inOrder: values['in-order'],
    limits: [moveTime, values['retreat-time'] ?? moveTime, values['build-time'] ?? moveTime] as const,
    stopsOnDisconnection: values.dsd,
    anyOrders: values.aoa,
    passesAdmin: !values['no-adm'],
    graceSeconds: values['lost-time'],
    abandonSeconds: ABANDON_SECONDS,
    mapSeconds: MAP_SECONDS,
  };
  if (values.out !== undefined) makeDirectory('--out', values.out);
  if (values.log !== undefined) checkFile('--log', values.log);
  const { host, port, tables, repeat: rounds, connections: maxConnections } = values;
  return { values, server: { host, port, table, tables, rounds, seed, maxConnections }, rules: rules.runName };
};

/** Returns the result of a table's game as --json prints it. */
const reportOf = ({ number, state, game, seating, options: { until } }: GameTable) => {
  const { powerNames } = game.rep.map;
  const centers = new Uint8Array(powerNames.length);
  game.game.countCenters(centers);
  const byPower = <T>(read: (power: number) => T): Record<string, T> =>
    Object.fromEntries(powerNames.map((name, power) => [name, read(power)]));
  return {
    game: number,
    result: state === 'abandoned' ? 'abandoned' : game.winner >= 0 ? 'solo' : 'draw',
    winner: powerNames[game.winner] ?? null,
    // After the last winter, the game is at the spring of the following year.
    year: Math.min(game.game.year, until),
    turns: game.turns,
    centers: byPower((power) => centers[power]),
    players: byPower((power) => `${seating[power].name} ${seating[power].version}`.trim()),
  };
};

const lineOf = (table: GameTable): string => {
  const { game, result, winner, year, turns, centers } = reportOf(table);
  const seats = Object.entries(centers).map(
    ([name, count], power) => `${name} ${count} (${table.seating[power].name || 'nobody'})`,
  );
  const end = result === 'abandoned' ? 'given up' : winner === null ? 'draw' : `solo of ${winner}`;
  return `game ${game}: ${end} in ${year} after ${turns} turns: ${seats.join(', ')}`;
};

/** Opens a file for lines. Each line is written synchronously: clients could fill the memory with buffered lines. */
const openLog = (path: string): { write: (line: string) => void; close: () => void } => {
  const file = openSync(path, 'w');
  let isFull = false;
  return {
    write: (line) => {
      if (isFull) return;
      try {
        writeSync(file, `${line}\n`);
      } catch (error) {
        isFull = true;
        sayBeside(`--log stops: ${(error as Error).message}`);
      }
    },
    close: () => closeSync(file),
  };
};

export const run = async (args: string[]): Promise<number> => {
  const { values, server: settings, rules } = await readPlan(args);
  const { out, log: logFile, seed, json, quiet } = values;
  const { rep, until } = settings.table;
  const run = { map: rep.map.name, rules, seed, until, command: formatCommand(['daide', ...args]) };
  const records = out === undefined ? null : new DaideRecords(out, run);
  const log = logFile === undefined ? null : openLog(logFile);
  let played = 0;
  const server = new DaideServer({
    ...settings,
    onGame: async (table) => {
      played++;
      process.stdout.write(`${json ? JSON.stringify(reportOf(table)) : printable(lineOf(table))}\n`);
      if (table.state === 'over') records?.add(table);
    },
    onRemark: (text) => {
      if (!quiet) sayBeside(text);
    },
    onTrace: log?.write,
  });
  const { host } = settings;
  const port = await server.listen().catch((error: Error) => {
    throw new UsageError(`--host, --port: ${error.message}`);
  });
  process.stdout.write(json ? `${JSON.stringify({ listening: { host, port } })}\n` : `listening on ${host}:${port}\n`);
  const interrupt = catchInterrupt('telling the clients to exit');
  const stop = (): void => void server.close();
  interrupt.signal.addEventListener('abort', stop);
  // Service managers stop a service with SIGTERM.
  process.once('SIGTERM', stop);
  try {
    await server.done;
  } finally {
    interrupt.release();
    process.off('SIGTERM', stop);
    log?.close();
  }
  if (!interrupt.signal.aborted) return 0;
  sayInterrupted(`${counted(played, 'game')} ended`);
  return INTERRUPTED;
};
