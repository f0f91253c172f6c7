// Keeps the state of the board page, which is also in its address, and values derived from it. Every change can be
// undone.
import { type CompiledMap, newGame } from '../../../engine/internal.js';
import { type ByPower, formatPosition } from '../../../engine/notation/json/position.js';
import { type RuleSet, ruleSetByName } from '../../../engine/notation/text/index.js';
import type { Message } from '../../../selfplay/question/message.js';
import { powerTitle } from '../../draw/titles.js';
import type { AskedGame, OwnMap } from '../orders/asked-game.js';
import { type CheckedOrders, checkOrders, dueOf } from '../orders/check-orders.js';
import type { Orderable } from '../orders/order-clicks.js';
import { type KeptPlay, openKept } from '../orders/saved-play.js';
import { firstTurn, isOver, lineTo, messagesTo, storeTimeline, type Turn } from '../orders/timeline.js';
import { orderablesIn, type Placed, positionIn, readWrittenPosition } from '../orders/written-position.js';
import { readWritten, type WrittenOrders } from './order-text.js';
import { pageMaps } from './page-maps.js';

export const HUMAN = 'human';
/** Agent that plays a power for which no agent was chosen. */
export const STAND_IN = 'reply';
const MOST_NAME = 300;
export const MOST_AGENTS = 6;
/** Agents that are compared by default. */
export const COMPARED: readonly string[] = ['dumbbot', 'reply'];
export const MOST_SAMPLES = 512;
const MOST_ROUNDS = 9;
/** Key under which the branches of a game are in the session storage of the browser. */
const KEPT = 'lepanto-play';

export interface State {
  readonly map: string;
  readonly rules: string;
  readonly seed: number;
  /** Names of agents, keyed by power; HUMAN for a human. */
  readonly seats: Readonly<Record<string, string>>;
  /** The shown phase, in a tree of all phases played. */
  readonly turn: Turn;
  /** Text of the orders that are being written, one per line. */
  readonly text: string;
  /**
   * `hot`: true if humans order one after the other (hot seat). `handed`: orders of the powers that have ordered in
   * this phase, keyed by power.
   */
  readonly hot: boolean;
  readonly handed: ByPower;
  /** Number of rounds of messages (press) before the orders of a movement phase. */
  readonly rounds: number;
  /**
   * `agents`: agents to compare, empty for none. `power`: power that they are asked for, '' for all. For another text,
   * such as 'any', they are asked for the first power with orders due, of a human if possible. `samples`: number of
   * answers of each agent.
   */
  readonly agents: readonly string[];
  readonly power: string;
  readonly samples: number;
}

/** Purpose of a page: a game against agents ('play'), or a position in which the user orders all powers ('edit'). */
export type Purpose = 'play' | 'edit';

/**
 * Returns the agents of all powers, keyed by power. Powers without a valid name get a human or STAND_IN.
 * @param value agents from an address or a file, unchecked
 * @param purpose of the page; 'edit' without a value: humans for all powers
 */
const readSeats = (value: unknown, { powerNames }: CompiledMap, purpose: Purpose): Record<string, string> => {
  const said = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  const first = powerNames.includes('FRANCE') ? 'FRANCE' : powerNames[0];
  return Object.fromEntries(
    powerNames.map((power) => {
      const agent = said !== null && Object.hasOwn(said, power) ? said[power] : null;
      const given = typeof agent === 'string' && agent.length <= MOST_NAME ? agent : null;
      return [power, given ?? (power === first || (purpose === 'edit' && said === null) ? HUMAN : STAND_IN)];
    }),
  );
};

const whole = (value: unknown, least: number, most: number, otherwise: number): number =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= most ? Number(value) : otherwise;

export const randomSeed = (): number => crypto.getRandomValues(new Uint32Array(1))[0] >>> 1;

const NOTHING: CheckedOrders = { answer: null, wrong: [], missing: {}, left: {} };

