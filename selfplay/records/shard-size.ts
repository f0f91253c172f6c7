// Chooses how many games a shard of a run has, by what its agents cost: a slow run has small shards, so that one is
// soon on the disk and all workers have something to do.
import { loadMap } from '../../engine/internal.js';
import { agentKinds } from '../agents/registry.js';
import { isCommandName, isModuleName } from '../question/agent-name.js';
import { parseKind } from '../question/parse-kind.js';
import { GAMES_PER_SHARD, MOST_SHARDS, type RunSpec, type SizedSpec } from './run-spec.js';

/** Costs of agents that have no kind: modules, of which nothing is known, and bots in processes of their own. */
const MODULE_COST = 32;
const EXEC_COST = 4;

/** Time of an answer of an agent, as a multiple of DumbBot's. @param agent as formatAgent() writes it */
export const costOf = (agent: string): number => {
  if (isModuleName(agent)) return MODULE_COST;
  if (isCommandName(agent)) return EXEC_COST;
  const { kind, options } = parseKind(agent, agentKinds);
  return (kind.cost ?? MODULE_COST) * (kind.costBy === undefined ? 1 : Number(options[kind.costBy]));
};

/** Years of games of fast agents that a shard has at most, if they are more than GAMES_PER_SHARD: some megabytes. */
const MOST_YEARS = 10_240;
/** Shards that a run of them has at least, before they get larger. */
const LEAST_SHARDS = 32;

/** Games in a shard of agents below cost 1: the more games a file has, the less it costs besides them. */
const fastGames = ({ games, map, until }: ShardPlan): number => {
  const years = until - loadMap(map).startYear + 1;
  let size = GAMES_PER_SHARD;
  while (2 * size * years <= MOST_YEARS && 2 * size * LEAST_SHARDS <= games) size *= 2;
  return size;
};

/** Fields from which the number of games in a shard follows. */
export type ShardPlan = Pick<RunSpec, 'map' | 'agents' | 'games' | 'until' | 'shardGames'>;

/** Games in a shard of a run that does not say. */
export const usualGames = (run: ShardPlan): number => {
  const cost = Math.max(...run.agents.map(costOf));
  const games = cost < 1 ? fastGames(run) : Math.max(1, Math.floor(GAMES_PER_SHARD / cost));
  return Math.max(games, Math.ceil(run.games / MOST_SHARDS));
};

/** Games in each shard of a run, the last one excepted. Shard k has the games from k times that number on. */
export const gamesPerShard = (run: ShardPlan): number => run.shardGames ?? usualGames(run);

/** The run with the size of its shards stated. */
export const sized = <T extends RunSpec>(spec: T): T & SizedSpec => ({ ...spec, shardGames: gamesPerShard(spec) });
