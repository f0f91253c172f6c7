// Asks agents for orders. One that does not ship with Lepanto may do anything: it is shown a copy of the game, writes to an
// array of its own, its orders are checked, and what it throws is named. Tables of the engine are all that it shares with
// the game: they are frozen as far as the language can, and compared after each game.
import {
  type CompiledMap,
  compileMap,
  type Game,
  type Power,
  perMap,
  phaseName,
  Random,
  type Rules,
} from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { formatAgent, isBuiltIn } from '../agents/registry.js';
import { describeThrown, enterCode, leaveCode, memoryTrouble, placeIn, warn } from '../crew/user-code.js';
import type { Agent, Budget, Candidate, Past, Round } from '../question/agent.js';
import { isModuleName } from '../question/agent-name.js';
import { readSaid, type Said } from '../question/message.js';
import { checkOrders } from './check-orders.js';

/** What is wrong with an answer; null if nothing is. */
const checkAnswer = (game: Game, power: Power, chosen: Int32Array, count: unknown): string | null => {
  const most = game.map.provinceCount;
  if (typeof count !== 'number') return `got ${describeThrown(count)}, wanted a number of orders`;
  if (!(Number.isInteger(count) && count >= 0 && count <= most)) return `got ${count} orders, wanted 0 to ${most}`;
  if (chosen.length !== most) return 'got an array whose buffer was given away, wanted its orders in it';
  return checkOrders(game, power, chosen.subarray(0, count));
};

const WANTED_CONSIDERED = 'wanted a list of {orders, probability, value, error}';

/** What is wrong with an order set that an agent has weighed; null if nothing is. */
const checkCandidate = (game: Game, power: Power, one: unknown): string | null => {
  if (typeof one !== 'object' || one === null) return `got ${describeThrown(one)}, ${WANTED_CONSIDERED}`;
  const { orders, probability, value, error } = one as Partial<Candidate>;
  if (!(orders instanceof Int32Array)) return `got ${describeThrown(orders)}, wanted orders as an Int32Array`;
  if (typeof probability !== 'number' || !(probability >= 0 && probability <= 1))
    return `got the probability ${describeThrown(probability)}, wanted 0 to 1`;
  if (typeof value !== 'number' || typeof error !== 'number')
    return `got ${describeThrown(typeof value === 'number' ? error : value)}, wanted numbers as value and error`;
  return checkOrders(game, power, orders);
};

/** The past of a game for code of a user, copied if it looks. */
const copyOf = ({ game, phases, messages }: Past): Past => {
  let copied: Past['phases'] | null = null;
  return {
    game,
    get phases() {
      copied ??= structuredClone(phases);
      return copied;
    },
    ...(messages !== undefined && { messages: structuredClone(messages) }),
  };
};

class Question {
  private readonly where: string;
  /** Not that of the caller: it could be written to at any later time. */
  private readonly chosen = new Int32Array(this.game.map.provinceCount);
  private readonly begin = performance.now();

  constructor(
    private readonly agent: Agent,
    private readonly game: Game,
    private readonly power: Power,
    index: number,
  ) {
    this.where = `agent ${agent.name} for ${placeOf(game, power, index)}`;
  }

  /** Runs code of the agent, which may answer later. @param take what it answers */
  private run<T>(code: () => unknown, take: (answer: unknown) => T): T | Promise<T> {
    enterCode(this.agent.name, this.where);
    let answer: unknown;
    try {
      answer = code();
    } catch (thrown) {
      return this.refuse(thrown);
    }
    if (typeof answer !== 'object' || answer === null) return take(answer);
    return Promise.resolve(answer).then(take, (thrown: unknown) => this.refuse(thrown));
  }

  ask(out: Int32Array, random: Random, budget: Budget, past: Past): number | Promise<number> {
    const { agent, game, power, chosen } = this;
    return this.run(
      () => agent.choose(game.clone(), power, chosen, random, { ...budget }, copyOf(past)),
      (count) => this.take(count, out),
    );
  }

  /** What the agent says, as plain data: a copy, because the answer may be anything that looks like a list. */
  talk(talk: Talk, random: Random, round: Round, past: Past): unknown {
    const { agent, game, power } = this;
    return this.run(
      () => talk.call(agent, game.clone(), power, random, { ...round }, copyOf(past)),
      (answer) => {
        let copied: unknown;
        try {
          copied = answer === undefined ? null : JSON.parse(JSON.stringify(answer) ?? 'null');
        } catch (thrown) {
          return this.refuse(thrown);
        }
        leaveCode();
        this.note(0);
        return copied;
      },
    );
  }

  private take(count: unknown, out: Int32Array): number {
    leaveCode();
    const { chosen, game, power } = this;
    const wrong = checkAnswer(game, power, chosen, count);
    if (wrong !== null) throw new LepantoError('agent', `${this.where}: ${wrong}`);
    out.set(chosen.subarray(0, count as number));
    this.note(count as number);
    return count as number;
  }

  /** Of a module; a bot in a process of its own says itself what it took. */
  private note(orders: number): void {
    if (!isModuleName(this.agent.name)) return;
    const seconds = (performance.now() - this.begin) / 1000;
    warn('asked', formatAgent(this.agent), '', {
      orders,
      cost: null,
      unit: '',
      tokens: null,
      seconds,
      slowest: seconds,
    });
  }

