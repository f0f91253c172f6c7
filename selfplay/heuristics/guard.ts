// Chooses cautious orders. Units hold and support threatened centres first. They attack other centres with enough
// supports to win against any single power. Only the remaining units advance or enter contested empty centres.
import type { CompiledMap, Game, Random } from '../../engine/internal.js';
import * as O from '../../engine/rules/order.js';
import type * as T from '../../engine/rules/types.js';
import * as Values from '../evaluation/board-values.js';

/**
 * Maximum number of units of another power in or near a province to which a unit advances. One unit alone cannot
 * dislodge the unit.
 */
const MOST_MET = 1;

/** Orders of one power, assigned step by step. Units without an order yet are free. */
class Guard {
  private readonly units: readonly T.Province[];
  private readonly centers: readonly T.Province[] = [...this.map.centers];
  /** Orders assigned so far, keyed by province of the unit. */
  readonly orders = new Map<T.Province, O.Order>();
  private readonly filled = new Set<T.Province>();

  /** Begins without orders. @param random shuffles the units, which breaks ties */
  constructor(
    private readonly map: CompiledMap,
    private readonly power: T.Power,
    random: Random,
  ) {
    const first = power * map.provinceCount;
    const drawn = Array.from({ length: Values.unitCounts[power] }, (_, i) => ({
      unit: Values.unitsBy[first + i],
      x: random.next(),
    }));
    this.units = drawn.sort((a, b) => a.x - b.x).map(({ unit }) => unit);
  }

  private key(unit: T.Province): number {
    return Values.keyAt[unit] - 1;
  }

  private at(unit: T.Province): T.Location {
    return Values.keyLocation(this.map, this.key(unit));
  }

  private exits(unit: T.Province): T.Location[] {
    const { moveOffsets, moveTargets } = this.map;
    const key = this.key(unit);
    return [...moveTargets.subarray(moveOffsets[key], moveOffsets[key + 1])];
  }

  /** Returns the first location of a province that a unit can move to; undefined if it cannot enter the province. */
  private entrance(unit: T.Province, target: T.Province): T.Location | undefined {
    return this.exits(unit).find((to) => this.map.locationProvince[to] === target);
  }

  /** Returns the units without an order that can enter a province, the least threatened ones first. */
  private free(target: T.Province): T.Province[] {
    return this.units
      .filter((p) => p !== target && !this.orders.has(p) && this.entrance(p, target) !== undefined)
      .sort((a, b) => this.threat(a) - this.threat(b));
  }

  private owns(province: T.Province): boolean {
    const center = this.map.centerIndex[province];
    return center >= 0 && Values.ownerOf[center] === this.power;
  }

  /** Returns the number of units of the strongest other power in or next to an own centre; 0 for other provinces. */
  private threat(province: T.Province): number {
    return this.owns(province) ? Values.competition(this.power, province) : 0;
  }

  private stay(unit: T.Province): void {
    this.help(unit, O.hold(this.at(unit)));
  }

  private go(unit: T.Province, to: T.Location): void {
    this.orders.set(unit, O.move(this.at(unit), to));
    this.filled.add(this.map.locationProvince[to]);
  }

  /**
   * Protects threatened own centres: units there hold with as many supports as needed, and units without an order enter
   * empty ones.
   */
  keepCenters(): void {
    const threatened = this.centers.filter((p) => this.threat(p) > 0);
    threatened.sort((a, b) => this.threat(b) - this.threat(a));
    for (const p of threatened) if (Values.powerAt[p] === this.power) this.stay(p);
    for (const p of threatened) {
      if (Values.powerAt[p] === this.power) this.supportUnit(p);
      else if (Values.keyAt[p] === 0) this.take(p, 0);
    }
  }

  private supportUnit(unit: T.Province): void {
    for (const p of this.free(unit).slice(0, this.threat(unit) - 1)) this.help(p, O.supportHold(this.at(p), unit));
  }

  private help(unit: T.Province, order: O.Order): void {
    this.orders.set(unit, order);
    this.filled.add(unit);
  }

  /**
   * Enters centres that the power neither owns nor occupies, with enough supports. Centres that need the fewest
   * supports come first. Then enters contested empty centres without support.
   */
  takeCenters(): void {
    const wanted = this.centers.filter((p) => !this.owns(p) && Values.powerAt[p] !== this.power);
    const need = (p: T.Province): number => Values.competition(this.power, p);
    wanted.sort((a, b) => need(a) - need(b));
    for (const target of wanted) this.take(target, need(target));
    for (const target of wanted) if (Values.keyAt[target] === 0) this.take(target, 0);
  }

  /**
   * Enters a centre with the given number of supports. Does nothing if there are not enough units without an order, or
   * if another own unit enters or stays there.
   */
  private take(target: T.Province, supports: number): void {
    const [unit, ...others] = this.free(target);
    const to = unit === undefined ? undefined : this.entrance(unit, target);
    if (to === undefined || this.filled.has(target) || others.length < supports) return;
    this.go(unit, to);
    for (const p of others.slice(0, supports)) this.help(p, O.supportMove(this.at(p), unit, target));
  }

  /**
   * Orders the remaining units. A unit in a centre that it captures holds; any other unit moves to the most valuable
   * safe province nearby, or holds.
   */
  comeNearer(): void {
    for (const unit of this.units) {
      if (this.orders.has(unit)) continue;
      const isTaking = this.map.centerIndex[unit] >= 0 && !this.owns(unit);
      const best = isTaking ? undefined : this.bestExit(unit);
      if (best === undefined) this.stay(unit);
      else this.go(unit, best);
    }
  }

  private bestExit(unit: T.Province): T.Location | undefined {
    const { locationProvince } = this.map;
    let best: T.Location | undefined;
    let most = Values.valueAt(this.key(unit));
    for (const to of this.exits(unit)) {
      const p = locationProvince[to];
      if (Values.keyAt[p] !== 0 || this.filled.has(p) || Values.competition(this.power, p) > MOST_MET) continue;
      const value = Values.valueAt(Values.keyAfter(this.map, this.key(unit), to));
      if (value <= most) continue;
      most = value;
      best = to;
    }
    return best;
  }

  /**
   * Replaces each hold by a support of the neighbour with the greatest threat(), among the own units that do not move
   * and have a threat of at least 2. Keeps the hold if there is none.
   */
  useHolds(): void {
    for (const unit of this.units) {
      if (this.orders.get(unit) !== O.hold(this.at(unit))) continue;
      const neighbours = this.units
        .filter((p) => p !== unit && this.entrance(unit, p) !== undefined && this.stays(p) && this.threat(p) > 1)
        .sort((a, b) => this.threat(b) - this.threat(a));
      if (neighbours.length > 0) this.orders.set(unit, O.supportHold(this.at(unit), neighbours[0]));
    }
  }

  private stays(unit: T.Province): boolean {
    const order = this.orders.get(unit);
    return order !== undefined && O.orderType(order) !== O.MOVE;
  }
}

/**
 * Writes cautious movement orders of a power to `out`, as packed orders, and returns their number. Does not check that
 * they are legal.
 */
export const guardMoves = (game: Game, power: T.Power, out: Int32Array, random: Random): number => {
  Values.readGame(game);
  Values.setViewer(power);
  const guard = new Guard(game.map, power, random);
  guard.keepCenters();
  guard.takeCenters();
  guard.comeNearer();
  guard.useHolds();
  let n = 0;
  for (const order of guard.orders.values()) out[n++] = order;
  return n;
};
