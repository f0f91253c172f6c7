// Reads recorded games in place, from the byte layout described in record-writer.ts.
//
// open() checks the shape of a game and indexes its phases. seek() then reads the orders, results and position of one
// phase without creating objects. Map keys must come in the order of the layout. Lengths in the input are untrusted:
// each is compared with the number of bytes left before anything is read or allocated.
import { type Power, scoreNames } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { refuse, refuseValue, textLike } from '../../engine/rules/shape.js';
import { keyOfName } from '../games/phase-key.js';
import type { PolicyTargets } from '../games/targets.js';
import type { Candidate } from '../question/agent.js';
import { type Message, unpackMessages } from '../question/message.js';

/** Checks the name of a map or of rules: 1 to 1024 printable characters, safe to show in an error message. */
const nameText = textLike(/^[^\p{C}]{1,1024}$/u, 'a name of at most 1024 printable characters');

const isHostLittle = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Copies little-endian numbers to a buffer in host byte order. @param width number of bytes of each number */
const fromBytes = (bytes: Uint8Array, width: number): ArrayBuffer => {
  const copy = bytes.slice();
  if (!isHostLittle) for (let i = 0; i < copy.length; i += width) copy.subarray(i, i + width).reverse();
  return copy.buffer as ArrayBuffer;
};

const utf8 = new TextDecoder();
const keyBytes = (key: string): Uint8Array => Uint8Array.of(0xa0 | key.length, ...new TextEncoder().encode(key));
const AGENTS = keyBytes('agents');
const MAP = keyBytes('map');
const RULES = keyBytes('rules');
const INDEX = keyBytes('index');
const SEED = keyBytes('seed');
const PHASES = keyBytes('phases');
const PHASE = keyBytes('phase');
const STATE = keyBytes('state');
const ORDERS = keyBytes('orders');
const RESULTS = keyBytes('results');
const TARGETS = keyBytes('targets');
const MESSAGES = keyBytes('messages');
const SCORES = keyBytes('scores');
const SCORE_KEYS = scoreNames.map(keyBytes);

/** Names of the lists in the targets of a phase, in file order, each with the size of one element in bytes. */
const targetLists = [
  ['powers', 1],
  ['roots', 4],
  ['counts', 1],
  ['probabilities', 4],
  ['values', 4],
  ['errors', 4],
  ['lengths', 2],
  ['orders', 4],
] as const;
const TARGET_KEYS = targetLists.map(([name]) => keyBytes(name));

// ---- fields of the phase index; all offsets are from the first byte of the game ----

const NAME_AT = 0;
const NAME_SIZE = 1;
/**
 * Position, in the index entry of a phase, of the offset of the recorded position. That offset is -1 for a phase
 * without one.
 */
const STATE_AT = 2;
const STATE_SIZE = 3;
const ORDERS_AT = 4;
const ORDER_COUNT = 5;
const RESULTS_AT = 6;
/**
 * Position, in the index entry of a phase, of the offset of its lists of targets. That offset is 0 for a phase without
 * targets.
 */
const TARGETS_AT = 7;
/**
 * Position, in the index entry of a phase, of the offset of its packed messages. That offset is 0 for a phase without
 * messages.
 */
const MESSAGES_AT = 8;
const MESSAGES_SIZE = 9;
const FIELDS = 10;

const FIRST_PHASES = 64;
const FIRST_ORDERS = 256;
/** Maximum length of any text in a record (name of a phase, map or rules), in bytes. */
const MAX_NAME = 1024;

interface PhaseName {
  readonly name: string;
  readonly key: number;
}

/**
 * Cache of the names of phases with COMMON_SIZE bytes ('S1901M'). The key is these six bytes, read as one big-endian
 * number.
 */
const knownNames = new Map<number, PhaseName>();
/** Maximum number of names in the cache. Without a limit, a hostile file could fill the memory with names. */
const MOST_NAMES = 1 << 16;
const COMMON_SIZE = 6;

/**
 * Reads recorded games, one at a time. Views of the game are valid until the next open(), views of a phase until the
 * next seek().
 */
export class GameCursor {
  /** Index of the game in its run. */
  index = 0;
  seed = 0;
  /** Name of the map; undefined if the game does not record it. */
  map: string | undefined;
  /** Name of the rules; undefined if the game does not record it. */
  rules: string | undefined;
  /** Index of each power's agent in Manifest.agents, indexed by power; undefined if the game does not record it. */
  agents: Uint16Array | undefined;
  /** Number of powers, taken from the number of scores. */
  powers = 0;
  /** Number of phases, including the final one, which holds the last position and has no orders. */
  phases = 0;
  /** Name of the game in error messages. */
  where = 'game';

