// Distributes the tasks of a run to queue workers and records their results.
//
//   every TICK_MS:   records the results in the store, removes them from it, and queues missing tasks
//   every LOOK_MS:   reads the states of queued tasks, to find lost and failed ones
//
// The files of the run are authoritative; Redis only has hints. The coordinator polls instead of waiting for events, so
// it also notices changes during an outage of itself, a worker or Redis. It queues only some tasks at a time, so that
// Redis holds little of a large run and a restart has little to sort out.

import { setTimeout } from 'node:timers/promises';
import type * as Bull from 'bullmq';
import { hasCode, LepantoError } from '../../../engine/rules/error.js';
import { refuse } from '../../../engine/rules/shape.js';
import { callConcurrently } from '../../../selfplay/crew/concurrent-calls.js';
import type { QueueAddress } from './address.js';
import { codeHash } from './code-hash.js';
import {
  describeCode,
  entryId,
  type Job,
  keyOfCoordinator,
  keyOfDone,
  keyOfDropped,
  keyOfFiles,
  keyOfRun,
  RUNS_KEY,
} from './job.js';
import { loadBull } from './libraries.js';
import { type MachineReport, readMachines } from './machines.js';
import { openStore } from './open-store.js';
import type { Payload, PayloadHead } from './payload.js';
import { KEY_PREFIX, RedisLink } from './redis-link.js';
import { mostResultBytes } from './result-size.js';
import type { Store } from './store.js';
import { readTravelling } from './travelling.js';

/**
 * Largest number of tasks of a run that are queued or played at a time, or TASKS_PER_THREAD for each thread if more.
 */
const MOST_TASKS = 64;
const TASKS_PER_THREAD = 3;
const TRIES = 3;
/** Number of results that are recorded concurrently. The disk is the bottleneck. */
const AT_ONCE = 8;
const TICK_MS = 200;
const LOOK_MS = 2000;
/** Milliseconds after which the state of a queued task is read from Redis. Most tasks are recorded earlier. */
const OLD_MS = 4000;
/** Seconds after which a coordinator that no longer renews its key in Redis counts as ended. */
const ABSENT_SECONDS = 60;
/** Largest number of tasks whose states are read together. No results are recorded meanwhile. */
const MOST_LOOKS = 256;
/** Seconds after which the keys of a run without a coordinator expire in Redis: a week. */
const LIFETIME_SECONDS = 7 * 86_400;

/** A task of a run that workers could not play in any of its tries. */
export interface FailedTask {
  /** Number of the task in the run, from 0. */
  readonly task: number;
  /** Message of the error in the task's last try. */
  readonly error: string;
}

/** Progress of a queued run. */
export interface QueueProgress {
  /** Number of tasks that wait in the queue. */
  readonly waiting: number;
  /** Number of tasks that are being played. */
  readonly active: number;
  /** Number of tasks that failed in all their tries. */
  readonly failed: number;
  /** Reports of all live workers, of this and of other runs. */
  readonly machines: readonly MachineReport[];
}

/** Event of a coordinator: a recorded or failed task, progress, or a message for the user. */
export type CoordinatorEvent =
  | { readonly event: 'recorded'; readonly task: number; readonly games: number; readonly machine: string }
  | { readonly event: 'failed'; readonly task: number; readonly error: string }
  | ({ readonly event: 'progress' } & QueueProgress)
  | { readonly event: 'said'; readonly text: string };

/** A run for a coordinator: its job, its missing tasks, and functions that record results. */
export interface Undertaking {
  readonly job: Job;
  /** Numbers of the tasks, from 0, whose results are not recorded. */
  readonly missing: readonly number[];
  /** Records a result. @throws LepantoError if it cannot be written, which ends the run */
  readonly record: (payload: Payload) => Promise<void>;
  /** Returns true if a task is recorded by now, perhaps by another process. */
  readonly isRecorded: (task: number) => Promise<boolean>;
}

/** Options of a coordinator. */
export interface CoordinatorOptions {
  /** Address of the queue, from readAddress(). */
  readonly address: QueueAddress;
  /** Ends the run early and removes its tasks from the queue. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each event of the run. */
  readonly onEvent?: ((event: CoordinatorEvent) => void) | undefined;
}

