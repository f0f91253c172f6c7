// Defines the job of a run for workers. It is split into tasks; job and task number fully determine the work of a task.
//
//   lepanto:run:ID           the job, as JSON
//   lepanto:files:ID         files that its agents name, keyed by hash
//   lepanto:runs             ids of all jobs
//   QUEUE, job ID-TASK       a task to play; the name of the queue has the hash of the code that plays it
//
// Redis only has hints. The files of the run determine which tasks are missing.
import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { addedMaps, loadMap, type MapRows } from '../../../engine/internal.js';
import { runRulesByName } from '../../../engine/rules/run-rules.js';
import type { ArenaSpec } from '../../../selfplay/arena/protocol.js';
import { contentHash } from '../../../selfplay/question/file-hash.js';
import type { SizedSpec } from '../../../selfplay/records/run-spec.js';
import { lepantoVersion } from '../../../selfplay/version.js';
import { codeHash, queuePrefix } from './code-hash.js';
import { KEY_PREFIX } from './redis-link.js';
import { codeAmong, findTravelling, type TravellingCode, type TravellingFile } from './travelling.js';

/** Work of a job, with all settings that determine its results. */
export type JobWork =
  | { readonly kind: 'selfplay'; readonly spec: SizedSpec }
  | { readonly kind: 'arena'; readonly spec: ArenaSpec; readonly block: number; readonly whole?: boolean }
  | { readonly kind: 'stats'; readonly files: readonly string[]; readonly map: string; readonly rules: string };

export interface Job {
  readonly id: string;
  readonly work: JobWork;
  /** Description of the job, such as 'selfplay, 1,024 games of random on standard'. */
  readonly about: string;
  readonly tasks: number;
  /** Name of the queue that has the tasks of the job: see queueFor(). */
  readonly queue: string;
  readonly version: string;
  readonly code: string;
  readonly map: { readonly name: string; readonly id: number; readonly rows?: MapRows };
  readonly rules: { readonly name: string; readonly id: number };
  readonly modules: readonly TravellingCode[];
  /** Files named in options of the job's agents. */
  readonly files: readonly TravellingFile[];
  /** Name of the store of the results, for openStore(). */
  readonly store: string;
  /** Time limit for one choice of a user's agent, in milliseconds. */
  readonly choiceMs: number;
}

/** Returns the file name and hash of user code, such as 'my-agent.js 0123456789abcdef'. */
export const describeCode = ({ name, hash }: TravellingFile): string => `${basename(name)} ${hash}`;

/**
 * Returns the name of the queue for a job: a separate queue if the job has user code that workers must allow, otherwise
 * the common queue of this version's code.
 */
export const queueFor = (job: Pick<Job, 'modules' | 'files'>): string => {
  const code = codeAmong(job);
  return code.length === 0 ? queuePrefix() : `${queuePrefix()}-${contentHash(code.map(({ hash }) => hash).join(' '))}`;
};

interface JobOptions extends Pick<Job, 'work' | 'about' | 'tasks' | 'store' | 'choiceMs'> {
  /** Directory of the run, or ''. Makes the ids of runs with the same spec differ. */
  readonly place: string;
}

export const makeJob = ({ work, about, tasks, store, choiceMs, place }: JobOptions): Job => {
  const names = work.kind === 'stats' ? work : work.spec;
  const map = loadMap(names.map);
  const { name: base } = map.rows.base ?? map.rows;
  const rows = addedMaps().find((added) => added.name === base);
  const { name, adjudication } = runRulesByName(names.rules);
  const travelling = findTravelling(work.kind === 'stats' ? [] : work.spec.agents);
  const { modules, files } = travelling;
  const at = place === '' ? '' : realpathSync(place);
  const code = codeHash();
  const id = contentHash(JSON.stringify([code, work, about, map.id, adjudication.id, modules, files, store, at]));
  return {
    ...{ id, work, about, tasks, queue: queueFor(travelling), version: lepantoVersion, code, modules, files, store },
    choiceMs,
    map: { name: map.name, id: map.id, ...(rows !== undefined && { rows }) },
    rules: { name, id: adjudication.id },
  };
};

/** Reference to a task, the unit of work in the queue. */
export interface TaskRef {
  /** Id of the run that the task belongs to. */
  readonly run: string;
  /** Number of the task in the run, from 0. */
  readonly task: number;
}

/** Returns the id of a task in its queue. BullMQ ignores a second entry with the same id. */
export const entryId = ({ run, task }: TaskRef): string => `${run}-${task}`;

export const RUNS_KEY = `${KEY_PREFIX}:runs`;

export const keyOfRun = (run: string): string => `${KEY_PREFIX}:run:${run}`;

/** Key that exists while the coordinator of a run is alive. */
export const keyOfCoordinator = (run: string): string => `${KEY_PREFIX}:coordinator:${run}`;

/** Key of a bitmap of a run's tasks. The bit of a task is set once its result is recorded. */
export const keyOfDone = (run: string): string => `${KEY_PREFIX}:done:${run}`;

/** Key of the files that travel with a run: a Redis hash with their bytes, keyed by hash of the file. */
export const keyOfFiles = (run: string): string => `${KEY_PREFIX}:files:${run}`;

/** Key that exists for a day after a run is dropped. */
export const keyOfDropped = (run: string): string => `${KEY_PREFIX}:dropped:${run}`;
