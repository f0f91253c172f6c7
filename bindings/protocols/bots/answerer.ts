// Answers requests for orders with an agent of Lepanto. This is the side of the bot protocol that `lepanto agent`
// plays.

import { COMPLETED, type CompiledMap, hasOrders, type Power, phaseName, Random } from '../../../engine/internal.js';
import { type RecordId, readId } from '../../../engine/notation/json/adjudicate-record.js';
import { packedOrders, parsePosition, readOrders, readPowers } from '../../../engine/notation/json/position.js';
import { formatOrder, orderedUnits, type RuleSet } from '../../../engine/notation/text/index.js';
import { hasCode } from '../../../engine/rules/error.js';
import {
  anything,
  asObject,
  describeValue,
  fieldOf,
  listOf,
  optional,
  refuse,
  wholeNumber,
} from '../../../engine/rules/shape.js';
import { MAX_BATCH, PROTOCOL, PROTOCOL_VERSION, readHello } from '../../../selfplay/agents/exec/protocol.js';
import { takeWarnings } from '../../../selfplay/crew/user-code.js';

import { type PhaseRecord, playPhase } from '../../../selfplay/games/game-record.js';
import { askTalk, talkRandom } from '../../../selfplay/games/play.js';
import { type Agent, type Candidate, type Past, type Question, UNBOUNDED } from '../../../selfplay/question/agent.js';
import {
  findStrangers,
  type Message,
  MOST_READ,
  MOST_ROUNDS,
  messageOf,
  type Said,
} from '../../../selfplay/question/message.js';
import { lepantoVersion } from '../../../selfplay/version.js';
import { idOf } from '../../terminal/json-lines.js';

/** Maximum number of games whose history is kept. The least recently used game is dropped first. */
const MOST_GAMES = 65_536;
/** Maximum number of phases in the history of a game. */
const MOST_PHASES = 10_000;

/** Maximum number of order sets of a power in `candidates`. The most likely ones are sent. */
const MOST_CANDIDATES = 10;

/** Answer to one request of the bot protocol, before it is written as JSON. */
export interface Answer {
  readonly id: RecordId;
  /** Name of the game; null if the request has none. */
  readonly game: string | null;
  readonly phase: string;
  /** Orders of every power in the request, keyed by power name. Absent in a round of messages. */
  readonly orders?: Readonly<Record<string, readonly string[]>>;
  /** Messages that the power sends, in answer to a request with a round of messages. Absent otherwise. */
  readonly say?: readonly Said[];
  /** Describes the first message of the agent that was rejected, with the reason. Absent if there is none. */
  readonly refused?: readonly string[];
  /**
   * Order sets compared by the agent, the most likely first, keyed by power name: at most MOST_CANDIDATES each. Absent
   * if the agent compares none.
   */
  readonly candidates?: Readonly<Record<string, readonly object[]>>;
}

/**
 * Returns a value as text, or null if it is absent.
 * @param what name of the field, for errors
 * @throws LepantoError if it is neither text nor a number
 */
const textOf = (value: unknown, what: string): string | null => {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
    ? String(value)
    : refuse(`${what}: got ${describeValue(value)}, wanted text`);
};

/** Returns a hash of a text. It is part of the seed of a request that names no seed. */
const hashText = (text: string): number => {
  let hash = 0;
  for (const letter of text) hash = (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) | 0;
  return hash;
};

/** Options of a RequestAnswerer. */
export interface AnswererOptions {
  readonly agent: Agent;
  readonly map: CompiledMap;
  readonly rules: RuleSet;
  /**
   * Seed for requests that name no seed. Their random numbers depend on this seed, the name of the game and the phase.
   */
  readonly seed: number;
}

/** History of a game: its phases, and the messages that each power knows, indexed by power. */
interface Known {
  readonly phases: PhaseRecord[];
  readonly messages: Message[][];
}

/** Answers requests one after the other, and keeps the history of games. */
export class RequestAnswerer {
  private readonly games: Map<string, Known> = new Map();

  constructor(private readonly options: AnswererOptions) {}

  /**
   * Answers a parsed line: with the greeting to a hello, an answer to a request, a list of answers to a list of
   * requests, or null for the end of a game. An invalid request in a list is answered with an error.
   * @throws LepantoError if any other line is invalid, or if a list is longer than MAX_BATCH
   */
  async reply(record: unknown): Promise<object | null> {
    if (Array.isArray(record)) {
      if (record.length > MAX_BATCH) refuse(`got ${record.length} requests, wanted at most ${MAX_BATCH}`);
      const answers: object[] = [];
      for (const one of record) answers.push(await this.replyOrError(one));
      return answers;
    }
    const line = asObject(record, 'line');
    if (fieldOf(line, 'hello') !== undefined) {
      readHello(line);
      const { name, talk } = this.options.agent;
      const own = { protocol: PROTOCOL, version: PROTOCOL_VERSION, name, lepanto: lepantoVersion, batch: MAX_BATCH };
      return { hello: { ...own, ...(talk !== undefined && { wants: ['messages'] }) } };
    }
    const end = textOf(fieldOf(line, 'end'), 'end');
    if (end !== null) {
      this.games.delete(end);
      return null;
    }
    return this.answer(line);
  }

  private async replyOrError(record: unknown): Promise<object> {
    try {
      return await this.answer(asObject(record, 'request'));
    } catch (error) {
      if (!hasCode(error, 'record')) throw error;
      return { id: idOf(record), error: error.message };
    }
  }

