// Actions that the server chooses for the client: those of an agent, or uniform ones. They are written, not played.
import {
  ADJUSTMENT,
  type CompiledMap,
  type Game,
  type Order,
  orderLocation,
  orderType,
  type Power,
  type Random,
  type Vocabulary,
  vocabulary,
  WAIVE,
} from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';
import type { Agent } from '../../../selfplay/agents/agent.js';
import { withoutCoast } from '../../notation/text/vocabulary-text.js';
import type { Lists } from '../shared/legal-lists.js';
import type { Memory } from './memory.js';

const NO_ORDER = -1;

export interface ChoiceOptions {
  readonly byVocabulary: boolean;
  /** Legal lists are written. */
  readonly lists: boolean;
}

/** Writes `chosen` for the slots that a game's description shows. */
export class Choices {
  declare private readonly map: CompiledMap;
  declare private readonly options: ChoiceOptions;
  declare private readonly words: Vocabulary;
  declare private readonly lists: Lists;
  declare private readonly maxOrders: number;
  declare private readonly chosen: Int32Array;
  declare private readonly orderCounts: Uint8Array;
  declare private readonly orderable: Int16Array;
  declare private readonly legalOffsets: Int32Array;
  declare private readonly legalIds: Int32Array;
  declare private readonly builds: Int8Array;
  /** Vocabulary ids of one list, and those of an adjustment phase that are left. */
  declare private ids: Int32Array;

  constructor(map: CompiledMap, memory: Memory, lists: Lists, options: ChoiceOptions) {
    this.map = map;
    this.options = options;
    this.words = vocabulary(map);
    this.lists = lists;
    this.maxOrders = memory.layout.maxOrders;
    this.chosen = memory.int32('chosen');
    this.orderCounts = memory.bytes('order_counts');
    this.orderable = memory.int16('orderable');
    this.legalOffsets = memory.int32('legal_offsets');
    this.legalIds = memory.int32('legal_ids');
    this.builds = memory.int8('build_numbers');
    this.ids = new Int32Array(1 << 12);
  }

  /** No action for any slot of a game. */
  clear(row: number): void {
    const size = this.map.powerCount * this.maxOrders;
    this.chosen.fill(NO_ORDER, row * size, (row + 1) * size);
  }

  /** Orders that a power has due, as described. */
  due(row: number, power: Power): number {
    return this.orderCounts[row * this.map.powerCount + power];
  }

  /** Reads the legal list of a slot into `ids`; returns its length. Where none is written, lists.list() has been called. */
  private readList(row: number, power: Power, slot: number): number {
    const { legalIds, legalOffsets, lists, options, words } = this;
    const perGame = this.map.powerCount * this.maxOrders;
    const at = row * (perGame + 1) + power * this.maxOrders + slot;
    const first = options.lists ? legalOffsets[at] : lists.first(power, slot);
    const end = options.lists ? legalOffsets[at + 1] : lists.end(power, slot);
    if (this.ids.length < end - first) this.ids = new Int32Array(2 * (end - first));
    if (options.lists) for (let i = first; i < end; i++) this.ids[i - first] = legalIds[i];
    else words.indicesInto(lists.orders, first, end, this.ids, 0);
    return end - first;
  }

  /** Draws an action for every slot of a game, all alike likely; of adjustments one of those that are left. */
  drawUniform(row: number, game: Game, random: Random): void {
    if (!this.options.lists) this.lists.list(game, this.builds, row * this.map.powerCount);
    for (let q = 0; q < this.map.powerCount; q++) {
      const due = this.due(row, q);
      const begin = (row * this.map.powerCount + q) * this.maxOrders;
      if (game.phase === ADJUSTMENT && due > 0) this.drawAdjustments(row, q, due, begin, random);
      else
        for (let s = 0; s < due; s++) {
          const place = random.below(this.readList(row, q, s));
          this.chosen[begin + s] = this.options.byVocabulary ? this.ids[place] : place;
        }
    }
  }

  private drawAdjustments(row: number, power: Power, due: number, begin: number, random: Random): void {
    const count = this.readList(row, power, 0);
    let left = Array.from(this.ids.subarray(0, count), (id, place) => ({ place, order: this.words.orders[id] }));
    for (let s = 0; s < due; s++) {
      const { place, order } = left[random.below(left.length)];
      this.chosen[begin + s] = this.options.byVocabulary ? this.ids[place] : place;
      if (orderType(order) === WAIVE) continue;
      const province = this.provinceOf(order);
      left = left.filter((other) => orderType(other.order) === WAIVE || this.provinceOf(other.order) !== province);
    }
  }
  private provinceOf(order: Order): number {
    return this.map.locationProvince[orderLocation(order)];
  }

  /**
   * Writes the orders of an agent to the slots of its power.
   * @throws LepantoError for an order that the list of its slot does not have
   */
  place(row: number, game: Game, power: Power, agent: Agent, orders: Int32Array): void {
    const due = this.due(row, power);
    const begin = (row * this.map.powerCount + power) * this.maxOrders;
    const places = this.orderable.subarray(begin, begin + due);
    for (let i = 0; i < orders.length && i < due; i++) {
      const slot = game.phase === ADJUSTMENT ? i : places.indexOf(orderLocation(orders[i]));
      const id = this.words.indexOf(withoutCoast(this.map, orders[i]));
      const place = this.options.byVocabulary ? id : this.ids.subarray(0, this.readList(row, power, slot)).indexOf(id);
      if (place < 0)
        throw new LepantoError(
          'agent',
          `agent ${agent.name} for ${this.map.powerNames[power]} in game ${row}: got order ${orders[i]}, wanted one of the list`,
        );
      this.chosen[begin + slot] = place;
    }
  }
}
