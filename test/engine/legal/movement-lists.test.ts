// The legal orders of a movement phase as the engine makes them for all units at once (engine/legal/movement.ts): lists,
// counts, draws and masks, held to the plain lists of test/oracle/plain-lists.ts on every map.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { board, packedOrder } from '../../../engine/adjudicate/movement/index.js';
import { allLegalOrders, countLegalOrders, isLegal, legalOrders } from '../../../engine/legal/lists.js';
import { legalMask, type Vocabulary, vocabulary } from '../../../engine/legal/vocabulary.js';
import { compileMap } from '../../../engine/map/compile.js';
import { loadMap, mapNames } from '../../../engine/map/index.js';
import { standard } from '../../../engine/map/standard.js';
import { drawUniform } from '../../../engine/play/draw-orders.js';
import { RandomGame } from '../../../engine/play/step.js';
import { type Game, newGame } from '../../../engine/position/game.js';
import { DATC_3_2 } from '../../../engine/rules/options.js';
import { GOLDEN, mix, Random } from '../../../engine/rules/random.js';
import { FALL, SEA } from '../../../engine/rules/types.js';
import { plainLists } from '../../oracle/plain-lists.js';
import { crowd, lattice, patchwork } from '../../tools/crowds.js';
import { saying } from '../../tools/errors.js';
import { legalLists } from '../../tools/legal-orders.js';

const list = new Int32Array(1 << 20);
const offsets = new Int32Array(257);
const counted = new Int32Array(257);
const one = new Int32Array(1 << 16);

/** Lists, counts and single lists of a position are the plain ones; returns the number of orders. */
const checkLists = (game: Game): number => {
  const plain = [...plainLists(game)];
  assert.is(allLegalOrders(game, list, offsets), plain.length);
  assert.is(countLegalOrders(game, counted), plain.length);
  plain.forEach(([province, orders], k) => {
    assert.equal([...list.subarray(offsets[k], offsets[k + 1])], orders, `list of ${game.map.provinceTags[province]}`);
    assert.is(counted[k + 1] - counted[k], orders.length);
    if (k % 8 === 0) assert.equal([...one.subarray(0, legalOrders(game, province, one))], orders);
  });
  return offsets[plain.length];
};

/** What is drawn from `bases` is at its place in the plain list, whatever the order of the units on the board. */
const checkDraws = (game: Game, random: Random, draws: number): void => {
  const plain = plainLists(game);
  new RandomGame().load(game, Int32Array.of(1, 2));
  for (let i = 0; i < draws; i++) {
    const base = random.next();
    for (let u = plain.size - 1; u > 0; u--) {
      const v = random.below(u + 1);
      [board.places[u], board.places[v]] = [board.places[v], board.places[u]];
    }
    drawUniform(game.map, game.season === FALL, plain.size, base);
    for (const [province, orders] of plain) {
      const bits = mix((base + Math.imul(province + 1, GOLDEN)) | 0) >>> 0;
      const wanted = orders[Math.floor((bits * orders.length) / 2 ** 32)];
      const drawn = packedOrder(board.order[province], game.unitLocation(province));
      assert.is(drawn, wanted, `draw in ${game.map.provinceTags[province]}`);
    }
  }
};

const checkMask = (game: Game, words: Vocabulary, mask: Uint8Array): void => {
  legalMask(game, words, mask);
  const wanted = new Uint8Array(words.size);
  for (const orders of legalLists(game)) for (const order of orders) wanted[words.indexOf(order)] = 1;
  assert.equal(mask, wanted);
};

const movement = suite('lists of all units');

/** Maps with rules of their own, too. */
const allMaps = [
  ...mapNames,
  'colonial,tsr,suez,hongKong',
  'standard,convoyable=DEN+SWE+SPA+BUL+CON+MAR,fleetBorders=BER-DEN',
  'loeb9,armyBorders=SIC-TUN,difficult=SIC-TUN,convoyable=NAP+STP+SIC',
];

