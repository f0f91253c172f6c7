// Converts records of games between objects and bytes. record-writer.ts describes the layout of the bytes.
import { endianness } from 'node:os';
import { Unpackr } from 'msgpackr';
import { type Power, scoreNames } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { asObject, listOf, refuseValue, text, textLike, wholeNumber } from '../../engine/rules/shape.js';
import type { GameRecord, PhaseRecord } from '../games/game-record.js';
import { byScore, type Scores } from '../games/game-record.js';
import type { PolicyTargets } from '../games/targets.js';
import type { Candidate } from '../question/agent.js';
import { packMessages, unpackMessages } from '../question/message.js';
import { checkMsgpack, MAX_VALUES } from './msgpack-bounds.js';
import {
  HEADER_SIZE,
  LENGTH_SIZE,
  MAGIC,
  MESSAGES_VERSION,
  PLAIN_VERSION,
  phasePiece,
  RECORD_VERSION,
  RecordWriter,
  scorePiece,
  TARGETS_VERSION,
} from './record-writer.js';

/** A phase as it is stored. */
export interface StoredPhase extends Omit<PhaseRecord, 'state'> {
  /** Null where it follows from the phase before. */
  readonly state: Uint8Array | null;
}

/** A game as it is stored: any GameRecord is one too. */
export interface StoredGame extends Omit<GameRecord, 'phases'> {
  /** From the first phase to the position after the last one. */
  readonly phases: readonly StoredPhase[];
  /** Name of the map; only outside a run, and where it is not standard. */
  readonly map?: string;
  /** Name of the rules; only outside a run, and where they are not datc-3.2. */
  readonly rules?: string;
}

/** The game with its first and last state only: all others follow from them. */
export const withoutStates = (record: GameRecord): StoredGame => ({
  ...record,
  phases: record.phases.map((phase, i, { length }) =>
    i === 0 || i === length - 1 ? phase : { ...phase, state: null },
  ),
});

/** A name that may stand in a message. */
const nameText = textLike(/^[^\p{C}]{1,1024}$/u, 'a name of at most 1024 printable characters');

/** 'games-00003.lep' */
export const shardName = (shard: number): string => `games-${String(shard).padStart(5, '0')}.lep`;

const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true });

const HOST_IS_LITTLE = endianness() === 'LE';

/** Little-endian bytes in memory of their own, so that they may be read as a typed array of that width. */
const fromBytes = (bytes: Uint8Array, width: number): ArrayBuffer => {
  const copy = Buffer.from(new ArrayBuffer(bytes.length));
  copy.set(bytes);
  if (!HOST_IS_LITTLE && width === 2) copy.swap16();
  if (!HOST_IS_LITTLE && width === 4) copy.swap32();
  if (!HOST_IS_LITTLE && width === 8) copy.swap64();
  return copy.buffer;
};

/** More than the keys of a phase or of the scores, and the heads of their values. */
const KEYS_ROOM = 512;

const writePhase = (writer: RecordWriter, stored: StoredPhase): void => {
  const { phase, state, orders, results, targets = [], messages = [] } = stored;
  if (results.length !== orders.length)
    throw new LepantoError(
      'record',
      `${phase}: got ${results.length} results, wanted ${orders.length}, one for each order`,
    );
  const size = state?.length ?? 0;
  writer.reserve(KEYS_ROOM + 3 * phase.length + size + 5 * orders.length);
  const more = Number(targets.length > 0) + Number(messages.length > 0);
  writer.piece(phasePiece(phase, state === null ? null : size, more));
  if (state !== null) writer.raw(state);
  writer.fillOrders(writer.orders(orders.length), orders, results, orders.length);
  if (targets.length > 0) writer.targets(targets);
  if (messages.length > 0) writer.messages(packMessages(messages));
};

const versionOf = ({ agents, phases }: StoredGame): number => {
  if (agents !== undefined) return RECORD_VERSION;
  if (phases.some(({ messages = [] }) => messages.length > 0)) return MESSAGES_VERSION;
  return phases.some(({ targets = [] }) => targets.length > 0) ? TARGETS_VERSION : PLAIN_VERSION;
};

const writeGame = (writer: RecordWriter, game: StoredGame): Uint8Array => {
  const { index, seed, phases, scores } = game;
  writer.beginGame(index, seed, game);
  for (const phase of phases) writePhase(writer, phase);
  writer.reserve(KEYS_ROOM);
  writer.endPhases(phases.length);
  for (const name of scoreNames) {
    const values = scores[name];
    writer.reserve(KEYS_ROOM + Float64Array.BYTES_PER_ELEMENT * values.length);
    writer.scores(scorePiece(name, values.length), values, values.length);
  }
  return writer.endGame();
};

