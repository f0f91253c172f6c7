// Tests tuning: that it finds what is better, goes on where it was stopped, and does not depend on the workers.
import { getEventListeners } from 'node:events';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { runArena } from '../../../selfplay/arena/arena.js';
import type { ArenaGame } from '../../../selfplay/arena/arena-game.js';
import { KeptGames } from '../../../selfplay/arena/kept-games.js';
import { runTune, type TuneSpec, withOptions } from '../../../selfplay/arena/tune.js';
import { makeFolder } from '../../tools/command.js';

const spec: TuneSpec = {
  map: 'standard',
  rules: 'datc-3.2',
  agent: 'reply:plans=1',
  options: [
    { name: 'free', least: 0, most: 3, start: 0 },
    { name: 'pull', least: 0, most: 0.5, start: 0.08 },
  ],
  against: ['random'],
  scoring: 'sum_of_squares',
  games: 7,
  steps: 3,
  until: 1901,
  seed: 1,
};

const valuesIn = (agent: string): number[] => agent.split(':').map((pair) => Number(pair.split('=')[1] ?? Number.NaN));

const tune = suite('tune');

tune('options go where more games are won, and the answer is their mean over the last half', async () => {
  // The closer an agent is to x = 7 and y = -1, the more of its games it wins.
  const playArena: typeof runArena = async ({ agents, games }) => {
    const [, x, y] = valuesIn(agents[0]);
    const quality = 1 - Math.abs(x - 7) / 10 - Math.abs(y + 1) / 4;
    const all = Array.from({ length: games }, (_, index): ArenaGame => {
      const centers = (index * 0.618) % 1 < quality ? [34, 0, 0, 0, 0, 0, 0] : [0, 34, 0, 0, 0, 0, 0];
      return { seats: [0, 1, 1, 1, 1, 1, 1], centers, winner: -1, years: 1 };
    });
    return { games: all, standings: [] };
  };
  const options = [
    { name: 'x', least: 0, most: 10, start: 2 },
    { name: 'y', least: -2, most: 2, start: 1 },
  ];
  const seen: number[] = [];
  const result = await runTune(
    { ...spec, agent: 'any', options, games: 70, steps: 150 },
    { workers: 1, playArena },
    () => seen.push(seen.length),
  );
  const [x, y] = result.values;
  assert.ok(Math.abs(x - 7) < 0.7 && Math.abs(y + 1) < 0.3, `${x} ${y}`);
  assert.equal([result.steps.length, seen.length, result.games], [150, 150, 150 * 140]);
  assert.is(result.agent, `any:x=${x}:y=${y}`);
  const later = result.steps.slice(75).map(({ values }) => values[0]);
  assert.ok(Math.abs(x - later.reduce((a, b) => a + b, 0) / 75) < 1e-3);
  for (const { values } of result.steps) assert.ok(values[0] >= 0 && values[0] <= 10 && Math.abs(values[1]) <= 2);
});

tune('the result is the same for any number of workers, and for one that was stopped and goes on', async () => {
  const one = await runTune(spec, { workers: 1 });
  assert.equal(await runTune(spec, { workers: 2 }), one);
  assert.is(one.steps.length, 3);
  assert.ok(one.steps.some(({ pairs }) => pairs.gain !== 0));
  const path = join(makeFolder('tune'), 'games.json');
  const stop = new AbortController();
  const kept = new KeptGames(path);
  const half = await runTune(spec, { workers: 1, kept, signal: stop.signal }, () => stop.abort());
  assert.equal(half.steps, one.steps.slice(0, 1));
  const played: number[] = [];
  const onGame = (count: number): void => void played.push(count);
  assert.equal(await runTune(spec, { workers: 2, kept: new KeptGames(path), onGame }), one);
  assert.is(played.at(-1), 2 * 7 * 3);
  assert.ok(played.length <= 2 * 7 * 2 + 1, `${played.length} games`);
});

tune('a signal is left without listeners, however many steps there are', async () => {
  const { signal } = new AbortController();
  await runTune({ ...spec, agent: 'reply:plans=1', games: 2, steps: 3 }, { workers: 1, signal });
  assert.is(getEventListeners(signal, 'abort').length, 0);
});

tune('games that cannot be played, ranges that are none, too few games and steps are refused', async () => {
  const refused = async (change: Partial<TuneSpec>, why: string, playArena?: typeof runArena): Promise<void> => {
    const options = playArena === undefined ? { workers: 1 } : { workers: 1, playArena };
    const error = await runTune({ ...spec, ...change }, options).catch((caught: Error) => caught);
    assert.ok(error instanceof Error);
    assert.match(error.message, why);
  };
  await refused({}, 'tune: 14 games of step 1 could not be played', async () => ({ games: [], standings: [] }));
  const [free] = spec.options;
  await refused({ options: [{ ...free, start: 4 }] }, 'option free: got 4 in 0..3, wanted a number in a range');
  await refused({ options: [{ ...free, most: 0 }] }, 'option free: got 0 in 0..0');
  await refused({ games: 1 }, 'games: got 1, wanted at least 2');
  await refused({ steps: 0 }, 'steps: got 0, wanted at least 1');
});

tune('options of an agent are written over', () => {
  assert.is(withOptions('reply:plans=8:free=1', { free: 2, own: 0.5 }), 'reply:plans=8:free=2:own=0.5');
  assert.is(withOptions('./my.mjs', { x: -1 }), './my.mjs:x=-1');
});

tune.run();
