// Tests the count of bad habits in recorded games (bench/strength/habits.ts).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runScript } from '../tools/command.js';

const habits = suite('habits');

const run = (lines: readonly object[]): unknown => {
  const input = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const { code, out } = runScript('bench/strength/habits.js', [], { input });
  assert.is(code, 0);
  return JSON.parse(out);
};
const order = (power: string, text: string, result: string): object => ({ power, order: text, result });

habits('a free centre next to a unit, a centre lost while empty and a support of nothing are counted', () => {
  const before = { FRANCE: ['A SPA', 'F BRE'], GERMANY: ['A RUH'] };
  const centers = { FRANCE: ['SPA', 'BRE', 'BEL'], GERMANY: ['MUN'] };
  const fall = {
    phase: 'F1901M',
    units: before,
    centers,
    orders: [
      order('FRANCE', 'A SPA H', 'succeeds'),
      order('FRANCE', 'F BRE S A PAR - PIC', 'void'),
      order('GERMANY', 'A RUH - BEL', 'succeeds'),
    ],
  };
  const after = {
    phase: 'W1901A',
    units: { FRANCE: ['A SPA', 'F BRE'], GERMANY: ['A BEL'] },
    centers: { FRANCE: ['SPA', 'BRE'], GERMANY: ['MUN', 'BEL'] },
  };
  // POR and MAR beside A SPA, HOL and KIE beside A RUH: four for two powers. MUN is Germany's own.
  assert.equal(run([{ phases: [fall, after] }]), {
    games: 1,
    uncaptured: 2,
    lost_empty: 0.5,
    stubborn: 0,
    void: 1,
    fleets: 0.333,
    at_leader: 0,
  });
});

habits(
  'a move that is ordered a fourth time after three failures is stubborn, and attacks on the leader are counted',
  () => {
    const centers = {
      ITALY: ['VEN'],
      AUSTRIA: ['TRI', 'VIE', 'BUD', 'SER', 'GRE', 'BUL', 'RUM', 'CON', 'SMY', 'ANK', 'SEV', 'WAR'],
    };
    const phase = (year: number): object => ({
      phase: `S${year}M`,
      units: { ITALY: ['A VEN'], AUSTRIA: ['A TRI'] },
      centers,
      orders: [order('ITALY', 'A VEN - TRI', 'bounces')],
    });
    const found = run([{ phases: [1901, 1902, 1903, 1904].map(phase) }]) as Record<string, number>;
    assert.is(found.stubborn, 0.5);
    assert.is(found.at_leader, 1);
  },
);

habits.run();
