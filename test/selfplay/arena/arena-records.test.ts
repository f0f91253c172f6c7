// Tests that an arena keeps whole games, as runs that every reader of records takes.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readGames } from '../../../bindings/formats/games/read.js';
import { openSource, recordsOf } from '../../../bindings/formats/games/recorded-run.js';
import { type GauntletSpec, runGauntlet } from '../../../selfplay/arena/gauntlet.js';
import { KeptGames } from '../../../selfplay/arena/kept-games.js';
import { verifyGame } from '../../../selfplay/records/verify.js';
import { storedGames } from '../../tools/recorded.js';

const directory = mkdtempSync(join(tmpdir(), 'lepanto-arena-'));
const place = (name: string): string => join(directory, name);
const spec: GauntletSpec = {
  ...{ map: 'standard', rules: 'datc-3.2', scoring: 'sum_of_squares', games: 9, until: 1902, seed: 4 },
  ...{ agent: 'policy', families: ['random', 'hold'] },
};
const filesOf = (name: string): Record<string, string> => {
  const names = readdirSync(place(name), { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names
      .filter((file) => /\.(json|lep)$/.test(file))
      .map((file) => [file, readFileSync(place(join(name, file)), 'latin1')]),
  );
};
const play = (name: string, options = {}) =>
  runGauntlet(spec, { workers: 1, kept: new KeptGames(place(name)), ...options });

const records = suite('arena records');

records.after(() => rmSync(directory, { recursive: true }));

records('each seating is a run: agents by power, all games, which follow from their orders', async () => {
  const { games } = await play('whole');
  let found = 0;
  for (const name of readdirSync(place('whole')).filter((one) => one !== 'arena.json')) {
    const source = openSource(place(join('whole', name)));
    const { agents = [], games: wanted } = source.manifest ?? {};
    assert.is(agents.filter((agent) => agent === 'policy').length, 1, name);
    assert.equal(
      Array.from(recordsOf(source), ({ error }) => error).filter((error) => error !== null),
      [],
    );
    const all = storedGames(source);
    assert.equal(
      all.map(({ index }) => index),
      Array.from({ length: Number(wanted) }, (_, i) => i),
    );
    for (const game of all) assert.is(verifyGame(source.map, source.rules.adjudication, game), null);
    found += all.length;
  }
  assert.is(found, games);
});

records('the same files for any number of workers, also after an end in the middle', async () => {
  await play('two', { workers: 2 });
  assert.equal(filesOf('two'), filesOf('whole'));
  const stop = new AbortController();
  await play('stopped', { signal: stop.signal, onGame: (n: number) => n === 5 && stop.abort() });
  // As a kill leaves it between two files, and a disk that has changed a byte.
  const [, one = '', , other = ''] = Object.keys(filesOf('stopped')).filter((file) => file.endsWith('.lep'));
  rmSync(place(join('stopped', one.replace(/lep$/, 'table'))));
  if (other !== '') writeFileSync(place(join('stopped', other)), 'changed');
  await play('stopped');
  assert.equal(filesOf('stopped'), filesOf('whole'));
});

records('a directory of other files is refused; what is no recorded game says so', () => {
  mkdirSync(place('other'));
  writeFileSync(place(join('other', 'notes.txt')), '');
  assert.throws(() => new KeptGames(place('other')), 'got a directory with notes.txt but no arena.json');
  assert.throws(() => openSource(place('whole')), /got the directory of an arena, wanted one of its \d+ runs: .*1-1/);
  const [found] = readGames(place(join('whole', 'arena.json')));
  assert.match(found?.error ?? '', 'got how the games of an arena ended');
});

records.run();
