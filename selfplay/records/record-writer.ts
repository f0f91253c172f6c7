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
//
// Games are written piece by piece into one growing buffer. Recurring pieces are kept ready as whole words, and phases do
// not become objects, so that sampled-record.ts records at the speed of play.
import { scoreNames } from '../../engine/internal.js';
import type { PolicyTargets } from '../games/targets.js';

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

/** Bytes that recur, as whole words; the last one is padded. */
export interface RecordPiece {
  readonly size: number;
  readonly words: Int32Array;
}

const makePiece = (bytes: readonly number[]): RecordPiece => {
  const words = new Int32Array((bytes.length + 3) >> 2);
  for (const [i, byte] of bytes.entries()) words[i >> 2] |= byte << (8 * (i & 3));
  return { size: bytes.length, words };
};

const phaseHead = (name: string, stateSize: number | null, more = 0): number[] => [
  mapHead(4 + more),
  ...packText('phase'),
  ...packText(name),
  ...packText('state'),
  ...(stateSize === null ? [NIL] : bytesHead(stateSize)),
];

/**
 * A phase up to its orders, but for its state.
 * @param stateSize bytes of the state, which must be written next; null for none
 * @param more how many of targets and messages it has, which must be written behind its orders
 */
export const phasePiece = (name: string, stateSize: number | null, more = 0): RecordPiece =>
  makePiece(phaseHead(name, stateSize, more));

/** The scores by one system, but for the numbers themselves. */
export const scorePiece = (name: string, powers: number): RecordPiece =>
  makePiece([...packText(name), ...bytesHead(Float64Array.BYTES_PER_ELEMENT * powers)]);

const TARGETS = makePiece([...packText('targets'), mapHead(8)]);
/** What a game may say of itself before its index. */
export interface GameHead {
  /** Place of each power's agent among the agents of the manifest. */
  readonly agents?: Uint16Array | undefined;
  readonly map?: string | undefined;
  readonly rules?: string | undefined;
}

const packAgents = (agents: Uint16Array): number[] => [
  ...bytesHead(agents.byteLength),
  ...[...agents].flatMap((agent) => [agent & 255, agent >> 8]),
];

const gamePiece = ({ agents, map, rules }: GameHead): RecordPiece => {
  const fields = [
    ...(agents === undefined ? [] : [[...packText('agents'), ...packAgents(agents)]]),
    ...Object.entries({ map, rules }).flatMap(([key, name]) =>
      name === undefined ? [] : [[...packText(key), ...packText(name)]],
    ),
  ];
  return makePiece([mapHead(4 + fields.length), ...fields.flat(), ...packText('index')]);
};
const GAME = gamePiece({});
const SEED = makePiece(packText('seed'));
const PHASES = makePiece(packText('phases'));
const SCORES = makePiece([...packText('scores'), mapHead(scoreNames.length)]);

/** Lists of up to this many orders have their heads ready: more than play makes. */
const READY_ORDERS = 512;
const ORDER_SIZE = Int32Array.BYTES_PER_ELEMENT;
const listPiece = (key: string, bytes: number): RecordPiece => makePiece([...packText(key), ...bytesHead(bytes)]);
const readyPieces = (key: string, width: number): RecordPiece[] =>
  Array.from({ length: READY_ORDERS + 1 }, (_, n) => listPiece(key, width * n));
const ORDERS = readyPieces('orders', ORDER_SIZE);
const RESULTS = readyPieces('results', 1);

/** Up to this many orders the length of their list has one byte. */
const FEW_ORDERS = 63;
/** Words of a ready phase: those of S1901M and of all names up to two letters longer. */
const READY_WORDS = 8;

/** A phase without a state or targets up to the content of its orders, ready for any number of them. */
export interface ReadyPhase {
  readonly head: RecordPiece;
  /** READY_WORDS words that end with the length of the list, which is left open; null where they are too few. */
  readonly few: RecordPiece | null;
}

export const readyPhase = (name: string): ReadyPhase => {
  const bytes = [...phaseHead(name, null), ...packText('orders'), ...bytesHead(0)];
  const room = 4 * READY_WORDS - bytes.length;
  const { words } = makePiece([...bytes, ...new Array<number>(Math.max(0, room)).fill(0)]);
  return { head: phasePiece(name, null), few: room < 0 ? null : { size: bytes.length, words } };
};

/** 'results' and the head of their list up to FEW_ORDERS, in words; the length comes behind RESULTS_LENGTH bytes. */
const [RESULTS_0, RESULTS_1, RESULTS_2] = RESULTS[0].words;
const RESULTS_LENGTH = RESULTS[0].size - 1;

// ---- the writer ----

