// Tests that the commands which commands print, and the examples in their help, can be run.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCommand } from '../../../bindings/terminal/run-command.js';
import { callLepanto, makeFolder, wordsOf } from '../../tools/command.js';
import { linesIn } from '../../tools/running.js';

const home = process.cwd();
const place = makeFolder('printed-commands');

const printed = suite('printed commands');
printed.before(async () => {
  process.chdir(place);
  writeFileSync('positions.jsonl', '{"phase": "S1901M", "units": {"FRANCE": ["A PAR"]}}\n');
  const selfplay = 'selfplay --agents dumbbot -n 4 --until 1902 --shard-games 2 -q --out';
  for (const out of ['runs/mine', 'runs/part-1 --shard 1/2', 'runs/part-2 --shard 2/2'])
    assert.is((await callLepanto(`${selfplay} ${out}`.split(' '))).code, 0);
});
printed.after(() => process.chdir(home));

printed('every command that a command prints is run', async () => {
  const printers = [
    'selfplay --agents dumbbot --games 4 --until 1902 --shard-games 2 --out runs/mine -q',
    'compare runs/mine --agents hold,random --games 1 --samples 2 --limit 1 -q -j 1',
    'merge runs/part-1 --out runs/some -q',
    'arena --agents hold,random --games 2 --until 1901 -o arena -q -j 1',
    'find runs/mine draw -n 1 -q -j 1',
    'stats runs/mine -q',
  ];
  let count = 0;
  for (const printer of printers) {
    const { out, err } = await callLepanto(printer.split(' '));
    for (const [, command] of (out + err).matchAll(/npx lepanto (.*)$/gm)) {
      const ended = await callLepanto(wordsOf(command));
      assert.is(ended.code, 0, `${printer} prints ${command}: ${ended.err}`);
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
  for (const name of names) {
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
    assert.match(completed('lepanto', 'bench', '--'), /^--json --quick .*--help$/);
  }
  for (const shell of ['zsh', 'fish']) assert.match((await callLepanto(['completion', shell])).out, /parquet/);
  assert.is((await callLepanto(['completion', 'tcsh'])).code, 2);
});

/** Commands that answer in JSON, with the words that they need. */
const answering = [
  'adjudicate positions.jsonl',
  'legal positions.jsonl',
  'rules',
  'map',
  'agents',
  'search --start --rollouts 30',
  'stats runs/mine',
  'replay runs/mine',
];

printed('commands that answer take --quiet and --json; letters and an older name stand for options', async () => {
  for (const call of answering) {
    const { code, out, err } = await callLepanto([...call.split(' '), '--quiet', '--json']);
    assert.is(code, 0, `${call}: ${err}`);
    for (const line of linesIn(out)) assert.type(JSON.parse(line), 'object', call);
  }
  for (const word of ['version', '-v', '-V', '--version'])
    assert.match((await callLepanto([word])).out, /^lepanto \d+\.\d+\.\d+\n$/);
  const { code, err } = await callLepanto('convert runs/mine --to dipcc -q'.split(' '));
  assert.equal([code, err], [0, 'lepanto: --to is now --format; the old name works until 0.3\n']);
});

printed('a path that is not there ends every command with 1, a word that is not known with 2', async () => {
  for (const [call, wanted] of [
    ['view nowhere', 1],
    ['play nowhere', 1],
    ['stats nowhere', 1],
    ['merge -o runs/x nowhere', 1],
    ['find runs/mine query -q', 2],
    ['map show mars', 2],
    ['legal --map mars', 2],
  ] as const) {
    const { code, err } = await callLepanto(call.split(' '));
    assert.is(code, wanted, `${call}: ${err}`);
  }
});

printed('a mistake is answered alike by all commands', async () => {
  writeFileSync('garbage.txt', 'garbage\n');
  writeFileSync('empty.jsonl', '');
  for (const read of ['replay', 'stats', 'draw', 'find draw', 'compare --agents hold,random', 'tensors --out made']) {
    const [name, ...rest] = read.split(' ');
    const wrong = async (path: string) => {
      const { code, out, err } = await callLepanto([name, path, ...rest]);
      assert.equal([code, out], [1, ''], `${name} ${path}`);
      return err;
    };
    assert.is(await wrong('nowhere'), 'lepanto: cannot read nowhere: there is no such file or directory\n');
    const other =
      name === 'tensors' ? /garbage\.txt.*not JSON/ : /garbage\.txt: got another file, wanted recorded games/;
    assert.match(await wrong('garbage.txt'), other);
    assert.match(
      await wrong('empty.jsonl'),
      /empty\.jsonl: (got an empty file, wanted recorded games|got no game, wanted at least one)/,
    );
  }
  const calls: readonly (readonly [string, RegExp])[] = [
    // A number below zero is a value, not an option.
    ['selfplay --games -1', /--games: got "-1", wanted a whole number from 1/],
    ['selfplay -n -1', /--games: got "-1", wanted a whole number from 1/],
    ['find runs/mine draw --limit -1', /--limit: got "-1", wanted a whole number from 0/],
    // The options that every command takes are suggested too.
    ...['rules', 'map', 'agents', 'draw', 'queue', 'agent', 'completion'].map(
      (name) => [`${name} --quiat`, /got the option --quiat, did you mean --quiet\?/] as const,
    ),
    ['legal --formet json', /got the option --formet, wanted one of --map, --map-options, --quiet, --rules, --json /],
    ['tensors runs/mine --out made --map mars', /--map: got "mars", wanted one of standard/],
    ['tensors runs/mine --out made --rules mars', /--rules: got preset "mars", wanted one of/],
    ['play --agents dumbot', /^lepanto: --agents: got "dumbot"/],
    ['map list --out x.json', /--out: got it with map list/],
    ['adjudicate positions.jsonl --json --format marked', /--json: got it with --format marked/],
    ['draw runs/mine --json', /--json: got it for a picture, wanted it with other commands only/],
    ['stats runs/mine --out x', /got the option --out, wanted one of --partial/],
    ['find runs/mine A VIE - TYR', /put a query of several words into quotes/],
    ['compare runs/mine', /--agents: got nothing/],
    // A file that an option names.
    ['arena --agents hold,random --with nowhere.json', /--with: cannot read nowhere\.json: there is no such file/],
    ['selfplay --agents net:file=nowhere', /option file: nowhere: got no file, wanted weights of a net/],
    ...['arena --agents hold,random', 'selfplay', 'merge runs/part-1', 'tensors runs/mine'].map(
      (call) => [`${call} --out garbage.txt/x`, /--out: got "garbage.txt\/x", but .*, wanted a directory/] as const,
    ),
    ['play --files garbage.txt/x', /--files: got "garbage.txt\/x", but .*, wanted a directory/],
  ];
  for (const [call, message] of calls) {
    const { code, out, err } = await callLepanto(call.split(' '));
    assert.equal([code, out], [2, ''], `${call}: ${err}`);
    assert.match(err, message);
  }
  assert.is((await callLepanto(['search', '--start', '--rollouts', '30', '--seed', '-1', '--quiet'])).code, 0);
});

printed('an error of the system names its file in words', async () => {
  const denied = Object.assign(new Error('EACCES: ...'), { code: 'EACCES', errno: -13, syscall: 'open', path: 'a b' });
  const { write } = process.stderr;
  let said = '';
  process.stderr.write = (text) => {
    said += text;
    return true;
  };
  try {
    const run = () => Promise.reject(denied);
    assert.is(await runCommand('x', async () => ({ help: '', run }), []), 1);
  } finally {
    process.stderr.write = write;
  }
  assert.is(said, 'lepanto: cannot read a b: permission is denied\n');
});

printed('--columns with --terminal, and selfplay --start, are older names', async () => {
  const draw = 'draw positions.jsonl --terminal 60'.split(' ');
  const [older, newer] = [
    await callLepanto(draw.toSpliced(3, 0, '--columns')),
    await callLepanto(draw.toSpliced(3, 0, '--width')),
  ];
  assert.equal([older.code, older.out, newer.err], [0, newer.out, '']);
  assert.match(older.err, /--columns with --terminal is now --width; the old name works until 0\.3/);
  const { code, err } = await callLepanto(['selfplay', '--start', '-n', '2', '--until', '1901', '-q', '-j', '1']);
  assert.equal([code, err], [0, 'lepanto: --start is now --demo; the old name works until 0.3\n']);
});

printed('replay prints one phase', async () => {
  const { out } = await callLepanto(['replay', 'runs/mine', '--game', '1', '--phase', 'F1901M']);
  assert.match(out, /^game 1, .*\n\nF1901M\n {2}AUSTRIA\n/);
  assert.not.match(out, /1901[A-Z]\n[\s\S]*S1901M|S1902M/);
  const { code, err } = await callLepanto(['replay', 'runs/mine', '--phase', 'F1999M']);
  assert.equal([code, /--phase: got "F1999M", wanted one of S1901M, /.test(err)], [2, true], err);
});
printed.run();
