// Counts, like perft of chess, legal orders by power in named positions, and games to a depth by seed. A wrong border, a
// missed coast or a retreat that should be barred changes a number here. test/data/counts.json pins what the engine gave;
// legal.test.ts tests that the lists are right.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pick } from '../../../bench/corpus/dense-orders.js';
import { adjudicate } from '../../../engine/adjudicate/calendar.js';
import { loadMap } from '../../../engine/map/index.js';
import { legalRecord } from '../../../engine/notation/json/legal-record.js';
import { checkGame, hashGame, newGame } from '../../../engine/position/game.js';
import { DATC_3_2 } from '../../../engine/rules/options.js';
import { Random } from '../../../engine/rules/random.js';
import { makeResults } from '../../../engine/rules/results.js';
import { NO_FATE, PLAYING, SUCCEEDS } from '../../../engine/rules/types.js';
import { readData } from '../../tools/data.js';
import { legalLists, unitsIn } from '../../tools/legal-orders.js';

/** A position, and how many orders each power has; those that have none are left out. */
interface Named {
  readonly title: string;
  readonly map?: string;
  readonly record: object;
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * What games of random orders came to: map, seed, phases; movement, retreat and adjustment phases among them; legal
 * orders of all phases; moves, retreats, builds and removals that succeeded; units dislodged; units left; hashGame().
 */
type Depth = readonly [
  map: string,
  seed: number,
  phases: number,
  kinds: readonly number[],
  legal: number,
  succeeded: number,
  dislodged: number,
  units: number,
  hash: readonly number[],
];

const data = readData<{ positions: Named[]; openingMoves: Record<string, number>; games: Depth[] }>('counts.json');

const positions = suite('counts: legal orders');

const countOrders = ({ map, record }: Named): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const [power, units] of Object.entries(legalRecord(record, loadMap(map ?? 'standard')).orders))
    for (const orders of Object.values(units)) counts[power] = (counts[power] ?? 0) + orders.length;
  return counts;
};

for (const position of data.positions)
  positions(`orders in ${position.title} are as many as were counted`, () => {
    assert.equal(countOrders(position), position.counts);
  });

positions('holds and moves of spring 1901 are those that others have counted', () => {
  const { orders } = legalRecord(data.positions[0].record);
  const units = Object.values(orders).flatMap((lists) => Object.entries(lists));
  const moves = units.map(([unit, list]): [string, number] => [
    unit,
    list.filter((order) => !/ [SC] /.test(order)).length,
  ]);
  assert.equal(new Map(moves), new Map(Object.entries(data.openingMoves)));
  assert.is(
    moves.reduce((product, [, n]) => product * BigInt(n), 1n),
    5_080_320_000_000_000n,
  );
});

positions.run();

// ---- games to a depth ----

const results = makeResults();

/** Plays random orders, a uniform legal one for each unit or site that has any. */
const playTo = (name: string, seed: number, depth: number): Depth => {
  const map = loadMap(name);
  const game = newGame(map, DATC_3_2);
  const random = new Random(seed);
  const kinds = [0, 0, 0];
  let phases = 0;
  let legal = 0;
  let succeeded = 0;
  let dislodged = 0;
  for (; phases < depth && game.status === PLAYING; phases++) {
    const lists = legalLists(game);
    legal += lists.reduce((sum, { length }) => sum + length, 0);
    kinds[game.phase]++;
    adjudicate(
      game,
      Int32Array.from(lists, (orders) => pick(random, orders)),
      lists.length,
      results,
    );
    succeeded += results.result.filter((result) => result === SUCCEEDS).length;
    dislodged += results.fate.filter((fate) => fate !== NO_FATE).length;
    assert.is(checkGame(game), null);
  }
  return [name, seed, phases, kinds, legal, succeeded, dislodged, unitsIn(game).length, hashGame(game)];
};

const games = suite('counts: games to a depth');

for (const game of data.games) {
  const [map, seed, phases] = game;
  games(`a game of random orders on ${map}, seed ${seed}, is what it was for ${phases} phases`, () => {
    assert.equal(playTo(map, seed, phases), game);
  });
}

games.run();
