// Plays an arena over a queue.

import { type ArenaOptions, type ArenaResult, gatherGames } from '../../../selfplay/arena/arena.js';
import type { ArenaGame } from '../../../selfplay/arena/arena-game.js';
import type { ArenaSpec } from '../../../selfplay/arena/protocol.js';
import { CHOICE_MS } from '../../../selfplay/crew/watchdog.js';
import { decodeGame } from '../../../selfplay/records/record.js';
import { type CoordinatorOptions, coordinate, type FailedTask } from './coordinator.js';
import { makeJob } from './job.js';
import { nameStore } from './open-store.js';
import type { Payload } from './payload.js';

/** Largest number of games in one task. Also the smallest number of tasks in an arena that has as many games. */
const MOST_GAMES = 64;
const LEAST_TASKS = 64;

/** Options of an arena over a queue. */
export interface QueueArenaOptions
  extends CoordinatorOptions,
    Pick<ArenaOptions, 'known' | 'onGame' | 'whole' | 'choiceMs'> {
  /**
   * Store of the results, as in --store. Default: Redis. The result of a game takes some hundred bytes, with its record
   * a few thousand.
   */
  readonly store?: string | undefined;
}

/** A game in a result. `record` is the whole game in base64, if requested. */
export interface SentGame extends ArenaGame {
  readonly record?: string;
}

/** Result of an arena over a queue. */
export interface QueueArenaResult extends ArenaResult {
  /** Tasks that failed in all their tries. Their games are missing in the result. */
  readonly failed: readonly FailedTask[];
}

/**
 * Plays an arena as runArena() does, on the machines that serve a queue. An interrupted arena starts again, except for
 * games that the options have as known.
 * @throws LepantoError if the server rejects the connection, or a result cannot be written
 */
export const playArenaByQueue = async (spec: ArenaSpec, options: QueueArenaOptions): Promise<QueueArenaResult> => {
  const { choiceMs = CHOICE_MS, store, whole = false } = options;
  const block = Math.max(1, Math.min(MOST_GAMES, Math.floor(spec.games / LEAST_TASKS)));
  const job = makeJob({
    work: { kind: 'arena', spec, block, ...(whole && { whole }) },
    about: `arena, ${spec.games.toLocaleString('en-US')} games of ${spec.agents.join(', ')} on ${spec.map}`,
    tasks: Math.ceil(spec.games / block),
    store: nameStore(store, ''),
    choiceMs,
    place: '',
  });
  let failed: readonly FailedTask[] = [];
  const result = await gatherGames(spec, options, async (games, take) => {
    const missing = [...new Set(games.map((index) => Math.floor(index / block)))];
    const record = async ({ head, bytes }: Payload): Promise<void> => {
      const some = JSON.parse(Buffer.from(bytes).toString('utf8')) as SentGame[];
      for (const [i, { record: sent, ...game }] of some.entries()) {
        const record = sent === undefined ? null : Buffer.from(sent, 'base64');
        // Refuse an invalid game before it is written to a file.
        if (record !== null) decodeGame(record, `result of task ${head.task}`);
        take(head.task * block + i, { game, record });
      }
    };
    if (missing.length > 0) failed = await coordinate({ job, missing, record, isRecorded: async () => false }, options);
    return games.filter((index) => failed.some(({ task }) => task === Math.floor(index / block)));
  });
  return { ...result, failed };
};