  /** Index of the current phase, set by seek(). */
  phase = 0;
  /** Packed orders of the current phase. Only the first `count` elements are valid. */
  orders: Int32Array = new Int32Array(FIRST_ORDERS);
  /** Outcome byte of each order (order-results.ts). Only the first `count` elements are valid. */
  results: Uint8Array = new Uint8Array(FIRST_ORDERS);
  count = 0;

  private bytes: Uint8Array = new Uint8Array(0);
  private view: DataView = new DataView(this.bytes.buffer);
  private at = 0;
  private places = new Int32Array(FIELDS * FIRST_PHASES);
  /** Offset of the scores of each scoring system, indexed like scoreNames. */
  private readonly scoresAt: number[] = [];
  private readonly scoreCounts: number[] = [];

  // ---- one value ----

  /**
   * Throws the error for an invalid game.
   * @param at offset of the fault in the game, in bytes
   * @throws LepantoError always; the message names game and offset
   */
  private refuse(at: number, what: string): never {
    const { length } = this.bytes;
    return refuse(`${this.where}: got ${length} bytes, wanted one recorded game (offset ${at}: ${what})`);
  }

  private byte(): number {
    if (this.at >= this.bytes.length) this.refuse(this.at, 'got the end, wanted a value');
    return this.bytes[this.at++];
  }

  /**
   * Reads a length stored in `width` bytes, big-endian.
   * @param begin offset of the value in error messages
   * @throws LepantoError if the game has fewer bytes left
   */
  private announced(width: number, begin: number): number {
    let length = 0;
    for (let i = 0; i < width; i++) length = length * 256 + this.byte();
    const left = this.bytes.length - this.at;
    return length <= left ? length : this.refuse(begin, `got ${length} bytes or values, wanted at most ${left}`);
  }

  private unwanted(begin: number, wanted: string): never {
    const type = this.bytes[begin].toString(16).padStart(2, '0');
    return this.refuse(begin, `got the type 0x${type}, wanted ${wanted}`);
  }

  /**
   * Reads the head of a byte string and returns its length in bytes. Leaves the read position `at` at the first byte.
   * @throws LepantoError for another type
   */
  private blob(): number {
    const begin = this.at;
    const type = this.byte();
    return type >= 0xc4 && type <= 0xc6 ? this.announced(1 << (type - 0xc4), begin) : this.unwanted(begin, 'bytes');
  }

  /**
   * Reads the head of a text and returns its length in bytes. Leaves the read position `at` at the first byte.
   * @throws LepantoError for another type, or if the text has more than MAX_NAME bytes
   */
  private text(): number {
    const begin = this.at;
    const type = this.byte();
    let size: number;
    if (type >= 0xa0 && type <= 0xbf) size = type & 31;
    else
      size = type >= 0xd9 && type <= 0xdb ? this.announced(1 << (type - 0xd9), begin) : this.unwanted(begin, 'a text');
    if (size > MAX_NAME) this.refuse(begin, `got a text of ${size} bytes, wanted at most ${MAX_NAME}`);
    if (size > this.bytes.length - this.at) this.refuse(begin, `got a text of ${size} bytes that are not there`);
    return size;
  }

  private list(): number {
    const begin = this.at;
    const type = this.byte();
    if (type >= 0x90 && type <= 0x9f) return type & 15;
    return type === 0xdc || type === 0xdd ? this.announced(2 << (type - 0xdc), begin) : this.unwanted(begin, 'a list');
  }

  /**
   * Reads the head of a map and returns its number of keys.
   * @throws LepantoError for another type, or if the number is not in `least` to `most`
   */
  private keys(least: number, most: number): number {
    const begin = this.at;
    const type = this.byte();
    if (type !== 0xde && (type < 0x80 || type > 0x8f)) this.unwanted(begin, 'a map');
    const keys = type === 0xde ? this.announced(2, begin) : type & 15;
    return keys >= least && keys <= most
      ? keys
      : this.refuse(begin, `got a map of ${keys} keys, wanted ${least === most ? least : `${least} to ${most}`}`);
  }

