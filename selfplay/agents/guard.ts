// The agent that holds what it has: threatened centres are held and supported, centres of others are entered in such strength
// that no power can keep the units out, and only units that guard nothing try their luck or come nearer.
import {
  type CompiledMap,
  type Game,
  type Location,
  MOVEMENT,
  type Power,
  type Province,
  type Random,
} from '../../engine/internal.js';
import * as O from '../../engine/rules/order.js';
import {
  competition,
  keyAfter,
  keyAt,
  keyLocation,
  ownerOf,
  powerAt,
  readGame,
  setViewer,
  unitCounts,
  unitsBy,
  valueAt,
} from '../evaluation/board-values.js';
import { holdIllegal } from '../evaluation/hold-illegal.js';
import { settleOrders } from '../evaluation/settle-orders.js';
import { plainKind } from './agent.js';

/** A unit comes nearer where no other power has more units than this: one alone cannot dislodge it. */
const MOST_MET = 1;

class Guard {
  private readonly units: readonly Province[];
  private readonly centers: readonly Province[] = [...this.map.centers];
  /** By province of the unit; those without an order are free. */
  readonly orders = new Map<Province, O.Order>();
  private readonly filled = new Set<Province>();

  /** @param random decides between equals */
  constructor(
    private readonly map: CompiledMap,
    private readonly power: Power,
    random: Random,
  ) {
    const first = power * map.provinceCount;
    const drawn = Array.from({ length: unitCounts[power] }, (_, i) => ({ unit: unitsBy[first + i], x: random.next() }));
    this.units = drawn.sort((a, b) => a.x - b.x).map(({ unit }) => unit);
  }

  private key(unit: Province): number {
    return keyAt[unit] - 1;
  }

  private at(unit: Province): Location {
    return keyLocation(this.map, this.key(unit));
  }

  private exits(unit: Province): Location[] {
    const { moveOffsets, moveTargets } = this.map;
    const key = this.key(unit);
    return [...moveTargets.subarray(moveOffsets[key], moveOffsets[key + 1])];
  }

  /** The location where a unit enters a province; undefined if it cannot. */
  private entrance(unit: Province, target: Province): Location | undefined {
    return this.exits(unit).find((to) => this.map.locationProvince[to] === target);
  }

  /** Free units that could enter a province, those with the least to guard first. */
  private free(target: Province): Province[] {
    return this.units
      .filter((p) => p !== target && !this.orders.has(p) && this.entrance(p, target) !== undefined)
      .sort((a, b) => this.threat(a) - this.threat(b));
  }

  private owns(province: Province): boolean {
    const center = this.map.centerIndex[province];
    return center >= 0 && ownerOf[center] === this.power;
  }

  /** Units that the strongest other power could bring to a centre of the power's; 0 where there is none. */
  private threat(province: Province): number {
    return this.owns(province) ? competition(this.power, province) : 0;
  }

  private stay(unit: Province): void {
    this.help(unit, O.hold(this.at(unit)));
  }

  private go(unit: Province, to: Location): void {
    this.orders.set(unit, O.move(this.at(unit), to));
    this.filled.add(this.map.locationProvince[to]);
  }

  /** Units in threatened centres stay, and as many others support them as are needed; empty ones are entered. */
  keepCenters(): void {
    const threatened = this.centers.filter((p) => this.threat(p) > 0);
    threatened.sort((a, b) => this.threat(b) - this.threat(a));
    for (const p of threatened) if (powerAt[p] === this.power) this.stay(p);
    for (const p of threatened) {
      if (powerAt[p] === this.power) this.supportUnit(p);
      else if (keyAt[p] === 0) this.take(p, 0);
    }
  }

  private supportUnit(unit: Province): void {
    for (const p of this.free(unit).slice(0, this.threat(unit) - 1)) this.help(p, O.supportHold(this.at(p), unit));
  }

  private help(unit: Province, order: O.Order): void {
    this.orders.set(unit, order);
    this.filled.add(unit);
  }

  /** Enters centres of others, those first that need the fewest units; in the end also those that others may enter too. */
  takeCenters(): void {
    const wanted = this.centers.filter((p) => !this.owns(p) && powerAt[p] !== this.power);
    const need = (p: Province): number => competition(this.power, p);
    wanted.sort((a, b) => need(a) - need(b));
    for (const target of wanted) this.take(target, need(target));
    for (const target of wanted) if (keyAt[target] === 0) this.take(target, 0);
  }

  /** Enters a centre with some supports, if there are so many. */
  private take(target: Province, supports: number): void {
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

  private bestExit(unit: Province): Location | undefined {
    const { locationProvince } = this.map;
    let best: Location | undefined;
    let most = valueAt(this.key(unit));
    for (const to of this.exits(unit)) {
      const p = locationProvince[to];
      if (keyAt[p] !== 0 || this.filled.has(p) || competition(this.power, p) > MOST_MET) continue;
      const value = valueAt(keyAfter(this.map, this.key(unit), to));
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

  private stays(unit: Province): boolean {
    const order = this.orders.get(unit);
    return order !== undefined && O.orderType(order) !== O.MOVE;
  }
}

export const guardMoves = (game: Game, power: Power, out: Int32Array, random: Random): number => {
  readGame(game);
  setViewer(power);
  const guard = new Guard(game.map, power, random);
  guard.keepCenters();
  guard.takeCenters();
  guard.comeNearer();
  guard.useHolds();
  let n = 0;
  for (const order of guard.orders.values()) out[n++] = order;
  return n;
};

const choose = (game: Game, power: Power, out: Int32Array, random: Random): number => {
  if (game.phase !== MOVEMENT) return settleOrders(game, power, out);
  const count = guardMoves(game, power, out, random);
  holdIllegal(game, out, count);
  return count;
};

/** Movement: threatened centres first. Retreats and adjustments: the best positions. */
export const guard = plainKind(
  'guard',
  'holds and supports its threatened centres, and takes what no other power can keep it from',
  choose,
);
