// One table: who sits where, what they are told and when a turn is played. Knows clients only by what it sends them.
import { randomInt } from 'node:crypto';
import { type Power, Random, type Rules } from '../../../engine/internal.js';
import type { ClientMessage } from './client-messages.js';
import { DaideGame, type PlayedTurn, summaryMessage } from './daide-game.js';
import { diplomacyFrame } from './framing.js';
import { integerToken, list, MAX_INTEGER, reject, textTokens, Word, yes } from './language.js';
import { definitionFrame } from './map-definition.js';
import type { Representation } from './representation.js';
import type { SeatedAgent } from './table-agents.js';
import { TurnClock } from './turn-clock.js';

/** What a table knows of a client. */
export interface TableClient {
  send(frame: Buffer): void;
  /** Ends the connection. */
  end(): void;
}

/** How the games of a server are played. */
export interface TableOptions {
  readonly rep: Representation;
  readonly rules: Rules;
  /** A game that nobody has won is a draw after this year. */
  readonly until: number;
  /** See Ending. */
  readonly longGameDraw: boolean;
  /** Who plays each power at the table of a seed: an agent, or null for a client. */
  readonly seatsOf: (seed: number) => readonly (SeatedAgent | null)[];
  /** Version of the agents, for summaries. */
  readonly version: string;
  /** Clients get the free powers in the order in which they sit down; else they are drawn. */
  readonly inOrder: boolean;
  /** Seconds for a turn of moves, of retreats and of adjustments; 0 for no limit. */
  readonly limits: readonly [movement: number, retreat: number, adjustment: number];
  /** DSD: the clock stops while a power that has to order is disconnected. */
  readonly stopsOnDisconnection: boolean;
  /** AOA: orders that are not possible are accepted. */
  readonly anyOrders: boolean;
  /** ADM is passed on. */
  readonly passesAdmin: boolean;
  /** Seconds that a turn without a limit waits for a client that has left it. */
  readonly graceSeconds: number;
  /** Seconds after which a table that all clients have left is given up. */
  readonly abandonSeconds: number;
  /** Seconds that a client has to accept the map, before it loses its seat. */
  readonly mapSeconds: number;
}

/** What a table tells its server. */
export interface TableEvents {
  /** Once, when the game has ended or was given up. */
  readonly onEnd: (table: GameTable) => void;
  /** Something that a person may want to know. */
  readonly onRemark: (text: string) => void;
}

/** A power at the table. */
interface Seat {
  readonly power: Power;
  readonly seated: SeatedAgent | null;
  client: TableClient | null;
  name: string;
  version: string;
  readonly passcode: number;
  /** False if the turn is to wait for its deadline. */
  goesAhead: boolean;
  /** In civil disorder, as the clients were told. */
  inDisorder: boolean;
  /** Of one without its client: the turn waits for it. */
  isAwaited: boolean;
  wantsDraw: boolean;
}

/** A client that will play, before the game begins. */
interface Player {
  readonly client: TableClient;
  readonly name: string;
  readonly version: string;
  hasMap: boolean;
  /** Ends the patience with one that does not accept the map. */
  readonly timer: NodeJS.Timeout;
}

/** How far a table is. */
export type TableState = 'forming' | 'playing' | 'over' | 'abandoned';

/** Separates the stream that deals powers from those of the agents. */
const DEALING_STREAM = 0x6465_616c;
/** Admin messages of one client in a turn: everybody at the table is sent each of them. */
const MAX_ADMIN = 16;
/** The least passcode: one of several digits. */
const LEAST_PASSCODE = 100;

/** The same things in an order that a seed draws. */
export const shuffled = <T>(things: readonly T[], seed: number): T[] => {
  const drawn = [...things];
  const random = new Random(seed, DEALING_STREAM, 0);
  for (let i = drawn.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [drawn[i], drawn[j]] = [drawn[j], drawn[i]];
  }
  return drawn;
};

