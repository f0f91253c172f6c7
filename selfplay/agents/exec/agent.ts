// The agent `exec:COMMAND`: a bot in a process of its own, in any language (bindings/protocols/PROTOCOL.md).

import { listLegal } from '../../../bindings/notation/json/legal-record.js';
import { type GivenOrder, positionOf, readOrders } from '../../../bindings/notation/json/position.js';
import { DATC_READING } from '../../../bindings/notation/text/index.js';
import { type CompiledMap, type Game, NONE, type Power, phaseName, type Rules } from '../../../engine/internal.js';
import { hasCode, LepantoError } from '../../../engine/rules/error.js';
import { asObject, fieldOf, refuseValue } from '../../../engine/rules/shape.js';
import { warn } from '../../workers/user-code.js';
import { type Agent, NO_PAST, type Past } from '../agent.js';
import { type Answered, BotProcess } from './process.js';
import { pastPhases, type Request, requestedPosition } from './protocol.js';

/** Games that a thread has at a time, at the very most. */
const MOST_GAMES = 1024;

/** For messages: 'FRANCE in S1901M of game 12'. */
const placeOf = (game: Game, power: Power, past: Past): string =>
  `${game.map.powerNames[power]} in ${phaseName(game)}${past.game === '' ? '' : ` of game ${past.game}`}`;

/** A bot for games of one map and rules, and how many phases of each game it knows. */
class Seat {
  private readonly told = new Map<string, number>();
  private readonly bot: BotProcess;
  /** What the bot says about itself. */
  about = { name: '', unit: '' };

  constructor(name: string, command: string, { map, rules }: Game, limit: number) {
    this.bot = new BotProcess({
      ...{ command, map: map.name, rules: rules.name, limit },
      onStart: () => this.told.clear(),
      onTrouble: (trouble, what) => warn(trouble, name, what),
    });
  }

  /** Asks for the orders of a power. */
  ask(game: Game, power: Power, seed: number, past: Past): Promise<Answered> {
    const { map, rules } = game;
    const name = map.powerNames[power];
    return this.bot.ask(placeOf(game, power, past), ({ name: bot, unit, wants }): Request => {
      this.about = { name: bot, unit };
      return {
        id: 0,
        game: past.game,
        ...requestedPosition(game),
        powers: [name],
        seed,
        history: wants.includes('history') ? pastPhases(map, rules, past.phases.slice(this.know(past))) : [],
        ...(wants.includes('legal') && { legal: { [name]: listLegal(positionOf(game)).orders[name] } }),
      };
    });
  }

  /** Phases of the game that the bot knows; from now on it knows all. */
  private know({ game, phases }: Past): number {
    const known = this.told.get(game) ?? 0;
    this.told.set(game, phases.length);
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

/** The orders in an answer. @throws LepantoError if there are none */
const givenIn = (game: Game, power: Power, record: object): GivenOrder[] => {
  const error = fieldOf(record, 'error');
  if (error !== undefined) throw new LepantoError('record', `error: ${String(error).slice(0, 200)}`);
  const orders = fieldOf(record, 'orders');
  const name = game.map.powerNames[power];
  const own = Array.isArray(orders) ? orders : fieldOf(asObject(orders, 'orders'), name);
  return readOrders(positionOf(game), DATC_READING, { [name]: own });
};

const makeExecAgent = (command: string, limit: number): Agent => {
  const name = `exec:${command}`;
  const seats = new Map<CompiledMap, Map<Rules, Seat>>();
  const seatFor = (game: Game): Seat => {
    const byRules = seats.get(game.map) ?? new Map<Rules, Seat>();
    const seat = byRules.get(game.rules) ?? new Seat(name, command, game, limit);
    seats.set(game.map, byRules.set(game.rules, seat));
    return seat;
  };
  const choose: Agent['choose'] = async (game, power, out, random, _, past = NO_PAST) => {
    // Others use the game while the bot thinks.
    const position = game.clone();
    const where = placeOf(position, power, past);
    const seat = seatFor(game);
    let answered: Answered;
    try {
      answered = await seat.ask(position, power, random.next(), past);
    } catch (error) {
      throw new LepantoError('agent', `agent ${name}: ${(error as Error).message}`);
    }
    const { answer, seconds } = answered;
    let cost: number | null = null;
    let tokens: number | null = null;
    let given: readonly GivenOrder[] = [];
    try {
      if (answer !== null) {
        const record = asObject(answer, 'answer');
        cost = amountIn(record, 'cost');
        tokens = amountIn(record, 'tokens');
        given = givenIn(position, power, record);
      }
    } catch (error) {
      if (!hasCode(error, 'record')) throw error;
      warn('garbled', name, `${where}: ${error.message}`);
    }
    const { name: bot, unit } = seat.about;
    warn('asked', name, bot, { orders: given.length, cost, unit, tokens, seconds, slowest: seconds });
    let count = 0;
    for (const { text, read } of given) {
      if (read.order === NONE) warn('illegal', name, `${where}: ${text}: ${read.reason}`);
      else if (count < out.length) out[count++] = read.order;
    }
    return count;
  };
  return { name, options: {}, concurrency: MOST_AT_ONCE, choose };
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

/** Games that a thread plays at once where a bot sits, so that its requests go together. */
const MOST_AT_ONCE = 64;
