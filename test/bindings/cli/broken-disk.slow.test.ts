// Tests full disks, directories that cannot be written and readers that go away: the error is one line that names the
// file, and nothing half-done is left behind.
//
// /dev/full simulates a full disk for streams, a limit on the size of files does so for files.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, entry, makeFolder } from '../../tools/command.js';
import { runWatched } from '../../tools/peak-memory.js';

const directory = makeFolder('disk');
const place = (...names: string[]): string => join(directory, ...names);

/** Runs a line of sh in which "$@" is lepanto with these arguments. */
const shell = (line: string, args: readonly string[]): Ended => {
  const words = ['-c', line, 'sh', process.execPath, entry, ...args];
  const { status, stdout, stderr } = spawnSync('sh', words, { encoding: 'utf8', maxBuffer: 1 << 28 });
  return { code: status, out: stdout, err: stderr };
};

const run = place('run');
const GAMES = 12;
// Years enough for a plot of more than a block.
shell('"$@"', ['selfplay', '--games', String(GAMES), '--until', '1920', '--out', run, '--quiet']);
writeFileSync(place('position.json'), '{"phase": "S1901M", "units": {"FRANCE": ["A PAR"]}}\n');

const commands: readonly (readonly string[])[] = [
  ['--help'],
  ['--version'],
  ['adjudicate', place('position.json')],
  ['legal', place('position.json')],
  ['selfplay', '--games', '2', '--until', '1901', '--workers', '1', '--out', place('two'), '--quiet'],
  ['replay', run],
  ['replay', run, '--verify', '--quiet'],
  ['convert', run, '-', '--quiet'],
  ['stats', run, '--quiet'],
  ['search', '--start', '--power', 'ITALY', '--rollouts', '200', '--workers', '1', '--quiet'],
  ['arena', '--agents', 'random,hold', '--games', '1', '--until', '1901', '--workers', '1', '--quiet'],
  ['rules'],
  ['bench', '--smoke', '--quiet'],
];

const streams = suite('broken disk: streams');
const hasFull = existsSync('/dev/full');

for (const args of hasFull ? commands : [])
  streams(`${args.slice(0, 2).join(' ')} >/dev/full says so in one line, with exit code 1`, () => {
    assert.equal(shell('exec "$@" >/dev/full', args), {
      code: 1,
      out: '',
      err: 'lepanto: cannot write standard output: no space is left on the disk\n',
    });
  });

