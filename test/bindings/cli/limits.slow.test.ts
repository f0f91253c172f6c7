// Input that is made to fill memory or to take for ever: refused early, by name, below half a gigabyte. What takes for
// ever is killed: its exit code is null.
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { standard } from '../../../engine/internal.js';
import { MAX_GAME, MAX_VALUES, parseStrict } from '../../../engine/notation/json/untrusted.js';
import { hasCode } from '../../../engine/rules/error.js';
import { Random } from '../../../engine/rules/random.js';
import { parseAgent } from '../../../selfplay/agents/registry.js';
import { playGame } from '../../../selfplay/games/play.js';
import { decodeGame, encodeGame, encodeShard } from '../../../selfplay/records/record.js';
import { makeFolder } from '../../tools/command.js';
import { pour } from '../../tools/fuzz/fuzz-sizes.js';
import { runWatched, type Watched, type WatchOptions } from '../../tools/peak-memory.js';

const directory = makeFolder('limits');
const MEGABYTES = 500;

/** A file in the directory of this test. */
const file = (name: string, content: string | Uint8Array): string => {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
};

/** Runs a command that must end by itself, in bounded memory and without a trace of the stack. */
const runBounded = async (args: readonly string[], feed?: WatchOptions['feed']): Promise<Watched> => {
  const ended = await runWatched(args, feed === undefined ? {} : { feed });
  assert.is.not(ended.code, null, 'killed');
  assert.ok(ended.megabytes < MEGABYTES, `${ended.megabytes.toFixed(0)} MB`);
  assert.not.match(ended.err, /^\s+at /m);
  return ended;
};

const limits = suite('limits');

limits('search refuses zeros without end, and a file that is too large', async () => {
  const { code, err } = await runBounded(['search', '-'], pour(Buffer.alloc(1 << 20), 3000));
  assert.equal([code, err], [1, 'lepanto: standard input: got more than 4194304 bytes, wanted one position\n']);
  const large = await runBounded(['search', file('large.json', ' '.repeat(5_000_000))]);
  assert.match(large.err, /large\.json: got more than 4194304 bytes/);
});

limits('adjudicate answers zeros without end in one line', async () => {
  const { out } = await runBounded(['adjudicate', '-'], pour(Buffer.alloc(1 << 20), 1000));
  assert.match(out, /^\{"id":null,"line":1,"error":"got a line of more than 4194304 bytes"\}\n$/);
});

limits('a line that comes byte by byte is read', async () => {
  const line = `{"id": 7, "phase": "S1901M", "units": {"FRANCE": ["A PAR"]}, "note": "${'x'.repeat(300_000)}"}\n`;
  const feed = async ({ stdin }: ChildProcess): Promise<void> => {
    // In the order in which they are given, and each for itself as far as the pipe lets it be.
    for (const byte of line) if (stdin?.write(byte) === false) await new Promise((resolve) => setImmediate(resolve));
    stdin?.end();
  };
  const ended = await runBounded(['adjudicate', '-'], feed);
  assert.is(JSON.parse(ended.out).id, 7);
  assert.ok(ended.megabytes < 250, `${ended.megabytes.toFixed(0)} MB`);
});

// ---- JSON ----

/** What is cut, or wrong only at its end, or large in an unusual way. */
const documents: readonly (readonly [name: string, text: string, wanted: RegExp])[] = [
  ['cut', `{"phases": [${'"A PAR H",'.repeat(3_300_000)}`, /got more than 1048576 values/],
  ['long', `{"id": "${'x'.repeat(33_000_000)}`, /not JSON/],
  ['wide', `{"id": "${'é'.repeat(16_000_000)}", "phases": []}`, /phases: got 0/],
  ['lists', `{"phases": [${'[],'.repeat(1_000_000)}[]]}`, /phases: got 1000001, wanted/],
  ['keys', `{${Array.from({ length: 1_000_000 }, (_, i) => `"${i}":0`).join()}}`, /phases: got nothing/],
  ['huge', `{"id": "${'x'.repeat(MAX_GAME)}"}`, /got (more than )?\d+ bytes|wanted at most 33554432/],
];
for (const [name, text, wanted] of documents)
  limits(`a saved game that is ${name} is refused`, async () => {
    for (const path of [file(`${name}.json`, `${text}\n`), file(`${name}-lines.json`, `\n\n${text}`)]) {
      const { code, err } = await runBounded(['convert', path, '--quiet']);
      assert.is(code, 1);
      assert.match(err, wanted);
    }
  });

limits('a game with as many values as there may be is read', () => {
  const values = parseStrict(`[${'0,'.repeat(MAX_VALUES - 2)}0]`) as unknown[];
  assert.is(values.length, MAX_VALUES - 1);
  assert.throws(() => parseStrict(`[${'0,'.repeat(MAX_VALUES - 1)}0]`), /^got more than 1048576 values$/);
});

/** What a parser returns, or the error that it throws. */
const attempt = (parse: () => unknown): { value: unknown } | { error: unknown } => {
  try {
    return { value: parse() };
  } catch (error) {
    return { error };
  }
};

