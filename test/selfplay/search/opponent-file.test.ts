// Tests files of named opponents: what they hold is read back, anything else is refused with the file and the field named,
// and an agent that has one plays the same for any number of workers and keeps its run to one file.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DATC_3_2, loadMap, newGame, Random, standard } from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { expandAgents } from '../../../selfplay/agents/expand-agents.js';
import { parseAgent } from '../../../selfplay/agents/registry.js';
import { formatAgent } from '../../../selfplay/question/parse-kind.js';
import { expectMap, formatOpponent, parseOpponent } from '../../../selfplay/search/opponent-file.js';
import { modelOpponents, usualParameters } from '../../../selfplay/search/opponent-model.js';
import type { NamedOpponent } from '../../../selfplay/search/opponent-parameters.js';
import { QUICK, typeNames } from '../../../selfplay/search/player-types.js';
import { readOpponent } from '../../../selfplay/search/read-opponent.js';
import { contentsOf, makeFolder, runLepanto } from '../../tools/command.js';
import { rejection } from '../../tools/errors.js';
import { playRun, runOf } from '../../tools/runs.js';
import { ordersBy } from '../../tools/simple-agents.js';

const files = suite('search: files of opponents');

const folder = makeFolder('opponents');
const rival = { ...usualParameters, opponent: 'rival', map: 'standard' };
/** A rival that is surely a guard: weights far from the usual ones. */
const guard = {
  ...rival,
  types: typeNames.map((name) => (name === 'guard' ? 0.991 : 0.001)),
  stranger: 0.002,
  doubt: 0,
};
const textOf = (opponent: Omit<NamedOpponent, 'source'>): string => formatOpponent(opponent, { games: 3, orders: 900 });
const written = (name: string, text: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const guardFile = written('guard.json', textOf(guard));

files('what is written is read back, rounded to four digits', () => {
  const read = parseOpponent(textOf(rival), 'rival.json');
  assert.equal([read.opponent, read.map, read.source], ['rival', 'standard', 'rival.json']);
  const numbersOf = ({ types, stranger, doubt, surprise, habits }: typeof usualParameters): number[] => [
    ...[...types, stranger, doubt, surprise, ...habits.styles, ...habits.runs, ...habits.strengths],
    ...[habits.orders, habits.repeat, habits.agreed],
  ];
  const wanted = numbersOf(usualParameters);
  for (const [i, x] of numbersOf(read).entries())
    assert.ok(Math.abs(x - wanted[i]) <= 1e-3 * wanted[i], `${x}, ${wanted[i]}`);
  for (const list of [read.types, read.habits.styles, read.habits.strengths])
    assert.ok(Math.abs(list.reduce((sum, x) => sum + x, 0) - 1) < 1e-12);
});

/** For assert.throws(): true for a LepantoError whose message begins with a text. */
const refusing =
  (message: string) =>
  (error: Error): boolean =>
    error instanceof LepantoError && error.message.startsWith(message);

/** The text of a file with one field changed, or without it: 'repeat.runs'. */
const changed = (path: string, value: unknown): string => {
  const record = JSON.parse(textOf(rival));
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  const at = keys.reduce((part, key) => part[key], record);
  at[last] = value;
  return JSON.stringify(record);
};

/** Texts that are no file of an opponent, and what is said of them. */
const noFiles: readonly (readonly [text: string, message: string])[] = [
  ['', 'got no JSON, wanted a file of bench/strength/fit-opponent'],
  ['root:x:0:0:root', 'got no JSON, wanted a file of bench/strength/fit-opponent'],
  ['[]', 'got a list of 0, wanted an object'],
  ['null', 'got null, wanted an object'],
  ['{}', 'lepanto: got nothing, wanted "opponent"'],
];
/** Fields of a file, values in place of the right ones, and what is said of them. */
const wrongFields: readonly (readonly [path: string, value: unknown, message: string])[] = [
  ['version', 2, 'version: got 2, wanted 1'],
  ['version', '1', 'version: got "1", wanted 1'],
  ['opponent', '', 'opponent: got "", wanted a name of 1 to 100 printable characters'],
  ['opponent', 'a\u001b[2J', 'opponent: got "a\\u001b[2J", wanted a name of 1 to 100 printable characters'],
  ['map', 7, 'map: got 7, wanted text'],
  ['types.guard', 0, 'types, guard: got 0, wanted a number from 0.0001 to 1'],
  ['types.guard', 1.5, 'types, guard: got 1.5, wanted a number from 0.0001 to 1'],
  ['types.guard', 0.2, 'types: got weights that sum to 1.1, wanted 1'],
  ['types.guard', undefined, 'types, guard: got nothing, wanted a number from 0.0001 to 1'],
  ['types.gard', 0.1, `types: got "gard", wanted one of ${typeNames.join(', ')}`],
  ['stranger', 1, 'stranger: got 1, wanted a number from 0.001 to 0.999'],
  ['doubt', -0.1, 'doubt: got -0.1, wanted a number from 0 to 1'],
  ['surprise', null, 'surprise: got null, wanted a number from 0.001 to 0.9'],
  ['orders', 0, 'orders: got 0, wanted a number from 0.1 to 100000'],
  ['repeat.base', 1e9, 'repeat, base: got 1000000000, wanted a number from 0 to 100'],
  ['repeat.runs', [1, 2], 'repeat, runs: got 2, wanted 5'],
  ['repeat.strengths', [1, 1, 1, 1, 1, 1], 'repeat, strengths: got weights that sum to 6, wanted 1'],
  ['extra', 1, 'got "extra", wanted one of lepanto, version, opponent'],
];
files('a file that is none is refused with its path, its field, what it has and what is wanted', () => {
  const all = [...noFiles, ...wrongFields.map(([path, value, message]) => [changed(path, value), message] as const)];
  for (const [text, message] of all)
    assert.throws(() => parseOpponent(text, 'f.json'), refusing(`f.json: ${message}`), message);
});

files('broken bytes are refused, or are another file of an opponent', () => {
  const bytes = Buffer.from(textOf(rival));
  const random = new Random(1, 2, 3);
  let refused = 0;
  for (let i = 0; i < 2000; i++) {
    const size = i % 3 === 0 ? Math.floor(random.fraction() * bytes.length) : bytes.length;
    const broken = Buffer.from(bytes.subarray(0, size));
    for (let k = 0; k <= i % 4 && size > 0; k++)
      broken[Math.floor(random.fraction() * size)] = Math.floor(random.fraction() * 256);
    try {
      const { types, habits } = parseOpponent(broken.toString('utf8'), 'f.json');
      assert.ok([...types, ...habits.styles].every((x) => x > 0 && x <= 1));
    } catch (error) {
      assert.instance(error, LepantoError);
      assert.match((error as Error).message, /^f\.json: .*got .*, wanted /);
      refused++;
    }
  }
  assert.ok(refused > 1000, String(refused));
});

files('what is no file of some kB is refused unread', () => {
  mkdirSync(join(folder, 'folder'));
  symlinkSync('/dev/zero', join(folder, 'endless'));
  written('large.json', `${textOf(rival)}${' '.repeat(1 << 17)}`);
  for (const [name, message] of [
    ['none', 'got no file'],
    ['folder', 'got no regular file'],
    ['endless', 'got no regular file'],
    ['large.json', 'got 13'],
  ]) {
    const path = join(folder, name);
    assert.throws(() => readOpponent(path), refusing(`${path}: ${message}`), path);
  }
});

files('an agent names its file with a hash, and takes no other', () => {
  assert.not.match(formatAgent(parseAgent('search:rollouts=9')), 'model');
  const text = formatAgent(parseAgent(`search:rollouts=9:model=${guardFile}`));
  const [, hash] = /:hash=([0-9a-f]{12})$/.exec(text) ?? [];
  assert.is(hash, readOpponent(guardFile).hash);
  assert.is(formatAgent(parseAgent(text)), text);
  const other = written('other.json', textOf(rival));
  const got = `agent search, option model: ${other}: got a file with hash ${readOpponent(other).hash}, wanted "${hash}"`;
  assert.throws(() => parseAgent(`search:model=${other}:hash=${hash}`), refusing(got));
  const none = 'agent search, option model: none: got no file, wanted';
  assert.throws(() => parseAgent('search:model=none'), refusing(none));
});

const onColonial = `${guardFile}: map: got "standard", wanted "colonial", the map of the game`;
files('a file counts for its map alone', async () => {
  const model = readOpponent(guardFile).opponent;
  const colonial = loadMap('colonial');
  expectMap(model, standard);
  assert.throws(() => expectMap(model, colonial), refusing(onColonial));
  const agent = parseAgent(`search:rollouts=9:model=${guardFile}`);
  const refusal = await rejection(ordersBy(agent, newGame(colonial, DATC_3_2), 0, new Random(1)));
  assert.is(refusal, `agent search, option model: ${onColonial}`);
});

files('before any order is seen, an opponent is what its file says', () => {
  const game = newGame(standard, DATC_3_2);
  const guardShare = (request: object): number =>
    modelOpponents(game, { powers: [1], ...request }, QUICK)[0].shares[typeNames.indexOf('guard')];
  const fitted = guardShare({ model: readOpponent(guardFile).opponent });
  assert.ok(fitted > 0.9, `${fitted}`);
  assert.ok(guardShare({}) < 0.2);
});

files('lepanto search --model expects other replies, the same for any number of workers', () => {
  const search = (...args: string[]) =>
    runLepanto(['search', '--start', '--power', 'FRANCE', '--rollouts', '60', '--quiet', ...args]);
  const resultOf = (...args: string[]) => {
    const { code, out, err } = search('--json', ...args);
    assert.is(code, 0, err);
    return { ...JSON.parse(out), seconds: 0, cpu_seconds: 0, workers: 0 };
  };
  const one = resultOf('--model', guardFile, '--workers', '1');
  assert.equal(resultOf('--model', guardFile, '--workers', '2'), one);
  const usual = resultOf('--workers', '1');
  assert.equal([one.model, usual.model], ['rival', undefined]);
  assert.not.equal(usual.replies, one.replies);
  const refused = search('--model', join(folder, 'none'));
  assert.is(refused.code, 2);
  assert.match(refused.err, /--model: .*none: got no file, wanted a file of bench\/strength\/fit-opponent/);
  const other = search('--map', 'colonial', '--power', 'BRITAIN', '--model', guardFile);
  assert.is(other.code, 2);
  assert.match(other.err, '--model: ');
});

files('lepanto search --lines --model: a line on another map is refused alone', () => {
  const start = { phase: 'S1901M', units: { FRANCE: ['A PAR'] }, centers: { FRANCE: ['PAR'] } };
  const other = { map: 'ancmed', phase: 'S1M', units: { ROME: ['A ROM'] }, centers: { ROME: ['ROM'] } };
  const input = [start, other, start].map((one) => `${JSON.stringify(one)}\n`).join('');
  const args = ['search', '--lines', '-', '--rollouts', '20', '--model', guardFile, '--quiet', '--workers', '1'];
  const { code, out, err } = runLepanto(args, { input });
  assert.is(code, 1, err);
  const wanted = `${guardFile}: map: got "standard", wanted "ancmed", the map of the game`;
  const lines = out.trim().split('\n');
  assert.equal(
    lines.map((line) => JSON.parse(line).error),
    [undefined, wanted, undefined],
  );
});

files(
  'a run of an agent with a file is the same for any number of workers, and not continued with another file',
  async () => {
    const own = written('own.json', textOf(guard));
    const play = async (name: string, workers: number) => {
      const directory = join(folder, name);
      const agents = await expandAgents([`search:rollouts=9:model=${own}`, ...new Array(6).fill('dumbbot')], 0);
      await playRun(runOf('', 3, { agents, until: 1901 }), directory, { workers });
      return directory;
    };
    const run = await play('run-1', 1);
    const files = contentsOf(run);
    assert.ok(Object.keys(files).some((name) => name.endsWith('.lep')));
    assert.equal(contentsOf(await play('run-2', 2)), files);
    assert.match(files['manifest.json'], `model=${own}:hash=${readOpponent(own).hash}`);
    writeFileSync(own, textOf(rival));
    assert.match(await rejection(play('run-1', 1)), /run-1 holds another run: its agents is .*hash=/);
  },
);

files.run();