/** More bytes than come before the phases of a game and than its list head grows by at the end. */
const GAME_ROOM = 64;
/** Bytes that the head of the list of phases is given before their number is known. */
const PHASES_ROOM = 3;
/** More bytes than the keys of targets and the heads of their values. */
const TARGETS_ROOM = 256;
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

  /** Makes room for more bytes. No other method does: callers reserve the maximum before they write. */
  reserve(room: number): void {
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

  /** Forgets what was written, between two games: the next one goes where the first one began. */
  rewind(): void {
    this.at = 0;
  }

  /** Writes the padding of the last word too, up to three bytes, which the next write overwrites. */
  piece({ size, words }: RecordPiece): void {
    const { view, at } = this;
    for (let i = 0; i < words.length; i++) view.setInt32(at + 4 * i, words[i], true);
    this.at = at + size;
  }

  raw(bytes: Uint8Array): void {
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
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
  beginGame(index: number, seed: number, of?: GameHead): void {
    const head = of === undefined ? GAME : gamePiece(of);
    this.reserve(GAME_ROOM + head.size);
    this.gameAt = this.at;
    this.at += LENGTH_SIZE;
    this.piece(head);
    this.whole(index);
    this.piece(SEED);
    this.whole(seed);
    this.piece(PHASES);
    this.phasesAt = this.at;
    this.at += PHASES_ROOM;
  }

  /**
   * The orders and results of a phase but for their content, for which it leaves room.
   * @returns where the orders begin; the results are the last `count` bytes
   */
  orders(count: number): number {
    this.piece(count <= READY_ORDERS ? ORDERS[count] : listPiece('orders', ORDER_SIZE * count));
    const orderAt = this.at;
    this.at += ORDER_SIZE * count;
    this.piece(count <= READY_ORDERS ? RESULTS[count] : listPiece('results', count));
    this.at += count;
    return orderAt;
  }

  /**
   * A phase with its head, its orders and results but for their content, for which it leaves room. Like piece() it writes
   * up to three bytes more, and some zeros where the orders will be.
   * @returns where the orders begin; the results are the last `count` bytes
   */
  readyPhase({ head, few }: ReadyPhase, count: number): number {
    if (few === null || count > FEW_ORDERS) {
      this.piece(head);
      return this.orders(count);
    }
    // No loops, and one write of `at`: there are some fifty phases in a game of ten years.
    const { view, at } = this;
    const { words, size } = few;
    view.setInt32(at, words[0], true);
    view.setInt32(at + 4, words[1], true);
    view.setInt32(at + 8, words[2], true);
    view.setInt32(at + 12, words[3], true);
    view.setInt32(at + 16, words[4], true);
    view.setInt32(at + 20, words[5], true);
    view.setInt32(at + 24, words[6], true);
    view.setInt32(at + 28, words[7], true);
    const orderAt = at + size;
    view.setUint8(orderAt - 1, ORDER_SIZE * count);
    const resultAt = orderAt + ORDER_SIZE * count;
    view.setInt32(resultAt, RESULTS_0, true);
    view.setInt32(resultAt + 4, RESULTS_1, true);
    view.setInt32(resultAt + 8, RESULTS_2 | (count << (8 * (RESULTS_LENGTH & 3))), true);
    this.at = resultAt + RESULTS_LENGTH + 1 + count;
    return orderAt;
  }

  /** Fills the room of the orders of a phase, and that of their results before `at`: the first `count` of each. */
  fillOrders(orderAt: number, orders: Int32Array, results: Uint8Array, count: number): void {
    const { view, bytes } = this;
    const resultAt = this.at - count;
    for (let i = 0; i < count; i++) view.setInt32(orderAt + 4 * i, orders[i], true);
    for (let i = 0; i < count; i++) bytes[resultAt + i] = results[i];
  }

  /** Bytes under a key. @param write of the i-th of `count` values of that width, at an offset */
  private list(key: string, width: number, count: number, write: (at: number, i: number) => void): void {
    this.piece(listPiece(key, width * count));
    for (let i = 0; i < count; i++) write(this.at + width * i, i);
    this.at += width * count;
  }

  /** The targets of a phase, behind its orders. Reserves its room. */
  targets(targets: readonly PolicyTargets[]): void {
    const candidates = targets.flatMap((one) => one.candidates);
    const orders = candidates.flatMap((one) => [...one.orders]);
    this.reserve(TARGETS_ROOM + 6 * targets.length + 14 * candidates.length + 4 * orders.length);
    const { view } = this;
    this.piece(TARGETS);
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
  messages(packed: Uint8Array): void {
    const head = listPiece('messages', packed.length);
    this.reserve(head.size + 4 + packed.length);
    this.piece(head);
    this.raw(packed);
  }

  /** Ends the phases, given their number, and begins the scores: one for each of scoreNames, in their order. */
  endPhases(count: number): void {
    const at = this.phasesAt;
    const size = count < 16 ? 1 : count < 1 << 16 ? 3 : 5;
    if (size !== PHASES_ROOM) {
      this.bytes.copyWithin(at + size, at + PHASES_ROOM, this.at);
      this.at += size - PHASES_ROOM;
    }
    this.bytes[at] = size === 1 ? 0x90 | count : size === 3 ? 0xdc : 0xdd;
    if (size === 3) this.view.setUint16(at + 1, count);
    else if (size === 5) this.view.setUint32(at + 1, count);
    this.piece(SCORES);
  }

  /** The scores by one system: the first `count` of them. @param head scorePiece() of the system */
  scores(head: RecordPiece, values: ArrayLike<number>, count: number): void {
    this.piece(head);
    for (let q = 0; q < count; q++) this.view.setFloat64(this.at + 8 * q, values[q], true);
    this.at += 8 * count;
  }

  /** Ends the game. Returns its bytes without the length before them; the next write may move them. */
  endGame(): Uint8Array {
    const begin = this.gameAt + LENGTH_SIZE;
    this.view.setUint32(this.gameAt, this.at - begin, true);
    return this.bytes.subarray(begin, this.at);
  }
}
