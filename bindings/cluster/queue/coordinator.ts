// Has the parts of a run played by whoever serves its queue.
//
//   every tick:      results that wait are recorded and removed from the store
//   every seconds:   jobs that are lost, failed or dropped are found by their states; missing parts are queued
//
// The files of the run are the truth and Redis only hints. No event is waited for: what happened while a coordinator, a
// worker or Redis was away is found at the next look. At most MOST_PARTS are queued, so that Redis holds little of a large
// run and a restart finds little to sort out.
import { setTimeout } from 'node:timers/promises';
import { hasCode, LepantoError } from '../../../engine/rules/error.js';
import type { QueueAddress } from './address.js';
import { codeHash } from './code-hash.js';
import { describeCode, type Errand, jobId, keyOfDone, keyOfDropped, keyOfRun, RUNS_KEY } from './errand.js';
import { type BullLibrary, type JobQueue, loadBull } from './libraries.js';
import { type MachineReport, readMachines } from './machines.js';
import { openStore } from './open-store.js';
import type { Parcel } from './parcel.js';
import { KEY_PREFIX, RedisLink } from './redis-link.js';
import type { Store } from './store.js';

/** Parts that are queued or played at one time, or three for each thread if those are more. */
const MOST_PARTS = 64;
const PARTS_PER_THREAD = 3;
/** A part is tried so often. */
const TRIES = 3;
/** Results that are recorded at one time: the disk takes the time. */
const AT_ONCE = 8;
const TICK_MS = 200;
const LOOK_MS = 2000;
/** A part is looked at once it has been queued for so long: most are recorded by then. */
const OLD_MS = 4000;
/** Parts that are looked at together: results wait meanwhile. */
const MOST_LOOKS = 256;
/** Hints are forgotten after a week without a coordinator. */
const LIFETIME_SECONDS = 7 * 86_400;

/** A part that has failed every time. */
export interface FailedPart {
  /** Its number in the run, from 0. */
  readonly part: number;
  /** What it threw the last time. */
  readonly error: string;
}

/** How a run is getting on. */
export interface QueueProgress {
  /** Parts that wait in the queue. */
  readonly waiting: number;
  /** Parts that are being played. */
  readonly active: number;
  /** Parts that have failed every time. */
  readonly failed: number;
  /** All workers that are alive, whatever they play. */
  readonly machines: readonly MachineReport[];
}

/** What a coordinator tells as it goes on. */
export type CoordinatorEvent =
  | { readonly event: 'recorded'; readonly part: number; readonly games: number; readonly machine: string }
  | { readonly event: 'failed'; readonly part: number; readonly error: string }
  | ({ readonly event: 'progress' } & QueueProgress)
  | { readonly event: 'said'; readonly text: string };

/** What a coordinator needs to know of a run. */
export interface Undertaking {
  readonly errand: Errand;
  /** Parts that are not recorded. */
  readonly missing: readonly number[];
  /** Records a result. @throws LepantoError if the disk does not take it: the run ends */
  readonly record: (parcel: Parcel) => Promise<void>;
  /** Looks again whether a part is recorded: by somebody else, perhaps. */
  readonly isRecorded: (part: number) => Promise<boolean>;
}

/** How a coordinator works. */
export interface CoordinatorOptions {
  /** readAddress() */
  readonly address: QueueAddress;
  /** Ends it early: its parts are taken out of the queue. */
  readonly signal?: AbortSignal | undefined;
  /** Called as the run goes on. */
  readonly onEvent?: ((event: CoordinatorEvent) => void) | undefined;
}

