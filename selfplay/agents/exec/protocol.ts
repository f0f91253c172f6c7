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
/** Current and only version. A side that does not know the version of the other side ends. */
export const PROTOCOL_VERSION = 1;
/** Maximum number of requests in one line. */
export const MAX_BATCH = 4096;

/** A past phase of a game: its position, orders and results, indexed by power name. */
export interface PastPhase extends PositionRecord {
  readonly orders: ByPower;
  /** Result of each order, in the same order: 'succeeds', 'fails', 'given', 'cut', ... */
  readonly results: ByPower;
}

/** A request for orders or messages in a position. */
export interface Request extends PositionRecord {
  readonly id: number | string;
  /** Name of the game, the same in all its requests. */
  readonly game: string;
  /** Number of builds (> 0) or removals (< 0) due, indexed by power name. Only in adjustment phases. */
  readonly builds?: Readonly<Record<string, number>>;
  /** Names of the powers whose orders are requested. */
  readonly powers: readonly string[];
  /** Legal orders, indexed by power name, then by unit or home centre. Only if the bot wants them. */
  readonly legal?: Readonly<Record<string, ByPower>>;
  /** Seed, an int32, the same when the game is replayed. A reproducible bot uses no other source of randomness. */
  readonly seed: number;
  /** Phases of the game since the last request to this process, oldest first. Empty unless the bot wants them. */
  readonly history: readonly PastPhase[];
  /** New messages that the power may read. Only if the bot wants messages. */
  readonly messages?: readonly Message[];
  /**
   * Number of the press round, and number of rounds in the phase. Present if messages are requested instead of orders.
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

/** Returns the position fields that every request contains. */
export const requestedPosition = (game: Game): PositionRecord & Pick<Request, 'builds'> => {
  if (game.phase !== ADJUSTMENT) return formatPosition(game);
  const builds = game.map.powerNames.map((name, q): [string, number] => [name, adjustmentDue(game, q)]);
  return { ...formatPosition(game), builds: Object.fromEntries(builds.filter(([, due]) => due !== 0)) };
};

/**
 * Reads the hello of the answering side, its first line.
 * @throws LepantoError with the invalid and the expected value
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
    /** Unit of the `cost` in answers, such as a currency; '' if not stated. */
    unit: words('unit', 20),
    /** Maximum number of requests in one line, 1 to MAX_BATCH. */
    batch,
    /**
     * Optional parts of requests: 'legal', 'history', 'messages'. A bot that wants messages is also asked for messages.
     */
    wants,
  };
};
export type Hello = Readonly<ReturnType<typeof readHello>>;
