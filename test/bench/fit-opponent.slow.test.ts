// Tests the fit of the opponent model to games of a named opponent (bench/strength/fit-opponent.ts).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Calibration, calibrate, readGames, seenGame } from '../../bench/strength/calibration.js';
import { watchGame } from '../../bench/strength/fit-opponent.js';
import { fitParameters, likelihoodOf, type WatchedGame } from '../../bench/strength/fit-parameters.js';
import { Random } from '../../engine/internal.js';
import { usualParameters } from '../../selfplay/search/opponent-model.js';
import { typeNames } from '../../selfplay/search/player-types.js';
import { readOpponent } from '../../selfplay/search/read-opponent.js';
import { kindNames, type SeenOrder } from '../../selfplay/search/stranger.js';
import { type Ended, makeFolder, runLepanto, runScript } from '../tools/command.js';

const fit = suite('fit-opponent');

const STYLES = typeNames.length + kindNames.length;
const styleOf = (name: (typeof typeNames)[number] | (typeof kindNames)[number]): number =>
  [...typeNames, ...kindNames].indexOf(name);

/** Games of a player whose units order what a guard would in 60 % of cases, hold in 30 % and move at random in 10 %. */
const planted = (games: number): WatchedGame[] => {
  const random = new Random(7, 1, 1);
  const weights = new Map([
    [styleOf('guard'), 0.6],
    [styleOf('hold'), 0.3],
    [styleOf('move'), 0.1],
  ]);
  /** A unit with eight orders, of which the first is a hold. Each type gives each order a random share. */
  const order = (): SeenOrder => {
    const chances = Array.from({ length: 8 }, () => new Float32Array(STYLES));
    for (let t = 0; t < typeNames.length; t++) {
      const shares = chances.map(() => random.fraction() ** 4);
      const sum = shares.reduce((total, x) => total + x, 0);
      for (const [i, x] of shares.entries()) chances[i][t] = x / sum;
    }
    for (const [i, one] of chances.entries()) one[styleOf(i === 0 ? 'hold' : 'move')] = i === 0 ? 1 : 1 / 7;
    let left = random.fraction();
    const chosen = chances.find((one) => {
      for (const [style, weight] of weights) left -= weight * one[style];
      return left < 0;
    });
    const kinds = (1 << kindNames.indexOf('hold')) | (1 << kindNames.indexOf('move'));
    return { legal: 8, chosen: chosen ?? chances[0], last: null, isRepeat: false, kinds };
  };
  return Array.from({ length: games }, () => ({
    ...{ powers: 3, others: [1, 2] },
    turns: Array.from({ length: 10 }, (_, turn) => ({
      turn: turn + 1,
      evidence: [[], [order(), order(), order()], [order(), order()]],
      lasts: [[], [null, null, null], [null, null]],
    })),
  }));
};

const meanOf = (games: readonly WatchedGame[], parameters: typeof usualParameters): number => {
  const { log, orders } = likelihoodOf(games, parameters);
  return log / orders;
};

fit('planted habits are found, and predict games that the fit has not seen', () => {
  const all = planted(12);
  const [seen, held] = [all.slice(0, 8), all.slice(8)];
  const found = fitParameters(seen);
  const { styles } = found.habits;
  const largest = [...styles.keys()].sort((a, b) => styles[b] - styles[a]).slice(0, 2);
  assert.equal(largest, [styleOf('guard'), styleOf('hold')], String(styles));
  assert.ok(styles[styleOf('guard')] > 0.4 && styles[styleOf('hold')] > 0.15, String(styles));
  const [before, after] = [meanOf(held, usualParameters), meanOf(held, found)];
  assert.ok(after > before + 0.05, `${before}, ${after}`);
});

const recorded = readGames('test/data/strangers.jsonl.gz')
  .filter(({ id }) => id.startsWith('d-brane'))
  .map((game) => ({ ...game, phases: game.phases.slice(0, 3) }));

