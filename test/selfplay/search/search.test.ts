// Tests the search: it finds well-known manoeuvres, depends only on its seed, and gives legal orders.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileMap, DATC_3_2, type Game, isLegal, newGame, standard } from '../../../engine/internal.js';
import { parsePosition, orders as readOrders } from '../../../engine/notation/json/position.js';
import { formatOrder, orderedUnits, ruleSetByName } from '../../../engine/notation/text/index.js';
import { makeFaults } from '../../../selfplay/crew/faults.js';
import { makePool } from '../../../selfplay/crew/pool.js';
import { checkOrders } from '../../../selfplay/question/check-orders.js';
import { planSearch } from '../../../selfplay/search/budget.js';
import { SecondTurn } from '../../../selfplay/search/lookahead.js';
import { type PowerResult, searchMoves } from '../../../selfplay/search/monte-carlo.js';
import { type PlannedOptions, type SearchOptions, searchDefaults } from '../../../selfplay/search/options.js';

const position = (record: object): Game => parsePosition(record, standard, DATC_3_2).game;

const optionsFor = (power: string, rollouts: number, seed = 1): SearchOptions => ({
  ...searchDefaults,
  powers: [standard.powerNames.indexOf(power)],
  rollouts,
  seed,
});

const texts = (game: Game, orders: Int32Array): string[] => {
  const units = orderedUnits(game);
  return Array.from(orders, (order) => formatOrder(standard, order, units));
};

/** How likely the search plays a set of orders that passes. */
const probabilityOf = (game: Game, { ranked }: PowerResult, passes: (orders: readonly string[]) => boolean): number =>
  ranked.reduce((sum, { orders, probability }) => sum + (passes(texts(game, orders)) ? probability : 0), 0);

const search = async (game: Game, options: SearchOptions): Promise<PowerResult> =>
  (await searchMoves(game, options)).powers[options.powers[0]];

const tactics = suite('tactics');

/** In how many of so many seeds the search most likely plays the answer, with default options. */
const timesFound = async (
  game: Game,
  power: string,
  passes: (orders: readonly string[]) => boolean,
  { seeds, rollouts }: { seeds: number; rollouts: number },
): Promise<number> => {
  let found = 0;
  for (let seed = 1; seed <= seeds; seed++)
    if (probabilityOf(game, await search(game, optionsFor(power, rollouts, seed)), passes) > 0.5) found++;
  return found;
};

const SMALL = { seeds: 20, rollouts: 4000 };

/** What stands after this fall is all that counts, and the opponents find what is best for them. */
const thisFall = { depth: 1, value: 'sum_of_squares', opponents: 'learning', anchor: 0.2, rollouts: 20_000 } as const;
const SEEDS = 4;

/** Mean over seeds of how likely the answer is, where only this fall counts. */
const meanThisFall = async (
  game: Game,
  power: string,
  passes: (orders: readonly string[]) => boolean,
): Promise<number> => {
  let sum = 0;
  for (let seed = 1; seed <= SEEDS; seed++)
    sum += probabilityOf(game, await search(game, { ...optionsFor(power, 0, seed), ...thisFall }), passes);
  return sum / SEEDS;
};

tactics('a supported dislodgement wins a centre', async () => {
  const game = position({
    phase: 'F1903M',
    units: { FRANCE: ['A BUR', 'A RUH'], GERMANY: ['A MUN', 'A BER'], ITALY: ['A ROM', 'F NAP'] },
    centers: { FRANCE: ['PAR', 'BRE', 'MAR', 'BEL', 'HOL', 'KIE'], GERMANY: ['MUN', 'BER'], ITALY: ['ROM', 'NAP'] },
  });
  const found = await timesFound(
    game,
    'FRANCE',
    (orders) =>
      (orders.includes('A BUR - MUN') && orders.includes('A RUH S A BUR - MUN')) ||
      (orders.includes('A RUH - MUN') && orders.includes('A BUR S A RUH - MUN')),
    SMALL,
  );
  assert.ok(found >= 18, `got ${found} of 20, wanted 18`);
});

const standsOff = (orders: readonly string[]): boolean =>
  orders.includes('A STP - MOS') && orders.includes('A WAR - MOS');

