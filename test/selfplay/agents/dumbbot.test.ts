// Tests DumbBot against a plain version of itself: every value summed up anew, every list of choices sorted whole.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { board } from '../../../engine/adjudicate/movement/index.js';
import {
  adjudicate,
  adjustmentDue,
  type CompiledMap,
  DATC_3_2,
  type Game,
  legalByPower,
  loadMap,
  mapNames,
  mix,
  newGame,
  perMap,
  Random,
  standard,
  testBit,
  unitKey,
} from '../../../engine/internal.js';
import { POLICY, RandomGame, UNIFORM } from '../../../engine/play/step.js';
import * as O from '../../../engine/rules/order.js';
import * as T from '../../../engine/rules/types.js';
import { competition, readBoard, readGame, setViewer, valueAt } from '../../../selfplay/evaluation/board-values.js';
import { dumbbotMoves, dumbbotOrders, seedDumbbot } from '../../../selfplay/heuristics/dumbbot.js';
import { sampledOrders } from '../../../selfplay/heuristics/sampled.js';

const onBoard = new RandomGame();

// ---- the plain version ----

const DISTANCE = { spring: [100, 1000, 30, 10, 6, 5, 4, 3, 2, 1], fall: [1000, 100, 30, 10, 6, 5, 4, 3, 2, 1] };

/** Keys (kind of unit and location) that a unit can have after a move. */
const nextKeys = (map: CompiledMap, key: number): number[] =>
  Array.from(map.moveTargets.slice(map.moveOffsets[key], map.moveOffsets[key + 1]), (to) =>
    key < map.locationCount ? map.locationProvince[to] : map.locationCount + to,
  );

const provinceOf = (map: CompiledMap, key: number): number => map.locationProvince[key % map.locationCount];

/** By key: what a centre is worth there. */
const spreadCenter = (map: CompiledMap, center: number, distance: readonly number[]): number[] => {
  const keys = [...Array(2 * map.locationCount).keys()];
  const worth = keys.map(() => 0);
  let last = keys.map((key): number => (provinceOf(map, key) === map.centers[center] ? 1 : 0));
  for (const weight of distance) {
    for (const key of keys) worth[key] += weight * last[key];
    last = keys.map((key) => {
      const next = nextKeys(map, key);
      const coasts = (province: number): number => next.filter((k) => provinceOf(map, k) === province).length;
      return next.reduce((sum, k) => sum + last[k] / coasts(provinceOf(map, k)), last[key]) / 5;
    });
  }
  return worth;
};

const spreadCenters = perMap((map) => {
  const spreadAll = (distance: readonly number[]): number[][] =>
    Array.from(map.centers, (_, center) => spreadCenter(map, center, distance));
  return { spring: spreadAll(DISTANCE.spring), fall: spreadAll(DISTANCE.fall) };
});

/** Best first; the first of equal ones. */
const sort = <Choice>(choices: [choice: Choice, value: number][]) => choices.sort(([, a], [, b]) => b - a);

/** A position as one power sees it. */
class Plain {
  readonly map: CompiledMap = this.game.map;
  readonly provinces: readonly number[] = [...Array(this.game.map.provinceCount).keys()];
  readonly centers: readonly number[] = [...this.game.map.centers.keys()];
  private counter: number = mix(this.seed);

  constructor(
    readonly game: Game,
    readonly power: number,
    readonly seed: number,
  ) {}

  draw(n: number): number {
    this.counter = (this.counter + 0x9e37_79b9) | 0;
    return Math.floor(((mix(this.counter ^ 0x2545_f491) >>> 0) / 2 ** 32) * n);
  }

  powerAt(province: number): number {
    const unit = this.game.unitAt(province);
    return unit === T.NO_UNIT ? -1 : T.unitPower(unit);
  }

  unitsOf(power: number): number[] {
    return this.provinces.filter((p) => this.powerAt(p) === power);
  }

