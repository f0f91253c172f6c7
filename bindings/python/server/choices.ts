// Chooses actions for the client, by an agent or uniformly at random. Writes them to the array `chosen`, and plays
// nothing.
import {
  ADJUSTMENT,
  type Game,
  hashSeed,
  type Power,
  Random,
  type Vocabulary,
  vocabulary,
} from '../../../engine/internal.js';
import { withoutCoast } from '../../../engine/notation/text/vocabulary-text.js';
import { LepantoError } from '../../../engine/rules/error.js';
import * as O from '../../../engine/rules/order.js';
import type { Agent } from '../../../selfplay/question/agent.js';
import type { Lists } from '../../formats/arrays/legal-lists.js';
import type { AgentOrders } from './agent-orders.js';
import type { Games } from './games.js';

const NO_ORDER = -1;
/**
 * Values in place of an agent's number, for uniform random actions. BY_ROW: seeded by row. BY_EPISODE: seeded by the
 * episode's seed and the phase.
 */
export const [BY_ROW, BY_EPISODE] = [0, -1];

/** Writes chosen actions to the array `chosen`, for the slots that description.ts has listed for each game. */
export class Choices {
  private readonly words: Vocabulary = vocabulary(this.games.map);
  /** Vocabulary ids of the legal list that readList() read last. */
  private ids = new Int32Array(1 << 12);

  /**
   * Creates the chooser of one thread.
   * @param lists legal orders of one game; used only if the batch writes no lists to shared memory
   */
  constructor(
    private readonly games: Games,
    private readonly agents: AgentOrders,
    private readonly lists: Lists,
  ) {}

  /**
   * Writes an agent's actions for the powers in the array `wanted`, in games first .. end - 1. For BY_ROW and
   * BY_EPISODE writes uniform random actions for all powers instead. All other slots get "no order".
   * @param number number of the agent, or BY_ROW or BY_EPISODE
   * @param seed seed of the random choices, independent of the opponents' seeds; the same for all threads
   */
  choose(first: number, end: number, number: number, seed: number): void | Promise<void> {
    if (number > 0) return this.chooseBy(first, end, number, seed);
    const { episodeSeed, phases } = this.games.arrays;
    for (let row = first; row < end; row++) {
      this.clear(row);
      if (!this.games.isPlaying(row)) continue;
      const random =
        number === BY_ROW ? new Random(seed, row) : new Random(hashSeed(episodeSeed[row], seed), phases[row]);
      this.drawUniform(row, this.games.at(row), random);
    }
  }
  private async chooseBy(first: number, end: number, number: number, seed: number): Promise<void> {
    const { agents, games } = this;
    const { wanted } = games.arrays;
    const { powerCount } = games.map;
    const agent = await agents.load(number);
    const rows = Array.from({ length: end - first }, (_, i) => first + i);
    const askedOf = (row: number, q: Power): Agent | null =>
      games.isPlaying(row) && wanted[row * powerCount + q] !== 0 && this.due(row, q) > 0 ? agent : null;
    await agents.askAll(rows, askedOf, seed);
    for (const row of rows) {
      this.clear(row);
      for (let q = 0; q < powerCount; q++)
        if (askedOf(row, q) !== null) this.place(row, q, agent, agents.ordersOf(row, q));
    }
  }

  /** Writes "no order" to all slots of a game. */
  private clear(row: number): void {
    const { arrays, slots } = this.games;
    arrays.chosen.fill(NO_ORDER, row * slots, (row + 1) * slots);
  }

  /** Returns the number of orders that the client has to give for a power, as description.ts has counted it. */
  private due(row: number, power: Power): number {
    return this.games.arrays.orderCounts[row * this.games.map.powerCount + power];
  }

  /**
   * Reads the vocabulary ids of a slot's legal orders into `ids`, and returns their number. If the batch writes no
   * lists, lists.list() must have been called for the game.
   */
  private readList(row: number, power: Power, slot: number): number {
    const { games, lists, words } = this;
    const { legalIds, legalOffsets } = games.arrays;
    const isWritten = games.config.lists;
    const at = row * (games.slots + 1) + power * games.layout.maxOrders + slot;
    const first = isWritten ? legalOffsets[at] : lists.first(power, slot);
    const end = isWritten ? legalOffsets[at + 1] : lists.end(power, slot);
    if (this.ids.length < end - first) this.ids = new Int32Array(2 * (end - first));
    if (isWritten) for (let i = first; i < end; i++) this.ids[i - first] = legalIds[i];
    else words.indicesInto(lists.orders, first, end, this.ids, 0);
    return end - first;
  }

  /** Draws a uniform random action for each slot of a game. Adjustments are drawn without repeating a province. */
  private drawUniform(row: number, game: Game, random: Random): void {
    const { arrays, config, layout, map } = this.games;
    if (!config.lists) this.lists.list(game, arrays.builds, row * map.powerCount);
    for (let q = 0; q < map.powerCount; q++) {
      const due = this.due(row, q);
      const begin = (row * map.powerCount + q) * layout.maxOrders;
      if (game.phase === ADJUSTMENT && due > 0) this.drawAdjustments(row, q, due, begin, random);
      else for (let s = 0; s < due; s++) this.write(begin + s, random.below(this.readList(row, q, s)));
    }
  }

  /**
   * Writes an action for an order of the list that readList() read last.
   * @param at index in the array `chosen`
   * @param place index of the order in the list
   */
  private write(at: number, place: number): void {
    const { arrays, config } = this.games;
    arrays.chosen[at] = config.byVocabulary ? this.ids[place] : place;
  }

  private drawAdjustments(row: number, power: Power, due: number, begin: number, random: Random): void {
    const count = this.readList(row, power, 0);
    let left = Array.from(this.ids.subarray(0, count), (id, place) => ({ place, order: this.words.orders[id] }));
    for (let s = 0; s < due; s++) {
      const { place, order } = left[random.below(left.length)];
      this.write(begin + s, place);
      if (O.orderType(order) === O.WAIVE) continue;
      const province = this.provinceOf(order);
      left = left.filter((other) => O.orderType(other.order) === O.WAIVE || this.provinceOf(other.order) !== province);
    }
  }
  private provinceOf(order: O.Order): number {
    return this.games.map.locationProvince[O.orderLocation(order)];
  }

  /**
   * Writes the orders of an agent to the slots of a power in the array `chosen`.
   * @throws LepantoError for an order that is not in the legal list of its slot
   */
  private place(row: number, power: Power, agent: Agent, orders: Int32Array): void {
    const { arrays, config, layout, map } = this.games;
    const adjusts = this.games.at(row).phase === ADJUSTMENT;
    const due = this.due(row, power);
    const begin = (row * map.powerCount + power) * layout.maxOrders;
    const places = arrays.orderable.subarray(begin, begin + due);
    for (let i = 0; i < orders.length && i < due; i++) {
      const slot = adjusts ? i : places.indexOf(O.orderLocation(orders[i]));
      const id = this.words.indexOf(withoutCoast(map, orders[i]));
      const place = config.byVocabulary ? id : this.ids.subarray(0, this.readList(row, power, slot)).indexOf(id);
      if (place < 0)
        throw new LepantoError(
          'agent',
          `agent ${agent.name} for ${map.powerNames[power]} in game ${row}: got order ${orders[i]}, wanted one of the list`,
        );
      arrays.chosen[begin + slot] = place;
    }
  }
}
