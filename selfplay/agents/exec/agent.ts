// The agent `exec:COMMAND`: a bot in a process of its own, in any language (bindings/protocols/PROTOCOL.md).

import { listLegal } from '../../../bindings/notation/json/legal-record.js';
import { type GivenOrder, readOrders } from '../../../bindings/notation/json/orders.js';
import { positionOf } from '../../../bindings/notation/json/position.js';
import { DATC_READING } from '../../../bindings/notation/text/index.js';
import { type CompiledMap, type Game, NONE, type Power, type Random, type Rules } from '../../../engine/internal.js';
import { hasCode, LepantoError } from '../../../engine/rules/error.js';
import { asObject, fieldOf } from '../../../engine/rules/shape.js';
import { warn } from '../../workers/user-code.js';
import { type Agent, type Budget, NO_PAST, type Past } from '../agent.js';
import { BotProcess } from './process.js';
import { pastPhases, type Request, requestedPosition } from './protocol.js';

/** How much of the history of each game a bot has been told. */
class Told {
  private readonly phases = new Map<string, number>();

  constructor(private readonly onEnd: (game: string) => void) {}

  forget(): void {
    this.phases.clear();
  }

  /** Phases of the game that the bot knows; from now on it knows all. */
  upTo(game: string, phases: number): number {
    const known = this.phases.get(game) ?? 0;
    this.phases.set(game, phases);
    // Games end without a word to their agents: of those that were asked about longest ago, it is taken for granted.
    const [oldest] = this.phases.keys();
    if (this.phases.size > MOST_GAMES) {
      this.phases.delete(oldest);
      this.onEnd(oldest);
    }
    return known;
  }
}

/** Games that a thread has at a time, at the very most. */
const MOST_GAMES = 1024;

const makeRequest = (
  game: Game,
  power: Power,
  seed: number,
  past: Past,
  wants: readonly string[],
  told: number,
): Request => {
  const { map } = game;
  const name = map.powerNames[power];
  const position = positionOf(game);
  return {
    id: 0,
    game: past.game,
    ...requestedPosition(game),
    powers: [name],
    seed,
    history: wants.includes('history') ? pastPhases(map, game.rules, past.phases.slice(told)) : [],
    ...(wants.includes('legal') && { legal: { [name]: listLegal(position).orders[name] } }),
  };
};

/** The orders in an answer. @throws LepantoError if there are none */
const givenIn = (game: Game, power: Power, answer: unknown): GivenOrder[] => {
  const record = asObject(answer, 'answer');
  const error = fieldOf(record, 'error');
  if (error !== undefined) throw new LepantoError('record', `error: ${String(error).slice(0, 200)}`);
  const orders = fieldOf(record, 'orders');
  const name = game.map.powerNames[power];
  const own = Array.isArray(orders) ? orders : fieldOf(asObject(orders, 'orders'), name);
  return readOrders(positionOf(game), DATC_READING, { [name]: own });
};

const makeExecAgent = (command: string, limit: number): Agent => {
  const name = `exec:${command}`;
  const bots = new Map<CompiledMap, Map<Rules, { readonly bot: BotProcess; readonly told: Told }>>();
  const botFor = ({ map, rules }: Game): { readonly bot: BotProcess; readonly told: Told } => {
    const byRules = bots.get(map) ?? new Map();
    bots.set(map, byRules);
    const known = byRules.get(rules);
    if (known !== undefined) return known;
    const told = new Told((game) => bot.end(game));
    const bot: BotProcess = new BotProcess({
      command,
      map: map.name,
      rules: rules.name,
      limit,
      onStart: () => told.forget(),
      onTrouble: (trouble, what) => warn(trouble, name, what),
    });
    const seat = { bot, told };
    byRules.set(rules, seat);
    return seat;
  };
  const choose = async (
    game: Game,
    power: Power,
    out: Int32Array,
    random: Random,
    _: Budget,
    past: Past = NO_PAST,
  ): Promise<number> => {
    // Others use the game while the bot thinks.
    const position = game.clone();
    const seed = random.next();
    const { bot, told } = botFor(game);
    let answer: unknown;
    try {
      answer = await bot.ask(({ wants }) =>
        makeRequest(
          position,
          power,
          seed,
          past,
          wants,
          wants.includes('history') ? told.upTo(past.game, past.phases.length) : 0,
        ),
      );
    } catch (error) {
      throw new LepantoError('agent', `agent ${name}: ${(error as Error).message}`);
    }
    if (answer === null) return 0;
    let given: readonly GivenOrder[];
    try {
      given = givenIn(position, power, answer);
    } catch (error) {
      if (!hasCode(error, 'record')) throw error;
      warn('garbled', name, error.message);
      return 0;
    }
    let count = 0;
    for (const { text, read } of given) {
      if (read.order === NONE) warn('illegal', name, `${text}: ${read.reason}`);
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
