// Is the uniform sampler uniform? The long form of what test/engine/play/sampling.test.ts and movement-lists.test.ts ask: units
// of positions of play and of crowded ones on every map, each drawn for so many times, its draws counted order by order.
//
//   node dist/test/tools/uniform-draws.js [--units N] [--draws N] [--seed S]
//
// Prints units, draws, orders that are illegal or never came up, chi-square over its degrees of freedom, and the unit that
// is farthest from even. Exits with 1 if an order is illegal, if one is missing whose chance to be was below 1 in 10^6, or
// if the whole is 4.5 standard deviations from even.
import { parseArgs } from 'node:util';
import { midPositions } from '../../bench/corpus/positions.js';
import { board, packedOrder } from '../../engine/adjudicate/movement/index.js';
import { loadMap, mapNames } from '../../engine/map/index.js';
import { drawUniform } from '../../engine/play/draws.js';
import { load, release } from '../../engine/play/step.js';
import type { Game } from '../../engine/position/game.js';
import { Random } from '../../engine/rules/random.js';
import { plainLists } from '../oracle/plain-lists.js';
import { crowd } from './crowds.js';

const { values } = parseArgs({
  options: {
    units: { type: 'string', default: '1000' },
    draws: { type: 'string', default: '40000' },
    seed: { type: 'string', default: '1' },
  },
});
const [units, draws, seed] = [values.units, values.draws, values.seed].map(Number);

const sum = { units: 0, orders: 0, illegal: 0, missing: 0, chi: 0, freedom: 0 };
let worst = { z: -Infinity, what: '' };

/** About normal where draws are even: the cube root of chi-square over its mean, by Wilson and Hilferty. */
const deviation = (chi: number, freedom: number): number => {
  const spread = 2 / (9 * freedom);
  return (Math.cbrt(chi / freedom) - (1 - spread)) / Math.sqrt(spread);
};

const count = (name: string, game: Game, random: Random): void => {
  const lists = [...plainLists(game)];
  const counts = lists.map(([, orders]) => new Map(orders.map((order): [number, number] => [order, 0])));
  load(game, Int32Array.of(1, 2));
  for (let i = 0; i < draws; i++) {
    drawUniform(lists.length, random.next());
    lists.forEach(([province], k) => {
      const order = packedOrder(board.order[province], game.unitLocation(province));
      const before = counts[k].get(order);
      if (before === undefined) sum.illegal++;
      else counts[k].set(order, before + 1);
    });
  }
  release();
  lists.forEach(([province, orders], k) => {
    sum.units++;
    if (orders.length < 2) return;
    const expected = draws / orders.length;
    let chi = 0;
    for (const n of counts[k].values()) {
      chi += (n - expected) ** 2 / expected;
      if (n === 0 && Math.exp(-expected) < 1e-6) sum.missing++;
    }
    sum.orders += orders.length;
    sum.chi += chi;
    sum.freedom += orders.length - 1;
    const z = deviation(chi, orders.length - 1);
    if (z > worst.z) worst = { z, what: `${name}, ${game.map.provinceTags[province]}, ${orders.length} orders` };
  });
};

const ofPlay = midPositions(seed, Math.ceil(units / 40));
for (let i = 0; sum.units < units; i++) {
  const random = new Random(seed, i);
  const map = loadMap(mapNames[(i >> 1) % mapNames.length]);
  if (i % 2 === 0) count('play', ofPlay[i >> 1], random);
  else count(`crowd on ${map.name}`, crowd(map, random, 40, 35), random);
}
const z = deviation(sum.chi, sum.freedom);
process.stdout.write(
  `${sum.units} units, ${sum.orders} orders, ${draws} draws each: ${sum.illegal} illegal, ${sum.missing} missing; ` +
    `chi-square / freedom ${(sum.chi / sum.freedom).toFixed(4)}, ${z.toFixed(2)} deviations; ` +
    `farthest ${worst.z.toFixed(2)} (${worst.what})\n`,
);
if (sum.illegal > 0 || sum.missing > 0 || Math.abs(z) > 4.5) process.exitCode = 1;
