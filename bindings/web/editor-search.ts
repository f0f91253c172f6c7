// Runs the searches that pages request, one at a time, on a pool of workers that the first search creates.

import type { CompiledMap } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { makePool, type Pool } from '../../selfplay/crew/pool.js';
import type { SearchAnswer } from './page-data.js';
import { planPositionSearch } from './position-search.js';

export interface EditorSearch {
  /**
   * Runs a search that a page requests. Returns without a result if `signal` is aborted.
   * @param request a SearchQuestion, unchecked
   * @param onAnswer called with the results so far, and with the final one
   * @param signal ends the search
   * @param own map to use instead of the map named in the request
   * @throws LepantoError if the request is invalid or another search is running
   */
  readonly search: (
    request: unknown,
    onAnswer: (answer: SearchAnswer) => void,
    signal: AbortSignal,
    own?: CompiledMap,
  ) => Promise<void>;
  readonly close: () => Promise<void>;
}

export const makeEditorSearch = (workers: number): EditorSearch => {
  let pool: Pool | undefined;
  let running: { readonly signal: AbortSignal; readonly ended: Promise<unknown> } | null = null;

  const search: EditorSearch['search'] = async (request, onAnswer, signal, own) => {
    const planned = planPositionSearch(request, onAnswer, own);
    // A stopped search ends soon, but not at once.
    while (running?.signal.aborted) await running.ended;
    if (signal.aborted) return;
    if (running !== null) throw new LepantoError('file', 'a search is running already');
    pool ??= makePool({ workers });
    const searching = planned.run(workers, { pool, signal });
    running = { signal, ended: searching.catch(() => {}) };
    try {
      await searching;
    } finally {
      running = null;
    }
  };
  return { search, close: async () => pool?.close() };
};
