// One client's connection: its bytes cut into messages, what it is sent gathered into few writes, and bounds on both.
import type { Socket } from 'node:net';
import { errorFrame, FrameReader, finalFrame, ProtocolFault, type Received } from './framing.js';
import type { TableClient } from './seats.js';
import { type Time, Timers } from './time.js';

/** Messages that are read in one go before others have their turn, and the tokens of these from which on it is enough. */
const MESSAGES_AT_ONCE = 64;
const TOKENS_AT_ONCE = 4096;
/** Bytes that wait to be sent: from here on nothing more is read from the client. */
const BUSY_BYTES = 1 << 18;
/** From here on it is taken for dead. */
const MAX_WAITING_BYTES = 1 << 22;
/** What is still to be sent when a connection ends has so long. */
const CLOSE_MS = 2000;

/** What a connection tells its server, and what it needs of it. */
export interface ConnectionHost {
  /** The representation message, sent behind the initial message of the client. */
  readonly representation: Buffer;
  /**
   * Milliseconds before it is sent. Clients of jac-0.8.1 overwrite their state where it comes at once, and hang: 17 of 40
   * connections without a pause, none with 300 ms.
   */
  readonly greetMs: number;
  /** Milliseconds without a message for a client that neither plays nor watches. */
  readonly idleMs: number;
  /** Milliseconds for the initial message, and for the rest of any message that has begun. */
  readonly messageMs: number;
  readonly time: Time;
  readonly onTokens: (connection: Connection, tokens: Uint16Array) => void;
  /** Called once, after the current event, whichever side ended it. */
  readonly onClose: (connection: Connection) => void;
  /** A message with its header, or several. */
  readonly onSent: (connection: Connection, frames: Buffer) => void;
}

export class Connection implements TableClient {
  isOpen = true;
  /** Set by the server once it plays or watches. */
  isKnown = false;
  /** True once the representation message has been sent: other messages may follow. */
  isGreeted = false;
  private readonly reader = new FrameReader();
  /** True while input is held back: more of it is read later, or once the client has taken what it was sent. */
  private isHeld = false;
  private isGreeting = false;
  private readonly timers: Timers<'message' | 'greet' | 'idle'>;

  constructor(
    /** Counted from 1. */
    readonly id: number,
    private readonly socket: Socket,
    private readonly host: ConnectionHost,
  ) {
    this.timers = new Timers(host.time);
    this.limit(ProtocolFault.TIMER);
    socket.on('data', (bytes: Buffer) => {
      if (!this.isOpen) return;
      this.reader.add(bytes);
      if (!this.isHeld && !this.isGreeting) this.read();
    });
    socket.on('drain', () => this.release());
    socket.on('error', () => this.drop());
    socket.on('close', () => this.drop());
    socket.on('end', () => this.finish());
  }

  private get isBusy(): boolean {
    return this.socket.writableLength > BUSY_BYTES;
  }

  /** Reads what has come, some messages at a time. */
  private read(): void {
    let tokens = 0;
    for (let i = 0; this.isOpen && !this.isGreeting; i++) {
      if (i === MESSAGES_AT_ONCE || tokens >= TOKENS_AT_ONCE || this.isBusy) {
        this.hold();
        return;
      }
      const received = this.reader.next();
      if (received === null) break;
      if (received.kind === 'tokens') tokens += received.tokens.length;
      this.take(received);
    }
    // A message that has begun must end.
    if (this.isOpen && !this.reader.waitsForInitial && this.reader.isWithin) this.limit(ProtocolFault.LENGTH);
  }
  private hold(): void {
    this.isHeld = true;
    this.socket.pause();
    // A busy connection is released by what it has written.
    if (!this.isBusy) setImmediate(() => this.release());
  }
  private release(): void {
    if (!this.isHeld || !this.isOpen || this.isBusy || this.isGreeting) return;
    this.isHeld = false;
    this.socket.resume();
    this.read();
  }
  private limit(fault: ProtocolFault): void {
    this.timers.start('message', this.host.messageMs / 1000, () => this.fail(fault));
  }
  /** Ends the connection unless a message comes in time, or it begins to play or to watch. */
  private watchIdle(): void {
    this.timers.start('idle', this.host.idleMs / 1000, () => {
      if (!this.isKnown) this.end();
    });
  }
  private greet(): void {
    this.isGreeting = false;
    this.isGreeted = true;
    this.send(this.host.representation);
    this.watchIdle();
  }
  private take(received: Received): void {
    this.timers.stopAll();
    if (received.kind === 'tokens' && !this.isKnown) this.watchIdle();
    if (received.kind === 'tokens') this.host.onTokens(this, received.tokens);
    else if (received.kind === 'fault') this.fail(received.fault);
    else if (received.kind === 'end') this.finish();
    else if (this.host.greetMs === 0) this.greet();
    else {
      this.isGreeting = true;
      this.timers.start('greet', this.host.greetMs / 1000, () => {
        this.greet();
        this.read();
      });
    }
  }

  send(frames: Buffer): void {
    if (!this.isOpen) return;
    this.host.onSent(this, frames);
    const { socket } = this;
    if (!socket.writable) return;
    if (socket.writableCorked === 0) {
      socket.cork();
      setImmediate(() => socket.uncork());
    }
    socket.write(frames);
    if (socket.writableLength > MAX_WAITING_BYTES) this.drop();
  }

  /** The client has broken the protocol. */
  fail(fault: ProtocolFault): void {
    this.finish(errorFrame(fault));
  }
  /** Ends the connection as the protocol wants it. */
  end(): void {
    this.finish(finalFrame());
  }
  private finish(last?: Buffer): void {
    if (!this.isOpen) return;
    if (last !== undefined) this.send(last);
    this.close();
    this.socket.end();
    // What still comes is thrown away, so that the other side can end.
    this.socket.resume();
    setTimeout(() => this.socket.destroy(), CLOSE_MS).unref();
  }
  drop(): void {
    this.socket.destroy();
    this.close();
  }
  private close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.timers.stopAll();
    // Not at once: it may be in the middle of what a table tells everybody.
    setImmediate(() => this.host.onClose(this));
  }
}
