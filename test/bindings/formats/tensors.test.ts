// Tests the tensors of DipNet and DeepMind against counts and facts of those projects.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BoardEncoder, boardLayout } from '../../../bindings/formats/tensors/board.js';
import {
  deepmindAction,
  deepmindActions,
  deepmindBoard,
  deepmindBoardInto,
  deepmindEncoder,
  deepmindKinds,
  deepmindSeason,
  wholeAction,
} from '../../../bindings/formats/tensors/deepmind.js';
import { DipccEncoder, dipccBoard, dipccBoardInto } from '../../../bindings/formats/tensors/dipcc.js';
import { DipccOrders } from '../../../bindings/formats/tensors/dipcc-orders.js';
import {
  dipnetBoard,
  dipnetBoardInto,
  dipnetEncoder,
  dipnetOrders,
  dipnetOrdersInto,
} from '../../../bindings/formats/tensors/dipnet.js';
import { mapVocabulary, readVocabulary } from '../../../bindings/formats/tensors/vocabulary-file.js';
import {
  ADJUSTMENT,
  adjudicate,
  adjustmentDue,
  adjustmentsDue,
  DATC_3_2,
  type Game,
  hold,
  legalByPower,
  makeResults,
  move,
  NO_UNIT,
  newGame,
  PLAYING,
  Random,
  resetGame,
  standard,
  supportMove,
  vocabulary,
} from '../../../engine/internal.js';
import { legalRecord } from '../../../engine/notation/json/legal-record.js';
import { formatPosition } from '../../../engine/notation/json/position.js';
import { Batch } from '../../../engine/play/batch.js';
import { UNIFORM } from '../../../engine/play/step.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { PreviousOrdersEncoder } from '../../../selfplay/nets/dipnet-orders.js';
import { dipnetLocations } from '../../../selfplay/nets/dipnet-rows.js';

const place = (tag: string): number => standard.locationTags.indexOf(tag);
const none = new Int32Array(7);

/** The row of a location in the arrays of DipNet and dipcc. */
const rowOf = (tag: string): number => dipnetLocations(standard).indexOf(place(tag));

/** The columns of a location's row that are 1. */
const columnsOf = (board: Uint8Array | Float32Array, tag: string, columns: number): number[] =>
  Array.from(board.subarray(rowOf(tag) * columns, (rowOf(tag) + 1) * columns).entries())
    .filter(([, flag]) => flag === 1)
    .map(([column]) => column);

/** Checks the columns of rows: a location, and the columns that are 1. */
const checkRows = (
  board: Uint8Array | Float32Array,
  columns: number,
  rows: Readonly<Record<string, number[]>>,
): void => {
  for (const [tag, wanted] of Object.entries(rows)) assert.equal(columnsOf(board, tag, columns), wanted, tag);
};

/** What an encoder writes of a game. @param due builds by power, less than 0 for removals; none by default */
const encoded = (encoder: BoardEncoder, game: Game, due: ArrayLike<number> = none): Uint8Array => {
  const out = new Uint8Array(encoder.size);
  encoder.encode(game, out, 0, due);
  return out;
};

const deepmind = suite('deepmind');

deepmind('has 18,584 actions, so many of each kind', () => {
  const { bits } = deepmindActions(standard);
  const kinds = Object.entries(deepmindKinds);
  const counts = kinds.map(([name, code]) => [name, bits.filter((b) => (b & 255) === code).length]);
  assert.is(bits.length, 18_584);
  assert.equal(Object.fromEntries(counts), {
    'convoy to': 1194,
    convoy: 9022,
    hold: 75,
    'move to': 419,
    'support hold': 412,
    'support move to': 6853,
    disband: 75,
    'retreat to': 419,
    'build army': 22,
    'build fleet': 17,
    remove: 75,
    waive: 1,
  });
});

