// Entry point of every worker thread: runs the tasks of a pool.
import { workerData } from 'node:worker_threads';
// Must come before all imports that load the engine.
import './scratch-memory.js';
import { addMap, type ErrorCode, LepantoError, type MapRows } from '../../engine/internal.js';
import type { ScratchLoan } from '../../engine/rules/scratch.js';
import { type Call, findFunction } from './chunks.js';
import { crashAt, type Faults } from './faults.js';
import { type AgentWarning, type Heartbeat, openHeartbeat, takeWarnings } from './user-code.js';
import { limitChoices } from './watchdog.js';

/** A task: a call of an exported function. */
export interface WorkerTask extends Call {
  /** Name of the call in errors, and in the faults that tests request. */
  readonly label: string;
}

/** A task as it is sent to a thread. */
export interface ThreadTask extends WorkerTask {
  /** Shared memory for the calls of user code. Null if the task runs none. */
  readonly heartbeat: Heartbeat | null;
}

/** Error of a task. `code` is sent separately, because an error loses its class on the way to another thread. */
export interface Thrown {
  readonly error: Error;
  /** Code of a LepantoError. Null for other errors. */
  readonly code: ErrorCode | null;
}

/** Outcome of a task: either its result with the warnings about user code, or its error. */
export type TaskAnswer = { readonly value: unknown; readonly warnings: readonly AgentWarning[] } | Thrown;

/** Data that a worker thread gets when it starts. */
export interface WorkerData {
  /** Memory of the main thread for the engine's arrays. */
  readonly scratch: ScratchLoan;
  /** Crashes that a test requests. */
  readonly faults: Faults | undefined;
  /** Maps that were added to the main thread, without the built-in maps. */
  readonly maps: readonly MapRows[];
  /** Time limit of one choice for agents in separate processes, in milliseconds. 0 for no limit. */
  readonly choiceMs: number;
}

const { faults, maps, choiceMs } = workerData as WorkerData;
// Tasks refer to maps by name, so every map of the main thread must be known here too.
for (const rows of maps) addMap(rows);
limitChoices(choiceMs);

const perform = async (task: WorkerTask): Promise<unknown> => {
  const run = await findFunction(task);
  crashAt(faults, task.label);
  const result = await run(task.data);
  crashAt(faults, `${task.label}, done`);
  return result;
};

export default async (task: ThreadTask): Promise<TaskAnswer> => {
  if (task.heartbeat !== null) openHeartbeat(task.heartbeat);
  try {
    return { value: await perform(task), warnings: takeWarnings() };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    return { error, code: error instanceof LepantoError ? error.code : null };
  }
};
