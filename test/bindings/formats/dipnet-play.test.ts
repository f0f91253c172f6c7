// Tests DipNet's arrays of random play against the encoders of any game: byte for byte the same.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dipnetEncoder } from '../../../bindings/formats/tensors/dipnet.js';
import { DipnetPlayEncoder, PLAY_POWERS } from '../../../bindings/formats/tensors/dipnet-play.js';
import { board } from '../../../engine/adjudicate/movement/index.js';
import {
  ADJUSTMENT,
  DATC_3_2,
  Game,
  loadMap,
  MOVEMENT,
  mapNames,
  newGame,
  orderType,
  PLAYING,
  SEA,
} from '../../../engine/internal.js';
import { POLICY, RandomGame, UNIFORM } from '../../../engine/play/step.js';
import { PreviousOrdersEncoder } from '../../../selfplay/nets/dipnet-orders.js';
import { openShare } from '../../tools/batch-kit.js';

const maps = [...mapNames.map(loadMap), loadMap('colonial,tsr,suez')].filter(
  ({ powerCount }) => powerCount === PLAY_POWERS,
);
const nobody = new Int8Array(PLAY_POWERS);
const onBoard = new RandomGame();

const encoding = suite('DipNet’s arrays of random play');

for (const map of maps)
  encoding(`on map ${map.name}`, () => {
    const [plain, previous, play] = [dipnetEncoder(map), new PreviousOrdersEncoder(map), new DipnetPlayEncoder(map)];
    const [boards, orders] = [new Uint8Array(2 * plain.size), new Uint8Array(2 * previous.size)];
    const wantedBoard = new Uint8Array(plain.size);
    const wantedOrders = new Uint8Array(previous.size);
    const kinds = new Set<number>();
    let phases = 0;
    for (let seed = 1; seed <= 24; seed++) {
      const game = newGame(map, DATC_3_2);
      const stream = Int32Array.of(seed, 7919 * seed);
      const sampler = seed % 2 === 0 ? UNIFORM : POLICY;
      const place = seed % 2;
      onBoard.load(game, stream);
      onBoard.playOpen(sampler);
      onBoard.store(game, stream);
      for (let step = 0; step < 40 && onBoard.winner < 0; step++) {
        onBoard.begin(sampler);
        play.writeOrders(orders, place * previous.size, onBoard.count);
        previous.encodeBoard(game, board.order, wantedOrders, 0);
        for (let p = 0; p < map.provinceCount; p++) if (game.unitAt(p) !== 0) kinds.add(orderType(board.order[p]));
        onBoard.finish(sampler);
        play.writeBoard(boards, place * plain.size, onBoard.count);
        onBoard.store(game, stream);
        plain.encode(game, wantedBoard, 0, nobody);
        const at = `seed ${seed}, step ${step}`;
        assert.equal(orders.subarray(place * previous.size, (place + 1) * previous.size), wantedOrders, at);
        assert.equal(boards.subarray(place * plain.size, (place + 1) * plain.size), wantedBoard, at);
        phases++;
      }
    }
    assert.ok(phases > 500, `${phases} phases`);
    // Where nobody goes to sea, nobody convoys.
    assert.ok(kinds.size >= (map.kind.includes(SEA) ? 5 : 4), `${kinds.size} kinds of orders`);
  });

encoding('maps in turn do not disturb one another', () => {
  const encoders = maps.map((map) => ({
    ...{ map, play: new DipnetPlayEncoder(map), plain: dipnetEncoder(map) },
    orders: new PreviousOrdersEncoder(map).size,
  }));
  for (let round = 0; round < 3; round++)
    for (const { map, play, plain, orders } of encoders) {
      const found = new Uint8Array(plain.size);
      const game = newGame(map, DATC_3_2);
      const stream = Int32Array.of(round, 5);
      onBoard.load(game, stream);
      onBoard.playOpen(POLICY);
      onBoard.begin(POLICY);
      play.writeOrders(new Uint8Array(orders), 0, onBoard.count);
      onBoard.finish(POLICY);
      play.writeBoard(found, 0, onBoard.count);
      onBoard.store(game, stream);
      const wanted = new Uint8Array(plain.size);
      plain.encode(game, wanted, 0, nobody);
      assert.equal(found, wanted, map.name);
    }
});

encoding.run();

const batches = suite('DipNet’s arrays of a batch');

