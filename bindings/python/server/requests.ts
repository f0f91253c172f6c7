// Calls the handler of a JSON request, found by its field `op`. Speed does not matter here, because a request concerns
// few games.
import { Game } from '../../../engine/internal.js';
import {
  asObject,
  describeValue,
  fieldOf,
  listOf,
  quote,
  refuse,
  type Shape,
  wholeNumber,
} from '../../../engine/rules/shape.js';
import type { Setup } from './config.js';
import type { Memory } from './memory.js';

export const wholeNumbers = listOf(wholeNumber(), 0, Number.POSITIVE_INFINITY);

/** A JSON request (`record`), with the settings and the memory of the batch. */
export class Asked {
  constructor(
    readonly setup: Setup,
    readonly memory: Memory,
    readonly record: object,
  ) {}

  field<T>(name: string, shape: Shape<T>): T {
    return shape(fieldOf(this.record, name), name);
  }

  /**
   * Returns the position of a game or child of the batch. It is a view, so it changes with the batch.
   * @param row row of the game or child; by default the field `game` of the request
   * @throws LepantoError for a row that the batch does not have
   */
  game(row: unknown = fieldOf(this.record, 'game')): Game {
    const { map, rules, layout } = this.setup;
    const index = wholeNumber(0, layout.games + layout.children - 1)(row, 'game');
    const game = new Game(map, rules.adjudication, this.memory.bytes('state'));
    game.offset = index * game.layout.stride;
    return game;
  }
}

export type Handlers = Readonly<Record<string, (asked: Asked) => unknown>>;

/**
 * Answers a JSON request by the handler of its `op`, and returns the answer.
 * @throws LepantoError if the request is invalid
 */
export const answerBy = (handlers: Handlers, setup: Setup, memory: Memory, request: unknown): unknown => {
  const asked = new Asked(setup, memory, asObject(request, 'request'));
  const op = fieldOf(asked.record, 'op');
  if (typeof op !== 'string' || !Object.hasOwn(handlers, op))
    return refuse(
      `op: got ${typeof op === 'string' ? quote(op) : describeValue(op)}, wanted one of ${Object.keys(handlers).join(', ')}`,
    );
  return handlers[op](asked);
};
