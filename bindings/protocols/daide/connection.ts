// Connection of one client: splits its input into messages, batches output into few writes, and limits both.
import type { Socket } from 'node:net';
import { errorFrame, FrameReader, finalFrame, ProtocolFault, type Received } from './framing.js';
import type { TableClient } from './seats.js';
import { type Time, Timers } from './time.js';

/** Maximum number of messages read from one client before other connections get their turn. */
const MESSAGES_AT_ONCE = 64;
/** Maximum number of tokens read from one client before other connections get their turn. */
const TOKENS_AT_ONCE = 4096;
/** Bytes of unsent output above which no input is read from the client. */
const BUSY_BYTES = 1 << 18;
/** Bytes of unsent output above which the connection is dropped. */
const MAX_WAITING_BYTES = 1 << 22;
/** Milliseconds after which a connection that ends is closed, even if output is unsent. */
const CLOSE_MS = 2000;

/** Settings and callbacks of a connection, provided by the server. */
export interface ConnectionHost {
  /** Frame of the representation message, the answer to the client's initial message. */
  readonly representation: Buffer;
  /**
   * Delay of the representation message in milliseconds. Clients based on jac-0.8.1 overwrite their state and hang if
   * it comes at once: 17 of 40 connections without a delay, none with 300 ms.
   */
  readonly greetMs: number;
  /** Milliseconds without a message after which a client is disconnected if it neither plays nor observes. */
  readonly idleMs: number;
  /** Milliseconds to wait for the initial message, and for the rest of a message that has begun. */
  readonly messageMs: number;
  readonly time: Time;
  readonly onTokens: (connection: Connection, tokens: Uint16Array) => void;
  /** Called once after the connection has been closed by either side, in a later turn of the event loop. */
  readonly onClose: (connection: Connection) => void;
  /** Called with each output, just before it is written: one or more whole frames. */
  readonly onSent: (connection: Connection, frames: Buffer) => void;
}

/** A client's connection. Its timers end it if the client is too slow. */
export class Connection implements TableClient {
  isOpen = true;
  /** True if the client plays or observes. Set by the server. */
  isKnown = false;
  /** True after the representation message has been sent. Other messages may follow it. */
  isGreeted = false;
  private readonly reader = new FrameReader();
  /** True while reading is paused, because other connections have their turn or much output is unsent. */
  private isHeld = false;
  private isGreeting = false;
  private readonly timers: Timers<'message' | 'greet' | 'idle'>;

  constructor(
    /** Number of the connection, from 1. */
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

  /** Handles buffered messages, up to MESSAGES_AT_ONCE and TOKENS_AT_ONCE; then pauses reading. */
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
    // Limits the time for the rest of a message that has begun.
    if (this.isOpen && !this.reader.waitsForInitial && this.reader.isWithin) this.limit(ProtocolFault.LENGTH);
  }
  private hold(): void {
    this.isHeld = true;
    this.socket.pause();
    // If much output is unsent, the 'drain' event resumes reading.
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
  /** Ends the connection after `idleMs` without a message, unless the client plays or observes by then. */
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

  /**
   * Sends one or more frames. Frames sent in the same turn of the event loop go out in one write. Does nothing if the
   * connection is closed; drops it if more than MAX_WAITING_BYTES are unsent.
   */
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

  /** Sends an error message (EM) with a code and ends the connection, because the client has broken the protocol. */
  fail(fault: ProtocolFault): void {
    this.finish(errorFrame(fault));
  }
  /** Sends a final message (FM) and ends the connection. */
  end(): void {
    this.finish(finalFrame());
  }
  private finish(last?: Buffer): void {
    if (!this.isOpen) return;
    if (last !== undefined) this.send(last);
    this.close();
    this.socket.end();
    // Discards further input, so that the other side can close.
    this.socket.resume();
    setTimeout(() => this.socket.destroy(), CLOSE_MS).unref();
  }
  /** Closes the connection at once, without a final message. */
  drop(): void {
    this.socket.destroy();
    this.close();
  }
  private close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.timers.stopAll();
    // The call is deferred, because a table may be in the middle of a broadcast.
    setImmediate(() => this.host.onClose(this));
  }
}
