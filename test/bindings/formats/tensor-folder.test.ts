// Tests the games and the rows of folders of tensors. bindings/python/tests/test_dataset.py tests whole folders.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RowEncoder } from '../../../bindings/formats/dataset/encode-rows.js';
import { findGames, openFiles } from '../../../bindings/formats/dataset/find-games.js';
import { type GameList, type ReadGame, tryGame } from '../../../bindings/formats/dataset/replay-games.js';
import { columnArrays, GAME_OVER, ROWS_AT_ONCE, storeRows } from '../../../bindings/formats/dataset/row-layout.js';
import type { TensorConfig } from '../../../bindings/formats/dataset/tensor-config.js';
import { formatSavedGame } from '../../../bindings/formats/games/write-saved.js';
import { dipccBoard } from '../../../bindings/formats/tensors/dipcc.js';
import {
  DATC_3_2,
  Game,
  legalOrders,
  orderLocation,
  type Power,
  standard,
  vocabulary,
} from '../../../engine/internal.js';
import { loadState } from '../../../selfplay/games/game-record.js';
import type { PolicyTargets } from '../../../selfplay/games/targets.js';
import { GameCursor } from '../../../selfplay/records/game-cursor.js';
import { decodeShard, encodeGame, encodeShard, type StoredGame, splitShard } from '../../../selfplay/records/record.js';
import { runSelfplay } from '../../../selfplay/records/run.js';
import type { RunSpec } from '../../../selfplay/records/run-spec.js';
import { fillStates, Replay } from '../../../selfplay/records/verify.js';
import { makeFolder } from '../../tools/command.js';
import { dataPath } from '../../tools/data.js';
import { until } from '../../tools/running.js';

const folders = suite('folders of tensors');
const directory = makeFolder('tensor-folder');
const run = join(directory, 'run');
const agents = new Array<string>(7).fill('policy');

/** Plays a run of a few games. */
const playRun = async (to: string, changes: Partial<RunSpec> = {}): Promise<void> => {
  const spec = { map: 'standard', rules: 'datc-3.2', agents, games: 12, seed: 3, until: 1904, ...changes };
  await runSelfplay({ spec, directory: to, commit: null, workers: 1 });
};
folders.before(() => playRun(run));

const listOf = (path: string, errors: TensorConfig['errors'] = 'raise'): GameList => {
  const config = { paths: [path], map: null, rules: null, observations: 'dipcc', errors } as const;
  return { config, places: findGames(openFiles(config)) };
};

/** Every game of a path, or why it cannot be read. */
const tryAll = (list: GameList): (ReadGame | string)[] => Array.from(list.places.file, (_, i) => tryGame(list, i));

/** Every game of a path. @throws Error if one cannot be read */
const readAll = (list: GameList): ReadGame[] =>
  tryAll(list).map((read) => {
    if (typeof read === 'string') throw new Error(read);
    return read;
  });

folders('a changed byte is found, with its phase, and costs one game', () => {
  const copy = join(directory, 'changed');
  cpSync(run, copy, { recursive: true });
  const path = join(copy, 'games-00000.lep');
  const bytes = readFileSync(path);
  // The result of the first order of the second game.
  const game = splitShard(bytes)[1];
  game[Buffer.from(game).indexOf('results') + 'results'.length + 2] ^= 3;
  writeFileSync(path, bytes);
  const wanted = /game 1: .*S1901M.*recorded as .* wanted/;
  assert.throws(() => tryAll(listOf(copy)), wanted);
  const list = listOf(copy, 'skip');
  const read = tryAll(list);
  assert.match(String(read[1]), wanted);
  assert.is(read.filter((one) => typeof one === 'string').length, 1);
  assert.equal([...list.places.checked], [2]);
});

folders('saved games of a file are found line by line, and read as the records that they were saved from', () => {
  const records = decodeShard(readFileSync(join(run, 'games-00000.lep'))).slice(0, 2);
  const path = join(directory, 'saved.jsonl');
  const lines = records.map((game) => JSON.stringify(formatSavedGame(fillStates(standard, DATC_3_2, game))));
  writeFileSync(path, lines.join('\n'));
  const list = listOf(path);
  assert.equal([list.places.count, ...list.places.offset], [2, 0, lines[0].length + 1]);
  const positionsOf = ({ phases }: ReadGame) => phases.map(({ phase, state }) => [phase, [...state]]);
  assert.equal(readAll(list).map(positionsOf), readAll(listOf(run)).slice(0, 2).map(positionsOf));
});

