// Readers of runs that are not whole: each says which games are missing or wrong, with its exit code too.
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { playedGames } from '../../../bindings/formats/games/played-games.js';
import { openSource, recordsOf, wholeRecord } from '../../../bindings/formats/games/recorded-run.js';
import { decodeShard, encodeShard, type StoredGame, splitShard } from '../../../selfplay/records/record.js';
import { runSelfplay } from '../../../selfplay/records/run.js';
import { callLepanto, type Ended, makeFolder, makePlaces } from '../../tools/command.js';
import { errorOf } from '../../tools/errors.js';
import { runWatched } from '../../tools/peak-memory.js';

const temporary = makeFolder('records');
const whole = join(temporary, 'whole');
const GAMES = 600;
const agents = new Array(7).fill('random');
const spec = { map: 'standard', rules: 'datc-3.2', agents, games: GAMES, until: 1901, seed: 5 };
await runSelfplay({ spec, directory: whole, workers: 2, commit: null });

const place = makePlaces('broken-records');
const copy = (): string => {
  const to = place();
  cpSync(whole, to, { recursive: true });
  return to;
};

const lepanto = (...args: string[]): Promise<Ended> => callLepanto([...args, '--quiet']);

const lep = (k: number): string => `games-0000${k}.lep`;
const table = (k: number): string => `games-0000${k}.table`;

/** Writes a shard without a table. */
const rewrite = (there: string, k: number, change: (games: StoredGame[]) => StoredGame[]): void => {
  const path = join(there, lep(k));
  writeFileSync(path, encodeShard(change(decodeShard(readFileSync(path)))));
  rmSync(join(there, table(k)));
};

/** Changes the result of the first order of some games. */
const otherResults = (games: StoredGame[], ...indices: number[]): StoredGame[] => {
  for (const k of indices) games[k].phases[0].results[0] ^= 3;
  return games;
};

/** Changes the bytes of a file. */
const change = (there: string, name: string, edit: (bytes: Buffer) => unknown): void => {
  const bytes = readFileSync(join(there, name));
  edit(bytes);
  writeFileSync(join(there, name), bytes);
};

const remove = (there: string, ...names: string[]): void => {
  for (const name of names) rmSync(join(there, name));
};
const move = (there: string, from: string, to: string): void => renameSync(join(there, from), join(there, to));
const double = (there: string, from: string, to: string): void => cpSync(join(there, from), join(there, to));

const otherSize = (k: number): RegExp => new RegExp(`^${lep(k)}: got \\d+ bytes, wanted \\d+ by ${table(k)}$`);

/** What is done to a run, the games that are still read and right, and all that is said, the directory left out. */
type Broken = readonly [
  name: string,
  edit: (there: string) => void,
  games: number,
  ...said: readonly (string | RegExp)[],
];