deepmind('lists them as the published list does, at places all over it', () => {
  const actions = deepmindActions(standard);
  const published: [number, number][] = [
    [0x0000, 0x03],
    [0x0003, 0x0d],
    [0x0117, 0x950b],
    [0x0118, 0x2_0604],
    [0x01b5, 0x12_0204],
    [0x0273, 0x28_3804],
    [0x05b9, 0x5e_7801],
    [0x06ba, 0x6a_9401],
    [0x0784, 0x72_9401],
    [0x0850, 0x7c_4801],
  ];
  for (const [index, bits] of published) assert.is(actions.bits[index], bits, `index ${index}`);
  assert.is(wholeAction(actions, 0x118), 0x0118_0000_0002_0604n);
});

deepmind('has an action for every order of the vocabulary', () => {
  const { indexOf } = deepmindActions(standard);
  assert.is(indexOf.length, vocabulary(standard).size);
  assert.ok(indexOf.every((index) => index >= 0));
});

deepmind('seasons are numbered as DeepMind numbers them', () => {
  const turns = ['00', '01', '10', '11', '22'].map(([season, phase]) => ({ season: +season, phase: +phase }) as Game);
  assert.equal(turns.map(deepmindSeason), [0, 1, 2, 3, 4]);
});

/** One column of each of these ranges is 1 in each row, from the first number to before the second. */
const ONE_EACH = [
  [0, 3],
  [3, 11],
  [13, 16],
  [16, 24],
  [24, 27],
];
const OWNERS = [27, 35];

/** Checks of a board that hold in every position. */
const checkBoard = (board: Uint8Array, game: Game, columns: number): void => {
  const sum = (row: number, [from, to]: readonly number[]): number =>
    board.subarray(row * columns + from, row * columns + to).reduce((n, flag) => n + flag, 0);
  let units = 0;
  for (let row = 0; row < standard.locationCount; row++) {
    for (const range of ONE_EACH) assert.is(sum(row, range), 1);
    assert.ok(sum(row, OWNERS) <= 1);
    units += sum(row, [0, 2]);
  }
  for (let p = 0; p < standard.provinceCount; p++)
    if (game.unitAt(p) !== NO_UNIT) units -= game.unitLocation(p) === p ? 1 : 2;
  assert.is(units, 0, 'a fleet on a coast shows in the row of its province too');
};

deepmind('boards of random positions have one flag of each kind in each row', () => {
  const batch = new Batch(standard, DATC_3_2, 20);
  for (let i = 0; i < 10; i++) {
    batch.sampleStep(UNIFORM);
    for (let g = 0; g < 20; g++)
      for (const encoder of [dipnetEncoder(standard), deepmindEncoder(standard)])
        checkBoard(encoded(encoder, batch.game(g)), batch.game(g), encoder.layout.columns);
  }
});

deepmind.run();

const dipnet = suite('dipnet');

dipnet('writes the first position', () => {
  const encoder = dipnetEncoder(standard);
  assert.equal(encoder.layout, { rows: 81, columns: 35 });
  // Columns 0.. unit, 3.. power (England 1, Russia 5), 15 and 23 nobody dislodged, 24.. area, 27.. owner.
  checkRows(encoded(encoder, newGame()), 35, {
    LVP: [0, 4, 15, 23, 26, 28],
    'STP/SC': [1, 8, 15, 23, 26, 32],
    STP: [1, 8, 15, 23, 26, 32],
    'STP/NC': [2, 10, 15, 23, 26, 32],
    NTH: [2, 10, 15, 23, 25],
    BEL: [2, 10, 15, 23, 26, 34],
    BOH: [2, 10, 15, 23, 24],
  });
});

dipnet('marks builds, removals and dislodged units', () => {
  const game = newGame();
  game.season = 2;
  game.phase = 2;
  game.removeUnit(place('PAR'));
  game.placeUnit(0, 0, place('GAL'));
  const board = encoded(dipnetEncoder(standard), game, [-1, 0, 1, 0, 0, 0, 0]);
  const flagged = (column: number): string[] =>
    standard.locationTags.filter((tag) => columnsOf(board, tag, 35).includes(column)).sort();
  assert.equal([flagged(11), flagged(12)], [['PAR'], ['BUD', 'GAL', 'TRI', 'VIE']]);
});

