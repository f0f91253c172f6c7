// What decides the games of a run, and how many a shard has. A shard appears whole: where games are slow a small one is
// on the disk sooner, and more workers have something to do.
import type { Ending } from '../games/ending.js';

/** Everything that determines the games of a run. */
export interface RunSpec extends Omit<Ending, 'longGameDraw'> {
  /** Name of a map: loadMap(). */
  readonly map: string;
  /** Name of rules, as --rules takes it: '2000,paradox=allHold'. */
  readonly rules: string;
  /** By power, as formatAgent() writes them. */
  readonly agents: readonly string[];
  /** How many games, from 1. */
  readonly games: number;
  /** Any int32; the seeds of the games follow from it. */
  readonly seed: number;
  /** Games in a shard. Default: what suits the agents and the number of games (run-spec.ts). */
  readonly shardGames?: number;
  /** True to record what agents weighed for their orders (games/targets.ts). */
  readonly targets?: boolean;
  /** Rounds of press before the orders of each movement phase (games/play.ts). Default 0. */
  readonly rounds?: number;
  /** What the user calls the version of exec: bots, whose code may not be seen. */
  readonly botVersion?: string;
}

/** Where the agents are fast, and in runs that do not say. */
export const GAMES_PER_SHARD = 256;
/** So many shards of a run at most, unless it is told otherwise: each is two files. */
export const MOST_SHARDS = 100_000;
/** Most games of a run. */
export const MOST_GAMES = MOST_SHARDS * GAMES_PER_SHARD;

/** A run that says how many games a shard has: a manifest does. */
export type SizedRun = Required<Pick<RunSpec, 'games' | 'shardGames'>>;

/** A run whose shards have a stated size: sized() in shard-size.ts. */
export type SizedSpec = RunSpec & SizedRun;

/** Indices of the games of a shard: first (included) to last (excluded). */
export const shardRange = ({ games, shardGames }: SizedRun, shard: number): readonly [number, number] => [
  shard * shardGames,
  Math.min(games, (shard + 1) * shardGames),
];

/** Shards of a run. */
export const shardCount = ({ games, shardGames }: SizedRun): number => Math.ceil(games / shardGames);