  /**
   * Reads a number. The result may be a fraction or beyond the safe integers; the caller checks.
   * @throws LepantoError for another type
   */
  private whole(): number {
    const begin = this.at;
    const type = this.byte();
    if (type < 0x80) return type;
    if (type >= 0xe0) return type - 256;
    const width = type === 0xcb ? 8 : 1 << (type & 3);
    if (type < 0xcb || type > 0xd3) this.unwanted(begin, 'a number');
    if (width > this.bytes.length - this.at) this.refuse(begin, 'got the end, wanted a number');
    const { view, at } = this;
    this.at += width;
    switch (type) {
      case 0xcb:
        return view.getFloat64(at);
      case 0xcc:
        return view.getUint8(at);
      case 0xcd:
        return view.getUint16(at);
      case 0xce:
        return view.getUint32(at);
      case 0xcf:
        return Number(view.getBigUint64(at));
      case 0xd0:
        return view.getInt8(at);
      case 0xd1:
        return view.getInt16(at);
      case 0xd2:
        return view.getInt32(at);
      default:
        return Number(view.getBigInt64(at));
    }
  }

  private wholeIn(what: string, least: number, most: number): number {
    const value = this.whole();
    return Number.isInteger(value) && value >= least && value <= most
      ? value
      : refuseValue(`${this.where}, ${what}`, value, `a whole number from ${least} to ${most}`);
  }

  /**
   * Reads a key and returns true if it comes next. Otherwise returns false and reads nothing.
   * @param key encoded key
   */
  private has(key: Uint8Array): boolean {
    const { bytes, at } = this;
    for (let i = 0; i < key.length; i++) if (bytes[at + i] !== key[i]) return false;
    this.at = at + key.length;
    return true;
  }

  private expect(key: Uint8Array): void {
    if (!this.has(key)) this.refuse(this.at, `wanted the key "${utf8.decode(key.subarray(1))}"`);
  }

  private sliceText(at: number, size: number): string {
    return utf8.decode(this.bytes.subarray(at, at + size));
  }

  private named(what: string): string {
    const size = this.text();
    this.at += size;
    return nameText(this.sliceText(this.at - size, size), `${this.where}, ${what}`);
  }

  // ---- a game ----

  /**
   * Opens a game, checks its byte layout and moves to its first phase. Does not check whether the game follows the
   * rules; Replay (verify.ts) does.
   * @param bytes stored bytes of the game, without the length field before them; they are not copied
   * @param where name of the game in error messages
   * @returns this cursor
   * @throws LepantoError if the bytes are not a game; the message names the offset, the value found and the one
   *   expected
   */
  open(bytes: Uint8Array, where = 'game'): this {
    // Bytes are kept as a plain Uint8Array, because slice() of a Buffer makes a view, not a copy.
    this.bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.where = where;
    this.at = 0;
    const keys = this.keys(4, 7);
    const agentSize = this.has(AGENTS) ? this.blob() : -1;
    const agentsAt = this.at;
    if (agentSize >= 0) this.at += agentSize;
    this.map = this.has(MAP) ? this.named('map') : undefined;
    this.rules = this.has(RULES) ? this.named('rules') : undefined;
    this.expect(INDEX);
    this.index = this.wholeIn('index', 0, Number.MAX_SAFE_INTEGER);
    this.expect(SEED);
    this.seed = this.wholeIn('seed', -(2 ** 31), 2 ** 31 - 1);
    this.expect(PHASES);
    this.readPhases();
    this.expect(SCORES);
    this.readScores();
    const more = Number(agentSize >= 0) + Number(this.map !== undefined) + Number(this.rules !== undefined);
    if (keys !== 4 + more) this.refuse(0, `got a map of ${keys} keys, wanted ${4 + more}`);
    if (this.at < bytes.length) this.refuse(this.at, `got ${bytes.length - this.at} bytes more, wanted the end`);
    if (agentSize >= 0 && agentSize !== 2 * this.powers)
      this.refuse(agentsAt, `got ${agentSize} bytes of agents, wanted ${2 * this.powers}`);
    const agents = this.bytes.subarray(agentsAt, agentsAt + agentSize);
    this.agents = agentSize < 0 ? undefined : new Uint16Array(fromBytes(agents, 2));
    return this.seek(0);
  }

  private readPhases(): void {
    const begin = this.at;
    const phases = this.list();
    if (phases === 0) this.refuse(begin, 'got no phases, wanted at least one');
    for (let i = 0; i < phases; i++) this.readPhase(i);
    this.phases = phases;
    for (const i of [0, phases - 1])
      if (this.places[FIELDS * i + STATE_AT] < 0) refuseValue(`${this.where}, phase ${i}, state`, null, 'bytes');
  }