if (hasFull)
  streams('progress and counts that cannot be written stop nothing', () => {
    const counted = shell('exec "$@" 2>/dev/full', ['adjudicate', '-']);
    assert.equal(counted, { code: 0, out: '', err: '' });
    writeFileSync(place('bad.json'), 'nonsense\n');
    const { code, out } = shell('exec "$@" 2>/dev/full', ['adjudicate', place('bad.json')]);
    assert.is(code, 1);
    assert.match(out, /"line":1,"error":"not JSON/);
  });

streams('a reader that goes away ends a command quietly', async () => {
  for (const args of [
    ['convert', run, '-', '--quiet'],
    ['rules', '--json'],
  ]) {
    const { code, err } = await runWatched(args, { output: 'closed' });
    assert.equal([code, err], [0, ''], args[0]);
  }
});

streams('a pipe is written into, not replaced by a file', () => {
  const fifo = place('pipe.jsonl');
  assert.is(spawnSync('mkfifo', [fifo]).status, 0);
  const line = `cat '${fifo}' >'${place('piped')}' & "$@"; code=$?; wait; exit $code`;
  assert.is(shell(line, ['convert', run, fifo, '--quiet']).code, 0);
  assert.is(readFileSync(place('piped'), 'utf8').trim().split('\n').length, GAMES);
  assert.is(spawnSync('test', ['-p', fifo]).status, 0);
});
streams.run();

const files = suite('broken disk: files');

/** Where no process may make a file, not even the superuser's. */
const BARRED = '/proc/self';
/** In blocks of 512 bytes, as sh counts: a probe fits in, nothing more does. */
const SMALL_LIMIT = 'ulimit -f 8; exec "$@"';
/** No room for a single block. */
const NO_ROOM = 'ulimit -f 1; ';
const TOO_LARGE = 'the file would be larger than the system allows';

files('convert names the file that it cannot finish, and leaves nothing', () => {
  mkdirSync(place('out'));
  for (const name of ['games.jsonl', 'games.lep']) {
    const { code, err } = shell(SMALL_LIMIT, ['convert', run, place('out', name), '--quiet']);
    assert.equal([code, err], [1, `lepanto: cannot write ${place('out', name)}: ${TOO_LARGE}\n`]);
  }
  assert.equal(readdirSync(place('out')), []);
});

files('selfplay names the file that it cannot finish, and the same command goes on once it can', () => {
  const args = ['selfplay', '--games', String(GAMES), '--until', '1903', '--out', place('cut'), '--quiet', '--json'];
  const { code, out, err } = shell(SMALL_LIMIT, args);
  assert.equal([code, out], [1, '']);
  assert.is(err, `lepanto: cannot write ${place('cut', 'games-00000.lep')}: ${TOO_LARGE}\n`);
  assert.equal(readdirSync(place('cut')), ['manifest.json', 'playing.json']);
  const whole = shell('"$@"', args);
  assert.equal([whole.code, whole.err, JSON.parse(whole.out).games], [0, '', GAMES]);
});

files('what stats and bench have found is printed though its file cannot be written', () => {
  const failing: readonly (readonly [args: readonly string[], file: string, printed: RegExp])[] = [
    [['stats', run, '--svg', place('svg'), '--quiet'], place('svg', 'centers.svg'), /^games +12$/m],
    [['bench', '--smoke', '--quiet', '--out', place('bench.json')], place('bench.json'), /^phase steps/m],
  ];
  for (const [args, file, printed] of failing) {
    const { code, out, err } = shell(SMALL_LIMIT, args);
    assert.equal([code, err], [1, `lepanto: cannot write ${file}: ${TOO_LARGE}\n`]);
    assert.match(out, printed);
  }
  assert.equal([existsSync(place('bench.json')), readdirSync(place('svg'))], [false, []]);
});

files('find answers in memory where its index does not fit on the disk', () => {
  const { code, out, err } = shell(SMALL_LIMIT, ['find', run, 'draw', '--json', '--quiet', '--workers', '1']);
  assert.is(code, 0, err);
  assert.match(err, `lepanto: cannot write ${join(run, 'find.index')}: ${TOO_LARGE}; the index is kept in memory\n`);
  assert.is(JSON.parse(out).games, GAMES);
  assert.is(existsSync(join(run, 'find.index')), false);
});

files('a file that cannot be made is refused before the work', () => {
  const refused = (line: string, wanted: string, ...commands: readonly string[][]): void => {
    for (const args of commands) {
      const { code, out, err } = shell(`${line}exec "$@"`, args);
      assert.equal([code, out], [2, ''], err);
      assert.match(err, new RegExp(`^lepanto: (OUT|--out|--svg): got ${wanted}\\n$`));
    }
  };
  if (existsSync(BARRED))
    refused(
      '',
      '"/proc/self[^"]*", .*, wanted a (file|directory)',
      ['convert', run, join(BARRED, 'x.jsonl')],
      ['bench', '--full', '--out', join(BARRED, 'x.json')],
      ['stats', run, '--svg', join(BARRED, 'fd')],
      ['selfplay', '--games', '100000', '--out', join(BARRED, 'run')],
    );
  refused(
    NO_ROOM,
    `"[^"]*", but ${TOO_LARGE}, wanted a file`,
    ['convert', run, place('x.jsonl')],
    ['bench', '--full', '--out', place('x.json')],
    ['stats', run, '--svg', place('plots')],
  );
});
files.run();
