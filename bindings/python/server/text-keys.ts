// Numbers that tell the texts of legal orders apart: a client that has read a text once needs not ask for it again.
import { type CompiledMap, type Game, unitType, type Vocabulary, vocabulary } from '../../../engine/internal.js';
import { orderedUnits } from '../../../engine/notation/text/index.js';
import * as O from '../../../engine/rules/order.js';

/**
 * The orders of the vocabulary say of a unit neither letter nor coast. A key is id + V * (8 * letter + kind), for V orders:
 * the letter of the unit, 0 army, 1 fleet; the kind of the helped one, the same, or 2 and up by the coast where it stands.
 */
export class TextKeys {
  private readonly words: Vocabulary = vocabulary(this.map);
  /** By id: province of the unit and of the helped one, or one behind all of them. */
  private readonly own = Int16Array.from(this.words.orders, (order) =>
    O.orderType(order) === O.WAIVE ? this.map.provinceCount : this.map.locationProvince[O.orderLocation(order)],
  );
  private readonly helped = Int16Array.from(this.words.orders, (order) =>
    O.isHelp(order) ? O.orderHelped(order) : this.map.provinceCount,
  );
  /** By province: what its unit adds to the key of an order of its own, and of one that helps it. */
  private readonly ofOwn = new Int32Array(this.map.provinceCount + 1);
  private readonly ofHelped = new Int32Array(this.map.provinceCount + 1);

  constructor(private readonly map: CompiledMap) {}

  /** Writes the keys of ids[first .. end), legal orders of a game, to the same places of `out`. */
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
