// Tests what guard and reply do in positions with an answer: threatened and free centres, retreats, builds.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parsePosition } from '../../../bindings/notation/json/position.js';
import { formatOrder, orderedUnits } from '../../../bindings/notation/text/index.js';
import {
  type CompiledMap,
  compileMap,
  DATC_3_2,
  newGame,
  type PowerRow,
  type ProvinceRow,
  Random,
  standard,
} from '../../../engine/internal.js';
import { UNBOUNDED } from '../../../selfplay/agents/agent.js';
import { listOwnOrders } from '../../../selfplay/agents/own-orders.js';
import { parseAgent } from '../../../selfplay/agents/registry.js';
import { beginTrials, endTrials, readPosition } from '../../../selfplay/evaluation/static-evaluation.js';

/** What an agent orders for a power, as text. */
const ordersOf = async (agent: string, power: string, record: object, seed = 1): Promise<string[]> => {
  const { game } = parsePosition(record, standard, DATC_3_2);
  const out = new Int32Array(standard.provinceCount);
  const random = new Random(seed);
  const count = await parseAgent(agent).choose(game, standard.powerNames.indexOf(power), out, random, UNBOUNDED);
  const units = orderedUnits(game);
  return Array.from(out.subarray(0, count), (order) => formatOrder(standard, order, units)).sort();
};

const rivals = suite('guard and reply');

rivals('guard supports what is threatened; both take what is free', async () => {
  const threatened = {
    phase: 'S1902M',
    units: { FRANCE: ['A MAR', 'A GAS'], ITALY: ['A PIE', 'F LYO'] },
    centers: { FRANCE: ['MAR', 'PAR'], ITALY: ['VEN', 'ROM'] },
  };
  assert.equal(await ordersOf('guard', 'FRANCE', threatened), ['A GAS S A MAR', 'A MAR H']);
  const alone = { phase: 'F1901M', units: { FRANCE: ['A GAS'] }, centers: { FRANCE: ['PAR', 'MAR', 'BRE'] } };
  assert.equal(await ordersOf('guard', 'FRANCE', alone), ['A GAS - SPA']);
  assert.equal(await ordersOf('reply', 'FRANCE', alone), ['A GAS - SPA']);
});

// From games against programs of others: F ION stayed beside empty centres for years, because it was near both.
rivals('a unit beside a centre that nobody owns goes there, to the one where nobody is in its way', async () => {
  const beside = {
    phase: 'F1902M',
    units: {
      ITALY: ['F ION', 'A VEN', 'A ROM'],
      AUSTRIA: ['A TRI', 'A SER', 'F ALB'],
      TURKEY: ['A BUL', 'F AEG', 'A CON'],
    },
    centers: {
      ITALY: ['ROM', 'VEN', 'NAP'],
      AUSTRIA: ['TRI', 'VIE', 'BUD', 'SER'],
      TURKEY: ['BUL', 'CON', 'ANK', 'SMY'],
      FRANCE: ['PAR', 'MAR', 'BRE', 'SPA', 'POR'],
      GERMANY: ['BER', 'KIE', 'MUN', 'HOL', 'DEN'],
      ENGLAND: ['LON', 'EDI', 'LVP', 'NWY', 'BEL'],
      RUSSIA: ['MOS', 'WAR', 'SEV', 'STP', 'RUM', 'SWE'],
    },
  };
  const timesTaken = async (agent: string): Promise<number> => {
    let taken = 0;
    for (let seed = 1; seed <= 20; seed++)
      if ((await ordersOf(agent, 'ITALY', beside, seed)).includes('F ION - TUN')) taken++;
    return taken;
  };
  assert.ok((await timesTaken('reply:plans=8')) >= 18);
  assert.ok(
    (await timesTaken('reply:plans=8:free=0:build=0')) <= 2,
    'where a free centre counts as owned by who is near',
  );
});

rivals('retreats go to a centre, removals to what is farthest off, builds to what can go somewhere', async () => {
  const retreat = {
    phase: 'F1901R',
    units: { FRANCE: ['A PAR'], GERMANY: ['A BUR'] },
    retreats: { FRANCE: { 'A BUR': ['BEL', 'GAS', 'PIC'] } },
    centers: { FRANCE: ['PAR', 'MAR', 'BRE'], GERMANY: ['MUN'] },
  };
  for (const agent of ['guard', 'reply']) {
    assert.equal(await ordersOf(agent, 'FRANCE', retreat), ['A BUR R BEL']);
    const fleets = {
      phase: 'W1901A',
      units: { ENGLAND: ['F NTH', 'F EDI', 'A LVP'], FRANCE: ['A PAR', 'F BRE'] },
      centers: { ENGLAND: ['LON', 'NWY', 'EDI', 'LVP'], FRANCE: ['PAR', 'BRE', 'MAR'] },
    };
    assert.equal(await ordersOf(agent, 'ENGLAND', fleets), ['F LON B']);
    const removal = {
      phase: 'W1903A',
      units: { TURKEY: ['A CON', 'A MOS', 'A BUL'], RUSSIA: ['A WAR', 'A STP', 'A UKR', 'A SEV'] },
      centers: { TURKEY: ['CON', 'BUL'], RUSSIA: ['WAR', 'STP', 'SEV', 'MOS'] },
    };
    assert.equal(await ordersOf(agent, 'TURKEY', removal), ['A MOS D']);
  }
});

rivals('the number of plans is an option', async () => {
  const record = { phase: 'S1901M', units: { FRANCE: ['A BUR', 'A RUH'], GERMANY: ['A MUN'] }, centers: {} };
  assert.is((await ordersOf('reply:plans=40', 'FRANCE', record)).length, 2);
  assert.is(parseAgent('reply:plans=40').options.plans, 40);
  assert.throws(() => parseAgent('reply:plans=0'), 'option plans: got "0", wanted a number from 1 to 1000');
});

/** A map of two powers where everything borders on everything. */
const completeMap = (provinces: number, units: number): CompiledMap => {
  const letter = (n: number): string => String.fromCharCode(65 + (n % 26));
  const tags = Array.from({ length: provinces }, (_, i) => letter(i) + letter(i / 26) + letter(i / 676));
  const power = (name: string, homes: readonly string[]): PowerRow => ({
    name,
    homes: homes.join(' '),
    units: homes.map((tag) => `A ${tag}`).join(', '),
  });
  const province = (tag: string, i: number): ProvinceRow => ({
    ...{ tag, name: `Province ${tag}`, kind: 'land', center: i < 2 * units },
    army: tags.filter((other) => other !== tag).join(' '),
  });
  return compileMap({
    ...{ name: 'complete', start: 'S1901M', victory: 2 * units, provinces: tags.map(province) },
    powers: [power('RED', tags.slice(0, units)), power('BLUE', tags.slice(units, 2 * units))],
  });
};

rivals('a map where everything borders on everything takes bounded work and memory', () => {
  const wide = newGame(completeMap(200, 40));
  const out = new Int32Array(200);
  assert.is(parseAgent('dumbbot').choose(wide, 0, out, new Random(1), UNBOUNDED), 40);
  const game = newGame(completeMap(60, 30));
  readPosition(game);
  beginTrials(game);
  const [own] = listOwnOrders(game);
  endTrials();
  // Each move alone, with each supporter, with each two of the first 16, with all, and with a move of a unit in its way.
  assert.ok(own.plans.length < 30 * 60 * (2 + 29 + 120 + 60), `${own.plans.length} plans`);
});

rivals.run();
