// Tests what guard and reply do in positions with an answer: threatened and free centres, retreats, builds.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parsePosition } from '../../../bindings/notation/json/position.js';
import { formatOrder, orderedUnits } from '../../../bindings/notation/text/index.js';
import { DATC_3_2, Random, standard } from '../../../engine/internal.js';
import { UNBOUNDED } from '../../../selfplay/agents/agent.js';
import { parseAgent } from '../../../selfplay/agents/registry.js';

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

rivals.run();