export class GameTable {
  /** Counted from 1. */
  declare readonly number: number;
  declare readonly seed: number;
  declare readonly game: DaideGame;
  declare state: TableState;
  declare private readonly options: TableOptions;
  declare private readonly events: TableEvents;
  declare private readonly seats: readonly Seat[];
  declare private players: Player[];
  /** With true once they have accepted the map. */
  declare private readonly observers: Map<TableClient, boolean>;
  declare private readonly clock: TurnClock<TableClient>;
  declare private graceTimer: NodeJS.Timeout | null;
  declare private abandonTimer: NodeJS.Timeout | null;
  declare private isLate: boolean;
  /** True while agents of this turn are choosing. */
  declare private isThinking: boolean;
  /** Admin messages in this turn. */
  declare private readonly admin: Map<TableClient, number>;
  /** SLO or DRW; null while the game goes on. */
  declare private ending: Buffer | null;

  /** @param takesPasscode false for one that another seat of the server has */
  constructor(
    number: number,
    seed: number,
    options: TableOptions,
    events: TableEvents,
    takesPasscode: (passcode: number) => boolean,
  ) {
    const { seatsOf, version } = options;
    this.number = number;
    this.seed = seed;
    this.options = options;
    this.events = events;
    this.game = new DaideGame(options);
    this.state = 'forming';
    const drawPasscode = (): number => {
      let passcode = randomInt(LEAST_PASSCODE, MAX_INTEGER);
      for (let tries = 0; tries < MAX_INTEGER && !takesPasscode(passcode); tries++)
        passcode = randomInt(LEAST_PASSCODE, MAX_INTEGER);
      return passcode;
    };
    this.seats = seatsOf(seed).map((seated, power) => ({
      power,
      seated,
      client: null,
      name: seated?.name ?? '',
      version: seated === null ? '' : version,
      passcode: seated === null ? drawPasscode() : 0,
      goesAhead: true,
      inDisorder: false,
      isAwaited: false,
      wantsDraw: false,
    }));
    this.players = [];
    this.observers = new Map();
    this.clock = new TurnClock({
      onTime: (client, seconds) => client.send(diplomacyFrame(this.timeTokens(seconds))),
      onDeadline: () => {
        this.isLate = true;
        this.playIfReady();
      },
    });
    this.graceTimer = null;
    this.abandonTimer = null;
    this.isLate = false;
    this.isThinking = false;
    this.admin = new Map();
    this.ending = null;
  }

  // ---- who is there ----

  /** Seats of clients. */
  private get clientSeats(): Seat[] {
    return this.seats.filter(({ seated }) => seated === null);
  }
  private seatOf(client: TableClient): Seat | null {
    return this.seats.find((seat) => seat.client === client) ?? null;
  }
  private playerOf(client: TableClient): Player | undefined {
    return this.players.find((player) => player.client === client);
  }
  /** True if another client can sit down. */
  get isOpen(): boolean {
    return this.state === 'forming' && this.players.length < this.clientSeats.length;
  }
  /** Who plays each power: name and version as clients gave them. */
  get seating(): readonly { readonly name: string; readonly version: string }[] {
    return this.seats.map(({ name, version }) => ({ name, version }));
  }
  /** Passcodes in use. */
  get passcodes(): number[] {
    return this.clientSeats.map(({ passcode }) => passcode);
  }

  /** Every client that is told what happens. */
  private *audience(): Generator<TableClient> {
    for (const { client } of this.seats) if (client !== null) yield client;
    for (const [client, hasMap] of this.observers) if (hasMap) yield client;
  }
  private broadcast(...frames: readonly Buffer[]): void {
    for (const client of this.audience()) for (const frame of frames) client.send(frame);
  }
  private tell(tokens: readonly number[]): void {
    this.broadcast(diplomacyFrame(tokens));
  }
  private get mapTokens(): number[] {
    return [Word.MAP, ...list(textTokens(this.options.rep.mapName))];
  }

