// The agent `exec:COMMAND`: a bot in a process of its own, in any language (bindings/protocols/PROTOCOL.md).

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

/** Games that a thread has at a time, at the very most. */
const MOST_GAMES = 1024;

/** What a bot is asked for: orders, or messages in a round. */
interface Asked {
  readonly game: Game;
  readonly power: Power;
  readonly seed: number;
  readonly past: Past;
  readonly round?: Round;
}

/** What the process knows of a game: phases, and messages by power. */
interface Told {
  phases: number;
  readonly messages: number[];
}

/** A bot for games of one map and rules, and what it knows of each game. */
class Seat {
  private readonly told = new Map<string, Told>();
  private readonly bot: BotProcess;
  /** What the bot says about itself. */
  about = { name: '', unit: '' };
  /** Null until it has said so. */
  private talks: boolean | null = null;

  constructor(name: string, command: string, { map, rules }: Game, limit: number) {
    this.bot = new BotProcess({
      ...{ command, map: map.name, rules: rules.name, limit },
      onStart: () => this.told.clear(),
      onTrouble: (trouble, what) => warn(trouble, name, what),
    });
  }

  /** True unless it is known that the bot is silent. */
  get mayTalk(): boolean {
    return this.talks !== false;
  }

  /** Asks for the orders of a power, or for its messages in a round: null if the bot does not talk. */
  ask(asked: Asked): Promise<Answered | null> {
    const { game, power, seed, past, round } = asked;
    const { map, rules } = game;
    const name = map.powerNames[power];
    return this.bot.ask(placeOf(asked), ({ name: bot, unit, wants }): Request | null => {
      this.about = { name: bot, unit };
      this.talks = wants.includes('messages');
      if (round !== undefined && !this.talks) return null;
      const { phases, messages } = this.tell(past, power);
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

  /** Phases and messages of the game that the bot knows; from now on it knows all. */
  private tell({ game, phases, messages = [] }: Past, power: Power): { phases: number; messages: number } {
    const before = this.told.get(game);
    // Another game of the same name, of another arena: the one that the bot knows is over.
    const isOver =
      before !== undefined && (phases.length < before.phases || messages.length < (before.messages[power] ?? 0));
    if (isOver) this.bot.end(game);
    const told = before === undefined || isOver ? { phases: 0, messages: [] } : before;
    const known = { phases: told.phases, messages: told.messages[power] ?? 0 };
    told.phases = phases.length;
    told.messages[power] = messages.length;
    this.told.set(game, told);
    // Games end without a word to their agents: of those that were asked about longest ago, it is taken for granted.
    const [oldest] = this.told.keys();
    if (this.told.size > MOST_GAMES) {
      this.told.delete(oldest);
      this.bot.end(oldest);
    }
    return known;
  }
}

/** What an answer says that it cost, or its tokens; null if it does not. @throws LepantoError if that is no amount */
const amountIn = (record: object, name: 'cost' | 'tokens'): number | null => {
  const amount = fieldOf(record, name);
  if (amount === undefined) return null;
  return typeof amount === 'number' && amount >= 0 && Number.isFinite(amount)
    ? amount
    : refuseValue(name, amount, 'a finite number from 0');
};

/** @throws LepantoError if an answer says that there is none */
const refuseError = (record: object): void => {
  const error = fieldOf(record, 'error');
  if (error !== undefined) throw new LepantoError('record', `error: ${String(error).slice(0, 200)}`);
};

/** The orders in an answer. @throws LepantoError if there are none */
const givenIn = ({ game, power }: Asked, record: object): GivenOrder[] => {
  const orders = fieldOf(record, 'orders');
  const name = game.map.powerNames[power];
  const own = Array.isArray(orders) ? orders : fieldOf(asObject(orders, 'orders'), name);
  return readOrders(positionOf(game), DATC_READING, { [name]: own });
};

const SILENT: readonly Said[] = [];

/** The messages in an answer, not checked yet. @throws LepantoError if there is no list of them */
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
  /** Asks, and reads what is wanted of the answer: none where there is no such answer. */
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
    // The process takes all of them in one line.
    answer: (questions) => Promise.all(questions.map(answer)),
    talk: (questions) => Promise.all(questions.map(talk)),
  };
};

const made = new Map<string, Agent>();

/** The agent of a command: one process serves all its seats and games in a thread. @param limit milliseconds a choice */
export const execAgent = (command: string, limit: number): Agent => {
  if (command.trim() === '') throw new LepantoError('agent', 'agent exec: got no command, wanted exec:COMMAND');
  const key = `${limit} ${command}`;
  const agent = made.get(key) ?? makeExecAgent(command, limit);
  made.set(key, agent);
  return agent;
};