class Coordinator {
  private readonly job = this.undertaking.job;
  private readonly link: RedisLink;
  private readonly store: Store;
  private readonly queue: Bull.Queue;
  /** Numbers of the tasks whose results are not recorded yet. */
  private readonly open = new Set(this.undertaking.missing);
  /** For each queued task, keyed by number, the value of performance.now() when it was queued or last checked. */
  private readonly queued = new Map<number, number>();
  /** Error message of each failed task, keyed by its number. */
  private readonly failed = new Map<number, string>();
  /** Contents of the files that travel with the job, keyed by hash. */
  private readonly files = readTravelling(this.job.files);
  private isDropped = false;
  private isRegistered = false;
  private readonly said = new Set<string>();
  private machines: readonly MachineReport[] = [];
  private lookedAt = Number.NEGATIVE_INFINITY;
  private alone = 0;

  constructor(
    private readonly undertaking: Undertaking,
    private readonly options: CoordinatorOptions,
  ) {
    this.link = new RedisLink(options.address, (text) => this.say(text));
    this.store = openStore(this.job.store, this.job.id, this.link);
    this.queue = new (loadBull().Queue)(this.job.queue, {
      connection: this.link.client,
      prefix: KEY_PREFIX,
      streams: { events: { maxLen: 100 } },
    });
    // Without a listener Node would end the process. The link reports outages of the server.
    this.queue.on('error', () => {});
  }

  async run(): Promise<FailedTask[]> {
    const { signal } = this.options;
    try {
      await this.link.open(signal);
      await this.store.open();
      await this.patiently(() => this.register());
      await this.patiently(() => this.findQueued());
      while (signal?.aborted !== true && !this.isDropped && this.isUnfinished) {
        const taken = await this.takeResults();
        const isTime = performance.now() - this.lookedAt > LOOK_MS;
        await this.patiently(() => (isTime ? this.look() : this.topUp()));
        if (!taken) await setTimeout(TICK_MS, undefined, { ...(signal !== undefined && { signal }) }).catch(() => {});
      }
      if (this.isDropped)
        throw new LepantoError('queue', `run ${this.job.id} was dropped from the queue; recorded games stay`);
      // After an early end, results of tasks still being played wait in the store for the next start.
      await this.patiently(() => (this.isUnfinished ? this.removeJobs() : this.finish()));
      return [...this.failed].map(([task, error]) => ({ task, error }));
    } finally {
      this.link.close();
    }
  }

  private say(text: string): void {
    this.options.onEvent?.({ event: 'said', text });
  }

  private sayOnce(text: string): void {
    if (!this.said.has(text)) this.say(text);
    this.said.add(text);
  }

  private get isUnfinished(): boolean {
    return this.open.size > this.failed.size;
  }

  /** Runs a step that needs the server. Returns null if the step fails; a later step corrects the state. */
  private async patiently<T>(step: () => Promise<T>): Promise<T | null> {
    try {
      return await step();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const isAway = code !== undefined || /got no answer|Connection is closed|Socket timeout|LOADING/.test(message);
      if (!isAway) this.sayOnce(`${this.options.address.shown}: ${message}; trying again`);
      return null;
    }
  }

  /**
   * Writes the run's keys to Redis at the start, and again if Redis has lost them. Renews their expiry. If the run was
   * dropped, only sets isDropped.
   */
  private async register(): Promise<void> {
    const { job, link, isRegistered } = this;
    const { id } = job;
    if (!isRegistered) await link.command('DEL', keyOfDropped(id));
    this.isDropped = (await link.command('EXISTS', keyOfDropped(id))) === 1;
    if (this.isDropped) return;
    if (!isRegistered || (await link.command('EXISTS', keyOfRun(id))) === 0) {
      const bits = Buffer.alloc(Math.ceil(job.tasks / 8), 0xff);
      for (const task of this.open) bits[task >> 3] &= ~(0x80 >> (task & 7));
      await link.command('SET', keyOfDone(id), bits);
      for (const [hash, content] of this.files) await link.command('HSET', keyOfFiles(id), hash, content);
    }
    await link.command('SET', keyOfRun(id), JSON.stringify(job), 'EX', LIFETIME_SECONDS);
    for (const key of [keyOfDone(id), keyOfFiles(id)]) await link.command('EXPIRE', key, LIFETIME_SECONDS);
    await link.command('SET', keyOfCoordinator(id), '1', 'EX', ABSENT_SECONDS);
    await link.command('SADD', RUNS_KEY, id);
    this.isRegistered = true;
  }