  private readPhase(i: number): void {
    const p = FIELDS * i;
    if (p === this.places.length) {
      const larger = new Int32Array(2 * p);
      larger.set(this.places);
      this.places = larger;
    }
    const { places } = this;
    const begin = this.at;
    const keys = this.keys(4, 6);
    this.expect(PHASE);
    places[p + NAME_SIZE] = this.text();
    places[p + NAME_AT] = this.at;
    this.at += places[p + NAME_SIZE];
    this.expect(STATE);
    const isStated = this.bytes[this.at] !== 0xc0;
    if (isStated) places[p + STATE_SIZE] = this.blob();
    else this.at++;
    places[p + STATE_AT] = isStated ? this.at : -1;
    if (isStated) this.at += places[p + STATE_SIZE];
    this.expect(ORDERS);
    const size = this.blob();
    places[p + ORDERS_AT] = this.at;
    places[p + ORDER_COUNT] = size >> 2;
    if ((size & 3) !== 0) this.refuse(this.at, `got ${size} bytes of orders, wanted a multiple of 4`);
    this.at += size;
    this.expect(RESULTS);
    const results = this.blob();
    places[p + RESULTS_AT] = this.at;
    if (results !== size >> 2)
      refuse(`${this.where}, phase ${i}, results: got ${results} bytes, wanted ${size >> 2} bytes, one for each order`);
    this.at += results;
    let more = keys - 4;
    places[p + TARGETS_AT] = 0;
    places[p + MESSAGES_AT] = 0;
    if (more > 0 && this.has(TARGETS)) {
      more--;
      this.keys(targetLists.length, targetLists.length);
      places[p + TARGETS_AT] = this.at;
      for (const key of TARGET_KEYS) {
        this.expect(key);
        const size = this.blob();
        this.at += size;
      }
    }
    if (more > 0) {
      more--;
      this.expect(MESSAGES);
      places[p + MESSAGES_SIZE] = this.blob();
      places[p + MESSAGES_AT] = this.at;
      this.at += places[p + MESSAGES_SIZE];
    }
    if (more > 0) this.refuse(begin, `got a map of ${keys} keys, wanted ${keys - more}`);
  }

  private readScores(): void {
    this.keys(scoreNames.length, scoreNames.length);
    for (let system = 0; system < SCORE_KEYS.length; system++) {
      this.expect(SCORE_KEYS[system]);
      const size = this.blob();
      if ((size & 7) !== 0) this.refuse(this.at, `got ${size} bytes of scores, wanted a multiple of 8`);
      if (system === 0) this.powers = size >> 3;
      this.scoresAt[system] = this.at;
      this.scoreCounts[system] = size >> 3;
      this.at += size;
    }
  }

  /** Returns the recorded scores, indexed by power. @param system index of the scoring system in scoreNames */
  scores(system: number): number[] {
    const at = this.scoresAt[system];
    return Array.from({ length: this.scoreCounts[system] }, (_, q) => this.view.getFloat64(at + 8 * q, true));
  }

  /**
   * True if the recorded scores equal the given ones exactly.
   * @param system index in scoreNames
   * @param scores indexed by power
   */
  hasScores(system: number, scores: Float64Array): boolean {
    const at = this.scoresAt[system];
    if (this.scoreCounts[system] !== scores.length) return false;
    for (let q = 0; q < scores.length; q++) if (this.view.getFloat64(at + 8 * q, true) !== scores[q]) return false;
    return true;
  }

  // ---- a phase ----

  /**
   * Moves to a phase and reads its orders and results. The index is not checked.
   * @param i index of the phase, 0 to phases - 1
   */
  seek(i: number): this {
    const { places, view } = this;
    const p = FIELDS * i;
    const count = places[p + ORDER_COUNT];
    if (count > this.orders.length) {
      this.orders = new Int32Array(2 * count);
      this.results = new Uint8Array(2 * count);
    }
    const { orders, results, bytes } = this;
    const ordersAt = places[p + ORDERS_AT];
    const resultsAt = places[p + RESULTS_AT];
    for (let k = 0; k < count; k++) orders[k] = view.getInt32(ordersAt + 4 * k, true);
    for (let k = 0; k < count; k++) results[k] = bytes[resultsAt + k];
    this.phase = i;
    this.count = count;
    return this;
  }

  private field(field: number): number {
    return this.places[FIELDS * this.phase + field];
  }

