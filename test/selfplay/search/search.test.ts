// Tests the search: it finds well-known manoeuvres, depends only on its seed, and gives legal orders.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileMap, DATC_3_2, type Game, isLegal, newGame, standard } from '../../../engine/internal.js';
import { orders as readOrders } from '../../../engine/notation/json/position.js';
import { ruleSetByName } from '../../../engine/notation/text/index.js';
import { makeFaults } from '../../../selfplay/crew/faults.js';
import { checkOrders } from '../../../selfplay/question/check-orders.js';
import { planSearch } from '../../../selfplay/search/budget.js';
import { SecondTurn } from '../../../selfplay/search/lookahead.js';
import { type PowerResult, type SearchResult, searchMoves } from '../../../selfplay/search/monte-carlo.js';
import { type PlannedOptions, type SearchOptions, searchDefaults } from '../../../selfplay/search/options.js';
import { readData } from '../../tools/data.js';
import { position, textsOf } from '../../tools/positions.js';
import { withPool } from '../../tools/runs.js';

const optionsFor = (power: string, rollouts: number, seed = 1): SearchOptions => ({
  ...searchDefaults,
  powers: [standard.power(power)],
  rollouts,
  seed,
});

const search = async (game: Game, options: SearchOptions): Promise<PowerResult> =>
  (await searchMoves(game, options)).powers[options.powers[0]];

const sumOf = (list: readonly number[]): number => list.reduce((sum, x) => sum + x, 0);

const tactics = suite('tactics');

/** A position with an answer. */
interface Tactic {
  readonly title: string;
  readonly position: object;
  readonly power: string;
  /** Patterns of orders: with all orders of one of these lists the power gives the answer. */
  readonly answers: readonly (readonly string[])[];
  /** By default: in how many of the seeds the answer must be likely. This fall: how likely it must be on average. */
  readonly least: number;
}
interface Tactics {
  /** With default options. */
  readonly byDefault: readonly (Tactic & Readonly<Record<'seeds' | 'rollouts', number>>)[];
  /** Where what stands after this fall is all that counts, and the opponents find what is best for them. */
  readonly thisFall: readonly Tactic[];
}
const { byDefault, thisFall } = readData<Tactics>('search-tactics.json');

/** How likely the search gives the answer of a position. */
const chanceOf = async ({ position: record, power, answers }: Tactic, options: Partial<SearchOptions>) => {
  const game = position(record);
  const { ranked } = await search(game, { ...optionsFor(power, 0), ...options });
  const isAnswer = (orders: readonly string[]): boolean =>
    answers.some((all) => all.every((one) => orders.some((order) => new RegExp(`^${one}$`).test(order))));
  return sumOf(ranked.map(({ orders, probability }) => (isAnswer(textsOf(game, orders)) ? probability : 0)));
};

for (const tactic of byDefault)
  tactics(tactic.title, async () => {
    const { seeds, rollouts, least } = tactic;
    let found = 0;
    for (let seed = 1; seed <= seeds; seed++) if ((await chanceOf(tactic, { rollouts, seed })) > 0.5) found++;
    assert.ok(found >= least, `got ${found} of ${seeds}, wanted ${least}`);
  });

const SEEDS = 4;
for (const tactic of thisFall)
  tactics(tactic.title, async () => {
    const options = {
      depth: 1,
      value: 'sum_of_squares',
      opponents: 'learning',
      anchor: 0.2,
      rollouts: 20_000,
    } as const;
    let sum = 0;
    for (let seed = 1; seed <= SEEDS; seed++) sum += await chanceOf(tactic, { ...options, seed });
    assert.ok(sum / SEEDS >= tactic.least, `got ${sum / SEEDS}, wanted ${tactic.least}`);
  });

const whole = suite('search');

const start = newGame(standard, DATC_3_2);
const searchInPool = (game: Game, options: SearchOptions, workers: number): Promise<SearchResult> =>
  withPool({ workers }, (pool) => searchMoves(game, options, { pool }));

whole('orders are legal, and candidates are 30 and more for each power at the start', async () => {
  const powers = [...standard.powerNames.keys()];
  const { powers: found } = await searchMoves(start, { ...searchDefaults, powers, rollouts: 4000, seed: 3 });
  for (const { power, ranked } of found) {
    assert.ok(ranked.length >= 30, `${standard.powerNames[power]} has ${ranked.length} candidates`);
    for (const { orders } of ranked) assert.is(checkOrders(start, power, orders), null);
    assert.is(new Set(ranked.map(({ orders }) => orders.join())).size, ranked.length);
    const sum = sumOf(ranked.map(({ probability }) => probability));
    assert.ok(Math.abs(sum - 1) < 1e-9, `probabilities sum to ${sum}`);
  }
});