/**
 * One game as a msgpack map.
 * @throws LepantoError if a phase has another number of results than of orders
 */
export const encodeGame = (record: StoredGame): Buffer => Buffer.from(writeGame(new RecordWriter(), record));

/** A whole shard. The bytes lie alone in their ArrayBuffer, which may be transferred. Errors as for encodeGame(). */
export const encodeShard = (records: readonly StoredGame[]): Uint8Array<ArrayBuffer> => {
  const writer = new RecordWriter();
  writer.beginShard(records.reduce((most, record) => Math.max(most, versionOf(record)), PLAIN_VERSION));
  for (const record of records) writeGame(writer, record);
  return writer.bytes.slice(0, writer.at);
};

/** A shard of games that encodeGame() has written. @param version at least that of what the games have */
export const joinShard = (games: readonly Uint8Array[], version = PLAIN_VERSION): Uint8Array => {
  const head = Buffer.alloc(HEADER_SIZE);
  head.writeUInt32LE(MAGIC);
  head.writeUInt32LE(version, LENGTH_SIZE);
  const parts = games.flatMap((game) => {
    const length = Buffer.alloc(LENGTH_SIZE);
    length.writeUInt32LE(game.length);
    return [length, game];
  });
  return Buffer.concat([head, ...parts]);
};

const asBytes = (value: unknown, where: string, width: number): Uint8Array =>
  value instanceof Uint8Array && value.length % width === 0
    ? value
    : refuseValue(where, value, width === 1 ? 'bytes' : `bytes, a multiple of ${width}`);

/** A list of numbers under a key, little-endian, of that width. */
const listIn = (
  map: Readonly<Record<string, unknown>>,
  where: string,
  key: string,
  width: number,
  count?: number,
): ArrayBuffer => {
  const bytes = asBytes(map[key], `${where}, ${key}`, width);
  if (count !== undefined && bytes.length !== width * count)
    refuseValue(`${where}, ${key}`, bytes, `${width * count} bytes, ${width} for each of ${count}`);
  return fromBytes(bytes, width);
};

const sumOf = (values: ArrayLike<number>): number => Array.from(values).reduce((sum, value) => sum + value, 0);

const readTargets = (value: unknown, where: string): PolicyTargets[] => {
  const map = asObject(value, where);
  const powers = new Uint8Array(listIn(map, where, 'powers', 1));
  if (powers.some((power, i) => i > 0 && power <= powers[i - 1]))
    refuseValue(`${where}, powers`, powers, 'ascending ones');
  const roots = new Float32Array(listIn(map, where, 'roots', 4, powers.length));
  const counts = new Uint8Array(listIn(map, where, 'counts', 1, powers.length));
  const count = sumOf(counts);
  const probabilities = new Float32Array(listIn(map, where, 'probabilities', 4, count));
  if (!probabilities.every((one) => one >= 0 && one <= 1))
    refuseValue(`${where}, probabilities`, map.probabilities, '0 to 1');
  const values = new Float32Array(listIn(map, where, 'values', 4, count));
  const errors = new Float32Array(listIn(map, where, 'errors', 4, count));
  const lengths = new Uint16Array(listIn(map, where, 'lengths', 2, count));
  const orders = new Int32Array(listIn(map, where, 'orders', 4, sumOf(lengths)));
  let candidate = 0;
  let order = 0;
  return Array.from(powers, (power, i): PolicyTargets => {
    const candidates: Candidate[] = [];
    for (let n = 0; n < counts[i]; n++, candidate++) {
      candidates.push({
        orders: orders.slice(order, order + lengths[candidate]),
        probability: probabilities[candidate],
        value: values[candidate],
        error: errors[candidate],
      });
      order += lengths[candidate];
    }
    return { power: power as Power, value: roots[i], candidates };
  });
};

const readPhase = (value: unknown, where: string): StoredPhase => {
  const map = asObject(value, where);
  const phase = text(map.phase, `${where}, phase`);
  const state = map.state === null ? null : asBytes(map.state, `${where}, state`, 1);
  const orders = new Int32Array(fromBytes(asBytes(map.orders, `${where}, orders`, 4), 4));
  const results = asBytes(map.results, `${where}, results`, 1);
  if (results.length !== orders.length)
    refuseValue(`${where}, results`, results, `${orders.length} bytes, one for each order`);
  return {
    ...{ phase, state, orders, results },
    ...(map.targets !== undefined && { targets: readTargets(map.targets, `${where}, targets`) }),
    ...(map.messages !== undefined && {
      messages: unpackMessages(asBytes(map.messages, `${where}, messages`, 1), phase, `${where}, messages`),
    }),
  };
};

