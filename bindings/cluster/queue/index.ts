// Entry point `lepanto/queue`: runs and arenas over a queue, and workers that play them, for users' programs.
export { type QueueAddress, readAddress } from './address.js';
export type { CoordinatorEvent, CoordinatorOptions, FailedTask, QueueProgress } from './coordinator.js';
export type { TaskRef } from './job.js';
export type { MachineReport } from './machines.js';
export { playArenaByQueue, type QueueArenaOptions, type QueueArenaResult } from './play-arena.js';
export { playRunByQueue, type QueueRunOptions, type QueueRunResult } from './play-run.js';
export { type Allowed, type QueueWorkerOptions, serveQueues, type WorkerEvent } from './queue-worker.js';