const broken: readonly Broken[] = [
  ['whole', () => {}, 600],
  ['a shard deleted', (there) => remove(there, lep(1)), 344, 'games 256 to 511 are missing'],
  [
    'two shards and their tables deleted',
    (there) => remove(there, lep(0), table(0), lep(2), table(2)),
    256,
    'games 0 to 255, 512 to 599 are missing',
  ],
  [
    'a shard cut',
    (there) => truncateSync(join(there, lep(1)), splitShard(readFileSync(join(there, lep(1))))[3].byteOffset + 50),
    344 + 3,
    otherSize(1),
    /^games-00001\.lep: at offset \d+, length of a game: got \d+, wanted 1 to 50$/,
    'games 259 to 511 are missing',
  ],
  [
    'a shard emptied',
    (there) => truncateSync(join(there, lep(2))),
    512,
    otherSize(2),
    'games-00002.lep: at offset 0: got 0 bytes, wanted at least 8 bytes',
    'games 512 to 599 are missing',
  ],
  [
    'a shard in place of another',
    (there) => double(there, lep(0), lep(1)),
    344,
    otherSize(1),
    'games-00001.lep: at offset 8: got game 0, wanted game 256',
    'games-00001.lep: 255 more games are out of place',
    'games 256 to 511 are missing',
  ],
  [
    'a shard and its table in place of others',
    (there) => {
      for (const name of [lep, table]) double(there, name(0), name(1));
    },
    344,
    'games-00001.lep: got the table of games-00000.lep, wanted that of games-00001.lep',
    'games-00001.lep: at offset 8: got game 0, wanted game 256',
    'games-00001.lep: 255 more games are out of place',
    'games 256 to 511 are missing',
  ],
  [
    'two shards swapped',
    (there) => {
      move(there, lep(0), 'x');
      move(there, lep(1), lep(0));
      move(there, 'x', lep(1));
    },
    88,
    otherSize(0),
    'games-00000.lep: at offset 8: got game 256, wanted game 0',
    'games-00000.lep: 255 more games are out of place',
    otherSize(1),
    'games-00001.lep: at offset 8: got game 0, wanted game 256',
    'games-00001.lep: 255 more games are out of place',
    'games 0 to 511 are missing',
  ],
  [
    'shards added',
    (there) => {
      double(there, lep(2), lep(3));
      double(there, lep(0), 'games-000001.lep');
    },
    600,
    'games-000001.lep: got a shard that is none of the run, which has 600 games',
    'games-00003.lep: got a shard that is none of the run, which has 600 games',
  ],
  [
    'games taken out',
    (there) => rewrite(there, 0, (games) => games.filter(({ index }) => index !== 7 && index < 250)),
    600 - 7,
    'games 7, 250 to 255 are missing',
  ],
  ['a game taken out', (there) => rewrite(there, 2, (games) => games.slice(0, -1)), 599, 'game 599 is missing'],
  [
    'a game twice',
    (there) => rewrite(there, 0, (games) => [...games, games[5]]),
    600,
    /^games-00000\.lep: at offset \d+: got game 5, wanted the end$/,
  ],
  [
    'a game of another run',
    (there) => rewrite(there, 0, ([first, ...rest]) => [{ ...first, seed: 3 }, ...rest]),
    599,
    /^games-00000\.lep: at offset 8: got seed 3 of game 0, wanted -?\d+$/,
  ],
  [
    'a game that cannot be read',
    (there) =>
      change(there, lep(0), (bytes) => {
        const { byteOffset } = splitShard(bytes)[9];
        bytes.fill(0xc1, byteOffset, byteOffset + 8);
      }),
    599,
    /^games-00000\.lep: got crc32 \w{8}, wanted \w{8} by games-00000\.table$/,
    /^games-00000\.lep: at offset \d+: got \d+ bytes, wanted one recorded game \(offset 0: got the type 0xc1, wanted a map\)$/,
  ],
  [
    'another result of an order',
    (there) => rewrite(there, 0, (games) => otherResults(games, 4)),
    599,
    /^game 4, S1901M, A BUD .*: recorded as \w+, wanted \w+$/,
  ],
  [
    'another score',
    (there) =>
      rewrite(there, 0, ([first, ...rest]) => [
        { ...first, scores: { ...first.scores, draw_size: new Array(7).fill(1) } },
        ...rest,
      ]),
    599,
    /^game 0, COMPLETED: score draw_size: recorded others, wanted /,
  ],
  [
    'tables that are damaged: the games are verified instead',
    (there) => {
      writeFileSync(join(there, table(0)), 'LEPT');
      truncateSync(join(there, table(1)), 200);
      change(there, table(2), (bytes) => bytes.writeUInt8(bytes[90] ^ 4, 90));
    },
    600,
  ],
];

/** What the readers of all commands find. */
const read = (there: string): { games: number; said: string[] } => {
  const source = openSource(there);
  const all = Array.from(recordsOf(source), ({ where, game, error }) =>
    game === null ? `${where}: ${error}` : errorOf(() => assert.ok(wholeRecord(source, game).phases.length > 0)),
  );
  const said = all.filter((text) => text !== '');
  return {
    games: all.length - said.length,
    said: said.map((text) => text.replace(`${there}/`, '').replace(`${there}: `, '')),
  };
};

const readers = suite('broken records');

for (const [name, edit, games, ...said] of broken)
  readers(`${name}: is read as far as it goes, and said`, () => {
    const there = copy();
    edit(there);
    const found = read(there);
    assert.is(found.said.length, said.length, found.said.join('\n'));
    for (const [i, wanted] of said.entries())
      if (typeof wanted === 'string') assert.is(found.said[i], wanted);
      else assert.match(found.said[i], wanted);
    assert.is(found.games, games);
    const played = [...playedGames(there)];
    assert.equal([played.filter(({ error }) => error === null).length, played.length], [games, games + said.length]);
  });

readers('replay --verify, stats and convert say it, with exit code 1, or 0 for a part', async () => {
  const there = copy();
  rmSync(join(there, lep(1)));
  const missing = `${there}: games 256 to 511 are missing`;
  assert.equal(await lepanto('replay', there, '--verify'), { code: 1, out: '', err: `lepanto: ${missing}\n` });
  const object = await lepanto('replay', there, '--verify', '--json');
  assert.is(object.code, 1);
  assert.equal([JSON.parse(object.out).games, JSON.parse(object.out).difference], [344, missing]);
  const part = await lepanto('replay', there, '--verify', '--partial');
  assert.is(part.code, 0);
  assert.match(part.out, /^344 games, \d+ phases: no difference\n$/);
  assert.is(part.err, `lepanto: ${missing}\n`);
  for (const partial of [false, true]) {
    const more = partial ? ['--partial'] : [];
    const counted = await lepanto('stats', there, ...more);
    assert.equal([counted.code, counted.err], [partial ? 0 : 1, `lepanto: ${missing}\n`]);
    assert.match(counted.out, /^games +344$/m);
    const converted = await lepanto('convert', there, '-', ...more);
    assert.equal([converted.code, converted.err], [partial ? 0 : 1, `${missing}\n`]);
    assert.is(converted.out.split('\n').length, 344 + 1);
  }
  // A file is asked for what it should have alone.
  assert.is((await lepanto('replay', join(there, lep(0)), '--verify')).code, 0);
});

