// The DAIDE server: listens, brings clients to tables, and answers the messages that concern no table.
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

export interface DaideServerOptions {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly table: TableOptions;
  /** Tables at once. */
  readonly tables: number;
  /** Games that each table plays, one after the other; 0 for no end. */
  readonly rounds: number;
  readonly seed: number;
  readonly maxConnections: number;
  /** See ConnectionHost. Default: 30 s, as the protocol has it. */
  readonly messageMs?: number;
  /** See ConnectionHost. Default: 300 ms. */
  readonly greetMs?: number;
  /** See ConnectionHost. Default: 60 s. */
  readonly idleMs?: number;
  /** A game has ended, or was given up. */
  readonly onGame: (table: GameTable) => void | Promise<void>;
  readonly onRemark: (text: string) => void;
  readonly onTrace?: ((line: string) => void) | undefined;
}

/** So long the clients of a game that has ended may ask about it. */
const LINGER_MS = 5000;
const MESSAGE_MS = 30_000;
const GREET_MS = 300;
const IDLE_MS = 60_000;
/** Wrong passcodes of one connection before it is ended. */
const MAX_GUESSES = 3;
/** Messages with more tokens are not repeated in the answer that refuses them. */
const MAX_REPEATED = 8192;

/** Whose connection it is: where it plays or watches, once it does. */
interface Guest {
  table: GameTable | null;
  guesses: number;
}

export class DaideServer {
  private readonly server: Server;
  private readonly guests = new Map<Connection, Guest>();
  private readonly host: ConnectionHost;
  /** By place: the game that is played there. */
  private tables: GameTable[];
  private gamesBegun = 0;
  private gamesLeft: number;
  private connectionsMade = 0;
  private isClosing = false;
  private readonly passcodes = new Set<number>();
  /** Settled once every game has ended and been told to onGame, or the server has been closed. */
  readonly done: Promise<void>;
  private settle: (error?: unknown) => void = () => {};
  private pending: Promise<void> = Promise.resolve();

  /** @throws LepantoError for a map whose definition is too large for one message */
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

  /** Begins to listen; resolves to the port. @throws LepantoError if the address cannot be had */
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

  /** The oldest connection that neither plays nor watches, else the oldest that only watches. */
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

  /** The table that a client that sits nowhere asks about. */
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
    // Who has come since does not keep it.
    if (this.gamesLeft <= 0) setTimeout(() => void this.close(), LINGER_MS).unref();
  }

  /** Nobody is left who may ask about a game. */
  private settleIfDone(): void {
    if (this.gamesLeft > 0 || this.isClosing) return;
    const isAsked = [...this.guests.keys()].some(({ isKnown }) => isKnown);
    if (!isAsked) void this.close();
  }

  private stop(error: unknown): void {
    this.settle(error);
    void this.close();
  }

  /** Tells everybody to go, and ends. Games that are being played are given up without a word to onGame. */
  async close(): Promise<void> {
    if (this.isClosing) return;
    this.isClosing = true;
    for (const table of this.tables) table.stop();
    for (const [connection, { table }] of this.guests) {
      // Those whose game has ended were told before.
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
