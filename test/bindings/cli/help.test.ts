// Tests the help of every command against its table of options, and that it fits a terminal of 80 columns.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commands } from '../../../bindings/cli/commands.js';
import { listText, optionText, readArguments } from '../../../bindings/terminal/options.js';
import { agentKinds } from '../../../selfplay/agents/registry.js';
import { defaultOf } from '../../../selfplay/question/option.js';
import { callLepanto, wordsOf } from '../../tools/command.js';

const lepanto = async (...args: string[]): Promise<string> => (await callLepanto(args)).out;

const tooLong = (text: string): string[] => text.split('\n').filter((line) => line.length > 80);

const help = suite('help');

help('the list of commands fits 80 columns and names each of them', async () => {
  const all = await lepanto('--help');
  assert.equal(tooLong(all), []);
  const names = [...all.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => name);
  assert.equal(names, Object.keys(commands));
});

/** The line of an option, with those of its meaning that follow, as one line. */
const entryOf = (text: string, name: string): string =>
  new RegExp(`^ {2}--${name}(?=[ \\n]).*(?:\\n {6,}.*)*`, 'm').exec(text)?.[0].replace(/\s+/g, ' ').trim() ?? '';

for (const [name, [, example, load]] of Object.entries(commands))
  help(`${name} --help fits 80 columns and says how to call it: options, words, defaults, an example`, async () => {
    const text = await lepanto(name, '--help');
    assert.match(text, new RegExp(`^usage: lepanto ${name}\\b`));
    assert.equal(tooLong(text), []);
    const { options = {} } = await load();
    for (const [option, row] of Object.entries(options)) {
      const entry = entryOf(text, option);
      assert.ok(entry !== '', `--${option} is not listed`);
      assert.match(entry, row.help.replace(/\s+/g, ' '));
      for (const word of 'words' in row ? row.words : []) assert.match(entry, word, `--${option}`);
      const preset = defaultOf(row);
      if (preset === undefined || typeof preset === 'boolean') continue;
      assert.match(entry, row.help.includes('(default:') ? '(default: ' : `(default: ${preset})`, `--${option}`);
    }
    assert.match(text, `\nexample: lepanto ${example}\n`);
    const [called, ...args] = wordsOf(example);
    assert.is(called, name);
    assert.not.throws(() => readArguments(args, options), example);
  });

help('an option is listed with its value, its meaning and its default', () => {
  const options = {
    games: { least: 1, most: 99, whole: true, default: 9, help: 'games to play' },
    'shard-games': { least: 1, most: 9, takes: 'NUMBER', help: 'games in a file (default: as many as fit)' },
    quiet: { help: 'word '.repeat(20).trim() },
  } as const;
  const lines = optionText(options).split('\n');
  assert.is(lines[0], '  --games N  games to play (default: 9)');
  assert.equal(lines.slice(1, 3), ['  --shard-games NUMBER', '             games in a file (default: as many as fit)']);
  assert.equal(tooLong(lines.join('\n')), []);
  assert.equal(lines.slice(5), ['In short: -n --games, -q --quiet']);
  assert.is(listText([['a', 'b']]), '  a         b');
  const { values, positionals } = readArguments(['x', '--games', '7', '--quiet'], options);
  assert.equal([values.games, values['shard-games'], values.quiet, positionals], [7, undefined, true, ['x']]);
});

help('lepanto agents lists the agents, and the options of some', async () => {
  const names = agentKinds.map(({ name }) => name);
  const listed = (text: string): string[] => [...text.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name);
  assert.equal(listed(await lepanto('agents')), names);
  const text = await lepanto('agents', 'search', 'hold');
  assert.equal(tooLong(text), []);
  assert.equal(listed(text), ['hold', 'no', 'search']);
  assert.match(text, /^ {2}replies=30 .*: 1 to \d+$/m);
  assert.match(text, /^ {2}method=regret .*: regret, best, halving$/m);
  const { agents } = JSON.parse(await lepanto('agents', '--json'));
  assert.equal(agents, JSON.parse(JSON.stringify(agentKinds)));
  const { code, err } = await callLepanto(['agents', 'serach']);
  assert.equal([code, err], [2, `lepanto: agents: got "serach", wanted one of ${names.join(', ')}\n`]);
});

help.run();