  /** A client wants to play. Assumes that the table is open. */
  sit(client: TableClient, name: string, version: string): void {
    const timer = setTimeout(() => client.end(), 1000 * this.options.mapSeconds);
    this.players.push({ client, name, version, hasMap: false, timer });
  }
  isObserver(client: TableClient): boolean {
    return this.observers.has(client);
  }
  /** A client wants to watch. */
  observe(client: TableClient): void {
    this.observers.set(client, false);
  }
  sendMap(client: TableClient): void {
    client.send(diplomacyFrame(this.mapTokens));
  }

  /** A client comes back to its power; false if it may not. */
  rejoin(client: TableClient, power: Power, passcode: number): boolean {
    const seat = this.seats[power];
    if (this.state !== 'playing' || seat === undefined || seat.seated !== null || seat.client !== null) return false;
    return seat.passcode === passcode && this.seatAgain(seat, client);
  }
  private seatAgain(seat: Seat, client: TableClient): true {
    seat.client = client;
    if (this.abandonTimer !== null) clearTimeout(this.abandonTimer);
    this.abandonTimer = null;
    // Told behind the YES, which the caller sends at once.
    setImmediate(() => {
      this.returnFromDisorder(seat);
      if (!this.isMissingSomebody) this.startClock();
      this.playIfReady();
    });
    return true;
  }

  /** A client has gone. */
  leave(client: TableClient): void {
    this.observers.delete(client);
    this.clock.forget(client, null);
    this.admin.delete(client);
    clearTimeout(this.playerOf(client)?.timer);
    this.players = this.players.filter((player) => player.client !== client);
    const seat = this.seatOf(client);
    if (seat === null) return;
    seat.client = null;
    if (this.state !== 'playing') return;
    const { power } = seat;
    if (!this.game.survives(power)) {
      this.watchForAbandonment();
      return;
    }
    seat.goesAhead = true;
    seat.wantsDraw = false;
    const isDue = this.isDue(seat);
    seat.isAwaited = true;
    if (!seat.inDisorder) this.tell([Word.CCD, ...list(this.options.rep.powers[power])]);
    seat.inDisorder = true;
    if (isDue && this.options.stopsOnDisconnection) this.stopClock();
    else if (isDue && this.limit === 0) this.startGrace();
    this.watchForAbandonment();
    this.playIfReady();
  }

  private returnFromDisorder(seat: Seat): void {
    if (!seat.inDisorder || this.state !== 'playing') return;
    seat.inDisorder = false;
    this.tell([Word.NOT, ...list(Word.CCD, list(this.options.rep.powers[seat.power]))]);
  }

  /** Not with its power: a client that has left and is due to order, where the clock stops for it. */
  private get isMissingSomebody(): boolean {
    return (
      this.options.stopsOnDisconnection && this.clientSeats.some((seat) => seat.client === null && this.isDue(seat))
    );
  }
  private get isForsaken(): boolean {
    return this.clientSeats.every(({ client }) => client === null);
  }
  private watchForAbandonment(): void {
    if (!this.isForsaken || this.abandonTimer !== null) return;
    this.abandonTimer = setTimeout(() => this.abandon(), 1000 * this.options.abandonSeconds);
  }
  private startGrace(): void {
    this.graceTimer ??= setTimeout(() => {
      this.graceTimer = null;
      for (const seat of this.seats) seat.isAwaited = false;
      this.playIfReady();
    }, 1000 * this.options.graceSeconds);
  }

  /** Gives the game up. */
  private abandon(): void {
    this.stop();
    this.events.onEnd(this);
  }
  /** Nothing happens here any more. */
  stop(): void {
    this.stopTimers();
    if (this.state !== 'over') this.state = 'abandoned';
  }
  private stopTimers(): void {
    this.clock.end();
    for (const timer of [this.graceTimer, this.abandonTimer]) if (timer !== null) clearTimeout(timer);
    for (const { timer } of this.players) clearTimeout(timer);
    this.graceTimer = null;
    this.abandonTimer = null;
  }