dipnet('writes the orders of a movement phase', () => {
  const encoder = new PreviousOrdersEncoder(standard);
  assert.is(encoder.columns, 40);
  const orders = Int32Array.of(
    move(place('PAR'), place('BUR')),
    supportMove(place('MAR'), place('PAR'), place('BUR')),
    hold(place('STP/SC')),
    move(place('MUN'), place('KIE')),
  );
  const out = new Uint8Array(encoder.size);
  encoder.encode(newGame(), orders, orders.length, out, 0);
  // 0 unit, 3 power, 11 H - S C none, 16 helped, 24 aimed at, 32 owner. France 2, Germany 3, Russia 5.
  checkRows(out, 40, {
    PAR: [0, 5, 12, 23, 31, 34],
    MAR: [0, 5, 13, 18, 31, 34],
    MUN: [0, 6, 12, 23, 27, 35],
    'STP/SC': [1, 8, 11, 23, 31, 37],
    STP: [1, 8, 11, 23, 31, 37],
    LON: [2, 10, 15, 23, 31, 33],
  });
});

dipnet('shows who waits for a retreat', () => {
  const game = newGame();
  game.placeUnit(3, 0, place('BUR'));
  game.removeUnit(place('MUN'));
  const orders = Int32Array.of(move(place('PAR'), place('BUR')), supportMove(place('MAR'), place('PAR'), place('BUR')));
  adjudicate(game, orders, 2, makeResults());
  assert.is(game.dislodgedCount, 1);
  // An army of France, and a dislodged one of Germany.
  checkRows(encoded(dipnetEncoder(standard), game), 35, { BUR: [0, 5, 13, 19, 24] });
});

dipnet.run();

const dipcc = suite('dipcc');

dipcc('version 1 is DipNet’s board, version 2 the same without most columns of none', () => {
  const [one, two] = [new DipccEncoder(standard, 1), new DipccEncoder(standard, 2)];
  assert.equal([one.rows, one.columns, two.rows, two.columns], [81, 35, 81, 38]);
  assert.equal(Array.from(dipccBoard(newGame(), 1)), Array.from(encoded(dipnetEncoder(standard), newGame())));
  // 0 unit, 2 power, 20 area, 23 owner, 31 home. England 1, Russia 5.
  checkRows(dipccBoard(newGame(), 2), 38, {
    LVP: [0, 3, 22, 24, 32],
    'STP/SC': [1, 7, 22, 28, 36],
    'STP/NC': [22, 28, 36],
    BEL: [22, 30],
  });
});

dipcc('a vocabulary of order texts maps to ours, and what does not is said', () => {
  const batch = new Batch(standard, DATC_3_2, 8);
  const texts = new Set<string>();
  for (let i = 0; i < 12; i++) {
    batch.sampleStep(UNIFORM);
    for (let g = 0; g < 8; g++)
      for (const units of Object.values(legalRecord(formatPosition(batch.game(g))).orders))
        for (const orders of Object.values(units)) for (const order of orders) texts.add(order);
  }
  const entries = [...texts, 'A ANK B;F CON B', 'A PAR - MOS', 'nonsense'];
  const mapped = mapVocabulary(standard, readVocabulary(JSON.stringify(entries)));
  assert.equal(mapped.unmapped, ['A PAR - MOS', 'nonsense']);
  assert.is(mapped.ids[entries.indexOf('A ANK B;F CON B')].length, 2);
  assert.ok(mapped.missing.length > 0 && mapped.missing.length < vocabulary(standard).size);
  assert.equal(readVocabulary('{"PAR": ["A PAR H"], "BUR": ["A BUR H"]}'), ['A PAR H', 'A BUR H']);
  assert.equal(readVocabulary('A PAR H\nA BUR H\n'), ['A PAR H', 'A BUR H']);
  assert.throws(() => readVocabulary('["A PAR H", 7]'), /entry 2/);
});

dipcc.run();

const friendly = suite('tensors of a game');

/** The first positions of random games, in all three phases. */
const someGames = (count: number): Game[] => {
  const random = new Random(23);
  const games: Game[] = [];
  const game = newGame();
  for (let k = 0; k < count; k++) {
    games.push(game.clone());
    const chosen: number[] = [];
    for (let power = 0; power < standard.powerCount; power++) {
      const lists = legalByPower(game, power);
      const due = game.phase === ADJUSTMENT ? lists.slice(0, Math.abs(adjustmentDue(game, power))) : lists;
      for (const legal of due) chosen.push(legal[random.below(legal.length)]);
    }
    adjudicate(game, Int32Array.from(chosen));
    if (game.status !== PLAYING) resetGame(game);
  }
  return games;
};

