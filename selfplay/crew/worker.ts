// The entry of every thread: runs the tasks of a pool.
import { workerData } from 'node:worker_threads';
// First of all that loads the engine.
import './scratch-memory.js';
import { addMap, type ErrorCode, LepantoError, type MapRows } from '../../engine/internal.js';
import type { ScratchLoan } from '../../engine/rules/scratch.js';
import { type Call, findFunction } from './chunks.js';
import { crashAt, type Faults } from './faults.js';
import { type AgentWarning, type Heartbeat, openHeartbeat, takeWarnings } from './user-code.js';
import { limitChoices } from './watchdog.js';

/** Call what a module exports by this name. */
export interface WorkerTask extends Call {
  /** Names the call in errors, and in the faults that tests order. */
  readonly label: string;
}

export interface ThreadTask extends WorkerTask {
  readonly heartbeat: Heartbeat | null;
}

/** What a task has thrown. An error on its way to another thread loses its class, and with it the code. */
export interface Thrown {
  readonly error: Error;
  readonly code: ErrorCode | null;
}

export type TaskAnswer = { readonly value: unknown; readonly warnings: readonly AgentWarning[] } | Thrown;

export interface WorkerData {
  readonly scratch: ScratchLoan;
  readonly faults: Faults | undefined;
  /** Maps that the main thread knows by name, but for those that ship. */
  readonly maps: readonly MapRows[];
  /** Milliseconds of a choice for agents in processes of their own. */
  readonly choiceMs: number;
}

const { faults, maps, choiceMs } = workerData as WorkerData;
// What the main thread calls by name must be known by name here.
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