class Coordinator {
  private readonly undertaking: Undertaking;
  private readonly options: CoordinatorOptions;
  private readonly errand: Errand;
  private readonly library: BullLibrary = loadBull();
  private readonly link: RedisLink;
  private readonly store: Store;
  private readonly queue: JobQueue;
  /** Parts that are not recorded; since when those of them are queued that are; and why those have failed that have. */
  private readonly open: Set<number>;
  private readonly queued = new Map<number, number>();
  private readonly failed = new Map<number, string>();
  private isDropped = false;
  private isRegistered = false;
  private readonly said = new Set<string>();
  private machines: readonly MachineReport[] = [];
  private active = 0;
  private lookedAt = Number.NEGATIVE_INFINITY;
  private alone = 0;

  constructor(undertaking: Undertaking, options: CoordinatorOptions) {
    this.undertaking = undertaking;
    this.options = options;
    this.errand = undertaking.errand;
    this.open = new Set(undertaking.missing);
    this.link = new RedisLink(options.address, (text) => this.say(text));
    this.store = openStore(this.errand.store, this.errand.id, this.link);
    this.queue = new this.library.Queue(this.errand.queue, {
      connection: this.link.client,
      prefix: KEY_PREFIX,
      streams: { events: { maxLen: 100 } },
    });
    // Without a listener Node would end the process; the link says when the server is away.
    this.queue.on('error', () => {});
  }

  async run(): Promise<FailedPart[]> {
    const { signal } = this.options;
    try {
      await this.link.open(signal);
      await this.store.open();
      await this.patiently(() => this.register());
      await this.patiently(() => this.findQueued());
      while (signal?.aborted !== true && !this.isDropped && this.isUnfinished()) {
        const taken = await this.takeResults();
        const isTime = performance.now() - this.lookedAt > LOOK_MS;
        await this.patiently(() => (isTime ? this.look() : this.topUp()));
        if (!taken) await setTimeout(TICK_MS, undefined, { ...(signal !== undefined && { signal }) }).catch(() => {});
      }
      if (this.isDropped)
        throw new LepantoError('queue', `run ${this.errand.id} was dropped from the queue; what is recorded stays`);
      await this.patiently(() => (this.isUnfinished() ? this.withdraw() : this.finish()));
      return [...this.failed].map(([part, error]) => ({ part, error }));
    } finally {
      this.link.close();
    }
  }

  private say(text: string): void {
    this.options.onEvent?.({ event: 'said', text });
  }

  /** Says something at most once. */
  private sayOnce(text: string): void {
    if (!this.said.has(text)) this.say(text);
    this.said.add(text);
  }

  private isUnfinished(): boolean {
    return this.open.size > this.failed.size;
  }

