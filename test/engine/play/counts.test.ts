// Counts, like perft of chess, legal orders by power in named positions, and games to a depth by seed. A wrong border, a
// missed coast or a retreat that should be barred changes a number here. The numbers are pinned as the engine gave them;
// legal.test.ts tests that the lists are right.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adjudicate } from '../../../engine/adjudicate/calendar.js';
import { allLegalOrders } from '../../../engine/legal/lists.js';
import { loadMap } from '../../../engine/map/index.js';
import { legalRecord } from '../../../engine/notation/json/legal-record.js';
import { checkGame, hashGame, newGame } from '../../../engine/position/game.js';
import { DATC_3_2 } from '../../../engine/rules/options.js';
import { Random } from '../../../engine/rules/random.js';
import { makeResults } from '../../../engine/rules/results.js';
import { NO_FATE, NO_UNIT, PLAYING, SUCCEEDS } from '../../../engine/rules/types.js';

// ---- named positions ----

/** A position, and how many orders each power has; those that have none are left out. */
interface Named {
  readonly map?: string;
  readonly record: object;
  readonly counts: Readonly<Record<string, number>>;
}

const START = {
  AUSTRIA: ['A BUD', 'F TRI', 'A VIE'],
  ENGLAND: ['F EDI', 'F LON', 'A LVP'],
  FRANCE: ['F BRE', 'A MAR', 'A PAR'],
  GERMANY: ['A BER', 'F KIE', 'A MUN'],
  ITALY: ['F NAP', 'A ROM', 'A VEN'],
  RUSSIA: ['A MOS', 'F SEV', 'F STP/SC', 'A WAR'],
  TURKEY: ['F ANK', 'A CON', 'A SMY'],
};

const POSITIONS: Readonly<Record<string, Named>> = {
  'spring 1901': {
    record: { phase: 'S1901M', units: START },
    counts: { AUSTRIA: 34, ENGLAND: 29, FRANCE: 30, GERMANY: 38, ITALY: 38, RUSSIA: 42, TURKEY: 27 },
  },
  'all coasts of Spain, Bulgaria and St Petersburg': {
    record: {
      phase: 'S1905M',
      units: {
        ENGLAND: ['F STP/NC', 'F SPA/NC', 'F BUL/EC', 'F BAR', 'A NWY'],
        FRANCE: ['F MAO', 'F LYO', 'F POR', 'A GAS', 'A MAR'],
        TURKEY: ['F CON', 'F AEG', 'F BLA', 'A RUM', 'A GRE'],
      },
    },
    counts: { ENGLAND: 47, FRANCE: 94, TURKEY: 97 },
  },
  'a ring of convoys round Europe': {
    record: {
      phase: 'S1908M',
      units: {
        AUSTRIA: ['A TRI', 'F ADR', 'F ION'],
        ENGLAND: ['A EDI', 'F NTH', 'F ENG', 'F NWG', 'F IRI', 'F MAO'],
        FRANCE: ['A BRE', 'F WES', 'F LYO', 'A SPA'],
        ITALY: ['A TUN', 'F TYS', 'A ROM'],
        TURKEY: ['A SMY', 'F EAS', 'F AEG', 'A BUL'],
      },
    },
    counts: { AUSTRIA: 294, ENGLAND: 542, FRANCE: 343, ITALY: 283, TURKEY: 276 },
  },
  'superfluous fleets': {
    record: {
      phase: 'S1908M',
      units: { ENGLAND: ['A YOR', 'F NTH', 'F ENG', 'F NWG', 'F SKA', 'F HEL'], GERMANY: ['A KIE', 'F BAL', 'F BOT'] },
    },
    counts: { ENGLAND: 178, GERMANY: 77 },
  },
  'fleets that go nowhere by land: Rome to Venice, Ankara to Smyrna': {
    record: { phase: 'F1902M', units: { ITALY: ['F ROM', 'F VEN'], TURKEY: ['F ANK', 'F SMY'] } },
    counts: { ITALY: 8, TURKEY: 11 },
  },
  'an army alone in Tyrolia': {
    record: { phase: 'F1902M', units: { GERMANY: ['A TYR'] } },
    counts: { GERMANY: 7 },
  },
  'retreats to both coasts, to one, to none': {
    record: {
      phase: 'F1903R',
      units: { ENGLAND: ['F MAO', 'A BOH'], TURKEY: ['F CON'] },
      retreats: {
        AUSTRIA: { 'A BOH': [] },
        FRANCE: { 'F MAO': ['SPA/NC', 'SPA/SC', 'POR'] },
        TURKEY: { 'F CON': ['BUL/EC'] },
      },
    },
    counts: { AUSTRIA: 1, FRANCE: 4, TURKEY: 2 },
  },
  'two builds of Russia, a removal of Turkey, a waive of France': {
    record: {
      phase: 'W1903A',
      units: { FRANCE: ['A PAR', 'F BRE'], RUSSIA: ['A WAR', 'F SEV'], TURKEY: ['A CON', 'F BLA', 'A ANK'] },
      centers: {
        FRANCE: ['PAR', 'BRE', 'MAR'],
        RUSSIA: ['MOS', 'STP', 'WAR', 'SEV'],
        TURKEY: ['CON', 'ANK'],
      },
    },
    counts: { FRANCE: 3, RUSSIA: 6, TURKEY: 3 },
  },
  'the first winter of chaos': {
    map: 'chaos',
    record: { phase: 'W1900A', units: {}, centers: { ANKARA: ['ANK'], RUMANIA: ['RUM'] } },
    counts: { ANKARA: 3, RUMANIA: 3 },
  },
  'spring of the ancient Mediterranean': {
    map: 'ancmed',
    record: {
      phase: 'S1M',
      units: {
        CARTHAGE: ['A CAR', 'F THA', 'A CIR'],
        EGYPT: ['F ALE', 'A MEM', 'A THB'],
        GREECE: ['A ATH', 'F SPA', 'A MAC'],
        PERSIA: ['A ANT', 'A DAM', 'F SID'],
        ROME: ['F NEA', 'A RAV', 'A ROM'],
      },
    },
    counts: { CARTHAGE: 29, EGYPT: 37, GREECE: 24, PERSIA: 26, ROME: 32 },
  },
};

