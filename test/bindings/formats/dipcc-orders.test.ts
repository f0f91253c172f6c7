// Tests orders as dipcc's nets have them. The expected lists were made by hand from its source, because its vocabulary is
// no part of this project.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  ADJUSTABLE,
  DipccOrders,
  dipccVocabulary,
  END,
  MAX_CANDIDATES,
  MAX_ROWS,
  PREVIOUS_WIDTH,
} from '../../../bindings/formats/tensors/dipcc-orders.js';
import { DATC_3_2, type Game, type Order, standard } from '../../../engine/internal.js';
import { legalRecord } from '../../../engine/notation/json/legal-record.js';
import { formatPosition, parsePosition } from '../../../engine/notation/json/position.js';
import { interpretOrders } from '../../../engine/notation/text/index.js';
import { Batch } from '../../../engine/play/batch.js';
import { UNIFORM } from '../../../engine/play/step.js';
import { dipnetLocations } from '../../../selfplay/nets/dipnet-rows.js';

const powerOf = (name: string): number => standard.powerNames.indexOf(name);
const rowOf = (tag: string): number => dipnetLocations(standard).indexOf(standard.locationTags.indexOf(tag));

/** Every order that dipcc could number for a power, as sorted texts of each row. Adds them to `entries`. */
const readAll = (game: Game, power: string, entries: string[] = []): string[][] => {
  const places = {
    get: (text: string): number => {
      if (!entries.includes(text)) entries.push(text);
      return entries.indexOf(text);
    },
  };
  const encoder = new DipccOrders(standard, []);
  Object.assign(encoder, { places, entries });
  const actions = new Int32Array(MAX_ROWS * MAX_CANDIDATES);
  const { rows } = encoder.encodePossible(game, powerOf(power), actions, new Int8Array(81));
  return Array.from({ length: rows }, (_, row) =>
    Array.from(actions.subarray(row * MAX_CANDIDATES, (row + 1) * MAX_CANDIDATES))
      .filter((place) => place !== END)
      .map((place) => entries[place])
      .sort(),
  );
};

const position = (record: object): Game => parsePosition(record, standard, DATC_3_2).game;

const orders = suite('dipcc orders');

orders('a unit’s orders are those of its source, by hand', () => {
  const game = position({
    phase: 'S1901M',
    units: { AUSTRIA: ['A ALB', 'A SER'], ITALY: ['F ION', 'F BUL/SC'], TURKEY: ['F GRE'] },
  });
  const [albania, serbia] = readAll(game, 'AUSTRIA');
  assert.equal(albania, [
    'A ALB - APU VIA',
    'A ALB - GRE',
    'A ALB - GRE VIA',
    'A ALB - NAP VIA',
    'A ALB - SER',
    'A ALB - TRI',
    'A ALB - TUN VIA',
    'A ALB H',
    'A ALB S A SER',
    'A ALB S A SER - GRE',
    'A ALB S A SER - TRI',
    'A ALB S F BUL/SC - GRE',
    'A ALB S F GRE',
    'A ALB S F ION - GRE',
  ]);
  assert.ok(serbia.includes('A SER S F BUL/SC'));
  const [ionian, bulgaria] = readAll(game, 'ITALY');
  assert.equal(
    ionian.filter((order) => order.includes(' C ')),
    ['APU', 'GRE', 'NAP', 'TUN'].map((to) => `F ION C A ALB - ${to}`),
  );
  assert.ok(bulgaria.every((order) => order.startsWith('F BUL/SC ')));
});

orders('rows come by dipcc’s locations, and a province says its row', () => {
  const encoder = new DipccOrders(standard, ['A BUR H', 'A PAR - PIC', 'A PAR H', 'F SPA/NC - MAO', 'F SPA/NC H']);
  const game = position({ phase: 'S1901M', units: { FRANCE: ['A PAR', 'F SPA/NC', 'A BUR'] } });
  const actions = new Int32Array(MAX_ROWS * MAX_CANDIDATES);
  const locations = new Int8Array(81);
  assert.is(encoder.encodePossible(game, powerOf('FRANCE'), actions, locations).rows, 3);
  const rows = ['PAR', 'SPA', 'BUR'].map((tag) => locations[rowOf(tag)]);
  assert.equal(rows, [1, 2, 0], 'BUR, PAR, SPA/NC in the order of the 81 locations');
  assert.is(locations[rowOf('SPA/NC')], -1, 'the province stands for its coast');
  for (const [row, wanted] of [
    [0, END],
    [1, 2, END],
    [3, 4, END],
  ].entries())
    assert.equal([...actions.subarray(row * MAX_CANDIDATES).subarray(0, wanted.length)], wanted);
  assert.equal(encoder.decode([0, END, 4]), ['A BUR H', 'F SPA/NC H']);
  encoder.encodePossible(game, powerOf('ITALY'), actions, locations);
  assert.ok(actions.every((place) => place === END) && locations.every((row) => row === -1));
});