limits('what is taken for JSON is what JSON.parse() takes, and nothing is refused twice over', () => {
  const random = new Random(8, 0, 0);
  const text = '{"a":[1,-0.5e+3,"x\\u00e9\\n",true,null,{"b":{},"c":[[],[2]]}],"d":false , "e":"é𝄞"}';
  const letters = '{}[],:"\\ntrufals0129.-+eE \t\u0001';
  let taken = 0;
  let refused = 0;
  for (let i = 0; i < 40_000; i++) {
    let changed = text;
    for (let edits = 1 + random.below(3); edits > 0; edits--) {
      const at = random.below(changed.length + 1);
      const letter = random.below(3) === 0 ? '' : letters[random.below(letters.length)];
      changed = changed.slice(0, at) + letter + changed.slice(at + random.below(2));
    }
    const wanted = attempt(() => JSON.parse(changed));
    const found = attempt(() => parseStrict(changed));
    if ('value' in found) taken++;
    else assert.ok(hasCode(found.error, 'json'), changed);
    if ('value' in wanted && 'error' in found) assert.match((found.error as Error).message, 'twice in an object');
    else if ('value' in wanted) assert.equal(found, wanted, changed);
    else refused++;
    assert.ok('value' in wanted || 'error' in found, changed);
  }
  assert.ok(taken > 2000 && refused > 20_000, `${taken} taken, ${refused} refused`);
});

// ---- msgpack ----

/** A shard with these bytes for its only game. */
const shardOf = (game: Uint8Array): Uint8Array =>
  Buffer.concat([encodeShard([]), Buffer.from(Uint32Array.of(game.length).buffer), game]);

const big = (first: readonly number[], rest: Uint8Array): Uint8Array => Buffer.concat([Buffer.from(first), rest]);
const u32 = (n: number): number[] => [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255];
const MANY = 60_000_000;

const text = (letters: string): number[] => [0xa0 + letters.length, ...Buffer.from(letters)];

/** A game up to its list of phases. */
const opening = [0x84, ...text('index'), 0, ...text('seed'), 0, ...text('phases')];
/** A game up to the name of its first phase. */
const naming = [...opening, 0x91, 0x84, ...text('phase')];

const bombs: readonly (readonly [name: string, game: () => Uint8Array, wanted: RegExp])[] = [
  ['a list of nils', () => big([0xdd, ...u32(MANY)], Buffer.alloc(MANY, 0xc0)), /type 0xdd, wanted a map/],
  ['phases of nils', () => big([...opening, 0xdd, ...u32(MANY)], Buffer.alloc(MANY, 0xc0)), /type 0xc0, wanted a map/],
  ['lists of lists', () => big([...opening, 0xdd, ...u32(MANY)], Buffer.alloc(MANY, 0x90)), /type 0x90, wanted a map/],
  ['a map of maps', () => big([0xdf, ...u32(MANY >> 1)], Buffer.alloc(MANY, 0x80)), /type 0xdf, wanted a map/],
  ['depth', () => Buffer.alloc(MANY, 0x91), /type 0x91, wanted a map/],
  [
    'a list that is not there',
    () => big([...opening, 0xdd, 255, 255, 255, 255], Buffer.alloc(9)),
    /got 4294967295 bytes or values, wanted at most 9/,
  ],
  [
    'bytes that are not there',
    () => big([0x85, ...text('agents'), 0xc6, 255, 255, 255, 255], Buffer.alloc(9)),
    /got 4294967295 bytes or values, wanted at most 9/,
  ],
  ['a long text', () => big([...naming, 0xdb, ...u32(MANY)], Buffer.alloc(MANY, 0x41)), /a text of 60000000 bytes/],
  ['a type of its own', () => big([0xc7, 5, 1], Buffer.alloc(5)), /the type 0xc7/],
];
for (const [name, game, wanted] of bombs)
  limits(`a record that is ${name} is refused`, async () => {
    const path = file('games-00000.lep', shardOf(game()));
    for (const [name, ...more] of [['convert'], ['replay', '--verify']]) {
      const { code, err } = await runBounded([name, path, ...more, '--quiet']);
      assert.is(code, 1);
      assert.match(err, wanted);
    }
  });

limits('a recorded game is read whole, and cut anywhere it is not', async () => {
  const agents = standard.powerNames.map(() => parseAgent('random'));
  const bytes = encodeGame(await playGame({ agents, until: 1902, seed: 1 }));
  decodeGame(bytes);
  for (let size = 0; size < bytes.length; size++)
    assert.throws(
      () => decodeGame(bytes.subarray(0, size)),
      (error: unknown) => hasCode(error, 'record'),
      `${size} bytes`,
    );
  assert.throws(() => decodeGame(Buffer.concat([bytes, Buffer.from([0])])), /1 bytes more, wanted the end/);
  assert.throws(() => decodeGame(bytes.subarray(0, 9)), /got 9 bytes, wanted one recorded game \(offset/);
});
limits.run();
