// Tests `lepanto arena --gauntlet`, `--gate` and `--out` from the command line: what is printed, kept and refused.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOfAgents, unseenBots } from '../../../selfplay/agents/agent-code.js';
import { callLepanto, type Ended, makeFolder, runLepanto } from '../../tools/command.js';
import { linesIn } from '../../tools/running.js';

const scratch = makeFolder('arena-gauntlet');

process.chdir(scratch);

const options = ['--until', '1901', '--workers', '1', '--quiet'];
const arena = (...args: readonly string[]): Promise<Ended> => callLepanto(['arena', ...args, ...options]);

const command = suite('lepanto arena --gauntlet');

const gauntlet = ['--gauntlet', 'guard', '--families', 'random,hold', '--games', '2'];

command('a table, Markdown and JSON say the same of games that a file keeps', async () => {
  const text = await arena(...gauntlet, '--out', 'games.json');
  assert.is(text.code, 0, text.err);
  for (const name of ['6 random', '6 hold', 'a mixed table']) assert.match(text.out, new RegExp(`^${name} +2 `, 'm'));
  const kept = readFileSync(join(scratch, 'games.json'), 'utf8');
  assert.is(JSON.parse(kept).arenas.length, 3);
  const markdown = await arena(...gauntlet, '--out', 'games.json', '--markdown');
  assert.match(markdown.out, /^\| 6 hold \| 2 \| 0\.\d{3} \+- 0\.\d{3} \|/m);
  assert.is(readFileSync(join(scratch, 'games.json'), 'utf8'), kept, 'nothing is played twice');
  const record = JSON.parse((await arena(...gauntlet, '--json')).out);
  assert.is(record.agent, 'guard');
  assert.is(record.played, 6);
  assert.is(record.rows.length, 3);
  assert.ok(record.rows[0].standing.score <= record.rows[1].standing.score);
});

command('an arena keeps its games too, and plays on for more', async () => {
  const agents = ['--agents', 'guard,random', '--json'];
  const few = JSON.parse((await arena(...agents, '--games', '3', '--out', 'arena.json')).out);
  const more = JSON.parse((await arena(...agents, '--games', '7', '--out', 'arena.json')).out);
  const once = JSON.parse((await arena(...agents, '--games', '7')).out);
  assert.is(few.standings[0].games, 3);
  assert.equal(more.standings, once.standings);
  assert.is(JSON.parse(readFileSync(join(scratch, 'arena.json'), 'utf8')).arenas[0].games.length, 7);
});

command('replay and stats read the games of a directory of arenas by their numbers', async () => {
  const read = (call: string): Promise<Ended> => callLepanto(`${call} --quiet`.split(' '));
  assert.is((await arena(...gauntlet, '--out', 'kept')).code, 0);
  assert.match((await read('stats kept')).out, /^games +6$/m);
  assert.match((await read('stats kept --arena 3')).out, /^games +2$/m);
  assert.match((await read('replay kept --verify')).out, /^6 games,/);
  const played = (await read('replay kept --arena 2 --game 1')).out;
  assert.match(played, /^arena 2, game 1, seed .*\n.*\nAUSTRIA +hold\nENGLAND +guard\n/);
  assert.is(linesIn((await read('replay kept --json')).out).length, 6);
  for (const [call, message] of [
    ['replay kept --game 2', '1: got no game 2'],
    ['replay kept --arena 4 --game 0', 'got no games of arena 4'],
    ['stats kept --arena 0', '--arena: got'],
    ['stats kept/1 --arena 1', 'wanted a directory of lepanto arena'],
  ])
    assert.match((await read(call)).err, message);
});

command('a gate says by its exit code whether an agent passes', async () => {
  const gate = ['--gate', 'policy', '--against', 'random', '--games', '21', '--anchors', 'hold'];
  const text = await arena(...gate, '--out', 'gate.json');
  assert.is(text.code, 0, text.err);
  assert.match(text.out, /^passed: better than the other \(p = .* at look 1 of 4, wanted below 0\.013\)\n84 games /);
  assert.match(text.out, /^hold +21 +0\.\d{3} +0\.\d{3} +-?0\.\d{3} \+- 0\.\d{3}$/m);
  const kept = readFileSync(join(scratch, 'gate.json'), 'utf8');
  const again = await arena(...gate, '--out', 'gate.json', '--json');
  assert.is(readFileSync(join(scratch, 'gate.json'), 'utf8'), kept, 'nothing is played twice');
  const record = JSON.parse(again.out);
  assert.equal([record.passed, record.looks, record.games, record.gate.agent], [true, 1, 84, 'policy']);
  const other = await arena('--gate', 'hold', '--against', 'random', '--games', '2', '--looks', '2', '--p', '1e-6');
  assert.is(other.code, 1);
  assert.match(
    other.out,
    /^did not pass: not clearly better than the other \(.* at look 2 of 2, wanted below 5\.0e-7\)/,
  );
});

