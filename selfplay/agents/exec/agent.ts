// The agent `exec:COMMAND`: a bot in a separate process, in any language (bindings/protocols/BOT-PROTOCOL.md).

import { type Game, NONE, type Power } from '../../../engine/internal.js';
import { listLegal } from '../../../engine/notation/json/legal-record.js';
import { MAX_LINE } from '../../../engine/notation/json/lines.js';
import { type GivenOrder, positionOf, readOrders } from '../../../engine/notation/json/position.js';
import { DATC_READING } from '../../../engine/notation/text/index.js';
import { hasCode, LepantoError } from '../../../engine/rules/error.js';
import { anything, asObject, fieldOf, listOf, refuseValue } from '../../../engine/rules/shape.js';
import { warn } from '../../crew/user-code.js';
import {
  type Agent,
  type Answer,
  type Past,
  placeOf,
  type Question,
  type Round,
  type TalkQuestion,
} from '../../question/agent.js';
import type { Said } from '../../question/message.js';
import { type Answered, BotProcess } from './process.js';
import { pastPhases, type Request, requestedPosition } from './protocol.js';

/** Maximum number of games whose history a bot process is assumed to remember. */
const MOST_GAMES = 1024;

/** A request to a bot: for orders, or for messages if `round` is present. */
interface Asked {
  readonly game: Game;
  readonly power: Power;
  readonly seed: number;
  readonly past: Past;
  readonly round?: Round;
}

/** History of a game that the process has been sent: number of phases, and number of messages, indexed by power. */
interface Told {
  phases: number;
  readonly messages: number[];
}

/** A bot process for games of one map and rules. Remembers which history the process has been sent. */
class Seat {
  private readonly told = new Map<string, Told>();
  private readonly bot: BotProcess;
  /** Name of the bot and unit of its costs, from its first line; '' before that. */
  about = { name: '', unit: '' };
  /** True if the bot wants messages; null before its first line. */
  private talks: boolean | null = null;

  constructor(name: string, command: string, { map, rules }: Game, limit: number) {
    this.bot = new BotProcess({
      ...{ command, map: map.name, rules: rules.name, limit },
      onStart: () => this.told.clear(),
      onTrouble: (trouble, what) => warn(trouble, name, what),
    });
  }

  /** False if the first line of the bot says that it does not want messages. */
  get mayTalk(): boolean {
    return this.talks !== false;
  }

  /**
   * Asks for the orders of a power or, with `round`, for its messages. Resolves with null if messages are asked for and
   * the bot does not send any. Rejects with a LepantoError if the process cannot be used.
   */
  ask(asked: Asked): Promise<Answered | null> {
    const { game, power, seed, past, round } = asked;
    const { map, rules } = game;
    const name = map.powerNames[power];
    return this.bot.ask(placeOf(asked), ({ name: bot, unit, wants }): Request | null => {
      this.about = { name: bot, unit };
      this.talks = wants.includes('messages');
      if (round !== undefined && !this.talks) return null;
      const { phases, messages } = this.markKnown(past, power);
      return {
        id: 0,
        game: past.game,
        ...requestedPosition(game),
        powers: [name],
        seed,
        history: wants.includes('history') ? pastPhases(map, rules, past.phases.slice(phases)) : [],
        ...(this.talks && { messages: (past.messages ?? []).slice(messages) }),
        ...round,
        ...(wants.includes('legal') && { legal: { [name]: listLegal(positionOf(game)).orders[name] } }),
      };
    });
  }

  /**
   * Returns the numbers of phases and messages of a game that the process has been sent, and records that it is now
   * sent all.
   */
  private markKnown({ game, phases, messages = [] }: Past, power: Power): { phases: number; messages: number } {
    const before = this.told.get(game);
    // A shorter history means another game of the same name, from another arena. The known game is over.
    const isOver =
      before !== undefined && (phases.length < before.phases || messages.length < (before.messages[power] ?? 0));
    if (isOver) this.bot.end(game);
    const told = before === undefined || isOver ? { phases: 0, messages: [] } : before;
    const known = { phases: told.phases, messages: told.messages[power] ?? 0 };
    told.phases = phases.length;
    told.messages[power] = messages.length;
    this.told.set(game, told);
    // Agents are not notified of the end of a game, so the oldest game is assumed to be over.
    const [oldest] = this.told.keys();
    if (this.told.size > MOST_GAMES) {
      this.told.delete(oldest);
      this.bot.end(oldest);
    }
    return known;
  }
}

/**
 * Returns the field `cost` or `tokens` of an answer; null if the answer does not have it.
 * @throws LepantoError unless the value is a finite number from 0
 */