tactics('a self-standoff guards three centres with two armies', async () => {
  // St Petersburg and Warsaw are attacked for certain, Moscow perhaps: whoever leaves or enters a centre alone loses one.
  const game = position({
    phase: 'F1903M',
    units: { RUSSIA: ['A STP', 'A WAR'], ENGLAND: ['A FIN'], AUSTRIA: ['A UKR'], GERMANY: ['A PRU'] },
    centers: {
      RUSSIA: ['STP', 'MOS', 'WAR'],
      ENGLAND: ['NWY', 'SWE', 'DEN', 'EDI', 'LVP', 'LON', 'PAR', 'BRE', 'BEL', 'HOL', 'KIE'],
      AUSTRIA: ['VIE', 'BUD', 'TRI', 'SER', 'GRE', 'BUL', 'RUM', 'SEV', 'VEN'],
      GERMANY: ['MUN', 'BER'],
      ITALY: ['ROM', 'NAP', 'TUN', 'CON', 'ANK', 'SMY', 'SPA', 'POR', 'MAR'],
    },
  });
  const found = await timesFound(game, 'RUSSIA', standsOff, { seeds: 10, rollouts: 12_000 });
  assert.ok(found >= 9, `got ${found} of 10, wanted 9`);
});

tactics('a self-standoff against opponents that learn', async () => {
  const game = position({
    phase: 'F1903M',
    units: { RUSSIA: ['A STP', 'A WAR'], GERMANY: ['A LVN'], AUSTRIA: ['A UKR'] },
    centers: { RUSSIA: ['STP', 'MOS', 'WAR', 'NWY'], GERMANY: ['BER'], AUSTRIA: ['SEV', 'RUM'] },
  });
  const found = await meanThisFall(game, 'RUSSIA', standsOff);
  assert.ok(found >= 0.8, `got ${found}, wanted 0.8`);
});

tactics('a convoy takes an undefended centre and leaves a home centre free to build in', async () => {
  const game = position({
    phase: 'F1901M',
    units: { ENGLAND: ['A EDI', 'F NTH', 'F LON', 'F LVP'], RUSSIA: ['A MOS', 'F SEV'], GERMANY: ['A MUN'] },
    centers: { ENGLAND: ['EDI', 'LON', 'LVP'], RUSSIA: ['MOS', 'SEV'], GERMANY: ['MUN'] },
  });
  const found = await timesFound(
    game,
    'ENGLAND',
    (orders) =>
      orders.some((one) => one.startsWith('A EDI - ') && one.endsWith('VIA')) &&
      orders.some((one) => one.startsWith('F NTH C A EDI')),
    SMALL,
  );
  assert.ok(found >= 18, `got ${found} of 20, wanted 18`);
});

const holdsConstantinople = (orders: readonly string[]): boolean =>
  orders.includes('F ANK S A CON') && orders.includes('A SMY S A CON');

tactics('it does not break its own stalemate line, which is all that stops a solo', async () => {
  const game = position({
    phase: 'F1906M',
    units: {
      TURKEY: ['A CON', 'F ANK', 'A SMY'],
      RUSSIA: ['A BUL', 'F BLA', 'F AEG', 'A RUM', 'A GRE'],
      FRANCE: ['F ION', 'A VEN'],
    },
    centers: {
      TURKEY: ['CON', 'ANK', 'SMY'],
      RUSSIA: 'SEV MOS WAR STP RUM BUL SER GRE BUD VIE TRI SWE NWY DEN BER KIE MUN'.split(' '),
      FRANCE: 'PAR BRE MAR SPA POR BEL HOL LON EDI LVP TUN ROM NAP VEN'.split(' '),
    },
  });
  const found = await timesFound(game, 'TURKEY', holdsConstantinople, SMALL);
  assert.ok(found >= 18, `got ${found} of 20, wanted 18`);
});

tactics('it does not break its own stalemate line against opponents that learn', async () => {
  // Nothing can be won; Constantinople needs both supports against three attackers, once these are found to attack.
  const game = position({
    phase: 'F1906M',
    units: { TURKEY: ['A CON', 'F ANK', 'A SMY'], RUSSIA: ['A BUL', 'F BLA', 'F AEG'] },
    centers: { TURKEY: ['CON', 'ANK', 'SMY'], RUSSIA: ['BUL', 'SEV', 'RUM', 'GRE', 'MOS'] },
  });
  const found = await meanThisFall(game, 'TURKEY', holdsConstantinople);
  assert.ok(found >= 0.6, `got ${found}, wanted 0.6`);
});

const whole = suite('search');

const searchInPool = async (game: Game, options: SearchOptions, workers: number) => {
  const pool = makePool({ workers });
  try {
    return await searchMoves(game, options, { pool });
  } finally {
    await pool.close();
  }
};