const readScores = (value: unknown, where: string): Scores => {
  const map = asObject(value, where);
  return byScore((name) => [...new Float64Array(fromBytes(asBytes(map[name], `${where}, ${name}`, 8), 8))]);
};

/**
 * Reads one game, as it is stored. Its shape is checked, not its content: verify.ts does that.
 * @param where named in refusals
 * @throws LepantoError that says what was got and what was wanted
 */
export const decodeGame = (bytes: Uint8Array, where = 'game'): StoredGame => {
  let value: unknown;
  try {
    checkMsgpack(bytes);
    value = unpackr.unpack(bytes);
  } catch (error) {
    throw new LepantoError(
      'record',
      `${where}: got ${bytes.length} bytes, wanted one msgpack map (${(error as Error).message})`,
    );
  }
  const map = asObject(value, where);
  const index = wholeNumber(0, Number.MAX_SAFE_INTEGER)(map.index, `${where}, index`);
  const seed = wholeNumber(-(2 ** 31), 2 ** 31 - 1)(map.seed, `${where}, seed`);
  const listed = listOf(asObject, 1, MAX_VALUES)(map.phases, `${where}, phases`);
  const phases = listed.map((phase, i) => readPhase(phase, `${where}, phase ${i}`));
  if (phases[0].state === null) refuseValue(`${where}, phase 0, state`, null, 'bytes');
  if (phases[phases.length - 1].state === null) refuseValue(`${where}, last phase, state`, null, 'bytes');
  const named = (key: 'map' | 'rules'): Partial<StoredGame> =>
    map[key] === undefined ? {} : { [key]: nameText(map[key], `${where}, ${key}`) };
  const scores = readScores(map.scores, `${where}, scores`);
  const powers = scores[scoreNames[0]].length;
  return {
    ...(map.agents !== undefined && { agents: new Uint16Array(listIn(map, where, 'agents', 2, powers)) }),
    ...named('map'),
    ...named('rules'),
    index,
    seed,
    phases,
    scores,
  };
};

/** Where a game lies in a shard: its bytes without the length before them. */
export interface GamePlace {
  readonly offset: number;
  readonly length: number;
}

/** A game of a thousand years has a few megabytes. */
const MAX_GAME = 1 << 26;

/**
 * Where the games of a shard lie.
 * @param read bytes of the shard from an offset on, fewer at its end
 * @param size of the shard
 * @param name of the file, for refusals
 * @throws LepantoError for a wrong magic number, version or length; it names the offset
 */
export function* placesIn(
  read: (offset: number, length: number) => Uint8Array,
  size: number,
  name: string,
): Generator<GamePlace> {
  const at = (offset: number): string => `${name} at offset ${offset}`;
  const head = Buffer.from(read(0, HEADER_SIZE));
  if (head.length < HEADER_SIZE) refuseValue(at(0), head, `at least ${HEADER_SIZE} bytes`);
  if (head.readUInt32LE() !== MAGIC) refuseValue(`${at(0)}, magic`, head.toString('latin1', 0, 4), '"LEPG"');
  const version = head.readUInt32LE(4);
  if (version < PLAIN_VERSION || version > RECORD_VERSION)
    refuseValue(`${at(4)}, version`, version, `${PLAIN_VERSION} to ${RECORD_VERSION}`);
  for (let offset = HEADER_SIZE; offset < size; ) {
    const bytes = Buffer.from(read(offset, LENGTH_SIZE));
    const length = bytes.length === LENGTH_SIZE ? bytes.readUInt32LE() : 0;
    const most = Math.min(size - offset - LENGTH_SIZE, MAX_GAME);
    if (length === 0 || length > most)
      refuseValue(`${at(offset)}, length of a game`, length, `1 to ${Math.max(1, most)}`);
    offset += LENGTH_SIZE;
    yield { offset, length };
    offset += length;
  }
}

/** The bytes of the games of a shard, without the lengths. @throws LepantoError as placesIn() does */
export const splitShard = (bytes: Uint8Array, name = 'shard'): Uint8Array[] => {
  const read = (offset: number, length: number): Uint8Array => bytes.subarray(offset, offset + length);
  return Array.from(placesIn(read, bytes.length, name), ({ offset, length }) => read(offset, length));
};

/** All games of a shard. @throws LepantoError as splitShard() and decodeGame() do */
export const decodeShard = (bytes: Uint8Array, name = 'shard'): StoredGame[] =>
  splitShard(bytes, name).map((game) => decodeGame(game, `${name} at offset ${game.byteOffset - bytes.byteOffset}`));
