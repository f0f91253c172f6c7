// The DAIDE server: accepts connections, assigns clients to tables, and answers the messages that do not need a table.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { gameSeed } from '../../../selfplay/index.js';
import { type ClientMessage, readMessage } from './client-messages.js';
import { Connection, type ConnectionHost } from './connection.js';
import { diplomacyFrame, frame, MessageType, ProtocolFault } from './framing.js';
import { GameTable, type TableOptions } from './game-table.js';
import { formatMessage, isForbidden, list, reject, Word, yes } from './language.js';
import { definitionFrame } from './messages.js';
import { answerRequest } from './table-requests.js';
import { systemTime } from './time.js';

/** Options of a DaideServer. */
export interface DaideServerOptions {
  readonly host: string;
  /** TCP port; 0 to choose a free one. */
  readonly port: number;
  readonly table: TableOptions;
  /** Number of simultaneous tables, each with one game at a time. */
  readonly tables: number;
  /** Number of consecutive games at each table; 0 for no limit. */
  readonly rounds: number;
  readonly seed: number;
  /** Maximum number of connections. Above it, the least needed one is closed. */
  readonly maxConnections: number;
  /**
   * Milliseconds to wait for the initial message, and for the rest of a message that has begun. Default: 30,000, as
   * the protocol has it.
   */
  readonly messageMs?: number;
  /** Milliseconds between the initial message and the representation message (see ConnectionHost). Default: 300. */
  readonly greetMs?: number;
  /** Milliseconds without a message after which a client without a table is disconnected. Default: 60,000. */
  readonly idleMs?: number;
  /** Called when a game has ended or been abandoned. */
  readonly onGame: (table: GameTable) => void | Promise<void>;
  /** Called with a line of text for people about a table or an error. */
  readonly onRemark: (text: string) => void;
  /** Called with each message sent or received, as text. */
  readonly onTrace?: ((line: string) => void) | undefined;
}

/** Milliseconds for which the clients of a finished game can still ask about it. */
const LINGER_MS = 5000;
const MESSAGE_MS = 30_000;
const GREET_MS = 300;
const IDLE_MS = 60_000;
/** Number of wrong passcodes after which a connection is ended. */
const MAX_GUESSES = 3;
/** Maximum number of tokens in a message of a client. A longer message is refused without being quoted. */
const MAX_REPEATED = 8192;

/** State of a connection. */
interface Guest {
  /** Table where the client plays or observes; null until it has joined one. */
  table: GameTable | null;
  /** Number of wrong passcodes that the connection has sent. */
  guesses: number;
}

/** Serves tables over TCP until all games have ended or the server is closed. */
export class DaideServer {
  private readonly server: Server;
  private readonly guests = new Map<Connection, Guest>();
  private readonly host: ConnectionHost;
  /** The tables, each with its current game. */
  private tables: GameTable[];
  private gamesBegun = 0;
  private gamesLeft: number;
  private connectionsMade = 0;
  private isClosing = false;
  private readonly passcodes = new Set<number>();
  /**
   * Resolves after all games have ended and onGame has returned for each, or after close(). Rejects if onGame throws.
   */
  readonly done: Promise<void>;
  private settle: (error?: unknown) => void = () => {};
  private pending: Promise<void> = Promise.resolve();

