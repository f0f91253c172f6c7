// Tests gates: how often luck passes one, that a better agent passes early, and that nothing depends on the workers.
import { getEventListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../../engine/internal.js';
import type { runArena } from '../../../selfplay/arena/arena.js';
import type { ArenaGame } from '../../../selfplay/arena/arena-game.js';
import { chanceOf, chanceOfGain, comparePairs, runGate } from '../../../selfplay/arena/gate.js';
import { KeptGames } from '../../../selfplay/arena/kept-games.js';
import type { GateSpec } from '../../../selfplay/arena/protocol.js';
import { makeFolder } from '../../tools/command.js';
import { readData } from '../../tools/data.js';
import { rejection } from '../../tools/errors.js';

const spec: GateSpec = {
  map: 'standard',
  rules: 'datc-3.2',
  agent: 'policy',
  against: 'random',
  anchors: ['hold'],
  scoring: 'sum_of_squares',
  games: 14,
  looks: 3,
  p: 0.05,
  until: 1902,
  seed: 1,
};

const gate = suite('gate');

gate('the probability of a t is that of the tables', () => {
  // Tables of Student's distribution: degrees of freedom, t, one-sided probability.
  const rows = [
    [1, 1, 0.25],
    [1, 6.3138, 0.05],
    [6, 2.9687, 0.0125],
    [27, 1.7033, 0.05],
    [27, -1.7033, 0.95],
    [100_000, 1.95998, 0.025],
  ] as const;
  for (const [freedom, t, wanted] of rows)
    assert.ok(Math.abs(chanceOf(t, freedom) - wanted) < 1e-5, `${t} of ${freedom}: ${chanceOf(t, freedom)}`);
  assert.is(chanceOf(Number.NaN, 5), 1);
  assert.ok(chanceOf(Number.POSITIVE_INFINITY, 5) < 1e-12);
});

gate('luck is as probable as the gates of lepanto.train have it', () => {
  const cases = readData<{ ours: number[]; theirs: number[]; chance: number }[]>('gates.json');
  for (const { ours, theirs, chance } of cases)
    assert.ok(Math.abs(chanceOfGain(comparePairs(ours, theirs)) - chance) < 1e-9, `${ours} ${theirs}`);
  assert.is(cases.length, 6);
});

gate('looks together pass an equal agent as rarely as is asked, with many games and with few', () => {
  const random = new Random(3, 0, 0);
  const looks = 4;
  for (const games of [28, 5]) {
    let passed = 0;
    for (let turn = 0; turn < 500; turn++) {
      // About normal, of mean 0.
      const draw = (): number => Array.from({ length: 6 }, () => random.below(1000)).reduce((a, b) => a + b, 0);
      const ours = Array.from({ length: games * looks }, draw);
      const theirs = Array.from({ length: games * looks }, draw);
      const passes = (look: number): boolean =>
        chanceOfGain(comparePairs(ours.slice(0, look * games), theirs.slice(0, look * games))) < 0.05 / looks;
      if ([1, 2, 3, 4].some(passes)) passed++;
    }
    assert.ok(passed < 0.05 * 500 && passed > 0.02 * 500, `${passed} of 500 with looks of ${games}`);
  }
});

gate('a better agent passes at the first look, with any number of workers; a worse one does not', async () => {
  const one = await runGate(spec, { workers: 1 });
  const two = await runGate(spec, { workers: 2 });
  assert.equal(two, one);
  assert.equal([one.passed, one.looks, one.games, one.pairs.games, one.anchors.length], [true, 1, 56, 14, 1]);
  assert.ok(one.chance < 0.05 / 3 && one.pairs.gain > 0);
  const worse = await runGate({ ...spec, agent: 'random', against: 'policy' }, { workers: 1 });
  assert.equal([worse.passed, worse.looks, worse.anchors], [false, 1, []]);
  assert.match(worse.reason, 'worse than the other');
  assert.ok(Math.abs(worse.pairs.gain + one.pairs.gain) < 1e-12, 'the same games');
});

gate('an agent does not pass against itself, whatever the looks', async () => {
  const { passed, looks, pairs, reason } = await runGate({ ...spec, against: 'policy', games: 7 }, { workers: 1 });
  assert.equal([passed, looks, pairs.gain], [false, 3, 0]);
  assert.match(reason, 'not clearly better than the other (p = 0.50 at look 3 of 3, wanted below 0.017)');
});

gate('an anchor against which it is worse keeps an agent out', async () => {
  // The first power has all centres or none, as the pairing and luck have it.
  const playArena: typeof runArena = async ({ agents, games }) => {
    const wins = (index: number): boolean => {
      if (agents[1] === 'hold') return index % 7 < (agents[0] === 'policy' ? 1 : 5);
      return index % 7 < (agents[0] === 'policy' ? 6 : 1);
    };
    const all = Array.from({ length: games }, (_, index): ArenaGame => {
      const centers = wins(index) ? [18, 0, 0, 0, 0, 0, 16] : [0, 18, 0, 0, 0, 0, 16];
      return { seats: [0, 1, 1, 1, 1, 1, 1], centers, winner: -1, years: 1 };
    });
    return { games: all, standings: [] };
  };
  const result = await runGate({ ...spec, anchors: ['random', 'hold'] }, { workers: 1, playArena });
  assert.is(result.passed, false);
  assert.match(result.reason, /^worse against hold by 0\.\d{3} \+- 0\.\d{3}$/);
  assert.is((await runGate({ ...spec, anchors: [] }, { workers: 1, playArena })).passed, true);
  const none: typeof runArena = async () => ({ games: [], standings: [] });
  const refusal = await rejection(runGate(spec, { workers: 1, playArena: none }));
  assert.match(refusal, 'gate: 14 games of policy against random could not be played');
});

gate('a gate that is stopped goes on from its file', async () => {
  const path = join(makeFolder('gate'), 'games.json');
  const stop = new AbortController();
  const onGame = (played: number): void => {
    if (played === 20) stop.abort();
  };
  const first = await runGate(spec, { workers: 1, kept: new KeptGames(path), signal: stop.signal, onGame });
  assert.is(first.passed, null);
  assert.ok(existsSync(path));
  const counts: number[] = [];
  const kept = new KeptGames(path);
  const second = await runGate(spec, { workers: 2, kept, onGame: (played) => void counts.push(played) });
  assert.ok(counts[0] >= 20 && counts.length === 1 + 56 - counts[0], `${counts}`);
  assert.equal(second, await runGate(spec, { workers: 2 }));
});

gate('a signal is left without listeners, however many arenas there are', async () => {
  const { signal } = new AbortController();
  await runGate(spec, { workers: 1, signal });
  assert.is(getEventListeners(signal, 'abort').length, 0);
});

for (const [name, wrong] of Object.entries({ games: 1, looks: 0, p: 0.6 }))
  gate(`${name} of ${wrong} is refused`, async () => {
    const refusal = await rejection(runGate({ ...spec, [name]: wrong }, { workers: 1 }));
    assert.match(refusal, `${name}: got ${wrong}, wanted`);
  });

gate.run();
