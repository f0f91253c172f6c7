// Chooses the number of games in a shard by the cost of the agents. A slow run has small shards, so that few games are
// lost by an interruption and all workers have work.
import { loadMap } from '../../engine/internal.js';
import { agentKinds } from '../agents/registry.js';
import { isCommandName, isModuleName } from '../question/agent-name.js';
import { parseKind } from '../question/parse-kind.js';
import { GAMES_PER_SHARD, MOST_SHARDS, type RunSpec, type SizedSpec } from './run-spec.js';

/**
 * Cost of an answer, as a multiple of DumbBot's, assumed for agents of unknown speed. MODULE_COST: modules. EXEC_COST:
 * exec: bots, which run in processes of their own.
 */
const MODULE_COST = 32;
const EXEC_COST = 4;

/**
 * Returns the time that an agent takes for one answer, as a multiple of DumbBot's. @param agent name of the agent
 * (formatAgent())
 * @throws LepantoError for an unknown agent or option
 */
export const costOf = (agent: string): number => {
  if (isModuleName(agent)) return MODULE_COST;
  if (isCommandName(agent)) return EXEC_COST;
  const { kind, options } = parseKind(agent, agentKinds);
  return (kind.cost ?? MODULE_COST) * (kind.costBy === undefined ? 1 : Number(options[kind.costBy]));
};

/**
 * Maximum sum of the years of all games in a shard of more than GAMES_PER_SHARD games. Limits such a shard to some
 * megabytes.
 */
const MOST_YEARS = 10_240;
/** Minimum number of shards of a run with shards of more than GAMES_PER_SHARD games. */
const LEAST_SHARDS = 32;

/**
 * Returns the number of games in a shard for agents that answer faster than DumbBot. Large shards have less overhead
 * for each game.
 */
const fastGames = ({ games, map, until }: ShardPlan): number => {
  const years = until - loadMap(map).startYear + 1;
  let size = GAMES_PER_SHARD;
  while (2 * size * years <= MOST_YEARS && 2 * size * LEAST_SHARDS <= games) size *= 2;
  return size;
};

/** Fields that determine the number of games in a shard. */
export type ShardPlan = Pick<RunSpec, 'map' | 'agents' | 'games' | 'until' | 'shardGames'>;

/** Returns the default number of games in a shard: fewer for slower agents. */
export const usualGames = (run: ShardPlan): number => {
  const cost = Math.max(...run.agents.map(costOf));
  const games = cost < 1 ? fastGames(run) : Math.max(1, Math.floor(GAMES_PER_SHARD / cost));
  return Math.max(games, Math.ceil(run.games / MOST_SHARDS));
};

/**
 * Returns the number of games in each shard but the last, which may have fewer. Shard k begins with game k times this
 * number.
 */
export const gamesPerShard = (run: ShardPlan): number => run.shardGames ?? usualGames(run);

/** Returns a copy of the run with `shardGames`, the number of games in a shard, set. */
export const sized = <T extends RunSpec>(spec: T): T & SizedSpec => ({ ...spec, shardGames: gamesPerShard(spec) });