  /** What the agent weighed for its last answer, copied. */
  candidates(list: () => readonly Candidate[]): Candidate[] {
    enterCode(this.agent.name, this.where);
    let found: unknown;
    try {
      found = structuredClone(list());
    } catch (thrown) {
      return this.refuse(thrown);
    }
    leaveCode();
    if (!Array.isArray(found))
      throw new LepantoError('agent', `${this.where}: got ${describeThrown(found)}, ${WANTED_CONSIDERED}`);
    for (const one of found as unknown[]) {
      const wrong = checkCandidate(this.game, this.power, one);
      if (wrong !== null) throw new LepantoError('agent', `${this.where}, candidates: ${wrong}`);
    }
    return found as Candidate[];
  }

  private refuse(thrown: unknown): never {
    leaveCode();
    const place = placeIn(this.agent.name, thrown);
    throw new LepantoError('agent', `${this.where}: threw ${describeThrown(thrown)}${place}`);
  }
}

type Talk = NonNullable<Agent['talk']>;

/** 'FRANCE in S1901M of game 12' */
const placeOf = (game: Game, power: Power, index: number): string =>
  `${game.map.powerNames[power]} in ${phaseName(game)} of game ${index}`;

const SILENT: readonly Said[] = [];

/** Streams of talk have numbers above those of orders, which have the number of their power. */
const ROUND_STREAM = 256;

/** The stream of what a power says in a round. @param phase its index in the game */
export const talkRandom = (seed: number, phase: number, power: Power, round: number): Random =>
  new Random(seed, phase, ROUND_STREAM * round + power);

/**
 * Asks an agent what a power says in a round. What may not be said is left out, and the agent named.
 * @throws LepantoError that names agent, power, phase and game, if a module throws
 */
export const askTalk = async (
  agent: Agent,
  { game, power, random, index, past }: Required<Omit<Choice, 'budget'>>,
  round: Round,
): Promise<readonly Said[]> => {
  const { talk } = agent;
  if (talk === undefined) return SILENT;
  const answer = isBuiltIn(agent)
    ? await talk.call(agent, game, power, random, round, past)
    : await new Question(agent, game, power, index).talk(talk, random, round, past);
  const { said, refused } = readSaid(game.map.powerNames, game.map.powerNames[power], answer);
  for (const what of refused) noteUnsaid(agent, game, power, index, what);
  return said;
};

/** Notes that a message of an agent does not count. */
export const noteUnsaid = (agent: Agent, game: Game, power: Power, index: number, what: string): void =>
  warn('unsaid', formatAgent(agent), `${placeOf(game, power, index)}: ${what}`);

export interface Choice {
  readonly game: Game;
  readonly power: Power;
  readonly random: Random;
  readonly budget: Budget;
  readonly index: number;
  /** Of the game; none where it is not kept. */
  readonly past?: Past;
}

/**
 * Asks an agent for the orders of a power, written to `out`; returns their number.
 * @throws LepantoError that names agent, power, phase and game, if an agent that does not ship with Lepanto throws or gives orders
 * that are not legal
 */
export const askAgent = (agent: Agent, choice: Choice, out: Int32Array): number | Promise<number> => {
  const { game, power, random, budget, index, past = { game: String(index), phases: [] } } = choice;
  return isBuiltIn(agent)
    ? agent.choose(game, power, out, random, budget, past)
    : new Question(agent, game, power, index).ask(out, random, budget, past);
};

/** The order sets of the last choice; null if the agent does not say. @throws LepantoError as askAgent() does */
export const askCandidates = (agent: Agent, game: Game, power: Power, index: number): readonly Candidate[] | null => {
  const { candidates } = agent;
  if (candidates === undefined) return null;
  const list = (): readonly Candidate[] => candidates.call(agent);
  return isBuiltIn(agent) ? list() : new Question(agent, game, power, index).candidates(list);
};

const freeze = (value: unknown): void => {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) return;
  Object.freeze(value);
  Object.values(value).forEach(freeze);
};

/** Bytes of the tables of a map, by their names. */
const tablesOf = (map: CompiledMap): ReadonlyMap<string, Uint8Array> =>
  new Map(
    Object.entries(map)
      .filter((entry): entry is [string, Uint8Array] => ArrayBuffer.isView(entry[1]))
      .map(([name, table]) => [name, new Uint8Array(table.buffer, table.byteOffset, table.byteLength)]),
  );

/** What the tables of a map should be. */
const trueTables = perMap((map) => tablesOf(compileMap(map.rows)));

const findChanged = (map: CompiledMap): string | null => {
  const tables = tablesOf(map);
  for (const [name, wanted] of trueTables(map)) {
    const got = tables.get(name);
    if (got === undefined || Buffer.compare(got, wanted) !== 0) return name;
  }
  return null;
};

/** Looks after what agents of users share with the games that they play. */
export class SharedTables {
  private readonly guests: readonly string[];

  constructor(
    private readonly map: CompiledMap,
    rules: Rules,
    layout: Game['layout'],
    agents: readonly (Agent | null)[],
  ) {
    this.guests = [...new Set(agents.flatMap((agent) => (agent === null || isBuiltIn(agent) ? [] : [agent.name])))];
    if (this.guests.length > 0) for (const one of [map, rules, layout]) freeze(one);
  }

  /** After a game. @throws LepantoError that names the agents if one of them has changed something, or fills the memory */
  check(index: number): void {
    if (this.guests.length === 0) return;
    const changed = findChanged(this.map);
    const wrong = changed === null ? memoryTrouble() : `got a changed map (${changed}), wanted it as it was`;
    if (wrong !== null) throw new LepantoError('agent', `agent ${this.guests.join(' or ')} in game ${index}: ${wrong}`);
  }
}
