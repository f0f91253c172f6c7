// Runs a client's searches in the threads of the batch. The client asks again and again for progress and results
// (polling).
import { type Game, vocabulary } from '../../../engine/internal.js';
import { withoutCoast } from '../../../engine/notation/text/vocabulary-text.js';
import {
  asObject,
  describeValue,
  listOf,
  oneOf,
  orElse,
  refuse,
  text,
  wholeNumber,
} from '../../../engine/rules/shape.js';
import type { Crew } from '../../../selfplay/crew/crew.js';
import { readOptions, seedOption } from '../../../selfplay/question/option.js';
import { planSearch } from '../../../selfplay/search/budget.js';
import { type SearchResult, searchMoves } from '../../../selfplay/search/monte-carlo.js';
import { expectMap } from '../../../selfplay/search/opponent-file.js';
import {
  budgetOf,
  budgetOptions,
  modelOption,
  type SearchOptions,
  searchOptions,
} from '../../../selfplay/search/options.js';
import { readOpponent } from '../../../selfplay/search/read-opponent.js';
import { type AskedPosition, parseAsked, searchRecord } from '../../reports/search-record.js';
import type { Setup } from './config.js';
import type { Asked } from './requests.js';

/** Longest time that a poll waits for the end of a search, in milliseconds. */
const WAIT_MS = 100;
/** Largest number of order sets in a result, for each power. */
const MOST_SETS = 1 << 20;

interface Running {
  readonly asked: AskedPosition;
  readonly options: SearchOptions;
  readonly stop: AbortController;
  readonly end: Promise<unknown>;
  readonly total: number;
  played: number;
  result: SearchResult | null;
  error: Error | null;
}

const allOptions = { ...budgetOptions, ...seedOption, ...searchOptions, ...modelOption };

const readSearch = (asked: Asked, { map }: Game): SearchOptions => {
  const named = asked.field('powers', orElse(listOf(oneOf(map.powerNames), 1, map.powerCount), map.powerNames));
  const given = readOptions(allOptions, asked.field('options', asObject), 'search');
  const { rollouts, milliseconds, model: path, ...others } = given;
  if (rollouts !== undefined && milliseconds !== undefined)
    refuse('rollouts and milliseconds: got both, wanted one of them');
  const model = path === undefined ? undefined : readOpponent(path).opponent;
  if (model !== undefined) expectMap(model, map);
  return {
    ...others,
    model,
    powers: named.map((name) => map.power(name)),
    ...budgetOf(rollouts, milliseconds),
  };
};

export class Searches {
  private readonly running = new Map<number, Running>();
  private begun = 0;

  constructor(
    private readonly setup: Setup,
    private readonly workers: number,
    private readonly crew: Crew,
  ) {}

  /**
   * Answers a request with the `op` search begin, search poll or search stop.
   * @throws LepantoError if the request is invalid, or if the polled search has failed
   */
  async answer(asked: Asked): Promise<object> {
    switch (asked.field('op', text)) {
      case 'search begin':
        return this.begin(asked);
      case 'search poll':
        return this.poll(asked.field('search', wholeNumber()));
      case 'search stop':
        return this.stop(asked.field('search', wholeNumber()));
      default:
        return refuse(`op: got ${describeValue(asked.field('op', text))}, wanted search begin, poll or stop`);
    }
  }

  private position(asked: Asked): AskedPosition {
    const { map, rules } = this.setup;
    const position = asked.field('position', (value) => value ?? null);
    return position === null ? { game: asked.game().clone(), id: null } : parseAsked(position, map, rules.adjudication);
  }

  private begin(asked: Asked): object {
    const position = this.position(asked);
    const options = readSearch(asked, position.game);
    const stop = new AbortController();
    const job = {
      signal: stop.signal,
      onProgress: (rollouts: number): void => {
        running.played = rollouts;
      },
    };
    const total = Number.isFinite(options.rollouts) ? planSearch(position.game, options, this.workers).rollouts : 0;
    const end = this.crew
      .lend((pool) => searchMoves(position.game, options, { ...job, pool }))
      .then(
        (result) => {
          running.result = result;
        },
        (error: Error) => {
          running.error = error;
        },
      );
    const running: Running = { asked: position, options, stop, end, total, played: 0, result: null, error: null };
    this.running.set(++this.begun, running);
    return { search: this.begun, total };
  }

  private find(number: number): Running {
    return this.running.get(number) ?? refuse(`search: got ${number}, wanted one that is under way`);
  }

  /**
   * Returns {played, result}: the number of rollouts finished so far, and the result of a search that has ended, null
   * before. After the result, the search's number is free.
   * @param number number of the search
   * @throws the error of a search that has failed; LepantoError for an unknown number
   */
  private async poll(number: number): Promise<object> {
    const running = this.find(number);
    let timer: NodeJS.Timeout | undefined;
    const wait = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, WAIT_MS);
    });
    await Promise.race([running.end, wait]);
    clearTimeout(timer);
    const { asked, options, played, result, error, stop } = running;
    if (error !== null || result !== null) this.running.delete(number);
    if (error !== null) throw error;
    if (result === null) return { played, result: null };
    const told = { options, workers: this.workers, top: MOST_SETS };
    const { indexOf } = vocabulary(asked.game.map);
    const { map } = asked.game;
    const idsOf = (orders: Int32Array): number[] => Array.from(orders, (order) => indexOf(withoutCoast(map, order)));
    const ids = Object.fromEntries(
      result.powers.map(({ power, ranked }) => [map.powerNames[power], ranked.map(({ orders }) => idsOf(orders))]),
    );
    return { played, result: { ...searchRecord(asked, result, told, stop.signal.aborted), ids } };
  }

  /** Stops a search early. A later poll returns its result so far. Does nothing for an unknown number. */
  private stop(number: number): object {
    this.running.get(number)?.stop.abort();
    return {};
  }
}
