// The protocol of agents (bindings/protocols/PROTOCOL.md): JSON lines between a process that has positions and one that has orders.
// Both sides are here: `lepanto agent` answers, `exec:COMMAND` asks.

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
/** The only version so far. A side that does not know the other's version ends. */
export const PROTOCOL_VERSION = 1;
/** The most requests in one line. */
export const MAX_BATCH = 4096;

export interface PastPhase extends PositionRecord {
  readonly orders: ByPower;
  /** A result for each order, in the same order: 'succeeds', 'fails', 'given', 'cut', ... */
  readonly results: ByPower;
}

/** A position in which orders are wanted. */
export interface Request extends PositionRecord {
  readonly id: number | string;
  /** Names the game; all requests of a game have the same. */
  readonly game: string;
  /** Builds (> 0) or removals (< 0) by power, in an adjustment phase. */
  readonly builds?: Readonly<Record<string, number>>;
  /** Powers whose orders are wanted. */
  readonly powers: readonly string[];
  /** Their legal orders by unit, or home centre, if the bot wants them. */
  readonly legal?: Readonly<Record<string, ByPower>>;
  /** An int32, the same whenever the same game is played again: the only chance that a reproducible bot uses. */
  readonly seed: number;
  /** The phases of the game since the last request to this process, the oldest first. */
  readonly history: readonly PastPhase[];
  /** What the power may read that it was not told yet, if the bot wants messages. */
  readonly messages?: readonly Message[];
  /** Where messages are wanted, not orders: the round of press, and how many there are in the phase. */
  readonly round?: number;
  readonly rounds?: number;
}

/** Phases of a game as a request has them. */
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

/** What a request says of its position, whatever the bot wants. */
export const requestedPosition = (game: Game): PositionRecord & Pick<Request, 'builds'> => {
  if (game.phase !== ADJUSTMENT) return formatPosition(game);
  const builds = game.map.powerNames.map((name, q): [string, number] => [name, adjustmentDue(game, q)]);
  return { ...formatPosition(game), builds: Object.fromEntries(builds.filter(([, due]) => due !== 0)) };
};

/** Reads the first line of the side that answers. @throws LepantoError that says what it got and what it wanted */
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
    /** For people. */
    name: words('name', 80),
    /** In what the `cost` of its answers is counted; '' if it does not say. */
    unit: words('unit', 20),
    /** Requests that may come in one line, from 1. */
    batch,
    /** What requests are to carry: 'legal', 'history', 'messages'. Who wants messages is asked for some. */
    wants,
  };
};
export type Hello = Readonly<ReturnType<typeof readHello>>;