  /** Finds tasks that an earlier start has queued. Failed ones are removed, to be queued again with all their tries. */
  private async findQueued(): Promise<void> {
    for (const state of ['failed', 'waiting', 'active', 'delayed'] as const) {
      for (const entry of await this.link.inTime(this.queue.getJobs([state], 0, -1))) {
        const { run, task } = (entry?.data ?? {}) as { run?: string; task?: number };
        if (run !== this.job.id || task === undefined) continue;
        if (state === 'failed') await this.link.inTime(this.queue.remove(entryId({ run, task })));
        else if (this.open.has(task)) this.queued.set(task, Number.NEGATIVE_INFINITY);
      }
    }
  }

  /**
   * Records the results that are in the store, and removes them from it. Damaged results are removed and played again.
   * @returns true if there were any
   * @throws LepantoError if a result cannot be recorded
   */
  private async takeResults(): Promise<boolean> {
    const tasks = (await this.patiently(() => this.store.tasks())) ?? [];
    await callConcurrently(tasks.length, AT_ONCE, (i) => this.takeResult(tasks[i]));
    return tasks.length > 0;
  }

  private async takeResult(task: number): Promise<void> {
    const payload = await this.patiently(async () => {
      try {
        const found = this.open.has(task) ? await this.store.take(task, mostResultBytes(this.job, task)) : null;
        if (found !== null) this.checkHead(task, found.head);
        return found;
      } catch (error) {
        if (!hasCode(error, 'record')) throw error;
        this.say(`${error.message}; the task is played again`);
        return null;
      }
    });
    if (payload !== null) await this.recordResult(payload);
    await this.patiently(() => this.store.remove(task));
  }

  /** Checks that the head of a result names this run and the task. @throws LepantoError if it does not */
  private checkHead(task: number, head: PayloadHead): void {
    if (head.run !== this.job.id || head.task !== task)
      refuse(`result of task ${task}: got that of task ${head.task} of run ${head.run}`);
  }

  private async recordResult(payload: Payload): Promise<void> {
    const { task, games, machine } = payload.head;
    await this.undertaking.record(payload);
    this.open.delete(task);
    this.queued.delete(task);
    this.failed.delete(task);
    await this.patiently(() => this.link.command('SETBIT', keyOfDone(this.job.id), task, 1));
    this.options.onEvent?.({ event: 'recorded', task, games, machine });
  }

  private async look(): Promise<void> {
    this.lookedAt = performance.now();
    await this.register();
    if (this.isDropped) return;
    const now = performance.now();
    const old = [...this.queued].filter(([, since]) => since < now - OLD_MS).slice(0, MOST_LOOKS);
    await Promise.all(old.map(([task]) => this.lookAt(task)));
    // Moves these tasks to the end, so that all tasks have their turn.
    for (const [task] of old) if (this.queued.delete(task)) this.queued.set(task, now);
    for (const task of [...this.failed.keys()]) await this.lookAt(task);
    // Counts tasks of all runs of the queue, which seldom has more than one.
    const { active = 0 } = await this.link.inTime(this.queue.getJobCounts('active'));
    this.machines = await readMachines(this.link);
    this.sayWhoIsMissing();
    const { queued, failed, machines } = this;
    const playing = Math.min(active, queued.size);
    const waiting = queued.size - playing;
    this.options.onEvent?.({ event: 'progress', waiting, active: playing, failed: failed.size, machines });
    await this.topUp();
  }

