// Tests what guard and reply do in positions with an answer: threatened and free centres, retreats, builds.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type CompiledMap,
  compileMap,
  newGame,
  type PowerRow,
  type ProvinceRow,
  Random,
} from '../../../engine/internal.js';
import { RandomGame } from '../../../engine/play/step.js';
import { parseAgent } from '../../../selfplay/agents/registry.js';
import { readPosition } from '../../../selfplay/evaluation/static-evaluation.js';
import { listOwnOrders } from '../../../selfplay/heuristics/own-orders.js';
import { saying } from '../../tools/errors.js';
import { ordersBy, ordersOf } from '../../tools/simple-agents.js';

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
      units: { ENGLAND: ['A YOR', 'A EDI', 'A LVP'], FRANCE: ['A PAR', 'F BRE'] },
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
  assert.throws(() => parseAgent('reply:plans=0'), saying('option plans: got "0", wanted a number from 1 to 1000'));
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

rivals('a map where everything borders on everything takes bounded work and memory', async () => {
  const wide = newGame(completeMap(200, 40));
  assert.is((await ordersBy(parseAgent('dumbbot'), wide, 0, new Random(1))).length, 40);
  const game = newGame(completeMap(60, 30));
  readPosition(game);
  const onBoard = new RandomGame();
  onBoard.load(game);
  const [own] = listOwnOrders(onBoard, game);
  // Each move alone, with each supporter, with each two of the first 16, with all, and with a move of a unit in its way.
  assert.ok(own.plans.length < 30 * 60 * (2 + 29 + 120 + 60), `${own.plans.length} plans`);
});

rivals.run();