whole('orders are legal in every phase, candidates are 30 and more for each power at the start', async () => {
  const game = newGame(standard, DATC_3_2);
  const powers = standard.powerNames.map((_, q) => q);
  const { powers: found } = await searchMoves(game, { ...searchDefaults, powers, rollouts: 4000, seed: 3 });
  for (const { power, ranked } of found) {
    assert.ok(ranked.length >= 30, `${standard.powerNames[power]} has ${ranked.length} candidates`);
    for (const { orders } of ranked) assert.is(checkOrders(game, power, orders), null);
    assert.is(new Set(ranked.map(({ orders }) => orders.join())).size, ranked.length);
    const sum = ranked.reduce((total, { probability }) => total + probability, 0);
    assert.ok(Math.abs(sum - 1) < 1e-9, `probabilities sum to ${sum}`);
  }
});

whole('the answer does not depend on the number of workers', async () => {
  const game = newGame(standard, DATC_3_2);
  const options = { ...optionsFor('TURKEY', 1500), opponents: 'learning' as const };
  const here = await searchMoves(game, options);
  for (const workers of [1, 3]) {
    const there = await searchInPool(game, options, workers);
    assert.equal(there.powers, here.powers);
    assert.is(there.rollouts, here.rollouts);
  }
});

whole('a worker that crashes, before its task or with all of it counted, changes nothing', async () => {
  const game = newGame(standard, DATC_3_2);
  const options = { ...optionsFor('TURKEY', 1500), opponents: 'learning' as const };
  const here = await searchMoves(game, options);
  for (const place of ['search, compare', 'search, compare, done', 'search, regret, done']) {
    const pool = makePool({ workers: 2, faults: makeFaults(place, 'exit', 2) });
    const progress: number[] = [];
    const there = await searchMoves(game, options, { pool, onProgress: (rollouts) => progress.push(rollouts) });
    const { crashed } = pool;
    await pool.close();
    assert.is(crashed, 2, place);
    assert.equal(there.powers, here.powers);
    assert.is(there.rollouts, here.rollouts);
    assert.is(progress.at(-1), here.rollouts);
  }
});

whole('a signal ends a search with what it has found', async () => {
  const pool = makePool({ workers: 1 });
  const stop = new AbortController();
  const endless = {
    ...optionsFor('TURKEY', Number.POSITIVE_INFINITY),
    milliseconds: Number.POSITIVE_INFINITY,
    depth: 2,
  };
  const onProgress = (rollouts: number): void => {
    if (rollouts > 0) stop.abort();
  };
  const { rollouts } = await searchMoves(newGame(standard, DATC_3_2), endless, {
    pool,
    signal: stop.signal,
    onProgress,
  });
  await pool.close();
  assert.ok(rollouts > 0 && Number.isFinite(rollouts), `${rollouts}`);
});

whole('a map that does not ship travels to the workers with its rows', async () => {
  const own = compileMap({ ...standard.rows, name: 'mine', victory: 17 });
  const game = newGame(own, DATC_3_2);
  const options = optionsFor('TURKEY', 300);
  const here = await searchMoves(game, options);
  assert.equal((await searchInPool(game, options, 2)).powers, here.powers);
});

whole('nor do the candidates that are found on the way', async () => {
  const game = newGame(standard, DATC_3_2);
  const options = optionsFor('AUSTRIA', 4000);
  const here = await searchMoves(game, options);
  const { ranked } = here.powers[0];
  const first = (await searchMoves(game, { ...options, method: 'best' })).powers[0].ranked.length;
  assert.ok(ranked.length > first, `got ${ranked.length} candidates, wanted more than ${first}`);
  assert.is(new Set(ranked.map(({ orders }) => orders.join())).size, ranked.length);
  for (const { orders } of ranked) assert.is(checkOrders(game, 0, orders), null);
  assert.equal((await searchInPool(game, options, 2)).powers, here.powers);
});

whole('a budget is kept to, and the horizon grows with it', async () => {
  const game = newGame(standard, DATC_3_2);
  const depths: number[] = [];
  for (const rollouts of [300, 1000, 10_000]) {
    const result = await searchMoves(game, { ...optionsFor('ITALY', rollouts), playout: 'policy' });
    assert.ok(result.rollouts <= rollouts * 1.05 && result.rollouts >= rollouts * 0.8, `${result.rollouts} rollouts`);
    depths.push(result.depth);
  }
  assert.equal(depths, [2, 3, 4]);
  assert.is((await searchMoves(game, { ...optionsFor('ITALY', 300), depth: 5 })).depth, 5);
});

