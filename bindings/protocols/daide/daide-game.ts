// Plays a game turn by turn as DAIDE clients see it. Turns are the phases of the engine, with one difference. The
// engine removes dislodged units that cannot retreat; in DAIDE their powers disband them in a retreat turn.
import {
  type Dislodged,
  declareDraw,
  Fate,
  NO_UNIT,
  newGame,
  type Order,
  OrderType,
  orderLocation,
  orderType,
  Phase,
  type Power,
  type Province,
  Result,
  type Results,
  type Rules,
  Season,
  Status,
  unitPower,
} from '../../../engine/index.js';
import { makeResults } from '../../../engine/raw.js';
import { EndingWatch, type PlayedPhase, playPhase } from '../../../selfplay/index.js';
import { holdToPaths, isByConvoy, wayOf } from './convoy-paths.js';
import { diplomacyFrame } from './framing.js';
import { integerToken, list, textTokens, Word } from './language.js';
import {
  buildTokens,
  movementResult,
  nowMessage,
  orderTokens,
  ordMessage,
  scoMessage,
  type TurnPosition,
  turnTokens,
  unitTokens,
  waiveTokens,
} from './messages.js';
import { type Entry, OrderBook, rawBalance } from './order-book.js';
import type { Representation } from './representation.js';

/** Messages that result from a turn, as frames. */
export interface PlayedTurn {
  /** All ORD messages of the turn: one per order. */
  readonly orders: Buffer;
  /** SCO message: ownership after the turn. If the turn did not count owners, the last SCO message before it. */
  readonly ownership: Buffer;
  /** True if the owners of centres were counted after this turn. */
  readonly isCounted: boolean;
  /** NOW message: the position after the turn. */
  readonly position: Buffer;
}

/** Options of a DaideGame. */
export interface DaideGameOptions {
  readonly rep: Representation;
  readonly rules: Rules;
  /** Last year that is played. A game without a winner is a draw after it. */
  readonly until: number;
  /** True to draw a game also at a limit of LONG_GAME: 7 years without a captured centre, or 35 years. */
  readonly longGameDraw: boolean;
  /** True to accept impossible orders (AOA). */
  readonly anyOrders: boolean;
}

/** A game in progress, with the orders of its powers and the messages of all turns. */
export class DaideGame implements TurnPosition {
  readonly rep: Representation = this.options.rep;
  readonly game: TurnPosition['game'] = newGame(this.rep.map, this.options.rules);
  /** Phases that the engine has adjudicated, in order. */
  readonly phases: PlayedPhase[] = [];
  /** Year in which each power lost its last centre, indexed by power; 0 for a power that has centres. */
  readonly eliminated: number[] = this.rep.map.powerNames.map(() => 0);
  doomed: readonly Dislodged[] = [];
  turns = 0;
  private readonly watch = new EndingWatch(this.options, this.game, 0);
  private readonly history = new Map<string, PlayedTurn>();
  /** ORD messages of the last movement turn and of the turns after it. */
  private recent: Buffer[] = [];
  /** ORD messages of the turn that is being played, indexed by power. */
  private told: Buffer[][] = [];
  /**
   * `season` and `year` of the last movement turn, for a retreat turn in which no unit can retreat. The engine skips
   * such a turn, so that `game` is already in a later phase.
   */
  private season: number = this.game.season;
  private year: number = this.game.year;
  /** Orders of the current turn, indexed by power. */
  readonly books: readonly OrderBook[] = this.rep.map.powerNames.map(
    (_, power) => new OrderBook(this, power, this.options.anyOrders),
  );
  /** Frames of the latest SCO message (`ownership`) and NOW message (`position`). */
  ownership: Buffer = diplomacyFrame(scoMessage(this.rep, this.game));
  position: Buffer = diplomacyFrame(nowMessage(this, this.turn));

  constructor(private readonly options: DaideGameOptions) {}

  /** Kind of the current turn: MOVEMENT, RETREAT or ADJUSTMENT. */
  get kind(): number {
    return this.doomed.length > 0 ? Phase.RETREAT : this.game.phase;
  }
  /** Current turn as tokens, without brackets. */
  get turn(): number[] {
    const { game, doomed } = this;
    return doomed.length > 0 && game.phase !== Phase.RETREAT
      ? turnTokens(this.season, Phase.RETREAT, this.year)
      : turnTokens(game.season, game.phase, game.year);
  }
  get isOver(): boolean {
    return this.game.status !== Status.PLAYING;
  }
  /** Power that has won alone; -1 if there is none. */
  get winner(): Power {
    return this.game.status === Status.SOLO ? this.game.winner : -1;
  }
  /**
   * Frames of the results (ORD) since the last movement turn, inclusive. Null before the first turn has been played.
   */
  get recentFrame(): Buffer | null {
    return this.recent.length === 0 ? null : Buffer.concat(this.recent);
  }
  /**
   * Returns the messages of a turn, or null if it has not been played.
   * @param turn tokens of the turn, without brackets
   */
  played(turn: readonly number[]): PlayedTurn | null {
    return this.history.get(turn.join()) ?? null;
  }

