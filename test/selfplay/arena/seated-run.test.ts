// Tests that an arena keeps whole games, as runs that every reader of records takes.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readGames } from '../../../bindings/formats/games/read.js';
import { agentsIn, openSource, recordsOf } from '../../../bindings/formats/games/recorded-run.js';
import { Random } from '../../../engine/internal.js';
import { playArenaGames } from '../../../selfplay/arena/arena-game.js';
import { type GauntletSpec, runGauntlet } from '../../../selfplay/arena/gauntlet.js';
import { KeptGames, readKeptArenas } from '../../../selfplay/arena/kept-games.js';
import type { ArenaSpec } from '../../../selfplay/arena/protocol.js';
import { GameRecorder, SeatedRun } from '../../../selfplay/arena/seated-run.js';
import { gameSeed } from '../../../selfplay/games/game-record.js';
import { decodeGame, encodeGame } from '../../../selfplay/records/record.js';
import { GAMES_PER_SHARD } from '../../../selfplay/records/run-spec.js';
import { verifyGame } from '../../../selfplay/records/verify.js';
import { makeFolder } from '../../tools/command.js';
import { saying } from '../../tools/errors.js';
import { storedGames } from '../../tools/recorded.js';

const directory = makeFolder('arena');
const place = (name: string): string => join(directory, name);
const spec: GauntletSpec = {
  ...{ map: 'standard', rules: 'datc-3.2', scoring: 'sum_of_squares', games: 9, until: 1902, seed: 4 },
  ...{ agent: 'policy', families: ['random', 'hold'] },
};
const filesOf = (name: string): Record<string, string> => {
  const names = readdirSync(place(name), { recursive: true, encoding: 'utf8' });
  const files = names.filter((file) => /\.(json|lep|table)$/.test(file)).sort();
  return Object.fromEntries(files.map((file) => [file, readFileSync(place(join(name, file)), 'latin1')]));
};
const play = (name: string, options = {}) =>
  runGauntlet(spec, { workers: 1, kept: new KeptGames(place(name)), ...options });

const records = suite('arena records');

const arena: ArenaSpec = { ...spec, agents: ['policy', 'hold'], protocol: '1v6' };
const [{ record }] = await playArenaGames({ spec: arena, games: [0], whole: true });
assert.ok(record);
const played = decodeGame(record);

records('each arena is a run: games say who sat where, and follow from their orders', async () => {
  const { games } = await play('whole');
  const { arenas } = readKeptArenas(place('whole/arena.json'));
  assert.equal(readdirSync(place('whole')).sort(), ['1', '2', '3', 'arena.json']);
  let found = 0;
  for (const [i, arena] of arenas.entries()) {
    const run = place(join('whole', String(i + 1)));
    assert.equal(readdirSync(run).sort(), ['games-00000.lep', 'games-00000.table', 'manifest.json']);
    const source = openSource(run);
    assert.equal([source.manifest?.agents, source.manifest?.seated], [arena.spec.agents, true]);
    assert.equal(
      Array.from(recordsOf(source), ({ error }) => error).filter((error) => error !== null),
      [],
    );
    const all = storedGames(source);
    assert.equal(
      all.map(({ index }) => index),
      arena.games.map((_, game) => game),
    );
    for (const [game, record] of all.entries()) {
      assert.is(verifyGame(source.map, source.rules.adjudication, record), null);
      const seats = arena.games[game].seats.map((agent) => arena.spec.agents[agent]);
      assert.equal(agentsIn(source, record), seats);
      assert.is(seats.filter((agent) => agent === 'policy').length, 1);
    }
    found += all.length;
  }
  assert.is(found, games);
});

records('the same files for any number of workers, also after an end in the middle', async () => {
  await play('two', { workers: 2 });
  assert.equal(filesOf('two'), filesOf('whole'));
  const stop = new AbortController();
  await play('stopped', { signal: stop.signal, onGame: (n: number) => n === 14 && stop.abort() });
  // As a kill leaves it between two files, and a disk that has changed a byte.
  rmSync(place('stopped/1/games-00000.table'));
  writeFileSync(place('stopped/2/games-00000.lep'), 'changed');
  await play('stopped');
  assert.equal(filesOf('stopped'), filesOf('whole'));
});

records(
  'whatever byte of a shard, a table or a manifest has changed or is cut, the same files come of it',
  async () => {
    const random = new Random(11);
    for (const name of ['games-00000.lep', 'games-00000.table', 'manifest.json'])
      for (const cut of [false, true]) {
        cpSync(place('whole'), place('damaged'), { recursive: true });
        const path = place(join('damaged', '1', name));
        const bytes = readFileSync(path);
        const at = random.below(bytes.length);
        bytes[at] ^= 1 << random.below(8);
        writeFileSync(path, cut ? bytes.subarray(0, at) : bytes);
        await play('damaged');
        assert.equal(filesOf('damaged'), filesOf('whole'), `${name}, byte ${at}`);
        rmSync(place('damaged'), { recursive: true });
      }
  },
);

records('games beyond one shard are read again by a later start, and full shards stay as they are', () => {
  const run = (seed: number) =>
    new SeatedRun(place('long'), { map: 'standard', rules: 'datc-3.2', seed, until: 1901 }, ['hold']);
  const game = (index: number): Uint8Array =>
    encodeGame({ ...played, index, seed: gameSeed(3, index), agents: new Uint16Array(7) });
  const first = run(3);
  for (let index = 0; index < GAMES_PER_SHARD + 3; index++) if (index !== 7) first.add(index, game(index));
  first.save(GAMES_PER_SHARD + 3);
  const second = run(3);
  const indices = [...Array(GAMES_PER_SHARD + 4).keys()];
  const missing = indices.filter((index) => !second.has(index));
  assert.equal(missing, [7, GAMES_PER_SHARD + 3]);
  for (const index of missing) second.add(index, game(index));
  second.save(GAMES_PER_SHARD + 4);
  const source = openSource(place('long'));
  assert.equal(
    Array.from(recordsOf(source), ({ game, error }) => game?.index ?? error),
    indices,
  );
  // Games of other agents than the manifest's, and of another seed, are not of this run.
  assert.not(run(4).has(0));
});

records('a recorder takes agents of any name, and refuses a directory that is not empty', () => {
  const spec = { map: 'standard', rules: 'datc-3.2', seed: 3, until: 1901 };
  const recorder = new GameRecorder(place('recorded'), spec);
  const named = (last: string): string[] => [...new Array<string>(6).fill('me'), last];
  for (let index = 0; index < 300; index++) recorder.add(named(`opponent ${index}`), played);
  assert.is(recorder.write(), 300);
  const source = openSource(place('recorded'));
  const games = storedGames(source);
  assert.is(games.length, 300);
  for (const game of games) assert.equal(agentsIn(source, game), named(`opponent ${game.index}`));
  assert.throws(
    () => new GameRecorder(place('recorded'), spec),
    /which has .* in it, wanted an empty or a new directory/,
  );
});

records('a directory of other files is refused; what is no recorded game says so', () => {
  mkdirSync(place('other'));
  writeFileSync(place(join('other', 'notes.txt')), '');
  assert.throws(() => new KeptGames(place('other')), saying('got a directory with notes.txt but no arena.json'));
  assert.throws(() => openSource(place('whole')), /got the directory of an arena, wanted one of its 3 runs: .*1$/);
  const [found] = readGames(place(join('whole', 'arena.json')));
  assert.match(found?.error ?? '', 'got how the games of an arena ended');
});

records.run();
