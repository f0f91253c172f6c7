// Writes the results of the last phase's orders, by power and unit, for clients that ask for them.
import {
  type CompiledMap,
  type Game,
  NO_UNIT,
  orderLocation,
  type Results,
  unitPower,
  type Vocabulary,
  vocabulary,
} from '../../../engine/internal.js';
import { withoutCoast } from '../../../engine/notation/text/vocabulary-text.js';
import type { Memory } from './memory.js';

/** Value of an unused slot in all `last_` arrays, and of last_phase if there is no last phase. */
const NOTHING = -1;

/**
 * Writes the arrays `last_...` of each game. A power's entries are its units with an order, in ascending order of
 * province.
 */
export class LastOrders {
  private readonly words: Vocabulary = vocabulary(this.map);
  private readonly maxOrders: number = this.memory.layout.maxOrders;
  private readonly phase = this.memory.int8('last_phase');
  private readonly orders = this.memory.int32('last_orders');
  private readonly locations = this.memory.int16('last_locations');
  private readonly results = this.memory.int8('last_results');
  private readonly fates = this.memory.int8('last_fates');
  /** Index in the arrays of the next free entry, indexed by power. */
  private readonly next = new Int32Array(this.map.powerCount);

  constructor(
    private readonly map: CompiledMap,
    private readonly memory: Memory,
  ) {}

  /** Clears the results of a game, for a position without a known last phase. */
  clear(row: number): void {
    const { map, maxOrders } = this;
    const begin = row * map.powerCount * maxOrders;
    const end = begin + map.powerCount * maxOrders;
    this.phase[row] = NOTHING;
    for (const array of [this.orders, this.locations, this.results, this.fates]) array.fill(NOTHING, begin, end);
  }

  /** Overwrites the results of a game with those of the phase just played. @param phase kind of the played phase */
  write(row: number, phase: Game['phase'], results: Results): void {
    const { map, next, maxOrders } = this;
    this.clear(row);
    this.phase[row] = phase;
    for (let q = 0; q < map.powerCount; q++) next[q] = (row * map.powerCount + q) * maxOrders;
    for (let p = 0; p < map.provinceCount; p++) {
      if (results.unit[p] === NO_UNIT) continue;
      const at = next[unitPower(results.unit[p])]++;
      this.orders[at] = this.words.indexOf(withoutCoast(map, results.order[p]));
      this.locations[at] = orderLocation(results.order[p]);
      this.results[at] = results.result[p];
      this.fates[at] = results.fate[p];
    }
  }
}
