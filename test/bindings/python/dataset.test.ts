// Tests the reader of datasets without a client: order, blocks of games, rows. bindings/python/tests/test_dataset.py tests
// it with one.
import { closeSync, cpSync, ftruncateSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SharedArrays } from '../../../bindings/formats/arrays/shared-arrays.js';
import { decodeGames } from '../../../bindings/formats/dataset/decode-games.js';
import { type EncodeTask, encodeRows } from '../../../bindings/formats/dataset/encode-rows.js';
import { findGames, openFiles } from '../../../bindings/formats/dataset/find-games.js';
import { GameBlock } from '../../../bindings/formats/dataset/game-block.js';
import { type ReaderConfig, readReaderConfig } from '../../../bindings/formats/dataset/reader-config.js';
import { layOutRows } from '../../../bindings/formats/dataset/row-layout.js';
import { playedGames } from '../../../bindings/formats/games/played-games.js';
import { dipccBoard } from '../../../bindings/formats/tensors/dipcc.js';
import { EpochOrder } from '../../../bindings/python/dataset/sample-order.js';
import { DATC_3_2, Game, legalOrders, orderLocation, standard, vocabulary } from '../../../engine/internal.js';
import { loadState } from '../../../selfplay/games/game-record.js';
import { GameCursor } from '../../../selfplay/records/game-cursor.js';
import { decodeShard, encodeGame, type StoredGame, splitShard } from '../../../selfplay/records/record.js';
import { runSelfplay } from '../../../selfplay/records/run.js';
import { Replay } from '../../../selfplay/records/verify.js';
import { makeFolder } from '../../tools/command.js';

const request = {
  paths: ['runs'],
  observations: 'dipnet',
  per: 'phase',
  score: 'sum_of_squares',
  n_step: 0,
  discount: 1,
  batch_size: 64,
  prefetch: 1,
  shuffle: 0,
  seed: 1,
  shard: [0, 1],
  errors: 'raise',
  workers: 1,
  fd: 3,
  parent: 1,
};

const dataset = suite('dataset');
const directory = makeFolder('dataset');
const run = join(directory, 'run');

dataset.before(async () => {
  const agents = new Array<string>(7).fill('policy');
  const spec = { map: 'standard', rules: 'datc-3.2', agents, games: 12, seed: 3, until: 1904 };
  await runSelfplay({ spec, directory: run, commit: null, workers: 1 });
});

dataset('refuses what it cannot do, by name', () => {
  for (const [changes, wanted] of [
    [{ paths: [] }, 'paths: got 0, wanted 1 to 1048576'],
    [{ observations: 'cicero' }, 'observations: got "cicero", wanted one of none, dipnet, deepmind, dipcc'],
    [{ batch_size: 0 }, 'batch_size: got 0, wanted a whole number from 1 to 1048576'],
    [{ shard: [3, 3] }, 'shard: got 3 of 3, wanted an index below the count'],
    [{ years: [1901] }, 'years: got 1, wanted 2'],
    [{ discount: 1.5 }, 'discount: got 1.5, wanted a number from 0 to 1'],
  ] as const)
    assert.throws(
      () => readReaderConfig({ ...request, ...changes }),
      (error: Error) => error.message === wanted,
      wanted,
    );
});

