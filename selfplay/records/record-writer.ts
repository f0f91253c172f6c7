// Writes records of games as bytes in the layout below. One shard of a run is one file.
//
//   offset      bytes   what
//   0           4       'LEPG'
//   4           4       version, u32 little-endian
//   then for each game, in ascending order of index
//   +0          4       length of the map that follows, u32 little-endian
//   +4          length  one msgpack map {index, seed, phases, scores}; outside a run, which has a manifest, also with
//                       the name of the map, where that is not standard, and of the rules, where they are not datc-3.2
//
//   agents      only in a run whose seats differ from game to game, first in the map: bytes, uint16 little-endian by power,
//               the agent's place among the agents of the manifest
//   phases      a list of maps {phase, state, orders, results}, some with targets, some with messages
//     phase     text: 'S1901M', or COMPLETED for the position after the last phase, which has no orders
//     state     bytes of the position before the orders (engine/position/game.ts); nil where it follows from the phase before
//     orders    bytes: packed orders (engine/rules/order.ts), int32 little-endian
//     results   bytes: one for each order (engine/adjudicate/order-results.ts)
//     targets   what agents weighed for their orders (games/targets.ts): a map of bytes, float32 and so on little-endian
//       powers         a byte for each power that has targets, ascending
//       roots          float32 for each of them: what the position is worth to it; NaN where unknown
//       counts         a byte for each of them: its candidates
//       probabilities  float32 for each candidate
//       values         float32 for each candidate, NaN where unknown; errors the same: standard errors of the values
//       lengths        uint16 for each candidate: its orders
//       orders         int32: the orders of all candidates
//     messages  bytes: UTF-8 JSON, a list of {round, sender, recipients, time_sent, text} in the order of time, some with a
//               content: press/message.ts
//   scores      a map {name of the scoring system: bytes}, float64 little-endian, one for each power
//
// A run writes the states of the first and the last phase only; Replay (verify.ts) makes the others, which would
// take half of all bytes and of the time to write them. Version 3 has targets, version 4 messages, and version 5 agents by
// game: a shard without these is one of version 2. The bytes depend only on seed, agents, map and rules, not on time, machine or workers.
import { scoreNames } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { type GameLog, nameOfPhaseKey } from '../games/game-log.js';
import type { Scores, StoredGame, StoredPhase } from '../games/game-record.js';
import type { PolicyTargets } from '../games/targets.js';
import { type Message, packMessages } from '../question/message.js';

/** Versions of shards: plain ones, with targets, with messages, with agents by game. Each may have what those before have. */
export const PLAIN_VERSION = 2;
export const TARGETS_VERSION = 3;
export const MESSAGES_VERSION = 4;
export const RECORD_VERSION = 5;
/** 'LEPG', read as a little-endian u32. */
export const MAGIC = 0x4750_454c;
/** Bytes of the head of a shard, and of the length before each game. */
export const HEADER_SIZE = 8;
export const LENGTH_SIZE = 4;

// ---- msgpack ----

const NIL = 0xc0;
const mapHead = (size: number): number => 0x80 | size;

/** The last `count` bytes of a number, big-endian. */
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

/** A phase up to its state. @param more how many of targets and messages it has */
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

/** What a game may say of itself before its index. */
type GameHead = Pick<StoredGame, 'agents' | 'map' | 'rules'>;

/** The head of a game up to its index. */
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

/** Bytes that the head of the list of phases is given before their number is known. */
const PHASES_ROOM = 3;
/** More bytes than the keys of a phase, of targets or of scores, and the heads of their values. */
const KEYS_ROOM = 512;
const FIRST_SIZE = 1 << 16;

export class RecordWriter {
  /** The bytes written so far: bytes[0 .. at). */
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(FIRST_SIZE);
  declare view: DataView;
  at = 0;
  /** Where the game that is being written begins, and its list of phases. */
  private gameAt = 0;
  private phasesAt = 0;

  constructor() {
    this.view = new DataView(this.bytes.buffer);
  }