whole('with more than a small budget one power also looks at a second turn, and keeps to the budget', async () => {
  const game = newGame(standard, DATC_3_2);
  const planOf = (asked: Partial<SearchOptions>): PlannedOptions =>
    planSearch(game, { ...optionsFor('ITALY', 2400), ...asked }, 2);
  const shareOf = (asked: Partial<SearchOptions>): number => planOf(asked).firstTurn;
  assert.is(shareOf({}), 1 / 3);
  assert.is(shareOf({ rollouts: 1600 }), 1 / 2);
  assert.is(shareOf({ rollouts: Number.POSITIVE_INFINITY, milliseconds: 1000 }), 1 / 3);
  const without = [
    { rollouts: 1311 },
    { powers: [0, 1] },
    { method: 'halving' },
    { depth: 2 },
    { milliseconds: 199 },
  ] as const;
  for (const asked of [...without, { opponents: 'learning' } as const]) assert.is(shareOf(asked), 1);
  assert.equal([planOf({}).value, planOf({ rollouts: 1311 }).value], ['first', 'next']);
  const options = optionsFor('ITALY', 2400);
  const here = await searchMoves(game, options);
  assert.ok(here.rollouts > 0.9 * 12 * 2400 && here.rollouts < 1.02 * 12 * 2400, `${here.rollouts} lookaheads`);
  const played = here.powers[options.powers[0]].ranked.filter(({ probability }) => probability > 0);
  assert.ok(played.length >= 1 && played.length <= 8, `${played.length} sets`);
  assert.ok(Math.abs(played.reduce((sum, { probability }) => sum + probability, 0) - 1) < 1e-9);
  assert.equal((await searchInPool(game, options, 2)).powers, here.powers);
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
  const france = standard.powerNames.indexOf('FRANCE');
  const before = game.bytes.slice();
  const worthOf = (on: Game, orders: readonly string[]): number => {
    const packed = readOrders(on, { FRANCE: orders }, [], ruleSetByName('datc-3.2').reading);
    const judge = new SecondTurn(on);
    return judge.worth([judge.prepare(packed)], france, 7, 0);
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

const rolloutsOf = ({ ranked }: PowerResult): number => ranked.reduce((sum, { rollouts }) => sum + rollouts, 0);

whole('all powers searched for at once get their share of the rollouts', async () => {
  const game = newGame(standard, DATC_3_2);
  const powers = standard.powerNames;
  for (const method of ['regret', 'halving', 'best'] as const) {
    const { powers: found, rollouts } = await searchMoves(game, { method, powers, seed: 4, rollouts: 2000 });
    for (const one of found) {
      const where = `${standard.powerNames[one.power]}, ${method}`;
      assert.ok(
        one.ranked.every((set) => set.rollouts > 0),
        where,
      );
      const share = rolloutsOf(one) / rollouts;
      assert.ok(share >= 0.5 / 7 && share <= 2 / 7, `${where}: got ${share}, wanted a seventh, about`);
    }
  }
});

whole('however little time there is, everything is played once', async () => {
  const game = newGame(standard, DATC_3_2);
  const endless = Number.POSITIVE_INFINITY;
  const request = { powers: standard.powerNames, seed: 4, rollouts: endless, milliseconds: 1 };
  const { powers } = await searchMoves(game, request);
  for (const { ranked } of powers) assert.ok(ranked.every(({ rollouts }) => rollouts > 0));
});

whole('every method chooses something legal, for every value and playout', async () => {
  const game = newGame(standard, DATC_3_2);
  for (const method of ['regret', 'best', 'halving'] as const)
    for (const value of ['heuristic', 'sum_of_squares', 'sum_of_centers'] as const)
      for (const playout of ['dumbbot', 'policy', 'uniform'] as const) {
        const { ranked } = await search(game, { ...optionsFor('ITALY', 300), method, value, playout });
        assert.ok(ranked[0].probability > 0 && ranked[0].orders.every((order) => isLegal(game, order)));
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
  assert.not.match(texts(retreat, fled.ranked[0].orders)[0], / D$/);
  const build = position({
    phase: 'W1902A',
    units: { GERMANY: ['A MUN'], FRANCE: ['A BUR', 'A PIC', 'A PAR'] },
    centers: { GERMANY: ['MUN', 'BER', 'KIE'], FRANCE: ['PAR'] },
  });
  const built = await search(build, optionsFor('GERMANY', 500));
  assert.is(built.ranked[0].orders.length, 2);
  const removed = await search(build, optionsFor('FRANCE', 500));
  assert.is(removed.ranked[0].orders.length, 2);
  for (const { orders } of [...built.ranked]) assert.is(checkOrders(build, built.power, orders), null);
  for (const { orders } of [...removed.ranked]) assert.is(checkOrders(build, removed.power, orders), null);
});

tactics.run();
whole.run();
