// Lists all legal orders of a position given as JSON. `lepanto legal` calls it for each input record.
import {
  type CompiledMap,
  DATC_3_2,
  listAdjustmentsDue,
  listInRoom,
  ordererOf,
  orderRoom,
  phaseName,
  type Rules,
  standard,
} from '../../internal.js';
import * as O from '../../rules/order.js';
import * as T from '../../rules/types.js';
import { formatOrder, formatUnit, orderedUnits, type Position } from '../text/index.js';
import { type RecordId, readId } from './adjudicate-record.js';
import { mapOf } from './map-of-record.js';
import { type ByPower, parsePosition } from './position.js';

/** Output of `lepanto legal`: the legal orders of every unit, or of every centre in an adjustment phase. */
export interface LegalRecord {
  /** The id of the input record, unchanged. Null if it has none. */
  readonly id: RecordId;
  /** Name of the phase: 'S1901M'. */
  readonly phase: string;
  /**
   * Legal orders as canonical text, keyed by power name, then by unit. Builds, and `WAIVE`, are keyed by the tag of the
   * free centre. The object of a power without legal orders is empty.
   */
  readonly orders: Readonly<Record<string, ByPower>>;
  /**
   * Number of builds (> 0) or removals (< 0) due, keyed by power name. There is at most one build for each free centre
   * where the power may build. All are 0 outside an adjustment phase.
   */
  readonly builds: Readonly<Record<string, number>>;
}

/** The legal orders of one unit or centre, with its name ('A PAR' or 'PAR') and the power that orders it. */
interface Choice {
  readonly power: T.Power;
  readonly name: string;
  readonly orders: readonly O.Order[];
}

const offsets = new Int32Array(257);

/** Returns the legal orders of each unit or centre. Retreats come from the record, not from the board. */
const listOrders = ({ game, retreats, due }: Position): O.Order[][] => {
  const count = game.phase === T.ADJUSTMENT ? listAdjustmentsDue(game, due, offsets) : listInRoom(game, offsets);
  const orders = orderRoom();
  return Array.from({ length: count }, (_, k) => {
    const listed = [...orders.subarray(offsets[k], offsets[k + 1])];
    if (game.phase !== T.RETREAT) return listed;
    const at = O.orderLocation(listed[0]);
    const open = retreats.get(game.map.locationProvince[at]) ?? [];
    return [...open.map((to) => O.retreat(at, to)), O.disband(at)];
  });
};

const listChoices = (position: Position): Choice[] => {
  const { game } = position;
  const { map } = game;
  const units = orderedUnits(game);
  return listOrders(position).map((orders) => {
    const p = map.locationProvince[O.orderLocation(orders[0])];
    const unit = units.unitAt(p);
    const name = unit === T.NO_UNIT ? map.provinceTags[p] : formatUnit(map, unit, units.unitLocation(p));
    return { power: ordererOf(game, orders[0]), name, orders };
  });
};

const dueByPower = (map: CompiledMap, due: Int32Array, choices: readonly Choice[]): Record<string, number> => {
  const sites = (power: T.Power): number => choices.filter((choice) => choice.power === power).length;
  return Object.fromEntries(map.powerNames.map((name, power) => [name, Math.min(due[power], sites(power))]));
};

/** Returns all legal orders of a position as text, and the number of builds or removals due to each power. */
export const listLegal = (position: Position): Pick<LegalRecord, 'orders' | 'builds'> => {
  const { game, due } = position;
  const { map } = game;
  const units = orderedUnits(game);
  const choices = listChoices(position);
  const place = (name: string): string => name.slice(name.indexOf(' ') + 1);
  choices.sort((a, b) => (place(a.name) < place(b.name) ? -1 : 1));
  const orders: Record<string, ByPower> = Object.fromEntries(map.powerNames.map((name) => [name, {}]));
  for (const choice of choices)
    orders[map.powerNames[choice.power]][choice.name] = choice.orders.map((order) => formatOrder(map, order, units));
  return { orders, builds: dueByPower(map, due, choices) };
};

/**
 * Returns all legal orders of a position. Legal retreats are taken from the record.
 * @param input `{id, phase, units, centers, retreats, builds}` as JSON.parse() returns it. Optional `map`, `options`
 *   and `mapEdits` choose the map. `orders` is ignored.
 * @param given map of a record without a `map` field
 * @throws LepantoError if the record is invalid; the message names the field
 */
export const legalRecord = (input: unknown, given: CompiledMap = standard, rules: Rules = DATC_3_2): LegalRecord => {
  const id = readId(input);
  const position = parsePosition(input, mapOf(input, given), rules);
  return { id, phase: phaseName(position.game), ...listLegal(position) };
};
