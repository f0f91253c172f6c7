// Tests the measurement of the opponent model (bench/strength/calibration.ts). test/data/strangers.jsonl.gz has the movement
// phases of nine games with one seat of `search`: positions and orders, as recorded with D-Brane, realpolitik, Project20M.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { calibrate, readGames, seenGame } from '../../bench/strength/calibration.js';
import { standard } from '../../engine/internal.js';
import { makeFolder, runScript } from '../tools/command.js';

const calibration = suite('calibration');

const games = readGames('test/data/strangers.jsonl.gz');
const sumOf = (list: readonly number[]): number => list.reduce((sum, x) => sum + x, 0);

calibration('recorded games: every order is read, one seat watches', () => {
  assert.is(games.length, 9);
  for (const recorded of games) {
    const { own, phases } = seenGame(recorded);
    assert.equal(
      own.map((q) => standard.powerNames[q]),
      Object.keys(recorded.seats).filter((power) => recorded.seats[power] === 'search'),
    );
    for (const [i, { phase, orders }] of phases.entries()) {
      assert.is(phase, recorded.phases[i].phase);
      assert.is(orders.length, Object.values(recorded.phases[i].orders).flat().length, `${recorded.id} ${phase}`);
    }
  }
});

calibration('counts agree with each other, and follow from the game alone', () => {
  const [recorded] = games;
  const short = { ...recorded, phases: recorded.phases.slice(0, 3) };
  const counts = calibrate(seenGame(short), 1);
  const units = short.phases.flatMap(({ orders }) =>
    Object.entries(orders).flatMap(([power, list]) => (recorded.seats[power] === 'search' ? [] : list)),
  );
  assert.is(counts.orders, units.length);
  assert.is(counts.sets, 3 * 6);
  assert.ok(Math.abs(sumOf(counts.expected) - counts.orders) < 1e-6, 'probabilities of a unit sum to 1');
  assert.ok(sumOf(counts.played) <= counts.orders);
  assert.ok(counts.top <= counts.sets);
  for (const [tenth, given] of counts.given.entries()) {
    assert.ok(counts.played[tenth] <= given);
    const mean = counts.expected[tenth] / Math.max(1, given);
    assert.ok(given === 0 || (mean >= tenth / 10 && mean <= (tenth + 1) / 10 + 1e-9), `tenth ${tenth}: ${mean}`);
  }
  assert.equal(calibrate(seenGame(short), 1), counts);
});

calibration('the command prints families by player, the same for any number of workers', () => {
  const file = join(makeFolder('calibration'), 'games.jsonl.gz');
  const lines = [games[0], games[5]].map((one) => `${JSON.stringify({ ...one, phases: one.phases.slice(0, 2) })}\n`);
  writeFileSync(file, gzipSync(lines.join('')));
  const run = (...args: string[]): string => {
    const given = ['--files', file, ...'--agents guard --games 1 --until 1901 --quiet'.split(' ')];
    const { code, out, err } = runScript('bench/strength/calibration.js', [...given, ...args]);
    assert.is(code, 0, err);
    return out;
  };
  const json = run('--json', '--workers', '1');
  const { families } = JSON.parse(json) as { families: { family: string; games: number }[] };
  assert.equal(
    families.map(({ family, games: n }) => `${n} of ${family}`),
    ['1 of d-brane', '1 of realpolitik', '1 of guard'],
  );
  assert.is(run('--json', '--workers', '2'), json);
  const text = run('--part', 'held');
  assert.match(text, /family +games +orders +mean log/);
  assert.match(text, 'guard');
  assert.not.match(text, 'd-brane');
});

calibration.run();
