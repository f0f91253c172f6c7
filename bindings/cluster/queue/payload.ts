// Packs the result of a task as a payload: a head with its description and CRC-32, then its compressed bytes.

import { brotliCompressSync, brotliDecompressSync, constants, crc32 } from 'node:zlib';
import { fields, optional, refuse, refuseValue, text, wholeNumber } from '../../../engine/rules/shape.js';

/** Head of a payload, which describes the bytes of a result. */
export interface PayloadHead {
  readonly run: string;
  readonly task: number;
  /** Number of games in the result. */
  readonly games: number;
  /** CRC-32 of the uncompressed bytes. */
  readonly crc: number;
  readonly size: number;
  /** Table of the games of a shard (selfplay/records/game-table.ts), in base64. Left out if it is large. */
  readonly table?: string;
  readonly machine: string;
}

/** A result as read from a store: its head and its unpacked bytes. */
export interface Payload {
  readonly head: PayloadHead;
  readonly bytes: Uint8Array;
  /** Path of the file that has the bytes of the result, if there is one. The coordinator may rename the file. */
  readonly path?: string;
}

const HEAD_LENGTH = 4;
/** Largest game table in a head, in bytes. A larger table is left out and computed again from the games. */
export const MAX_TABLE = 1 << 21;
/** Upper bound of the size of a head with its table, in bytes. */
export const MAX_HEAD = 2 * MAX_TABLE;

const count = wholeNumber(0);

const payloadHead = fields<PayloadHead>({
  run: text,
  task: count,
  games: count,
  crc: count,
  size: count,
  table: optional(text),
  machine: text,
});

/** Parses the JSON of a payload's head. @throws LepantoError if the content is not a head */
export const readHead = (content: string): PayloadHead => {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    refuseValue('head of a result', content, 'JSON');
  }
  return payloadHead(value, 'head of a result');
};

/** Returns an upper bound of the size of a packed payload, in bytes, for a result of at most `most` bytes. */
export const mostPacked = (most: number): number => most + MAX_HEAD + (1 << 16);

/** Checks the size of the result that a head states. @throws LepantoError if it is larger than `most` bytes */
export const checkSize = ({ task, size }: PayloadHead, most: number): void => {
  if (size > most) refuse(`result of task ${task}: got ${size} bytes, wanted at most ${most}`);
};

/** Checks the size and the CRC-32 of the bytes of a result. @throws LepantoError if they do not match the head */
export const checkPayload = (head: PayloadHead, bytes: Uint8Array): void => {
  if (bytes.length !== head.size) refuse(`result of task ${head.task}: got ${bytes.length} bytes, wanted ${head.size}`);
  const crc = crc32(bytes);
  if (crc !== head.crc) refuse(`result of task ${head.task}: got crc32 ${crc}, wanted ${head.crc}`);
};

/**
 * Options of Brotli. Quality 0 takes a third of the time of the fastest deflate, and compresses games only a little
 * worse.
 */
const params = { [constants.BROTLI_PARAM_QUALITY]: 0, [constants.BROTLI_PARAM_LGWIN]: 18 };
/** Size of an output chunk, in bytes. Most shards fit into one chunk, so that no chunks must be joined. */
const CHUNK = 1 << 20;
/** Largest output chunk in bytes that is allocated for the size in a head, because that size is not trusted. */
const MOST_CHUNK = 1 << 24;

/** Returns a result as a packed payload. It is in shared memory, so that a thread can pass it on without copying. */
export const packPayload = (head: PayloadHead, bytes: Uint8Array): Buffer => {
  const text = Buffer.from(JSON.stringify(head));
  const body = brotliCompressSync(bytes, { params, chunkSize: CHUNK });
  const packed = Buffer.from(new SharedArrayBuffer(HEAD_LENGTH + text.length + body.length));
  packed.writeUInt32LE(text.length);
  packed.set(text, HEAD_LENGTH);
  packed.set(body, HEAD_LENGTH + text.length);
  return packed;
};

/**
 * Returns the result in a packed payload.
 * @param most largest size of the unpacked result, in bytes
 * @throws LepantoError for an incomplete or invalid payload, and for a larger result, which is not unpacked
 */
export const unpackPayload = (packed: Buffer, most: number): Payload => {
  const length = packed.length < HEAD_LENGTH ? 0 : packed.readUInt32LE();
  const end = HEAD_LENGTH + length;
  if (length === 0 || length > MAX_HEAD || end > packed.length)
    refuse(`result: got ${packed.length} bytes, wanted a head of 1 to ${MAX_HEAD} bytes and a body after it`);
  const head = readHead(packed.toString('utf8', HEAD_LENGTH, end));
  checkSize(head, most);
  let bytes: Buffer;
  try {
    // One byte more than needed, because a full chunk makes zlib allocate another one.
    const chunkSize = Math.min(MOST_CHUNK, Math.max(64, head.size + 1));
    bytes = brotliDecompressSync(packed.subarray(end), { maxOutputLength: Math.max(1, head.size), chunkSize });
  } catch (error) {
    return refuse(`result of task ${head.task}: got bytes that cannot be unpacked (${(error as Error).message})`);
  }
  checkPayload(head, bytes);
  return { head, bytes };
};
