// Plays agents against each other in many games over the workers of a pool.
import { LepantoError } from '../../engine/rules/error.js';
import { watchAgents } from '../agents/watch-agents.js';
import type { BotUse } from '../crew/agent-report.js';
import { makePool, type Pool } from '../crew/pool.js';
import { inTurns } from '../crew/turns.js';
import type { Share } from '../records/run.js';
import { costOf } from '../records/shard-size.js';
import type { ArenaGame, ArenaTask, PlayedArenaGame } from './arena-game.js';
import { KeptGames } from './kept-games.js';
import type { ArenaSpec } from './protocol.js';
import { type AgentStanding, summarizeArena } from './standings.js';

/** How an arena went. */
export interface ArenaResult {
  /** The games, by their numbers. */
  readonly games: readonly ArenaGame[];
  /** By agent, in the order of the spec. */
  readonly standings: readonly AgentStanding[];
}

/** How an arena is played. */
export interface ArenaOptions {
  /** Worker threads. */
  readonly workers: number;
  /** Plays the games in place of a pool of the arena's own. The arena does not close it. */
  readonly pool?: Pool;
  /** By number: games that have been played before, and are not played again. */
  readonly known?: readonly (ArenaGame | undefined)[];
  /** Which games are played here: every count-th one. The result covers all that are known or played. Default: all. */
  readonly share?: Share;
  /** Called after each game that is played, in the order in which they end; with its record if `whole` is true. */
  readonly onGame?: (played: number, index: number, game: ArenaGame, record: Uint8Array | null) => void;
  /** True if onGame() wants the record of each game. */
  readonly whole?: boolean;
  /** Ends the arena early: the result then covers all games before the first one that has not ended. */
  readonly signal?: AbortSignal;
  /** As in RunOptions. */
  readonly choiceMs?: number;
  /** As in RunOptions. */
  readonly onWarning?: (sentence: string) => void;
  /** Told at the end what `exec:` bots and modules were asked here. */
  readonly onBots?: (bots: readonly BotUse[]) => void;
}

const WHOLE: Share = { index: 0, count: 1 };

/** Games that a worker plays at once, at most; and the sum of their costs. */
const MOST_TOGETHER = 16;
const COST_TOGETHER = 32;

/** Games in a call: few where agents are slow, so that results come in and all workers have something to do. */
const gamesTogether = ({ agents }: ArenaSpec, games: number, workers: number): number => {
  const cost = Math.max(...agents.map(costOf));
  const most = Math.min(MOST_TOGETHER, Math.floor(COST_TOGETHER / cost), Math.ceil(games / (4 * workers)));
  return Math.max(1, most);
};

/**
 * Has the games of an arena played that are not known, and sums up those before the first that is missing.
 * @param play is given their numbers, and what takes each game; returns the numbers of games that cannot be played
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
 * Plays an arena. The result is the same for any number of workers, unless an agent's budget is in milliseconds; the
 * game of a worker that crashes is played again.
 * @throws LepantoError if an agent fails or gives orders that are not legal, or if a game crashes three workers
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
      await inTurns(Math.ceil(missing.length / size), 2 * used.workers, play, signal);
      return [];
    });
  } finally {
    if (pool === undefined) await used.close();
    watch?.sumUp();
    if (watch !== undefined) options.onBots?.(watch.bots());
  }
};

/** How several arenas are played one after the other. */
export interface SeriesOptions extends Omit<ArenaOptions, 'pool' | 'known' | 'onGame' | 'whole'> {
  /** Keeps the games, and has those of an earlier run. */
  readonly kept?: KeptGames | undefined;
  /** Called with the number of games played: at the beginning, and after each game. */
  readonly onGame?: (played: number) => void;
  /** Plays an arena in place of runArena(): on other machines. */
  readonly playArena?: typeof runArena;
}

export type PlayOne = (spec: ArenaSpec) => Promise<ArenaResult>;

/**
 * Runs what plays several arenas, all of them on one pool. A game is played once, also if an arena comes again with
 * more.
 * @param arenas that may be played; of those that differ in their number of games alone, the longest last
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
