// Finds the games of an index that satisfy a condition, and the first phase in which they do.
import { kindOfKey } from '../../selfplay/games/phase-key.js';
import type { GameTable } from '../../selfplay/records/game-table.js';
import type { IndexedShard } from './index-file.js';
import type { Span } from './phase-keys.js';
import type { Condition, OrderPattern } from './query.js';

/** Stands for a game that does not satisfy a condition. */
const NO = -1;
/** Stands for a game that satisfies a condition as a whole, not in a certain phase. */
const WHOLE = 0;

/** Number of the first phase that satisfies a condition, or NO or WHOLE, indexed by game of a shard. */
type Found = Int32Array;

const isWithin = (key: number, [first, last]: Span): boolean => key >= first && key <= last;

/**
 * Finds the first phase of each game that satisfies a condition.
 * @param count number of games in the shard
 * @param wanted returns true for the number of a phase that must be searched
 * @param look searches a phase and calls `hit` with the index of each game that satisfies the condition
 */
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
 * Finds for each game the first year in which its centres satisfy a test. The game counts only if this year is in
 * `when`; otherwise its result is NO.
 * @param begin called for each game; returns its test, which is called with the centres of each year, indexed by power
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

/** Returns a power's lead: its centres less those of the strongest other power. Negative if another has more. */
const leadOf = (centers: Uint8Array, power: number): number => {
  let most = 0;
  for (let q = 0; q < centers.length; q++) if (q !== power) most = Math.max(most, centers[q]);
  return centers[power] - most;
};

/**
 * Returns a function that makes a test for a game (see inYears). It is true once another power has as many centres as a
 * power that led in an earlier year.
 * @param power power with the lead; -1 for any
 * @param by minimum lead in centres
 */
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

/** Returns the earlier of two phases, or the only one if the other is NO or WHOLE. */
const earlier = (a: number, b: number): number => (a <= WHOLE || b <= WHOLE ? Math.max(a, b) : Math.min(a, b));

const join = (of: readonly Condition[], shard: IndexedShard, table: GameTable, isAll: boolean): Found => {
  const [first, ...others] = of.map((one) => findIn(one, shard, table));
  for (const other of others)
    for (let game = 0; game < first.length; game++) {
      const isNeither = isAll ? first[game] === NO || other[game] === NO : first[game] === NO && other[game] === NO;
      // If all conditions hold, the first one with a phase determines it.
      const both = isAll ? first[game] || other[game] : earlier(first[game], other[game]);
      first[game] = isNeither ? NO : both;
    }
  return first;
};

/**
 * Returns for each game of a shard the number of the first phase in which a condition holds, 0 if it holds for the
 * whole game, or -1 if it does not hold.
 * @param table the table of the shard's games
 * @throws DamagedIndex if the columns of a phase are damaged
 */
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

/** A game that satisfies a condition. game: its index in the run. */
export interface Hit {
  readonly game: number;
  /** Number of the first phase in which the condition holds (phase-key.ts); null if it is about the whole game. */
  readonly phase: number | null;
  /** Index in the manifest of the agent of each power, indexed by power. */
  readonly agents: ArrayLike<number>;
}

/** Result of a query in one shard. */
export interface ShardHits {
  /** Number of games in the shard. */
  readonly games: number;
  readonly hits: readonly Hit[];
}

/** Returns the games of a shard that satisfy a condition. @throws LepantoError if the index is damaged */
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