const learning = { ...optionsFor('TURKEY', 1500), opponents: 'learning' } as const;

whole('the answer does not depend on the number of workers', async () => {
  const here = await searchMoves(start, learning);
  for (const workers of [1, 3]) {
    const there = await searchInPool(start, learning, workers);
    assert.equal([there.powers, there.rollouts], [here.powers, here.rollouts]);
  }
});

whole('a worker that crashes, before its task or with all of it counted, changes nothing', async () => {
  const here = await searchMoves(start, learning);
  for (const place of ['search, compare', 'search, compare, done', 'search, regret, done'])
    await withPool({ workers: 2, faults: makeFaults(place, 'exit', 2) }, async (pool) => {
      const progress: number[] = [];
      const there = await searchMoves(start, learning, { pool, onProgress: (rollouts) => progress.push(rollouts) });
      assert.is(pool.crashed, 2, place);
      assert.equal(there.powers, here.powers);
      assert.equal([there.rollouts, progress.at(-1)], [here.rollouts, here.rollouts]);
    });
});

const endless = Number.POSITIVE_INFINITY;

whole('a signal ends a search with what it has found', async () => {
  const stop = new AbortController();
  const options = { ...optionsFor('TURKEY', endless), milliseconds: endless, depth: 2 };
  const onProgress = (rollouts: number): void => {
    if (rollouts > 0) stop.abort();
  };
  const { rollouts } = await withPool({ workers: 1 }, (pool) =>
    searchMoves(start, options, { pool, signal: stop.signal, onProgress }),
  );
  assert.ok(rollouts > 0 && Number.isFinite(rollouts), `${rollouts}`);
});

whole('a map that does not ship travels to the workers with its rows', async () => {
  const game = newGame(compileMap({ ...standard.rows, name: 'mine', victory: 17 }), DATC_3_2);
  const options = optionsFor('TURKEY', 300);
  const here = await searchMoves(game, options);
  assert.equal((await searchInPool(game, options, 2)).powers, here.powers);
});

whole('candidates that are found on the way are new, legal, and do not depend on the number of workers', async () => {
  const options = optionsFor('AUSTRIA', 4000);
  const here = await searchMoves(start, options);
  const { ranked } = here.powers[0];
  const first = (await search(start, { ...options, method: 'best' })).ranked.length;
  assert.ok(ranked.length > first, `got ${ranked.length} candidates, wanted more than ${first}`);
  assert.is(new Set(ranked.map(({ orders }) => orders.join())).size, ranked.length);
  for (const { orders } of ranked) assert.is(checkOrders(start, 0, orders), null);
  assert.equal((await searchInPool(start, options, 2)).powers, here.powers);
});

whole('a budget is kept to, and the horizon grows with it', async () => {
  const depths: number[] = [];
  for (const rollouts of [300, 1000, 10_000]) {
    const result = await searchMoves(start, { ...optionsFor('ITALY', rollouts), playout: 'policy' });
    assert.ok(result.rollouts <= rollouts * 1.05 && result.rollouts >= rollouts * 0.8, `${result.rollouts} rollouts`);
    depths.push(result.depth);
  }
  assert.equal(depths, [2, 3, 4]);
  assert.is((await searchMoves(start, { ...optionsFor('ITALY', 300), depth: 5 })).depth, 5);
});

/** Options in place of those for Italy with 2400 rollouts, and the share of the budget for the first turn. */
const sharesOfFirstTurn: readonly (readonly [Partial<SearchOptions>, number])[] = [
  [{}, 1 / 3],
  [{ rollouts: 1600 }, 1 / 2],
  [{ rollouts: endless, milliseconds: 1000 }, 1 / 3],
  [{ rollouts: 1311 }, 1],
  [{ powers: [0, 1] }, 1],
  [{ method: 'halving' }, 1],
  [{ depth: 2 }, 1],
  [{ milliseconds: 199 }, 1],
  [{ opponents: 'learning' }, 1],
];
whole('with more than a small budget one power also looks at a second turn, and keeps to the budget', async () => {
  const options = optionsFor('ITALY', 2400);
  const planOf = (asked: Partial<SearchOptions>): PlannedOptions => planSearch(start, { ...options, ...asked }, 2);
  for (const [asked, share] of sharesOfFirstTurn) assert.is(planOf(asked).firstTurn, share, JSON.stringify(asked));
  assert.equal([planOf({}).value, planOf({ rollouts: 1311 }).value], ['first', 'next']);
  const here = await searchMoves(start, options);
  assert.ok(here.rollouts > 0.9 * 12 * 2400 && here.rollouts < 1.02 * 12 * 2400, `${here.rollouts} lookaheads`);
  const chances = here.powers[options.powers[0]].ranked.map(({ probability }) => probability).filter((x) => x > 0);
  assert.ok(chances.length >= 1 && chances.length <= 8, `${chances.length} sets`);
  assert.ok(Math.abs(sumOf(chances) - 1) < 1e-9);
  assert.equal((await searchInPool(start, options, 2)).powers, here.powers);
});

