// Adjudicates in a web page, without a server and without Node. Bundle it with any bundler, for example:
//
//   npx esbuild bindings/examples/browser/page.ts --bundle --format=esm --outfile=page.js
//
// and open index.html in the same folder as the bundle. Do not minify the engine into one scope with `var`: it becomes
// slower.
import { adjudicate, newGame } from 'lepanto';
import { orders, outcomes, type RefusedOrder } from 'lepanto/notation';

/**
 * Adjudicates spring 1901.
 * @param given one order per line, after its power: `FRANCE A PAR - BUR`
 * @returns one line per unit with the result of its order, and one per order that was refused
 */
export const adjudicateText = (given: string): string => {
  const byPower: Record<string, string[]> = {};
  for (const line of given.split('\n')) {
    const [, power, order] = /^\s*(\w+)\s+(.+)$/.exec(line) ?? [];
    if (power === undefined) continue;
    byPower[power] ??= [];
    byPower[power].push(order);
  }
  const game = newGame();
  const refused: RefusedOrder[] = [];
  const results = adjudicate(game, orders(game, byPower, refused));
  const told = outcomes(game, results).map(({ power, unit, order, result, reason }) =>
    [power, order ?? `${unit} has no order`, result, reason].filter((part) => part !== null).join(', '),
  );
  return [...told, ...refused.map(({ power, text, reason }) => `${power}, ${text}: ${reason}`)].join('\n');
};