  // ---- the clock ----

  private get limit(): number {
    return this.options.limits[this.game.kind] ?? 0;
  }
  private timeTokens(seconds: number): number[] {
    return [Word.TME, ...list(integerToken(seconds))];
  }
  private stopClock(): void {
    const seconds = this.clock.stop();
    if (seconds !== null) this.tell([Word.NOT, ...list(this.timeTokens(seconds))]);
  }
  private startClock(): void {
    if (this.state !== 'playing') return;
    const seconds = this.clock.resume();
    if (seconds !== null) this.tell(this.timeTokens(seconds));
  }

  // ---- turns ----

  /** True if the turn wants more orders of a power. */
  private isDue({ power }: Seat): boolean {
    const book = this.game.books[power];
    return book.hasDue && !book.isComplete;
  }

  private acceptMap(client: TableClient): void {
    if (this.observers.get(client) === false) {
      this.observers.set(client, true);
      if (this.state !== 'forming') this.welcome(client);
      return;
    }
    const player = this.playerOf(client);
    if (player === undefined) return;
    clearTimeout(player.timer);
    player.hasMap = true;
    if (!this.isOpen && this.players.every(({ hasMap }) => hasMap)) this.start();
  }

  /** What an observer is sent in the middle of a game, or behind it. */
  private welcome(client: TableClient): void {
    client.send(diplomacyFrame(this.helloTokens(null)));
    client.send(this.game.ownershipFrame);
    client.send(this.game.positionFrame);
  }

  private helloTokens(seat: Seat | null): number[] {
    const { rep, limits, stopsOnDisconnection, anyOrders } = this.options;
    const [movement, retreat, adjustment] = limits;
    const timed = (word: number, seconds: number): number[] => (seconds > 0 ? list(word, integerToken(seconds)) : []);
    return [
      Word.HLO,
      ...list(seat === null ? Word.UNO : rep.powers[seat.power]),
      ...list(integerToken(seat?.passcode ?? 0)),
      ...list(
        list(Word.LVL, integerToken(0)),
        timed(Word.MTL, movement),
        timed(Word.RTL, retreat),
        timed(Word.BTL, adjustment),
        stopsOnDisconnection ? list(Word.DSD) : [],
        anyOrders ? list(Word.AOA) : [],
      ),
    ];
  }

  /** Deals the powers, and begins. */
  private start(): void {
    const seats = this.options.inOrder ? this.clientSeats : shuffled(this.clientSeats, this.seed);
    this.players.forEach(({ client, name, version }, i) => {
      Object.assign(seats[i], { client, name, version });
    });
    this.players = [];
    this.state = 'playing';
    for (const seat of this.seats) seat.client?.send(diplomacyFrame(this.helloTokens(seat)));
    for (const [client, hasMap] of this.observers) if (hasMap) client.send(diplomacyFrame(this.helloTokens(null)));
    this.broadcast(this.game.ownershipFrame, this.game.positionFrame);
    this.beginTurn();
  }

  private beginTurn(): void {
    for (const seat of this.seats) {
      seat.goesAhead = true;
      seat.wantsDraw = false;
      seat.isAwaited = this.options.stopsOnDisconnection;
    }
    if (this.graceTimer !== null) clearTimeout(this.graceTimer);
    this.graceTimer = null;
    this.isLate = false;
    this.admin.clear();
    this.clock.begin(this.limit);
    if (this.limit > 0) this.tell(this.timeTokens(this.limit));
    if (this.isMissingSomebody) this.stopClock();
    this.isThinking = true;
    void this.askAgents();
  }

