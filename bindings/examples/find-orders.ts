// Searches for good orders for France in a position given as JSON. A fixed number of rollouts gives the same answer on
// every machine; `milliseconds` would limit the time instead. Moves are compared by one-turn lookahead, where one
// rollout pays for twelve lookaheads.
//
//   node dist/bindings/examples/find-orders.js
import { rulesByName, standard } from 'lepanto';
import { orderText, parsePosition } from 'lepanto/notation';
import { searchMoves } from 'lepanto/selfplay';

const position = {
  phase: 'S1902M',
  units: { FRANCE: ['A BUR', 'A SPA', 'F MAO'], GERMANY: ['A MUN', 'A KIE', 'F DEN'], ITALY: ['A VEN', 'F TYS'] },
  centers: {
    FRANCE: ['PAR', 'MAR', 'BRE', 'SPA'],
    GERMANY: ['MUN', 'KIE', 'BER', 'DEN'],
    ITALY: ['VEN', 'ROM', 'NAP'],
  },
};
const { game } = parsePosition(position, standard, rulesByName('datc-3.2'));
const { powers, rollouts } = await searchMoves(game, { powers: ['FRANCE'], rollouts: 400, seed: 1 });

console.log(`${rollouts} lookaheads`);
const { ranked } = powers[game.map.power('FRANCE')];
for (const { orders, probability, value } of ranked.slice(0, 3)) {
  const texts = Array.from(orders, (order) => orderText(game, order));
  console.log(`${(100 * probability).toFixed(1).padStart(5)} %  value ${value.toFixed(3)}  ${texts.join(', ')}`);
}