  /** True if a power has centres or units, dislodged units included. */
  survives(power: Power): boolean {
    const { game } = this;
    for (let c = 0; c < game.map.centerCount; c++) if (game.owner(c) === power) return true;
    for (let p = 0; p < game.map.provinceCount; p++) if (unitPower(game.unitAt(p)) === power) return true;
    for (let i = 0; i < game.dislodgedCount; i++) if (unitPower(game.dislodged(i).unit) === power) return true;
    return this.doomed.some(({ unit }) => unitPower(unit) === power);
  }

  draw(): void {
    declareDraw(this.game);
  }

  /**
   * Adjudicates the turn with the orders in `books` and starts the next one. Units without orders hold or disband;
   * builds that are not ordered are waived. Returns the messages of the turn.
   */
  play(): PlayedTurn {
    const { game, kind, turn } = this;
    const season = this.doomed.length > 0 && game.phase !== Phase.RETREAT ? this.season : game.season;
    this.told = this.books.map(() => []);
    if (kind === Phase.MOVEMENT) this.playMovement(turn);
    else if (kind === Phase.RETREAT) this.playRetreats(turn);
    else this.playWinter(turn);
    this.turns++;
    const isFallOver =
      kind !== Phase.ADJUSTMENT && season === Season.FALL && (this.isOver || this.kind !== Phase.RETREAT);
    if (this.isOver) this.doomed = [];
    if (!this.isOver && this.doomed.length === 0 && this.watch.isOver(game)) this.draw();
    if (isFallOver) {
      this.ownership = diplomacyFrame(scoMessage(this.rep, game));
      this.countEliminated(this.year);
    }
    this.position = diplomacyFrame(nowMessage(this, this.turn));
    const { ownership, position } = this;
    const played = { orders: Buffer.concat(this.told.flat()), ownership, isCounted: isFallOver, position };
    this.history.set(turn.join(), played);
    if (kind === Phase.MOVEMENT) this.recent = [];
    this.recent.push(played.orders);
    for (const book of this.books) book.begin(this);
    return played;
  }

  private countEliminated(year: number): void {
    const { game, eliminated } = this;
    const centers = new Uint8Array(game.map.powerCount);
    game.countCenters(centers);
    centers.forEach((count, power) => {
      if (count === 0 && eliminated[power] === 0) eliminated[power] = year;
    });
  }

  private adjudicate(orders: readonly Order[]): Results {
    const results = makeResults();
    this.phases.push(playPhase(this.game, Int32Array.from(orders), results));
    return results;
  }

  private announceResult(turn: number[], power: Power, order: readonly number[], result: readonly number[]): void {
    this.told[power].push(diplomacyFrame(ordMessage(turn, order, result)));
  }

  private playMovement(turn: number[]): void {
    const { game, rep } = this;
    const { provinceCount } = game.map;
    this.season = game.season;
    this.year = game.year;
    const entries = new Map<Province, Entry>();
    for (const book of this.books) for (const entry of book.orders) entries.set(entry.province, entry);
    const orders = new Map<Province, Order>();
    for (const [province, { packed }] of entries) if (packed !== 0) orders.set(province, packed);
    const paths = new Map<Province, readonly Province[]>();
    for (const [province, order] of orders)
      if (isByConvoy(order)) {
        const path = entries.get(province)?.path ?? [];
        paths.set(province, path.length > 0 ? path : wayOf(game, order, orders));
      }
    const idle = holdToPaths(game, orders, paths);
    // ORD shows the original orders of the idle fleets, not the holds that replaced them. Orders of agents have no
    // tokens, so the packed orders are kept.
    const before = new Map([...idle].map((province) => [province, entries.get(province)?.packed ?? 0]));
    const results = this.adjudicate(this.byPower(orders));
    for (let p = 0; p < provinceCount; p++) {
      if (results.unit[p] === NO_UNIT) continue;
      const entry = entries.get(p);
      const result = movementResult(rep, results, p, entry?.note ?? Word.MBV, idle.has(p));
      const asked = before.get(p);
      if (asked !== undefined) results.order[p] = asked;
      const order = entry?.tokens ?? orderTokens(rep, results, p, paths.get(p));
      this.announceResult(turn, unitPower(results.unit[p]), order, result);
    }
    this.doomed = Array.from({ length: provinceCount }, (_, p) => p)
      .filter((p) => results.fate[p] === Fate.DESTROYED)
      .map((p) => ({
        province: p,
        unit: results.unit[p],
        location: orderLocation(results.order[p]),
        attacker: results.attacker[p],
      }));
  }

