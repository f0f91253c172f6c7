// Defines the specification of a run, which determines its games and their division into shards.
import type { Ending } from '../games/ending.js';

/** Everything that determines the games of a run. */
export interface RunSpec extends Omit<Ending, 'longGameDraw'> {
  /** Name of the map, as loadMap() takes it. */
  readonly map: string;
  /** Name of the rules, as --rules takes it: '2000,paradox=allHold'. */
  readonly rules: string;
  /** Names of the agents (formatAgent()), indexed by power. */
  readonly agents: readonly string[];
  /** Number of games, at least 1. */
  readonly games: number;
  /** Seed of the run, any int32. The seeds of the games derive from it. */
  readonly seed: number;
  /** Number of games in a shard. Default: chosen by the agents and the number of games (shard-size.ts). */
  readonly shardGames?: number;
  /** True to record policy targets (games/targets.ts). Default false. */
  readonly targets?: boolean;
  /** Rounds of press before the orders of each movement phase (games/play.ts). Default 0. */
  readonly rounds?: number;
  /** Version of the exec: bots, as stated by the user, because their code cannot be hashed. */
  readonly botVersion?: string;
}

/** Number of games in a shard for agents as fast as DumbBot, and in seated runs. */
export const GAMES_PER_SHARD = 256;
/** Maximum number of shards of a run. Each shard is two files. */
export const MOST_SHARDS = 100_000;
/** Maximum number of games of a run. */
export const MOST_GAMES = MOST_SHARDS * GAMES_PER_SHARD;

/** Fields of a run that determine which games each shard has. */
export type SizedRun = Required<Pick<RunSpec, 'games' | 'shardGames'>>;

/** A run with a fixed number of games in a shard, as sized() (shard-size.ts) returns it. */
export type SizedSpec = RunSpec & SizedRun;

/**
 * Returns the indices of the first game of a shard and of the first game after the shard.
 * @param shard number of the shard, from 0
 */
export const shardRange = ({ games, shardGames }: SizedRun, shard: number): readonly [number, number] => [
  shard * shardGames,
  Math.min(games, (shard + 1) * shardGames),
];

/** Returns the number of shards of a run. */
export const shardCount = ({ games, shardGames }: SizedRun): number => Math.ceil(games / shardGames);
