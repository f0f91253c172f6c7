// Writes recorded games in the byte layout below. Each shard of a run is one file.
//
//   offset      bytes   content
//   0           4       'LEPG'
//   4           4       version, u32 little-endian
//   then for each game, in ascending order of index
//   +0          4       length of the map that follows, u32 little-endian
//   +4          length  one msgpack map {index, seed, phases, scores}; outside a run, which has a manifest, also with
//                       the name of the map, unless it is standard, and of the rules, unless they are datc-3.2
//
//   agents      only in a run whose seats differ from game to game, first in the map: bytes, uint16 little-endian by power,
//               index of the agent in Manifest.agents
//   phases      a list of maps {phase, state, orders, results}, some with targets, some with messages
//     phase     text: 'S1901M', or COMPLETED for the position after the last phase, which has no orders
//     state     bytes of the position before the orders (engine/position/game.ts); nil if it is left out
//     orders    bytes: packed orders (engine/rules/order.ts), int32 little-endian
//     results   bytes: one for each order (engine/adjudicate/order-results.ts)
//     targets   policy targets (games/targets.ts): a map of bytes, all numbers little-endian
//       powers         a byte for each power with targets: the power, ascending
//       roots          float32 for each power with targets: value of the position; NaN if unknown
//       counts         a byte for each power with targets: number of its candidates
//       probabilities  float32 for each candidate
//       values         float32 for each candidate, NaN if unknown
//       errors         float32 for each candidate: standard error of its value
//       lengths        uint16 for each candidate: number of its orders
//       orders         int32: the orders of all candidates
//     messages  bytes: UTF-8 JSON, a list of {round, sender, recipients, time_sent, text} by time, some with a content
//               (question/message.ts)
//   scores      a map {name of the scoring system: bytes}, float64 little-endian, one for each power
//
// A run writes only the states of the first and the last phase. Replay (verify.ts) restores the others, which would
// take half of all bytes and of the writing time. Version 3 adds targets, version 4 messages and version 5 agents for
// each game; a shard without any of these has version 2. The bytes depend only on seed, agents, map and rules, not on
// time, machine or number of workers.
import { scoreNames } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { type GameLog, nameOfPhaseKey } from '../games/game-log.js';
import type { Scores, StoredGame, StoredPhase } from '../games/game-record.js';
import type { PolicyTargets } from '../games/targets.js';
import { type Message, packMessages } from '../question/message.js';

/**
 * Versions of shards: PLAIN_VERSION has no extras, TARGETS_VERSION may have targets, MESSAGES_VERSION also messages,
 * RECORD_VERSION also agents for each game.
 */
export const PLAIN_VERSION = 2;
export const TARGETS_VERSION = 3;
export const MESSAGES_VERSION = 4;
export const RECORD_VERSION = 5;
/** First four bytes of a shard, read as a little-endian u32: 'LEPG'. */
export const MAGIC = 0x4750_454c;
/**
 * HEADER_SIZE: size of the head of a shard in bytes. LENGTH_SIZE: size of the length field before each game in bytes.
 */
export const HEADER_SIZE = 8;
export const LENGTH_SIZE = 4;

// ---- msgpack ----

const NIL = 0xc0;
const mapHead = (size: number): number => 0x80 | size;

/** Returns the lowest bytes of a number, the highest of them first. @param count number of bytes, 1 to 4 */
const wide = (value: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => (value >>> (8 * (count - 1 - i))) & 255);

const bytesHead = (length: number): number[] => {
  if (length < 1 << 8) return [0xc4, length];
  return length < 1 << 16 ? [0xc5, ...wide(length, 2)] : [0xc6, ...wide(length, 4)];
};

const textHead = (length: number): number[] => {
  if (length < 32) return [0xa0 | length];
  return length < 1 << 8 ? [0xd9, length] : [0xda, ...wide(length, 2)];
};

const utf8 = new TextEncoder();
const packText = (text: string): number[] => {
  const bytes = utf8.encode(text);
  return [...textHead(bytes.length), ...bytes];
};

// ---- pieces ----

const piece = (...parts: readonly (readonly number[])[]): Uint8Array => Uint8Array.from(parts.flat());
const key = (name: string): Uint8Array => piece(packText(name));

/**
 * Returns the encoded beginning of a phase: head of the map, name and the key of its state.
 * @param more number of optional fields (targets, messages), 0 to 2
 */
