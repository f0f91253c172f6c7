// Orders units to hold what they have: threatened centres are held and supported, centres of others are entered in such strength
// that no power can keep the units out, and only units that guard nothing try their luck or come nearer.
import type { CompiledMap, Game, Random } from '../../engine/internal.js';
import * as O from '../../engine/rules/order.js';
import type * as T from '../../engine/rules/types.js';
import * as Values from '../evaluation/board-values.js';

/** A unit comes nearer where no other power has more units than this: one alone cannot dislodge it. */
const MOST_MET = 1;

class Guard {
  private readonly units: readonly T.Province[];
  private readonly centers: readonly T.Province[] = [...this.map.centers];
  /** By province of the unit; those without an order are free. */
  readonly orders = new Map<T.Province, O.Order>();
  private readonly filled = new Set<T.Province>();

  /** @param random decides between equals */
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

  /** The location where a unit enters a province; undefined if it cannot. */
  private entrance(unit: T.Province, target: T.Province): T.Location | undefined {
    return this.exits(unit).find((to) => this.map.locationProvince[to] === target);
  }

  /** Free units that could enter a province, those with the least to guard first. */
  private free(target: T.Province): T.Province[] {
    return this.units
      .filter((p) => p !== target && !this.orders.has(p) && this.entrance(p, target) !== undefined)
      .sort((a, b) => this.threat(a) - this.threat(b));
  }

  private owns(province: T.Province): boolean {
    const center = this.map.centerIndex[province];
    return center >= 0 && Values.ownerOf[center] === this.power;
  }

  /** Units that the strongest other power could bring to a centre of the power's; 0 where there is none. */
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

  /** Units in threatened centres stay, and as many others support them as are needed; empty ones are entered. */
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

  /** Enters centres of others, those first that need the fewest units; in the end also those that others may enter too. */
  takeCenters(): void {
    const wanted = this.centers.filter((p) => !this.owns(p) && Values.powerAt[p] !== this.power);
    const need = (p: T.Province): number => Values.competition(this.power, p);
    wanted.sort((a, b) => need(a) - need(b));
    for (const target of wanted) this.take(target, need(target));
    for (const target of wanted) if (Values.keyAt[target] === 0) this.take(target, 0);
  }

  /** Enters a centre with some supports, if there are so many. */
  private take(target: T.Province, supports: number): void {
    const [unit, ...others] = this.free(target);
    const to = unit === undefined ? undefined : this.entrance(unit, target);
    if (to === undefined || this.filled.has(target) || others.length < supports) return;
    this.go(unit, to);
    for (const p of others.slice(0, supports)) this.help(p, O.supportMove(this.at(p), unit, target));
  }

  /** Units in centres of others stay there to take them; the rest goes to the most valuable safe place, if that is better. */
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

  /** Units that would only hold support the neighbour that is threatened most. */
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