  private nameOf(phase: number): PhaseName {
    const { view, places } = this;
    const at = places[FIELDS * phase + NAME_AT];
    const size = places[FIELDS * phase + NAME_SIZE];
    const hash = size === COMMON_SIZE ? view.getUint32(at) * 65536 + view.getUint16(at + 4) : -1;
    const known = knownNames.get(hash);
    if (known !== undefined) return known;
    const name = this.sliceText(at, size);
    const made = { name, key: keyOfName(name) };
    if (hash >= 0 && knownNames.size < MOST_NAMES) knownNames.set(hash, made);
    return made;
  }

  /** Size of the game in bytes. */
  get length(): number {
    return this.bytes.length;
  }

  /** True if the position of every phase is recorded. */
  get hasAllStates(): boolean {
    for (let i = 0; i < this.phases; i++) if (!this.hasState(i)) return false;
    return true;
  }

  /**
   * Returns the key of a phase (phase-key.ts) without moving to the phase; NO_KEY for COMPLETED.
   * @param phase index of the phase
   */
  keyOf(phase: number): number {
    return this.nameOf(phase).key;
  }

  /** True if the position of a phase is recorded. @param phase index of the phase */
  hasState(phase: number): boolean {
    return this.places[FIELDS * phase + STATE_AT] >= 0;
  }

  /** Name of the current phase: 'S1901M', or COMPLETED. */
  get name(): string {
    return this.nameOf(this.phase).name;
  }

  /** Key of the current phase (phase-key.ts); NO_KEY for the final position, COMPLETED. */
  get key(): number {
    return this.nameOf(this.phase).key;
  }

  /** Bytes of the position before the orders of the current phase. Null if the record leaves the position out. */
  get state(): Uint8Array | null {
    const at = this.field(STATE_AT);
    return at < 0 ? null : this.bytes.subarray(at, at + this.field(STATE_SIZE));
  }

  /**
   * Returns the policy targets of the current phase, at most one for each power, ascending by power. Returns an empty
   * list for a phase without targets.
   * @throws LepantoError if the lengths of the lists do not fit together, or if a probability is outside 0 to 1
   */
  targets(): PolicyTargets[] {
    const at = this.field(TARGETS_AT);
    if (at === 0) return [];
    const where = `${this.where}, phase ${this.phase}, targets`;
    this.at = at;
    const lists = new Map<string, ArrayBuffer>();
    for (const [i, [name, width]] of targetLists.entries()) {
      this.expect(TARGET_KEYS[i]);
      const size = this.blob();
      const bytes = this.bytes.subarray(this.at, this.at + size);
      if (size % width !== 0) refuseValue(`${where}, ${name}`, bytes, `bytes, a multiple of ${width}`);
      this.at += size;
      lists.set(name, fromBytes(bytes, width));
    }
    const list = <A>(
      name: (typeof targetLists)[number][0],
      of: { new (buffer: ArrayBuffer): A & { length: number }; BYTES_PER_ELEMENT: number },
      count?: number,
    ): A => {
      const found = new of(lists.get(name) ?? new ArrayBuffer(0));
      if (count === undefined || found.length === count) return found;
      const width = of.BYTES_PER_ELEMENT;
      throw new LepantoError(
        'record',
        `${where}, ${name}: got ${width * found.length} bytes, wanted ${width * count} bytes, ${width} for each of ${count}`,
      );
    };
    const sumOf = (values: ArrayLike<number>): number => Array.from(values).reduce((sum, value) => sum + value, 0);
    const powers = list('powers', Uint8Array);
    if (powers.some((power, i) => i > 0 && power <= powers[i - 1]))
      refuseValue(`${where}, powers`, powers, 'ascending ones');
    const roots = list('roots', Float32Array, powers.length);
    const counts = list('counts', Uint8Array, powers.length);
    const count = sumOf(counts);
    const probabilities = list('probabilities', Float32Array, count);
    if (!probabilities.every((one) => one >= 0 && one <= 1))
      refuseValue(`${where}, probabilities`, new Uint8Array(probabilities.buffer), '0 to 1');
    const values = list('values', Float32Array, count);
    const errors = list('errors', Float32Array, count);
    const lengths = list('lengths', Uint16Array, count);
    const orders = list('orders', Int32Array, sumOf(lengths));
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
  }

  /**
   * Returns the messages of the current phase, ascending by time. Returns an empty list for a phase without messages.
   * @throws LepantoError if the messages are malformed
   */
  messages(): Message[] {
    const at = this.field(MESSAGES_AT);
    if (at === 0) return [];
    const where = `${this.where}, phase ${this.phase}, messages`;
    return unpackMessages(this.bytes.subarray(at, at + this.field(MESSAGES_SIZE)), this.name, where);
  }
}