const phaseHead = (name: string, more: number): Uint8Array =>
  piece([mapHead(4 + more)], packText('phase'), packText(name), packText('state'));

const STATE_NIL = Uint8Array.of(NIL);
const ORDERS = key('orders');
const RESULTS = key('results');
const TARGETS = piece(packText('targets'), [mapHead(8)]);
const SEED = key('seed');
const PHASES = key('phases');
const SCORES = piece(packText('scores'), [mapHead(scoreNames.length)]);
const SCORE_KEYS = scoreNames.map(key);

/** Optional fields of a recorded game, which come before its index. */
type GameHead = Pick<StoredGame, 'agents' | 'map' | 'rules'>;

/** Returns the encoded beginning of a game: optional fields and the key of its index. */
const gameHead = ({ agents, map, rules }: GameHead): Uint8Array => {
  const fields = [
    ...(agents === undefined
      ? []
      : [[...packText('agents'), ...bytesHead(agents.byteLength), ...[...agents].flatMap((a) => [a & 255, a >> 8])]]),
    ...Object.entries({ map, rules }).flatMap(([key, name]) =>
      name === undefined ? [] : [[...packText(key), ...packText(name)]],
    ),
  ];
  return piece([mapHead(4 + fields.length)], ...fields, packText('index'));
};
const PLAIN_HEAD = gameHead({});

const HOST_IS_LITTLE = new Uint8Array(Int32Array.of(1).buffer)[0] === 1;

// ---- the writer ----

/** Number of bytes reserved for the head of the list of phases, while the number of phases is unknown. */
const PHASES_ROOM = 3;
/** Upper bound, in bytes, for all keys and heads of values in a phase, in its targets or in the scores. */
const KEYS_ROOM = 512;
const FIRST_SIZE = 1 << 16;

/** Encodes recorded games into a buffer, which grows as needed and is reused. */
export class RecordWriter {
  /** Buffer. The bytes written so far are bytes[0] to bytes[at - 1]. */
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(FIRST_SIZE);
  declare view: DataView;
  at = 0;
  /** Offsets in the buffer: `gameAt` of the current game, `phasesAt` of its list of phases. */
  private gameAt = 0;
  private phasesAt = 0;

  constructor() {
    this.view = new DataView(this.bytes.buffer);
  }

  /** Enlarges the buffer, if necessary, so that `room` more bytes fit. */
  private reserve(room: number): void {
    const wanted = this.at + room;
    if (wanted <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(wanted, 2 * this.bytes.length));
    larger.set(this.bytes.subarray(0, this.at));
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
  }

  /**
   * Discards the bytes written so far and writes the head of a shard.
   * @param version version of the shard: the lowest one that allows all fields of its games
   */
  beginShard(version = PLAIN_VERSION): void {
    this.view.setUint32(0, MAGIC, true);
    this.view.setUint32(4, version, true);
    this.at = HEADER_SIZE;
  }

  /** Discards the bytes written so far. The next game is written at offset 0. */
  rewind(): void {
    this.at = 0;
  }