readers('stats refuses what replay --verify refuses, in the same words', async () => {
  const there = copy();
  rewrite(there, 0, (games) => otherResults(games, 2, 9));
  const verified = await lepanto('replay', there, '--verify', '--partial');
  assert.match(verified.err, /^lepanto: game 2, S1901M, A BUD .*\nlepanto: game 9, S1901M, A BUD .*\n$/);
  assert.is(verified.code, 1);
  const counted = await lepanto('stats', there, '--json');
  assert.equal([counted.code, counted.err, JSON.parse(counted.out).games], [1, verified.err, 598]);
});

readers('an empty shard has no statistics, and games without a move have no bounces', async () => {
  const path = join(temporary, 'games-00000.lep');
  writeFileSync(path, encodeShard([]));
  const nothing = { code: 1, out: '', err: `lepanto: ${path}: got no games, wanted at least one\n` };
  for (const [name, ...more] of [['stats'], ['stats', '--json'], ['replay', '--verify']])
    assert.equal(await lepanto(name, path, ...more), nothing);
  const held = join(temporary, 'held');
  assert.is((await lepanto('selfplay', '--games', '2', '--until', '1901', '--agents', 'hold', '--out', held)).code, 0);
  const { code, out } = await lepanto('stats', held);
  assert.is(code, 0);
  assert.match(out, /^bounces +- of moves$/m);
  assert.not.match(out, /NaN/);
  assert.is(JSON.parse((await lepanto('stats', held, '--json')).out).bounce_rate, null);
});

readers('a file of three gigabytes of nothing is named, in little memory', async () => {
  const path = join(temporary, 'huge', lep(0));
  cpSync(whole, join(temporary, 'huge'), { recursive: true });
  truncateSync(path, 3 * 2 ** 30);
  for (const [name, ...more] of [['stats'], ['replay', '--verify'], ['convert']]) {
    const args = [name, path, ...more, '--quiet'];
    const { code, err, megabytes } = await runWatched(args, { cwd: temporary, seconds: 120 });
    assert.is(code, 1);
    assert.match(err, `${path}: got 3221225472 bytes, wanted`);
    assert.match(err, /huge\/games-00000\.lep: at offset \d+, length of a game: got 0, wanted 1 to/);
    assert.ok(megabytes < 250, `${megabytes} MB`);
  }
});

readers('other maps and rules than those of today, and damaged manifests, are refused by all', async () => {
  const there = copy();
  const path = join(there, 'manifest.json');
  const checked = JSON.parse(readFileSync(path, 'utf8'));
  // Without the check that would refuse each change, as files of older versions are.
  const manifest = { ...checked, check: undefined };
  const { map, rules } = manifest;
  const NO_JSON = 'got no JSON, wanted the manifest of a run; repeat the command of the run to rewrite it';
  const changes: readonly (readonly [text: object | string, said: RegExp])[] = [
    [{ ...manifest, map: { ...map, id: 5 } }, /manifest\.json, map standard: got id 5, wanted -?\d+$/],
    [{ ...manifest, map: { name: 'mars', id: 5 } }, /manifest\.json, map: got "mars", wanted one of/],
    [{ ...manifest, rules: { ...rules, id: 5 } }, /manifest\.json, rules datc-3\.2: got id 5, wanted \d+$/],
    [{ ...checked, agents: ['hold'] }, /manifest\.json, check: got "\w{16}", wanted \w{16}: .* changed;/],
    [{ ...checked, until: 1903 }, /manifest\.json, check: got/],
    [{ ...checked, shardGames: 5 }, /manifest\.json, check: got/],
    [{ ...manifest, games: 1e15, shardGames: 1 }, /manifest\.json, games: got 1000000000000000, wanted/],
    [{ ...manifest, games: 2e7, shardGames: 1 }, /shardGames: got 1, wanted at most 100000 shards, not/],
    ['{"format"', new RegExp(`manifest\\.json: ${NO_JSON}$`)],
  ];
  for (const [text, said] of changes) {
    writeFileSync(path, typeof text === 'string' ? text : JSON.stringify(text));
    for (const [name, ...more] of [['replay', '--verify'], ['stats'], ['convert', '-'], ['replay']]) {
      const { code, out, err } = await lepanto(name, there, ...more);
      assert.equal([code, out], [1, ''], err);
      assert.match(err.trim(), said);
    }
  }
  assert.is(readdirSync(there).length, 7);
});
readers.run();
