// Encodes the positions of games as rows of arrays in memory. Runs in a worker.

import { fateIn, resultIn } from '../../../engine/adjudicate/order-results.js';
import {
  ADJUSTMENT,
  adjustmentDue,
  adjustmentsDue,
  type CompiledMap,
  Game,
  MOVEMENT,
  ordererOf,
  type Rules,
  SUCCEEDS,
  vocabulary,
} from '../../../engine/internal.js';
import { withoutCoast } from '../../../engine/notation/text/vocabulary-text.js';
import * as O from '../../../engine/rules/order.js';
import { loadState, type PhaseRecord } from '../../../selfplay/games/game-record.js';
import { Lists, NO_SLOT } from '../arrays/legal-lists.js';
import { makeTensors, type Tensors } from '../arrays/observations.js';
import { SharedArrays } from '../arrays/shared-arrays.js';
import { DipccEncoder } from '../tensors/dipcc.js';
import type { ReadGame } from './replay-games.js';
import {
  type ColumnArrays,
  columnArrays,
  DIPCC_VERSION,
  GAME_OVER,
  layOutRows,
  ROWS_AT_ONCE,
  type RowLayout,
} from './row-layout.js';
import type { TensorConfig } from './tensor-config.js';

/** Methods of an encoder of observations that a folder of tensors needs. */
type View = Pick<Tensors, 'clear' | 'beforePhase' | 'write'>;

/** Writes dipcc's boards. Has the methods of Tensors, which writes all other observations. */
class DipccTensors implements View {
  private readonly encoder = new DipccEncoder(this.map, DIPCC_VERSION);
  private readonly boards = this.memory.float32('observation');

  constructor(
    private readonly map: CompiledMap,
    private readonly memory: SharedArrays,
  ) {}

  clear(): void {}
  beforePhase(): void {}
  write(row: number, game: Game, builds: Int8Array): void {
    const { rows, columns } = this.encoder;
    const { powerCount } = game.map;
    const due = builds.subarray(row * powerCount, (row + 1) * powerCount);
    this.encoder.encode(game, this.boards, row * rows * columns, due);
  }
}

type PhaseTargets = NonNullable<PhaseRecord['targets']>[number];

const waiveBit = (order: O.Order): number => (O.orderType(order) === O.WAIVE ? 1 : 0);

/** Encodes positions of games on one map. */
export class RowEncoder {
  readonly layout: RowLayout = layOutRows(this.map, this.config);
  readonly memory: SharedArrays = new SharedArrays(this.layout, -1, new SharedArrayBuffer(this.layout.size));
  /** Game objects, one per rules, into which the position of a row is loaded. */
  private readonly present: Map<Rules, Game> = new Map();
  /** Game objects, one per rules, into which earlier positions are loaded. */
  private readonly past: Map<Rules, Game> = new Map();
  private readonly words = vocabulary(this.map);
  private readonly lists = new Lists(this.map);
  private readonly tensors: View | null =
    this.config.observations === 'dipcc'
      ? new DipccTensors(this.map, this.memory)
      : makeTensors(this.map, this.memory, this.config.observations);
  private readonly centers = new Int32Array(this.map.powerCount);
  /**
   * Index + 1, in the orders of the phase, of the order for the unit of each province, indexed by province; 0 for none.
   */
  private readonly orderIn = new Int32Array(this.map.provinceCount);
  private readonly arrays: ColumnArrays = columnArrays(this.memory);
  private readonly legalIds = this.memory.int32('legal_ids');
  private readonly policy = this.memory.float32('policy');
  private readonly lastActions = this.memory.has('last_actions') ? this.memory.int32('last_actions') : null;

  constructor(
    private readonly map: CompiledMap,
    private readonly config: Pick<TensorConfig, 'observations'>,
  ) {}

  private load({ rules, phases }: ReadGame, phase: number, into: Map<Rules, Game>): Game {
    const game = into.get(rules) ?? new Game(this.map, rules);
    into.set(rules, game);
    loadState(game, phases[phase].state);
    return game;
  }

