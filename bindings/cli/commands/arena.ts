// Runs `lepanto arena`: plays agents against each other.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type CompiledMap, type ScoreName, scoreNames } from '../../../engine/internal.js';
import { expandAgents } from '../../../selfplay/agents/probe.js';
import { agentKinds } from '../../../selfplay/agents/registry.js';
import { runArena } from '../../../selfplay/arena/arena.js';
import { type FieldSpec, fieldArenas, fieldFamilies, runField } from '../../../selfplay/arena/field.js';
import { type GateSpec, gateGames, runGate } from '../../../selfplay/arena/gate.js';
import { KeptGames } from '../../../selfplay/arena/kept-games.js';
import { type ArenaSpec, protocolNames } from '../../../selfplay/arena/protocol.js';
import { CHOICE_MS } from '../../../selfplay/workers/patience.js';
import type { QueueAddress } from '../../cluster/queue/address.js';
import { playArenaByQueue } from '../../cluster/queue/play-arena.js';
import { makeTeller, progressNote, readWay, type Teller, threadsOf } from '../../cluster/queue/tell.js';
import { openMap } from '../../notation/maps/open-map.js';
import { ruleSetByName } from '../../notation/text/rule-set.js';
import { arenaRecord, arenaText } from '../shared/arena-report.js';
import { fieldMarkdown, fieldRecord, fieldText } from '../shared/field-report.js';
import { gateRecord, gateText } from '../shared/gate-report.js';
import { catchInterrupt, INTERRUPTED, sayInterrupted } from '../shared/interrupt.js';
import { sayBeside } from '../shared/output.js';
import { startProgress } from '../shared/progress.js';
import { asUsage, MAX_CHOICE_MS, oneOf, orUsage, parseWhole, UsageError } from '../shared/usage.js';

const DEFAULT_GAMES = '70';
const DEFAULT_YEARS = 10;
const FIELD_GAMES = '56';
/** Of fields and gates. */
const FIELD_YEARS = 8;
const GATE_GAMES = '28';
const GATE_LOOKS = '4';
const GATE_P = '0.05';
const MAX_LOOKS = 1000;
const MAX_GAMES = 10_000_000;
const MAX_WORKERS = 256;
const aliases: Readonly<Record<string, ScoreName>> = {
  sos: 'sum_of_squares',
  dss: 'draw_size',
  soc: 'sum_of_centers',
};

export const help = `
usage: lepanto arena --agents A,B,... [OPTIONS]
       lepanto arena --field AGENT [OPTIONS]
       lepanto arena --gate NEW --against BEST [OPTIONS]

Plays agents against each other and says how they did. Seats move on from game to game; the same seed gives the same
games, with any number of workers (but for agents that search by milliseconds). Ctrl-C ends it with the games played so
far, as many of the first ones as have ended.

--field measures one agent against players that differ in kind: in each seat in turn against six of each family, and at
a table of six different ones. Game by game all families have the same seeds and seats, and so has another agent that
is measured later. The families that it does worst against come first; by sum_of_squares 1/7 is what equals get.

--gate says whether an agent is better than another, and ends as soon as that is clear: exit code 0 if it passes, 1 if not. In
each look one seat of either meets six of the other, with the same seeds and seats. It passes at the first look where its
gains are luck with a probability below P / N (t-test), so that N looks pass an equal agent with P at the most, and if it is
worse against no anchor by two standard errors.

  --agents LIST      two or more, separated by commas; options as name:key=value; ./my-agent.js loads a
                     module, exec:COMMAND starts a bot of any language (bindings/protocols/PROTOCOL.md); COMMAND has no comma
  --field AGENT      the agent to measure
  --families LIST    whom it meets, separated by commas
                     (${fieldFamilies.join(',')})
  --gate NEW         the agent that wants to pass
  --against BEST     the one that it is to be better than
  --looks N          how often more games are played before it is decided, at the most (${GATE_LOOKS})
  --p P              of passing by luck, over all looks (${GATE_P})
  --anchors LIST     whom it then meets, one seat against six, or field for the families of --field (nobody)
  --protocol NAME    1v6 (the first agent in one seat against six of each other), 6v1, round-robin (each in one seat
                     against six of each), random-seats, mixed (the first in one seat, the others in turn in the
                     rest) (1v6)
  --games N          games (${DEFAULT_GAMES}); a multiple of the powers times the pairings gives every seat its turn; with
                     --field those against each family (${FIELD_GAMES}), with --gate those of one look each way (${GATE_GAMES})
  --until YEAR       last year; a game without a winner after its winter is a draw (${DEFAULT_YEARS} years, ${FIELD_YEARS} with --field or --gate)
  --out FILE         keeps the games; the same command, or one with more games, goes on where it ended
  --scoring NAME     ${scoreNames.join(', ')} (sum_of_squares)
  --seed S           a whole number (1)
  --workers W        threads (one for each processor: ${availableParallelism()} here)
  --choice-ms N      milliseconds for one choice of a module (${CHOICE_MS}, 0: as many as it takes); over it its thread is
                     replaced and the game played again, the third time the arena ends: no result depends on the clock
  --map NAME         map (standard)
  --map-options L    its own rules in force: tsr,suez or ice=no (as the map has them)
  --rules RULES      rules (datc-3.2); see lepanto rules: its options of adjudication and of running games count
  --queue URL        has the games played by lepanto worker on other machines: redis://HOST:PORT, or env for the address
                     in LEPANTO_QUEUE_URL (bindings/cluster/queue/README.md)
  --store STORE      on which way the results come: redis, s3://BUCKET/PREFIX or a folder that all see (redis)
  --json             one JSON object; with --queue every event as a line, the result as the last one
  --markdown         a table in Markdown, of --field
  --quiet            no progress

Agents:
${agentKinds.map(({ name, help: about }) => `  ${name.padEnd(10)}${about}`).join('\n')}
`;

