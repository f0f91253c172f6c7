// Encodes orders as dipcc's nets read and choose them: as places in a vocabulary of order texts, which is data of that
// project and is read from the user's copy (order_vocab_by_unit.json).
//
//   x_prev_orders       i64[2, 100]     orders of the last movement phase and of the phases after it: place in the vocabulary,
//                                       location of the ordered unit; ascending, the rest 0; unknown orders are left out
//   x_possible_actions  i32[17, 469]    by power: one row for each unit, in the order of the 81 locations (coasts counted),
//                                       with the places of its orders ascending, -1 behind them. Builds: one row, each
//                                       entry all builds of the turn, 'A ANK B;F CON B'. Removals: one equal row for each
//   x_loc_idxs          i8[81]          by location of the province: row of its unit; -2 where one may be built or removed;
//                                       else -1
//
// Follows dipcc's orders_encoder.cc and game_state.cc of 2022, without the duplicates of its buggy mode. Its possible
// orders are not the engine's legal ones: any fleet of a connected group may carry any army next to the group to any
// coast next to it, and any move that some unit could be ordered to make may be supported. Retreats are those of the
// game's rules. This is cold code that works on text.
import { adjustmentDue, builderAt, type CompiledMap, type Game } from '../../../engine/internal.js';
import { retreatsByPower } from '../../../engine/notation/json/position.js';
import { parseStrict } from '../../../engine/notation/json/untrusted.js';
import { formatOrder, formatUnit, orderedUnits } from '../../../engine/notation/text/index.js';
import { LepantoError } from '../../../engine/rules/error.js';
import * as O from '../../../engine/rules/order.js';
import * as T from '../../../engine/rules/types.js';
import { locationsOf } from '../../../selfplay/nets/dipnet-orders.js';
import { dipnetLocations } from '../../../selfplay/nets/dipnet-rows.js';
import { readVocabulary } from './vocabulary-file.js';

/** Orders that x_prev_orders has room for. */
export const PREVIOUS_WIDTH = 100;
/** Units of a power that the possible orders have room for. */
export const MAX_ROWS = 17;
/** Most orders of one unit in dipcc's vocabulary. */
export const MAX_CANDIDATES = 469;
/** Fills a row after its last place. */
export const END = -1;
/** Marks the location of a unit that may be built or removed. */
export const ADJUSTABLE = -2;

/**
 * Reads dipcc's vocabulary (order_vocab_by_unit.json, of which the user must have a copy) into the list that dipcc
 * makes of it: units sorted, with the orders of each.
 * @throws LepantoError that says what was got
 */
export const dipccVocabulary = (text: string): string[] => {
  if (!text.trimStart().startsWith('{')) return readVocabulary(text);
  const byUnit = Object.entries(parseStrict(text.trim()) as Record<string, unknown>).sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  return byUnit.flatMap(([, orders]) => readVocabulary(JSON.stringify(orders)).sort());
};

/** A phase that was played: the game before it, and its orders. */
export interface OrderedPhase {
  /** The position before the orders. */
  readonly game: Game;
  /** Packed orders of all powers. */
  readonly orders: ArrayLike<O.Order>;
}

/** The possible orders of a power, as dipcc's nets read them. */
export interface PossibleOrders {
  /** Rows of `actions` that are used. */
  readonly rows: number;
  /** x_possible_actions: i32[17, 469], places in the vocabulary, -1 behind them. */
  readonly actions: Int32Array;
  /** x_loc_idxs: i8[81], by dipnetLocations(): the row of the unit there, -2 where one may be built or removed, or -1. */
  readonly locations: Int8Array;
}

/** A unit as text, and its location. */
interface Placed {
  readonly text: string;
  readonly province: T.Province;
  readonly location: T.Location;
}

/** A move that some unit could be ordered to make; `to` may be a coast. */
interface Move {
  readonly unit: Placed;
  readonly to: T.Location;
}

