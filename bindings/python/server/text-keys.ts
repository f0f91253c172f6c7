// Computes numbers (keys) for the texts of legal orders, with which clients cache the texts. Orders with the same key
// have the same text.
import { type CompiledMap, type Game, unitType, type Vocabulary, vocabulary } from '../../../engine/internal.js';
import { orderedUnits } from '../../../engine/notation/text/index.js';
import * as O from '../../../engine/rules/order.js';

/**
 * Writes the keys of legal orders. Orders of the vocabulary lack the type and coast of units, which their texts have. A key
 * is id + V * (8 * type + kind), for a vocabulary of V orders. type: 0 army, 1 fleet. kind, of the helped unit: 0 army,
 * 1 fleet, or 2 and up for the coast of a fleet.
 */
export class TextKeys {
  private readonly words: Vocabulary = vocabulary(this.map);
  /**
   * `own`, `helped`: province of the ordered unit and of the supported or convoyed unit, indexed by vocabulary id;
   * provinceCount for none.
   */
  private readonly own = Int16Array.from(this.words.orders, (order) =>
    O.orderType(order) === O.WAIVE ? this.map.provinceCount : this.map.locationProvince[O.orderLocation(order)],
  );
  private readonly helped = Int16Array.from(this.words.orders, (order) =>
    O.isHelp(order) ? O.orderHelped(order) : this.map.provinceCount,
  );
  /**
   * `ofOwn`, `ofHelped`: parts of a key, indexed by province: for the unit that is ordered, and for the unit that is
   * supported or convoyed.
   */
  private readonly ofOwn = new Int32Array(this.map.provinceCount + 1);
  private readonly ofHelped = new Int32Array(this.map.provinceCount + 1);

  constructor(private readonly map: CompiledMap) {}

  /**
   * Writes the keys of a game's legal orders to `out`. The key of ids[i] has the index i.
   * @param ids vocabulary ids
   * @param first index of the first order
   * @param end index after the last order
   */
  write(game: Game, ids: Int32Array, first: number, end: number, out: Int32Array): void {
    const { own, helped, ofOwn, ofHelped, words } = this;
    const { firstCoast, provinceCount } = this.map;
    const units = orderedUnits(game);
    for (let p = 0; p < provinceCount; p++) {
      const type = unitType(units.unitAt(p));
      const at = units.unitLocation(p);
      ofOwn[p] = 8 * words.size * type;
      ofHelped[p] = words.size * (at < provinceCount ? type : 2 + at - firstCoast[p]);
    }
    for (let i = first; i < end; i++) {
      const id = ids[i];
      out[i] = id + ofOwn[own[id]] + ofHelped[helped[id]];
    }
  }
}
