// What a client asks in JSON that holds an arena of its own (lepanto.arena): who sits where, positions in words for its bots,
// and the standings. Many games at a time.

import { Game, NONE, phaseName, Random, type ScoreName, scoreNames, vocabulary } from '../../../engine/internal.js';
import { asObject, asTexts, describeValue, fieldOf, refuse } from '../../../engine/rules/shape.js';
import { type PastPhase, pastPhases, requestedPosition } from '../../../selfplay/agents/exec/protocol.js';
import type { ArenaGame } from '../../../selfplay/arena/arena-game.js';
import {
  type ArenaSpec,
  arenaGameSeed,
  type ProtocolName,
  protocolNames,
  seatsOf,
} from '../../../selfplay/arena/protocol.js';
import { summarizeArena } from '../../../selfplay/arena/standings.js';
import { recordedSize } from '../../../selfplay/games/game-record.js';
import { arenaRecord, arenaText } from '../../cli/shared/arena-report.js';
import { listLegal } from '../../notation/json/legal-record.js';
import { readOrders } from '../../notation/json/orders.js';
import { positionOf } from '../../notation/json/position.js';
import { DATC_READING } from '../../notation/text/index.js';
import { withoutCoast } from '../../notation/text/vocabulary-text.js';
import type { Setup } from './config.js';
import type { Memory } from './memory.js';

const asList = (value: unknown, what: string): readonly unknown[] =>
  Array.isArray(value) ? value : refuse(`${what}: got ${describeValue(value)}, wanted a list`);

const asWhole = (value: unknown, what: string): number =>
  typeof value === 'number' && Number.isInteger(value)
    ? value
    : refuse(`${what}: got ${describeValue(value)}, wanted a whole number`);

const asWholes = (value: unknown, what: string): number[] => asList(value, what).map((one) => asWhole(one, what));

const oneOf = <T extends string>(record: object, name: string, words: readonly T[]): T =>
  words.find((word) => word === fieldOf(record, name)) ??
  refuse(`${name}: got ${describeValue(fieldOf(record, name))}, wanted one of ${words.join(', ')}`);

const readSpec = ({ map, rules }: Setup, value: unknown): ArenaSpec => {
  const record = asObject(value, 'spec');
  const agents = asTexts(fieldOf(record, 'agents'), 'agents', 4096);
  if (agents.length < 2) refuse(`agents: got ${agents.length}, wanted at least 2`);
  return {
    map: map.name,
    rules: rules.runName,
    agents,
    protocol: oneOf<ProtocolName>(record, 'protocol', protocolNames),
    scoring: oneOf<ScoreName>(record, 'scoring', scoreNames),
    games: asWhole(fieldOf(record, 'games'), 'games'),
    until: asWhole(fieldOf(record, 'until'), 'until'),
    seed: asWhole(fieldOf(record, 'seed'), 'seed'),
  };
};

/** Seeds and seats of games first .. end - 1. */
const plan = (setup: Setup, record: object): object => {
  const spec = readSpec(setup, fieldOf(record, 'spec'));
  const first = asWhole(fieldOf(record, 'first'), 'first');
  const games = Array.from({ length: asWhole(fieldOf(record, 'end'), 'end') - first }, (_, i) => first + i);
  return {
    seeds: games.map((index) => arenaGameSeed(spec, index)),
    seats: games.map((index) => seatsOf(spec, index, setup.map.powerCount)),
  };
};

const readGame = (value: unknown): ArenaGame => {
  const record = asObject(value, 'game');
  return {
    seats: asWholes(fieldOf(record, 'seats'), 'seats'),
    centers: asWholes(fieldOf(record, 'centers'), 'centers'),
    winner: asWhole(fieldOf(record, 'winner'), 'winner'),
    years: asWhole(fieldOf(record, 'years'), 'years'),
  };
};

const standings = (setup: Setup, record: object): object => {
  const games = asList(fieldOf(record, 'games'), 'games').map(readGame);
  const spec = { ...readSpec(setup, fieldOf(record, 'spec')), games: games.length };
  const seconds = Number(fieldOf(record, 'seconds'));
  const found = summarizeArena(spec, games);
  return {
    record: arenaRecord(spec, found, asWhole(fieldOf(record, 'workers'), 'workers'), seconds),
    text: arenaText(spec, found, seconds),
  };
};