  /** Does something that needs the server; a failure is for the next look to mend. */
  private async patiently(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const isAway = code !== undefined || /got no answer|Connection is closed|Socket timeout|LOADING/.test(message);
      if (!isAway) this.sayOnce(`${this.options.address.shown}: ${message}; trying again`);
    }
  }

  /** Writes the hints of the run, anew at the start and where Redis has lost them. */
  private async register(): Promise<void> {
    const { errand, link, isRegistered } = this;
    const { id } = errand;
    const isStart = !isRegistered;
    if (isStart) await link.command('DEL', keyOfDropped(id));
    this.isDropped = (await link.command('EXISTS', keyOfDropped(id))) === 1;
    if (this.isDropped) return;
    if (isStart || (await link.command('EXISTS', keyOfRun(id))) === 0) {
      const bits = Buffer.alloc(Math.ceil(errand.parts / 8), 0xff);
      for (const part of this.open) bits[part >> 3] &= ~(0x80 >> (part & 7));
      await link.command('SET', keyOfDone(id), bits);
    }
    await link.command('SET', keyOfRun(id), JSON.stringify(errand), 'EX', LIFETIME_SECONDS);
    await link.command('EXPIRE', keyOfDone(id), LIFETIME_SECONDS);
    await link.command('SADD', RUNS_KEY, id);
    this.isRegistered = true;
  }

  /** Finds the jobs that an earlier start has left; those that have failed get all their tries again. */
  private async findQueued(): Promise<void> {
    for (const state of ['failed', 'waiting', 'active', 'delayed', 'paused']) {
      for (const job of await this.link.inTime(this.queue.getJobs([state], 0, -1))) {
        const { run, part } = (job?.data ?? {}) as { run?: string; part?: number };
        if (run !== this.errand.id || part === undefined) continue;
        if (state === 'failed') await this.link.inTime(this.queue.remove(jobId({ run, part })));
        else if (this.open.has(part)) this.queued.set(part, Number.NEGATIVE_INFINITY);
      }
    }
  }

  /** Records what waits. @returns true if there was something @throws LepantoError if it cannot be recorded */
  private async takeResults(): Promise<boolean> {
    let parts: number[] = [];
    await this.patiently(async () => {
      parts = await this.store.parts();
    });
    const line = parts.values();
    const takeSome = async (): Promise<void> => {
      for (const part of line) await this.takeResult(part);
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, parts.length) }, takeSome));
    return parts.length > 0;
  }

  private async takeResult(part: number): Promise<void> {
    let parcel: Parcel | null = null;
    await this.patiently(async () => {
      try {
        parcel = this.open.has(part) ? await this.store.take(part) : null;
      } catch (error) {
        if (!hasCode(error, 'record')) throw error;
        this.say(`${error.message}; it is played again`);
      }
    });
    // Assigned in a function, which the compiler does not follow.
    const found = parcel as Parcel | null;
    if (found !== null) await this.recordResult(found);
    await this.patiently(() => this.store.remove(part));
  }

  private async recordResult(parcel: Parcel): Promise<void> {
    const { part, games, machine } = parcel.head;
    await this.undertaking.record(parcel);
    this.open.delete(part);
    this.queued.delete(part);
    this.failed.delete(part);
    await this.patiently(async () => void (await this.link.command('SETBIT', keyOfDone(this.errand.id), part, 1)));
    this.options.onEvent?.({ event: 'recorded', part, games, machine });
  }

  /** Finds out what became of the queued parts, and who plays. */
  private async look(): Promise<void> {
    this.lookedAt = performance.now();
    await this.register();
    if (this.isDropped) return;
    const now = performance.now();
    const old = [...this.queued].filter(([, since]) => since < now - OLD_MS).slice(0, MOST_LOOKS);
    await Promise.all(old.map(([part]) => this.lookAt(part)));
    // Behind the others, so that all have their turn.
    for (const [part] of old) if (this.queued.delete(part)) this.queued.set(part, now);
    for (const part of [...this.failed.keys()]) await this.lookAt(part);
    // Of all runs of the queue, of which there is seldom more than one.
    const { active = 0 } = await this.link.inTime(this.queue.getJobCounts('active'));
    this.active = Math.min(active, this.queued.size);
    this.machines = await readMachines(this.link);
    this.sayWhoIsMissing();
    const { queued, failed, machines } = this;
    const waiting = queued.size - this.active;
    this.options.onEvent?.({ event: 'progress', waiting, active: this.active, failed: failed.size, machines });
    await this.topUp();
  }

  private async lookAt(part: number): Promise<void> {
    const id = jobId({ run: this.errand.id, part });
    const state = await this.link.inTime(this.queue.getJobState(id));
    if (!this.open.has(part)) return;
    if (state === 'failed') {
      this.queued.delete(part);
      if (!this.failed.has(part)) {
        const error = (await this.link.inTime(this.queue.getJob(id)))?.failedReason ?? 'no reason was given';
        this.failed.set(part, error);
        this.options.onEvent?.({ event: 'failed', part, error });
      }
    } else if (state === 'unknown' || state === 'completed') await this.putBack(part, id);
    else {
      // Somebody has put it into the queue again.
      this.failed.delete(part);
      if (!this.queued.has(part)) this.queued.set(part, performance.now());
    }
  }

  /** Finds out whether a part that is queued no more is done. If it is not, it is missing as before. */
  private async putBack(part: number, id: string): Promise<void> {
    if (await this.store.has(part)) return;
    if (await this.undertaking.isRecorded(part)) this.open.delete(part);
    else {
      await this.link.command('SETBIT', keyOfDone(this.errand.id), part, 0);
      await this.link.inTime(this.queue.remove(id));
    }
    this.queued.delete(part);
    this.failed.delete(part);
  }

  private async topUp(): Promise<void> {
    const serving = this.machines.filter(({ queues }) => queues.includes(this.errand.queue));
    const threads = serving.reduce((sum, machine) => sum + machine.threads, 0);
    let room = Math.max(MOST_PARTS, PARTS_PER_THREAD * threads) - this.queued.size;
    // Half empty first: fewer and larger messages.
    if (room < MOST_PARTS / 4 && this.queued.size > 0) return;
    const jobs: { name: string; data: object; opts: object; part: number }[] = [];
    for (const part of this.open) {
      if (room <= 0) break;
      if (this.queued.has(part) || this.failed.has(part)) continue;
      room--;
      const data = { run: this.errand.id, part };
      const opts = {
        jobId: jobId(data),
        attempts: TRIES,
        backoff: { type: 'fixed', delay: 1000 },
        removeOnComplete: true,
        stackTraceLimit: 0,
      };
      jobs.push({ name: this.errand.work.kind, data, opts, part });
    }
    if (jobs.length === 0) return;
    await this.link.inTime(this.queue.addBulk(jobs));
    for (const { part } of jobs) this.queued.set(part, performance.now());
  }

  /** Says what keeps a run waiting that nobody plays. */
  private sayWhoIsMissing(): void {
    const { errand, machines } = this;
    const serving = machines.filter(({ queues }) => queues.includes(errand.queue));
    for (const { machine, trouble } of serving) if (trouble !== null) this.sayOnce(`${machine}: ${trouble}`);
    this.alone = serving.length > 0 ? 0 : this.alone + 1;
    // At the first look a worker may not have heard of the run.
    if (this.alone !== 2) return;
    const others = machines.filter(({ code }) => code !== codeHash());
    const strict = errand.modules.length === 0 ? [] : machines.filter(({ code }) => code === codeHash());
    const reasons = [
      ...others.map(
        ({ machine, version, code }) =>
          `${machine} is of version ${version} with the code ${code}, wanted ${codeHash()}`,
      ),
      ...strict.map(({ machine }) => `${machine} does not allow ${errand.modules.map(describeCode).join(', ')}`),
    ];
    const why = reasons.length > 0 ? reasons.join('; ') : `start one with lepanto worker ${this.options.address.shown}`;
    this.say(`no worker plays this run: ${why}`);
  }

  private async removeJobs(): Promise<void> {
    for (const part of this.queued.keys())
      await this.link.inTime(this.queue.remove(jobId({ run: this.errand.id, part })));
    for (const part of this.failed.keys())
      await this.link.inTime(this.queue.remove(jobId({ run: this.errand.id, part })));
  }

  /** Ends early: what is being played will wait in the store for the next start. */
  private async withdraw(): Promise<void> {
    await this.removeJobs();
  }

  /** Removes all hints. */
  private async finish(): Promise<void> {
    const { id } = this.errand;
    await this.link.command('SREM', RUNS_KEY, id);
    await this.link.command('DEL', keyOfRun(id), keyOfDone(id));
    await this.removeJobs();
    await this.store.clear();
  }
}

/**
 * Has the missing parts of a run played and recorded, by however many workers there are and whatever becomes of them.
 * @returns the parts that have failed every time
 * @throws LepantoError if a result cannot be recorded, or if the server refuses
 */
export const coordinate = (undertaking: Undertaking, options: CoordinatorOptions): Promise<FailedPart[]> =>
  new Coordinator(undertaking, options).run();