const withoutCoasts = (order: string): string => order.replace(/\/[A-Z]{2}/g, '');

const combinations = <T>(list: readonly T[], count: number): T[][] => {
  if (count === 0) return [[]];
  return list.flatMap((head, i) => combinations(list.slice(i + 1), count - 1).map((rest) => [head, ...rest]));
};

const product = (lists: readonly (readonly string[])[]): string[][] =>
  lists.reduce<string[][]>((made, list) => made.flatMap((head) => list.map((one) => [...head, one])), [[]]);

/** Encodes possible and previous orders of a game as dipcc's nets read them, in a vocabulary that the user supplies. */
export class DipccOrders {
  private readonly places: ReadonlyMap<string, number> = new Map(this.entries.map((entry, place) => [entry, place]));
  /** dipcc's 81 locations in their order, and the row of each location. */
  private readonly rows = dipnetLocations(this.map);
  private readonly rowOf = this.map.locationTags.map((_, location) => this.rows.indexOf(location));
  private readonly provincesBeside = Array.from({ length: 2 * this.map.locationCount }, (_, key) => [
    ...new Set(this.targets(key).map((to) => this.map.locationProvince[to])),
  ]);

  /** @param entries from dipccVocabulary(), or any list of order texts; a place is an index into it */
  constructor(
    /** The map of its orders. */
    readonly map: CompiledMap,
    /** The vocabulary as it was given. */
    readonly entries: readonly string[],
  ) {}

  // ---- the previous orders ----

  /**
   * x_prev_orders: i64[2, 100].
   * @param phases the last movement phase and the phases played after it, in that order
   * @param out at least 200 long; default: a new array
   * @returns `out`
   * @throws LepantoError if there are more orders than it has room for
   */
  encodePrevious(phases: readonly OrderedPhase[], out = new BigInt64Array(2 * PREVIOUS_WIDTH)): BigInt64Array {
    const found = phases.flatMap((phase) => this.placedOrders(phase));
    if (found.length >= PREVIOUS_WIDTH)
      throw new LepantoError('argument', `previous orders: got ${found.length}, wanted fewer than ${PREVIOUS_WIDTH}`);
    found.sort(([placeA, rowA], [placeB, rowB]) => placeA - placeB || rowA - rowB);
    out.fill(0n, 0, 2 * PREVIOUS_WIDTH);
    found.forEach(([place, row], i) => {
      out[i] = BigInt(place);
      out[PREVIOUS_WIDTH + i] = BigInt(row);
    });
    return out;
  }
  private placedOrders({ game, orders }: OrderedPhase): [number, number][] {
    const units = orderedUnits(game);
    return Array.from(orders).flatMap((order): [number, number][] => {
      if (O.orderType(order) === O.WAIVE) return [];
      const place = this.places.get(formatOrder(this.map, order, units));
      return place === undefined ? [] : [[place, this.rowOf[O.orderLocation(order)]]];
    });
  }

  // ---- the possible orders ----

  /**
   * x_possible_actions and x_loc_idxs of a power.
   * @param actions at least 17 * 469 long; default: a new array
   * @param locations at least as long as the map has locations; default: a new array
   * @throws LepantoError if a unit has more orders, or a power more units, than there is room for
   */
  encodePossible(
    game: Game,
    power: T.Power,
    actions = new Int32Array(MAX_ROWS * MAX_CANDIDATES),
    locations = new Int8Array(this.map.locationCount),
  ): PossibleOrders {
    return { rows: this.writePossible(game, power, actions, locations), actions, locations };
  }
  private writePossible(game: Game, power: T.Power, actions: Int32Array, locations: Int8Array): number {
    actions.fill(END, 0, MAX_ROWS * MAX_CANDIDATES);
    locations.fill(-1, 0, this.map.locationCount);
    if (game.phase === T.ADJUSTMENT) return this.encodeAdjustments(game, power, actions, locations);
    const possible = game.phase === T.MOVEMENT ? this.movementOrders(game, power) : this.retreatOrders(game, power);
    const rows = [...possible].sort(([a], [b]) => this.rowOf[a.location] - this.rowOf[b.location]);
    rows.forEach(([unit, orders], row) => {
      this.writeRow(actions, row, this.placesOf(orders));
      locations[this.rowOf[unit.province]] = row;
    });
    return rows.length;
  }

