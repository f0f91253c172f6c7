// Search finds what has a name, follows from its seed, and its orders are legal. Positions: see each test.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parsePosition } from '../bindings/position.js';
import { formatOrder, orderedUnits } from '../bindings/text.js';
import { DATC_3_2, type Game, isLegal, newGame, standard } from '../engine/index.js';
import { checkOrders } from '../selfplay/play.js';
import { makeCrew } from '../selfplay/search/crew.js';
import { type PowerResult, type SearchOptions, searchDefaults, searchMoves } from '../selfplay/search.js';

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
const SEEDS = 4;
/** What stands after this fall is all that counts. */
const thisFall = { depth: 1, value: 'sum_of_squares' } as const;

/** Mean over seeds of how likely the answer is. */
const meanProbability = async (
  game: Game,
  power: string,
  passes: (orders: readonly string[]) => boolean,
  other: Partial<SearchOptions> = {},
): Promise<number> => {
  let sum = 0;
  for (let seed = 1; seed <= SEEDS; seed++)
    sum += probabilityOf(game, await search(game, { ...optionsFor(power, 4000, seed), ...other }), passes);
  return sum / SEEDS;
};

tactics('a supported dislodgement wins a centre', async () => {
  const game = position({
    phase: 'F1903M',
    units: { FRANCE: ['A BUR', 'A RUH'], GERMANY: ['A MUN', 'A BER'], ITALY: ['A ROM', 'F NAP'] },
    centers: { FRANCE: ['PAR', 'BRE', 'MAR', 'BEL', 'HOL', 'KIE'], GERMANY: ['MUN', 'BER'], ITALY: ['ROM', 'NAP'] },
  });
  const found = await meanProbability(
    game,
    'FRANCE',
    (orders) =>
      (orders.includes('A BUR - MUN') && orders.includes('A RUH S A BUR - MUN')) ||
      (orders.includes('A RUH - MUN') && orders.includes('A BUR S A RUH - MUN')),
  );
  assert.ok(found >= 0.9, `got ${found}, wanted 0.9`);
});

tactics('a self-standoff guards three centres with two armies', async () => {
  const game = position({
    phase: 'F1903M',
    units: { RUSSIA: ['A STP', 'A WAR'], GERMANY: ['A LVN'], AUSTRIA: ['A UKR'] },
    centers: { RUSSIA: ['STP', 'MOS', 'WAR', 'NWY'], GERMANY: ['BER'], AUSTRIA: ['SEV', 'RUM'] },
  });
  const found = await meanProbability(
    game,
    'RUSSIA',
    (orders) => orders.includes('A STP - MOS') && orders.includes('A WAR - MOS'),
    { ...thisFall, opponents: 'learning', anchor: 0.2, rollouts: 20_000 },
  );
  assert.ok(found >= 0.8, `got ${found}, wanted 0.8`);
});

tactics('a convoy takes an undefended centre and leaves a home centre free to build in', async () => {
  const game = position({
    phase: 'F1901M',
    units: { ENGLAND: ['A EDI', 'F NTH', 'F LON', 'F LVP'], RUSSIA: ['A MOS', 'F SEV'], GERMANY: ['A MUN'] },
    centers: { ENGLAND: ['EDI', 'LON', 'LVP'], RUSSIA: ['MOS', 'SEV'], GERMANY: ['MUN'] },
  });
  const found = await meanProbability(
    game,
    'ENGLAND',
    (orders) =>
      orders.some((one) => one.startsWith('A EDI - ') && one.endsWith('VIA')) &&
      orders.some((one) => one.startsWith('F NTH C A EDI')),
  );
  assert.ok(found >= 0.8, `got ${found}, wanted 0.8`);
});

tactics('it does not break its own stalemate line', async () => {
  // Nothing can be won; Constantinople needs both supports against three attackers, once these are found to attack.
  const game = position({
    phase: 'F1906M',
    units: { TURKEY: ['A CON', 'F ANK', 'A SMY'], RUSSIA: ['A BUL', 'F BLA', 'F AEG'] },
    centers: { TURKEY: ['CON', 'ANK', 'SMY'], RUSSIA: ['BUL', 'SEV', 'RUM', 'GRE', 'MOS'] },
  });
  const found = await meanProbability(
    game,
    'TURKEY',
    (orders) => orders.includes('F ANK S A CON') && orders.includes('A SMY S A CON'),
    { ...thisFall, opponents: 'learning', anchor: 0.2, rollouts: 20_000 },
  );
  assert.ok(found >= 0.6, `got ${found}, wanted 0.6`);
});

const whole = suite('search');

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
    const crew = makeCrew(workers);
    const there = await searchMoves(game, options, crew);
    await crew.close();
    assert.equal(there.powers, here.powers);
    assert.is(there.rollouts, here.rollouts);
  }
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

whole('retreats and adjustments', async () => {
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