export class BoardState {
  readonly maps;
  readonly mapNamed: (name: string) => CompiledMap;
  map: CompiledMap;
  rules: RuleSet;
  state: State;
  /** Units and centres that can be ordered in this phase, with their legal orders. */
  legal: readonly Orderable[] = [];
  written: WrittenOrders = { orders: {}, unread: [] };
  checked: CheckedOrders = NOTHING;
  readonly past: State[] = [];
  future: State[] = [];
  /** Called after each change of the state. */
  onChange: () => void = () => {};
  /** Called after a change of the shown phase or position. */
  onTurn: () => void = () => {};
  private isTyping = false;
  /** Current and previous address. A reload may open the previous one, if the current one was not written yet. */
  private addresses: readonly string[] = [''];

  /**
   * Starts with the initial position of a map. Fields derived from the state are valid after the first use().
   * @param own map of the run; null for one of Lepanto's
   */
  constructor(
    own: OwnMap | null,
    private readonly purpose: Purpose,
  ) {
    this.maps = pageMaps(own);
    this.mapNamed = this.maps.mapNamed;
    this.map = this.mapNamed(own?.name ?? 'standard');
    this.rules = ruleSetByName('datc-3.2');
    this.state = this.startOf(this.map.name, 'datc-3.2');
    if (own !== null) this.state = { ...this.state, map: own.name };
  }

  /** Returns the state with the initial position of a map and a new seed. Keeps the agents if the map is the same. */
  startOf(map: string, rules: string): State {
    const found = this.mapNamed(map);
    const start = formatPosition(newGame(found, ruleSetByName(rules).adjudication));
    const before: Partial<State> = this.state ?? {};
    const seats = found === this.map && before.seats ? before.seats : readSeats(null, found, this.purpose);
    return {
      ...{ hot: false, rounds: 0, agents: [], power: 'any', samples: 32 },
      ...before,
      ...{ map, rules, seats, seed: randomSeed(), turn: firstTurn(start), text: '', handed: {} },
    };
  }

  // ---- changes ----

  private settle(): void {
    const { state } = this;
    this.map = this.mapNamed(state.map);
    this.rules = ruleSetByName(state.rules);
    const { turn } = state;
    this.legal = isOver(turn) ? [] : orderablesIn(turn, this.map, this.rules.adjudication);
    this.written = readWritten(this.map, state.text, turn);
    const asked = this.legal.filter(({ power }) => this.mayOrder(power));
    this.checked = isOver(turn) ? NOTHING : checkOrders(turn, this.given(), asked, this.map, this.rules);
  }

  /**
   * Replaces the state, and calls onTurn() and onChange().
   * @throws Error if it is invalid; the state is then unchanged
   */
  use(next: State): void {
    const before = this.state;
    this.state = next;
    try {
      this.settle();
    } catch (error) {
      this.state = before;
      this.settle();
      throw error;
    }
    for (let { turn } = next; turn.parent !== null; turn = turn.parent) turn.parent.last = turn;
    if (before.turn !== next.turn || before.map !== next.map) this.onTurn();
    this.onChange();
  }

  /**
   * Changes fields of the state, so that the change can be undone.
   * @param typed true for typing; one undo takes back consecutive typing
   * @throws Error if the state would be invalid; it is then unchanged
   */
  change(changes: Partial<State>, typed = false): void {
    const before = this.state;
    const [past, isOne] = [[...this.past], typed && this.isTyping];
    this.future = [];
    if (!isOne) this.past.push(before);
    this.isTyping = typed;
    try {
      this.use({ ...before, ...changes });
    } catch (error) {
      this.past.splice(0, this.past.length, ...past);
      throw error;
    }
  }

  /**
   * Sets another position or map, with a new tree of phases, so that the change can be undone.
   * @param changes fields of the position
   * @param more other fields of the state
   */
  place(changes: Partial<Placed>, more: Partial<State> = {}): void {
    this.change({ turn: firstTurn({ ...this.state.turn, ...changes }), handed: {}, ...more });
  }