  /** Returns orders sorted by power and province, as in records. */
  private byPower(orders: ReadonlyMap<Province, Order>): Order[] {
    const { game } = this;
    const ordererAt = (province: Province): Power => unitPower(game.unitAt(province));
    return [...orders].sort(([a], [b]) => ordererAt(a) - ordererAt(b) || a - b).map(([, order]) => order);
  }

  private playRetreats(turn: number[]): void {
    const { game, rep, books } = this;
    for (const { unit, location, province } of this.doomed) {
      const power = unitPower(unit);
      const entry = books[power].orders.find((one) => one.province === province);
      const order = entry?.tokens ?? [...list(unitTokens(rep, unit, location)), Word.DSB];
      const isRefused = entry !== undefined && entry.note !== Word.MBV;
      this.announceResult(turn, power, order, [isRefused ? entry.note : Word.SUC]);
    }
    this.doomed = [];
    if (game.phase !== Phase.RETREAT) return;
    const orders = books.flatMap((book) => book.orders.map(({ packed }) => packed).filter((packed) => packed !== 0));
    const results = this.adjudicate(orders);
    for (let p = 0; p < game.map.provinceCount; p++) {
      if (results.unit[p] === NO_UNIT) continue;
      const power = unitPower(results.unit[p]);
      const entry = books[power].orders.find((one) => one.province === p);
      const bounces = orderType(results.order[p]) === OrderType.RETREAT_TO && results.result[p] !== Result.SUCCEEDS;
      const note = entry === undefined || entry.note === Word.MBV ? Word.SUC : entry.note;
      const order = entry?.tokens ?? orderTokens(rep, results, p);
      this.announceResult(turn, power, order, [bounces ? Word.BNC : note]);
    }
  }

  private playWinter(turn: number[]): void {
    const { game, rep, books } = this;
    const due = books.map((_, power) => rawBalance(game, power));
    // DAIDE clients also waive builds for which there is no room. The engine does not count those, and needs no waives.
    const orders = books.flatMap((book) => book.orders.map(({ packed }) => packed));
    const results = this.adjudicate(orders.filter((packed) => packed !== 0 && orderType(packed) !== OrderType.WAIVE));
    books.forEach((book, power) => {
      const add = (order: readonly number[], result = Word.SUC): void => {
        this.announceResult(turn, power, order, [result]);
        due[power] -= Math.sign(due[power]);
      };
      for (const { tokens, packed, note, province } of book.orders) {
        if (tokens !== null) add(tokens, note === Word.MBV ? Word.SUC : note);
        else if (orderType(packed) === OrderType.WAIVE) add(waiveTokens(rep, power));
        else if (due[power] > 0) add(buildTokens(rep, power, packed));
        else add(orderTokens(rep, results, province));
      }
      for (let p = 0; p < game.map.provinceCount; p++)
        if (results.civil[p] === 1 && unitPower(results.unit[p]) === power) add(orderTokens(rep, results, p));
      while (due[power] > 0) add(waiveTokens(rep, power));
    });
  }
}

/**
 * Returns the tokens of the summary of a game: SMR (turn) (power (name) (version) centres [year]) ... The year is that
 * of elimination, and absent for other powers.
 * @param players names and versions of the players, indexed by power
 */
export const summaryMessage = (
  { rep, game, turn, eliminated }: DaideGame,
  players: readonly { readonly name: string; readonly version: string }[],
): number[] => {
  const centers = new Uint8Array(rep.map.powerCount);
  game.countCenters(centers);
  const parts = players.map(({ name, version }, power) =>
    list(
      rep.powers[power],
      list(textTokens(name)),
      list(textTokens(version)),
      integerToken(centers[power]),
      centers[power] === 0 && eliminated[power] > 0 ? [integerToken(eliminated[power])] : [],
    ),
  );
  return [Word.SMR, ...list(turn), ...parts.flat()];
};
