// Messages of the DAIDE client-server protocol, version 1, as bytes:
//
//   0   1   type: 0 initial (IM), 1 representation (RM), 2 diplomacy (DM), 3 final (FM), 4 error (EM)
//   1   1   anything
//   2   2   number of bytes that follow, big-endian as all that follows
//
// The client begins with an IM (version, magic number), which the server answers with its RM; then both send DMs. Who
// closes the connection sends an FM before, or an EM with a code if the other one has broken the protocol.
import { LepantoError } from '../../../engine/rules/error.js';

export const VERSION = 1;
export const MAGIC = 0xda10;
const HEADER = 4;

export const MessageType = { INITIAL: 0, REPRESENTATION: 1, DIPLOMACY: 2, FINAL: 3, ERROR: 4 } as const;
export type MessageType = (typeof MessageType)[keyof typeof MessageType];

/** What an error message says, by its code. Codes that only a client sends are left out. */
export const ProtocolFault = {
  /** No initial message in time. */
  TIMER: 0x01,
  /** The first message was no IM. */
  NOT_INITIAL: 0x02,
  /** The IM came with its bytes swapped. */
  ENDIAN: 0x03,
  /** The IM had another magic number. */
  MAGIC: 0x04,
  VERSION: 0x05,
  /** A second IM. */
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

/** A message with its header. */
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
  const bytes = Buffer.alloc(HEADER + 2 * tokens.length);
  bytes[0] = MessageType.DIPLOMACY;
  bytes.writeUInt16BE(2 * tokens.length, 2);
  for (let i = 0; i < tokens.length; i++) bytes.writeUInt16BE(tokens[i], HEADER + 2 * i);
  return bytes;
};

export const finalFrame = (): Buffer => frame(MessageType.FINAL, new Uint8Array(0));

export const errorFrame = (fault: ProtocolFault): Buffer => frame(MessageType.ERROR, Uint8Array.of(0, fault));

/** What a client has sent: tokens; 'initial' for a good IM; 'end' for an FM or EM; or how it broke the protocol. */
export type Received =
  | { readonly kind: 'initial' | 'end' }
  | { readonly kind: 'tokens'; readonly tokens: Uint16Array }
  | { readonly kind: 'fault'; readonly fault: ProtocolFault };

const NOTHING = Buffer.alloc(0);
const SWAPPED_LENGTH = 0x0400;
const SWAPPED_MAGIC = 0x10da;

const fault = (code: ProtocolFault): Received => ({ kind: 'fault', fault: code });

/** What is wrong with the head of a message, before the rest has come; null if nothing is. */
const findHeadFault = (type: number, length: number, isFirst: boolean): ProtocolFault | null => {
  if (isFirst && type !== MessageType.INITIAL) {
    // A client may leave before it has begun.
    const leaves = type === MessageType.FINAL || type === MessageType.ERROR;
    return leaves ? null : ProtocolFault.NOT_INITIAL;
  }
  switch (type) {
    case MessageType.INITIAL:
      if (!isFirst) return ProtocolFault.SECOND_INITIAL;
      if (length === SWAPPED_LENGTH) return ProtocolFault.ENDIAN;
      return length === 4 ? null : ProtocolFault.LENGTH;
    case MessageType.REPRESENTATION:
      return ProtocolFault.CLIENT_REPRESENTATION;
    case MessageType.DIPLOMACY:
      return length < 2 || length % 2 !== 0 ? ProtocolFault.LENGTH : null;
    case MessageType.FINAL:
      return length === 0 ? null : ProtocolFault.LENGTH;
    case MessageType.ERROR:
      return length === 2 ? null : ProtocolFault.LENGTH;
    default:
      return ProtocolFault.UNKNOWN;
  }
};

const readInitial = (version: number, magic: number): Received => {
  if (magic === SWAPPED_MAGIC) return fault(ProtocolFault.ENDIAN);
  if (magic !== MAGIC) return fault(ProtocolFault.MAGIC);
  return version === VERSION ? { kind: 'initial' } : fault(ProtocolFault.VERSION);
};

/** Cuts the bytes of a client into messages. Holds one message of at most 64 KB, and the bytes that were not read yet. */
export class FrameReader {
  private readonly head: Buffer = Buffer.alloc(HEADER);
  private headSize = 0;
  /** Of the message whose head has come. */
  private body: Buffer = NOTHING;
  private bodySize = 0;
  private input: Buffer = NOTHING;
  private isFirst = true;

  /** True if part of a message is waited for. */
  get isWithin(): boolean {
    return this.headSize > 0;
  }
  /** True until the first message is whole. */
  get waitsForInitial(): boolean {
    return this.isFirst;
  }

  /** Takes bytes. Call next() until it returns null before there are more. */
  add(bytes: Buffer): void {
    this.input = this.input.length === 0 ? bytes : Buffer.concat([this.input, bytes]);
  }

  /** Moves input behind what a buffer holds; returns how much it holds then. */
  private fill(target: Buffer, size: number): number {
    const count = Math.min(target.length - size, this.input.length);
    this.input.copy(target, size, 0, count);
    this.input = count === this.input.length ? NOTHING : this.input.subarray(count);
    return size + count;
  }

  /** The next message; null if the rest of it has not come. After a fault or the end nothing more is to be read. */
  next(): Received | null {
    if (this.headSize < HEADER) {
      this.headSize = this.fill(this.head, this.headSize);
      if (this.headSize < HEADER) return null;
      const length = this.head.readUInt16BE(2);
      const wrong = findHeadFault(this.head[0], length, this.isFirst);
      if (wrong !== null) return fault(wrong);
      this.body = Buffer.alloc(length);
      this.bodySize = 0;
    }
    const { body, head } = this;
    this.bodySize = this.fill(body, this.bodySize);
    if (this.bodySize < body.length) return null;
    this.body = NOTHING;
    this.headSize = 0;
    this.isFirst = false;
    if (head[0] === MessageType.INITIAL) return readInitial(body.readUInt16BE(0), body.readUInt16BE(2));
    if (head[0] !== MessageType.DIPLOMACY) return { kind: 'end' };
    return {
      kind: 'tokens',
      tokens: Uint16Array.from({ length: body.length / 2 }, (_, i) => body.readUInt16BE(2 * i)),
    };
  }
}
