// Lists what waits in the queues of a server, pauses them, and retries or drops runs.
import { LepantoError } from '../../../engine/rules/error.js';
import { type Errand, jobId, keyOfDone, keyOfDropped, keyOfRun, RUNS_KEY } from './errand.js';
import { type JobQueue, loadBull, type QueueJob } from './libraries.js';
import { type MachineReport, readMachines } from './machines.js';
import { openStore } from './open-store.js';
import { KEY_PREFIX, type RedisLink, type ServerFacts } from './redis-link.js';

/** A part that has failed every time, and why. */
interface FailedJob {
  readonly part: number;
  readonly error: string;
}

/** A run as the server knows it. */
export interface ListedRun {
  readonly id: string;
  readonly about: string;
  readonly version: string;
  readonly queue: string;
  readonly parts: number;
  readonly recorded: number;
  readonly waiting: number;
  readonly active: number;
  readonly failed: readonly FailedJob[];
}

/** A queue of BullMQ, by the names that other tools need. */
export interface ListedQueue {
  readonly name: string;
  readonly prefix: string;
  readonly paused: boolean;
}

/** All that `lepanto queue` knows. */
export interface QueueListing {
  readonly server: ServerFacts;
  readonly runs: readonly ListedRun[];
  readonly machines: readonly MachineReport[];
  readonly queues: readonly ListedQueue[];
}

/** States of jobs that wait. */
const waitingStates = ['waiting', 'delayed', 'paused', 'prioritized'] as const;

/** Opens queues for as long as they are used. */
export class QueueAdmin {
  private readonly link: RedisLink;
  private readonly open = new Map<string, JobQueue>();

  constructor(link: RedisLink) {
    this.link = link;
  }

  /** @param server what open() of the link has said */
  async list(server: ServerFacts): Promise<QueueListing> {
    const runs: ListedRun[] = [];
    for (const errand of await this.errands()) runs.push(await this.describe(errand));
    const queues: ListedQueue[] = [];
    for (const name of await this.queueNames())
      queues.push({ name, prefix: KEY_PREFIX, paused: await this.queue(name).isPaused() });
    return { server, runs, machines: await readMachines(this.link), queues };
  }

  /** Workers finish what they play and take nothing more, until resume(). @returns names of queues */
  async pause(): Promise<string[]> {
    const names = await this.queueNames();
    for (const name of names) await this.queue(name).pause();
    return names;
  }

  async resume(): Promise<string[]> {
    const names = await this.queueNames();
    for (const name of names) await this.queue(name).resume();
    return names;
  }

  /** Puts parts that have failed into the queue again. @returns how many */
  async retry(run: string | undefined): Promise<number> {
    let count = 0;
    for (const errand of await this.errands(run))
      for (const job of await this.jobsOf(errand, ['failed'])) {
        await job.retry();
        count++;
      }
    return count;
  }

  /** Removes a run and its jobs; its coordinator ends. What is recorded stays. @throws LepantoError if there is none */
  async drop(run: string): Promise<number> {
    const [errand] = await this.errands(run);
    await this.link.command('SET', keyOfDropped(run), '1', 'EX', 86_400);
    await this.link.command('SREM', RUNS_KEY, run);
    await this.link.command('DEL', keyOfRun(run), keyOfDone(run));
    const jobs = await this.jobsOf(errand, [...waitingStates, 'failed']);
    for (const job of jobs) await this.queue(errand.queue).remove(jobId(job.data as { run: string; part: number }));
    await openStore(errand.store, run, this.link).clear();
    return jobs.length;
  }

  async close(): Promise<void> {
    await Promise.all([...this.open.values()].map((queue) => queue.close()));
  }

  private queue(name: string): JobQueue {
    const there = this.open.get(name);
    if (there !== undefined) return there;
    const { Queue } = loadBull();
    const queue = new Queue(name, { connection: this.link.client, prefix: KEY_PREFIX });
    queue.on('error', () => {});
    this.open.set(name, queue);
    return queue;
  }

  /** Names of all queues of Lepanto. */
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

  /** @param run this one alone @throws LepantoError if it is not there */
  private async errands(run?: string): Promise<Errand[]> {
    const ids = (await this.link.texts('SMEMBERS', RUNS_KEY)).sort();
    const errands: Errand[] = [];
    for (const id of run === undefined ? ids : [run]) {
      const text = await this.link.command('GET', keyOfRun(id));
      if (typeof text === 'string') errands.push(JSON.parse(text) as Errand);
    }
    if (run !== undefined && errands.length === 0)
      throw new LepantoError('queue', `run: got ${run}, wanted one of ${ids.length === 0 ? 'none' : ids.join(', ')}`);
    return errands;
  }

  private async jobsOf({ id, queue }: Errand, states: readonly string[]): Promise<QueueJob[]> {
    const jobs = await this.queue(queue).getJobs(states, 0, -1);
    return jobs.flatMap((job) => (job !== undefined && (job.data as { run?: string }).run === id ? [job] : []));
  }

  private async describe(errand: Errand): Promise<ListedRun> {
    const { id, about, version, queue, parts } = errand;
    const failed = await this.jobsOf(errand, ['failed']);
    // The last byte has bits behind the last part, which are set.
    const bits = Number(await this.link.command('BITCOUNT', keyOfDone(id)));
    const spare = bits === 0 ? 0 : Math.ceil(parts / 8) * 8 - parts;
    return {
      id,
      about,
      version,
      queue,
      parts,
      recorded: bits - spare,
      waiting: (await this.jobsOf(errand, waitingStates)).length,
      active: (await this.jobsOf(errand, ['active'])).length,
      failed: failed
        .map((job) => ({ part: (job.data as { part: number }).part, error: job.failedReason ?? '' }))
        .sort((a, b) => a.part - b.part),
    };
  }
}
