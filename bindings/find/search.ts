// Finds the games of an index for which a condition holds, and the phase in which it first does.
import { kindOfKey } from '../../selfplay/games/phase-key.js';
import type { GameTable } from '../../selfplay/records/game-table.js';
import type { IndexedShard } from './index-file.js';
import type { Span } from './phase-keys.js';
import type { Condition, OrderPattern } from './query.js';

/** The condition does not hold for a game, or holds for all of it and in no phase more than in others. */
const NO = -1;
const WHOLE = 0;

/** The phase in which a condition first holds, by game of a shard; or NO or WHOLE. */
type Found = Int32Array;

const isWithin = (key: number, [first, last]: Span): boolean => key >= first && key <= last;

/** Looks at phases in their order, and notes for each game the first for which `isHit` says so. */
const inPhases = (
  shard: IndexedShard,
  count: number,
  wanted: (key: number) => boolean,
  look: (phase: ReturnType<IndexedShard['phase']>, hit: (place: number) => void) => void,
): Found => {
  const found = new Int32Array(count).fill(NO);
  for (const key of shard.keys.filter(wanted)) {
    const phase = shard.phase(key);
    look(phase, (place) => {
      const game = phase.games[place];
      if (found[game] === NO) found[game] = key;
    });
  }
  return found;
};

const findOrders = (shard: IndexedShard, count: number, patterns: readonly OrderPattern[], when: Span): Found => {
  const wanted = (key: number): boolean =>
    isWithin(key, when) && patterns.every(({ phases }) => phases.has(kindOfKey(key)));
  const [first, ...others] = patterns;
  return inPhases(shard, count, wanted, ({ orders, units, outcomes, firstOrder }, hit) => {
    const fits = ({ fits, fitsUnit }: OrderPattern, i: number): boolean =>
      fits(orders[i]) && fitsUnit(units[i], outcomes[i]);
    const isIn = (pattern: OrderPattern, place: number): boolean => {
      for (let i = firstOrder[place]; i < firstOrder[place + 1]; i++) if (fits(pattern, i)) return true;
      return false;
    };
    for (let place = 0; place + 1 < firstOrder.length; place++)
      if (isIn(first, place) && others.every((other) => isIn(other, place))) hit(place);
  });
};

const findConvoys = (shard: IndexedShard, count: number, power: number, fleets: number, when: Span): Found =>
  inPhases(
    shard,
    count,
    (key) => isWithin(key, when),
    ({ convoys, units, firstOrder }, hit) => {
      let place = 0;
      for (let i = 0; i < convoys.length; i += 2) {
        const [order, length] = [convoys[i], convoys[i + 1]];
        while (firstOrder[place + 1] <= order) place++;
        if (length >= fleets && (power < 0 || (units[order] >> 1) - 1 === power)) hit(place);
      }
    },
  );

const findPosition = (shard: IndexedShard, count: number, [low, high]: readonly [number, number]): Found =>
  inPhases(
    shard,
    count,
    () => true,
    ({ positions }, hit) => {
      for (let i = 0; i < positions.length; i += 2) if (positions[i] === low && positions[i + 1] === high) hit(i >> 1);
    },
  );

/**
 * Looks at the centres of each game year by year, up to the first year in which something holds, which must be in `when`.
 * @param begin of each game; what it returns is told the centres of all years in turn
 */
const inYears = (table: GameTable, when: Span, begin: () => (centers: Uint8Array) => boolean): Found => {
  const { games, powers, columns } = table;
  const { centers, keys } = columns;
  const found = new Int32Array(games).fill(NO);
  for (let game = 0; game < games; game++) {
    const holds = begin();
    const [first, last] = table.rowsOf(game);
    for (let row = first; row <= last; row++) {
      if (!holds(centers.subarray(row * powers, (row + 1) * powers))) continue;
      if (isWithin(keys[row], when)) found[game] = keys[row];
      break;
    }
  }
  return found;
};

/** How many centres more than each other power one has. */
const leadOf = (centers: Uint8Array, power: number): number => {
  let most = 0;
  for (let q = 0; q < centers.length; q++) if (q !== power) most = Math.max(most, centers[q]);
  return centers[power] - most;
};

/** True from the year on in which another power has as many centres as one that had so many more. */
const lostLead = (power: number, by: number) => (): ((centers: Uint8Array) => boolean) => {
  let leader = -1;
  return (centers) => {
    if (leader >= 0 && leadOf(centers, leader) <= 0) return true;
    for (let q = 0; q < centers.length; q++) if ((power < 0 || q === power) && leadOf(centers, q) >= by) leader = q;
    return false;
  };
};

const wonBy = (table: GameTable, power: number): Found =>
  Int32Array.from(table.columns.winners, (winner, game) =>
    winner === power ? table.columns.keys[table.rowsOf(game)[1]] : NO,
  );

/** The earlier of two phases, where there is one. */
const earlier = (a: number, b: number): number => (a <= WHOLE || b <= WHOLE ? Math.max(a, b) : Math.min(a, b));

const join = (of: readonly Condition[], shard: IndexedShard, table: GameTable, isAll: boolean): Found => {
  const [first, ...others] = of.map((one) => findIn(one, shard, table));
  for (const other of others)
    for (let game = 0; game < first.length; game++) {
      const isNeither = isAll ? first[game] === NO || other[game] === NO : first[game] === NO && other[game] === NO;
      // Of conditions that all hold, the first one that names a phase says which.
      const both = isAll ? first[game] || other[game] : earlier(first[game], other[game]);
      first[game] = isNeither ? NO : both;
    }
  return first;
};

/** By game of a shard: the first phase in which a condition holds, 0 where it names none, -1 where it does not hold. */
export const findIn = (condition: Condition, shard: IndexedShard, table: GameTable): Found => {
  const { games } = table;
  switch (condition.kind) {
    case 'orders':
      return findOrders(shard, games, condition.patterns, condition.when);
    case 'convoy':
      return findConvoys(shard, games, condition.power, condition.fleets, condition.when);
    case 'position':
      return findPosition(shard, games, condition.hash);
    case 'out':
      return inYears(table, condition.when, () => (centers) => centers[condition.power] === 0);
    case 'lead':
      return inYears(table, condition.when, lostLead(condition.power, condition.by));
    case 'wins':
      return wonBy(table, condition.power);
    case 'not':
      return findIn(condition.of, shard, table).map((key) => (key === NO ? WHOLE : NO));
    case 'and':
      return join(condition.of, shard, table, true);
    case 'or':
      return join(condition.of, shard, table, false);
  }
};

/** A game for which a condition holds. */
export interface Hit {
  readonly game: number;
  /** Where it first does; null where it holds for the game as a whole. */
  readonly phase: number | null;
  /** By power: place of its agent among those of the manifest. */
  readonly agents: ArrayLike<number>;
}

/** What a shard has of a query. */
export interface ShardHits {
  /** Games in it. */
  readonly games: number;
  readonly hits: readonly Hit[];
}

/** @throws LepantoError if the index is damaged */
export const hitsIn = (condition: Condition, shard: IndexedShard): ShardHits => {
  const table = shard.games();
  const powers = Array.from({ length: table.powers }, (_, power) => power);
  const hits: Hit[] = [];
  for (const [game, key] of findIn(condition, shard, table).entries())
    if (key !== NO)
      hits.push({
        game: table.columns.indices[game],
        phase: key === WHOLE ? null : key,
        agents: table.seatsOf(game) ?? powers,
      });
  return { games: table.games, hits };
};