  /**
   * Writes positions `first` to `end` (exclusive) of a game to rows 0, 1 and so on. The position after the end of the
   * game has no orders.
   * @param number index of the game in its part
   * @param listed number of legal orders in the part before these positions
   * @returns number of legal orders written
   */
  write(read: ReadGame, number: number, first: number, end: number, listed: number): number {
    let next = 0;
    for (let phase = first; phase < end; phase++) {
      const row = phase - first;
      const game = this.load(read, phase, this.present);
      const isOver = phase === read.phases.length - 1;
      this.arrays.game[row] = number;
      this.arrays.phase_index[row] = phase;
      this.arrays.legal[row] = listed + next;
      this.arrays.year[row] = game.year;
      this.arrays.season[row] = game.season;
      this.arrays.phase[row] = isOver ? GAME_OVER : game.phase;
      this.describePowers(row, game, read.phases[phase]);
      if (isOver) this.writeNoOrders(row);
      else next = this.writeOrders(row, read.phases[phase], game, next);
      this.writeView(row, read, phase, game);
    }
    return next;
  }

  private describePowers(row: number, game: Game, { targets = [] }: PhaseRecord): void {
    const { arrays, map } = this;
    const at = row * map.powerCount;
    if (game.phase === ADJUSTMENT) adjustmentsDue(game, arrays.build_numbers, at);
    else arrays.build_numbers.fill(0, at, at + map.powerCount);
    game.countCenters(this.centers);
    for (let q = 0; q < map.powerCount; q++) {
      const found = targets.find(({ power }) => power === q);
      arrays.center_counts[at + q] = this.centers[q];
      arrays.values[at + q] = found?.value ?? Number.NaN;
      arrays.targeted[at + q] = found === undefined ? 0 : 1;
    }
  }

  // ---- orders ----

  private writeNoOrders(row: number): void {
    const { arrays, layout, map } = this;
    const slots = map.powerCount * layout.maxOrders;
    for (const array of [arrays.orderable, arrays.order_ids, arrays.actions, arrays.results, arrays.fates])
      array.fill(-1, row * slots, (row + 1) * slots);
    arrays.list_sizes.fill(0, row * slots, (row + 1) * slots);
    arrays.order_counts.fill(0, row * map.powerCount, (row + 1) * map.powerCount);
  }

  private writeOrders(row: number, record: PhaseRecord, game: Game, begin: number): number {
    const { lists, arrays, map } = this;
    const { maxOrders, mostIds } = this.layout;
    const { orders, results, targets = [] } = record;
    lists.list(game, arrays.build_numbers, row * map.powerCount);
    this.placeOrders(orders);
    let next = begin;
    let slot = row * map.powerCount * maxOrders;
    for (let q = 0; q < map.powerCount; q++) {
      const due = lists.due(q);
      arrays.order_counts[row * map.powerCount + q] = due;
      const adjustments = game.phase === ADJUSTMENT ? this.adjustmentsOf(game, q, orders) : [];
      const weighed = targets.find(({ power }) => power === q);
      for (let s = 0; s < maxOrders; s++, slot++) {
        const from = next;
        const location = s < due ? lists.locationOf(q, s) : NO_SLOT;
        let i = -1;
        if (s < due) {
          i = location < 0 ? (adjustments[s] ?? -1) : this.orderIn[map.locationProvince[location]] - 1;
          next = lists.writeIds(lists.first(q, s), lists.end(q, s), this.legalIds, next, mostIds);
        }
        arrays.list_sizes[slot] = next - from;
        // A build without an order is waived, with or without a waive in the record.
        const isWaived = i < 0 && s < due && arrays.build_numbers[row * map.powerCount + q] > 0;
        if (isWaived) this.writeOrder(slot, location, O.waive(q), SUCCEEDS, from, next);
        else this.writeOrder(slot, location, i < 0 ? null : orders[i], i < 0 ? 0 : results[i], from, next);
        if (s < due) this.writePolicy(weighed, (set) => this.orderOf(game, q, s, location, set), from, next);
      }
    }
    return next;
  }

  /**
   * Returns the indices of a power's adjustment orders, ascending by order, waives last. Equal builds thus give equal
   * rows.
   */
  private adjustmentsOf(game: Game, power: number, orders: Int32Array): number[] {
    const found: number[] = [];
    for (let i = 0; i < orders.length; i++) if (ordererOf(game, orders[i]) === power) found.push(i);
    return found.sort((a, b) => waiveBit(orders[a]) - waiveBit(orders[b]) || orders[a] - orders[b]);
  }

