// Lists all legal orders of a position given as JSON, as `lepanto legal` does.
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

/** The answer of `lepanto legal`: the legal orders of every unit. */
export interface LegalRecord {
  /** As it was given. */
  readonly id: RecordId;
  /** The phase of the position: 'S1901M'. */
  readonly phase: string;
  /**
   * Canonical orders by power and unit; for builds by power and free home centre, `WAIVE` among them. Powers without
   * anything to order have no units.
   */
  readonly orders: Readonly<Record<string, ByPower>>;
  /** Builds (> 0) or removals (< 0) due to each power, at most one build for each free home centre. Zeros otherwise. */
  readonly builds: Readonly<Record<string, number>>;
}

/** Orders of one unit or centre, under its name. */
interface Choice {
  readonly power: T.Power;
  readonly name: string;
  readonly orders: readonly O.Order[];
}

const offsets = new Int32Array(257);

/** The lists of orders of a position, each of one unit or centre. Retreats are those of the record. */
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

/** All legal orders of a position as text, and the builds that are due. */
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
 * All legal orders of `{id, phase, units, centers, retreats, builds}` as JSON.parse() gives it; `orders` are ignored.
 * Legal retreats are those of the record. A record may name its own `map`, with `options` and `mapEdits`.
 * @param given the map of records that name none
 * @throws LepantoError that names what is wrong with the record
 */
export const legalRecord = (input: unknown, given: CompiledMap = standard, rules: Rules = DATC_3_2): LegalRecord => {
  const id = readId(input);
  const position = parsePosition(input, mapOf(input, given), rules);
  return { id, phase: phaseName(position.game), ...listLegal(position) };
};