fit('recorded games: orders are likelier after the fit, and the search predicts them better', () => {
  const watched = recorded.slice(0, 4).map((game) => watchGame({ recorded: game, opponent: 'd-brane' }));
  for (const { others, turns } of watched) assert.equal([others.length, turns.length], [6, 3]);
  const found = fitParameters(watched);
  const [before, after] = [meanOf(watched, usualParameters), meanOf(watched, found)];
  assert.ok(after > before + 0.02, `${before}, ${after}`);
  const model = { ...found, opponent: 'd-brane', map: 'standard', source: '' };
  const sum = { usual: 0, fitted: 0 };
  for (const game of recorded.slice(0, 4)) {
    sum.usual += calibrate(seenGame(game), 1).log;
    sum.fitted += calibrate(seenGame(game), 1, model).log;
  }
  assert.ok(sum.fitted > sum.usual, `${sum.usual}, ${sum.fitted}`);
});

const folder = makeFolder('fit-opponent');
const run = (...args: string[]): Ended => runScript('bench/strength/fit-opponent.js', [...args, '--quiet']);
const lines = (games: readonly object[]): string => games.map((one) => `${JSON.stringify(one)}\n`).join('');

fit('the command writes a file that agents read, the same for any number of workers', () => {
  const games = join(folder, 'games.jsonl.gz');
  const short = recorded.slice(0, 3).map((one) => ({ ...one, phases: one.phases.slice(0, 2) }));
  writeFileSync(games, gzipSync(lines(short)));
  const [one, two] = ['1', '2'].map((workers) => join(folder, `${workers}.json`));
  const json = run('--files', games, '--out', one, '--workers', '1', '--json');
  assert.is(json.code, 0, json.err);
  const { opponent, fitted, held, families } = JSON.parse(json.out);
  assert.equal([opponent, fitted.games, held], ['d-brane', 2, 1]);
  assert.equal(
    families.map(({ family, orders }: Calibration & { family: string }) => `${family} ${orders > 0}`),
    ['default true', 'fitted true'],
  );
  assert.is(readOpponent(one).opponent.opponent, 'd-brane');
  const text = run('--files', games, '--out', two, '--workers', '2');
  assert.match(text.out, /^d-brane: .*2\.json, fitted to \d+ orders of 2 games\n\nfamily +games +orders +mean log/);
  assert.is(readFileSync(two, 'utf8'), readFileSync(one, 'utf8'));
});

fit('a run of Lepanto, as lepanto replay --json writes it', () => {
  const records = join(folder, 'run');
  const played = runLepanto([...'selfplay --agents guard --games 2 --until 1901 --out'.split(' '), records, '--quiet']);
  assert.is(played.code, 0, played.err);
  const games = join(folder, 'run.jsonl');
  writeFileSync(games, runLepanto(['replay', records, '--json']).out);
  const out = join(folder, 'run.json');
  const { code, out: said, err } = run('--files', games, '--opponent', 'Sentinel', '--out', out);
  assert.is(code, 0, err);
  assert.match(said, 'fitted to 88 orders of 2 games');
  assert.match(said, 'too few games to hold one out');
  assert.is(readOpponent(out).opponent.opponent, 'Sentinel');
  assert.match(run('--files', games, '--out', out).err, '--opponent: got "", wanted the name of the opponent');
});

fit('wrong arguments and lines are refused', () => {
  const games = join(folder, 'both.jsonl');
  writeFileSync(games, lines([recorded[0], { ...recorded[0], seats: { ...recorded[0].seats, FRANCE: 'other' } }]));
  const out = join(folder, 'none.json');
  const refused = (message: string | RegExp, ...args: string[]): void => {
    const { code, err } = run('--files', games, ...args);
    assert.is(code, 2);
    assert.match(err, message);
  };
  refused('--opponent: got "", wanted one of d-brane, other', '--out', out);
  refused('--opponent: got "x", wanted one of d-brane, other', '--opponent', 'x', '--out', out);
  refused('--out: got none, wanted a file');
  refused('--out: got', '--opponent', 'other', '--out', folder);
  writeFileSync(games, 'no game\n');
  refused(/--files: .*both\.jsonl, line 1: got no game, wanted JSON/, '--out', out);
  writeFileSync(games, '{"phases": 3}\n');
  refused(/line 1: got no game/, '--out', out);
});

fit.run();
