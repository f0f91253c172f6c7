// Answers the searches of the position editor, one at a time, on a pool of workers that is made for the first.

import { loadMap } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { asObject, describeValue, fieldOf, refuse } from '../../engine/rules/shape.js';
import { searchMoves } from '../../selfplay/search/monte-carlo.js';
import { searchDefaults } from '../../selfplay/search/options.js';
import { makePool, type Pool } from '../../selfplay/workers/pool.js';
import { parseAsked, searchRecord } from '../cli/shared/search-record.js';
import { ruleSetByName } from '../notation/text/index.js';
import type { SearchAnswer } from './page-data.js';

const MAX_ROLLOUTS = 1_000_000;
const TOP = 5;

const textOf = (value: unknown, what: string): string =>
  typeof value === 'string' ? value : refuse(`${what}: got ${describeValue(value)}, wanted text`);

export interface EditorSearch {
  /** Answers a request of the editor. @param signal aborted when the page has gone */
  readonly search: (request: unknown, signal: AbortSignal) => Promise<SearchAnswer>;
  readonly close: () => Promise<void>;
}

export const makeEditorSearch = (workers: number): EditorSearch => {
  let pool: Pool | undefined;
  let busy = false;
  const search = async (request: unknown, signal: AbortSignal): Promise<SearchAnswer> => {
    if (busy) throw new LepantoError('file', 'a search is running already');
    const asked = asObject(request, 'request');
    const map = loadMap(textOf(fieldOf(asked, 'map'), 'map'));
    const rules = ruleSetByName(textOf(fieldOf(asked, 'rules'), 'rules')).adjudication;
    const given = fieldOf(asked, 'rollouts');
    const rollouts = typeof given === 'number' && given >= 1 ? Math.min(MAX_ROLLOUTS, Math.floor(given)) : Number.NaN;
    if (Number.isNaN(rollouts))
      refuse(`rollouts: got ${describeValue(given)}, wanted a number from 1 to ${MAX_ROLLOUTS}`);
    const position = parseAsked(fieldOf(asked, 'position'), map, rules);
    const powers = position.game.map.powerNames.map((_, power) => power);
    const options = { ...searchDefaults, powers, rollouts, milliseconds: Number.POSITIVE_INFINITY, seed: 1 };
    busy = true;
    try {
      pool ??= makePool({ workers });
      const result = await searchMoves(position.game, options, { pool, signal });
      return searchRecord(position, result, { options, workers, top: TOP }, signal.aborted);
    } finally {
      busy = false;
    }
  };
  return { search, close: async () => pool?.close() };
};
