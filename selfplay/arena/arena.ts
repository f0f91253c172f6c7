// Plays an arena: many games of agents against each other, on worker threads.
import { LepantoError } from '../../engine/rules/error.js';
import { watchAgents } from '../agents/watch-agents.js';
import type { BotUse } from '../crew/agent-report.js';
import { callConcurrently } from '../crew/concurrent-calls.js';
import { makePool, type Pool } from '../crew/pool.js';
import type { Share } from '../records/run.js';
import { costOf } from '../records/shard-size.js';
import type { ArenaGame, ArenaTask, PlayedArenaGame } from './arena-game.js';
import { KeptGames } from './kept-games.js';
import type { ArenaSpec } from './protocol.js';
import { type AgentStanding, summarizeArena } from './standings.js';

/** Result of an arena. */
export interface ArenaResult {
  /** Finished games, ascending by number, up to the first unfinished one. */
  readonly games: readonly ArenaGame[];
  /** Standing of each agent, in the order of the spec. */
  readonly standings: readonly AgentStanding[];
}

/** Options of runArena(). */
export interface ArenaOptions {
  /** Number of worker threads. */
  readonly workers: number;
  /** Pool to use instead of a new one. The pool is left open. */
  readonly pool?: Pool;
  /** Games played before, indexed by number. They are not played again. Default: none. */
  readonly known?: readonly (ArenaGame | undefined)[];
  /** Part of the games to play here. The result covers known and played games. Default: all games. */
  readonly share?: Share;
  /**
   * Called after each game, in the order in which games end. `played`: number of games that this call has played so
   * far. `index`: number of the game. `record`: encoded game if `whole` is true, else null.
   */
  readonly onGame?: (played: number, index: number, game: ArenaGame, record: Uint8Array | null) => void;
  /** True to pass the record of each game to onGame(). */
  readonly whole?: boolean;
  /** Ends the arena early when aborted. The result then covers the games before the first unfinished one. */
  readonly signal?: AbortSignal;
  /** Time limit for one choice of a user-written agent, in milliseconds; 0 for no limit. Default: a minute. */
  readonly choiceMs?: number;
  /** Called with a sentence about a bot that gave invalid orders, invalid messages or no answer. */
  readonly onWarning?: (sentence: string) => void;
  /** Called at the end with the use of each `exec:` bot and module. */
  readonly onBots?: (bots: readonly BotUse[]) => void;
}

const WHOLE: Share = { index: 0, count: 1 };

/**
 * MOST_TOGETHER: maximum number of games that a worker plays at the same time. COST_TOGETHER: maximum sum of their
 * costs (costOf()).
 */
const MOST_TOGETHER = 16;
const COST_TOGETHER = 32;

/**
 * Returns the number of games that a worker plays in one call: few for slow agents, so that all workers have work.
 * @param games number of games to play
 */
const gamesTogether = ({ agents }: ArenaSpec, games: number, workers: number): number => {
  const cost = Math.max(...agents.map(costOf));
  const most = Math.min(MOST_TOGETHER, Math.floor(COST_TOGETHER / cost), Math.ceil(games / (4 * workers)));
  return Math.max(1, most);
};

/**
 * Plays the missing games of an arena, and sums up the games before the first unfinished one. Games that cannot be
 * played are left out.
 * @param play called with the numbers of the missing games and a function that takes each game; returns the numbers of
 *   games that cannot be played
 */
export const gatherGames = async (
  spec: ArenaSpec,
  { known = [], onGame, share = WHOLE }: Pick<ArenaOptions, 'known' | 'onGame' | 'share'>,
  play: (missing: number[], take: (index: number, played: PlayedArenaGame) => void) => Promise<readonly number[]>,
): Promise<ArenaResult> => {
  const games = Array.from({ length: spec.games }, (_, index) => known[index]);
  let played = 0;
  const failed = await play(
    [...games.keys()].filter((index) => games[index] === undefined && index % share.count === share.index),
    (index, { game, record }) => {
      if (games[index] === undefined) onGame?.(++played, index, game, record);
      games[index] = game;
    },
  );
  const ended: ArenaGame[] = [];
  for (const [index, game] of games.entries()) {
    if (game !== undefined) ended.push(game);
    else if (!failed.includes(index)) break;
  }
  return { games: ended, standings: summarizeArena(spec, ended) };
};

