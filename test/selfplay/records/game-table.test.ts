// The table of games next to a shard: it says what the games say, and it is never believed where a bit of it, or of its
// shard, is not as it was written.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { COMPLETED, DATC_3_2, loadMap, rulesByName, SOLO, standard } from '../../../engine/internal.js';
import { hasCode } from '../../../engine/rules/error.js';
import { nameOfKey } from '../../../selfplay/games/phase-key.js';
import { GameTable, makeTable, readTable, soundTable, tablePath } from '../../../selfplay/records/game-table.js';
import { decodeShard, encodeShard, splitShard } from '../../../selfplay/records/record.js';
import { fillStates } from '../../../selfplay/records/verify.js';
import { makeFolder } from '../../tools/command.js';
import { gameOfState } from '../../tools/positions.js';
import { playRun, runOf } from '../../tools/runs.js';

const directory = makeFolder('table');
const run = join(directory, 'run');
await playRun(runOf('policy', 40, { until: 1920, seed: 4 }), run);
const shard = join(run, 'games-00000.lep');
const bytes = readFileSync(shard);
const written = readFileSync(tablePath(shard));
const games = decodeShard(bytes);

const refused = (changed: Uint8Array): void =>
  assert.throws(
    () => new GameTable(Uint8Array.from(changed)),
    (error: unknown) => hasCode(error, 'file') && /: got .*, wanted /.test(error.message),
  );

const tables = suite('table of games');

tables('it has what the games say', () => {
  const table = new GameTable(Uint8Array.from(written));
  const { columns } = table;
  assert.is(table.games, 40);
  assert.equal([...columns.indices], [...games.keys()]);
  assert.equal(
    [...columns.seeds],
    games.map(({ seed }) => seed),
  );
  assert.equal(
    table.places().map(({ offset }) => offset),
    splitShard(bytes).map((game) => game.byteOffset - bytes.byteOffset),
  );
  let solos = 0;
  for (const [i, game] of games.entries()) {
    const { phases } = fillStates(standard, DATC_3_2, game);
    assert.is(columns.phases[i], phases.length - 1);
    assert.is(columns.steps[i], phases.filter(({ phase }) => phase.endsWith('M')).length);
    const [first, last] = table.rowsOf(i);
    // A row ends where the next phase is of another year, or the game is over.
    const ends = phases.flatMap(({ phase }, k) => {
      const next = phases[k + 1]?.phase;
      return next !== undefined && (next === COMPLETED || next.slice(1, -1) !== phase.slice(1, -1)) ? [k] : [];
    });
    assert.is(last - first + 1, ends.length);
    assert.is(table.yearsOf(i), ends.length);
    const counts = new Int32Array(7);
    for (const [row, k] of ends.entries()) {
      assert.is(nameOfKey(columns.keys[first + row]), phases[k].phase);
      gameOfState(phases[k + 1].state).countCenters(counts);
      assert.equal([...columns.centers.subarray((first + row) * 7, (first + row + 1) * 7)], [...counts]);
    }
    assert.equal([...table.lastCenters(i)], [...counts]);
    const { status, winner } = gameOfState(phases[phases.length - 1].state);
    const isSolo = status === SOLO;
    assert.equal([columns.winners[i], columns.draws[i]], isSolo ? [winner, 0] : [-1, 1]);
    solos += Number(isSolo);
  }
  assert.ok(solos > 0 && solos < 40, `${solos} solos`);
});

tables('made again from the shard it is the same, byte for byte', () => {
  assert.equal(makeTable(standard, DATC_3_2, shard, bytes)?.bytes, Uint8Array.from(written));
});

tables('games that say who played them have their seats', () => {
  const seated = games.map((game, i) => ({ ...game, agents: Uint16Array.from({ length: 7 }, (_, q) => 300 * i + q) }));
  const table = makeTable(standard, DATC_3_2, shard, encodeShard(seated));
  assert.equal(
    games.map((_, i) => [...(table?.seatsOf(i) ?? [])]),
    seated.map(({ agents }) => [...agents]),
  );
  assert.is(new GameTable(Uint8Array.from(written)).seatsOf(0), undefined);
});

tables('of games that do not follow from their orders there is no table', () => {
  const [first, ...others] = games;
  const [opening, ...phases] = first.phases;
  const results = opening.results.map((result, i) => (i === 3 ? result ^ 1 : result));
  const wrong = encodeShard([{ ...first, phases: [{ ...opening, results }, ...phases] }, ...others]);
  assert.is(makeTable(standard, DATC_3_2, shard, wrong), null);
});

tables('every flipped byte and every cut is found', () => {
  const flipped = Uint8Array.from(written);
  for (let at = 0; at < written.length; at++) {
    flipped[at] ^= 1 << (at % 8);
    refused(flipped);
    flipped[at] = written[at];
  }
  for (let size = 0; size < written.length; size++) refused(written.subarray(0, size));
  refused(Buffer.concat([written, Buffer.alloc(4)]));
});

tables('it vouches for its shard alone, on its map and by its rules', () => {
  const there = join(directory, 'other');
  const path = join(there, 'games-00000.lep');
  mkdirSync(there);
  const sound = (): string | boolean => {
    const found = soundTable(path);
    return typeof found === 'string' ? found : found !== null;
  };
  assert.is(sound(), false);
  copyFileSync(tablePath(shard), tablePath(path));
  assert.is(sound(), false);
  writeFileSync(path, bytes);
  assert.is(sound(), true);
  writeFileSync(path, bytes.subarray(0, -1));
  assert.match(String(sound()), /^got \d+ bytes, wanted \d+ by games-00000\.table$/);
  for (const at of [0, 9, bytes.length >> 1, bytes.length - 1]) {
    writeFileSync(path, bytes.with(at, bytes[at] ^ 1));
    assert.match(String(sound()), /^got crc32 \w{8}, wanted \w{8} by games-00000\.table$/);
  }
  writeFileSync(path, bytes);
  copyFileSync(tablePath(path), join(there, 'games-00001.table'));
  copyFileSync(path, join(there, 'games-00001.lep'));
  const wanted = 'got the table of games-00000.lep, wanted that of games-00001.lep';
  assert.is(soundTable(join(there, 'games-00001.lep')), wanted);
  rmSync(tablePath(path));
  mkdirSync(tablePath(path));
  assert.is(readTable(path), null);
  const table = new GameTable(Uint8Array.from(written));
  assert.ok(table.isOf(standard, DATC_3_2));
  assert.not(table.isOf(standard, rulesByName('1971')));
  assert.not(table.isOf(loadMap('pure'), DATC_3_2));
});
tables.run();