/** A batch in one thread, its rows, and random play of all its games. */
const open = async (changes: object) => {
  const share = await openShare({ games: 150, observations: 'dipnet', until: 1904, ...changes });
  const { setup, memory, core, eachChunk } = share;
  const { stride } = newGame(setup.map, DATC_3_2).layout;
  const gameIn = (name: string, row: number): Game =>
    new Game(setup.map, setup.rules.adjudication, memory.bytes(name).slice(row * stride, (row + 1) * stride));
  const rowOf = (name: string, row: number): Uint8Array => {
    const { rowBytes } = memory.section(name);
    return memory.bytes(name).slice(row * rowBytes, (row + 1) * rowBytes);
  };
  const play = (count: number, sampler: 0 | 1): void =>
    eachChunk((first, end) => core.perform('random', first, end, count, sampler));
  return { ...share, map: setup.map, gameIn, rowOf, play };
};

for (const resetMode of ['same_step', 'disabled'])
  batches(`are those of each game, its end too: reset mode ${resetMode}`, async () => {
    const batch = await open({ reset_mode: resetMode });
    const { config, memory, map } = batch;
    const [plain, previous] = [dipnetEncoder(map), new PreviousOrdersEncoder(map)];
    const wanted = new Uint8Array(previous.size);
    const boardOf = (game: Game): Uint8Array => {
      const out = new Uint8Array(plain.size);
      plain.encode(game, out, 0, nobody);
      return out;
    };
    const blank = new Uint8Array(previous.size);
    let ends = 0;
    let rests = 0;
    for (let step = 0; step < 12; step++) {
      const before = Array.from({ length: config.games }, (_, row) => batch.gameIn('state', row));
      const streams = memory.int32('streams').slice();
      const shown = Array.from({ length: config.games }, (_, row) => batch.rowOf('previous_orders', row));
      const sampler = step % 3 === 0 ? UNIFORM : POLICY;
      batch.play(1, sampler);
      before.forEach((game, row) => {
        const now = batch.gameIn('state', row);
        assert.equal(batch.rowOf('observation', row), boardOf(now), `board of game ${row}`);
        if (game.status !== PLAYING) {
          rests++;
          assert.equal(batch.rowOf('previous_orders', row), shown[row]);
          return;
        }
        onBoard.load(game, streams, 2 * row);
        if (game.phase !== MOVEMENT) {
          onBoard.playOpen(sampler);
          onBoard.store(game, streams, 2 * row);
        }
        onBoard.begin(sampler);
        previous.encodeBoard(game, board.order, wanted, 0);
        onBoard.finish(sampler);
        const hasEnded = memory.bytes('terminated')[row] === 1;
        if (hasEnded) {
          ends++;
          assert.equal(batch.rowOf('final_previous_orders', row), wanted);
          assert.equal(batch.rowOf('final_observation', row), boardOf(batch.gameIn('final_state', row)));
        }
        const isFresh = hasEnded && resetMode === 'same_step';
        assert.equal(batch.rowOf('previous_orders', row), isFresh ? blank : wanted, `orders of game ${row}`);
      });
    }
    assert.ok(ends >= config.games, `${ends} ends`);
    assert.is(rests > 0, resetMode === 'disabled');
  });

batches('orders stay where a call plays no moves', async () => {
  const batch = await open({ games: 3, until: 1901, reset_mode: 'disabled' });
  const { memory } = batch;
  batch.play(1, POLICY);
  const before = batch.rowOf('previous_orders', 1);
  const game = batch.game(1);
  game.season = 2;
  game.phase = ADJUSTMENT;
  batch.play(1, POLICY);
  assert.is(memory.bytes('terminated')[1], 1);
  assert.equal(batch.rowOf('previous_orders', 1), before);
  assert.equal(batch.rowOf('final_previous_orders', 1), before);
  const { status } = batch.gameIn('state', 1);
  assert.is.not(status, PLAYING);
});

batches('the largest chunks have room on the stage', async () => {
  const batch = await open({ games: 64 * 64 + 1 });
  const plain = dipnetEncoder(batch.map);
  batch.play(1, POLICY);
  const wanted = new Uint8Array(plain.size);
  for (const row of [0, 63, 64, 127, 2047, 4095, 4096]) {
    plain.encode(batch.gameIn('state', row), wanted, 0, nobody);
    assert.equal(batch.rowOf('observation', row), wanted, `game ${row}`);
  }
});

batches.run();
