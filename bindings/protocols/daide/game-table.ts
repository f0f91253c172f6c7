// A table runs one game, from the first client to the last message. Its states are forming, asking, waiting, over and
// abandoned. table-requests.ts answers the messages of clients.
import { Random, type Rules } from '../../../engine/index.js';
import type { WrittenOrder } from './client-messages.js';
import { DaideGame, type PlayedTurn, summaryMessage } from './daide-game.js';
import { diplomacyFrame } from './framing.js';
import { integerToken, list, textTokens, Word } from './language.js';
import type { Representation } from './representation.js';
import { type Seat, type SeatedAgent, Seats, shuffled, type TableClient } from './seats.js';
import { systemTime, type Time, Timers, TurnClock } from './time.js';

/** Options of a GameTable. */
export interface TableOptions {
  readonly rep: Representation;
  readonly rules: Rules;
  /** Last year that is played. A game without a winner is a draw after it. */
  readonly until: number;
  /** True to draw a game also at a limit of LONG_GAME: 7 years without a captured centre, or 35 years. */
  readonly longGameDraw: boolean;
  /** Returns the players of the game with a seed, indexed by power: an agent, or null for a client. */
  readonly seatsOf: (seed: number) => readonly (SeatedAgent | null)[];
  /** Version of the agents of Lepanto in messages to clients. */
  readonly version: string;
  /** True to give powers to clients in the order in which they join; false to draw them at random. */
  readonly inOrder: boolean;
  /** Time limits of turns in seconds; 0 for none. */
  readonly limits: readonly [movement: number, retreat: number, adjustment: number];
  /** DSD: true to stop the clock while a disconnected power still has to order. */
  readonly stopsOnDisconnection: boolean;
  /** AOA: true to accept impossible orders. */
  readonly anyOrders: boolean;
  /** True to pass on admin messages (ADM) of clients. */
  readonly passesAdmin: boolean;
  /** Seconds for which a turn without a time limit waits for a disconnected client. */
  readonly graceSeconds: number;
  /** Seconds after which a table without connected clients is abandoned. */
  readonly abandonSeconds: number;
  /** Seconds in which a client has to accept the map before it is disconnected. */
  readonly mapSeconds: number;
  /** Source of time for all timers of the table. Default: the system. */
  readonly time?: Time;
}

/** Callbacks of a table. */
export interface TableEvents {
  /** Called once, when the game has ended or been abandoned. */
  readonly onEnd: (table: GameTable) => void;
  /** Called with a line of text for people. */
  readonly onRemark: (text: string) => void;
}

/** State of a table. `asking`: a turn waits for agents. `waiting`: a turn waits for clients. */
export type TableState = 'forming' | 'asking' | 'waiting' | 'over' | 'abandoned';

/** Maximum number of admin messages that one client may send in a turn. Each goes to all clients of the table. */
const MAX_ADMIN = 16;

/** A table and its game. Clients join until the seats are full, then turns are played until the game ends. */
export class GameTable {
  private readonly time = this.options.time ?? systemTime;
  readonly game: DaideGame = new DaideGame(this.options);
  readonly seats: Seats = new Seats(this.options.seatsOf(this.seed), this.options.version, this.takesPasscode);
  readonly clock: TurnClock<TableClient> = new TurnClock(
    this.time,
    (client, seconds) => client.send(this.timeLeft(seconds)),
    () => this.playIfReady(),
  );
  state: TableState = 'forming';
  /** Timers for clients to accept the map, for a disconnected client ('grace'), and for an empty table ('abandon'). */
  private readonly timers = new Timers<TableClient | 'grace' | 'abandon'>(this.time);
  /** Number of admin messages in this turn, by client. */
  private readonly admin = new Map<TableClient, number>();
  /** Frame of SLO or DRW, the message that ends the game; null until the game is over. */
  private ending: Buffer | null = null;

  /**
   * Creates a table that waits for clients.
   * @param number number of the game on the server, from 1
   * @param takesPasscode claims a passcode for a seat; returns false if another seat of the server has it
   */
  constructor(
    readonly number: number,
    readonly seed: number,
    readonly options: TableOptions,
    private readonly events: TableEvents,
    private readonly takesPasscode: (passcode: number) => boolean,
  ) {}

