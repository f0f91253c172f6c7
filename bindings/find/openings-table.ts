// Makes the table of a power's openings, for `lepanto find` and the page of a run.
import { percent, plusMinus } from '../reports/figures.js';
import { makeTable, numbers, type Table, words } from '../reports/table.js';
import type { Opening, PowerOpenings } from './search-results.js';

/** Returns all openings of a tree in depth-first order, with their depth, by default from 0. */
const withDepth = (openings: readonly Opening[], depth = 0): (Opening & { readonly depth: number })[] =>
  openings.flatMap((one) => [{ ...one, depth }, ...withDepth(one.next, depth + 1)]);

/** Returns the table of an agent's openings with a power. @param nameOf returns the short name of an agent */
export const openingsTable = (of: PowerOpenings, nameOf: (agent: string) => string): Table => {
  const { power, agent, games, score, error, sets, next } = of;
  const who = agent === '' ? power : `${power}, ${nameOf(agent)}`;
  return makeTable(
    withDepth(next),
    [
      numbers('share', ({ share }) => percent(share, 1)),
      numbers('games', ({ games }) => games),
      numbers('score', ({ score, error }) => plusMinus(score, error)),
      words(
        'orders',
        ({ depth, phase, orders }) => `${'  '.repeat(depth)}${phase}  ${orders.join(', ') || 'no orders'}`,
      ),
    ],
    `${who}: ${games} games, score ${plusMinus(score, error)}, ${sets} order set${sets === 1 ? '' : 's'}`,
  );
};
