// Counts trees of openings: the order sets of each power's first turns, with their frequency and mean score.
import { type CompiledMap, orderLocation, type ScoreName, scoreInto, scoreNames } from '../../engine/internal.js';
import { formatOrder, type Units } from '../../engine/notation/text/index.js';
import * as T from '../../engine/rules/types.js';
import { kindOfKey, nameOfKey } from '../../selfplay/games/phase-key.js';
import type { GameTable } from '../../selfplay/records/game-table.js';
import { addTo, errorOf, type Moments, meanOf, moments } from '../../selfplay/records/stats.js';
import type { PhaseColumns } from './columns.js';
import type { IndexedShard } from './index-file.js';
import type { Condition, OpeningsWanted } from './query.js';
import { findIn } from './search.js';
import type { OpeningTally, PowerOpenings } from './search-results.js';

/**
 * A set of orders of a power in one turn. Sets with the same first orders form a tree, so a node of it may also be only
 * the beginning of sets that were played.
 */
class OrderSet {
  /** Scores of the games with exactly this set. */
  readonly score: Moments = moments();
  private readonly longer: Map<number, OrderSet> = new Map();
  phase = '';
  orders: readonly string[] = [];
  /** Empty set of the next turn: the root of the tree of its sets. Null while the next turn is not counted. */
  counted: OrderSet | null = null;
  /** Number of different sets that were played in the next turn. */
  sets = 0;
  /** Most frequent sets of the next turn, the most frequent first. Empty while that turn is not counted. */
  next: readonly OrderSet[] = [];
  /** True if games with this set are followed to the next turn. */
  isFollowed = false;

  /** Returns the set with one more packed order. Creates it if it does not exist. */
  with(order: number): OrderSet {
    const known = this.longer.get(order) ?? new OrderSet();
    this.longer.set(order, known);
    return known;
  }

  /** Yields all sets that were played and begin with the orders of this set, this set included. */
  *played(): Generator<OrderSet> {
    if (this.score.count > 0) yield this;
    for (const one of this.longer.values()) yield* one.played();
  }
}

/** Returns the units that the orders of a game, phase.orders[begin .. end), are for. Used to format these orders. */
const unitsIn = ({ locationProvince, kind }: CompiledMap, phase: PhaseColumns, begin: number, end: number): Units => {
  const orders = new Map<number, number>();
  for (let i = begin; i < end; i++) orders.set(locationProvince[orderLocation(phase.orders[i])], i);
  return {
    unitAt: (province) => {
      const i = orders.get(province);
      // The type of a unit without an order is unknown. Assumes a fleet at sea and an army elsewhere.
      return i === undefined ? T.makeUnit(0, kind[province] === T.SEA ? T.FLEET : T.ARMY) : phase.units[i];
    },
    unitLocation: (province) => {
      const i = orders.get(province);
      return i === undefined ? province : orderLocation(phase.orders[i]);
    },
  };
};

/** A shard of games, with the order set that each power of each game gave in the last counted turn. */
interface Followed {
  readonly shard: IndexedShard;
  /**
   * Order set of a power in the last counted turn, indexed by game * powers + power. Null if the game or power is not
   * counted.
   */
  readonly places: (OrderSet | null)[];
  readonly scores: Float64Array;
}

/** Returns the final scores of all games, indexed by game * powers + power. @param system index in scoreNames */
const scoresOf = (table: GameTable, system: number): Float64Array => {
  const { games, powers, columns } = table;
  const scores = new Float64Array(games * powers);
  for (let game = 0; game < games; game++) {
    const own = scores.subarray(game * powers, (game + 1) * powers);
    scoreInto(system, table.lastCenters(game), 0, powers, columns.winners[game], own);
  }
  return scores;
};

const tallyOf = ({ score, sets, next }: OrderSet): OpeningTally => ({
  games: score.count,
  score: meanOf(score),
  error: score.count < 2 ? null : errorOf(score),
  sets,
  next: next.map((one) => ({
    phase: one.phase,
    orders: one.orders,
    share: one.score.count / score.count,
    ...tallyOf(one),
  })),
});

