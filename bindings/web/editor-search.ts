// Answers the searches of the position editor, one at a time, on a pool of workers that is made for the first.

import { type CompiledMap, loadMap } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { anything, fieldReader, numberIn, text } from '../../engine/rules/shape.js';
import { searchMoves } from '../../selfplay/search/monte-carlo.js';
import { searchDefaults } from '../../selfplay/search/options.js';
import { makePool, type Pool } from '../../selfplay/workers/pool.js';
import { parseAsked, searchRecord } from '../cli/shared/search-record.js';
import { ruleSetByName } from '../notation/text/index.js';
import type { SearchAnswer } from './page-data.js';

const MAX_ROLLOUTS = 1_000_000;
const TOP = 5;

export interface EditorSearch {
  /** Answers a request of the editor. @param signal aborted when the page has gone @param own in place of the map named */
  readonly search: (request: unknown, signal: AbortSignal, own?: CompiledMap) => Promise<SearchAnswer>;
  readonly close: () => Promise<void>;
}

export const makeEditorSearch = (workers: number): EditorSearch => {
  let pool: Pool | undefined;
  let busy = false;
  const search: EditorSearch['search'] = async (request, signal, own) => {
    if (busy) throw new LepantoError('file', 'a search is running already');
    const field = fieldReader(request, 'request');
    const map = own ?? loadMap(field('map', text));
    const rules = ruleSetByName(field('rules', text)).adjudication;
    const rollouts = Math.min(MAX_ROLLOUTS, Math.floor(field('rollouts', numberIn(1))));
    const position = parseAsked(field('position', anything), map, rules);
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