  /**
   * Adds the phases in a request's `history` to the history of its game. Each phase is adjudicated with its orders.
   * @param game name of the game; null for a game whose history is not kept for later requests
   * @param value `history` as received: a list of phases, or undefined
   * @returns the history of the game
   * @throws LepantoError for an invalid phase, or for more than MOST_PHASES in the game
   */
  private remember(game: string | null, value: unknown): Known {
    const { map, rules } = this.options;
    const told: readonly unknown[] = optional(listOf(anything, 0, MOST_PHASES))(value, 'history') ?? [];
    const all = (game === null ? undefined : this.games.get(game)) ?? { phases: [], messages: [] };
    const { phases: known } = all;
    if (known.length + told.length > MOST_PHASES) refuse(`history: got more than ${MOST_PHASES} phases`);
    told.forEach((phase, i) => {
      try {
        const position = parsePosition(phase, map, rules.adjudication);
        const orders = packedOrders(readOrders(position, rules.reading, fieldOf(asObject(phase, 'phase'), 'orders')));
        known.push(playPhase(position.game, orders));
      } catch (error) {
        if (!hasCode(error, 'record')) throw error;
        refuse(`history, entry ${i + 1}: ${error.message}`);
      }
    });
    if (game !== null) {
      this.games.delete(game);
      this.games.set(game, all);
      const [oldest] = this.games.keys();
      if (this.games.size > MOST_GAMES) this.games.delete(oldest);
    }
    return all;
  }

  /**
   * Returns the phases and messages that a power may know. Adds the messages in the request to its history.
   * @param line the request
   * @param name name of the game; null if the request has none
   * @throws LepantoError for an invalid message, or for more than MOST_READ in the game
   */
  private pastOf(line: object, name: string | null, power: Power, { phases, messages }: Known): Past {
    const value = fieldOf(line, 'messages');
    if (value === undefined && messages[power] === undefined) return { game: name ?? '', phases };
    const told = listOf(messageOf(), 0, MOST_READ)(value ?? [], 'messages');
    for (const [i, message] of told.entries()) {
      const wrong = findStrangers(this.options.map.powerNames, message);
      if (wrong !== null) refuse(`messages, entry ${i + 1}, ${wrong}`);
    }
    const known = messages[power] ?? [];
    if (known.length + told.length > MOST_READ) refuse(`messages: got more than ${MOST_READ} in a game`);
    messages[power] = [...known, ...told];
    return { game: name ?? '', phases, messages: messages[power] };
  }

  private async answer(line: object): Promise<Answer> {
    const { agent, map, rules, seed } = this.options;
    const name = textOf(fieldOf(line, 'game'), 'game');
    const { game } = parsePosition(line, map, rules.adjudication);
    const known = this.remember(name, fieldOf(line, 'history'));
    const { phases } = known;
    const given = optional(wholeNumber())(fieldOf(line, 'seed'), 'seed');
    const own = given === undefined ? seed ^ hashText(`${name ?? ''} ${phaseName(game)}`) : given | 0;
    const round = optional(wholeNumber(1, MOST_ROUNDS))(fieldOf(line, 'round'), 'round');
    const asked = [...(readPowers(line, map) ?? map.powerNames.keys())];
    if (round !== undefined) {
      if (asked.length !== 1) refuse(`powers: got ${asked.length} with a round, wanted one`);
      const rounds = optional(wholeNumber(round, MOST_ROUNDS))(fieldOf(line, 'rounds'), 'rounds') ?? round;
      const [power] = asked;
      const random = talkRandom(own, phases.length, power, round);
      const past = this.pastOf(line, name, power, known);
      const [say] = await askTalk(agent, [{ game, power, random, past, round: { round, rounds } }]);
      const refused = takeWarnings().flatMap(({ kind, what }) => (kind === 'unsaid' ? [what] : []));
      return { id: readId(line), game: name, phase: phaseName(game), say, ...(refused.length > 0 && { refused }) };
    }
    const orders: Record<string, string[]> = {};
    const candidates: Record<string, object[]> = {};
    const units = orderedUnits(game);
    const texts = (packed: Int32Array): string[] => Array.from(packed, (order) => formatOrder(map, order, units));
    const isOver = phaseName(game) === COMPLETED;
    const questions = asked
      .filter((power) => !isOver && hasOrders(game, power))
      .map((power): Question => {
        const random = new Random(own, phases.length, power);
        return { game, power, random, budget: UNBOUNDED, past: this.pastOf(line, name, power, known) };
      });
    for (const power of asked) orders[map.powerNames[power]] = [];
    const answers = questions.length === 0 ? [] : await agent.answer(questions);
    for (const [i, { orders: packed, candidates: compared }] of answers.entries()) {
      const title = map.powerNames[questions[i].power];
      orders[title] = texts(packed);
      if (compared !== undefined)
        candidates[title] = compared.slice(0, MOST_CANDIDATES).map((one) => candidateOf(one, texts));
    }
    return {
      id: readId(line),
      game: name,
      phase: phaseName(game),
      orders,
      ...(Object.keys(candidates).length > 0 && { candidates }),
    };
  }
}

const candidateOf = (
  { orders, probability, value, error }: Candidate,
  texts: (packed: Int32Array) => string[],
): object => ({
  orders: texts(orders),
  share: probability,
  value: Number.isNaN(value) ? null : value,
  error: Number.isNaN(error) ? null : error,
});
