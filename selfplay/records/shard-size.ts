// How many games a shard of a run has. A shard appears whole: where games are slow a small one is on the disk sooner, and
// more workers have something to do.
import { isModuleName } from '../agents/registry.js';

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

/** What the number of games in a shard follows from. */
export interface ShardSizing {
  /** By power, as formatAgent() writes them. */
  readonly agents: readonly string[];
  /** Of the run. */
  readonly games: number;
  /** Games in a shard. Default: what suits the slowest of the agents. */
  readonly shardGames?: number;
}

/** Games in each shard of a run, the last one excepted. Shard k has the games from k times that number on. */
export const gamesPerShard = ({ agents, games, shardGames }: ShardSizing): number =>
  shardGames ?? Math.max(Math.min(...agents.map(gamesOf), GAMES_PER_SHARD), Math.ceil(games / MOST_SHARDS));

/** Shards that a worker is given at once where it plays one in some milliseconds. */
const MOST_AT_ONCE = 4;
/** So often each worker is given shards, at least: none waits long for the last one. */
const TURNS = 8;
const SAMPLED = new Set(['random', 'policy']);

/** How many of some shards a worker is given at once. @param agents by power, as formatAgent() writes them */
export const shardsAtOnce = (agents: readonly string[], shards: number, workers: number): number => {
  const isFast = SAMPLED.has(agents[0]) && agents.every((agent) => agent === agents[0]);
  return isFast ? Math.max(1, Math.min(MOST_AT_ONCE, Math.floor(shards / (TURNS * workers)))) : 1;
};