const optionTypes = {
  agents: { type: 'string' },
  field: { type: 'string' },
  families: { type: 'string' },
  gate: { type: 'string' },
  against: { type: 'string' },
  looks: { type: 'string' },
  p: { type: 'string' },
  anchors: { type: 'string' },
  protocol: { type: 'string' },
  games: { type: 'string' },
  until: { type: 'string' },
  out: { type: 'string' },
  scoring: { type: 'string', default: 'sum_of_squares' },
  seed: { type: 'string', default: '1' },
  workers: { type: 'string' },
  'choice-ms': { type: 'string', default: String(CHOICE_MS) },
  map: { type: 'string', default: 'standard' },
  'map-options': { type: 'string' },
  rules: { type: 'string', default: 'datc-3.2' },
  queue: { type: 'string' },
  store: { type: 'string' },
  json: { type: 'boolean', default: false },
  markdown: { type: 'boolean', default: false },
  quiet: { type: 'boolean', default: false },
} as const;

const readAgents = async (name: string, text: string, choiceMs: number): Promise<string[]> => {
  try {
    return await expandAgents(text.split(','), choiceMs);
  } catch (error) {
    throw asUsage(name, new Error((error as Error).message.replace(/^agent: /, '')));
  }
};

/** How the games of an arena, a field or a gate are played and told. */
interface Conditions {
  readonly workers: number;
  readonly choiceMs: number;
  readonly kept: KeptGames | undefined;
  readonly address: QueueAddress | undefined;
  readonly store: string | undefined;
  readonly teller: Teller;
  readonly json: boolean;
  readonly markdown: boolean;
  readonly quiet: boolean;
}

/** What they have in common. */
type Common = Pick<ArenaSpec, 'map' | 'rules' | 'scoring' | 'games' | 'until' | 'seed'>;

const parse = (args: string[]) => parseArgs({ args, options: optionTypes }).values;
type Values = ReturnType<typeof parse>;

const readCommon = (values: Values, map: CompiledMap): Common => {
  const isArena = values.field === undefined && values.gate === undefined;
  const games = isArena ? DEFAULT_GAMES : values.gate === undefined ? FIELD_GAMES : GATE_GAMES;
  const until = values.until ?? String(map.startYear + (isArena ? DEFAULT_YEARS : FIELD_YEARS) - 1);
  return {
    map: map.name,
    rules: orUsage('rules', () => ruleSetByName(values.rules)).runName,
    scoring: aliases[values.scoring] ?? oneOf('scoring', values.scoring, scoreNames),
    games: parseWhole('games', values.games ?? games, values.gate === undefined ? 1 : 2, MAX_GAMES),
    until: parseWhole('until', until, map.startYear, 9999),
    seed: parseWhole('seed', values.seed, -(2 ** 31), 2 ** 31 - 1),
  };
};