/** Counts trees of openings over runs on one map. */
export class OpeningCounter {
  private readonly roots: Map<string, OrderSet> = new Map();
  private readonly followed: Followed[] = [];
  private readonly powers: number = this.map.powerCount;

  constructor(
    private readonly map: CompiledMap,
    private readonly wanted: OpeningsWanted,
    private readonly scoring: ScoreName,
  ) {}

  /**
   * Adds the games of a shard that satisfy a condition. @throws LepantoError if the index is damaged
   * @param names names of the agents in the run, indexed as in its manifest
   * @param condition null for all games
   */
  add(shard: IndexedShard, names: readonly string[], condition: Condition | null): void {
    const { powers, wanted } = this;
    const table = shard.games();
    const found = condition === null ? null : findIn(condition, shard, table);
    const scores = scoresOf(table, scoreNames.indexOf(this.scoring));
    const roots = new Map<number, OrderSet>();
    const places = Array.from(scores, (score, i) => {
      const power = i % powers;
      const isCounted = found === null || found[(i - power) / powers] >= 0;
      if (!isCounted || (wanted.power >= 0 && power !== wanted.power)) return null;
      const agent = table.seatsOf((i - power) / powers)?.[power] ?? power;
      const root = roots.get(powers * agent + power) ?? this.rootOf(power, names[agent] ?? '');
      roots.set(powers * agent + power, root);
      addTo(root.score, score);
      return root;
    });
    this.followed.push({ shard, places, scores });
  }

  private rootOf(power: number, agent: string): OrderSet {
    const key = JSON.stringify([power, agent]);
    const root = this.roots.get(key) ?? new OrderSet();
    root.isFollowed = true;
    this.roots.set(key, root);
    return root;
  }

  private countPhase(phase: PhaseColumns, name: string, { places, scores }: Followed): void {
    const { powers } = this;
    const { locationProvince } = this.map;
    const { games, firstOrder, orders, units } = phase;
    for (let place = 0; place < games.length; place++) {
      const [begin, end, first] = [firstOrder[place], firstOrder[place + 1], games[place] * powers];
      for (let power = 0; power < powers; power++) {
        const before = places[first + power];
        if (before?.isFollowed !== true) continue;
        before.counted ??= new OrderSet();
        let set = before.counted;
        // Agents may list the orders of the same set in any sequence.
        const own = orders.subarray(begin, end).filter((_, i) => T.unitPower(units[begin + i]) === power);
        own.sort();
        for (const order of own) set = set.with(order);
        if (set.score.count === 0) {
          const of = unitsIn(this.map, phase, begin, end);
          own.sort((a, b) => locationProvince[orderLocation(a)] - locationProvince[orderLocation(b)]);
          set.phase = name;
          set.orders = Array.from(own, (order) => formatOrder(this.map, order, of));
        }
        addTo(set.score, scores[first + power]);
        places[first + power] = set;
      }
    }
  }

  /**
   * Returns the tree of openings of each agent with each power. To be called after all shards have been added.
   * @param most maximum number of order sets that are followed and listed after each set
   * @throws LepantoError if the index is damaged
   */
  trees(most: number): PowerOpenings[] {
    let last = [...this.roots.values()];
    for (let turn = 0; turn < this.wanted.turns; turn++) {
      for (const one of this.followed) {
        const key = one.shard.keys.filter((key) => kindOfKey(key) === T.MOVEMENT)[turn];
        if (key === undefined) one.places.fill(null);
        else this.countPhase(one.shard.phase(key), nameOfKey(key), one);
      }
      for (const set of last) {
        const played = [...(set.counted?.played() ?? [])].sort((a, b) => b.score.count - a.score.count);
        set.counted = null;
        set.sets = played.length;
        set.next = played.slice(0, most);
        for (const one of set.next) one.isFollowed = true;
      }
      last = last.flatMap(({ next }) => next);
    }
    return [...this.roots]
      .map(([key, root]): PowerOpenings => {
        const [power, agent] = JSON.parse(key) as [number, string];
        return { power: this.map.powerNames[power], agent, ...tallyOf(root) };
      })
      .filter(({ games }) => games > 0)
      .sort((a, b) => this.map.powerNames.indexOf(a.power) - this.map.powerNames.indexOf(b.power) || b.games - a.games);
  }
}