const positions = suite('counts: legal orders');

const countOrders = ({ map, record }: Named): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const [power, units] of Object.entries(legalRecord(record, loadMap(map ?? 'standard')).orders))
    for (const orders of Object.values(units)) counts[power] = (counts[power] ?? 0) + orders.length;
  return counts;
};

for (const [name, position] of Object.entries(POSITIONS))
  positions(name, () => {
    assert.equal(countOrders(position), position.counts);
  });

/**
 * Holds and moves of each unit in spring 1901, as people have counted them; their product is the number of openings
 * without supports that is found on the web (playdiplomacy.com, "Opening Moves", 2011).
 */
const OPENING_MOVES: Readonly<Record<string, number>> = {
  'F EDI': 5,
  'A LVP': 5,
  'F LON': 5,
  'F BRE': 5,
  'A PAR': 5,
  'A MAR': 5,
  'A VEN': 7,
  'A ROM': 5,
  'F NAP': 5,
  'A VIE': 6,
  'A BUD': 6,
  'F TRI': 4,
  'F KIE': 6,
  'A BER': 5,
  'A MUN': 8,
  'F STP/SC': 4,
  'A MOS': 6,
  'F SEV': 4,
  'A WAR': 7,
  'F ANK': 4,
  'A CON': 4,
  'A SMY': 5,
};

positions('holds and moves of spring 1901 are those that others have counted', () => {
  const { orders } = legalRecord({ phase: 'S1901M', units: START });
  const units = Object.values(orders).flatMap((lists) => Object.entries(lists));
  const moves = units.map(([unit, list]): [string, number] => [
    unit,
    list.filter((order) => !/ [SC] /.test(order)).length,
  ]);
  assert.equal(new Map(moves), new Map(moves.map(([unit]) => [unit, OPENING_MOVES[unit]])));
  assert.is(
    moves.reduce((product, [, n]) => product * BigInt(n), 1n),
    5_080_320_000_000_000n,
  );
});

positions.run();

// ---- games to a depth ----

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

const GAMES: readonly Depth[] = [
  ['standard', 1, 10, [8, 0, 2], 2266, 39, 0, 23, [1917992572, 1581261100]],
  ['standard', 1, 60, [41, 2, 17], 19145, 259, 2, 34, [-318261440, -1037598555]],
  ['standard', 2, 60, [40, 1, 19], 18476, 246, 2, 32, [-1738399955, -1419778746]],
  ['standard', 3, 200, [136, 5, 59], 84067, 823, 6, 33, [-1532416470, 350394095]],
  ['1898', 4, 60, [42, 0, 18], 14485, 301, 0, 31, [-1981547378, -8220909]],
  ['chaos', 5, 30, [20, 0, 10], 9631, 187, 0, 33, [-1641287994, -1310398927]],
  ['ancmed', 6, 60, [43, 1, 16], 14896, 248, 1, 31, [-266379966, -548582779]],
];

const list = new Int32Array(1 << 17);
const offsets = new Int32Array(257);
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
    const count = allLegalOrders(game, list, offsets);
    legal += offsets[count];
    kinds[game.phase]++;
    const orders = Int32Array.from(
      { length: count },
      (_, k) => list[offsets[k] + random.below(offsets[k + 1] - offsets[k])],
    );
    adjudicate(game, orders, count, results);
    succeeded += results.result.filter((result) => result === SUCCEEDS).length;
    dislodged += results.fate.filter((fate) => fate !== NO_FATE).length;
    assert.is(checkGame(game), null);
  }
  let units = 0;
  for (let p = 0; p < map.provinceCount; p++) if (game.unitAt(p) !== NO_UNIT) units++;
  return [name, seed, phases, kinds, legal, succeeded, dislodged, units, hashGame(game)];
};

const games = suite('counts: games to a depth');

for (const game of GAMES) {
  const [map, seed, phases] = game;
  games(`${map}, seed ${seed}, ${phases} phases`, () => {
    assert.equal(playTo(map, seed, phases), game);
  });
}

games.run();
