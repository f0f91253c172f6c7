// The public names of self-play: agents, games, records and runs.
export * from './agent.js';
export * from './arena.js';
export * from './ending.js';
export * from './play.js';
export {
  type Call,
  type CallOptions,
  type ChunkJob,
  defaultWorkers,
  type JobOptions,
  makePool,
  type Pool,
  type PoolOptions,
} from './pool.js';
export type { PlayoutOptions, PlayoutSummary, RolloutTask, SharedRolloutOptions } from './random-play.js';
export * from './record.js';
export * from './rollout.js';
export * from './run.js';
export * from './scores.js';
export { type CrewPool, makeCrew } from './search/crew.js';
export * from './search.js';
export * from './setup.js';
export { GAMES_PLAYED, type RunSpec, type ShardResult, type ShardTask, STEPS_PLAYED, shardRange } from './shard.js';
export * from './stats.js';
export * from './summary.js';
export * from './verify.js';
export { findCommit, lepantoVersion, packageRoot } from './version.js';