  private async askAgents(): Promise<void> {
    const { game, seed, number } = this;
    const past = { game: String(number), phases: game.phases };
    for (const { seated, power } of this.seats) {
      if (seated === null || !game.books[power].hasDue || game.game.phase !== game.kind) continue;
      try {
        const random = new Random(seed, game.phases.length, power);
        const orders = await seated.ask(game.game, power, random, number, past);
        if (this.state !== 'playing') return;
        game.books[power].choose(orders);
      } catch (error) {
        if (this.state !== 'playing') return;
        this.events.onRemark(`table ${number}: ${(error as Error).message}; its units get no orders`);
      }
      // Lets clients of other tables be heard between two choices.
      await new Promise(setImmediate);
      if (this.state !== 'playing') return;
    }
    // Not at once: a turn that nobody has to wait for would be played within the one before it.
    await new Promise(setImmediate);
    if (this.state !== 'playing') return;
    this.isThinking = false;
    this.playIfReady();
  }

  private get isReady(): boolean {
    if (this.state !== 'playing' || this.isThinking || this.isForsaken) return false;
    if (this.isLate) return true;
    if (this.clock.isStopped) return false;
    return this.clientSeats.every((seat) => {
      const isDue = this.isDue(seat);
      return seat.client === null ? !(isDue && seat.isAwaited) : seat.goesAhead && !isDue;
    });
  }

  private playIfReady(): void {
    if (this.isReady) this.playTurn();
  }

  private playTurn(): void {
    const { game, options } = this;
    for (const seat of this.clientSeats) {
      if (seat.inDisorder || !this.isDue(seat)) continue;
      seat.inDisorder = true;
      this.tell([Word.CCD, ...list(options.rep.powers[seat.power])]);
    }
    const played = game.play();
    this.broadcast(played.orders);
    if (played.isCounted) this.broadcast(played.ownership);
    if (game.isOver) this.finish(played);
    else {
      this.broadcast(played.position);
      this.beginTurn();
    }
  }

  private summaryFrame(): Buffer {
    const players = this.seats.map(({ name, version }) => ({ name: textTokens(name), version: textTokens(version) }));
    return diplomacyFrame(summaryMessage(this.game, players));
  }

  /** @param played the turn that ended the game; null for a draw that was agreed */
  private finish(played: PlayedTurn | null): void {
    const { game, options } = this;
    this.stopTimers();
    this.state = 'over';
    this.ending = diplomacyFrame(game.winner >= 0 ? [Word.SLO, ...list(options.rep.powers[game.winner])] : [Word.DRW]);
    this.broadcast(this.ending, this.summaryFrame());
    if (played !== null) this.broadcast(played.position);
    this.events.onEnd(this);
  }

  /**
   * A draw is agreed once every client that plays on has asked for it, those too that the turn waits for. Agents of Lepanto
   * always agree.
   */
  private drawIfAgreed(): void {
    const isHere = ({ client, isAwaited }: Seat): boolean => client !== null || isAwaited;
    const voters = this.clientSeats.filter((seat) => isHere(seat) && this.game.survives(seat.power));
    if (!voters.every(({ wantsDraw }) => wantsDraw)) return;
    this.game.draw();
    this.finish(null);
  }

  // ---- messages ----

  private canPlay(seat: Seat | null): seat is Seat {
    return seat !== null && this.state === 'playing' && this.game.survives(seat.power);
  }

  private submit(seat: Seat, message: ClientMessage & { kind: 'SUB' }): void {
    const { game } = this;
    const book = game.books[seat.power];
    let isTaken = false;
    for (const order of message.orders) {
      const note = book.submit(order);
      if (note === Word.MBV) isTaken = true;
      seat.client?.send(diplomacyFrame([Word.THX, ...list(order.tokens), ...list(note)]));
    }
    this.sendMissing(seat);
    if (isTaken) this.returnFromDisorder(seat);
    this.playIfReady();
  }
  private sendMissing(seat: Seat): void {
    const missing = this.game.books[seat.power].missing();
    if (missing.length > 1) seat.client?.send(diplomacyFrame(missing));
  }

