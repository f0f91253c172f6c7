// The public names of self-play: agents, games, records and runs.
export * from './agents/agent.js';
export * from './agents/registry.js';
export * from './arena/arena.js';
export type { ArenaGame } from './arena/arena-game.js';
export * from './arena/protocol.js';
export * from './arena/standings.js';
export * from './games/ending.js';
export * from './games/play.js';
export { type RunRules, runningOptions, runRulesByName } from './games/run-rules.js';
export * from './games/scores.js';
export * from './records/record.js';
export * from './records/run.js';
export {
  GAMES_PLAYED,
  type RunSpec,
  type ShardResult,
  type ShardTask,
  STEPS_PLAYED,
  shardRange,
} from './records/shard.js';
export * from './records/stats.js';
export * from './records/summary.js';
export * from './records/verify.js';
export { findCommit, lepantoVersion, packageRoot } from './records/version.js';
export * from './rollouts/rollout.js';
export { crewOf } from './search/crew.js';
export * from './search/monte-carlo.js';
export type { Crew } from './search/task.js';
export type { Call, ChunkJob, JobOptions } from './workers/chunks.js';
export { defaultWorkers, makePool, type Pool, type PoolOptions } from './workers/pool.js';
export type { PlayoutOptions, PlayoutSummary, RolloutTask, SharedRolloutOptions } from './workers/pooled.js';
export type { CallOptions } from './workers/work.js';