  /** Makes room for more bytes. */
  private reserve(room: number): void {
    const wanted = this.at + room;
    if (wanted <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(wanted, 2 * this.bytes.length));
    larger.set(this.bytes.subarray(0, this.at));
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
  }

  /** Begins a shard, in place of what was written before. @param version that of what its games have */
  beginShard(version = PLAIN_VERSION): void {
    this.view.setUint32(0, MAGIC, true);
    this.view.setUint32(4, version, true);
    this.at = HEADER_SIZE;
  }

  /** Forgets the bytes written so far: the next game goes where the first one began. */
  rewind(): void {
    this.at = 0;
  }

  /** Appends bytes that another writer has written. */
  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.raw(bytes);
  }

  private raw(bytes: Uint8Array): void {
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
  }

  /** The head of a value of so many bytes. */
  private bytesHead(length: number): void {
    const { bytes } = this;
    if (length < 1 << 8) {
      bytes[this.at++] = 0xc4;
      bytes[this.at++] = length;
    } else for (const byte of bytesHead(length)) bytes[this.at++] = byte;
  }

  /** A whole number, in as few bytes as msgpack has for it. */
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

  /** Begins a game, up to its first phase. */
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

  /** Writes a phase up to its orders. */
  private beginPhase(head: Uint8Array, state: Uint8Array | null, orders: number): void {
    this.reserve(KEYS_ROOM + head.length + (state?.length ?? 0) + 5 * orders);
    this.raw(head);
    if (state === null) this.raw(STATE_NIL);
    else {
      this.bytesHead(state.length);
      this.raw(state);
    }
  }

  /** Writes the orders of a phase and their results: those of two lists from one place to another. */
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

  /** Writes a phase. @throws LepantoError if it has another number of results than of orders */
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

  /** Heads of phases without targets and messages, by key: made when first used. */
  private readonly heads = new Map<number, Uint8Array>();

  private headOf(key: number): Uint8Array {
    const known = this.heads.get(key);
    if (known !== undefined) return known;
    const head = phaseHead(nameOfPhaseKey(key), 0);
    this.heads.set(key, head);
    return head;
  }

  /** Writes the phases of a log with the first state and the last; returns their number. */
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

  /** Begins a phase that may have targets and messages. */
  private beginExtended({ keys, targets, messages }: GameLog, i: number, state: Uint8Array | null, n: number): void {
    this.beginPhase(phaseHead(nameOfPhaseKey(keys[i]), Number(targets.has(i)) + Number(messages.has(i))), state, n);
  }

  /**
   * Writes a game with its length before it.
   * @param phases the phases, or the log of a game that was just played
   * @param of what the game says of itself besides
   * @returns its bytes without the length; the next write may move them
   * @throws LepantoError if a phase has another number of results than of orders
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

  /** Bytes under a key. @param write of the i-th of `count` values of that width, at an offset */
  private list(name: string, width: number, count: number, write: (at: number, i: number) => void): void {
    this.raw(key(name));
    this.bytesHead(width * count);
    for (let i = 0; i < count; i++) write(this.at + width * i, i);
    this.at += width * count;
  }

  /** The targets of a phase, behind its orders. Reserves its room. */
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

  /** The messages of a phase, behind its targets. Reserves its room. */
  private messages(packed: Uint8Array): void {
    this.reserve(KEYS_ROOM + packed.length);
    this.raw(key('messages'));
    this.bytesHead(packed.length);
    this.raw(packed);
  }

  /** Ends the phases, given their number, and begins the scores. */
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

  /** The scores by one system. */
  private scores(name: Uint8Array, values: readonly number[]): void {
    this.reserve(KEYS_ROOM + 8 * values.length);
    this.raw(name);
    this.bytesHead(8 * values.length);
    for (const value of values) {
      this.view.setFloat64(this.at, value, true);
      this.at += 8;
    }
  }

  /** Ends the game. */
  private endGame(): Uint8Array {
    const begin = this.gameAt + LENGTH_SIZE;
    this.view.setUint32(this.gameAt, this.at - begin, true);
    return this.bytes.subarray(begin, this.at);
  }
}