  private async lookAt(task: number): Promise<void> {
    const id = entryId({ run: this.job.id, task });
    const state = await this.link.inTime(this.queue.getJobState(id));
    if (!this.open.has(task)) return;
    if (state === 'unknown' || state === 'completed') await this.putBack(task, id);
    else if (state === 'failed') {
      this.queued.delete(task);
      if (this.failed.has(task)) return;
      const error = (await this.link.inTime(this.queue.getJob(id)))?.failedReason ?? 'no reason was given';
      this.failed.set(task, error);
      this.options.onEvent?.({ event: 'failed', task, error });
    } else {
      // The task was put into the queue again, for example by `lepanto queue`.
      this.failed.delete(task);
      if (!this.queued.has(task)) this.queued.set(task, performance.now());
    }
  }

  /**
   * Handles a task that is no longer queued. Unless its result is in the store or recorded, the task is removed from
   * Redis and will be queued again.
   * @param id id of the task in its queue, from entryId()
   */
  private async putBack(task: number, id: string): Promise<void> {
    if (await this.store.has(task)) return;
    if (await this.undertaking.isRecorded(task)) this.open.delete(task);
    else {
      await this.link.command('SETBIT', keyOfDone(this.job.id), task, 0);
      await this.link.inTime(this.queue.remove(id));
    }
    this.queued.delete(task);
    this.failed.delete(task);
  }

  /** Reports of the machines that serve the run's queue. */
  private get serving(): MachineReport[] {
    return this.machines.filter(({ queues }) => queues.includes(this.job.queue));
  }

  private async topUp(): Promise<void> {
    const threads = this.serving.reduce((sum, machine) => sum + machine.threads, 0);
    const free = Math.max(MOST_TASKS, TASKS_PER_THREAD * threads) - this.queued.size;
    // Waits until there is room for many tasks, to send fewer and larger messages.
    if (free < MOST_TASKS / 4 && this.queued.size > 0) return;
    const tasks: number[] = [];
    for (const task of this.open) {
      if (tasks.length >= free) break;
      if (!this.queued.has(task) && !this.failed.has(task)) tasks.push(task);
    }
    if (tasks.length === 0) return;
    const rest = {
      // There is no delay between tries, because it would depend on the clock of a worker.
      attempts: TRIES,
      removeOnComplete: true,
      stackTraceLimit: 0,
    };
    const jobs = tasks.map((task) => {
      const data = { run: this.job.id, task };
      return { name: this.job.work.kind, data, opts: { jobId: entryId(data), ...rest } };
    });
    await this.link.inTime(this.queue.addBulk(jobs));
    for (const task of tasks) this.queued.set(task, performance.now());
  }

  /** Reports the trouble of workers, and at the second look without a worker the reason why none plays the run. */
  private sayWhoIsMissing(): void {
    const { job, machines, serving } = this;
    for (const { machine, trouble } of serving) if (trouble !== null) this.sayOnce(`${machine}: ${trouble}`);
    this.alone = serving.length > 0 ? 0 : this.alone + 1;
    // At the first look a worker may not have learned of the run yet.
    if (this.alone !== 2) return;
    const reasons = machines.flatMap(({ machine, version, code }) => {
      if (code !== codeHash())
        return [`${machine} is of version ${version} with the code ${code}, wanted ${codeHash()}`];
      return job.modules.length === 0 ? [] : [`${machine} does not allow ${job.modules.map(describeCode).join(', ')}`];
    });
    const why = reasons.length > 0 ? reasons.join('; ') : `start one with lepanto worker ${this.options.address.shown}`;
    this.say(`no worker plays this run: ${why}`);
  }

  private async removeJobs(): Promise<void> {
    for (const task of [...this.queued.keys(), ...this.failed.keys()])
      await this.link.inTime(this.queue.remove(entryId({ run: this.job.id, task })));
  }

  private async finish(): Promise<void> {
    const { id } = this.job;
    await this.link.command('SREM', RUNS_KEY, id);
    await this.link.command('DEL', keyOfRun(id), keyOfDone(id), keyOfFiles(id), keyOfCoordinator(id));
    await this.removeJobs();
    await this.store.clear();
  }
}

/**
 * Distributes the missing tasks of a run to workers and records their results.
 * @returns tasks that failed in all tries
 */
export const coordinate = (undertaking: Undertaking, options: CoordinatorOptions): Promise<FailedTask[]> =>
  new Coordinator(undertaking, options).run();
