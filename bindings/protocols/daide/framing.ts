// Frames of the DAIDE client-server protocol, version 1. Byte offset, size and content:
//
//   0   1   type: 0 initial (IM), 1 representation (RM), 2 diplomacy (DM), 3 final (FM), 4 error (EM)
//   1   1   unused
//   2   2   number of bytes in the body, big-endian like all numbers in it
//
// The client opens with an IM (version, magic number) and the server answers with its RM. After that both send DMs. The
// side that closes the connection first sends an FM, or an EM with a code if the other side has broken the protocol.
import { LepantoError } from '../../../engine/index.js';

/** Version of the DAIDE protocol that an initial message must name. */
export const VERSION = 1;
/** Magic number in an initial message. */
export const MAGIC = 0xda10;
/** Number of bytes in a frame header. */
const HEADER = 4;

/** Codes of the types of frames: byte 0 of a header. */
export const MessageType = { INITIAL: 0, REPRESENTATION: 1, DIPLOMACY: 2, FINAL: 3, ERROR: 4 } as const;
export type MessageType = (typeof MessageType)[keyof typeof MessageType];

/** Error codes of error messages (EM). Codes that only clients send are left out. */
export const ProtocolFault = {
  /** No initial message arrived in time. */
  TIMER: 0x01,
  NOT_INITIAL: 0x02,
  /** The bytes of the initial message are swapped. */
  ENDIAN: 0x03,
  MAGIC: 0x04,
  VERSION: 0x05,
  SECOND_INITIAL: 0x06,
  /** The type of the frame does not exist. */
  UNKNOWN: 0x08,
  /**
   * The length of the body is not possible for the type of the frame, or the rest of a frame did not arrive in time.
   */
  LENGTH: 0x09,
  /** The client sent a representation message, which only the server may send. */
  CLIENT_REPRESENTATION: 0x0d,
  /** The message has a token of a category that may never be sent. */
  TOKEN: 0x0e,
} as const;
export type ProtocolFault = (typeof ProtocolFault)[keyof typeof ProtocolFault];

/** Returns a frame: a header for `body`, then `body`. */
export const frame = (type: MessageType, body: Uint8Array): Buffer => {
  const bytes = Buffer.alloc(HEADER + body.length);
  bytes[0] = type;
  bytes.writeUInt16BE(body.length, 2);
  bytes.set(body, HEADER);
  return bytes;
};

/** Maximum number of tokens in a diplomacy message. */
export const MAX_TOKENS = 0xffff >> 1;

/** Returns the frame of a diplomacy message. @throws LepantoError if it has more than MAX_TOKENS tokens */
export const diplomacyFrame = (tokens: readonly number[]): Buffer => {
  if (tokens.length > MAX_TOKENS)
    throw new LepantoError('argument', `DAIDE message: got ${tokens.length} tokens, wanted at most ${MAX_TOKENS}`);
  return frame(MessageType.DIPLOMACY, Buffer.from(Uint16Array.from(tokens).buffer).swap16());
};

export const finalFrame = (): Buffer => frame(MessageType.FINAL, new Uint8Array(0));

export const errorFrame = (fault: ProtocolFault): Buffer => frame(MessageType.ERROR, Uint8Array.of(0, fault));

/** A frame from a client: the tokens of a DM, 'initial' for a valid IM, 'end' for an FM or EM, or a protocol error. */
export type Received =
  | { readonly kind: 'initial' | 'end' }
  | { readonly kind: 'tokens'; readonly tokens: Uint16Array }
  | { readonly kind: 'fault'; readonly fault: ProtocolFault };

/** Values read from a client that swaps bytes: of the body length 4, and of the magic number (SWAPPED_MAGIC). */
const SWAPPED_LENGTH = 0x0400;
const SWAPPED_MAGIC = 0x10da;

const fault = (code: ProtocolFault): Received => ({ kind: 'fault', fault: code });

/** Functions, keyed by frame type, that are true for a valid body length in bytes. Only types of clients are listed. */
const fits: Readonly<Record<number, (length: number) => boolean>> = {
  [MessageType.INITIAL]: (length) => length === 4,
  [MessageType.DIPLOMACY]: (length) => length >= 2 && length % 2 === 0,
  [MessageType.FINAL]: (length) => length === 0,
  [MessageType.ERROR]: (length) => length === 2,
};

/**
 * Returns the protocol error in a frame header, or null if the header is valid.
 * @param length number of bytes in the body
 * @param isFirst true for a client's first frame
 */
const findHeadFault = (type: number, length: number, isFirst: boolean): ProtocolFault | null => {
  // A client may close the connection before its initial message.
  const leaves = type === MessageType.FINAL || type === MessageType.ERROR;
  if (isFirst && type !== MessageType.INITIAL) return leaves ? null : ProtocolFault.NOT_INITIAL;
  if (!isFirst && type === MessageType.INITIAL) return ProtocolFault.SECOND_INITIAL;
  if (type === MessageType.REPRESENTATION) return ProtocolFault.CLIENT_REPRESENTATION;
  if (fits[type] === undefined) return ProtocolFault.UNKNOWN;
  if (type === MessageType.INITIAL && length === SWAPPED_LENGTH) return ProtocolFault.ENDIAN;
  return fits[type](length) ? null : ProtocolFault.LENGTH;
};

/** Checks the content of an initial message. Returns a frame of kind 'initial', or of kind 'fault' with the error. */
const readInitial = (version: number, magic: number): Received => {
  if (magic === SWAPPED_MAGIC) return fault(ProtocolFault.ENDIAN);
  if (magic !== MAGIC) return fault(ProtocolFault.MAGIC);
  return version === VERSION ? { kind: 'initial' } : fault(ProtocolFault.VERSION);
};

/** Splits the byte stream of a client into frames. Buffers the bytes that belong to no returned frame yet. */
export class FrameReader {
  private input: Buffer = Buffer.alloc(0);
  /** True until the first complete frame has been read. */
  waitsForInitial = true;

  /** True if unread bytes are buffered. After next() has returned null these are the first part of a frame. */
  get isWithin(): boolean {
    return this.input.length > 0;
  }

  /** Adds received bytes to the buffer. Call next() afterwards until it returns null. */
  add(bytes: Buffer): void {
    this.input = this.input.length === 0 ? bytes : Buffer.concat([this.input, bytes]);
  }

  /** Returns the next frame, or null if it is incomplete. Must not be called again after kind 'fault' or 'end'. */
  next(): Received | null {
    const { input } = this;
    if (input.length < HEADER) return null;
    const [type] = input;
    const length = input.readUInt16BE(2);
    const wrong = findHeadFault(type, length, this.waitsForInitial);
    if (wrong !== null) return fault(wrong);
    if (input.length < HEADER + length) return null;
    const body = input.subarray(HEADER, HEADER + length);
    this.input = input.subarray(HEADER + length);
    this.waitsForInitial = false;
    if (type === MessageType.INITIAL) return readInitial(body.readUInt16BE(0), body.readUInt16BE(2));
    if (type !== MessageType.DIPLOMACY) return { kind: 'end' };
    return { kind: 'tokens', tokens: Uint16Array.from({ length: length / 2 }, (_, i) => body.readUInt16BE(2 * i)) };
  }
}
