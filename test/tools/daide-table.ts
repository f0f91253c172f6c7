// Starts a DAIDE server in this process, for tests and measurements.
import { DaideServer, type DaideServerOptions } from '../../bindings/protocols/daide/daide-server.js';
import type { GameTable, TableOptions } from '../../bindings/protocols/daide/game-table.js';
import { Representation } from '../../bindings/protocols/daide/representation.js';
import { SeatedAgent } from '../../bindings/protocols/daide/seats.js';
import type { Time } from '../../bindings/protocols/daide/time.js';
import { type CompiledMap, rulesByName, standard } from '../../engine/internal.js';
import { parseAgent } from '../../selfplay/agents/registry.js';

/** Time that passes when a test says so. */
export class TestTime implements Time {
  private at = 0;
  private readonly timers = new Set<{ readonly at: number; readonly act: () => void }>();
  readonly now = (): number => this.at;
  readonly after = (milliseconds: number, act: () => void): (() => void) => {
    const timer = { at: this.at + milliseconds, act };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  };

  /** True if no timer runs. */
  get isIdle(): boolean {
    return this.timers.size === 0;
  }

  /** Lets so many seconds pass, once a timer waits for one of them. */
  async pass(seconds: number): Promise<void> {
    const end = this.at + 1000 * seconds + 10;
    const next = () => [...this.timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
    while (next() === undefined) await new Promise(setImmediate);
    for (let timer = next(); timer !== undefined; timer = next()) {
      this.at = Math.max(this.at, timer.at);
      this.timers.delete(timer);
      timer.act();
    }
    this.at = end;
  }
}

/** What tests change of a server. */
export interface ServeOptions extends Partial<Omit<TableOptions, 'rep'>>, Partial<DaideServerOptions> {
  readonly map?: CompiledMap;
  /** Powers of clients; all without it. */
  readonly clients?: readonly string[];
  /** Who plays the others. */
  readonly agent?: string;
}

export interface Served {
  readonly server: DaideServer;
  readonly port: number;
  /** Games that have ended, as they did. */
  readonly ended: GameTable[];
  readonly remarks: string[];
}

/** Begins to listen at a free port of this machine. */
export const serve = async (options: ServeOptions = {}): Promise<Served> => {
  const { map = standard, clients = map.powerNames, agent = 'hold', ...rest } = options;
  const seated = new SeatedAgent(agent, parseAgent(agent));
  const table: TableOptions = {
    rep: new Representation(map),
    rules: rulesByName('datc-3.2,convoyRoutes=all,adjacentConvoy=written,superfluousConvoy=legal'),
    until: 1935,
    longGameDraw: false,
    seatsOf: () => map.powerNames.map((name) => (clients.includes(name) ? null : seated)),
    version: '1',
    inOrder: true,
    limits: [0, 0, 0],
    stopsOnDisconnection: false,
    anyOrders: false,
    passesAdmin: true,
    graceSeconds: 10,
    abandonSeconds: 60,
    mapSeconds: 300,
    ...rest,
  };
  const ended: GameTable[] = [];
  const remarks: string[] = [];
  const server = new DaideServer({
    host: '127.0.0.1',
    port: 0,
    table,
    tables: 1,
    rounds: 1,
    seed: 1,
    maxConnections: 1000,
    greetMs: 0,
    onRemark: (text) => remarks.push(text),
    ...rest,
    onGame: async (one) => {
      ended.push(one);
      await rest.onGame?.(one);
    },
  });
  return { server, port: await server.listen(), ended, remarks };
};
