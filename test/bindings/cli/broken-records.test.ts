// Readers of runs that are not whole: each says which games are missing or wrong, with its exit code too.
import {
  copyFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { playedGames } from '../../../bindings/formats/games/played-games.js';
import { openSource, recordsOf, wholeRecord } from '../../../bindings/formats/games/recorded-run.js';
import { decodeShard, encodeShard, type StoredGame, splitShard } from '../../../selfplay/records/record.js';
import { runSelfplay } from '../../../selfplay/records/run.js';
import { callLepanto, type Ended, makeFolder } from '../../tools/command.js';
import { runWatched } from '../../tools/peak-memory.js';

const temporary = makeFolder('records');
const whole = join(temporary, 'whole');
const GAMES = 600;
await runSelfplay({
  spec: {
    map: 'standard',
    rules: 'datc-3.2',
    agents: new Array(7).fill('random'),
    games: GAMES,
    until: 1901,
    seed: 5,
  },
  directory: whole,
  workers: 2,
  commit: null,
});

let places = 0;
const copy = (): string => {
  const to = join(temporary, String(places++));
  cpSync(whole, to, { recursive: true });
  return to;
};

const lepanto = (...args: string[]): Promise<Ended> => callLepanto([...args, '--quiet']);

const lep = (k: number): string => `games-0000${k}.lep`;
const table = (k: number): string => `games-0000${k}.table`;

/** Writes a shard without a table. */
const rewrite = (there: string, k: number, change: (games: StoredGame[]) => StoredGame[]): void => {
  writeFileSync(join(there, lep(k)), encodeShard(change(decodeShard(readFileSync(join(there, lep(k)))))));
  rmSync(join(there, table(k)));
};

const move = (there: string, from: string, to: string): void => renameSync(join(there, from), join(there, to));
const double = (there: string, from: string, to: string): void => copyFileSync(join(there, from), join(there, to));

interface Broken {
  readonly name: string;
  readonly edit: (there: string) => void;
  /** Games that are read and right. */
  readonly games: number;
  /** All that is said, the directory left out. */
  readonly said: readonly (string | RegExp)[];
}

const broken: readonly Broken[] = [
  { name: 'whole', edit: () => {}, games: 600, said: [] },
  {
    name: 'a shard deleted',
    edit: (there) => rmSync(join(there, lep(1))),
    games: 344,
    said: ['games 256 to 511 are missing'],
  },
  {
    name: 'two shards and their tables deleted',
    edit: (there) => {
      for (const k of [0, 2]) for (const name of [lep(k), table(k)]) rmSync(join(there, name));
    },
    games: 256,
    said: ['games 0 to 255, 512 to 599 are missing'],
  },
  {
    name: 'a shard cut',
    edit: (there) =>
      truncateSync(join(there, lep(1)), splitShard(readFileSync(join(there, lep(1))))[3].byteOffset + 50),
    games: 344 + 3,
    said: [
      /^games-00001\.lep: got \d+ bytes, wanted \d+ by games-00001\.table$/,
      /^games-00001\.lep: at offset \d+, length of a game: got \d+, wanted 1 to 50$/,
      'games 259 to 511 are missing',
    ],
  },
  {
    name: 'a shard emptied',
    edit: (there) => truncateSync(join(there, lep(2))),
    games: 512,
    said: [
      /^games-00002\.lep: got 0 bytes, wanted \d+ by games-00002\.table$/,
      'games-00002.lep: at offset 0: got 0 bytes, wanted at least 8 bytes',
      'games 512 to 599 are missing',
    ],
  },
  {
    name: 'a shard in place of another',
    edit: (there) => double(there, lep(0), lep(1)),
    games: 344,
    said: [
      /^games-00001\.lep: got \d+ bytes, wanted \d+ by games-00001\.table$/,
      'games-00001.lep: at offset 8: got game 0, wanted game 256',
      'games-00001.lep: 255 more games are out of place',
      'games 256 to 511 are missing',
    ],
  },
  {
    name: 'a shard and its table in place of others',
    edit: (there) => {
      double(there, lep(0), lep(1));
      double(there, table(0), table(1));
    },
    games: 344,
    said: [
      'games-00001.lep: got the table of games-00000.lep, wanted that of games-00001.lep',
      'games-00001.lep: at offset 8: got game 0, wanted game 256',
      'games-00001.lep: 255 more games are out of place',
      'games 256 to 511 are missing',
    ],
  },
  {
    name: 'two shards swapped',
    edit: (there) => {
      move(there, lep(0), 'x');
      move(there, lep(1), lep(0));
      move(there, 'x', lep(1));
    },
    games: 88,
    said: [
      /^games-00000\.lep: got \d+ bytes, wanted \d+ by games-00000\.table$/,
      'games-00000.lep: at offset 8: got game 256, wanted game 0',
      'games-00000.lep: 255 more games are out of place',
      /^games-00001\.lep: got \d+ bytes, wanted \d+ by games-00001\.table$/,
      'games-00001.lep: at offset 8: got game 0, wanted game 256',
      'games-00001.lep: 255 more games are out of place',
      'games 0 to 511 are missing',
    ],
  },
  {
    name: 'shards added',
    edit: (there) => {
      double(there, lep(2), lep(3));
      double(there, lep(0), 'games-000001.lep');
    },
    games: 600,
    said: [
      'games-000001.lep: got a shard that is none of the run, which has 600 games',
      'games-00003.lep: got a shard that is none of the run, which has 600 games',
    ],
  },
  {
    name: 'games taken out',
    edit: (there) => rewrite(there, 0, (games) => games.filter(({ index }) => index !== 7 && index < 250)),
    games: 600 - 7,
    said: ['games 7, 250 to 255 are missing'],
  },
  {
    name: 'a game taken out',
    edit: (there) => rewrite(there, 2, (games) => games.slice(0, -1)),
    games: 599,
    said: ['game 599 is missing'],
  },
  {
    name: 'a game twice',
    edit: (there) => rewrite(there, 0, (games) => [...games, games[5]]),
    games: 600,
    said: [/^games-00000\.lep: at offset \d+: got game 5, wanted the end$/],
  },
  {
    name: 'a game of another run',
    edit: (there) => rewrite(there, 0, ([first, ...rest]) => [{ ...first, seed: 3 }, ...rest]),
    games: 599,
    said: [/^games-00000\.lep: at offset 8: got seed 3 of game 0, wanted -?\d+$/],
  },
  {
    name: 'a game that cannot be read',
    edit: (there) => {
      const bytes = readFileSync(join(there, lep(0)));
      bytes.fill(0xc1, splitShard(bytes)[9].byteOffset, splitShard(bytes)[9].byteOffset + 8);
      writeFileSync(join(there, lep(0)), bytes);
    },
    games: 599,
    said: [
      /^games-00000\.lep: got crc32 \w{8}, wanted \w{8} by games-00000\.table$/,
      /^games-00000\.lep: at offset \d+: got \d+ bytes, wanted one recorded game \(offset 0: got the type 0xc1, wanted a map\)$/,
    ],
  },
  {
    name: 'another result of an order',
    edit: (there) =>
      rewrite(there, 0, (games) => {
        games[4].phases[0].results[0] ^= 3;
        return games;
      }),
    games: 599,
    said: [/^game 4, S1901M, A BUD .*: recorded as \w+, wanted \w+$/],
  },
  {
    name: 'another score',
    edit: (there) =>
      rewrite(there, 0, ([first, ...rest]) => [
        { ...first, scores: { ...first.scores, draw_size: new Array(7).fill(1) } },
        ...rest,
      ]),
    games: 599,
    said: [/^game 0, COMPLETED: score draw_size: wanted /],
  },
  {
    name: 'tables that are damaged: the games are verified instead',
    edit: (there) => {
      writeFileSync(join(there, table(0)), 'LEPT');
      truncateSync(join(there, table(1)), 200);
      const bytes = readFileSync(join(there, table(2)));
      bytes[90] ^= 4;
      writeFileSync(join(there, table(2)), bytes);
    },
    games: 600,
    said: [],
  },
];

/** What the readers of all commands find. */
const read = (there: string): { games: number; said: string[] } => {
  const source = openSource(there);
  const found = { games: 0, said: [] as string[] };
  for (const { where, game, error } of recordsOf(source)) {
    try {
      if (game === null) found.said.push(`${where}: ${error}`);
      else if (wholeRecord(source, game).phases.length > 0) found.games++;
    } catch (problem) {
      found.said.push((problem as Error).message);
    }
  }
  return { ...found, said: found.said.map((text) => text.replace(`${there}/`, '').replace(`${there}: `, '')) };
};

const readers = suite('broken records');

for (const { name, edit, games, said } of broken)
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
  const verified = await lepanto('replay', there, '--verify');
  assert.equal([verified.code, verified.out, verified.err], [1, '', `lepanto: ${missing}\n`]);
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
  rewrite(there, 0, (games) => {
    for (const k of [2, 9]) games[k].phases[0].results[0] ^= 3;
    return games;
  });
  const verified = await lepanto('replay', there, '--verify', '--partial');
  assert.match(verified.err, /^lepanto: game 2, S1901M, A BUD .*\nlepanto: game 9, S1901M, A BUD .*\n$/);
  assert.is(verified.code, 1);
  const counted = await lepanto('stats', there, '--json');
  assert.equal([counted.code, counted.err, JSON.parse(counted.out).games], [1, verified.err, 598]);
});