  private step(from: State[], to: State[]): void {
    const next = from.pop();
    if (next === undefined) return;
    to.push(this.state);
    this.isTyping = false;
    this.use(next);
  }

  undo(): void {
    this.step(this.past, this.future);
  }

  redo(): void {
    this.step(this.future, this.past);
  }

  // ---- players ----

  isHuman(power: string): boolean {
    return this.state.seats[power] === HUMAN;
  }

  hasOrders(power: string): boolean {
    return this.legal.some((one) => one.power === power);
  }

  /** Returns the names of the powers that humans play and that have orders due in this phase. */
  humans(): string[] {
    return this.map.powerNames.filter((power) => this.isHuman(power) && this.hasOrders(power));
  }

  /** Returns the power whose turn it is in hot-seat mode; null if all humans order together or have ordered. */
  player(): string | null {
    const { hot, handed } = this.state;
    return hot ? (this.humans().find((power) => handed[power] === undefined) ?? null) : null;
  }

  mayOrder(power: string): boolean {
    const one = this.player();
    return one === null ? this.isHuman(power) : power === one;
  }

  /** True if humans play all powers. A phase is then adjudicated without asking agents. */
  isAnalysis(): boolean {
    return this.map.powerNames.every((power) => this.isHuman(power));
  }

  /**
   * Returns the units and centres that can be ordered by clicks. They belong to powers that a human may order now, or
   * to powers with written orders.
   */
  open(): readonly Orderable[] {
    return this.legal.filter(({ power }) => this.mayOrder(power) || (this.written.orders[power] ?? []).length > 0);
  }

  /**
   * Returns the orders that count if the phase is played now, keyed by power: `handed` orders and written orders. The
   * written orders of a power replace its `handed` ones.
   */
  given(): ByPower {
    return { ...this.state.handed, ...(this.written.orders as ByPower) };
  }

  /** Returns the instruction that the page shows to the user. */
  words(): string {
    const { turn } = this.state;
    const { powerNames } = this.map;
    if (isOver(turn)) {
      const most = Math.max(...powerNames.map((power) => turn.centers[power]?.length ?? 0));
      return `${powerTitle(powerNames.find((power) => turn.centers[power]?.length === most) ?? '')} wins.`;
    }
    const one = this.player();
    const who = one === null ? this.humans() : [one];
    if (!powerNames.some((power) => this.isHuman(power)))
      return 'Agents have all seats: take one under Game, or let them play.';
    if (who.length === 0) return 'No human has a unit to order: Ready plays on.';
    const names = who.length > 3 && who.length === this.humans().length ? 'All powers' : who.map(powerTitle).join(', ');
    if (turn.phase.endsWith('A')) {
      const due = who.map((power) => {
        const [count, left] = [dueOf(turn, power), Math.abs(this.checked.left[power] ?? 0)];
        return `${powerTitle(power)} ${count > 0 ? 'may build' : 'must remove'} ${Math.abs(count)} (${left} left)`;
      });
      return `${due.join(', ')}: click where; click again for another unit, or none.`;
    }
    if (turn.phase.endsWith('R')) {
      const units = who.flatMap((power) => Object.keys(turn.retreats[power] ?? {}));
      return `${names}: ${units.join(', ')} must retreat: click the unit, then where to.`;
    }
    return `${names}: click or tap a unit, then where it goes; or drag it.`;
  }

  // ---- address, files and requests to agents ----

  /** Returns the state as a JSON object for the address, without branches. */
  said(): object {
    const { turn, text: orders, hot, agents, power, samples, rounds, map, rules, seats, seed } = this.state;
    const shown = isOver(turn) ? (turn.parent ?? turn) : turn;
    return {
      ...{ map, rules, ...positionIn(shown), orders, seats, seed },
      ...(hot && { hot }),
      ...(rounds > 0 && { rounds }),
      ...(agents.length > 0 && { agents, power, samples }),
    };
  }