  /** Only of who plays or watches, and not without end. */
  private mayTellAll(client: TableClient): boolean {
    const count = this.admin.get(client) ?? 0;
    const isThere = this.seatOf(client) !== null || this.observers.has(client) || this.playerOf(client) !== undefined;
    this.admin.set(client, count + 1);
    return this.options.passesAdmin && isThere && count < MAX_ADMIN;
  }

  private takeTimeRequest(client: TableClient, seconds: number): boolean {
    const longest = Math.max(...this.options.limits);
    if (seconds < 0 || seconds > longest || longest === 0) return false;
    this.clock.want(client, seconds);
    return true;
  }

  /** Answers a message of a client, whoever it is. @param tokens of the message */
  handle(client: TableClient, message: ClientMessage, tokens: ArrayLike<number>): void {
    const { game } = this;
    const seat = this.seatOf(client);
    const send = (frame: Buffer | null): void => {
      client.send(frame ?? diplomacyFrame(reject(tokens)));
    };
    const answer = (isGood: boolean): void => {
      client.send(diplomacyFrame(isGood ? yes(tokens) : reject(tokens)));
    };
    switch (message.kind) {
      case 'MAP':
        this.sendMap(client);
        return;
      case 'MDF':
        send(definitionFrame(this.options.rep));
        return;
      case 'HLO':
        send(this.state === 'forming' ? null : diplomacyFrame(this.helloTokens(seat)));
        return;
      case 'SCO':
        send(game.ownershipFrame);
        return;
      case 'NOW':
        send(game.positionFrame);
        return;
      case 'ORD':
        send(game.recentFrame);
        return;
      case 'HST': {
        const found = game.played([message.turn.season, integerToken(message.turn.year)]);
        send(found === null ? null : Buffer.concat([found.orders, found.ownership, found.position]));
        return;
      }
      case 'SMR':
        send(this.ending === null ? null : Buffer.concat([this.ending, this.summaryFrame()]));
        return;
      case 'SUB': {
        const { turn } = message;
        const isNow = turn === null || [turn.season, integerToken(turn.year)].join() === game.turn.join();
        if (seat === null || this.state !== 'playing' || !isNow) answer(false);
        else this.submit(seat, message);
        return;
      }
      case 'NOT SUB':
        answer(this.canPlay(seat) && game.books[seat.power].cancel(message.order));
        return;
      case 'MIS':
        send(seat !== null && this.state === 'playing' ? diplomacyFrame(game.books[seat.power].missing()) : null);
        return;
      case 'GOF':
        if (!this.canPlay(seat)) {
          answer(false);
          return;
        }
        seat.goesAhead = true;
        answer(true);
        this.sendMissing(seat);
        this.playIfReady();
        return;
      case 'NOT GOF':
        if (this.canPlay(seat)) seat.goesAhead = false;
        answer(this.canPlay(seat));
        return;
      case 'DRW':
        if (this.canPlay(seat)) seat.wantsDraw = true;
        answer(this.canPlay(seat));
        if (this.canPlay(seat)) this.drawIfAgreed();
        return;
      case 'NOT DRW':
        if (this.canPlay(seat)) seat.wantsDraw = false;
        answer(this.canPlay(seat));
        return;
      case 'TME': {
        const { seconds } = this.clock;
        if (message.seconds !== null) answer(this.takeTimeRequest(client, message.seconds));
        else send(seconds === null ? null : diplomacyFrame(this.timeTokens(seconds)));
        return;
      }
      case 'NOT TME':
        answer(this.clock.forget(client, message.seconds));
        return;
      case 'ADM':
        if (this.mayTellAll(client)) this.tell(Array.from(tokens));
        else answer(false);
        return;
      case 'YES':
        if (message.what !== Word.MAP) return;
        if (message.name.toLowerCase() === this.options.rep.mapName.toLowerCase()) this.acceptMap(client);
        else answer(false);
        return;
      default:
        // NME, OBS, IAM and REJ are the server's.
        return;
    }
  }
}
