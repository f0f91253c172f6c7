// Answers the searches of the position editor, one at a time, on a pool of workers that is made for the first.

import { type CompiledMap, loadMap } from '../../engine/internal.js';
import { ruleSetByName } from '../../engine/notation/text/index.js';
import { LepantoError } from '../../engine/rules/error.js';
import { anything, fieldReader, numberIn, optional, text } from '../../engine/rules/shape.js';
import { makePool, type Pool } from '../../selfplay/crew/pool.js';
import { planSearch } from '../../selfplay/search/budget.js';
import { type SearchJob, type SearchResult, searchMoves } from '../../selfplay/search/monte-carlo.js';
import { searchDefaults } from '../../selfplay/search/options.js';
import { parseAsked, searchRecord } from '../reports/search-record.js';
import type { SearchAnswer } from './page-data.js';

const MAX_ROLLOUTS = 1_000_000;
const MAX_SEED = 2 ** 31 - 1;
/** Order sets of a power that are told: more than are shown, so that those that rise have a past. */
const TOP = 10;
/** What is found is told after so many milliseconds, or such a share of the search. */
const TELL_MS = 250;
const TELL_SHARE = 1 / 40;

export interface EditorSearch {
  /** @param tell hears what is found so far, and in the end @param signal ends it @param own in place of the map named */
  readonly search: (
    request: unknown,
    tell: (answer: SearchAnswer) => void,
    signal: AbortSignal,
    own?: CompiledMap,
  ) => Promise<void>;
  readonly close: () => Promise<void>;
}

export const makeEditorSearch = (workers: number): EditorSearch => {
  let pool: Pool | undefined;
  let running: { readonly signal: AbortSignal; readonly ended: Promise<unknown> } | null = null;

  const search: EditorSearch['search'] = async (request, tell, signal, own) => {
    const field = fieldReader(request, 'request');
    const map = own ?? loadMap(field('map', text));
    const rules = ruleSetByName(field('rules', text)).adjudication;
    const rollouts = Math.min(MAX_ROLLOUTS, Math.floor(field('rollouts', numberIn(1))));
    const seed = Math.floor(field('seed', numberIn(0, MAX_SEED)));
    const position = parseAsked(field('position', anything), map, rules);
    const { game } = position;
    const power = field('power', optional(text));
    const powers = power === undefined ? game.map.powerNames.map((_, q) => q) : [game.map.power(power)];
    const options = { ...searchDefaults, powers, rollouts, milliseconds: Number.POSITIVE_INFINITY, seed };
    // One that was stopped ends at once, but not on the spot.
    while (running?.signal.aborted) await running.ended;
    if (signal.aborted) return;
    if (running !== null) throw new LepantoError('file', 'a search is running already');
    const planned = planSearch(game, options, workers);
    const told = { at: performance.now(), played: 0 };
    const say = (result: SearchResult, done: number): void => {
      if (signal.aborted) return;
      const { powers, replies, depth } = searchRecord(position, result, { options, workers, top: TOP }, false);
      tell({ powers, replies, depth, rollouts: result.rollouts, done });
    };
    const onBatch: SearchJob['onBatch'] = (played, ranking) => {
      if (performance.now() - told.at < TELL_MS && played - told.played < TELL_SHARE * planned.rollouts) return;
      Object.assign(told, { at: performance.now(), played });
      const timed = { milliseconds: 0, processorMilliseconds: 0 };
      const soFar = { powers: ranking(), depth: planned.depth, rollouts: played, ...timed };
      say(soFar, Math.min(1, played / planned.rollouts));
    };
    pool ??= makePool({ workers });
    const searching = searchMoves(game, options, { pool, signal, onBatch });
    running = { signal, ended: searching.catch(() => {}) };
    try {
      say(await searching, 1);
    } finally {
      running = null;
    }
  };
  return { search, close: async () => pool?.close() };
};
