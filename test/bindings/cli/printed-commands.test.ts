// Tests that the commands which commands print, and the examples in their help, can be run.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callLepanto, makeFolder } from '../../tools/command.js';

const home = process.cwd();
const place = makeFolder('printed-commands');

/** The words of a command as a shell reads it. */
const wordsOf = (command: string): string[] =>
  Array.from(command.matchAll(/'([^']*)'|([^\s']+)/g), ([, quoted, plain]) => quoted ?? plain);

const printed = suite('printed commands');
printed.before(async () => {
  process.chdir(place);
  writeFileSync('positions.jsonl', '{"phase": "S1901M", "units": {"FRANCE": ["A PAR"]}}\n');
  for (const [out, part] of [
    ['runs/mine', []],
    ['runs/part-1', ['--shard', '1/2']],
    ['runs/part-2', ['--shard', '2/2']],
  ] as const) {
    const args = ['selfplay', '--agents', 'dumbbot', '-n', '4', '--until', '1902', '--shard-games', '2', '--out', out];
    assert.is((await callLepanto([...args, ...part, '-q'])).code, 0);
  }
});
printed.after(() => process.chdir(home));

printed('every command that a command prints is run', async () => {
  const printers = [
    [
      'selfplay',
      '--agents',
      'dumbbot',
      '--games',
      '4',
      '--until',
      '1902',
      '--shard-games',
      '2',
      '--out',
      'runs/mine',
      '-q',
    ],
    [
      'compare',
      'runs/mine',
      '--agents',
      'hold,random',
      '--games',
      '1',
      '--samples',
      '2',
      '--limit',
      '1',
      '-q',
      '-j',
      '1',
    ],
    ['merge', 'runs/part-1', '--out', 'runs/some', '-q'],
    ['arena', '--agents', 'hold,random', '--games', '2', '--until', '1901', '-o', 'arena', '-q', '-j', '1'],
    ['find', 'runs/mine', 'draw', '-n', '1', '-q', '-j', '1'],
    ['stats', 'runs/mine', '-q'],
  ];
  let count = 0;
  for (const printer of printers) {
    const { out, err } = await callLepanto(printer);
    for (const [, command] of (out + err).matchAll(/npx lepanto (.*)$/gm)) {
      const ended = await callLepanto(wordsOf(command));
      assert.is(ended.code, 0, `${printer[0]} prints ${command}: ${ended.err}`);
      count++;
    }
  }
  assert.ok(count >= 3, `${count} commands`);
});

printed('every help has an example, and those that end by themselves are run', async () => {
  const all = (await callLepanto(['--help'])).out;
  const names = [...all.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => name);
  assert.ok(names.length >= 23);
  const others = ['view', 'play', 'worker', 'queue', 'daide', 'bench', 'map'];
  for (const name of names.filter((one) => one !== 'bench')) {
    const [, example = ''] = /\n\nexample: lepanto (.*)\n$/.exec((await callLepanto([name, '--help'])).out) ?? [];
    assert.ok(example === name || example.startsWith(`${name} `), `${name}: ${example}`);
    if (others.includes(name)) continue;
    const { code, err } = await callLepanto([...wordsOf(example), '--quiet']);
    // A directory that holds another run is refused, as it should be.
    if (name !== 'selfplay') assert.is(code, 0, `${example}: ${err}`);
  }
});

printed('scripts of shells complete commands, options and their words', async () => {
  const bash = (await callLepanto(['completion', 'bash'])).out;
  const completed = (...words: string[]): string => {
    const typed = `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _lepanto; echo "\${COMPREPLY[*]}"`;
    return spawnSync('bash', ['-c', `${bash}\n${typed}`], { encoding: 'utf8' }).stdout.trim();
  };
  if (spawnSync('bash', ['--version']).status === 0) {
    assert.is(completed('lepanto', 'sel'), 'selfplay');
    assert.is(completed('lepanto', 'selfplay', '--ga'), '--games');
    assert.is(completed('lepanto', 'convert', '--format', 'p'), 'parquet');
    assert.match(completed('lepanto', 'draw', '--'), /^--game --phase .*--help$/);
  }
  for (const shell of ['zsh', 'fish']) assert.match((await callLepanto(['completion', shell])).out, /parquet/);
  assert.is((await callLepanto(['completion', 'tcsh'])).code, 2);
});

printed(
  'every command takes --quiet and --json, or says why not; letters and older names stand for options',
  async () => {
    for (const name of ['adjudicate', 'legal', 'rules', 'map', 'agents', 'search', 'stats', 'replay']) {
      const paths = {
        adjudicate: ['positions.jsonl'],
        legal: ['positions.jsonl'],
        stats: ['runs/mine'],
        replay: ['runs/mine'],
      };
      const more =
        name === 'search' ? ['--start', '--rollouts', '30'] : ((paths as Record<string, string[]>)[name] ?? []);
      const { code, out, err } = await callLepanto([name, ...more, '--quiet', '--json']);
      assert.is(code, 0, `${name}: ${err}`);
      for (const line of out.trim().split('\n')) assert.type(JSON.parse(line), 'object', name);
    }
    assert.match((await callLepanto(['draw', 'runs/mine', '--json'])).err, /--json: got it, wanted none: a picture/);
    const { code, err } = await callLepanto(['convert', 'runs/mine', '--to', 'dipcc', '-q']);
    assert.equal([code, err], [0, 'lepanto: --to is --format; the old name is gone in 0.3\n']);
    assert.match(
      (await callLepanto(['stats', 'runs/mine', '--out', 'x'])).err,
      /got the option --out, wanted one of --partial/,
    );
    assert.match((await callLepanto(['find', 'runs/mine', 'A', 'VIE', '-', 'TYR'])).err, /is put into quotes/);
    assert.match((await callLepanto(['compare', 'runs/mine'])).err, /--agents: got nothing/);
    for (const word of ['version', '-v', '-V', '--version'])
      assert.match((await callLepanto([word])).out, /^lepanto \d+\.\d+\.\d+\n$/);
  },
);

printed('one exit code for one kind of error', async () => {
  const codes: readonly (readonly [readonly string[], number])[] = [
    [['view', 'nowhere'], 1],
    [['play', 'nowhere'], 1],
    [['stats', 'nowhere'], 1],
    [['merge', '-o', 'runs/x', 'nowhere'], 1],
    [['find', 'runs/mine', 'no query at all', '-q'], 2],
    [['map', 'show', 'mars'], 2],
    [['legal', '--map', 'mars'], 2],
  ];
  for (const [args, wanted] of codes) {
    const { code, err } = await callLepanto(args);
    assert.is(code, wanted, `${args.join(' ')}: ${err}`);
  }
});

printed('replay prints one phase', async () => {
  const { out } = await callLepanto(['replay', 'runs/mine', '--game', '1', '--phase', 'F1901M']);
  assert.match(out, /^game 1, .*\n\nF1901M\n {2}AUSTRIA\n/);
  assert.not.match(out, /1901[A-Z]\n[\s\S]*S1901M|S1902M/);
  const { code, err } = await callLepanto(['replay', 'runs/mine', '--phase', 'F1999M']);
  assert.equal([code, /--phase: got "F1999M", wanted one of S1901M, /.test(err)], [2, true], err);
});
printed.run();