/**
 * Plays an arena. The result is the same for any number of workers, unless an agent has a budget in milliseconds. If a
 * worker crashes, its games are played again.
 * @throws LepantoError if there are too few agents, if an agent fails or gives illegal orders, or if a game crashes
 *   three workers
 */
export const runArena = async (spec: ArenaSpec, options: ArenaOptions): Promise<ArenaResult> => {
  const { workers, pool, signal, whole = false } = options;
  if (spec.protocol !== 'random-seats' && spec.agents.length < 2)
    throw new LepantoError('argument', `agents: got ${spec.agents.length}, wanted at least 2 for ${spec.protocol}`);
  const used = pool ?? makePool({ workers: Math.max(1, Math.min(workers, spec.games)), choiceMs: options.choiceMs });
  const module = new URL('./arena-game.js', import.meta.url).href;
  const watch = watchAgents(spec.agents, options);
  try {
    return await gatherGames(spec, options, async (missing, take) => {
      const size = gamesTogether(spec, missing.length, used.workers);
      const play = async (place: number): Promise<void> => {
        const games = missing.slice(place * size, (place + 1) * size);
        const label = games.length === 1 ? `game ${games[0]}` : `games ${games[0]} to ${games[games.length - 1]}`;
        const data: ArenaTask = { spec, games, whole };
        const played = await used.call<readonly PlayedArenaGame[]>(
          { module, name: 'playArenaGames', data },
          { label, ...(watch && { watch }) },
        );
        for (const [i, index] of games.entries()) take(index, played[i]);
      };
      await callConcurrently(Math.ceil(missing.length / size), 2 * used.workers, play, signal);
      return [];
    });
  } finally {
    if (pool === undefined) await used.close();
    watch?.sumUp();
    if (watch !== undefined) options.onBots?.(watch.bots());
  }
};

/** Options of playSeries(). */
export interface SeriesOptions extends Omit<ArenaOptions, 'pool' | 'known' | 'onGame' | 'whole'> {
  /** Store for the games, which may have games of an earlier run. Default: a new store in memory. */
  readonly kept?: KeptGames | undefined;
  /** Called with the number of games played so far, at the beginning and after each game. */
  readonly onGame?: (played: number) => void;
  /** Replaces runArena(), to play an arena on other machines. */
  readonly playArena?: typeof runArena;
}

/** Plays one arena of a series. */
export type PlayOne = (spec: ArenaSpec) => Promise<ArenaResult>;

/**
 * Plays several arenas on one pool and saves their games. If an arena is played again with more games, only the
 * additional games are played.
 * @param arenas all arenas that may be played; if two differ only in their number of games, the longer one must come
 *   last
 * @param run calls `play` for each arena and returns the result of the series
 */
export const playSeries = async <T>(
  options: SeriesOptions,
  arenas: readonly ArenaSpec[],
  run: (play: PlayOne) => Promise<T>,
): Promise<T> => {
  const { playArena, workers, choiceMs, kept = new KeptGames(), onGame } = options;
  const most = 2 * Math.max(...arenas.map(({ games }) => games));
  const pool =
    playArena === undefined ? makePool({ workers: Math.max(1, Math.min(workers, most)), choiceMs }) : undefined;
  let played = kept.count(arenas);
  onGame?.(played);
  const play: PlayOne = (spec) =>
    (playArena ?? runArena)(spec, {
      ...options,
      ...(pool !== undefined && { pool }),
      known: kept.of(spec),
      whole: kept.isWhole,
      onGame: (_, index, game, record) => {
        kept.add(spec, index, game, record);
        onGame?.(++played);
      },
    });
  try {
    return await run(play);
  } finally {
    await pool?.close();
    kept.save();
  }
};
