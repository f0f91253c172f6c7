// Tests files of named opponents: what they hold is read back, anything else is refused with the file and the field named,
// and an agent that has one plays the same for any number of workers and keeps its run to one file.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DATC_3_2, loadMap, newGame, Random, standard } from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { parseAgent } from '../../../selfplay/agents/registry.js';
import { formatAgent } from '../../../selfplay/question/parse-kind.js';
import { expectMap, formatOpponent, parseOpponent } from '../../../selfplay/search/opponent-file.js';
import { modelOpponents, usualParameters } from '../../../selfplay/search/opponent-model.js';
import type { NamedOpponent } from '../../../selfplay/search/opponent-parameters.js';
import { QUICK, typeNames } from '../../../selfplay/search/player-types.js';
import { readOpponent } from '../../../selfplay/search/read-opponent.js';
import { makeFolder, runLepanto } from '../../tools/command.js';
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

const messageOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    assert.instance(error, LepantoError);
    return (error as Error).message;
  }
  return 'nothing was refused';
};

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

/** A file with one field changed. */
const changed = (path: readonly string[], value: unknown): string => {
  const record = JSON.parse(textOf(rival));
  const last = path.at(-1) ?? '';
  const at = path.slice(0, -1).reduce((part, key) => part[key], record);
  if (value === undefined) delete at[last];
  else at[last] = value;
  return JSON.stringify(record);
};

files('a file that is none is refused with its path, its field, what it has and what is wanted', () => {
  const WEIGHT = 'wanted a number from 0.0001 to 1';
  const cases: [string, string][] = [
    ['', 'f.json: got no JSON, wanted a file of bench/strength/fit-opponent'],
    ['root:x:0:0:root', 'f.json: got no JSON, wanted a file of bench/strength/fit-opponent'],
    ['[]', 'f.json: got a list of 0, wanted an object'],
    ['null', 'f.json: got null, wanted an object'],
    ['{}', 'f.json: lepanto: got nothing, wanted "opponent"'],
    [changed(['version'], 2), 'f.json: version: got 2, wanted 1'],
    [changed(['version'], '1'), 'f.json: version: got "1", wanted 1'],
    [changed(['opponent'], ''), 'f.json: opponent: got "", wanted a name of 1 to 100 printable characters'],
    [
      changed(['opponent'], 'a\u001b[2J'),
      'f.json: opponent: got "a\\u001b[2J", wanted a name of 1 to 100 printable characters',
    ],
    [changed(['map'], 7), 'f.json: map: got 7, wanted text'],
    [changed(['types', 'guard'], 0), `f.json: types, guard: got 0, ${WEIGHT}`],
    [changed(['types', 'guard'], 1.5), `f.json: types, guard: got 1.5, ${WEIGHT}`],
    [changed(['types', 'guard'], 0.2), 'f.json: types: got weights that sum to 1.1, wanted 1'],
    [changed(['types', 'guard'], undefined), `f.json: types, guard: got nothing, ${WEIGHT}`],
    [changed(['types', 'gard'], 0.1), `f.json: types: got "gard", wanted one of ${typeNames.join(', ')}`],
    [changed(['stranger'], 1), 'f.json: stranger: got 1, wanted a number from 0.001 to 0.999'],
    [changed(['doubt'], -0.1), 'f.json: doubt: got -0.1, wanted a number from 0 to 1'],
    [changed(['surprise'], null), 'f.json: surprise: got null, wanted a number from 0.001 to 0.9'],
    [changed(['orders'], 0), 'f.json: orders: got 0, wanted a number from 0.1 to 100000'],
    [changed(['repeat', 'base'], 1e9), 'f.json: repeat, base: got 1000000000, wanted a number from 0 to 100'],
    [changed(['repeat', 'runs'], [1, 2]), 'f.json: repeat, runs: got 2, wanted 5'],
    [
      changed(['repeat', 'strengths'], [1, 1, 1, 1, 1, 1]),
      'f.json: repeat, strengths: got weights that sum to 6, wanted 1',
    ],
    [changed(['extra'], 1), 'f.json: got "extra", wanted one of lepanto, version, opponent'],
  ];
  for (const [text, message] of cases) {
    const found = messageOf(() => parseOpponent(text, 'f.json'));
    assert.ok(found.startsWith(message), `${found}\n${message}`);
  }
});