command('games of a bot, or on a map, that was edited since are not taken', () => {
  // In a process of its own, for modules are loaded once in each.
  const edited = (...args: readonly string[]): Ended => runLepanto(['arena', ...args, ...options]);
  const write = (name: string, text: string): void => writeFileSync(join(scratch, name), text);
  const agent = (choice: string): string =>
    `import { count } from './helper.mjs';
    const answer = () => (${choice}, [{ orders: new Array(count) }]);
    export default { name: 'a', help: '', options: {}, make: (options) => ({ name: 'a', options, answer }) };`;
  write('helper.mjs', 'export const count = 0;');
  write('bot.mjs', agent('0'));
  const played = (...agents: readonly string[]): number => {
    const { code, err } = edited('--agents', agents.join(), '--games', '2', '--out', 'edited.json');
    assert.is(code, 0, err);
    return JSON.parse(readFileSync(join(scratch, 'edited.json'), 'utf8')).arenas.length;
  };
  assert.is(played('./bot.mjs', 'hold'), 1);
  assert.is(played('./bot.mjs', 'hold'), 1);
  write('bot.mjs', agent('1'));
  assert.is(played('./bot.mjs', 'hold'), 2);
  write('helper.mjs', 'export const count = 0; // edited');
  assert.is(played('./bot.mjs', 'hold'), 3);
  const map = runLepanto(['map', 'show', 'standard']).out;
  const onMap = (victory: number): number => {
    write('own.json', JSON.stringify({ ...JSON.parse(map), name: 'own', victory }));
    assert.is(edited('--agents', 'random,hold', '--map', './own.json', '--games', '2', '--out', 'maps.json').code, 0);
    return JSON.parse(readFileSync(join(scratch, 'maps.json'), 'utf8')).arenas.length;
  };
  assert.equal([onMap(18), onMap(18), onMap(17)], [1, 1, 2]);
});

command('a run is not continued with a bot that was edited', () => {
  const run = ['selfplay', '--games', '2', '--until', '1901', '--out', 'run', '--agents'];
  const play = (...args: readonly string[]): Ended => runLepanto([...run, ...args], { cwd: scratch });
  const bot = `exec:python3 ${join(scratch, 'bot.py')}`;
  writeFileSync(join(scratch, 'bot.py'), 'first');
  const { [bot]: first } = codeOfAgents([bot, 'random']);
  assert.is.not(codeOfAgents([bot], '2')[bot], first);
  writeFileSync(join(scratch, 'bot.py'), 'second');
  assert.is.not(codeOfAgents([bot])[bot], first);
  assert.equal(unseenBots(['exec:no-such-bot', 'random', bot]), ['exec:no-such-bot']);
  assert.is(play('./bot.mjs').code, 0);
  assert.is(play('./bot.mjs').code, 0);
  writeFileSync(join(scratch, 'bot.mjs'), readFileSync(join(scratch, 'bot.mjs'), 'utf8').replace('(1,', '(2,'));
  const again = play('./bot.mjs');
  assert.is(again.code, 1);
  assert.match(again.err, /run holds another run: its code of agents is .*, wanted /);
});

command('options that do not fit each other, and unknown agents, are refused by name', async () => {
  // biome-ignore format: arguments, message
  const cases = [
    [['--gauntlet', 'guard,hold'], '--gauntlet: got guard,hold, wanted one agent'],
    [['--gauntlet', 'nobody'], '--gauntlet: got "nobody", wanted one of random'],
    [['--gauntlet', 'guard', '--families', 'x'], '--families: got "x", wanted one of random'],
    [['--gauntlet', 'guard', '--agents', 'hold,guard'], '--agents: got it with --gauntlet'],
    [['--gauntlet', 'guard', '--protocol', '6v1'], '--protocol: got it with --gauntlet'],
    [['--gauntlet', 'guard', '--json', '--markdown'], '--markdown: got it with --json'],
    [['--agents', 'hold,guard', '--families', 'hold'], '--families: got it without --gauntlet'],
    [['--agents', 'hold,guard', '--markdown'], '--markdown: got it without --gauntlet'],
    [['--gate', 'hold'], '--against: got nothing, wanted the agent that NEW must beat'],
    [['--gate', 'hold,guard', '--against', 'hold'], '--gate: got hold,guard, wanted one agent'],
    [['--gate', 'hold', '--against', 'hold', '--p', '0.7'], '--p: got "0.7", wanted a number from 1e-9 to 0.5'],
    [['--gate', 'hold', '--against', 'hold', '--games', '1'], '--games: got "1", wanted a whole number from 2'],
    [['--gate', 'hold', '--against', 'hold', '--protocol', '6v1'], '--protocol: got it with --gate'],
    [['--gate', 'hold', '--gauntlet', 'hold'], '--gate: got it with --gauntlet'],
    [['--agents', 'hold,guard', '--looks', '3'], '--looks: got it without --gate'],
    [[], '--agents: got nothing, wanted two or more'],
  ] as const;
  for (const [args, message] of cases) {
    const { code, out, err } = await arena(...args);
    assert.ok(code !== 0, message);
    assert.is(out, '');
    assert.match(err, message);
  }
  const { code, err } = await arena(...gauntlet, '--out', 'none/games.json');
  assert.is(code, 2);
  assert.match(err, /--out: got "none\/games\.json", but .*none is not a directory, wanted a file/);
  assert.not.ok(existsSync(join(scratch, 'none')));
});

command.run();
