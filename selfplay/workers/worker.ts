// The entry of every thread: runs the tasks of a pool.
import { parentPort, threadId, workerData } from 'node:worker_threads';
// First of all that loads the engine.
import type { ScratchMemory } from './scratch-memory.js';
import './scratch-memory.js';
import { addMap, type ErrorCode, LepantoError, type MapRows } from '../../engine/internal.js';
import { limitChoices } from './choice-limit.js';
import { type ChunkTask, playChunks } from './chunks.js';
import { crashAt, type Faults, orderedTime } from './faults.js';
import { checkSelf } from './stragglers.js';
import { type AgentWarning, type Heartbeat, openHeartbeat, settleCode, takeWarnings } from './user-code.js';

/** Measure this thread, together with all others. */
interface CheckTask {
  readonly kind: 'check';
  /** Counts the threads that have come, and how many are waited for: so each of them takes one of these tasks. */
  readonly arrived: Int32Array;
  readonly count: number;
  /** Threads that are measured again. */
  readonly again: readonly number[];
}

/** What a check finds: nanoseconds for a phase-step. */
export interface Speed {
  readonly thread: number;
  readonly time: number;
}

/** Call what a module exports by this name. */
interface CallTask {
  readonly kind: 'call';
  readonly module: string;
  readonly name: string;
  readonly data: unknown;
  /** Names the call in errors, and in the faults that tests order. */
  readonly label: string;
}

export type WorkerTask = CheckTask | CallTask | ChunkTask;

/** A task as it is sent. */
export type ThreadTask = WorkerTask & {
  readonly id: number;
  /** For a task that may run code of users. */
  readonly heartbeat: Heartbeat | null;
};

/** What a task has thrown. An error on its way to another thread loses its class, and with it the code. */
export interface Thrown {
  readonly error: Error;
  /** Of a LepantoError. */
  readonly code: ErrorCode | null;
}

/** What a thread answers to a task. */
export type TaskAnswer = { readonly value: unknown; readonly warnings: readonly AgentWarning[] } | Thrown;

/** What it answers instead if the task may have left anything behind, in the arrays of the engine or elsewhere. */
export interface TaskFailure extends Thrown {
  readonly id: number;
  readonly thread: number;
}

/** What a thread of a pool is started with. */
export interface WorkerData extends ScratchMemory {
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

type Exported = (data: unknown) => unknown;

/** The function that a module exports under a name. @throws TypeError if it exports none */
const findFunction = async (module: string, name: string): Promise<Exported> => {
  const found: unknown = ((await import(module)) as Record<string, unknown>)[name];
  if (typeof found !== 'function') throw new TypeError(`${module}: got ${typeof found} as ${name}, wanted a function`);
  return found as Exported;
};

let time = Number.POSITIVE_INFINITY;

const check = ({ arrived, count, again }: CheckTask): Speed => {
  Atomics.add(arrived, 0, 1);
  Atomics.notify(arrived, 0);
  for (let seen = Atomics.load(arrived, 0); seen < count; seen = Atomics.load(arrived, 0))
    Atomics.wait(arrived, 0, seen);
  // Of two measurements the lower one counts: the processor may have been busy.
  if (time === Number.POSITIVE_INFINITY || again.includes(threadId))
    time = Math.min(time, orderedTime(faults) ?? checkSelf());
  return { thread: threadId, time };
};

const perform = async (task: WorkerTask): Promise<unknown> => {
  if (task.kind === 'check') return check(task);
  const run = await findFunction(task.module, task.name);
  if (task.kind === 'chunks') {
    playChunks(task, run(task.data) as (chunk: number) => number, (chunk) => crashAt(faults, String(chunk)));
    return null;
  }
  crashAt(faults, task.label);
  const result = await run(task.data);
  crashAt(faults, `${task.label}, done`);
  return result;
};

export default async (task: ThreadTask): Promise<TaskAnswer> => {
  if (task.heartbeat !== null) openHeartbeat(task.heartbeat);
  try {
    const value = await perform(task);
    await settleCode();
    return { value, warnings: takeWarnings() };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const code = error instanceof LepantoError ? error.code : null;
    if (task.kind !== 'chunks' && task.heartbeat === null) return { error, code };
    parentPort?.postMessage({ id: task.id, thread: threadId, error, code } satisfies TaskFailure);
    // This thread is ended before it could take another task.
    return new Promise(() => {});
  }
};
