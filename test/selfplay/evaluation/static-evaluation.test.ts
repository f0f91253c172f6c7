// Tests the value of positions with other units (selfplay/evaluation/static-evaluation.ts).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random, standard } from '../../../engine/internal.js';
import { SEA } from '../../../engine/rules/types.js';
import { evaluatePosition, readPosition } from '../../../selfplay/evaluation/static-evaluation.js';
import { position } from '../../tools/positions.js';

const positions = suite('values of positions');

const units = { AUSTRIA: ['A BUL', 'A SER', 'F GRE'], RUSSIA: ['A ARM', 'F SEV', 'A RUM'], TURKEY: ['F BLA', 'A SMY'] };
const centers = {
  AUSTRIA: ['BUL', 'SER', 'GRE', 'BUD', 'VIE'],
  RUSSIA: ['SEV', 'MOS', 'WAR', 'RUM'],
  TURKEY: ['CON', 'ANK', 'SMY'],
};

const retreats = { TURKEY: { 'A RUM': ['BUD', 'GAL'] } };
const powers = ['AUSTRIA', 'RUSSIA', 'TURKEY'].map((name) => standard.power(name));

for (const waiting of [{ phase: 'W1902A' }, { phase: 'S1902R', retreats }, { phase: 'F1902R', retreats }])
  positions(`what is kept from one copy to the next makes no difference (${waiting.phase})`, () => {
    const game = position({ units, centers, ...waiting });
    const random = new Random(2);
    const tried = Array.from({ length: 200 }, () => {
      const copy = game.clone();
      for (let k = random.below(4); k > 0; k--) {
        const at = random.below(standard.provinceCount);
        if (copy.unitAt(at) !== 0) copy.removeUnit(at);
        else if (standard.kind[at] !== SEA) copy.placeUnit(powers[random.below(3)], 0, at);
      }
      return { copy, power: powers[random.below(3)] };
    });
    readPosition(game);
    const inTurn = tried.map(({ copy, power }) => evaluatePosition(copy, power));
    const anew = tried.map(({ copy, power }) => {
      readPosition(game);
      return evaluatePosition(copy, power);
    });
    assert.equal(inTurn, anew);
    assert.ok(new Set(anew).size > 100);
  });

positions.run();