/** A view of the rows of a batch. */
class Rows {
  private readonly setup: Setup;
  private readonly game: Game;

  constructor(setup: Setup, memory: Memory) {
    this.setup = setup;
    this.game = new Game(setup.map, setup.rules.adjudication, memory.bytes('state'));
  }

  at(value: unknown): Game {
    const row = asWhole(value, 'game');
    const { games } = this.setup.layout;
    if (row < 0 || row >= games) refuse(`game: got ${row}, wanted 0 to ${games - 1}`);
    this.game.offset = row * this.game.layout.stride;
    return this.game;
  }
}

/** Positions for bots, by [game, powers]: as a request has them (PROTOCOL.md), with a seed and the legal orders by power. */
const requests = (setup: Setup, memory: Memory, record: object): object[] => {
  const rows = new Rows(setup, memory);
  const [seeds, phases] = [memory.int32('episode_seed'), memory.int32('phases')];
  const wantsLegal = fieldOf(record, 'legal') === true;
  return asList(fieldOf(record, 'asked'), 'asked').map((asked) => {
    const [row, powers] = asList(asked, 'asked');
    const game = rows.at(row);
    const legal = wantsLegal ? listLegal(positionOf(game)).orders : {};
    const own = asWholes(powers, 'powers').map((q) => {
      const name = setup.map.powerNames[q] ?? refuse(`powers: got ${q}`);
      // As an agent of the engine is given its stream (core.ts): the same seed as exec:COMMAND sends.
      const random = new Random(seeds[Number(row)], phases[Number(row)], q);
      return { power: name, seed: random.next(), legal: legal[name] ?? {} };
    });
    return { ...requestedPosition(game), own };
  });
};

/** Orders of bots, by {game, power, orders}: for each its vocabulary id, or the reason why it does not count. */
const read = (setup: Setup, memory: Memory, record: object): object[] => {
  const { map } = setup;
  const rows = new Rows(setup, memory);
  const { indexOf } = vocabulary(map);
  return asList(fieldOf(record, 'given'), 'given').map((one) => {
    const given = asObject(one, 'given');
    const game = rows.at(fieldOf(given, 'game'));
    const power = String(fieldOf(given, 'power'));
    return readOrders(positionOf(game), DATC_READING, { [power]: fieldOf(given, 'orders') }).map((order) =>
      order.read.order === NONE ? { reason: order.read.reason } : { id: indexOf(withoutCoast(map, order.read.order)) },
    );
  });
};

/** A phase that has been played, in words: its state, the vocabulary ids of the orders by power, and their results. */
const past = (setup: Setup, record: object): PastPhase[] => {
  const { map } = setup;
  const { orders } = vocabulary(map);
  const rules = setup.rules.adjudication;
  const game = new Game(map, rules);
  const phases = asList(fieldOf(record, 'phases'), 'phases').map((one) => {
    const phase = asObject(one, 'phase');
    game.bytes.set(asWholes(fieldOf(phase, 'state'), 'state').slice(0, game.layout.stride));
    return {
      phase: phaseName(game),
      state: game.bytes.slice(0, recordedSize(game)),
      orders: Int32Array.from(
        asWholes(fieldOf(phase, 'orders'), 'orders'),
        (id) => orders[id] ?? refuse(`order: got id ${id}`),
      ),
      results: Uint8Array.from(asWholes(fieldOf(phase, 'results'), 'results')),
    };
  });
  return pastPhases(map, rules, phases);
};

/** Answers one request. @throws LepantoError that says what is wrong */
export const answerArena = (setup: Setup, memory: Memory, request: object): unknown => {
  const op = fieldOf(request, 'op');
  switch (op) {
    case 'arena plan':
      return plan(setup, request);
    case 'arena standings':
      return standings(setup, request);
    case 'arena requests':
      return requests(setup, memory, request);
    case 'arena orders':
      return read(setup, memory, request);
    case 'arena past':
      return past(setup, request);
    default:
      return refuse(`op: got ${describeValue(op)}, wanted one of those in server/arena-requests.ts`);
  }
};
