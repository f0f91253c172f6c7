// The agent protocol (bindings/protocols/BOT-PROTOCOL.md): JSON lines between a process that sends positions and a process
// that answers with orders. Used by both sides: `exec:COMMAND` asks, `lepanto agent` answers.

import { resultIn } from '../../../engine/adjudicate/order-results.js';
import {
  ADJUSTMENT,
  adjustmentDue,
  type CompiledMap,
  Game,
  ordererOf,
  type Rules,
  resultNames,
} from '../../../engine/internal.js';
import { type ByPower, formatPosition, type PositionRecord } from '../../../engine/notation/json/position.js';
import { orderText } from '../../../engine/notation/text/index.js';
import {
  asObject,
  fieldOf,
  listOf,
  oneOf,
  orElse,
  type Shape,
  text,
  wholeNumber,
} from '../../../engine/rules/shape.js';
import type { PlayedPhase } from '../../question/agent.js';
import type { Message } from '../../question/message.js';

export const PROTOCOL = 'lepanto-agent';
/** Current and only version of the protocol. A side that reads another version from the other side ends. */
export const PROTOCOL_VERSION = 1;
/** Maximum number of requests in one line. */
export const MAX_BATCH = 4096;

/** A past phase of a game: its position, and its orders keyed by name of the power. */
export interface PastPhase extends PositionRecord {
  readonly orders: ByPower;
  /**
   * Result of each order ('succeeds', 'fails', 'given', 'cut', ...), keyed by name of the power, in the order of
   * `orders`.
   */
  readonly results: ByPower;
}

/** A request for orders or messages in a position. */
export interface Request extends PositionRecord {
  readonly id: number | string;
  /** Name of the game, the same in all requests about the game. */
  readonly game: string;
  /**
   * Number of builds (above 0) or removals (below 0) that a power must order, keyed by name of the power; powers
   * without any are left out. Only in adjustment phases.
   */
  readonly builds?: Readonly<Record<string, number>>;
  /** Names of the powers whose orders are requested. */
  readonly powers: readonly string[];
  /** Legal orders, keyed by name of the power, then by unit or home centre. Only if the bot wants them. */
  readonly legal?: Readonly<Record<string, ByPower>>;
  /**
   * Seed of the bot's random numbers, an int32. It is the same when the game is replayed. A bot that uses no other
   * randomness gives the same answer then.
   */
  readonly seed: number;
  /**
   * Phases of the game since the last request about it to this process, oldest first. Empty unless the bot wants the
   * history.
   */
  readonly history: readonly PastPhase[];
  /** Messages since the last request for this power that it may read. Only if the bot wants messages. */
  readonly messages?: readonly Message[];
  /**
   * Present if messages are requested instead of orders. `round`: number of the round of press, from 1. `rounds`:
   * number of rounds in the phase.
   */
  readonly round?: number;
  readonly rounds?: number;
}

/** Converts phases of a game to the format of a request. */
export const pastPhases = (map: CompiledMap, rules: Rules, phases: readonly PlayedPhase[]): PastPhase[] =>
  phases.map(({ state, orders, results }) => {
    const game = new Game(map, rules);
    game.bytes.set(state, game.offset);
    const past = { ...formatPosition(game), orders: {} as ByPower, results: {} as ByPower };
    for (const [power, name] of map.powerNames.entries()) {
      const own = [...orders.keys()].filter((i) => ordererOf(game, orders[i]) === power);
      if (own.length === 0) continue;
      past.orders[name] = own.map((i) => orderText(game, orders[i]));
      past.results[name] = own.map((i) => resultNames[resultIn(results[i])] ?? '?');
    }
    return past;
  });

/**
 * Returns the fields of a request that describe the position, including the builds and removals of an adjustment phase.
 */
export const requestedPosition = (game: Game): PositionRecord & Pick<Request, 'builds'> => {
  if (game.phase !== ADJUSTMENT) return formatPosition(game);
  const builds = game.map.powerNames.map((name, q): [string, number] => [name, adjustmentDue(game, q)]);
  return { ...formatPosition(game), builds: Object.fromEntries(builds.filter(([, due]) => due !== 0)) };
};

/**
 * Reads the first line (hello) of a bot. Missing or invalid optional fields get defaults.
 * @throws LepantoError with the invalid and the expected value, for another protocol or version
 */
export const readHello = (value: unknown) => {
  const hello = asObject(fieldOf(asObject(value, 'line'), 'hello'), 'hello');
  const read = <T>(name: string, shape: Shape<T>): T => shape(fieldOf(hello, name), `hello, ${name}`);
  const protocol = read('protocol', oneOf<typeof PROTOCOL>([PROTOCOL]));
  const version = read('version', oneOf([PROTOCOL_VERSION]));
  const words = (field: string, most: number): string => {
    const value = fieldOf(hello, field);
    return typeof value === 'string' ? value.slice(0, most) : '';
  };
  const batch = read('batch', orElse(wholeNumber(1, MAX_BATCH), 1));
  const wants = read('wants', orElse(listOf(text, 0, 100), [] as string[]));
  return {
    ...{ protocol, version },
    /** Name of the bot for display, at most 80 characters. */
    name: words('name', 80),
    /** Unit of the field `cost` in answers, such as a currency, at most 20 characters; '' if not stated. */
    unit: words('unit', 20),
    /** Maximum number of requests in one line, 1 to MAX_BATCH; 1 if not stated. */
    batch,
    /**
     * Optional parts of requests: 'legal', 'history', 'messages'. A bot that wants messages is also asked for messages.
     */
    wants,
  };
};
export type Hello = Readonly<ReturnType<typeof readHello>>;