  /**
   * The texts of chosen actions: 'A PAR - BUR'. Builds come one by one; END is skipped.
   * @param actions places in the vocabulary
   */
  decode(actions: Iterable<number>): string[] {
    return [...actions].filter((place) => place !== END).flatMap((place) => (this.entries[place] ?? '').split(';'));
  }

  private writeRow(actions: Int32Array, row: number, places: readonly number[]): void {
    if (row >= MAX_ROWS) throw new LepantoError('argument', `rows: got ${row + 1}, wanted at most ${MAX_ROWS}`);
    if (places.length > MAX_CANDIDATES)
      throw new LepantoError('argument', `orders of a unit: got ${places.length}, wanted at most ${MAX_CANDIDATES}`);
    actions.set(places, row * MAX_CANDIDATES);
  }
  /** Ascending, each once. An unknown order is looked up without its coasts, else left out. */
  private placesOf(orders: Iterable<string>): number[] {
    const found = new Set<number>();
    for (const order of orders) {
      const place = this.places.get(order) ?? this.places.get(withoutCoasts(order));
      if (place !== undefined) found.add(place);
    }
    return [...found].sort((a, b) => a - b);
  }

  // ---- movement ----

  private targets(key: number): T.Location[] {
    return Array.from(this.map.moveTargets.subarray(this.map.moveOffsets[key], this.map.moveOffsets[key + 1]));
  }
  private keyOf(game: Game, { province, location }: Placed): number {
    return T.unitType(game.unitAt(province)) === T.FLEET ? this.map.locationCount + location : location;
  }
  private unitsOf(game: Game): Placed[] {
    const found: Placed[] = [];
    for (let province = 0; province < this.map.provinceCount; province++) {
      const unit = game.unitAt(province);
      if (unit === T.NO_UNIT) continue;
      const location = game.unitLocation(province);
      found.push({ text: formatUnit(this.map, unit, location), province, location });
    }
    return found;
  }

  /** Groups of connected fleets at sea, with the armies and the coasts next to them. */
  private convoys(
    game: Game,
    units: readonly Placed[],
  ): { fleets: Placed[]; armies: Placed[]; coasts: T.Province[] }[] {
    const { map } = this;
    const open = new Set(units.filter(({ province }) => map.kind[province] === T.SEA));
    const byProvince = new Map(units.map((unit) => [unit.province, unit]));
    const groups = [];
    for (const first of open) {
      const fleets: Placed[] = [];
      const beside = new Set<T.Province>();
      const queue = [first];
      open.delete(first);
      for (let fleet = queue.pop(); fleet !== undefined; fleet = queue.pop()) {
        fleets.push(fleet);
        for (const province of this.provincesBeside[this.keyOf(game, fleet)]) {
          beside.add(province);
          const other = byProvince.get(province);
          if (other !== undefined && open.delete(other)) queue.push(other);
        }
      }
      const coasts = [...beside].filter((province) => map.kind[province] === T.COAST);
      const armies = coasts
        .flatMap((province) => byProvince.get(province) ?? [])
        .filter((unit) => unit.text[0] === 'A');
      groups.push({ fleets, armies, coasts });
    }
    return groups;
  }