folders('a shard of another seed is refused, and a missing one is named', async () => {
  const [here, other] = [join(directory, 'here'), join(directory, 'other')];
  for (const [seed, to] of [here, other].entries()) await playRun(to, { seed, until: 1902, shardGames: 4 });
  for (const ending of ['lep', 'table']) {
    cpSync(join(other, `games-00001.${ending}`), join(here, `games-00001.${ending}`));
    rmSync(join(here, `games-00002.${ending}`));
  }
  assert.throws(() => tryAll(listOf(here)), /game 0: .*got seed -?\d+ of game 4, wanted -?\d+/);
  const list = listOf(here, 'skip');
  assert.equal(openFiles(list.config).missing, [`${here}: games 8 to 11 are missing`]);
  assert.is(tryAll(list).filter((one) => typeof one === 'string').length, 4);
});

folders('a game that is trusted must still lead to its end', () => {
  const [stored] = decodeShard(readFileSync(join(run, 'games-00000.lep')));
  const replay = new Replay(standard, DATC_3_2);
  const play = (game: StoredGame) =>
    replay.play(new GameCursor().open(encodeGame(game)), { anyStart: true, anyEnd: true, isTrusted: true });
  assert.is(play(stored), null);
  const phases = [...stored.phases];
  phases[2] = { ...phases[2], orders: new Int32Array(0), results: new Uint8Array(0) };
  assert.match(
    play({ ...stored, phases })?.what ?? '',
    /^(the position is that of|another unit is there|the unit is on|the centre has|byte)/,
  );
});

folders('rows have boards of dipcc, and the legal orders with the one that was given', () => {
  const list = listOf(run);
  const encoder = new RowEncoder(standard, list.config);
  const { layout, memory } = encoder;
  const { tables, packed, maxOrders } = layout;
  const columns = columnArrays(memory);
  const ids = memory.int32('legal_ids');
  const boards = memory.float32('observation');
  const game = new Game(standard, DATC_3_2);
  const { orders } = vocabulary(standard);
  const slots = standard.powerCount * maxOrders;
  const out = new Int32Array(2000);
  let given = 0;
  for (const read of readAll(list).slice(0, 4)) {
    const { phases } = read;
    assert.ok(phases.length <= ROWS_AT_ONCE);
    // The checksum vouches for the file, so that no order is checked.
    assert.equal([...list.places.checked], [1]);
    const listed = encoder.write(read, 7, 0, phases.length, 1000);
    let next = 0;
    for (const [row, phase] of phases.entries()) {
      loadState(game, phase.state);
      assert.is(columns.phase[row], row === phases.length - 1 ? GAME_OVER : game.phase);
      assert.equal([columns.game[row], columns.legal[row]], [7, 1000 + next]);
      const board = dipccBoard(game);
      assert.equal(boards.slice(row * board.length, (row + 1) * board.length), board);
      for (let k = row * slots; k < (row + 1) * slots; k++) {
        const begin = next;
        next += columns.list_sizes[k];
        if (columns.orderable[k] < 0) continue;
        const legal = Array.from(ids.subarray(begin, next), (id) => orders[id]);
        const count = legalOrders(game, standard.locationProvince[columns.orderable[k]], out);
        assert.equal(legal.toSorted(), Array.from(out.subarray(0, count)).toSorted());
        const action = columns.actions[k];
        if (action < 0) continue;
        given++;
        assert.ok(phase.orders.includes(legal[action]));
        assert.is(orderLocation(legal[action]), columns.orderable[k]);
      }
    }
    assert.is(next, listed);
    // As they are stored, boards are bits.
    const stored = storeRows(tables.orders, packed, memory, phases.length);
    const size = stored.length / phases.length;
    const at = tables.orders.findIndex(({ name }) => name === 'observation');
    const begin = size + tables.orders.slice(0, at).reduce((sum, { bytes }) => sum + bytes, 0);
    const count = boards.length / ROWS_AT_ONCE;
    for (let i = 0; i < count; i++)
      assert.is((stored[begin + (i >> 3)] >> (7 - (i & 7))) & 1, boards[count + i], `element ${i}`);
  }
  assert.ok(given > 500);
});

// ---- what agents weighed ----

const fixture = dataPath('searched-run/');
const ITALY = standard.powerNames.indexOf('ITALY') as Power;