  near(power: number, province: number): number {
    const canReach = (p: number): boolean =>
      p === province || testBit(this.map.reach, unitKey(this.game, p), province) === 1;
    return this.unitsOf(power).filter(canReach).length;
  }

  others(): number[] {
    return [...Array(this.map.powerCount).keys()].filter((q) => q !== this.power);
  }

  competition(province: number): number {
    return Math.max(...this.others().map((q) => this.near(q, province)));
  }

  size(power: number): number {
    const n = this.centers.filter((c) => this.game.owner(c) === power).length;
    return n * n + 4 * n + 16;
  }

  threat(center: number): number {
    const there = this.others().filter((q) => this.near(q, this.map.centers[center]) > 0);
    return Math.max(0, ...there.map((q) => this.size(q)));
  }

  proximity(key: number, winter: boolean): number {
    const fall = this.game.season === T.FALL;
    const spread = spreadCenters(this.map)[fall || winter ? 'fall' : 'spring'];
    const [attack, defence] = fall && !winter ? [600, 400] : [700, 300];
    let sum = 0;
    for (const c of this.centers) sum += spread[c][key] * attack * this.size(this.game.owner(c));
    for (const c of this.centers)
      if (this.game.owner(c) === this.power)
        sum += spread[c][key] * (defence * this.threat(c) - attack * this.size(this.power));
    return sum;
  }

  value(key: number): number {
    const province = provinceOf(this.map, key);
    return this.proximity(key, false) + 1000 * this.near(this.power, province) - 1000 * this.competition(province);
  }

  winterValue(key: number): number {
    const c = this.map.centerIndex[provinceOf(this.map, key)];
    const own = c >= 0 && this.game.owner(c) === this.power;
    return this.proximity(key, true) + (own ? 1000 * this.threat(c) : 0);
  }

  pick(choices: readonly (readonly [unknown, number])[], alternatives = 50): number {
    let i = 0;
    while (i + 1 < choices.length && this.draw(100) < alternatives) {
      const base = Math.abs(choices[i][1]);
      if (this.draw(100) < (base === 0 ? 0 : ((choices[i][1] - choices[i + 1][1]) * 500) / base)) break;
      i++;
    }
    return i;
  }

  moves(alternatives: number): O.Order[] {
    const { map, game, power } = this;
    const queue = this.unitsOf(power);
    for (let i = queue.length - 1; i > 0; i--) {
      const k = this.draw(i + 1);
      [queue[i], queue[k]] = [queue[k], queue[i]];
    }
    const ordered = new Map<number, O.Order>();
    const moving = new Map<number, number>();
    const waits = new Map<number, number>();
    /** The order that takes a unit to a location, null if it makes no sense, 'wait' if the unit there comes first. */
    const orderTo = (p: number, to: number): O.Order | null | 'wait' => {
      const at = game.unitLocation(p);
      const target = map.locationProvince[to];
      if (target === p) return O.hold(at);
      const mover = moving.get(target);
      if (mover !== undefined) return this.competition(target) > 0 ? O.supportMove(at, mover, target) : null;
      if (this.powerAt(target) !== power) return O.move(at, to);
      const there = ordered.get(target);
      if (there === undefined) return (waits.get(p) ?? 0) < 8 ? 'wait' : null;
      if (O.orderType(there) === O.MOVE) return O.move(at, to);
      return this.competition(target) > 1 ? O.supportHold(at, target) : null;
    };
    /** The order of a unit, or the province of the one that comes first. */
    const choose = (p: number): O.Order | { after: number } => {
      const key = unitKey(game, p);
      const choices = sort([
        [game.unitLocation(p), this.value(key) + 1],
        ...nextKeys(map, key).map((next): [number, number] => [next % map.locationCount, this.value(next)]),
      ]);
      while (true) {
        const i = this.pick(choices, alternatives);
        const order = orderTo(p, choices[i][0]);
        if (order === 'wait') return { after: map.locationProvince[choices[i][0]] };
        if (order !== null) return order;
        choices.splice(i, 1);
      }
    };
    for (let i = 0; i < queue.length; ) {
      const p = queue[i];
      const order = choose(p);
      if (typeof order === 'object') {
        waits.set(p, (waits.get(p) ?? 0) + 1);
        queue.splice(i, 1);
        queue.splice(queue.indexOf(order.after) + 1, 0, p);
        continue;
      }
      ordered.set(p, order);
      if (O.orderType(order) === O.MOVE) moving.set(map.locationProvince[O.orderTarget(order)], p);
      i++;
    }
    for (const p of queue) {
      if (O.orderType(ordered.get(p) as O.Order) !== O.HOLD) continue;
      const at = game.unitLocation(p);
      let best = 0;
      for (const next of nextKeys(map, unitKey(game, p))) {
        const target = provinceOf(map, next);
        const mover = moving.get(target);
        const stays = mover === undefined && this.powerAt(target) === power;
        if (stays && O.orderType(ordered.get(target) as O.Order) === O.MOVE) continue;
        if ((mover === undefined && !stays) || this.competition(target) <= (stays ? 1 : 0)) continue;
        if (this.value(next) <= best) continue;
        best = this.value(next);
        ordered.set(p, stays ? O.supportHold(at, target) : O.supportMove(at, mover as number, target));
      }
    }
    return queue.map((p) => ordered.get(p) as O.Order);
  }