  get isPlaying(): boolean {
    return this.state === 'asking' || this.state === 'waiting';
  }
  /** True while clients can join. */
  get isOpen(): boolean {
    return this.state === 'forming' && this.seats.hasRoom;
  }
  /** Name and version of each player, indexed by power. '' before the game for seats of clients. */
  get seating(): readonly { readonly name: string; readonly version: string }[] {
    return this.seats.all;
  }
  /** Passcodes of the seats for clients, ascending by power. */
  get passcodes(): number[] {
    return this.seats.ofClients.map(({ passcode }) => passcode);
  }

  /** Sends frames to all players and observers. */
  broadcast(...frames: readonly Buffer[]): void {
    for (const [client] of this.seats.audience()) for (const frame of frames) client.send(frame);
  }
  get mapFrame(): Buffer {
    return diplomacyFrame([Word.MAP, ...list(textTokens(this.options.rep.mapName))]);
  }
  /** Returns the frame of HLO: power, passcode and settings of the game. @param seat the client's; null to observe */
  helloFrame(seat: Seat | null): Buffer {
    const { rep, limits, stopsOnDisconnection, anyOrders } = this.options;
    const [movement, retreat, adjustment] = limits;
    const timed = (word: number, seconds: number): number[] => (seconds > 0 ? list(word, integerToken(seconds)) : []);
    return diplomacyFrame([
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
    ]);
  }
  /** Frame of TME with the seconds left in the turn; null without a time limit and while the clock is stopped. */
  get timeFrame(): Buffer | null {
    const { seconds } = this.clock;
    return seconds === null ? null : this.timeLeft(seconds);
  }
  private timeLeft(seconds: number, isStopped = false): Buffer {
    return this.negatable([Word.TME, ...list(integerToken(seconds))], isStopped);
  }
  /** Returns the frame of a message, or of NOT (message) if `isNot`. */
  private negatable(tokens: readonly number[], isNot: boolean): Buffer {
    return diplomacyFrame(isNot ? [Word.NOT, ...list(tokens)] : tokens);
  }
  /** Frames of SLO or DRW, then of SMR; null until the game is over. */
  get endFrame(): Buffer | null {
    if (this.ending === null) return null;
    return Buffer.concat([this.ending, diplomacyFrame(summaryMessage(this.game, this.seats.all))]);
  }
  /** Broadcasts that a power is in civil disorder (CCD) or no longer is (NOT), if this has changed. */
  private setDisorder(seat: Seat, inDisorder: boolean): void {
    if (seat.inDisorder === inDisorder) return;
    seat.inDisorder = inDisorder;
    this.broadcast(this.negatable([Word.CCD, ...list(this.options.rep.powers[seat.power])], !inDisorder));
  }

  /** Adds a client as a player and sends it the map, which it must accept within mapSeconds. Requires isOpen. */
  sit(client: TableClient, name: string, version: string): void {
    this.seats.addPlayer(client, name, version);
    const { taken, ofClients } = this.seats;
    this.events.onRemark(
      `table ${this.number}: ${`${name} ${version}`.trim()} sits down, ${taken} of ${ofClients.length} seats are taken`,
    );
    this.timers.start(client, this.options.mapSeconds, () => client.end());
    client.send(this.mapFrame);
  }
  observe(client: TableClient): void {
    this.seats.addObserver(client);
    client.send(this.mapFrame);
  }

  acceptMap(client: TableClient): void {
    const role = this.seats.acceptMap(client);
    if (role === 'observer' && this.state !== 'forming') {
      for (const frame of [this.helloFrame(null), this.game.ownership, this.game.position]) client.send(frame);
    }
    if (role !== 'player') return;
    this.timers.stop(client);
    if (this.seats.isComplete) this.start();
  }