readers('an empty shard has no statistics, and games without a move have no bounces', async () => {
  const path = join(temporary, 'games-00000.lep');
  writeFileSync(path, encodeShard([]));
  const nothing = `lepanto: ${path}: got no games, wanted at least one\n`;
  for (const command of [
    ['stats', path],
    ['stats', path, '--json'],
    ['replay', path, '--verify'],
  ]) {
    const { code, out, err } = await lepanto(...command);
    assert.equal([code, out, err], [1, '', nothing]);
  }
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
  for (const command of [
    ['stats', path],
    ['replay', path, '--verify'],
    ['convert', path],
  ]) {
    const { code, err, megabytes } = await runWatched([...command, '--quiet'], { cwd: temporary, seconds: 120 });
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
  const changes: readonly (readonly [text: string, said: RegExp])[] = [
    [
      JSON.stringify({ ...manifest, map: { ...manifest.map, id: 5 } }),
      /manifest\.json, map standard: got id 5, wanted -?\d+$/,
    ],
    [JSON.stringify({ ...manifest, map: { name: 'mars', id: 5 } }), /manifest\.json, map: got "mars", wanted one of/],
    [
      JSON.stringify({ ...manifest, rules: { ...manifest.rules, id: 5 } }),
      /manifest\.json, rules datc-3\.2: got id 5, wanted \d+$/,
    ],
    [
      JSON.stringify({ ...checked, agents: ['hold'] }),
      /manifest\.json, check: got "\w{16}", wanted \w{16}: .* changed;/,
    ],
    [JSON.stringify({ ...checked, until: 1903 }), /manifest\.json, check: got/],
    [JSON.stringify({ ...checked, shardGames: 5 }), /manifest\.json, check: got/],
    [
      JSON.stringify({ ...manifest, games: 1e15, shardGames: 1 }),
      /manifest\.json, games: got 1000000000000000, wanted/,
    ],
    [
      JSON.stringify({ ...manifest, games: 2e7, shardGames: 1 }),
      /shardGames: got 1, wanted at most 100000 shards, not/,
    ],
    [
      '{"format"',
      /manifest\.json: got no JSON, wanted the manifest of a run; repeat the command of the run to rewrite it$/,
    ],
  ];
  for (const [text, said] of changes) {
    writeFileSync(path, text);
    for (const command of [
      ['replay', there, '--verify'],
      ['stats', there],
      ['convert', there, '-'],
      ['replay', there],
    ]) {
      const { code, out, err } = await lepanto(...command);
      assert.equal([code, out], [1, ''], err);
      assert.match(err.trim(), said);
    }
  }
  assert.is(readdirSync(there).length, 7);
});
readers.run();