  /** Appends games written by another writer. @param bytes the games with their length fields */
  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.raw(bytes);
  }

  private raw(bytes: Uint8Array): void {
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
  }

  /** Writes the head of a byte string. @param length number of bytes in the string */
  private bytesHead(length: number): void {
    const { bytes } = this;
    if (length < 1 << 8) {
      bytes[this.at++] = 0xc4;
      bytes[this.at++] = length;
    } else for (const byte of bytesHead(length)) bytes[this.at++] = byte;
  }

  /** Writes an integer in the smallest msgpack format for it; an integer that needs more than 32 bits as float64. */
  private whole(value: number): void {
    const { bytes } = this;
    if (value < -(2 ** 31) || value >= 2 ** 32) {
      bytes[this.at] = 0xcb;
      this.view.setFloat64(this.at + 1, value);
      this.at += 9;
      return;
    }
    let size = 4;
    if (value >= -32 && value < 128) size = 0;
    else if (value >= -128 && value < 256) size = 1;
    else if (value >= -32768 && value < 65536) size = 2;
    if (size > 0) bytes[this.at++] = (value < 0 ? 0xd0 : 0xcc) + (size >> 1);
    for (let shift = 8 * Math.max(size, 1) - 8; shift >= 0; shift -= 8) bytes[this.at++] = value >> shift;
  }

  /** Writes a game up to the head of its first phase. @param of optional fields of the game */
  private beginGame(index: number, seed: number, of?: GameHead): void {
    const head = of === undefined ? PLAIN_HEAD : gameHead(of);
    this.reserve(KEYS_ROOM + head.length);
    this.gameAt = this.at;
    this.at += LENGTH_SIZE;
    this.raw(head);
    this.whole(index);
    this.raw(SEED);
    this.whole(seed);
    this.raw(PHASES);
    this.phasesAt = this.at;
    this.at += PHASES_ROOM;
  }

  /**
   * Writes the beginning of a phase, up to its position.
   * @param head encoded keys and name of the phase
   * @param state bytes of the position; null to leave the position out
   * @param orders number of orders, for which the buffer reserves space
   */
  private beginPhase(head: Uint8Array, state: Uint8Array | null, orders: number): void {
    this.reserve(KEYS_ROOM + head.length + (state?.length ?? 0) + 5 * orders);
    this.raw(head);
    if (state === null) this.raw(STATE_NIL);
    else {
      this.bytesHead(state.length);
      this.raw(state);
    }
  }

  /** Writes the orders and results of a phase: elements `from` (included) to `end` (excluded) of both lists. */
  private orders(orders: Int32Array, results: Uint8Array, from: number, end: number): void {
    const n = end - from;
    this.raw(ORDERS);
    this.bytesHead(4 * n);
    if (HOST_IS_LITTLE) this.raw(new Uint8Array(orders.buffer, orders.byteOffset + 4 * from, 4 * n));
    else for (let i = from; i < end; i++, this.at += 4) this.view.setInt32(this.at, orders[i], true);
    this.raw(RESULTS);
    this.bytesHead(n);
    for (let i = from; i < end; i++) this.bytes[this.at++] = results[i];
  }

  private extras(targets: readonly PolicyTargets[], messages: readonly Message[]): void {
    if (targets.length > 0) this.targets(targets);
    if (messages.length > 0) this.messages(packMessages(messages));
  }

  /** Writes a phase. @throws LepantoError if the numbers of orders and results differ */
  private phase({ phase, state, orders, results, targets = [], messages = [] }: StoredPhase): void {
    if (results.length !== orders.length)
      throw new LepantoError(
        'record',
        `${phase}: got ${results.length} results, wanted ${orders.length}, one for each order`,
      );
    const more = Number(targets.length > 0) + Number(messages.length > 0);
    this.beginPhase(phaseHead(phase, more), state, orders.length);
    this.orders(orders, results, 0, orders.length);
    this.extras(targets, messages);
  }

  /** Cache of the encoded beginnings of phases without targets and messages, keyed by phase key (phase-key.ts). */
  private readonly heads = new Map<number, Uint8Array>();

  private headOf(key: number): Uint8Array {
    const known = this.heads.get(key);
    if (known !== undefined) return known;
    const head = phaseHead(nameOfPhaseKey(key), 0);
    this.heads.set(key, head);
    return head;
  }

  /**
   * Writes the phases of a game just played. Leaves out all positions but the first and the last. Returns the number of
   * phases.
   */
  private logged(log: GameLog): number {
    const { count, keys, orderEnds, orders, results, targets, messages } = log;
    const isPlain = targets.size + messages.size === 0;
    for (let i = 0, from = 0; i <= count; i++) {
      const end = orderEnds[i];
      const state = i === 0 || i === count ? log.state(i) : null;
      if (isPlain) this.beginPhase(this.headOf(keys[i]), state, end - from);
      else this.beginExtended(log, i, state, end - from);
      this.orders(orders, results, from, end);
      if (!isPlain) this.extras(targets.get(i) ?? [], messages.get(i) ?? []);
      from = end;
    }
    return count + 1;
  }

  /**
   * Writes the part of a phase before its orders, for a phase that may have policy targets or messages.
   * @param i index of the phase in the log
   * @param state bytes of the position before the phase; null to leave the position out
   * @param n number of the phase's orders
   */
  private beginExtended({ keys, targets, messages }: GameLog, i: number, state: Uint8Array | null, n: number): void {
    this.beginPhase(phaseHead(nameOfPhaseKey(keys[i]), Number(targets.has(i)) + Number(messages.has(i))), state, n);
  }

  /**
   * Writes a game and the length field before it.
   * @param phases phases of the game, or the log of a game just played
   * @param of optional fields of the game: agents, map, rules
   * @returns view of the game without the length field, valid until the next write
   * @throws LepantoError if the numbers of orders and results of a phase differ
   */
  game(
    index: number,
    seed: number,
    phases: readonly StoredPhase[] | GameLog,
    scores: Scores,
    of?: GameHead,
  ): Uint8Array {
    this.beginGame(index, seed, of);
    if ('count' in phases) this.endPhases(this.logged(phases));
    else {
      for (const phase of phases) this.phase(phase);
      this.endPhases(phases.length);
    }
    for (const [system, name] of scoreNames.entries()) this.scores(SCORE_KEYS[system], scores[name]);
    return this.endGame();
  }

  /**
   * Writes a key and a byte string of `count` values of `width` bytes each.
   * @param write writes value i at an offset of the buffer
   */
  private list(name: string, width: number, count: number, write: (at: number, i: number) => void): void {
    this.raw(key(name));
    this.bytesHead(width * count);
    for (let i = 0; i < count; i++) write(this.at + width * i, i);
    this.at += width * count;
  }

  /** Writes the policy targets of a phase. */
  private targets(targets: readonly PolicyTargets[]): void {
    const candidates = targets.flatMap((one) => one.candidates);
    const orders = candidates.flatMap((one) => [...one.orders]);
    this.reserve(KEYS_ROOM + 6 * targets.length + 14 * candidates.length + 4 * orders.length);
    const { view } = this;
    this.raw(TARGETS);
    this.list('powers', 1, targets.length, (at, i) => view.setUint8(at, targets[i].power));
    this.list('roots', 4, targets.length, (at, i) => view.setFloat32(at, targets[i].value, true));
    this.list('counts', 1, targets.length, (at, i) => view.setUint8(at, targets[i].candidates.length));
    this.list('probabilities', 4, candidates.length, (at, i) => view.setFloat32(at, candidates[i].probability, true));
    this.list('values', 4, candidates.length, (at, i) => view.setFloat32(at, candidates[i].value, true));
    this.list('errors', 4, candidates.length, (at, i) => view.setFloat32(at, candidates[i].error, true));
    this.list('lengths', 2, candidates.length, (at, i) => view.setUint16(at, candidates[i].orders.length, true));
    this.list('orders', 4, orders.length, (at, i) => view.setInt32(at, orders[i], true));
  }

  /** Writes the messages of a phase. @param packed messages as UTF-8 JSON */
  private messages(packed: Uint8Array): void {
    this.reserve(KEYS_ROOM + packed.length);
    this.raw(key('messages'));
    this.bytesHead(packed.length);
    this.raw(packed);
  }

  /** Writes the head of the list of phases and the head of the scores. @param count number of phases written */
  private endPhases(count: number): void {
    this.reserve(KEYS_ROOM);
    const at = this.phasesAt;
    const size = count < 16 ? 1 : count < 1 << 16 ? 3 : 5;
    if (size !== PHASES_ROOM) {
      this.bytes.copyWithin(at + size, at + PHASES_ROOM, this.at);
      this.at += size - PHASES_ROOM;
    }
    this.bytes[at] = size === 1 ? 0x90 | count : size === 3 ? 0xdc : 0xdd;
    if (size === 3) this.view.setUint16(at + 1, count);
    else if (size === 5) this.view.setUint32(at + 1, count);
    this.raw(SCORES);
  }

  /**
   * Writes the scores of one scoring system.
   * @param name encoded name of the system
   * @param values scores, indexed by power
   */
  private scores(name: Uint8Array, values: readonly number[]): void {
    this.reserve(KEYS_ROOM + 8 * values.length);
    this.raw(name);
    this.bytesHead(8 * values.length);
    for (const value of values) {
      this.view.setFloat64(this.at, value, true);
      this.at += 8;
    }
  }

  /**
   * Writes the length field of the current game. Returns a view of the game without this field, valid until the next
   * write.
   */
  private endGame(): Uint8Array {
    const begin = this.gameAt + LENGTH_SIZE;
    this.view.setUint32(this.gameAt, this.at - begin, true);
    return this.bytes.subarray(begin, this.at);
  }
}