  /**
   * Gives a power back to a reconnected client. Returns false if the passcode is wrong, the seat of the power is
   * occupied or is not for clients, or no game is in progress.
   * @param power number of the power
   */
  rejoin(client: TableClient, power: number, passcode: number): boolean {
    const seat = this.seats.ofClients.find((one) => one.power === power);
    if (!this.isPlaying || seat === undefined || seat.client !== null || seat.passcode !== passcode) return false;
    seat.client = client;
    this.timers.stop('abandon');
    // The messages are deferred, so that they follow the YES, which the caller sends at once.
    setImmediate(() => {
      if (!this.isPlaying) return;
      this.setDisorder(seat, false);
      if (!this.isMissingClient) this.resumeClock();
      this.playIfReady();
    });
    return true;
  }

  leave(client: TableClient): void {
    this.clock.forget(client, null);
    this.admin.delete(client);
    this.timers.stop(client);
    const seat = this.seats.leave(client);
    if (seat === null || !this.isPlaying) return;
    if (this.game.survives(seat.power)) this.await(seat);
    if (this.seats.isDeserted) this.timers.start('abandon', this.options.abandonSeconds, () => this.abandon());
    this.playIfReady();
  }
  /**
   * Marks the power of a seat as disconnected and announces its civil disorder. If the power still has to order, stops
   * the clock (DSD), or without a time limit waits graceSeconds for the client.
   */
  private await(seat: Seat): void {
    const { stopsOnDisconnection, graceSeconds } = this.options;
    Object.assign(seat, { goesAhead: true, wantsDraw: false, isAwaited: true });
    this.setDisorder(seat, true);
    if (!this.isDue(seat)) return;
    if (stopsOnDisconnection) this.stopClock();
    else if (this.limit === 0)
      this.timers.start('grace', graceSeconds, () => {
        for (const one of this.seats.all) one.isAwaited = false;
        this.playIfReady();
      });
  }

  private abandon(): void {
    this.stop();
    this.events.onEnd(this);
  }
  stop(): void {
    this.clock.end();
    this.timers.stopAll();
    if (this.state !== 'over') this.state = 'abandoned';
  }

  private get limit(): number {
    return this.options.limits[this.game.kind] ?? 0;
  }
  /** True if the clock must stop because a disconnected client still has to order. */
  private get isMissingClient(): boolean {
    return (
      this.options.stopsOnDisconnection && this.seats.ofClients.some((seat) => seat.client === null && this.isDue(seat))
    );
  }
  private stopClock(): void {
    const seconds = this.clock.stop();
    if (seconds !== null) this.broadcast(this.timeLeft(seconds, true));
  }
  private resumeClock(): void {
    const seconds = this.clock.resume();
    if (seconds !== null) this.broadcast(this.timeLeft(seconds));
  }
  /**
   * Registers a client for a TME message in every turn when `seconds` are left. Returns false if `seconds` is negative
   * or longer than all turns.
   */
  wantTime(client: TableClient, seconds: number): boolean {
    const longest = Math.max(...this.options.limits);
    if (seconds < 0 || seconds > longest || longest === 0) return false;
    this.clock.want(client, seconds);
    return true;
  }

  private start(): void {
    const { ofClients } = this.seats;
    this.seats.deal(this.options.inOrder ? ofClients : shuffled(ofClients, this.seed));
    for (const [client, seat] of this.seats.audience()) client.send(this.helloFrame(seat));
    this.broadcast(this.game.ownership, this.game.position);
    this.beginTurn();
  }

  private beginTurn(): void {
    const { stopsOnDisconnection } = this.options;
    for (const seat of this.seats.all)
      Object.assign(seat, { goesAhead: true, wantsDraw: false, isAwaited: stopsOnDisconnection });
    this.state = 'asking';
    this.timers.stop('grace');
    this.admin.clear();
    this.clock.begin(this.limit);
    if (this.limit > 0) this.broadcast(this.timeLeft(this.limit));
    if (this.isMissingClient) this.stopClock();
    void this.askAgents();
  }