  private placeOrders(orders: Int32Array): void {
    const { orderIn, map } = this;
    orderIn.fill(0);
    for (let i = 0; i < orders.length; i++) orderIn[map.locationProvince[O.orderLocation(orders[i])]] = i + 1;
  }

  /**
   * Writes the order of a slot, with its result, and its index among the slot's legal orders.
   * @param slot index in the arrays, row * powers * maxOrders + power * maxOrders + number of the slot
   * @param location location of the slot's unit, or ADJUSTMENT_SLOT
   * @param order the order; null for none
   * @param outcome result and fate of the order, as in a record
   * @param from index of the slot's first legal order in legal_ids
   * @param end index after the slot's last legal order
   */
  private writeOrder(
    slot: number,
    location: number,
    order: O.Order | null,
    outcome: number,
    from: number,
    end: number,
  ): void {
    const { arrays } = this;
    const id = order === null ? -1 : this.words.indexOf(withoutCoast(this.map, order));
    arrays.orderable[slot] = location;
    arrays.order_ids[slot] = id;
    arrays.results[slot] = order === null ? -1 : resultIn(outcome);
    arrays.fates[slot] = order === null ? -1 : fateIn(outcome);
    arrays.actions[slot] = -1;
    for (let k = from; k < end && order !== null && arrays.actions[slot] < 0; k++)
      if (this.legalIds[k] === id) arrays.actions[slot] = k - from;
  }

  // ---- what agents weighed ----

  /**
   * Writes a target for each legal order of a slot: its probability over the order sets that the agent compared. All
   * zeros for a power without targets.
   * @param weighed order sets that the agent compared; undefined for a power without targets
   * @param orderIn returns the order of an order set for the slot, or null if the set has none
   * @param from index of the slot's first legal order in legal_ids
   * @param end index after the slot's last legal order
   */
  private writePolicy(
    weighed: PhaseTargets | undefined,
    orderIn: (orders: Int32Array) => O.Order | null,
    from: number,
    end: number,
  ): void {
    this.policy.fill(0, from, end);
    const ids = this.legalIds.subarray(from, end);
    for (const { probability, orders } of weighed?.candidates ?? []) {
      const order = orderIn(orders);
      if (order === null) continue;
      const place = ids.indexOf(this.words.indexOf(withoutCoast(this.map, order)));
      if (place >= 0) this.policy[from + place] += probability;
    }
  }

  /**
   * Returns the order of an order set for one slot of a power: a waive for a build that the set lacks, null for any
   * other missing order.
   */
  private orderOf(game: Game, power: number, slot: number, location: number, orders: Int32Array): O.Order | null {
    const { locationProvince } = this.map;
    if (location < 0) {
      const found = this.adjustmentsOf(game, power, orders);
      if (slot < found.length) return orders[found[slot]];
      return adjustmentDue(game, power) > 0 ? O.waive(power) : null;
    }
    const province = locationProvince[location];
    return orders.find((order) => locationProvince[O.orderLocation(order)] === province) ?? null;
  }

  // ---- observations ----

  private writeView(row: number, read: ReadGame, phase: number, game: Game): void {
    const { tensors } = this;
    if (tensors === null) return;
    tensors.clear(row);
    // beforePhase() may write fewer entries than there were in an earlier row, so the rest is cleared.
    if (this.lastActions !== null) {
      const size = this.lastActions.length / ROWS_AT_ONCE;
      this.lastActions.fill(0, row * size, (row + 1) * size);
    }
    for (const past of this.pastOf(read, phase))
      tensors.beforePhase(row, this.load(read, past, this.past), read.phases[past].orders);
    tensors.write(row, game, this.arrays.build_numbers);
  }

  /**
   * Returns the indices, ascending, of the phases whose orders the observation of a phase may show: the last movement
   * phase, the last adjustment phase, and the last phase before it.
   */
  private pastOf(read: ReadGame, phase: number): number[] {
    const wanted = new Set([MOVEMENT, ADJUSTMENT]);
    const found: number[] = [];
    for (let past = phase - 1; past >= 0 && wanted.size > 0; past--) {
      const kind = this.load(read, past, this.past).phase;
      if (past === phase - 1 || wanted.has(kind)) found.push(past);
      wanted.delete(kind);
    }
    return found.reverse();
  }
}
