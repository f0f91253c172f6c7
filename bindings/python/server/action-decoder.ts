// Decodes a client's actions as orders. If any action is illegal, no game changes.
import { ADJUSTMENT, isLegal, ordererOf, PLAYING, type Vocabulary, vocabulary } from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';
import * as O from '../../../engine/rules/order.js';
import type { Games } from './games.js';

const NO_ORDER = -1;

/** Error for an illegal action or an invalid position. `game` is the row of the game with the error. */
export class ActionError extends LepantoError {
  override readonly name = 'ActionError';
  constructor(
    readonly game: number,
    message: string,
  ) {
    super('action', message);
  }
}

/** Slot of a power in a game, with the client's action for it. A slot is a place for one order. */
interface Slot {
  readonly row: number;
  readonly power: number;
  readonly slot: number;
  readonly action: number;
}

export class ActionDecoder {
  private readonly words: Vocabulary = vocabulary(this.games.map);
  private readonly all: number = (this.games.layout.games + this.games.layout.children) * this.games.slots;
  /** Decoded orders. Those of the game in row r begin at index r * games.slots. Shared by all threads. */
  private readonly given = this.games.shared.given.subarray(0, this.all);
  /** Number of decoded orders of each game, indexed by row. */
  private readonly counts = this.games.shared.given.subarray(this.all);

  constructor(private readonly games: Games) {}

  /** Returns the orders that decode() made from the actions of a game. Empty if decode() skipped the game. */
  ordersOf(row: number): Int32Array {
    const begin = row * this.games.slots;
    return this.given.subarray(begin, begin + this.counts[row]);
  }

  /**
   * Decodes the actions of games first .. end - 1 to orders, which ordersOf() returns. Games that are over have no
   * orders.
   * @param masked true to decode only games with a set `mask`; the others get no orders
   * @throws ActionError for the first illegal action
   */
  decode(first: number, end: number, masked: boolean): void {
    const { mask } = this.games.arrays;
    for (let row = first; row < end; row++) {
      const isRead = this.games.at(row).status === PLAYING && !(masked && mask[row] === 0);
      this.counts[row] = isRead ? this.decodeGame(row) : 0;
    }
  }

  private decodeGame(row: number): number {
    const { games, given } = this;
    const { actions, orderCounts } = games.arrays;
    const { powerCount } = games.map;
    const { maxOrders } = games.layout;
    const begin = row * games.slots;
    const adjusts = games.at(row).phase === ADJUSTMENT;
    let n = begin;
    for (let q = 0; q < powerCount; q++) {
      const due = orderCounts[row * powerCount + q];
      const firstOfPower = n;
      for (let s = 0; s < due; s++) {
        const action = actions[begin + q * maxOrders + s];
        if (action === NO_ORDER) continue;
        given[n] = this.orderOf(row, q, s, action);
        if (adjusts) this.refuseRepeat({ row, power: q, slot: s, action }, firstOfPower, n);
        n++;
      }
    }
    return n - begin;
  }

  private orderOf(row: number, power: number, slot: number, action: number): O.Order {
    const { games, words } = this;
    const { legalIds, legalOffsets } = games.arrays;
    const { byVocabulary, lists } = games.config;
    // The array legalOffsets has slots + 1 entries for each game.
    const list = row * (games.slots + 1) + power * games.layout.maxOrders + slot;
    const begin = legalOffsets[list];
    const end = legalOffsets[list + 1];
    if (!byVocabulary) {
      if (action < 0 || action >= end - begin)
        this.refuse({ row, power, slot, action }, `0 to ${end - begin - 1}, or -1 for no order`);
      return words.orders[legalIds[begin + action]];
    }
    if (action < 0 || action >= words.orders.length)
      this.refuse(
        { row, power, slot, action },
        `a vocabulary id from 0 to ${words.orders.length - 1}, or -1 for no order`,
      );
    const order = words.orders[action];
    const isListed = lists ? this.isListed(action, begin, end) : this.isOwn(row, power, slot, order);
    if (!isListed) this.refuse({ row, power, slot, action }, 'one that is legal now');
    return order;
  }
  private isListed(id: number, begin: number, end: number): boolean {
    const { legalIds } = this.games.arrays;
    for (let i = begin; i < end; i++) if (legalIds[i] === id) return true;
    return false;
  }
  private isOwn(row: number, power: number, slot: number, order: O.Order): boolean {
    const game = this.games.at(row);
    if (!isLegal(game, order)) return false;
    const location = this.locationOf(row, power, slot);
    return location >= 0 ? O.orderLocation(order) === location : ordererOf(game, order) === power;
  }

  /** Returns the location index of a slot's unit. Negative for an adjustment. */
  private locationOf(row: number, power: number, slot: number): number {
    const { arrays, layout, slots } = this.games;
    return arrays.orderable[row * slots + power * layout.maxOrders + slot];
  }

  /**
   * Refuses a second build in the same centre, or a second removal of the same unit.
   * @param at slot and action of the checked order, for the error
   * @param begin index in `given` of the power's first order
   * @param last index in `given` of the checked order
   * @throws ActionError for a repeated province
   */
  private refuseRepeat(at: Slot, begin: number, last: number): void {
    const { given } = this;
    const { map } = this.games;
    if (O.orderType(given[last]) === O.WAIVE) return;
    const province = map.locationProvince[O.orderLocation(given[last])];
    for (let i = begin; i < last; i++)
      if (O.orderType(given[i]) !== O.WAIVE && map.locationProvince[O.orderLocation(given[i])] === province)
        this.refuse(at, `an order elsewhere than in ${map.provinceTags[province]}, which has one`);
  }

  private refuse({ row, power, slot, action }: Slot, wanted: string): never {
    const { locationTags, powerNames } = this.games.map;
    const location = this.locationOf(row, power, slot);
    const unit = location >= 0 ? `unit at ${locationTags[location]}` : `adjustment ${slot}`;
    throw new ActionError(row, `game ${row}, ${powerNames[power]}, ${unit}: got action ${action}, wanted ${wanted}`);
  }
}
