// Who is at a table: the powers with their clients, the clients that wait for the game to begin, and observers.
import { randomInt } from 'node:crypto';
import { type Game, type Power, Random } from '../../../engine/index.js';
import { type Agent, type Past, UNBOUNDED } from '../../../selfplay/index.js';
import { MAX_INTEGER } from './language.js';

export class SeatedAgent {
  /** @param name as --agents has it */
  constructor(
    readonly name: string,
    private readonly agent: Agent,
  ) {}

  /** Its orders for a power. The game may go on before it answers. @throws LepantoError that names agent, power and phase */
  async ask(game: Game, power: Power, random: Random, past: Past): Promise<Int32Array> {
    const question = { game: game.clone(), power, random, budget: UNBOUNDED, past };
    const [{ orders }] = await this.agent.answer([question]);
    return orders;
  }
}

export interface TableClient {
  send(frame: Buffer): void;
  end(): void;
}

export interface Seat {
  readonly power: Power;
  /** The agent that plays it; null for a client. */
  readonly seated: SeatedAgent | null;
  client: TableClient | null;
  name: string;
  version: string;
  readonly passcode: number;
  /** False if the turn is to wait for its deadline. */
  goesAhead: boolean;
  /** In civil disorder, as the clients were told. */
  inDisorder: boolean;
  /** The turn waits for its client, which has left. */
  isAwaited: boolean;
  wantsDraw: boolean;
}

/** A client that will play, before the game begins. */
interface Player {
  readonly name: string;
  readonly version: string;
  hasMap: boolean;
}

/** Separates the stream that deals powers from those of the agents. */
const DEALING_STREAM = 0x6465_616c;
/** The least passcode: one of several digits. */
const LEAST_PASSCODE = 100;

/** The same things in an order that a seed draws. */
export const shuffled = <T>(things: readonly T[], seed: number): T[] => {
  const random = new Random(seed, DEALING_STREAM, 0);
  const left = [...things];
  return things.flatMap(() => left.splice(random.below(left.length), 1));
};

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
  /** With true once they have accepted the map. */
  private readonly observers = new Map<TableClient, boolean>();

  /** @param takesPasscode false for one that another seat of the server has */
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

  of(client: TableClient): Seat | null {
    return this.all.find((seat) => seat.client === client) ?? null;
  }
  /** Clients that will play, before the game begins. */
  get taken(): number {
    return this.players.size;
  }
  /** True while fewer clients want to play than can. */
  get hasRoom(): boolean {
    return this.players.size < this.ofClients.length;
  }
  /** True once every seat has a client with the map. */
  get isComplete(): boolean {
    return !this.hasRoom && [...this.players.values()].every(({ hasMap }) => hasMap);
  }
  get isDeserted(): boolean {
    return this.ofClients.every(({ client }) => client === null);
  }
  /** True for a client that plays, will play or watches. */
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

  /** A client accepts the map. Null if it was not asked, or has accepted it before as an observer. */
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

  deal(seats: readonly Seat[]): void {
    for (const [i, [client, { name, version }]] of [...this.players].entries())
      Object.assign(seats[i], { client, name, version });
    this.players.clear();
  }

  /** A client has gone; returns the seat that it leaves. */
  leave(client: TableClient): Seat | null {
    this.observers.delete(client);
    this.players.delete(client);
    const seat = this.of(client);
    if (seat !== null) seat.client = null;
    return seat;
  }

  /** Clients that are told what happens, with their seats; null for observers. */
  *audience(): Generator<readonly [TableClient, Seat | null]> {
    for (const seat of this.all) if (seat.client !== null) yield [seat.client, seat];
    for (const [client, hasMap] of this.observers) if (hasMap) yield [client, null];
  }
}