/** The game of the fixture, but nothing is known of Italy in its first phase, and others have a set at probability 0. */
const changed = (): StoredGame => {
  const [record] = decodeShard(readFileSync(join(fixture, 'games-00000.lep')));
  const [first, ...others] = record.phases;
  const known = first.targets?.filter(({ power }) => power !== ITALY) ?? [];
  const holds = { orders: new Int32Array(0), probability: 0, value: 0.1, error: 0.01 };
  const targets = known.map((one) => ({ ...one, candidates: [...one.candidates, holds] }));
  return { ...record, phases: [{ ...first, targets }, ...others] };
};

/** Probability of each order of a power, by its packed form. */
const marginals = ({ candidates }: PolicyTargets): Map<number, number> => {
  const found = new Map<number, number>();
  for (const { orders, probability } of candidates)
    for (const order of orders) found.set(order, (found.get(order) ?? 0) + probability);
  return found;
};

folders('each legal order has the share of the sets that have it', () => {
  const record = changed();
  const shard = join(directory, 'targets.lep');
  writeFileSync(shard, encodeShard([record]));
  const [read] = readAll(listOf(shard));
  const encoder = new RowEncoder(standard, { observations: 'none' });
  encoder.write(read, 0, 0, read.phases.length, 0);
  const columns = columnArrays(encoder.memory);
  const ids = encoder.memory.int32('legal_ids');
  const policy = encoder.memory.float32('policy');
  const { orders } = vocabulary(standard);
  const slots = standard.powerCount * encoder.layout.maxOrders;
  let mixed = 0;
  let end = 0;
  for (const [row, { phase, targets = [] }] of record.phases.slice(0, -1).entries())
    for (let q = 0; q < standard.powerCount; q++) {
      const target = targets.find(({ power }) => power === q);
      assert.is(columns.targeted[row * standard.powerCount + q], target === undefined ? 0 : 1);
      const root = columns.values[row * standard.powerCount + q];
      assert.ok(Object.is(root, target?.value ?? Number.NaN), `${phase}, ${q}: ${root}`);
      const wanted = target === undefined ? null : marginals(target);
      for (let k = q * encoder.layout.maxOrders; k < (q + 1) * encoder.layout.maxOrders; k++) {
        const begin = end;
        end += columns.list_sizes[row * slots + k];
        const action = columns.actions[row * slots + k];
        let sum = 0;
        for (let i = begin; i < end; i++) {
          sum += policy[i];
          if (policy[i] > 0.01 && policy[i] < 0.99) mixed++;
          if (phase.endsWith('M'))
            assert.ok(Math.abs(policy[i] - (wanted?.get(orders[ids[i]]) ?? 0)) < 1e-6, `${phase}, slot ${k}`);
        }
        assert.ok(Math.abs(sum - (action < 0 || wanted === null ? 0 : 1)) < 1e-6, `${phase}, slot ${k}: ${sum}`);
        // What was played was among what was weighed.
        if (action >= 0 && wanted !== null) assert.ok(policy[begin + action] > 0);
      }
    }
  assert.ok(mixed > 20);
});

/** True while a process runs: not if it has ended and nobody has asked for its exit code. */
const isRunning = (pid: number): boolean => {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

const ofLinux = process.platform === 'linux' ? folders : folders.skip;
ofLinux('the process that writes for a client ends when the client is killed', async () => {
  const [long, out] = [join(directory, 'long'), join(directory, 'out')];
  await playRun(long, { games: 2048, until: 1906 });
  const writer = fileURLToPath(new URL('../../../bindings/python/write-tensors.js', import.meta.url));
  const request = {
    ...{ folders: [{ paths: [long], out }], observations: 'dipnet', errors: 'raise' },
    ...{ map: null, rules: null, workers: 1 },
  };
  const program = `
    const { spawn } = require('node:child_process');
    const child = spawn(process.execPath, [${JSON.stringify(writer)}], { stdio: ['pipe', 'ignore', 'ignore'] });
    child.stdin.end(${JSON.stringify(JSON.stringify(request))});
    console.log(child.pid);
    setInterval(() => {}, 1000);`;
  const client = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [pid] = await once(client.stdout, 'data');
  const parts = (): string[] => (existsSync(out) ? readdirSync(out).filter((name) => name.startsWith('part-')) : []);
  await until('a part', () => parts().length > 0);
  client.kill('SIGKILL');
  await until('the end of the writer', () => !isRunning(Number(pid)));
  const whole = parts().filter((name) => !name.endsWith('.part'));
  assert.ok(whole.length < 8, `${whole.length} parts of 8`);
});

folders.run();