dataset('every game is in one window of one shard, in another order each epoch', () => {
  const count = 1000;
  const places = {
    count,
    file: new Int32Array(count),
    offset: new Float64Array(count),
    length: new Float64Array(count).fill(1 << 20),
    number: new Int32Array(count),
    checked: new Uint8Array(1),
  };
  const gamesOf = (shard: readonly number[], epoch: number, shuffle: number): number[] => {
    const order = new EpochOrder(readReaderConfig({ ...request, shard, shuffle }), places, epoch);
    const windows = Array.from({ length: order.windows }, (_, window) => [...order.gamesOf(window)]);
    // A megabyte a game: windows end by their bytes.
    for (const window of windows) assert.ok(window.length > 0 && window.length <= Math.min(shuffle || 64, 256));
    return windows.flat();
  };
  const all = Array.from({ length: count }, (_, i) => i);
  assert.equal(gamesOf([0, 1], 0, 0), all);
  for (const shuffle of [1, 7, 600, 5000]) {
    const shards = [0, 1, 2].map((index) => gamesOf([index, 3], 4, shuffle));
    assert.equal(
      shards.flat().sort((a, b) => a - b),
      all,
    );
    assert.is.not(gamesOf([0, 1], 0, shuffle).join(), gamesOf([0, 1], 1, shuffle).join());
    assert.equal(gamesOf([0, 1], 1, shuffle), gamesOf([0, 1], 1, shuffle));
  }
});

/** All games of a run, read as a worker does. */
const readRun = (config: ReaderConfig) => {
  const files = openFiles(config);
  const places = findGames(files);
  const games = Int32Array.from(places.file.keys());
  return { files, places, decoded: decodeGames({ config, places, games }) };
};

dataset('a changed byte is found, with its phase, and costs one game', () => {
  const copy = join(directory, 'changed');
  cpSync(run, copy, { recursive: true });
  const path = join(copy, 'games-00000.lep');
  const bytes = readFileSync(path);
  // The result of the first order of the second game.
  const game = splitShard(bytes)[1];
  game[Buffer.from(game).indexOf('results') + 'results'.length + 2] ^= 3;
  writeFileSync(path, bytes);
  assert.throws(
    () => readRun(readReaderConfig({ ...request, paths: [copy] })),
    /game 1: .*S1901M.*recorded as .* wanted/,
  );
  const { decoded, places } = readRun(readReaderConfig({ ...request, paths: [copy], errors: 'skip' }));
  assert.is(decoded.skipped, 1);
  assert.is(new GameBlock(decoded.memory).games, 11);
  assert.equal([...places.checked], [2]);
});

dataset('a shard of another seed is refused, and one that is not there is named', async () => {
  const agents = new Array<string>(7).fill('policy');
  const spec = { map: 'standard', rules: 'datc-3.2', agents, games: 12, until: 1902, shardGames: 4 };
  const [here, other] = [join(directory, 'here'), join(directory, 'other')];
  for (const [seed, at] of [here, other].entries())
    await runSelfplay({ spec: { ...spec, seed }, directory: at, commit: null, workers: 1 });
  for (const ending of ['lep', 'table']) {
    cpSync(join(other, `games-00001.${ending}`), join(here, `games-00001.${ending}`));
    rmSync(join(here, `games-00002.${ending}`));
  }
  const { paths, ...rest } = { ...request, paths: [here] };
  assert.throws(
    () => readRun(readReaderConfig({ ...rest, paths })),
    /game 0: .*got seed -?\d+ of game 4, wanted -?\d+/,
  );
  const { files, decoded } = readRun(readReaderConfig({ ...rest, paths, errors: 'skip' }));
  assert.equal(files.missing, [`${here}: games 8 to 11 are missing`]);
  assert.is(decoded.skipped, 4);
});

dataset('a game that is trusted must still lead to its end', () => {
  const [stored] = decodeShard(readFileSync(join(run, 'games-00000.lep')));
  const replay = new Replay(standard, DATC_3_2);
  const play = (game: StoredGame) =>
    replay.play(new GameCursor().open(encodeGame(game)), { anyStart: true, anyEnd: true, isTrusted: true });
  assert.is(play(stored), null);
  const others = stored.phases.map((phase, i) =>
    i === 2 ? { ...phase, orders: new Int32Array(0), results: new Uint8Array(0) } : phase,
  );
  assert.match(
    play({ ...stored, phases: others })?.what ?? '',
    /^(the position is that of|another unit stands|the unit stands|the centre has|byte)/,
  );
});

