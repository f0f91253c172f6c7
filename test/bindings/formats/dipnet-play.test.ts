// Tests DipNet's arrays of random play against the encoders of any game: byte for byte the same.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dipnetEncoder } from '../../../bindings/formats/tensors/dipnet.js';
import { DipnetPlayEncoder, PLAY_POWERS } from '../../../bindings/formats/tensors/dipnet-play.js';
import { board } from '../../../engine/adjudicate/movement/index.js';
import * as E from '../../../engine/internal.js';
import { POLICY, RandomGame, type Sampler, UNIFORM } from '../../../engine/play/step.js';
import { PreviousOrdersEncoder } from '../../../selfplay/nets/dipnet-orders.js';
import { openShare } from '../../tools/batch-kit.js';

const maps = [...E.mapNames.map(E.loadMap), E.loadMap('colonial,tsr,suez')].filter(
  ({ powerCount }) => powerCount === PLAY_POWERS,
);
const nobody = new Int8Array(PLAY_POWERS);
const onBoard = new RandomGame();

/** The board of a game by the encoder of any game. */
const boardOf = (game: E.Game): Uint8Array => {
  const encoder = dipnetEncoder(game.map);
  const out = new Uint8Array(encoder.size);
  encoder.encode(game, out, 0, nobody);
  return out;
};

/** Plays a random step, and tests what is written of it into the second place of two arrays or the first. */
const checkStep = (game: E.Game, stream: Int32Array, play: DipnetPlayEncoder, sampler: Sampler, place = 0): void => {
  const previous = new PreviousOrdersEncoder(game.map);
  const orders = new Uint8Array(2 * previous.size).fill(7);
  const wanted = new Uint8Array(previous.size);
  onBoard.begin(sampler);
  play.writeOrders(orders, place * previous.size, onBoard.count);
  previous.encodeBoard(game, board.order, wanted, 0);
  assert.equal(orders.subarray(place * previous.size, (place + 1) * previous.size), wanted);
  onBoard.finish(sampler);
  const { size } = dipnetEncoder(game.map);
  const boards = new Uint8Array(2 * size).fill(7);
  play.writeBoard(boards, place * size, onBoard.count);
  onBoard.store(game, stream);
  assert.equal(boards.subarray(place * size, (place + 1) * size), boardOf(game));
};

const encoding = suite('DipNet’s arrays of random play');

for (const map of maps)
  encoding(`are those of the encoder of any game on map ${map.name}`, () => {
    const play = new DipnetPlayEncoder(map);
    const kinds = new Set<number>();
    let phases = 0;
    for (let seed = 1; seed <= 24; seed++) {
      const game = E.newGame(map);
      const stream = Int32Array.of(seed, 7919 * seed);
      const sampler = seed % 2 === 0 ? UNIFORM : POLICY;
      onBoard.load(game, stream);
      onBoard.playOpen(sampler);
      onBoard.store(game, stream);
      for (let step = 0; step < 40 && onBoard.winner < 0; step++) {
        const units = Array.from({ length: map.provinceCount }, (_, p) => p).filter((p) => game.unitAt(p) !== 0);
        checkStep(game, stream, play, sampler, seed % 2);
        for (const p of units) kinds.add(E.orderType(board.order[p]));
        phases++;
      }
    }
    assert.ok(phases > 500, `${phases} phases`);
    // Where nobody goes to sea, nobody convoys.
    assert.ok(kinds.size >= (map.kind.includes(E.SEA) ? 5 : 4), `${kinds.size} kinds of orders`);
  });

encoding('maps in turn do not disturb one another', () => {
  const encoders = maps.map((map) => new DipnetPlayEncoder(map));
  for (let round = 0; round < 3; round++)
    for (const [i, play] of encoders.entries()) {
      const game = E.newGame(maps[i]);
      const stream = Int32Array.of(round, 5);
      onBoard.load(game, stream);
      onBoard.playOpen(POLICY);
      checkStep(game, stream, play, POLICY);
    }
});

encoding.run();

const batches = suite('DipNet’s arrays of a batch');

/** A batch in one thread, its rows, and random play of all its games. */
const open = async (changes: object) => {
  const share = await openShare({ games: 150, observations: 'dipnet', until: 1904, ...changes });
  const { setup, memory, core, eachChunk } = share;
  const rowOf = (name: string, row: number): Uint8Array => {
    const { rowBytes } = memory.section(name);
    return memory.bytes(name).slice(row * rowBytes, (row + 1) * rowBytes);
  };
  const gameIn = (name: string, row: number): E.Game =>
    new E.Game(setup.map, setup.rules.adjudication, rowOf(name, row));
  const step = (sampler: Sampler): void => eachChunk((first, end) => core.perform('random', first, end, 1, sampler));
  return { ...share, map: setup.map, gameIn, rowOf, step };
};

for (const resetMode of ['same_step', 'disabled'])
  batches(`are those of each game, its end too: reset mode ${resetMode}`, async () => {
    const batch = await open({ reset_mode: resetMode });
    const { config, memory, map } = batch;
    const previous = new PreviousOrdersEncoder(map);
    const wanted = new Uint8Array(previous.size);
    const rows = Array.from({ length: config.games }, (_, row) => row);
    const blank = new Uint8Array(previous.size);
    let ends = 0;
    let rests = 0;
    for (let step = 0; step < 12; step++) {
      const before = rows.map((row) => batch.gameIn('state', row));
      const streams = memory.int32('streams').slice();
      const shown = rows.map((row) => batch.rowOf('previous_orders', row));
      const sampler = step % 3 === 0 ? UNIFORM : POLICY;
      batch.step(sampler);
      before.forEach((game, row) => {
        assert.equal(batch.rowOf('observation', row), boardOf(batch.gameIn('state', row)), `board of game ${row}`);
        if (game.status !== E.PLAYING) {
          rests++;
          assert.equal(batch.rowOf('previous_orders', row), shown[row]);
          return;
        }
        onBoard.load(game, streams, 2 * row);
        if (game.phase !== E.MOVEMENT) {
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
  batch.step(POLICY);
  const before = batch.rowOf('previous_orders', 1);
  const game = batch.game(1);
  game.season = 2;
  game.phase = E.ADJUSTMENT;
  batch.step(POLICY);
  assert.is(memory.bytes('terminated')[1], 1);
  assert.equal(batch.rowOf('previous_orders', 1), before);
  assert.equal(batch.rowOf('final_previous_orders', 1), before);
  assert.is.not(batch.gameIn('state', 1).status, E.PLAYING);
});

batches('the largest chunks have room on the stage', async () => {
  const batch = await open({ games: 64 * 64 + 1 });
  batch.step(POLICY);
  for (const row of [0, 63, 64, 127, 2047, 4095, 4096])
    assert.equal(batch.rowOf('observation', row), boardOf(batch.gameIn('state', row)), `game ${row}`);
});

batches.run();
