// Holds what one power has ordered in a turn.
import {
  ADJUSTMENT,
  type Order,
  orderLocation,
  orderType,
  type Power,
  type Province,
  RETREAT,
  unitPower,
  WAIVE,
} from '../../../engine/internal.js';
import type { WrittenOrder } from './client-messages.js';
import { integerToken, list, Word } from './language.js';
import { dislodgedUnits, positionUnit } from './messages.js';
import { judgeOrder, type OrderedAdjustments, rawBalance, type TurnPosition } from './order-notes.js';

export interface Entry {
  /** As its client wrote it; null for one of an agent of Lepanto. */
  readonly tokens: readonly number[] | null;
  readonly packed: Order;
  /** MBV, or why it will not be obeyed: orders of that kind are accepted where any orders are. */
  readonly note: number;
  /** -1 for a waive. */
  readonly province: Province;
  readonly path: readonly Province[];
}

export class OrderBook implements OrderedAdjustments {
  /** In the order in which they came; of several for a unit only the last. */
  private entries: Entry[] = [];
  /** Builds (> 0) or removals (< 0) due in this turn. */
  private due = 0;

  /** @param anyOrders accept orders that are not possible */
  constructor(
    private position: TurnPosition,
    private readonly power: Power,
    private readonly anyOrders: boolean,
  ) {
    this.begin(position);
  }

  begin(position: TurnPosition): void {
    this.position = position;
    this.entries = [];
    this.due = position.kind === ADJUSTMENT ? rawBalance(position.game, this.power) : 0;
  }

  get orders(): readonly Entry[] {
    return this.entries;
  }
  get left(): number {
    return this.due > 0 ? Math.max(0, this.due - this.entries.length) : Math.min(0, this.due + this.entries.length);
  }
  isOrdered(province: Province): boolean {
    return this.entries.some((entry) => entry.province === province);
  }

  /** Provinces of the units that have to be ordered in a turn of moves or retreats. */
  private units(): Province[] {
    const { game, kind } = this.position;
    const isOwn = (unit: number): boolean => unitPower(unit) === this.power;
    if (kind === RETREAT)
      return dislodgedUnits(this.position)
        .filter(({ unit }) => isOwn(unit))
        .map(({ province }) => province);
    return Array.from({ length: game.map.provinceCount }, (_, p) => p).filter((p) => isOwn(game.unitAt(p)));
  }

  /** True if the turn wants orders of this power. */
  get hasDue(): boolean {
    return this.position.kind === ADJUSTMENT ? this.due !== 0 : this.units().length > 0;
  }
  /** True if it wants more than there are. */
  get isDue(): boolean {
    return this.missing().length > 1;
  }

  /** MIS with what has not been ordered yet; nothing behind it if all is. */
  missing(): number[] {
    const { kind } = this.position;
    if (kind === ADJUSTMENT) return this.left === 0 ? [Word.MIS] : [Word.MIS, ...list(integerToken(-this.left))];
    const open = this.units().filter((province) => !this.isOrdered(province));
    return [Word.MIS, ...open.flatMap((province) => positionUnit(this.position, province, kind === RETREAT))];
  }

  private add(entry: Entry): void {
    if (entry.province >= 0) this.entries = this.entries.filter(({ province }) => province !== entry.province);
    this.entries.push(entry);
  }

  /** Takes an order of a client; returns the note for it. */
  submit(order: WrittenOrder): number {
    const { note, isOwn, packed, province, path } = judgeOrder(this.position, this.power, order, this);
    if (note !== Word.MBV && !(this.anyOrders && isOwn)) return note;
    const illegalBuild = note !== Word.MBV && this.position.kind === ADJUSTMENT;
    this.add({ tokens: order.tokens, packed, note, province: illegalBuild ? -1 : province, path });
    return Word.MBV;
  }

  /** Takes back an order as it was written, or all; false if there is none such. */
  cancel(order: WrittenOrder | null): boolean {
    if (order === null) {
      this.entries = [];
      return true;
    }
    const text = order.tokens.join();
    const at = this.entries.findIndex(({ tokens }) => tokens?.join() === text);
    if (at < 0) return false;
    this.entries.splice(at, 1);
    return true;
  }

  /** Takes the legal orders of an agent of Lepanto. What it leaves out stays at its default. */
  choose(orders: Int32Array): void {
    const { locationProvince } = this.position.game.map;
    for (const packed of orders) {
      const province = orderType(packed) === WAIVE ? -1 : locationProvince[orderLocation(packed)];
      this.add({ tokens: null, packed, note: Word.MBV, province, path: [] });
    }
  }
}
