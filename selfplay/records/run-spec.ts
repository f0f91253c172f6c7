// What decides the games of a run, and how many a shard has. A shard appears whole: where games are slow a small one is on the disk sooner, and
// more workers have something to do.
import { loadMap } from '../../engine/internal.js';
import type { Ending } from '../games/ending.js';
import { isModuleName } from '../question/agent-name.js';

/** Everything that determines the games of a run. */
export interface RunSpec extends Omit<Ending, 'longGameDraw'> {
  /** Name of a map: loadMap(). */
  readonly map: string;
  /** Name of rules, as --rules takes it: '2000,paradox=allHold'. */
  readonly rules: string;
  /**
   * By power, as formatAgent() writes them. If `random` or `policy` has all seats, the sampler of the engine draws the
   * games (sampled-record.ts), which is many times as fast as asking agents.
   */
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

/** Games that one thread plays in some seconds; of a bot in a process of its own those that it is asked about together. */
const FEW = 64;
/** Nobody knows how long a module takes. */
const UNKNOWN = 8;
/** Plans that the agent `reply` tries for a shard of one game. */
const PLANS_A_SHARD = 256;

/** Games of an agent by its name, as formatAgent() writes it. */
const gamesOf = (agent: string): number => {
  const [name] = agent.trim().split(':');
  if (isModuleName(agent)) return UNKNOWN;
  if (name === 'search') return 1;
  if (name === 'greedy' || name === 'net' || name === 'exec') return FEW;
  if (name !== 'reply') return GAMES_PER_SHARD;
  const plans = Number(/:plans=(\d+)/.exec(agent)?.[1] ?? 1);
  return Math.max(1, Math.min(FEW, Math.floor(PLANS_A_SHARD / plans)));
};

const SAMPLED = new Set(['random', 'policy']);

/** True if a sampler plays all games: a worker makes tens of thousands in a second. */
const isSampled = ([first, ...others]: readonly string[]): boolean =>
  SAMPLED.has(first) && others.every((agent) => agent === first);

/** Years of such games that a shard has at most, if they are more than GAMES_PER_SHARD: some megabytes, soon played. */
const MOST_YEARS = 10_240;
/** Shards that a run of them has at least, before they get larger. */
const LEAST_SHARDS = 32;

/** The more games a file has, the less it costs beside them. */
const sampledGames = ({ games, map, until }: ShardPlan): number => {
  const years = until - loadMap(map).startYear + 1;
  let size = GAMES_PER_SHARD;
  while (2 * size * years <= MOST_YEARS && 2 * size * LEAST_SHARDS <= games) size *= 2;
  return size;
};

/** What the number of games in a shard follows from. */
type ShardPlan = Pick<RunSpec, 'map' | 'agents' | 'games' | 'until' | 'shardGames'>;

/** A run that says how many games a shard has: a manifest does. */
type Sized = Required<Pick<RunSpec, 'games' | 'shardGames'>>;

export type ShardSizing = ShardPlan | Sized;

const isSized = (run: ShardSizing): run is Sized => run.shardGames !== undefined;

/** Games in a shard of a run that does not say. */
export const usualGames = (run: ShardPlan): number => {
  const games = isSampled(run.agents) ? sampledGames(run) : Math.min(...run.agents.map(gamesOf));
  return Math.max(games, Math.ceil(run.games / MOST_SHARDS));
};

/** Games in each shard of a run, the last one excepted. Shard k has the games from k times that number on. */
export const gamesPerShard = (run: ShardSizing): number => (isSized(run) ? run.shardGames : usualGames(run));

/** Indices of the games of a shard: first (included) to last (excluded). */
export const shardRange = (spec: ShardSizing, shard: number): readonly [number, number] => {
  const size = gamesPerShard(spec);
  return [shard * size, Math.min(spec.games, (shard + 1) * size)];
};

/** Shards of a run. */
export const shardCount = (spec: ShardSizing): number => Math.ceil(spec.games / gamesPerShard(spec));