const amountIn = (record: object, name: 'cost' | 'tokens'): number | null => {
  const amount = fieldOf(record, name);
  if (amount === undefined) return null;
  return typeof amount === 'number' && amount >= 0 && Number.isFinite(amount)
    ? amount
    : refuseValue(name, amount, 'a finite number from 0');
};

/** Checks that an answer has no field `error`. @throws LepantoError with the text of the field */
const refuseError = (record: object): void => {
  const error = fieldOf(record, 'error');
  if (error !== undefined) throw new LepantoError('record', `error: ${String(error).slice(0, 200)}`);
};

/**
 * Returns the orders for the requested power in an answer, each with the reason if it is not legal.
 * @throws LepantoError if the answer has no orders for the power
 */
const givenIn = ({ game, power }: Asked, record: object): GivenOrder[] => {
  const orders = fieldOf(record, 'orders');
  const name = game.map.powerNames[power];
  const own = Array.isArray(orders) ? orders : fieldOf(asObject(orders, 'orders'), name);
  return readOrders(positionOf(game), DATC_READING, { [name]: own });
};

const SILENT: readonly Said[] = [];

/**
 * Returns the messages in an answer, without checking them.
 * @throws LepantoError if the answer has no list of messages
 */
const saidIn = (record: object): readonly Said[] => listOf<never>(anything, 0, MAX_LINE)(fieldOf(record, 'say'), 'say');

const makeExecAgent = (command: string, limit: number): Agent => {
  const name = `exec:${command}`;
  const seats = new Map<string, Seat>();
  const seatFor = (game: Game): Seat => {
    const key = `${game.map.name} ${game.map.id} ${game.rules.id}`;
    const seat = seats.get(key) ?? new Seat(name, command, game, limit);
    seats.set(key, seat);
    return seat;
  };
  /**
   * Asks the bot and reads its answer. Returns an empty list if the answer is missing or invalid, and warns if it is
   * invalid. Counts the request in the bot's totals.
   * @throws LepantoError if the process cannot be used
   */
  const ask = async <T>(asked: Asked, read: (record: object) => readonly T[]): Promise<readonly T[]> => {
    const seat = seatFor(asked.game);
    let answered: Answered | null;
    try {
      answered = await seat.ask(asked);
    } catch (error) {
      throw new LepantoError('agent', `agent ${name}: ${(error as Error).message}`);
    }
    if (answered === null) return [];
    const { answer, seconds } = answered;
    let cost: number | null = null;
    let tokens: number | null = null;
    let found: readonly T[] = [];
    try {
      if (answer !== null) {
        const record = asObject(answer, 'answer');
        cost = amountIn(record, 'cost');
        tokens = amountIn(record, 'tokens');
        refuseError(record);
        found = read(record);
      }
    } catch (error) {
      if (!hasCode(error, 'record')) throw error;
      warn('garbled', name, `${placeOf(asked)}: ${error.message}`);
    }
    const { name: bot, unit } = seat.about;
    const orders = asked.round === undefined ? found.length : 0;
    warn('asked', name, bot, { orders, cost, unit, tokens, seconds, slowest: seconds });
    return found;
  };
  const answer = async ({ game, power, random, past }: Question): Promise<Answer> => {
    const asked: Asked = { game, power, seed: random.next(), past };
    const given = await ask(asked, (record) => givenIn(asked, record));
    const orders: number[] = [];
    for (const { text, read } of given) {
      if (read.order === NONE) warn('illegal', name, `${placeOf(asked)}: ${text}: ${read.reason}`);
      else if (orders.length < game.map.provinceCount) orders.push(read.order);
    }
    return { orders: Int32Array.from(orders) };
  };
  const talk = async ({ game, power, random, round, past }: TalkQuestion): Promise<readonly Said[]> =>
    seatFor(game).mayTalk ? ask({ game, power, seed: random.next(), past, round }, saidIn) : SILENT;
  return {
    ...{ name, options: {} },
    // Requests that are made together are sent to the process in one line.
    answer: (questions) => Promise.all(questions.map(answer)),
    talk: (questions) => Promise.all(questions.map(talk)),
  };
};

const made = new Map<string, Agent>();

/**
 * Returns the agent of a command. In each thread, one process for each map and rules answers for all powers and games.
 * @param limit time limit for each choice, in milliseconds; 0 for no limit
 * @throws LepantoError for an empty command
 */
export const execAgent = (command: string, limit: number): Agent => {
  if (command.trim() === '') throw new LepantoError('agent', 'agent exec: got no command, wanted exec:COMMAND');
  const key = `${limit} ${command}`;
  const agent = made.get(key) ?? makeExecAgent(command, limit);
  made.set(key, agent);
  return agent;
};