for (const name of allMaps)
  movement(`${name}: lists, counts and draws of crowded positions`, () => {
    const map = loadMap(name);
    const random = new Random(61, map.id);
    let orders = 0;
    for (let i = 0; i < 60; i++) {
      const game = crowd(map, random, 10 + random.below(80), 10 + random.below(60));
      if (map.special !== null && i % 2 === 0) game.season = FALL;
      orders += checkLists(game);
      checkDraws(game, random, 4);
    }
    assert.ok(orders > Math.min(30_000, 480 * map.provinceCount), `${orders} orders`);
  });

movement('lists are right on maps of random borders, up to 256 provinces', () => {
  const random = new Random(17, 4);
  let orders = 0;
  let seas = 0;
  for (let i = 0; i < 40; i++) {
    const size = i % 8 === 7 ? 256 : 4 + random.below(70);
    const map = compileMap(patchwork(random, size, 1 + random.below(5)));
    seas = Math.max(seas, [...map.kind].filter((kind) => kind === SEA).length);
    for (let k = 0; k < 3; k++) {
      // Chains of fleets multiply: fewer of them on large maps.
      const game = crowd(map, random, Math.min(60, Math.floor(1200 / size)), 50);
      orders += checkLists(game);
      checkDraws(game, random, 2);
    }
  }
  assert.ok(seas > 64, `${seas} seas at the most`);
  assert.ok(orders > 30_000, `${orders} orders`);
});

movement('more seas than a word has bits, most of them with fleets', () => {
  const map = compileMap(lattice(4, 9));
  const random = new Random(23);
  let orders = 0;
  for (let i = 0; i < 4; i++) {
    const game = crowd(map, random, 60, 70);
    orders += checkLists(game);
    checkDraws(game, random, 4);
  }
  assert.ok(orders > 2000, `${orders} orders`);
});

movement('routes are right again after they have been forgotten', () => {
  const random = new Random(5, 8);
  const first = crowd(loadMap('ancmed'), random);
  const orders = checkLists(first);
  // Some twenty armies with routes each, hardly ever linked with the same fleets: many times what is remembered.
  for (let i = 0; i < 1000; i++) countLegalOrders(crowd(first.map, random), counted);
  assert.is(checkLists(first), orders);
});

movement('lists are right for positions of two maps in turn', () => {
  const random = new Random(7, 8);
  const maps = [standard, loadMap('ancmed')];
  for (let i = 0; i < 6; i++) assert.ok(checkLists(crowd(maps[i % 2], random)) > 100);
});

movement('what does not fit is left out, and counted', () => {
  const game = newGame(standard, DATC_3_2);
  const count = allLegalOrders(game, list, offsets);
  const short = new Int32Array(100);
  assert.is(allLegalOrders(game, short, counted), count);
  assert.equal(counted.subarray(0, count + 1), offsets.subarray(0, count + 1));
  assert.equal(short, list.slice(0, 100));
});

for (const name of allMaps)
  movement(`${name}: a mask has the legal orders`, () => {
    const map = loadMap(name);
    const words = vocabulary(map);
    // Wherever the mask lies, what was there before is gone.
    const shared = new Uint8Array(new SharedArrayBuffer(words.size)).fill(3);
    const random = new Random(67, map.id);
    for (let i = 0; i < 40; i++)
      checkMask(crowd(map, random), words, i % 2 === 0 ? shared : new Uint8Array(words.size));
    const game = crowd(map, random);
    const mask = new Uint8Array(words.size);
    legalMask(game, words, mask);
    words.orders.forEach((order, i) => {
      assert.is(mask[i] === 1, isLegal(game, order));
    });
  });

movement('a mask of another size or vocabulary is refused', () => {
  const game = newGame(standard, DATC_3_2);
  const words = vocabulary(standard);
  assert.throws(() => legalMask(game, words, new Uint8Array(10)), saying('got an array of length 10, wanted 15776'));
  const other = vocabulary(loadMap('ancmed'));
  assert.throws(() => legalMask(game, other, new Uint8Array(other.size)), saying('wanted that of the map standard'));
});

movement.run();
