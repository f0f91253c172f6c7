// Lists all legal orders of a position given as JSON, as `lepanto legal` does.
import {
  ADJUSTMENT,
  buildArmy,
  builderAt,
  buildFleet,
  type CompiledMap,
  DATC_3_2,
  disband,
  type Game,
  LAND,
  listInRoom,
  MOVEMENT,
  NO_UNIT,
  type Order,
  orderLocation,
  orderRoom,
  type Power,
  type Province,
  phaseName,
  type Rules,
  remove,
  retreat,
  standard,
  unitPower,
  waive,
} from '../../../engine/internal.js';
import { formatOrder, formatUnit, orderedUnits, type Position, type Retreats } from '../text/index.js';
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
  readonly power: Power;
  readonly name: string;
  readonly orders: readonly Order[];
}

const offsets = new Int32Array(257);

const listMovement = (game: Game): Choice[] => {
  const { map } = game;
  const count = listInRoom(game, offsets);
  const orders = orderRoom();
  return Array.from({ length: count }, (_, k) => {
    const at = orderLocation(orders[offsets[k]]);
    const unit = game.unitAt(map.locationProvince[at]);
    const name = formatUnit(map, unit, at);
    return { power: unitPower(unit), name, orders: [...orders.subarray(offsets[k], offsets[k + 1])] };
  });
};

const listRetreats = (game: Game, retreats: Retreats): Choice[] => {
  const choices: Choice[] = [];
  for (let i = 0; i < game.dislodgedCount; i++) {
    const { unit, location, province } = game.dislodged(i);
    const open = (retreats.get(province) ?? []).map((to) => retreat(location, to));
    choices.push({
      power: unitPower(unit),
      name: formatUnit(game.map, unit, location),
      orders: [...open, disband(location)],
    });
  }
  return choices;
};

const buildsAt = (map: CompiledMap, power: Power, province: Province): Order[] => {
  const first = map.firstCoast[province];
  const coasts = Array.from({ length: map.coastCount[province] }, (_, i) => buildFleet(first + i));
  const fleets = coasts.length > 0 || map.kind[province] === LAND ? coasts : [buildFleet(province)];
  return [buildArmy(province), ...fleets, waive(power)];
};

const listAdjustments = (game: Game, due: Int32Array): Choice[] => {
  const { map } = game;
  const choices: Choice[] = [];
  for (let p = 0; p < map.provinceCount; p++) {
    const unit = game.unitAt(p);
    const builder = builderAt(game, p);
    if (unit !== NO_UNIT && due[unitPower(unit)] < 0) {
      const name = formatUnit(map, unit, game.unitLocation(p));
      choices.push({ power: unitPower(unit), name, orders: [remove(game.unitLocation(p))] });
    } else if (builder >= 0 && due[builder] > 0) {
      choices.push({ power: builder, name: map.provinceTags[p], orders: buildsAt(map, builder, p) });
    }
  }
  return choices;
};

const listChoices = ({ game, retreats, due }: Position): Choice[] => {
  if (game.phase === MOVEMENT) return listMovement(game);
  return game.phase === ADJUSTMENT ? listAdjustments(game, due) : listRetreats(game, retreats);
};

const dueByPower = (map: CompiledMap, due: Int32Array, choices: readonly Choice[]): Record<string, number> => {
  const sites = (power: Power): number => choices.filter((choice) => choice.power === power).length;
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
