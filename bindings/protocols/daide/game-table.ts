// One table: its game from the first client to the last message. A state machine: forming, playing, over or abandoned.
// table-requests.ts answers the messages of its clients.
import { Random, type Rules } from '../../../engine/index.js';
import type { WrittenOrder } from './client-messages.js';
import { DaideGame, type PlayedTurn, summaryMessage } from './daide-game.js';
import { diplomacyFrame } from './framing.js';
import { integerToken, list, textTokens, Word } from './language.js';
import type { Representation } from './representation.js';
import { type Seat, type SeatedAgent, Seats, shuffled, type TableClient } from './seats.js';
import { systemTime, type Time, Timers, TurnClock } from './time.js';

export interface TableOptions {
  readonly rep: Representation;
  readonly rules: Rules;
  /** A game that no power has won is a draw after this year. */
  readonly until: number;
  /** See Ending. */
  readonly longGameDraw: boolean;
  /** Who plays each power at the table of a seed: an agent, or null for a client. */
  readonly seatsOf: (seed: number) => readonly (SeatedAgent | null)[];
  readonly version: string;
  /** Clients get the free powers in the order in which they sit down; else they are drawn. */
  readonly inOrder: boolean;
  /** Seconds for a turn of moves, of retreats and of adjustments; 0 for no limit. */
  readonly limits: readonly [movement: number, retreat: number, adjustment: number];
  /** DSD: the clock stops while a power that has to order is disconnected. */
  readonly stopsOnDisconnection: boolean;
  /** AOA: orders that are not possible are accepted. */
  readonly anyOrders: boolean;
  readonly passesAdmin: boolean;
  /** Seconds that a turn without a limit waits for a client that has left it. */
  readonly graceSeconds: number;
  /** Seconds after which a table that all clients have left is given up. */
  readonly abandonSeconds: number;
  /** Seconds that a client has to accept the map, before it loses its seat. */
  readonly mapSeconds: number;
  /** Default: that of the system. */
  readonly time?: Time;
}

export interface TableEvents {
  /** Once, when the game has ended or was given up. */
  readonly onEnd: (table: GameTable) => void;
  readonly onRemark: (text: string) => void;
}

/** How far a table is; `asking` and `waiting` are a turn that waits for agents, and for clients. */
export type TableState = 'forming' | 'asking' | 'waiting' | 'over' | 'abandoned';

/** Admin messages of one client in a turn: each goes to all clients of the table. */
const MAX_ADMIN = 16;

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
  /** Of clients that have to accept the map; of a turn that waits for a client; of a table that all have left. */
  private readonly timers = new Timers<TableClient | 'grace' | 'abandon'>(this.time);
  private readonly admin = new Map<TableClient, number>();
  /** SLO or DRW; null until the game is over. */
  private ending: Buffer | null = null;

  /** @param number counted from 1 @param takesPasscode false for one that another seat of the server has */
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
  get isOpen(): boolean {
    return this.state === 'forming' && this.seats.hasRoom;
  }
  /** Who plays each power: name and version as clients gave them. */
  get seating(): readonly { readonly name: string; readonly version: string }[] {
    return this.seats.all;
  }
  get passcodes(): number[] {
    return this.seats.ofClients.map(({ passcode }) => passcode);
  }

  broadcast(...frames: readonly Buffer[]): void {
    for (const [client] of this.seats.audience()) for (const frame of frames) client.send(frame);
  }
  get mapFrame(): Buffer {
    return diplomacyFrame([Word.MAP, ...list(textTokens(this.options.rep.mapName))]);
  }
  /** HLO for a power; null for an observer. */
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
  /** TME of the turn; null without a deadline. */
  get timeFrame(): Buffer | null {
    const { seconds } = this.clock;
    return seconds === null ? null : this.timeLeft(seconds);
  }
  private timeLeft(seconds: number, isStopped = false): Buffer {
    return this.negatable([Word.TME, ...list(integerToken(seconds))], isStopped);
  }
  /** A message, or NOT (message). */
  private negatable(tokens: readonly number[], isNot: boolean): Buffer {
    return diplomacyFrame(isNot ? [Word.NOT, ...list(tokens)] : tokens);
  }
  /** SLO or DRW with SMR; null until the game is over. */
  get endFrame(): Buffer | null {
    if (this.ending === null) return null;
    return Buffer.concat([this.ending, diplomacyFrame(summaryMessage(this.game, this.seats.all))]);
  }
  /** CCD of a power, or that it is over. */
  private setDisorder(seat: Seat, inDisorder: boolean): void {
    if (seat.inDisorder === inDisorder) return;
    seat.inDisorder = inDisorder;
    this.broadcast(this.negatable([Word.CCD, ...list(this.options.rep.powers[seat.power])], !inDisorder));
  }

  /** A client wants to play. Assumes that the table is open. */
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

  /** A client comes back to its power; false if it may not. */
  rejoin(client: TableClient, power: number, passcode: number): boolean {
    const seat = this.seats.ofClients.find((one) => one.power === power);
    if (!this.isPlaying || seat === undefined || seat.client !== null || seat.passcode !== passcode) return false;
    seat.client = client;
    this.timers.stop('abandon');
    // Told behind the YES, which the caller sends at once.
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
  /** The turn waits for the client of a power, or goes on without it. */
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
  /** True if the clock stops for a client that has left and is due to order. */
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
  /** A client wants to hear, in each turn, when so many seconds are left. */
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
      // Lets clients of other tables be heard between two choices.
      await new Promise(setImmediate);
    }
    // Not at once: a turn that waits for no client would be played within the one before it.
    await new Promise(setImmediate);
    if (!this.isPlaying) return;
    this.state = 'waiting';
    this.playIfReady();
  }

  /** True if the turn wants more orders of a power. */
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

  /** @param played the turn that ended the game; null for a draw that was agreed */
  private finish(played: PlayedTurn | null): void {
    const { game, options } = this;
    this.stop();
    this.state = 'over';
    this.ending = diplomacyFrame(game.winner >= 0 ? [Word.SLO, ...list(options.rep.powers[game.winner])] : [Word.DRW]);
    if (this.endFrame !== null) this.broadcast(this.endFrame);
    if (played !== null) this.broadcast(played.position);
    this.events.onEnd(this);
  }

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
  /** A client no longer wants to wait for the deadline. */
  goAhead(seat: Seat): void {
    this.sendMissing(seat);
    this.playIfReady();
  }

  /**
   * Ends the game once every client that plays on wants a draw, those too that the turn waits for. Agents of Lepanto
   * always agree.
   */
  drawIfAgreed(): void {
    const isHere = ({ client, isAwaited }: Seat): boolean => client !== null || isAwaited;
    const voters = this.seats.ofClients.filter((seat) => isHere(seat) && this.game.survives(seat.power));
    if (!voters.every(({ wantsDraw }) => wantsDraw)) return;
    this.game.draw();
    this.finish(null);
  }

  /** True if an admin message of a client is passed on: it plays or watches, and has not sent too many in this turn. */
  mayTellAll(client: TableClient): boolean {
    const count = this.admin.get(client) ?? 0;
    this.admin.set(client, count + 1);
    return this.options.passesAdmin && this.seats.has(client) && count < MAX_ADMIN;
  }
}