  /**
   * Replaces the state by that of an address. Branches come from the browser if it has saved them for the address.
   * @param said state in the address, unchecked
   * @param base position to use if the address of a comparison has none
   * @throws LepantoError if the position is invalid
   */
  read(said: Record<string, unknown>, base: Record<string, unknown> = {}): void {
    const compares = ['agents', 'power', 'samples'].some((field) => said[field] !== undefined);
    const asked = compares && said.phase === undefined ? { ...base, ...said } : said;
    const position = readWrittenPosition(asked, this.mapNamed, this.state);
    const map = this.mapNamed(position.map);
    const named = Array.isArray(said.agents) ? said.agents : [];
    const read = named.filter((one) => typeof one === 'string' && one.length <= MOST_NAME).slice(0, MOST_AGENTS);
    const agents = compares && read.length === 0 ? COMPARED : read;
    const purpose = agents.length > 0 ? 'edit' : this.purpose;
    const kept = this.keptTurn(location.hash);
    this.addresses = [location.hash];
    this.past.length = 0;
    this.future = [];
    this.use({
      ...{ map: position.map, rules: position.rules, turn: kept ?? firstTurn(position), text: position.orders },
      ...{ seats: readSeats(said.seats, map, purpose), seed: whole(said.seed, -(2 ** 31), 2 ** 31, randomSeed()) | 0 },
      ...{ hot: said.hot === true, handed: {}, rounds: whole(said.rounds, 0, MOST_ROUNDS, 0), agents },
      ...{ power: String(said.power ?? 'any'), samples: whole(said.samples, 1, MOST_SAMPLES, 32) },
    });
  }

  /** Opens a saved game, as a change that can be undone. @throws Error if it is invalid */
  openSaved(opened: { start: { map: string; rules: string }; turn: Turn; seats: unknown; seed: unknown }): void {
    const { map, rules } = opened.start;
    const seats = readSeats(opened.seats ?? {}, this.mapNamed(map), this.purpose);
    const seed = whole(opened.seed, -(2 ** 31), 2 ** 31, randomSeed()) | 0;
    this.change({ map, rules, seats, seed, turn: opened.turn, text: this.givenBefore(opened.turn), handed: {} });
  }

  /** Returns as text what humans ordered when a phase was last played; '' if it was not, and in hot-seat mode. */
  givenBefore({ last }: Turn): string {
    if (last === null || this.state.hot) return '';
    return Object.entries(last.given)
      .filter(([power]) => this.isHuman(power))
      .flatMap(([power, list]) => list.map((order) => (order === 'WAIVE' ? `${power} WAIVE` : order)))
      .join('\n');
  }

  askedGame(): AskedGame {
    const [start, ...later] = lineTo(this.state.turn);
    const { map, rules, seed, turn, rounds } = this.state;
    // Agents read a message once its round is over.
    const isRead = ({ phase, round }: Message): boolean => phase !== turn.phase || round <= turn.rounds;
    return {
      ...{ map, rules, own: this.maps.ownOf(this.map), seed },
      ...{ start: positionIn(start), played: later.map(({ given }) => given) },
      ...(rounds > 0 && { messages: messagesTo(turn).filter(isRead) }),
    };
  }

  /** Returns the game with all branches, for a file or the browser's storage. */
  wholeGame(): KeptPlay {
    const { map, rules, seed, seats, turn } = this.state;
    return { map, rules, seed, seats, start: positionIn(lineTo(turn)[0]), ...storeTimeline(turn) };
  }

  /** Saves the branches in the browser, for the address of the page. @param address new address; default: unchanged */
  keep(address?: string): void {
    if (address !== undefined) this.addresses = [address, this.addresses[0]];
    try {
      sessionStorage.setItem(KEPT, JSON.stringify({ addresses: this.addresses, ...this.wholeGame() }));
    } catch {
      // The storage is full or forbidden, so the branches are lost with the page.
    }
  }

  private keptTurn(address: string): Turn | null {
    try {
      const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null') as {
        readonly addresses: readonly string[];
      } | null;
      return kept?.addresses.includes(address) ? openKept(kept, this.mapNamed).turn : null;
    } catch {
      return null;
    }
  }
}
