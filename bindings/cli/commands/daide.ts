// Runs `lepanto daide`: tables where bots that speak DAIDE play, against each other or against agents of Lepanto.
import { closeSync, openSync, writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { CompiledMap, Power } from '../../../engine/internal.js';
import { agentKinds, loadAgent } from '../../../selfplay/agents/registry.js';
import { lepantoVersion } from '../../../selfplay/records/version.js';
import { openMap } from '../../notation/maps/open-map.js';
import { findPower } from '../../notation/text/names.js';
import { ruleSetByName } from '../../notation/text/rule-set.js';
import { DaideRecords } from '../../protocols/daide/daide-records.js';
import { DaideServer } from '../../protocols/daide/daide-server.js';
import { type GameTable, shuffled } from '../../protocols/daide/game-table.js';
import { MAX_INTEGER } from '../../protocols/daide/language.js';
import { Representation } from '../../protocols/daide/representation.js';
import { SeatedAgent } from '../../protocols/daide/table-agents.js';
import { catchInterrupt, formatCommand, INTERRUPTED, sayInterrupted } from '../shared/interrupt.js';
import { sayBeside } from '../shared/output.js';
import { asUsage, checkFile, makeDirectory, orUsage, parseWhole, UsageError } from '../shared/usage.js';

const DEFAULT_PORT = '16713';
/** A game that nobody wins has an end. */
const DEFAULT_YEARS = 35;
/**
 * What DAIDE's own words say: an army goes by convoy where it is ordered to (CTO), and over the fleets that it names.
 */
const DEFAULT_RULES =
  'datc-3.2,convoyRoutes=all,paradox=dptg,adjacentConvoy=written,cutFromOrigin=yes,superfluousConvoy=legal';
const MAX_TABLES = 1000;
const MAX_GAMES = 1_000_000;

export const help = `
usage: lepanto daide [OPTIONS]

Serves games to bots that speak DAIDE, level 0 (no press), over TCP: a bot that connects sits down at the first table with
a free seat. Prints the address, then how each game ended. bindings/protocols/daide/README.md says what is answered when.

  --port P         port (${DEFAULT_PORT}); 0 takes a free one
  --host H         address to listen at (127.0.0.1: this machine alone); 0.0.0.0 is every network
  --games N        tables at once (1)
  --rounds R       games that each table plays, one after the other (1); 0: until Ctrl-C
  --agents A       agent of Lepanto, or one for each seat that clients leave, separated by commas (dumbbot)
  --power LIST     powers that clients play (all of them, or as many as --clients, drawn by the seed)
  --clients N      seats of clients at a table
  --in-order       the first client gets the first power; else they are dealt by the seed
  --seed S         a whole number (1): deals the powers, and draws for the agents
  --until YEAR     last year; a game without a winner is a draw after it (${DEFAULT_YEARS} years)
  --move-time S    seconds for moves (0: no limit), at most ${MAX_INTEGER}
  --retreat-time S seconds for retreats (as moves)
  --build-time S   seconds for builds and removals (as moves)
  --grace S        seconds that a turn without a limit waits for a client that is gone (10)
  --dsd            the clock, and the game, stop while a power that has to order is disconnected
  --aoa            any orders are accepted; those that are not possible fail
  --no-adm         admin messages are refused
  --out DIR        record the games as a run: an empty or a new directory
  --map NAME       map: a name or a file, see lepanto map (standard)
  --rules RULES    rules; see lepanto rules
                   (${DEFAULT_RULES})
  --connections N  the most at once (1000)
  --log FILE       every message that comes (<) and goes (>), as text
  --json           one JSON object a line
  --quiet          nothing on standard error

Ctrl-C tells every client to exit (OFF) and ends; games that were being played are not recorded.

Agents:
${agentKinds.map(({ name, help: about }) => `  ${name.padEnd(10)}${about}`).join('\n')}
`;

const optionTypes = {
  port: { type: 'string', default: DEFAULT_PORT },
  host: { type: 'string', default: '127.0.0.1' },
  games: { type: 'string', default: '1' },
  rounds: { type: 'string', default: '1' },
  agents: { type: 'string', default: 'dumbbot' },
  power: { type: 'string' },
  clients: { type: 'string' },
  'in-order': { type: 'boolean', default: false },
  seed: { type: 'string', default: '1' },
  until: { type: 'string' },
  'move-time': { type: 'string', default: '0' },
  'retreat-time': { type: 'string' },
  'build-time': { type: 'string' },
  grace: { type: 'string', default: '10' },
  dsd: { type: 'boolean', default: false },
  aoa: { type: 'boolean', default: false },
  'no-adm': { type: 'boolean', default: false },
  out: { type: 'string' },
  map: { type: 'string', default: 'standard' },
  rules: { type: 'string', default: DEFAULT_RULES },
  connections: { type: 'string', default: '1000' },
  log: { type: 'string' },
  json: { type: 'boolean', default: false },
  quiet: { type: 'boolean', default: false },
} as const;

/** Seconds after which a table without clients is given up. */
const ABANDON_SECONDS = 60;
/** Seconds for a client to accept the map: it may want to work on it. */
const MAP_SECONDS = 300;

interface Plan {
  readonly server: Omit<ConstructorParameters<typeof DaideServer>[0], 'onGame' | 'onRemark' | 'onTrace'>;
  readonly out: string | null;
  readonly log: string | null;
  readonly seed: number;
  readonly until: number;
  readonly rules: string;
  readonly json: boolean;
  readonly quiet: boolean;
}

const parseOptions = (args: string[]) => parseArgs({ args, options: optionTypes }).values;
type Values = ReturnType<typeof parseOptions>;

/** The powers of --power; null without it. */
const readPowers = (map: CompiledMap, text: string | undefined): Power[] | null => {
  if (text === undefined) return null;
  const powers = text.split(',').map((name) => {
    const power = findPower(map, name.trim());
    if (power < 0) throw new UsageError(`--power: got "${name}", wanted some of ${map.powerNames.join(',')}`);
    return power;
  });
  if (new Set(powers).size < powers.length) throw new UsageError(`--power: got "${text}", wanted each power once`);
  return powers.sort((a, b) => a - b);
};

/** Who plays what, by the seed of a table. */
const readSeats = async (
  map: CompiledMap,
  { agents, power, clients }: Values,
): Promise<(seed: number) => (SeatedAgent | null)[]> => {
  const powers = readPowers(map, power);
  const all = [...map.powerNames.keys()];
  const most = powers?.length ?? map.powerCount;
  const count = clients === undefined ? most : parseWhole('clients', clients, 1, most);
  const names = agents.split(',');
  const left = map.powerCount - count;
  if (left > 0 && names.length !== 1 && names.length !== left)
    throw new UsageError(`--agents: got ${names.length}, wanted 1 or ${left}, one for each seat that clients leave`);
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

const readPlan = async (args: string[]): Promise<Plan> => {
  const values = parseOptions(args);
  const map = orUsage('map', () => openMap(values.map));
  const rules = orUsage('rules', () => ruleSetByName(values.rules));
  const rep = orUsage('map', () => new Representation(map));
  const seed = parseWhole('seed', values.seed, -(2 ** 31), 2 ** 31 - 1);
  const lastYear = values.until ?? String(map.startYear + DEFAULT_YEARS - 1);
  const until = parseWhole('until', lastYear, map.startYear, MAX_INTEGER - 1);
  const time = (option: 'move-time' | 'retreat-time' | 'build-time'): number =>
    parseWhole(option, values[option] ?? values['move-time'], 0, MAX_INTEGER);
  const table = {
    rep,
    rules: rules.adjudication,
    until,
    longGameDraw: rules.running.longGameDraw === 'yes',
    seatsOf: await readSeats(map, values),
    version: lepantoVersion,
    inOrder: values['in-order'],
    limits: [time('move-time'), time('retreat-time'), time('build-time')] as const,
    stopsOnDisconnection: values.dsd,
    anyOrders: values.aoa,
    passesAdmin: !values['no-adm'],
    graceSeconds: parseWhole('grace', values.grace, 0, MAX_INTEGER),
    abandonSeconds: ABANDON_SECONDS,
    mapSeconds: MAP_SECONDS,
  };
  if (values.out !== undefined) makeDirectory('--out', values.out);
  if (values.log !== undefined) checkFile('--log', values.log);
  return {
    server: {
      host: values.host,
      port: parseWhole('port', values.port, 0, 65_535),
      table,
      tables: parseWhole('games', values.games, 1, MAX_TABLES),
      rounds: parseWhole('rounds', values.rounds, 0, MAX_GAMES),
      seed,
      maxConnections: parseWhole('connections', values.connections, 1, 100_000),
    },
    out: values.out ?? null,
    log: values.log ?? null,
    seed,
    until,
    rules: rules.runName,
    json: values.json,
    quiet: values.quiet,
  };
};

/** How a game ended. */
const reportOf = ({ number, state, game, seating }: GameTable): object => {
  const { map } = game.rep;
  const centers = new Uint8Array(map.powerCount);
  game.game.countCenters(centers);
  const result = state === 'abandoned' ? 'abandoned' : game.winner >= 0 ? 'solo' : 'draw';
  return {
    game: number,
    result,
    winner: game.winner >= 0 ? map.powerNames[game.winner] : null,
    year: game.game.year,
    turns: game.turns,
    centers: Object.fromEntries(map.powerNames.map((name, power) => [name, centers[power]])),
    players: Object.fromEntries(
      map.powerNames.map((name, power) => [name, [seating[power].name, seating[power].version].join(' ').trim()]),
    ),
  };
};

const lineOf = (table: GameTable): string => {
  const { number, state, game, seating } = table;
  const { powerNames } = game.rep.map;
  const centers = new Uint8Array(powerNames.length);
  game.game.countCenters(centers);
  const who = powerNames
    .map((name, power) => `${name} ${centers[power]} (${seating[power].name || 'nobody'})`)
    .join(', ');
  const end = state === 'abandoned' ? 'given up' : game.winner >= 0 ? `solo of ${powerNames[game.winner]}` : 'draw';
  return `game ${number}: ${end} in ${game.game.year} after ${game.turns} turns: ${who}`;
};

/** A file for lines. Each is written at once: a line that waits would be memory that a client can fill. */
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
        sayBeside(`--log ends here: ${(error as Error).message}`);
      }
    },
    close: () => closeSync(file),
  };
};

export const run = async (args: string[]): Promise<number> => {
  const plan = await readPlan(args);
  const { server: settings, json, quiet } = plan;
  const { rep } = settings.table;
  const records =
    plan.out === null
      ? null
      : new DaideRecords(plan.out, {
          map: rep.map.name,
          rules: plan.rules,
          seed: plan.seed,
          until: plan.until,
          command: formatCommand(['daide', ...args]),
        });
  const log = plan.log === null ? null : openLog(plan.log);
  let played = 0;
  const server = new DaideServer({
    ...settings,
    onGame: async (table) => {
      played++;
      process.stdout.write(`${json ? JSON.stringify(reportOf(table)) : lineOf(table)}\n`);
      if (table.state === 'over') await records?.add(table);
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
  // What ends a service.
  process.once('SIGTERM', stop);
  try {
    await server.done;
  } finally {
    interrupt.release();
    process.off('SIGTERM', stop);
    log?.close();
  }
  if (!interrupt.signal.aborted) return 0;
  sayInterrupted(`${played} games have ended`);
  return INTERRUPTED;
};