/** @throws UsageError for an option that only another kind of arena takes */
const refuseOthers = (values: Values, names: readonly (keyof Values)[], why: string): void => {
  for (const name of names)
    if (values[name] !== undefined && values[name] !== false) throw new UsageError(`--${name}: got it ${why}`);
};

const ofField = ['families', 'markdown'] as const;
const ofGate = ['against', 'looks', 'p', 'anchors'] as const;

const readArena = async (values: Values, common: Common, choiceMs: number): Promise<ArenaSpec> => {
  refuseOthers(values, ofField, 'without --field, wanted it with --field alone');
  refuseOthers(values, ofGate, 'without --gate, wanted it with --gate alone');
  if (values.agents === undefined)
    throw new UsageError('--agents: got nothing, wanted two or more, separated by commas');
  const agents = await readAgents('agents', values.agents, choiceMs);
  if (agents.length < 2) throw new UsageError(`--agents: got ${agents.length}, wanted at least 2`);
  return { ...common, agents, protocol: oneOf('protocol', values.protocol ?? '1v6', protocolNames) };
};

const readOne = async (name: string, text: string, choiceMs: number): Promise<string> => {
  const [one, ...more] = await readAgents(name, text, choiceMs);
  if (one === undefined || more.length > 0) throw new UsageError(`--${name}: got ${text}, wanted one agent`);
  return one;
};

const readField = async (values: Values, agent: string, common: Common, choiceMs: number): Promise<FieldSpec> => {
  refuseOthers(values, ['agents', 'protocol', 'gate'], 'with --field, wanted one of the two');
  refuseOthers(values, ofGate, 'without --gate, wanted it with --gate alone');
  if (values.json && values.markdown) throw new UsageError('--markdown: got it with --json, wanted one of the two');
  const one = await readOne('field', agent, choiceMs);
  const families = await readAgents('families', values.families ?? fieldFamilies.join(','), choiceMs);
  return { ...common, agent: one, families };
};

const readP = (text: string): number => {
  const p = text.trim() === '' ? Number.NaN : Number(text);
  if (p > 0 && p <= 0.5) return p;
  throw new UsageError(`--p: got "${text}", wanted a number above 0, and 0.5 at the most`);
};

const readGate = async (values: Values, agent: string, common: Common, choiceMs: number): Promise<GateSpec> => {
  refuseOthers(values, ['agents', 'protocol'], 'with --gate, wanted one of the two');
  refuseOthers(values, ofField, 'without --field, wanted it with --field alone');
  if (values.against === undefined) throw new UsageError('--against: got nothing, wanted the agent to be better than');
  const anchors = values.anchors === 'field' ? fieldFamilies.join(',') : values.anchors;
  return {
    ...common,
    agent: await readOne('gate', agent, choiceMs),
    against: await readOne('against', values.against, choiceMs),
    anchors: anchors === undefined ? [] : await readAgents('anchors', anchors, choiceMs),
    looks: parseWhole('looks', values.looks ?? GATE_LOOKS, 1, MAX_LOOKS),
    p: readP(values.p ?? GATE_P),
  };
};

/** Plays games under a bar that Ctrl-C ends, and says how many there are then. */
const playUnderBar = async <Result extends { readonly games: number }>(
  total: number,
  { kept, quiet, address, teller }: Conditions,
  play: (signal: AbortSignal, onGame: (played: number) => void) => Promise<Result>,
  isWhole = ({ games }: Result): boolean => games === total,
): Promise<Result> => {
  let done = 0;
  const note = (): string => (address === undefined ? '' : progressNote(teller.progress(), 'tasks'));
  const stop = startProgress({ total, unit: 'games', quiet, read: () => ({ done, note: note() }) });
  const interrupt = catchInterrupt('waiting up to 5 s for the games that are being played');
  try {
    const result = await play(interrupt.signal, (played) => {
      done = played;
    });
    if (!isWhole(result)) {
      const next = kept === undefined ? 'begins with the first again' : 'plays the others';
      sayInterrupted(`${result.games} of ${total} games were played; the same command ${next}`);
    }
    return result;
  } finally {
    interrupt.release();
    stop();
  }
};

const seconds = (begin: number): number => (performance.now() - begin) / 1000;

/** Where arenas are played: here, or on the machines of a queue. */
const holderOf = ({ address, store, teller }: Conditions): typeof runArena =>
  address === undefined
    ? runArena
    : (spec, options) => playArenaByQueue(spec, { ...options, address, store, onEvent: teller.onEvent });