  private movementOrders(game: Game, power: T.Power): Map<Placed, Set<string>> {
    const { locationTags } = this.map;
    const units = this.unitsOf(game);
    const orders = new Map(units.map((unit) => [unit, new Set([`${unit.text} H`])]));
    const add = (unit: Placed, order: string): void => void orders.get(unit)?.add(`${unit.text} ${order}`);
    const moves: Move[] = units.flatMap((unit) => this.targets(this.keyOf(game, unit)).map((to) => ({ unit, to })));
    for (const { unit, to } of moves) add(unit, `- ${locationTags[to]}`);
    for (const { fleets, armies, coasts } of this.convoys(game, units))
      for (const army of armies)
        for (const to of coasts) {
          if (to === army.province) continue;
          moves.push({ unit: army, to });
          add(army, `- ${locationTags[to]} VIA`);
          for (const fleet of fleets) add(fleet, `C ${army.text} - ${locationTags[to]}`);
        }
    const mine = units.filter(({ province }) => T.unitPower(game.unitAt(province)) === power);
    for (const unit of mine) this.addSupports(game, unit, units, moves, (order) => add(unit, order));
    return new Map(mine.map((unit) => [unit, orders.get(unit) ?? new Set()]));
  }
  private addSupports(
    game: Game,
    unit: Placed,
    units: readonly Placed[],
    moves: readonly Move[],
    add: (order: string) => void,
  ): void {
    const { map } = this;
    const beside = new Set(this.provincesBeside[this.keyOf(game, unit)]);
    for (const other of units) if (beside.has(other.province)) add(`S ${other.text}`);
    for (const { unit: mover, to } of moves) {
      const province = map.locationProvince[to];
      if (mover !== unit && beside.has(province)) add(`S ${mover.text} - ${map.provinceTags[province]}`);
    }
  }

  // ---- retreats, builds and removals ----

  private retreatOrders(game: Game, power: T.Power): Map<Placed, string[]> {
    const { map } = this;
    const retreats = retreatsByPower(game)[map.powerNames[power]] ?? {};
    const found = new Map<Placed, string[]>();
    for (let i = 0; i < game.dislodgedCount; i++) {
      const { unit, location, province } = game.dislodged(i);
      if (T.unitPower(unit) !== power) continue;
      const text = formatUnit(map, unit, location);
      found.set({ text, province, location }, [`${text} D`, ...(retreats[text] ?? []).map((to) => `${text} R ${to}`)]);
    }
    return found;
  }

  private encodeAdjustments(game: Game, power: T.Power, actions: Int32Array, locations: Int8Array): number {
    const due = adjustmentDue(game, power);
    if (due > 0) return this.encodeBuilds(game, power, due, actions, locations);
    const units = this.unitsOf(game).filter(({ province }) => T.unitPower(game.unitAt(province)) === power);
    const places = this.placesOf(units.map(({ text }) => `${text} D`));
    for (let row = 0; row < -due; row++) this.writeRow(actions, row, places);
    if (due < 0) for (const { province } of units) locations[this.rowOf[province]] = ADJUSTABLE;
    return -due;
  }
  private buildsAt(province: T.Province): string[] {
    const { map } = this;
    const tag = map.provinceTags[province];
    const [, ...coasts] = locationsOf(map, province);
    const ports = coasts.length > 0 ? coasts : map.kind[province] === T.LAND ? [] : [province];
    return [`A ${tag} B`, ...ports.map((port) => `F ${map.locationTags[port]} B`)];
  }
  private encodeBuilds(game: Game, power: T.Power, due: number, actions: Int32Array, locations: Int8Array): number {
    const { map } = this;
    const sites = Array.from(map.centers).filter((province) => builderAt(game, province) === power);
    if (sites.length === 0) return 0;
    const joint = combinations(sites, Math.min(due, sites.length)).flatMap((some) =>
      product(some.map((province) => this.buildsAt(province))).map((orders) => orders.sort().join(';')),
    );
    this.writeRow(actions, 0, this.placesOf(joint));
    for (const province of sites) locations[this.rowOf[province]] = ADJUSTABLE;
    return 1;
  }
}