  /** Creates the tables; listen() opens the port. @throws LepantoError if the map is too large for one message */
  constructor(private readonly options: DaideServerOptions) {
    const { table, tables, rounds } = options;
    definitionFrame(table.rep);
    this.gamesLeft = rounds === 0 ? Number.POSITIVE_INFINITY : tables * rounds;
    this.done = new Promise((resolve, fail) => {
      this.settle = (error) => (error === undefined ? resolve() : fail(error));
    });
    this.done.catch(() => {});
    this.host = {
      representation: frame(MessageType.REPRESENTATION, table.rep.message),
      messageMs: options.messageMs ?? MESSAGE_MS,
      greetMs: options.greetMs ?? GREET_MS,
      idleMs: options.idleMs ?? IDLE_MS,
      time: table.time ?? systemTime,
      onTokens: (connection, tokens) => this.answer(connection, tokens),
      onClose: (connection) => this.forget(connection),
      onSent: (connection, frames) => this.traceSent(connection, frames),
    };
    this.tables = Array.from({ length: tables }, () => this.newTable());
    const settings = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 };
    this.server = createServer(settings, (socket) => this.welcome(socket));
  }

  /** Starts to listen and resolves to the port. Rejects if the address is not available. */
  async listen(): Promise<number> {
    const { host, port, onRemark } = this.options;
    this.server.listen({ host, port, backlog: 64 });
    await once(this.server, 'listening');
    this.server.on('error', (error) => onRemark(error.message));
    return (this.server.address() as AddressInfo).port;
  }

  private newTable(): GameTable {
    const { table, seed, onRemark } = this.options;
    const number = ++this.gamesBegun;
    const events = { onEnd: (ended: GameTable) => this.endGame(ended), onRemark };
    return new GameTable(number, gameSeed(seed, number - 1), table, events, (passcode) => {
      const isFree = !this.passcodes.has(passcode);
      this.passcodes.add(passcode);
      return isFree;
    });
  }

  private welcome(socket: Socket): void {
    if (this.guests.size >= this.options.maxConnections) {
      const idle = this.leastNeeded();
      if (idle === undefined) {
        socket.destroy();
        return;
      }
      idle.drop();
      this.forget(idle);
    }
    this.guests.set(new Connection(++this.connectionsMade, socket, this.host), { table: null, guesses: 0 });
  }

  /**
   * Returns the oldest connection that neither plays nor observes, or otherwise the oldest observer. Undefined if all
   * connections play.
   */
  private leastNeeded(): Connection | undefined {
    const all = [...this.guests.keys()];
    return (
      all.find((connection) => !connection.isKnown) ??
      all.find((connection) => this.guests.get(connection)?.table?.seats.isObserver(connection) === true)
    );
  }

  private forget(connection: Connection): void {
    const guest = this.guests.get(connection);
    this.guests.delete(connection);
    guest?.table?.leave(connection);
    this.settleIfDone();
  }

  private trace(connection: Connection, sign: string, tokens: ArrayLike<number>): void {
    const { onTrace, table } = this.options;
    onTrace?.(
      `${new Date().toISOString().slice(11, 23)} ${connection.id} ${sign} ${formatMessage(tokens, table.rep.names)}`,
    );
  }
  private traceSent(connection: Connection, frames: Buffer): void {
    if (this.options.onTrace === undefined) return;
    for (let at = 0; at < frames.length; at += 4 + frames.readUInt16BE(at + 2)) {
      if (frames[at] !== MessageType.DIPLOMACY) continue;
      const length = frames.readUInt16BE(at + 2) / 2;
      const tokens = Array.from({ length }, (_, i) => frames.readUInt16BE(at + 4 + 2 * i));
      this.trace(connection, '>', tokens);
    }
  }

  private answer(connection: Connection, tokens: Uint16Array): void {
    this.trace(connection, '<', tokens);
    if (tokens.some(isForbidden)) {
      connection.fail(ProtocolFault.TOKEN);
      return;
    }
    const read = readMessage(tokens);
    const refuse = (word: number, reason: readonly number[]): void =>
      connection.send(diplomacyFrame([word, ...list(reason)]));
    if (read.kind === 'complaint') return;
    if (tokens.length > MAX_REPEATED) refuse(Word.HUH, [Word.ERR]);
    else if (read.kind === 'message') this.act(connection, read.message, tokens);
    else if (read.kind === 'unbalanced') refuse(Word.PRN, Array.from(tokens));
    else refuse(Word.HUH, [...tokens.subarray(0, read.at), Word.ERR, ...tokens.subarray(read.at)]);
  }

  /** Table that answers clients without a table: the first one with a free seat, or the last one. */
  private get table(): GameTable {
    return this.tables.find(({ isOpen }) => isOpen) ?? this.tables[this.tables.length - 1];
  }

  private act(connection: Connection, message: ClientMessage, tokens: Uint16Array): void {
    const guest = this.guests.get(connection);
    if (guest === undefined) return;
    const answer = (isGood: boolean): void => {
      connection.send(diplomacyFrame(isGood ? yes(tokens) : reject(tokens)));
    };
    const seat = (table: GameTable | undefined): void => {
      answer(table !== undefined);
      if (table === undefined) return;
      guest.table = table;
      connection.isKnown = true;
    };
    if (message.kind === 'NME') {
      const table = connection.isKnown ? undefined : this.tables.find(({ isOpen }) => isOpen);
      seat(table);
      table?.sit(connection, message.name, message.version);
    } else if (message.kind === 'OBS') {
      const table = connection.isKnown ? undefined : this.table;
      seat(table);
      table?.observe(connection);
    } else if (message.kind === 'IAM') {
      const power = this.options.table.rep.power(message.power);
      seat(connection.isKnown ? undefined : this.tables.find((one) => one.rejoin(connection, power, message.passcode)));
      if (!connection.isKnown && ++guest.guesses >= MAX_GUESSES) connection.end();
    } else if (message.kind === 'REJ') {
      if (message.what !== Word.MAP) return;
      connection.send(diplomacyFrame([Word.OFF]));
      connection.end();
    } else answerRequest(guest.table ?? this.table, connection, message, tokens);
  }

  private endGame(table: GameTable): void {
    for (const passcode of table.passcodes) this.passcodes.delete(passcode);
    this.gamesLeft--;
    const { onGame } = this.options;
    this.pending = this.pending.then(() => onGame(table));
    this.pending.catch((error) => this.stop(error));
    const clients = [...this.guests].filter(([, guest]) => guest.table === table).map(([connection]) => connection);
    for (const connection of clients) connection.send(diplomacyFrame([Word.OFF]));
    setTimeout(() => {
      for (const connection of clients) connection.end();
    }, LINGER_MS).unref();
    const isRenewed = this.gamesBegun < this.options.tables * (this.options.rounds || Number.POSITIVE_INFINITY);
    if (isRenewed && !this.isClosing) this.tables = this.tables.map((one) => (one === table ? this.newTable() : one));
    this.settleIfDone();
    // Clients that have connected since do not keep the server running.
    if (this.gamesLeft <= 0) setTimeout(() => void this.close(), LINGER_MS).unref();
  }

  /** Closes the server if all games have ended and no connection plays or observes. */
  private settleIfDone(): void {
    if (this.gamesLeft > 0 || this.isClosing) return;
    const isAsked = [...this.guests.keys()].some(({ isKnown }) => isKnown);
    if (!isAsked) void this.close();
  }

  private stop(error: unknown): void {
    this.settle(error);
    void this.close();
  }

  /** Sends OFF to all clients and ends the server. Unfinished games are abandoned without a call of onGame. */
  async close(): Promise<void> {
    if (this.isClosing) return;
    this.isClosing = true;
    for (const table of this.tables) table.stop();
    for (const [connection, { table }] of this.guests) {
      // Clients of finished games have already received OFF.
      if (connection.isGreeted && table?.state !== 'over') connection.send(diplomacyFrame([Word.OFF]));
      connection.end();
    }
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
    });
    await this.pending.catch(() => {});
    this.settle();
  }
}