/** Threads that the output names. */
const threadsFor = ({ address, workers, teller }: Conditions): number =>
  address === undefined ? workers : threadsOf(teller.progress());

const holdArena = async (spec: ArenaSpec, conditions: Conditions): Promise<number> => {
  const { workers, choiceMs, kept, json } = conditions;
  const begin = performance.now();
  const known = kept?.of(spec) ?? [];
  const before = known.filter((game) => game !== undefined).length;
  const { games, standings } = await playUnderBar(spec.games, conditions, async (signal, onGame) => {
    onGame(before);
    const result = await holderOf(conditions)(spec, {
      ...{ workers, choiceMs, known, signal, onRemark: sayBeside },
      onGame: (played, index, game) => {
        kept?.add(spec, index, game);
        onGame(before + played);
      },
    }).finally(() => kept?.save());
    return { ...result, games: result.games.length };
  });
  if (games === 0) return INTERRUPTED;
  const played = { ...spec, games };
  process.stdout.write(
    json
      ? `${JSON.stringify(arenaRecord(played, standings, threadsFor(conditions), seconds(begin)))}\n`
      : arenaText(played, standings, seconds(begin)),
  );
  return games === spec.games ? 0 : INTERRUPTED;
};

const holdField = async (spec: FieldSpec, conditions: Conditions): Promise<number> => {
  const { workers, choiceMs, kept, address, json, markdown } = conditions;
  const begin = performance.now();
  const total = fieldArenas(spec).length * spec.games;
  const result = await playUnderBar(total, conditions, (signal, onGame) =>
    runField(spec, {
      ...{ workers, choiceMs, signal, onRemark: sayBeside, kept, onGame },
      ...(address !== undefined && { hold: holderOf(conditions) }),
    }),
  );
  if (result.games === 0) return INTERRUPTED;
  if (json)
    process.stdout.write(`${JSON.stringify(fieldRecord(spec, result, threadsFor(conditions), seconds(begin)))}\n`);
  else process.stdout.write(markdown ? fieldMarkdown(spec, result) : fieldText(spec, result, seconds(begin)));
  return result.games === total ? 0 : INTERRUPTED;
};

const holdGate = async (spec: GateSpec, conditions: Conditions): Promise<number> => {
  const { workers, choiceMs, kept, address, json } = conditions;
  const begin = performance.now();
  const play = (signal: AbortSignal, onGame: (played: number) => void) =>
    runGate(spec, {
      ...{ workers, choiceMs, signal, onRemark: sayBeside, kept, onGame },
      ...(address !== undefined && { hold: holderOf(conditions) }),
    });
  const result = await playUnderBar(gateGames(spec), conditions, play, ({ passed }) => passed !== null);
  if (result.passed === null) return INTERRUPTED;
  process.stdout.write(
    json
      ? `${JSON.stringify(gateRecord(spec, result, threadsFor(conditions), seconds(begin)))}\n`
      : gateText(spec, result, seconds(begin)),
  );
  return result.passed ? 0 : 1;
};

export const run = async (args: string[]): Promise<number> => {
  const values = parse(args);
  const map = orUsage('map', () => openMap(values.map, values['map-options']));
  const choiceMs = parseWhole('choice-ms', values['choice-ms'], 0, MAX_CHOICE_MS);
  const common = readCommon(values, map);
  const { field, gate, out, json, markdown, quiet } = values;
  const fieldSpec = field === undefined ? null : await readField(values, field, common, choiceMs);
  const gateSpec = gate === undefined ? null : await readGate(values, gate, common, choiceMs);
  const spec = fieldSpec === null && gateSpec === null ? await readArena(values, common, choiceMs) : null;
  const workers = parseWhole('workers', values.workers ?? String(availableParallelism()), 1, MAX_WORKERS);
  const kept = out === undefined ? undefined : new KeptGames(out);
  // A file that cannot be written is named before any game is played.
  kept?.save();
  const way = readWay(values, '');
  const teller = makeTeller(json, 'task');
  const conditions: Conditions = { workers, choiceMs, kept, ...way, teller, json, markdown, quiet };
  if (gateSpec !== null) return holdGate(gateSpec, conditions);
  if (fieldSpec !== null) return holdField(fieldSpec, conditions);
  return spec === null ? 1 : holdArena(spec, conditions);
};