friendly('are what the encoders write, with the builds that are due', () => {
  const due = new Int32Array(7);
  const phases = [0, 0, 0];
  for (const game of someGames(600)) {
    phases[game.phase]++;
    adjustmentsDue(game, due);
    for (const [encoder, board] of [
      [dipnetEncoder(standard), dipnetBoard(game)],
      [deepmindEncoder(standard), deepmindBoard(game)],
    ] as const)
      assert.equal(board, encoded(encoder, game, due));
    for (const version of [1, 2] as const) {
      const encoder = new DipccEncoder(standard, version);
      const wanted = new Float32Array(encoder.rows * encoder.columns);
      encoder.encode(game, wanted, 0, due);
      assert.equal(dipccBoard(game, version), wanted);
    }
    assert.equal(dipccBoard(game), dipccBoard(game, 2));
  }
  assert.ok(Math.min(...phases) > 10, phases.join());
});

friendly('go side by side into one array', () => {
  const into = [
    [dipnetBoardInto, dipnetBoard, 81 * 35, Uint8Array],
    [deepmindBoardInto, deepmindBoard, 81 * 35, Uint8Array],
    [dipccBoardInto, dipccBoard, 81 * 38, Float32Array],
  ] as const;
  const games = someGames(5);
  for (const [write, read, size, Flags] of into) {
    const boards = new Flags(games.length * size);
    for (const [i, game] of games.entries()) (write as (...args: unknown[]) => void)(game, boards, i * size);
    for (const [i, game] of games.entries()) assert.equal(boards.subarray(i * size, (i + 1) * size), read(game));
  }
  const orders = Int32Array.of(move(place('PAR'), place('BUR')), hold(place('MAR')));
  const matrices = new Uint8Array(2 * 81 * 40);
  dipnetOrdersInto(newGame(), orders, matrices, 81 * 40);
  assert.equal(matrices.subarray(81 * 40), dipnetOrders(newGame(), orders));
  assert.ok(matrices.subarray(81 * 40).filter((flag) => flag === 1).length > 81 * 4);
  assert.equal(boardLayout(standard), { rows: 81, columns: 35 });
});

friendly('every legal order is one of the actions of DeepMind, by its own index', () => {
  const { bits, indexOf } = deepmindActions(standard);
  const { indexOf: placeOf } = vocabulary(standard);
  let seen = 0;
  for (const game of someGames(120))
    for (let power = 0; power < 7; power++)
      for (const legal of legalByPower(game, power))
        for (const order of legal.subarray(0, 8)) {
          const index = indexOf[placeOf(order)];
          assert.is(deepmindAction(standard, order), (BigInt(index) << 48n) | BigInt(bits[index]));
          seen++;
        }
  assert.ok(seen > 5000);
  assert.throws(
    () => deepmindAction(standard, supportMove(place('MAR'), place('WES'), place('SPA/SC'))),
    (error: Error) => error instanceof LepantoError && /got \d+, wanted one of the vocabulary/.test(error.message),
  );
});

friendly('possible and previous orders of dipcc come in arrays of their own', () => {
  const orders = new DipccOrders(standard, ['A PAR - BUR', 'A PAR H', 'F BRE H']);
  const game = newGame();
  const { rows, actions, locations } = orders.encodePossible(game, 2);
  assert.is(rows, 3);
  const row = locations[rowOf('PAR')];
  assert.equal([...actions.subarray(row * 469, row * 469 + 3)], [0, 1, -1]);
  assert.equal(orders.decode(actions.subarray(row * 469, row * 469 + 3)), ['A PAR - BUR', 'A PAR H']);
  const previous = orders.encodePrevious([{ game, orders: [move(place('PAR'), place('BUR'))] }]);
  assert.equal([previous.length, previous[0], previous[100]], [200, 0n, BigInt(rowOf('PAR'))]);
});
friendly.run();