  private async askAgents(): Promise<void> {
    const { game, seed, number } = this;
    const past = { game: String(number), phases: game.phases };
    for (const { seated, power } of this.seats.all) {
      if (seated === null || !game.books[power].hasDue || game.game.phase !== game.kind) continue;
      try {
        const random = new Random(seed, game.phases.length, power);
        const orders = await seated.ask(game.game, power, random, past);
        if (!this.isPlaying) return;
        game.books[power].choose(orders);
      } catch (error) {
        if (!this.isPlaying) return;
        this.events.onRemark(`table ${number}: ${(error as Error).message}; its units get no orders`);
      }
      // Lets messages of other tables be handled between two agents.
      await new Promise(setImmediate);
    }
    // The next turn is deferred: if it waits for no client, it would otherwise be played inside the call of this turn.
    await new Promise(setImmediate);
    if (!this.isPlaying) return;
    this.state = 'waiting';
    this.playIfReady();
  }

  /** True if the power of a seat still has to give orders in this turn. */
  private isDue({ power }: Seat): boolean {
    return this.game.books[power].isDue;
  }
  private get isReady(): boolean {
    if (this.state !== 'waiting' || this.seats.isDeserted) return false;
    if (this.clock.isOver) return true;
    if (this.clock.isStopped) return false;
    return this.seats.ofClients.every((seat) => {
      const isDue = this.isDue(seat);
      return seat.client === null ? !(isDue && seat.isAwaited) : seat.goesAhead && !isDue;
    });
  }
  private playIfReady(): void {
    if (this.isReady) this.playTurn();
  }

  private playTurn(): void {
    const { game } = this;
    for (const seat of this.seats.ofClients) if (this.isDue(seat)) this.setDisorder(seat, true);
    const played = game.play();
    this.broadcast(played.orders);
    if (played.isCounted) this.broadcast(played.ownership);
    if (game.isOver) this.finish(played);
    else {
      this.broadcast(played.position);
      this.beginTurn();
    }
  }

  /** Ends the game, and broadcasts its end and summary. @param played turn that ended it; null for an agreed draw */
  private finish(played: PlayedTurn | null): void {
    const { game, options } = this;
    this.stop();
    this.state = 'over';
    this.ending = diplomacyFrame(game.winner >= 0 ? [Word.SLO, ...list(options.rep.powers[game.winner])] : [Word.DRW]);
    if (this.endFrame !== null) this.broadcast(this.endFrame);
    if (played !== null) this.broadcast(played.position);
    this.events.onEnd(this);
  }

  /** Handles SUB: adds orders of a client and answers each with THX. */
  submit(seat: Seat, orders: readonly WrittenOrder[]): void {
    const book = this.game.books[seat.power];
    const notes = orders.map((order) => book.submit(order));
    orders.forEach(({ tokens }, i) => {
      seat.client?.send(diplomacyFrame([Word.THX, ...list(tokens), ...list(notes[i])]));
    });
    this.sendMissing(seat);
    if (notes.includes(Word.MBV)) this.setDisorder(seat, false);
    this.playIfReady();
  }
  private sendMissing(seat: Seat): void {
    const missing = this.game.books[seat.power].missing();
    if (missing.length > 1) seat.client?.send(diplomacyFrame(missing));
  }
  /** Handles GOF: the client no longer waits for the deadline. Plays the turn if no other client has to wait. */
  goAhead(seat: Seat): void {
    this.sendMissing(seat);
    this.playIfReady();
  }

  /**
   * Ends the game in a draw if all clients of surviving powers want one. Disconnected clients that the turn waits for
   * count too. Agents of Lepanto always agree.
   */
  drawIfAgreed(): void {
    const isHere = ({ client, isAwaited }: Seat): boolean => client !== null || isAwaited;
    const voters = this.seats.ofClients.filter((seat) => isHere(seat) && this.game.survives(seat.power));
    if (!voters.every(({ wantsDraw }) => wantsDraw)) return;
    this.game.draw();
    this.finish(null);
  }

  /**
   * Counts an admin message of a client. True if it may be passed on: the server allows it, the client plays, has
   * joined or observes, and it is within the limit of the turn.
   */
  mayTellAll(client: TableClient): boolean {
    const count = this.admin.get(client) ?? 0;
    this.admin.set(client, count + 1);
    return this.options.passesAdmin && this.seats.has(client) && count < MAX_ADMIN;
  }
}
