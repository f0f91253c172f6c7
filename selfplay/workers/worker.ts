// The entry of every thread of a pool: handles the requests to a worker.
import { workerData } from 'node:worker_threads';
// First of all that loads the engine.
import type { Loan } from './loan.js';
import './loan.js';
import { addMap, type MapRows } from '../../engine/internal.js';
import { limitChoices } from './choice-limit.js';
import { type ChunkTask, playChunks } from './chunks.js';
import { crashAt, type Faults, slowness } from './faults.js';
import { type Notes, openNotes, type Remark, settleCode, takeRemarks } from './notes.js';
import { checkSelf } from './self-check.js';

/** Warm up, and say how fast this thread is. */
interface CheckTask {
  readonly kind: 'check';
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

/** What a thread answers to a task. */
export interface TaskAnswer {
  readonly value: unknown;
  readonly remarks: readonly Remark[];
}

type Exported = (data: unknown) => unknown;

/** The function that a module exports under a name. @throws TypeError if it exports none */
const findFunction = async (module: string, name: string): Promise<Exported> => {
  const found: unknown = ((await import(module)) as Record<string, unknown>)[name];
  if (typeof found !== 'function') throw new TypeError(`${module}: got ${typeof found} as ${name}, wanted a function`);
  return found as Exported;
};
/** What a thread of a pool is started with. */
export interface WorkerData extends Loan {
  readonly faults: Faults | undefined;
  readonly notes: Notes;
  /** Maps that the main thread knows by name beside those that ship. */
  readonly maps: readonly MapRows[];
  /** Milliseconds of a choice for bots in processes of their own. */
  readonly choiceMs: number;
}
const { faults, maps, notes, choiceMs } = workerData as WorkerData;
openNotes(notes);
// What the main thread calls by name must be known by name here.
for (const rows of maps) addMap(rows);
limitChoices(choiceMs);

const perform = async (task: WorkerTask): Promise<unknown> => {
  if (task.kind === 'check') return checkSelf() * slowness(faults);
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

export default async (task: WorkerTask): Promise<TaskAnswer> => {
  const value = await perform(task);
  await settleCode();
  return { value, remarks: takeRemarks() };
};
