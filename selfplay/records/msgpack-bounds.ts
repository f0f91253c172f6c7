// Checks msgpack bytes from outside before they are unpacked, because a few bytes can announce lists of billions. Accepts
// only what records are made of: maps, lists, text, bytes, numbers, nil and booleans.
import { LepantoError } from '../../engine/rules/error.js';

/** The greatest depth of nested lists and maps. A record has four levels. */
const MAX_DEPTH = 8;
/** The most keys of a map. Maps of a record have at most eight. */
const MAX_KEYS = 64;
/** The most bytes of a text. */
const MAX_TEXT = 1024;
/**
 * The most values of all kinds, keys included. A phase has nine, and 27 with targets: a game of ten thousand years stays
 * below, and one of seven thousand with targets.
 */
export const MAX_VALUES = 1 << 20;

/** What is announced. */
const NUMBER = 0;
const TEXT = 1;
const BYTES = 2;
const LIST = 3;
const MAP = 4;
const OTHER = 5;

// By first byte: what it announces, how many bytes of length follow, and the length or size that it has in itself.
const kinds = new Uint8Array(256).fill(OTHER);
const lengthBytes = new Uint8Array(256);
const own = new Uint8Array(256);

const announce = (from: number, to: number, kind: number, read: (byte: number) => [bytes: number, size: number]) => {
  for (let byte = from; byte <= to; byte++) {
    kinds[byte] = kind;
    [lengthBytes[byte], own[byte]] = read(byte);
  }
};
announce(0x00, 0x7f, NUMBER, () => [0, 0]);
announce(0x80, 0x8f, MAP, (byte) => [0, byte & 15]);
announce(0x90, 0x9f, LIST, (byte) => [0, byte & 15]);
announce(0xa0, 0xbf, TEXT, (byte) => [0, byte & 31]);
// nil, false, true
for (const byte of [0xc0, 0xc2, 0xc3]) announce(byte, byte, NUMBER, () => [0, 0]);
announce(0xc4, 0xc6, BYTES, (byte) => [1 << (byte - 0xc4), 0]);
// float 32 and 64
announce(0xca, 0xcb, NUMBER, (byte) => [0, 4 << (byte - 0xca)]);
// whole numbers of one to eight bytes, without a sign and with one
announce(0xcc, 0xcf, NUMBER, (byte) => [0, 1 << (byte - 0xcc)]);
announce(0xd0, 0xd3, NUMBER, (byte) => [0, 1 << (byte - 0xd0)]);
announce(0xd9, 0xdb, TEXT, (byte) => [1 << (byte - 0xd9), 0]);
announce(0xdc, 0xdd, LIST, (byte) => [2 << (byte - 0xdc), 0]);
announce(0xde, 0xdf, MAP, (byte) => [2 << (byte - 0xde), 0]);
announce(0xe0, 0xff, NUMBER, () => [0, 0]);

const refuse = (at: number, what: string): never => {
  throw new LepantoError('record', `offset ${at}: got ${what}`);
};

/**
 * Checks that bytes are one msgpack value, small enough to unpack.
 * @throws LepantoError with the offset of what is wrong
 */
export const checkMsgpack = (bytes: Uint8Array): void => {
  /** Values still to come in the lists and maps around this place. */
  const left = new Float64Array(MAX_DEPTH + 1);
  left[0] = 1;
  let depth = 0;
  let values = 0;
  let at = 0;
  while (depth >= 0) {
    if (left[depth] === 0) {
      depth--;
      continue;
    }
    left[depth]--;
    if (++values > MAX_VALUES) refuse(at, `more than ${MAX_VALUES} values`);
    if (at >= bytes.length) refuse(at, 'the end, wanted a value');
    const begin = at;
    const byte = bytes[at++];
    let size = own[byte];
    for (let end = at + lengthBytes[byte]; at < end; at++) size = size * 256 + (bytes[at] ?? 0);
    const kind = kinds[byte];
    if (kind === LIST || kind === MAP) {
      if (kind === MAP && size > MAX_KEYS) refuse(begin, `a map of ${size} keys, wanted at most ${MAX_KEYS}`);
      // Each value has at least one byte.
      if (size > bytes.length - at) refuse(begin, `a list of ${size} in ${bytes.length - at} bytes`);
      if (++depth > MAX_DEPTH) refuse(begin, `more than ${MAX_DEPTH} levels of maps and lists`);
      left[depth] = kind === MAP ? 2 * size : size;
    } else if (kind === OTHER) refuse(begin, `the type 0x${byte.toString(16)}, which no record has`);
    else {
      if (kind === TEXT && size > MAX_TEXT) refuse(begin, `a text of ${size} bytes, wanted at most ${MAX_TEXT}`);
      at += size;
      if (at > bytes.length) refuse(begin, `${size} bytes that are not there`);
    }
  }
  if (at < bytes.length) refuse(at, `${bytes.length - at} bytes more, wanted the end`);
};
