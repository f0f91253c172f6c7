// Seats of a table: the powers with their clients or agents, clients that wait for the game to start, and observers.
import { randomInt } from 'node:crypto';
import { type Game, type Power, Random } from '../../../engine/index.js';
import { type Agent, type Past, UNBOUNDED } from '../../../selfplay/index.js';
import { MAX_INTEGER } from './language.js';

/** An agent of Lepanto that plays a power at a table. */
export class SeatedAgent {
  /** Wraps an agent. @param name name of the agent as given in --agents */
  constructor(
    readonly name: string,
    private readonly agent: Agent,
  ) {}

  /**
   * Returns the agent's orders for a power. Works on a copy of the game, which may advance in the meantime.
   * @throws LepantoError that names the agent, the power and the phase
   */
  async ask(game: Game, power: Power, random: Random, past: Past): Promise<Int32Array> {
    const question = { game: game.clone(), power, random, budget: UNBOUNDED, past };
    const [{ orders }] = await this.agent.answer([question]);
    return orders;
  }
}

/** A connected client, as its table sees it. */
export interface TableClient {
  send(frame: Buffer): void;
  end(): void;
}

/** A power at a table, with its player. */
export interface Seat {
  readonly power: Power;
  /** Agent that plays the power; null if the seat is for a client. */
  readonly seated: SeatedAgent | null;
  /** Connected client; null for an agent and while no client is connected. */
  client: TableClient | null;
  name: string;
  version: string;
  /** Passcode with which a client can rejoin; 0 for an agent. */
  readonly passcode: number;
  /** False if the client wants the turn to wait for its deadline (NOT GOF). */
  goesAhead: boolean;
  /** True if clients were last notified that the power is in civil disorder (CCD). */
  inDisorder: boolean;
  /** True if the turn waits for the client to reconnect. */
  isAwaited: boolean;
  wantsDraw: boolean;
}

/** A client that has joined before the start of the game. hasMap: true once it has accepted the map. */
interface Player {
  readonly name: string;
  readonly version: string;
  hasMap: boolean;
}

/** Random stream for dealing powers, separate from the streams of agents. */
const DEALING_STREAM = 0x6465_616c;
/** Smallest passcode. Shorter ones would be easy to guess. */
const LEAST_PASSCODE = 100;

/** Returns a shuffled copy of a list. Its order depends only on the seed and the length of the list. */
export const shuffled = <T>(things: readonly T[], seed: number): T[] => {
  const random = new Random(seed, DEALING_STREAM, 0);
  const left = [...things];
  return things.flatMap(() => left.splice(random.below(left.length), 1));
};

/**
 * Draws a random passcode that is not in use. After MAX_INTEGER failed draws it returns one in use.
 * @param isFree returns true if no seat has the passcode, and claims it
 */
const drawPasscode = (isFree: (passcode: number) => boolean): number => {
  for (let tries = 0; ; tries++) {
    const passcode = randomInt(LEAST_PASSCODE, MAX_INTEGER);
    if (isFree(passcode) || tries === MAX_INTEGER) return passcode;
  }
};

export class Seats {
  readonly all: readonly Seat[];
  readonly ofClients: readonly Seat[];
  private readonly players = new Map<TableClient, Player>();
  /** Observers, each with a value that is true once the observer has accepted the map. */
  private readonly observers = new Map<TableClient, boolean>();

  /**
   * Creates one seat per power.
   * @param seated players, indexed by power: an agent, or null for a client
   * @param version version of the agents, for clients
   * @param takesPasscode claims a passcode; returns false if another seat of the server has it
   */
  constructor(seated: readonly (SeatedAgent | null)[], version: string, takesPasscode: (passcode: number) => boolean) {
    this.all = seated.map((agent, power) => ({
      power,
      seated: agent,
      client: null,
      name: agent?.name ?? '',
      version: agent === null ? '' : version,
      passcode: agent === null ? drawPasscode(takesPasscode) : 0,
      goesAhead: true,
      inDisorder: false,
      isAwaited: false,
      wantsDraw: false,
    }));
    this.ofClients = this.all.filter((seat) => seat.seated === null);
  }

  /** Returns the seat of a client, or null if it plays no power. */
  of(client: TableClient): Seat | null {
    return this.all.find((seat) => seat.client === client) ?? null;
  }
  /** Number of clients that have joined before the start of the game. */
  get taken(): number {
    return this.players.size;
  }
  /** True while fewer clients have joined than there are seats for clients. */
  get hasRoom(): boolean {
    return this.players.size < this.ofClients.length;
  }
  /** True if as many clients have joined as there are seats for clients, and all have accepted the map. */
  get isComplete(): boolean {
    return !this.hasRoom && [...this.players.values()].every(({ hasMap }) => hasMap);
  }
  /** True if no seat has a connected client. */
  get isDeserted(): boolean {
    return this.ofClients.every(({ client }) => client === null);
  }
  /** True for a client that plays, has joined or observes. */
  has(client: TableClient): boolean {
    return this.of(client) !== null || this.observers.has(client) || this.players.has(client);
  }
  isObserver(client: TableClient): boolean {
    return this.observers.has(client);
  }

  addPlayer(client: TableClient, name: string, version: string): void {
    this.players.set(client, { name, version, hasMap: false });
  }
  addObserver(client: TableClient): void {
    this.observers.set(client, false);
  }

  /**
   * Records that a client accepts the map, and returns its role. Null if the client neither waits for the game to start
   * nor is an observer that accepts the map for the first time.
   */
  acceptMap(client: TableClient): 'player' | 'observer' | null {
    if (this.observers.get(client) === false) {
      this.observers.set(client, true);
      return 'observer';
    }
    const player = this.players.get(client);
    if (player === undefined) return null;
    player.hasMap = true;
    return 'player';
  }

  /** Gives the seats to the clients that have joined: the first seat to the client that joined first. */
  deal(seats: readonly Seat[]): void {
    for (const [i, [client, { name, version }]] of [...this.players].entries())
      Object.assign(seats[i], { client, name, version });
    this.players.clear();
  }

  /** Removes a client. Returns the seat that it leaves, or null if it had none. */
  leave(client: TableClient): Seat | null {
    this.observers.delete(client);
    this.players.delete(client);
    const seat = this.of(client);
    if (seat !== null) seat.client = null;
    return seat;
  }

  /** Yields the clients that receive broadcasts, with their seats (null for observers). */
  *audience(): Generator<readonly [TableClient, Seat | null]> {
    for (const seat of this.all) if (seat.client !== null) yield [seat.client, seat];
    for (const [client, hasMap] of this.observers) if (hasMap) yield [client, null];
  }
}