dataset('a block has the games as they were played', () => {
  const { decoded, places } = readRun(readReaderConfig({ ...request, paths: [run] }));
  // The checksum vouches for the file, so that no order is checked.
  assert.equal([...places.checked], [1]);
  const block = new GameBlock(decoded.memory);
  const game = new Game(standard, DATC_3_2);
  const wanted = new Game(standard, DATC_3_2);
  let games = 0;
  for (const { replayed } of playedGames(run)) {
    assert.ok(replayed !== null);
    const { record } = replayed;
    const first = block.firstPhase(games);
    assert.is(block.lastPhase(games) - first + 1, record.phases.length);
    assert.is(block.number(games), record.index);
    for (const [power, score] of record.scores.sum_of_squares.entries())
      assert.is(block.score(games, power), Math.fround(score), `score of ${power}`);
    for (const [i, phase] of record.phases.entries()) {
      block.load(first + i, game);
      loadState(wanted, phase.state);
      assert.ok(game.equals(wanted));
      assert.is(block.kindOf(first + i), wanted.phase);
      assert.is(block.gameOf(first + i), games);
      assert.equal([...block.orders(first + i)], [...phase.orders]);
      assert.equal([...block.results(first + i)], [...phase.results]);
    }
    games++;
  }
  assert.is(block.games, games);
  assert.is(decoded.samples.length / 3, block.phases - games);
});

dataset('rows have boards of dipcc, and the legal orders with the one that was given', () => {
  const path = join(directory, 'memory');
  writeFileSync(path, '');
  const fd = openSync(path, 'r+');
  const config = readReaderConfig({ ...request, paths: [run], observations: 'dipcc', fd });
  const { files, decoded } = readRun(config);
  const layout = layOutRows(files.map, config);
  ftruncateSync(fd, layout.size);
  const copy = new SharedArrayBuffer(layout.size);
  const samples = Int32Array.from({ length: 3 * 64 }, (_, k) => [0, Math.floor(k / 3), -1][k % 3]);
  const task: EncodeTask = { config, copy, slot: 0, first: 0, blocks: [decoded.memory], samples };
  encodeRows(task);
  const memory = new SharedArrays(layout, fd, copy);
  const block = new GameBlock(decoded.memory);
  const game = new Game(files.map, DATC_3_2);
  const boards = memory.float32('observation');
  const [ids, offsets, actions] = ['legal_ids', 'legal_offsets', 'actions'].map((name) => memory.int32(name));
  const orderable = memory.int16('orderable');
  const { orders } = vocabulary(files.map);
  const slots = files.map.powerCount * layout.maxOrders;
  const out = new Int32Array(2000);
  let given = 0;
  for (let row = 0; row < 64; row++) {
    block.load(row, game);
    const board = dipccBoard(game);
    assert.equal(boards.slice(row * board.length, (row + 1) * board.length), board);
    for (let k = 0; k < slots; k++) {
      const location = orderable[row * slots + k];
      if (location < 0) continue;
      const [begin, end] = offsets.subarray(row * (slots + 1) + k);
      const listed = Array.from(ids.subarray(begin, end), (id) => orders[id]);
      assert.equal(
        listed.toSorted(),
        Array.from(out.subarray(0, legalOrders(game, files.map.locationProvince[location], out))).toSorted(),
      );
      const action = actions[row * slots + k];
      if (action < 0) continue;
      given++;
      assert.ok(block.orders(row).includes(listed[action]));
      assert.is(orderLocation(listed[action]), location);
    }
  }
  assert.ok(given > 500);
  // Where nothing is mapped, the client reads the file.
  const written = readFileSync(path);
  const { offset, rowBytes } = memory.section('observation');
  assert.ok(Buffer.from(copy, offset, 64 * rowBytes).equals(written.subarray(offset, offset + 64 * rowBytes)));
  closeSync(fd);
});

dataset.run();