  retreats(): O.Order[] {
    const { map, game } = this;
    const taken = new Set<number>();
    const dislodged = Array.from({ length: game.dislodgedCount }, (_, i) => game.dislodged(i));
    const own = dislodged.filter(({ unit }) => T.unitPower(unit) === this.power);
    const placeOf = (order: number): number => map.locationProvince[O.orderTarget(order)];
    return legalByPower(game, this.power).map((legal, i) => {
      const { unit, location } = own[i];
      const open = [...legal].filter((order) => O.orderType(order) === O.RETREAT_TO && !taken.has(placeOf(order)));
      if (open.length === 0) return O.disband(location);
      const keyOf = (order: number): number =>
        (unit & 1) === 0 ? placeOf(order) : map.locationCount + O.orderTarget(order);
      const choices = sort(open.map((order) => [order, this.value(keyOf(order))]));
      const [order] = choices[this.pick(choices)];
      taken.add(placeOf(order));
      return order;
    });
  }

  adjustments(): O.Order[] {
    const { map, game, power } = this;
    const due = adjustmentDue(game, power);
    if (due < 0) {
      const units = sort(this.unitsOf(power).map((p) => [p, -this.winterValue(unitKey(game, p))]));
      return Array.from({ length: -due }, () => {
        const [[p]] = units.splice(this.pick(units), 1);
        return O.remove(game.unitLocation(p));
      });
    }
    const legal = legalByPower(game, power).flatMap((list) => [...list]);
    const builds = legal.filter((order) => [O.BUILD_ARMY, O.BUILD_FLEET].includes(O.orderType(order)));
    const keyOf = (order: number): number =>
      O.orderLocation(order) + (O.orderType(order) === O.BUILD_FLEET ? map.locationCount : 0);
    const siteOf = (order: number): number => map.locationProvince[O.orderLocation(order)];
    let choices = sort(builds.map((order) => [order, this.winterValue(keyOf(order))]));
    return Array.from({ length: due }, () => {
      if (choices.length === 0) return O.waive(power);
      const [order] = choices[this.pick(choices)];
      choices = choices.filter(([other]) => siteOf(other) !== siteOf(order));
      return order;
    });
  }

  orders(): O.Order[] {
    if (this.game.phase === T.MOVEMENT) return this.moves(50);
    return this.game.phase === T.ADJUSTMENT ? this.adjustments() : this.retreats();
  }
}

// ---- positions ----

