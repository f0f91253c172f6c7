// Encodes orders as dipcc's nets read and choose them: as indices into a vocabulary of order texts. The vocabulary is
// data of that project and is read from the user's copy (order_vocab_by_unit.json).
//
//   x_prev_orders       i64[2, 100]     orders of the last movement phase and of the phases after it: index in the
//                                       vocabulary and location of the ordered unit, ascending, then zeros. Orders that
//                                       the vocabulary does not have are left out
//   x_possible_actions  i32[17, 469]    for one power: a row per unit, in the order of the 81 locations (with coasts),
//                                       with the indices of its orders, ascending, then -1. Builds: one row whose
//                                       entries are all builds of the turn, 'A ANK B;F CON B'. Removals: equal
//                                       rows, one for each
//   x_loc_idxs          i8[81]          by location of the province: row of its unit; -2 if a unit can be built or
//                                       removed there; otherwise -1
//
// Follows dipcc's orders_encoder.cc and game_state.cc of 2022, without the duplicates of its buggy mode. Its possible
// orders differ from the engine's legal orders: any fleet of a connected group may convoy any army next to the group to
// any coast next to it, and any move that some unit could be ordered to make may be supported. Retreats follow the
// rules of the game. This code works on text and is not optimized.
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

/** Maximum number of orders in x_prev_orders. */
export const PREVIOUS_WIDTH = 100;
/** Maximum number of units of a power in x_possible_actions. */
export const MAX_ROWS = 17;
/** Maximum number of orders of a unit in dipcc's vocabulary. */
export const MAX_CANDIDATES = 469;
/** Value that fills the rest of a row of x_possible_actions after its last index. */
export const END = -1;
/** Value in x_loc_idxs of a location where a unit can be built or removed. */
export const ADJUSTABLE = -2;

/**
 * Parses dipcc's vocabulary (order_vocab_by_unit.json, which the user must supply) into dipcc's list of orders: sorted
 * by unit, then by order.
 * @throws LepantoError that describes the invalid entry
 */
export const dipccVocabulary = (text: string): string[] => {
  if (!text.trimStart().startsWith('{')) return readVocabulary(text);
  const byUnit = Object.entries(parseStrict(text.trim()) as Record<string, unknown>).sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  return byUnit.flatMap(([, orders]) => readVocabulary(JSON.stringify(orders)).sort());
};

/** A phase that has been played. */
export interface OrderedPhase {
  /** Position before the orders. */
  readonly game: Game;
  /** Packed orders of all powers. */
  readonly orders: ArrayLike<O.Order>;
}

/** Possible orders of a power, as the input of dipcc's nets. */
export interface PossibleOrders {
  /** Number of used rows in `actions`. */
  readonly rows: number;
  /** x_possible_actions: i32[17, 469], indices into the vocabulary, then -1. */
  readonly actions: Int32Array;
  /**
   * x_loc_idxs: i8[81], in the order of dipnetLocations(): row of the unit, -2 if a unit can be built or removed there,
   * otherwise -1.
   */
  readonly locations: Int8Array;
}

/** A unit with its text and location. */
interface Placed {
  readonly text: string;
  readonly province: T.Province;
  readonly location: T.Location;
}

/** A move that some unit could be ordered to make. `to` may be a coast. */
interface Move {
  readonly unit: Placed;
  readonly to: T.Location;
}

const withoutCoasts = (order: string): string => order.replace(/\/[A-Z]{2}/g, '');

/** Returns all subsets of `count` elements. */
const combinations = <T>(list: readonly T[], count: number): T[][] => {
  if (count === 0) return [[]];
  return list.flatMap((head, i) => combinations(list.slice(i + 1), count - 1).map((rest) => [head, ...rest]));
};

/** Returns all combinations of one element from each of some lists. */
const product = (lists: readonly (readonly string[])[]): string[][] =>
  lists.reduce<string[][]>((made, list) => made.flatMap((head) => list.map((one) => [...head, one])), [[]]);

/**
 * Encodes possible and previous orders of a game as the input of dipcc's nets, with a vocabulary supplied by the user.
 */
export class DipccOrders {
  private readonly places: ReadonlyMap<string, number> = new Map(this.entries.map((entry, place) => [entry, place]));
  /** dipcc's 81 locations in their order. */
  private readonly rows = dipnetLocations(this.map);
  /** Index in `rows` of each location, indexed by location. */
  private readonly rowOf = this.map.locationTags.map((_, location) => this.rows.indexOf(location));
  /** Provinces that a unit can move to: of an army at index `location`, of a fleet at locationCount + location. */
  private readonly provincesBeside = Array.from({ length: 2 * this.map.locationCount }, (_, key) => [
    ...new Set(this.targets(key).map((to) => this.map.locationProvince[to])),
  ]);

  /**
   * Creates an encoder.
   * @param entries list from dipccVocabulary(), or any list of order texts; encoded numbers are indices in it
   */
  constructor(
    /** Map on which the games are played. */
    readonly map: CompiledMap,
    /** Order texts of the vocabulary. */
    readonly entries: readonly string[],
  ) {}

  // ---- the previous orders ----

  /**
   * Encodes x_prev_orders: i64[2, 100].
   * @param phases last movement phase and the phases played after it, in this order
   * @param out array of at least 200 elements; default: a new array
   * @returns `out`
   * @throws LepantoError for PREVIOUS_WIDTH or more orders that the vocabulary has
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
   * Encodes x_possible_actions and x_loc_idxs for a power.
   * @param actions array of at least 17 * 469 elements; default: a new array
   * @param locations array with at least one element per location of the map; default: a new array
   * @throws LepantoError if a unit has more than MAX_CANDIDATES orders, or the power more than MAX_ROWS units
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
   * Returns the order texts of chosen actions: 'A PAR - BUR'. Joint builds are split into orders; END is skipped, and
   * an unknown index gives ''.
   * @param actions indices into the vocabulary
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
  /**
   * Returns the indices of orders in the vocabulary, ascending and unique. An order that it does not have is looked up
   * without coasts, and skipped if that fails.
   */
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

  /** Returns groups of connected fleets at sea, with the armies and the coastal provinces next to each group. */
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
