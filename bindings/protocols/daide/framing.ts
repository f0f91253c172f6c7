// Messages of the DAIDE client-server protocol, version 1, as bytes:
//
//   0   1   type: 0 initial (IM), 1 representation (RM), 2 diplomacy (DM), 3 final (FM), 4 error (EM)
//   1   1   anything
//   2   2   number of bytes that follow, big-endian as all that follows
//
// The client begins with an IM (version, magic number), which the server answers with its RM; then both send DMs. Who
// closes the connection sends an FM before, or an EM with a code if the other one has broken the protocol.
import { LepantoError } from '../../../engine/index.js';

export const VERSION = 1;
export const MAGIC = 0xda10;
const HEADER = 4;

export const MessageType = { INITIAL: 0, REPRESENTATION: 1, DIPLOMACY: 2, FINAL: 3, ERROR: 4 } as const;
export type MessageType = (typeof MessageType)[keyof typeof MessageType];

/** What an error message says, by its code. Codes that only a client sends are left out. */
export const ProtocolFault = {
  /** No initial message in time. */
  TIMER: 0x01,
  NOT_INITIAL: 0x02,
  /** The IM came with its bytes swapped. */
  ENDIAN: 0x03,
  MAGIC: 0x04,
  VERSION: 0x05,
  SECOND_INITIAL: 0x06,
  /** A type that there is not. */
  UNKNOWN: 0x08,
  /** A length that the type of the message cannot have. */
  LENGTH: 0x09,
  /** An RM, which is the server's. */
  CLIENT_REPRESENTATION: 0x0d,
  /** A token of a category that is never sent. */
  TOKEN: 0x0e,
} as const;
export type ProtocolFault = (typeof ProtocolFault)[keyof typeof ProtocolFault];

export const frame = (type: MessageType, body: Uint8Array): Buffer => {
  const bytes = Buffer.alloc(HEADER + body.length);
  bytes[0] = type;
  bytes.writeUInt16BE(body.length, 2);
  bytes.set(body, HEADER);
  return bytes;
};

/** The most tokens of a diplomacy message. */
export const MAX_TOKENS = 0xffff >> 1;

/** A diplomacy message. @throws LepantoError if it is too long for one */
export const diplomacyFrame = (tokens: readonly number[]): Buffer => {
  if (tokens.length > MAX_TOKENS)
    throw new LepantoError('argument', `DAIDE message: got ${tokens.length} tokens, wanted at most ${MAX_TOKENS}`);
  return frame(MessageType.DIPLOMACY, Buffer.from(Uint16Array.from(tokens).buffer).swap16());
};

export const finalFrame = (): Buffer => frame(MessageType.FINAL, new Uint8Array(0));

export const errorFrame = (fault: ProtocolFault): Buffer => frame(MessageType.ERROR, Uint8Array.of(0, fault));

/** What a client has sent: tokens; 'initial' for a good IM; 'end' for an FM or EM; or how it broke the protocol. */
export type Received =
  | { readonly kind: 'initial' | 'end' }
  | { readonly kind: 'tokens'; readonly tokens: Uint16Array }
  | { readonly kind: 'fault'; readonly fault: ProtocolFault };

const SWAPPED_LENGTH = 0x0400;
const SWAPPED_MAGIC = 0x10da;

const fault = (code: ProtocolFault): Received => ({ kind: 'fault', fault: code });

/** Whether a message of a type that a client sends may be so long. */
const fits: Readonly<Record<number, (length: number) => boolean>> = {
  [MessageType.INITIAL]: (length) => length === 4,
  [MessageType.DIPLOMACY]: (length) => length >= 2 && length % 2 === 0,
  [MessageType.FINAL]: (length) => length === 0,
  [MessageType.ERROR]: (length) => length === 2,
};

/** What is wrong with the head of a message, before the rest has come; null if nothing is. */
const findHeadFault = (type: number, length: number, isFirst: boolean): ProtocolFault | null => {
  // A client may leave before it has begun.
  const leaves = type === MessageType.FINAL || type === MessageType.ERROR;
  if (isFirst && type !== MessageType.INITIAL) return leaves ? null : ProtocolFault.NOT_INITIAL;
  if (!isFirst && type === MessageType.INITIAL) return ProtocolFault.SECOND_INITIAL;
  if (type === MessageType.REPRESENTATION) return ProtocolFault.CLIENT_REPRESENTATION;
  if (fits[type] === undefined) return ProtocolFault.UNKNOWN;
  if (type === MessageType.INITIAL && length === SWAPPED_LENGTH) return ProtocolFault.ENDIAN;
  return fits[type](length) ? null : ProtocolFault.LENGTH;
};

const readInitial = (version: number, magic: number): Received => {
  if (magic === SWAPPED_MAGIC) return fault(ProtocolFault.ENDIAN);
  if (magic !== MAGIC) return fault(ProtocolFault.MAGIC);
  return version === VERSION ? { kind: 'initial' } : fault(ProtocolFault.VERSION);
};

/** Cuts the bytes of a client into messages. Holds one message of at most 64 KB, and the bytes that were not read yet. */
export class FrameReader {
  private input: Buffer = Buffer.alloc(0);
  /** True until the first message is whole. */
  waitsForInitial = true;

  /** True if part of a message is waited for. */
  get isWithin(): boolean {
    return this.input.length > 0;
  }

  /** Takes bytes. Call next() until it returns null before there are more. */
  add(bytes: Buffer): void {
    this.input = this.input.length === 0 ? bytes : Buffer.concat([this.input, bytes]);
  }

  /** The next message; null if the rest of it has not come. After a fault or the end nothing more is to be read. */
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
