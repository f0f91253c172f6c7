// The public names of self-play: agents, games, records and runs.
export * from './agent.js';
export * from './play.js';
export { defaultWorkers, makeShardPool, type ShardPool } from './pool.js';
export * from './record.js';
export * from './rollout.js';
export * from './run.js';
export * from './scores.js';
export * from './setup.js';
export * from './summary.js';
export * from './verify.js';
export { findCommit, lepantoVersion, packageRoot } from './version.js';
export { GAMES_PLAYED, type RunSpec, type ShardResult, type ShardTask, STEPS_PLAYED, shardRange } from './worker.js';
