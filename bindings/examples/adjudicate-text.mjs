// Adjudicates the first moves of a game from text and prints the result of every order, with its reason.
//
//   node bindings/examples/adjudicate-text.mjs
import { adjudicate, newGame, phaseName } from 'lepanto';
import { formatPosition, orders, outcomes } from 'lepanto/notation';

const game = newGame();
const given = {
  FRANCE: ['A PAR - BUR', 'A MAR S A PAR - BUR', 'F BRE - MAO'],
  GERMANY: ['A MUN - BUR', 'A BER - KIE', 'F KIE - DEN'],
};
const results = adjudicate(game, orders(game, given));

for (const { power, order, result, reason } of outcomes(game, results))
  if (power in given) console.log([power.padEnd(8), order.padEnd(20), result, reason].join(' ').trimEnd());
console.log(`${phaseName(game)}: France has ${formatPosition(game).units.FRANCE.join(', ')}`);