/** Plays by the policy and the uniform sampler in turn, and shows each position. */
const walk = (map: CompiledMap, seed: number, phases: number, see: (game: Game) => void): void => {
  const game = newGame(map, DATC_3_2);
  const random = new Random(seed);
  const orders = new Int32Array(2 * T.MAX_LOCATIONS);
  for (let i = 0; i < phases && game.status === T.PLAYING; i++) {
    see(game);
    let n = 0;
    for (let q = 0; q < map.powerCount; q++)
      n += sampledOrders(i % 3 === 0 ? UNIFORM : POLICY, game, q, orders.subarray(n), random);
    adjudicate(game, orders.slice(0, n));
  }
};

const dumbbot = suite('dumbbot');
const out = new Int32Array(2 * T.MAX_LOCATIONS);

for (const name of mapNames)
  dumbbot(`${name}: the orders in every phase are those of the plain version`, () => {
    const map = loadMap(name);
    const [seeds, phases] = map === standard ? [3, 40] : [1, 8];
    const seen = new Set<number>();
    for (let seed = 1; seed <= seeds; seed++)
      walk(map, seed, phases, (game) => {
        seen.add(game.phase);
        for (let q = 0; q < map.powerCount; q++) {
          const n = dumbbotOrders(game, q, out, seed + q);
          assert.equal([...out.slice(0, n)], new Plain(game, q, seed + q).orders(), `${game.year}, power ${q}`);
        }
      });
    if (map === standard) assert.is(seen.size, 3);
  });

dumbbot('moves that are chosen more boldly, of a board in place of a game, are those of the plain version', () => {
  walk(standard, 9, 12, (game) => {
    if (game.phase !== T.MOVEMENT) return;
    onBoard.load(game);
    const owners = Int32Array.from(standard.centers, (_, c) => game.owner(c) + 1);
    for (let q = 0; q < standard.powerCount; q++) {
      // Another game in between: nothing of it may stay known.
      readGame(newGame(standard, DATC_3_2));
      setViewer(q);
      readBoard(standard, board.unit, owners, game.season);
      seedDumbbot(q);
      const n = dumbbotMoves(standard, q, out, 0, 85);
      assert.equal([...out.slice(0, n)], new Plain(game, q, q).moves(85));
    }
  });
});

dumbbot('values and counts of units are those of the plain version, wherever one asks', () => {
  walk(standard, 5, 5, (game) => {
    readGame(game);
    for (let q = 0; q < standard.powerCount; q += 3) {
      const plain = new Plain(game, q, 0);
      setViewer(q);
      for (let p = q; p < standard.provinceCount; p += 4) {
        assert.is(valueAt(p), plain.value(p));
        assert.is(valueAt(standard.locationCount + p), plain.value(standard.locationCount + p));
        assert.is(competition(q, p), plain.competition(p));
      }
    }
  });
});

dumbbot('orders given for all units play on as if the others had been drawn and overwritten', () => {
  let steps = 0;
  for (const sampler of [UNIFORM, POLICY])
    walk(standard, 7 + sampler, 30, (game) => {
      if (game.phase !== T.MOVEMENT) return;
      const at: number[] = [];
      const given: number[] = [];
      onBoard.load(game, Int32Array.of(3, steps));
      for (let q = 0; q < standard.powerCount; q++)
        for (const order of out.slice(0, dumbbotOrders(game, q, out, steps))) {
          at.push(standard.locationProvince[O.orderLocation(order)]);
          given.push(onBoard.boardOrder(order));
        }
      /** The position after a phase that begins in this one, and the state of the stream. */
      const after = (play: () => void) => {
        const stream = Int32Array.of(3, steps);
        const copy = game.clone();
        onBoard.load(copy, stream);
        play();
        onBoard.store(copy, stream);
        return [copy.bytes, stream];
      };
      const drawn = after(() => {
        onBoard.begin(sampler);
        for (const [i, order] of given.entries()) board.order[at[i]] = order;
        onBoard.begin();
        onBoard.finish(sampler);
      });
      const step = () => onBoard.step(sampler, Int32Array.from(at), Int32Array.from(given), given.length);
      assert.equal(after(step), drawn);
      steps++;
    });
  assert.ok(steps > 20);
});

dumbbot.run();