whole('what a second turn leads to is a share of the board, or the game', () => {
  const game = position({
    phase: 'F1903M',
    units: { FRANCE: ['A BUR', 'A RUH', 'A VEN'], GERMANY: ['A MUN', 'A BER'], ITALY: ['A ROM', 'F NAP'] },
    centers: {
      ...{ FRANCE: ['PAR', 'BRE', 'MAR', 'BEL', 'HOL', 'KIE', 'LON', 'EDI', 'LVP', 'SPA', 'POR', 'VEN', 'DEN', 'NWY'] },
      ...{ GERMANY: ['MUN', 'BER'], ITALY: ['ROM', 'NAP'], TURKEY: [] },
    },
  });
  const before = game.bytes.slice();
  const worthOf = (on: Game, orders: readonly string[]): number => {
    const packed = readOrders(on, { FRANCE: orders }, [], ruleSetByName('datc-3.2').reading);
    const judge = new SecondTurn(on);
    return judge.worth([judge.prepare(packed)], standard.power('FRANCE'), 7, 0);
  };
  const held = worthOf(game, []);
  assert.ok(held > 0 && held < 1, `${held}`);
  assert.is(worthOf(game, []), held);
  assert.equal(game.bytes, before);
  const near = position({
    phase: 'F1903M',
    units: { FRANCE: ['A BUR', 'A RUH', 'A KIE'], GERMANY: ['A MUN'] },
    centers: {
      ...{ GERMANY: ['MUN', 'BER'], ITALY: ['ROM', 'NAP'] },
      FRANCE: 'PAR BRE MAR BEL HOL KIE LON EDI LVP SPA POR VEN DEN NWY SWE STP WAR'.split(' '),
    },
  });
  assert.is(worthOf(near, ['A RUH S A BUR - MUN', 'A BUR - MUN']), 1);
});

whole('all powers searched for at once get their share of the rollouts', async () => {
  for (const method of ['regret', 'halving', 'best'] as const) {
    const request = { method, powers: standard.powerNames, seed: 4, rollouts: 2000 };
    const { powers, rollouts } = await searchMoves(start, request);
    for (const { power, ranked } of powers) {
      const where = `${standard.powerNames[power]}, ${method}`;
      const counts = ranked.map((set) => set.rollouts);
      assert.ok(Math.min(...counts) > 0, where);
      const share = sumOf(counts) / rollouts;
      assert.ok(share >= 0.5 / 7 && share <= 2 / 7, `${where}: got ${share}, wanted a seventh, about`);
    }
  }
});

whole('however little time there is, everything is played once', async () => {
  const request = { powers: standard.powerNames, seed: 4, rollouts: endless, milliseconds: 1 };
  const { powers } = await searchMoves(start, request);
  for (const { ranked } of powers) assert.ok(ranked.every(({ rollouts }) => rollouts > 0));
});

whole('every method chooses something legal, for every value and playout', async () => {
  for (const method of ['regret', 'best', 'halving'] as const)
    for (const value of ['heuristic', 'sum_of_squares', 'sum_of_centers'] as const)
      for (const playout of ['dumbbot', 'policy', 'uniform'] as const) {
        const { ranked } = await search(start, { ...optionsFor('ITALY', 300), method, value, playout });
        assert.ok(ranked[0].probability > 0 && ranked[0].orders.every((order) => isLegal(start, order)));
      }
});

whole('search orders retreats and adjustments', async () => {
  const retreat = position({
    phase: 'F1902R',
    units: { GERMANY: ['A MUN'], FRANCE: ['A BUR'] },
    centers: { GERMANY: ['MUN', 'BER'], FRANCE: ['PAR'] },
    retreats: { FRANCE: { 'A RUH': ['BEL', 'HOL', 'KIE'] } },
  });
  const fled = await search(retreat, optionsFor('FRANCE', 500));
  assert.is(fled.ranked.length, 4);
  assert.not.match(textsOf(retreat, fled.ranked[0].orders)[0], / D$/);
  const build = position({
    phase: 'W1902A',
    units: { GERMANY: ['A MUN'], FRANCE: ['A BUR', 'A PIC', 'A PAR'] },
    centers: { GERMANY: ['MUN', 'BER', 'KIE'], FRANCE: ['PAR'] },
  });
  for (const power of ['GERMANY', 'FRANCE']) {
    const { power: q, ranked } = await search(build, optionsFor(power, 500));
    assert.is(ranked[0].orders.length, 2);
    for (const { orders } of ranked) assert.is(checkOrders(build, q, orders), null);
  }
});

tactics.run();
whole.run();