files('broken bytes are refused, or are another file of an opponent', () => {
  const bytes = Buffer.from(textOf(rival));
  const random = new Random(1, 2, 3);
  let refused = 0;
  for (let i = 0; i < 2000; i++) {
    const broken = Buffer.from(
      bytes.subarray(0, i % 3 === 0 ? Math.floor(random.fraction() * bytes.length) : bytes.length),
    );
    for (let k = 0; k <= i % 4 && broken.length > 0; k++)
      broken[Math.floor(random.fraction() * broken.length)] = Math.floor(random.fraction() * 256);
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
  const large = written('large.json', `${textOf(rival)}${' '.repeat(1 << 17)}`);
  const cases: [string, string][] = [
    [join(folder, 'none'), 'got no file'],
    [join(folder, 'folder'), 'got no regular file'],
    [join(folder, 'endless'), 'got no regular file'],
    [large, 'got 13'],
  ];
  for (const [path, message] of cases)
    assert.ok(messageOf(() => readOpponent(path)).startsWith(`${path}: ${message}`), path);
});

files('an agent names its file with a hash, and takes no other', () => {
  assert.not.match(formatAgent(parseAgent('search:rollouts=9')), 'model');
  const text = formatAgent(parseAgent(`search:rollouts=9:model=${guardFile}`));
  const [, hash] = /:hash=([0-9a-f]{12})$/.exec(text) ?? [];
  assert.is(hash, readOpponent(guardFile).hash);
  assert.is(formatAgent(parseAgent(text)), text);
  const other = written('other.json', textOf(rival));
  assert.match(
    messageOf(() => parseAgent(`search:model=${other}:hash=${hash}`)),
    `agent search, option model: ${other}: got a file with hash ${readOpponent(other).hash}, wanted "${hash}"`,
  );
  assert.match(
    messageOf(() => parseAgent('search:model=none')),
    'agent search, option model: none: got no file, wanted',
  );
});

files('a file counts for its map alone', async () => {
  const model = readOpponent(guardFile).opponent;
  expectMap(model, standard);
  const wanted = `${guardFile}: map: got "standard", wanted "colonial", the map of the game`;
  assert.is(
    messageOf(() => expectMap(model, loadMap('colonial'))),
    wanted,
  );
  const agent = parseAgent(`search:rollouts=9:model=${guardFile}`);
  const game = newGame(loadMap('colonial'), DATC_3_2);
  const error = await Promise.resolve(ordersBy(agent, game, 0, new Random(1))).catch((thrown: Error) => thrown);
  assert.is((error as Error).message, `agent search, option model: ${wanted}`);
});

files('before any order is seen, an opponent is what its file says', () => {
  const game = newGame(standard, DATC_3_2);
  const [{ shares }] = modelOpponents(game, { powers: [1], model: readOpponent(guardFile).opponent }, QUICK);
  assert.ok(shares[typeNames.indexOf('guard')] > 0.9, String(shares));
  const [usual] = modelOpponents(game, { powers: [1] }, QUICK);
  assert.ok(usual.shares[typeNames.indexOf('guard')] < 0.2);
});

files('lepanto search --model expects other replies, the same for any number of workers', () => {
  const search = (...args: string[]) =>
    runLepanto(['search', '--start', '--power', 'FRANCE', '--rollouts', '60', '--quiet', ...args]);
  const without = (out: string) => ({ ...JSON.parse(out), seconds: 0, cpu_seconds: 0, workers: 0 });
  const [one, two, usual] = [
    search('--json', '--model', guardFile, '--workers', '1'),
    search('--json', '--model', guardFile, '--workers', '2'),
    search('--json', '--workers', '1'),
  ];
  assert.is(one.code, 0, one.err);
  assert.equal(without(two.out), without(one.out));
  assert.is(without(one.out).model, 'rival');
  assert.is(without(usual.out).model, undefined);
  assert.not.equal(without(usual.out).replies, without(one.out).replies);
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
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const wanted = `${guardFile}: map: got "standard", wanted "ancmed", the map of the game`;
  assert.equal(
    lines.map(({ error }) => error),
    [undefined, wanted, undefined],
  );
});

files(
  'games of an agent with a file are the same for any number of workers, and not continued with another file',
  () => {
    const play = (file: string, out: string, workers: number) =>
      runLepanto([
        ...['selfplay', '--agents', `search:rollouts=9:model=${file},dumbbot,dumbbot,dumbbot,dumbbot,dumbbot,dumbbot`],
        ...['--games', '3', '--until', '1901', '--workers', String(workers), '--out', join(folder, out), '--quiet'],
      ]);
    const own = written('own.json', textOf(guard));
    for (const workers of [1, 2]) {
      const { code, err } = play(own, `run-${workers}`, workers);
      assert.is(code, 0, err);
    }
    const shards = readdirSync(join(folder, 'run-1')).filter((name) => name.endsWith('.lep'));
    assert.ok(shards.length > 0);
    for (const shard of shards)
      assert.equal(readFileSync(join(folder, 'run-1', shard)), readFileSync(join(folder, 'run-2', shard)), shard);
    const manifest = readFileSync(join(folder, 'run-1', 'manifest.json'), 'utf8');
    assert.match(manifest, `model=${own}:hash=${readOpponent(own).hash}`);
    writeFileSync(own, textOf(rival));
    const again = play(own, 'run-1', 1);
    assert.is.not(again.code, 0);
    assert.match(again.err, /run-1 holds another run: its agents is .*hash=/);
  },
);

files.run();
