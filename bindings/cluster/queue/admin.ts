// Lists the runs in the queues of a server, pauses and resumes queues, and retries or drops runs.

import type * as Bull from 'bullmq';
import { LepantoError } from '../../../engine/rules/error.js';
import type { FailedTask } from './coordinator.js';
import { entryId, keyOfDone, keyOfDropped, keyOfFiles, keyOfRun, RUNS_KEY } from './job.js';
import { loadBull } from './libraries.js';
import { type MachineReport, readMachines } from './machines.js';
import { openStore } from './open-store.js';
import { type ListedJob, readListedJob } from './read-job.js';
import { KEY_PREFIX, type RedisLink, type ServerFacts } from './redis-link.js';

/** State of a run on the server. waiting, active: numbers of its tasks; failed: these tasks with their errors. */
export interface ListedRun extends Pick<ListedJob, 'id' | 'about' | 'version' | 'queue' | 'tasks'> {
  /** Number of tasks of the run whose results are recorded. */
  readonly recorded: number;
  readonly waiting: number;
  readonly active: number;
  readonly failed: readonly FailedTask[];
}

export interface ListedQueue {
  readonly name: string;
  readonly prefix: string;
  readonly paused: boolean;
}

export interface QueueListing {
  readonly server: ServerFacts;
  readonly runs: readonly ListedRun[];
  /** Error messages of runs whose jobs on the server cannot be read. */
  readonly unreadable: readonly string[];
  readonly machines: readonly MachineReport[];
  readonly queues: readonly ListedQueue[];
}

const waitingStates = ['waiting', 'delayed', 'prioritized'] as const;

export class QueueAdmin {
  private readonly open = new Map<string, Bull.Queue>();

  constructor(private readonly link: RedisLink) {}

  /** Returns all runs, queues and workers of the server. @param server result of RedisLink.open() */
  async list(server: ServerFacts): Promise<QueueListing> {
    const runs: ListedRun[] = [];
    const unreadable: string[] = [];
    for (const job of await this.jobs(undefined, unreadable)) runs.push(await this.describe(job));
    const queues: ListedQueue[] = [];
    for (const name of await this.queueNames())
      queues.push({ name, prefix: KEY_PREFIX, paused: await this.queue(name).isPaused() });
    return { server, runs, unreadable, machines: await readMachines(this.link), queues };
  }

  /** Pauses or resumes all queues and returns their names. Workers of a paused queue finish their current tasks. */
  async switch(to: 'pause' | 'resume'): Promise<string[]> {
    const names = await this.queueNames();
    for (const name of names) await this.queue(name)[to]();
    return names;
  }

  /**
   * Puts failed tasks into the queue again and returns their number.
   * @param run id of a run; undefined for all runs
   * @throws LepantoError for an unknown run
   */
  async retry(run: string | undefined): Promise<number> {
    const failed = await Promise.all((await this.jobs(run)).map((job) => this.jobsOf(job, ['failed'])));
    for (const entry of failed.flat()) await entry.retry();
    return failed.flat().length;
  }

  /**
   * Removes a run, its waiting and failed tasks and its stored results, and returns the number of these tasks. This
   * ends the run's coordinator. Recorded games are kept.
   * @param run id of the run
   * @throws LepantoError for an unknown run
   */
  async drop(run: string): Promise<number> {
    const [job] = await this.jobs(run);
    await this.link.command('SET', keyOfDropped(run), '1', 'EX', 86_400);
    await this.link.command('SREM', RUNS_KEY, run);
    await this.link.command('DEL', keyOfRun(run), keyOfDone(run), keyOfFiles(run));
    const jobs = await this.jobsOf(job, [...waitingStates, 'failed']);
    for (const entry of jobs) await this.queue(job.queue).remove(entryId(entry.data as { run: string; task: number }));
    await openStore(job.store, run, this.link).clear();
    return jobs.length;
  }

  async close(): Promise<void> {
    await Promise.all([...this.open.values()].map((queue) => queue.close()));
  }

  private queue(name: string): Bull.Queue {
    const there = this.open.get(name);
    if (there !== undefined) return there;
    const { Queue } = loadBull();
    const queue = new Queue(name, { connection: this.link.client, prefix: KEY_PREFIX });
    queue.on('error', () => {});
    this.open.set(name, queue);
    return queue;
  }

  private async queueNames(): Promise<string[]> {
    const names = new Set<string>();
    let cursor = '0';
    do {
      const pattern = `${KEY_PREFIX}:games-*:meta`;
      const answer = await this.link.command('SCAN', cursor, 'MATCH', pattern, 'COUNT', 1000);
      const [next, keys] = answer as [string, string[]];
      for (const key of keys) names.add(key.slice(KEY_PREFIX.length + 1, -':meta'.length));
      cursor = next;
    } while (cursor !== '0');
    return [...names].sort();
  }

  /**
   * Reads the jobs of all runs, or of one. Unreadable jobs are left out.
   * @param run id of the run; undefined for all
   * @param unreadable list to which errors of unreadable jobs are appended
   * @throws LepantoError if `run` is unknown or its job is unreadable
   */
  private async jobs(run?: string, unreadable: string[] = []): Promise<ListedJob[]> {
    const ids = (await this.link.texts('SMEMBERS', RUNS_KEY)).sort();
    const jobs: ListedJob[] = [];
    for (const id of run === undefined ? ids : [run]) {
      const text = await this.link.command('GET', keyOfRun(id));
      if (typeof text !== 'string') continue;
      try {
        jobs.push(readListedJob(text, id));
      } catch (error) {
        unreadable.push(`run ${id}: ${(error as Error).message}`);
      }
    }
    if (run !== undefined && jobs.length === 0)
      throw new LepantoError(
        'queue',
        `run: got ${run}, wanted ${ids.length === 0 ? 'a run, but the queue has none' : `one of ${ids.join(', ')}`}`,
      );
    return jobs;
  }

  private async jobsOf({ id, queue }: ListedJob, states: readonly Bull.JobType[]): Promise<Bull.Job[]> {
    const jobs = await this.queue(queue).getJobs([...states], 0, -1);
    return jobs.flatMap((entry) => (entry !== undefined && (entry.data as { run?: string }).run === id ? [entry] : []));
  }

  private async describe(job: ListedJob): Promise<ListedRun> {
    const { id, about, version, queue, tasks } = job;
    const failed = await this.jobsOf(job, ['failed']);
    // The unused bits of the last byte, after the last task, are set.
    const bits = Number(await this.link.command('BITCOUNT', keyOfDone(id)));
    const spare = bits === 0 ? 0 : Math.ceil(tasks / 8) * 8 - tasks;
    return {
      id,
      about,
      version,
      queue,
      tasks,
      recorded: bits - spare,
      waiting: (await this.jobsOf(job, waitingStates)).length,
      active: (await this.jobsOf(job, ['active'])).length,
      failed: failed
        .map((entry) => ({ task: (entry.data as { task: number }).task, error: entry.failedReason ?? '' }))
        .sort((a, b) => a.task - b.task),
    };
  }
}
