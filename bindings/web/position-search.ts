// Searches in a position that a page requests, on the server or in a worker of the page.
import { type CompiledMap, loadMap } from '../../engine/internal.js';
import { ruleSetByName } from '../../engine/notation/text/index.js';
import { anything, fieldReader, numberIn, optional, text } from '../../engine/rules/shape.js';
import { planSearch } from '../../selfplay/search/budget.js';
import { type SearchJob, type SearchResult, searchMoves } from '../../selfplay/search/monte-carlo.js';
import { searchDefaults } from '../../selfplay/search/options.js';
import { parseAsked, searchRecord } from '../reports/search-record.js';
import type { SearchAnswer } from './page-data.js';

const MAX_ROLLOUTS = 1_000_000;
const MAX_SEED = 2 ** 31 - 1;
/**
 * Number of a power's order sets in an answer. It is more than pages show, so that sets that rise in rank have a
 * history.
 */
const TOP = 10;
/**
 * An intermediate result is sent TELL_MS milliseconds after the last one, or after the share TELL_SHARE of the
 * rollouts.
 */
const TELL_MS = 250;
const TELL_SHARE = 1 / 40;

/** A search whose request was checked, and that has not started yet. */
export interface PlannedSearch {
  /**
   * Runs the search, and resolves at its end.
   * @param workers number of threads
   * @param job pool to use, and signal that ends the search; an aborted search sends no result
   */
  readonly run: (workers: number, job: Pick<SearchJob, 'pool' | 'signal'>) => Promise<void>;
}

/**
 * Reads and checks a request for a search.
 * @param request a SearchQuestion, unchecked
 * @param onAnswer called with the results so far, and with the final one
 * @param own map to use instead of the map named in the request
 * @throws LepantoError if the request is invalid
 */
export const planPositionSearch = (
  request: unknown,
  onAnswer: (answer: SearchAnswer) => void,
  own?: CompiledMap,
): PlannedSearch => {
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
  return {
    run: async (workers, job) => {
      const planned = planSearch(game, options, workers);
      const told = { at: performance.now(), played: 0 };
      const say = (result: SearchResult, done: number): void => {
        if (job.signal?.aborted) return;
        const { powers, replies, depth } = searchRecord(position, result, { options, workers, top: TOP }, false);
        onAnswer({ powers, replies, depth, rollouts: result.rollouts, done });
      };
      const onBatch: SearchJob['onBatch'] = (played, ranking) => {
        if (performance.now() - told.at < TELL_MS && played - told.played < TELL_SHARE * planned.rollouts) return;
        Object.assign(told, { at: performance.now(), played });
        const timed = { milliseconds: 0, processorMilliseconds: 0 };
        const soFar = { powers: ranking(), depth: planned.depth, rollouts: played, ...timed };
        say(soFar, Math.min(1, played / planned.rollouts));
      };
      say(await searchMoves(game, options, { ...job, onBatch }), 1);
    },
  };
};