orders('builds are joint, removals so many rows', () => {
  const centers = { TURKEY: ['ANK', 'CON', 'SMY'], RUSSIA: ['STP'] };
  const units = { TURKEY: ['A SMY'], RUSSIA: ['A MOS', 'F BLA', 'A WAR'] };
  const game = position({ phase: 'W1901A', units, centers });
  const builds = ['A ANK B;A CON B', 'A ANK B;F CON B', 'A CON B;F ANK B', 'F ANK B;F CON B'];
  assert.equal(readAll(game, 'TURKEY'), [builds]);
  const disbands = ['A MOS D', 'A WAR D', 'F BLA D'];
  assert.equal(readAll(game, 'RUSSIA'), [disbands, disbands]);
  const north = position({ phase: 'W1901A', units: {}, centers: { RUSSIA: ['STP'] } });
  assert.equal(readAll(north, 'RUSSIA'), [['A STP B', 'F STP/NC B', 'F STP/SC B']]);
  const encoder = new DipccOrders(standard, ['A ANK B;A CON B']);
  const locations = new Int8Array(81);
  encoder.encodePossible(game, powerOf('TURKEY'), new Int32Array(MAX_ROWS * MAX_CANDIDATES), locations);
  assert.equal(
    ['ANK', 'CON', 'SMY'].map((tag) => locations[rowOf(tag)]),
    [ADJUSTABLE, ADJUSTABLE, -1],
  );
});

orders('retreats and disbands of dislodged units have numbers', () => {
  const retreats = { AUSTRIA: { 'A TRI': ['ALB', 'BUD'] } };
  const game = position({ phase: 'F1901R', units: { ITALY: ['A TRI'] }, retreats });
  assert.equal(readAll(game, 'AUSTRIA'), [['A TRI D', 'A TRI R ALB', 'A TRI R BUD']]);
});

orders('what our rules allow is among the possible orders of random games', () => {
  const batch = new Batch(standard, DATC_3_2, 4);
  const entries: string[] = [];
  let seen = 0;
  for (let step = 0; step < 6; step++) {
    batch.sampleStep(UNIFORM);
    for (let g = 0; g < 4; g++) {
      const game = batch.game(g);
      if (game.status !== 0) continue;
      const legal = legalRecord(formatPosition(game)).orders;
      for (const [power, units] of Object.entries(legal)) {
        const possible = new Set(readAll(game, power, entries).flat());
        for (const order of Object.values(units).flat()) {
          if (game.phase !== 2) assert.ok(possible.has(order), order);
          seen++;
        }
      }
    }
  }
  assert.ok(seen > 4000 && entries.length > 1000, `${seen} orders, ${entries.length} entries`);
});

orders('the orders since the last moves, sorted, what is unknown left out', () => {
  const vocabulary = dipccVocabulary('{"F STP/SC": ["F STP/SC H", "F STP/SC - BOT"], "A PAR": ["A PAR H", "A PAR B"]}');
  assert.equal(vocabulary, ['A PAR B', 'A PAR H', 'F STP/SC - BOT', 'F STP/SC H']);
  const encoder = new DipccOrders(standard, vocabulary);
  const read = (game: Game, power: string, ...texts: string[]): Order[] => {
    const due = new Int32Array(7).fill(9);
    const given = texts.map((text) => [powerOf(power), text] as const);
    return interpretOrders({ game, retreats: new Map(), due }, given).map(({ order, reason }, i) => {
      assert.is(reason, null, texts[i]);
      return order;
    });
  };
  const moves = position({ phase: 'F1901M', units: { RUSSIA: ['F STP/SC'], FRANCE: ['A PAR', 'A BUR'] } });
  const builds = position({ phase: 'W1901A', units: {}, centers: { FRANCE: ['PAR', 'BRE'] } });
  const out = new BigInt64Array(2 * PREVIOUS_WIDTH).fill(7n);
  const moved = [...read(moves, 'RUSSIA', 'F STP - BOT'), ...read(moves, 'FRANCE', 'A PAR H', 'A BUR H')];
  const built = read(builds, 'FRANCE', 'A PAR B', 'WAIVE');
  encoder.encodePrevious(
    [
      { game: moves, orders: moved },
      { game: builds, orders: built },
    ],
    out,
  );
  assert.equal([...out.subarray(0, 4)], [0n, 1n, 2n, 0n]);
  assert.equal(
    [...out.subarray(PREVIOUS_WIDTH, PREVIOUS_WIDTH + 4)],
    [rowOf('PAR'), rowOf('PAR'), rowOf('STP/SC'), 0].map(BigInt),
  );
  assert.ok(out.subarray(3, PREVIOUS_WIDTH).every((place) => place === 0n));
  const many = new Array(PREVIOUS_WIDTH).fill(read(moves, 'FRANCE', 'A PAR H')[0]) as Order[];
  assert.throws(() => encoder.encodePrevious([{ game: moves, orders: many }], out), /got 100, wanted fewer than 100/);
});

orders.run();
