// Plays the tasks of queued jobs on all threads of this machine.
//
// The worker reads lepanto:runs to find the queues that it may serve. BullMQ gives it tasks, and a thread plays each.
// The result is put into the job's store before BullMQ learns that the task is done.
//
// If a worker dies, BullMQ gives its tasks to another worker some seconds later. Infrastructure errors, such as a full
// disk or an unreachable store, hand the task back. Only errors in playing a task count as one of its tries.
import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type * as Bull from 'bullmq';
import { LepantoError } from '../../../engine/rules/error.js';
import { refuse, refuseValue } from '../../../engine/rules/shape.js';
import { watchAgents } from '../../../selfplay/agents/watch-agents.js';
import { makePool, type Pool } from '../../../selfplay/crew/pool.js';
import { isCommandName } from '../../../selfplay/question/agent-name.js';
import { contentHash } from '../../../selfplay/question/file-hash.js';
import { makeCounters } from '../../../selfplay/records/run.js';
import { GAMES_PLAYED, uncount } from '../../../selfplay/records/shard.js';
import { lepantoVersion } from '../../../selfplay/version.js';
import type { QueueAddress } from './address.js';
import { codeHash, queuePrefix } from './code-hash.js';
import { describeCode, entryId, type Job, keyOfDone, keyOfFiles, keyOfRun, RUNS_KEY, type TaskRef } from './job.js';
import { loadBull } from './libraries.js';
import { reportMachine, withdrawMachine } from './machines.js';
import { measureHere, takeRequest } from './measure-machines.js';
import { openStore } from './open-store.js';
import type { PlayedTask, ThreadTask } from './perform-task.js';
import { readJob, readTask, withPlaces } from './read-job.js';
import { KEY_PREFIX, RedisLink } from './redis-link.js';
import type { Store } from './store.js';
import { codeAmong, MOST_FILE_BYTES, TravelledFiles, type TravellingFile } from './travelling.js';

/** LOCK_MS: milliseconds after which a task whose worker is silent goes to another one; STALL_MS: between checks. */
const LOCK_MS = 8000;
const STALL_MS = 4000;
/** Largest number of stalls of one task. High, because machines may be pre-empted. */
const MOST_STALLS = 100;

const BEAT_MS = 1000;
/** Number of intervals of BEAT_MS (between two reports of a worker) over which games per second are measured. */
const BEATS = 10;
/** Time limit for handing tasks back, and for withdrawing the report, when a worker ends, in milliseconds. */
const HAND_BACK_MS = 2000;
/** Milliseconds between checks whether the server is unreachable, while a worker ends. */
const LOOK_MS = 100;
/** Time for which a worker takes no tasks after trouble with a store, in milliseconds. */
const TROUBLE_MS = 5000;

/** User code that a worker may run: any, or modules with these hashes and these `exec:` commands. */
export type Allowed = 'any' | readonly string[];

/** Event of a worker: it is ready, has played or failed a task, or has a message for the user. */
export type WorkerEvent =
  | { readonly event: 'ready'; readonly machine: string; readonly threads: number; readonly code: string }
  | ({ readonly event: 'played'; readonly games: number; readonly seconds: number } & TaskRef)
  | ({ readonly event: 'failed'; readonly error: string } & TaskRef)
  | { readonly event: 'said'; readonly text: string };

/** Options of a queue worker. */
export interface QueueWorkerOptions {
  /** Address of the queue, from readAddress(). */
  readonly address: QueueAddress;
  /** Number of threads. */
  readonly workers: number;
  /** User code that the worker may run. */
  readonly allowed: Allowed;
  /** Ends the worker. Tasks that are not finished after graceMs are handed back. */
  readonly signal: AbortSignal;
  /** Milliseconds that tasks being played have to finish after the signal is aborted. */
  readonly graceMs: number;
  /** Ends the worker after this time without a task, in milliseconds; 0: never. */
  readonly idleMs: number;
  /** Called with each event of the worker. */
  readonly onEvent: (event: WorkerEvent) => void;
}

/** Thrown to hand back a task because of an infrastructure error, which does not count as a try. */
class TroubleError extends Error {}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Resolves to the result of a step of a task that needs the server or a store. @throws TroubleError if it fails */
const around = <T>(step: Promise<T>): Promise<T> =>
  step.catch((error: unknown) => {
    throw new TroubleError(messageOf(error));
  });

interface KnownJob {
  readonly job: Job;
  readonly store: Store;
  /** The job with local paths of its modules and files, for threads. */
  readonly local: Job;
}

class QueueWorker {
  private readonly library = loadBull();
  private readonly link: RedisLink;
  private readonly pool: Pool;
  private readonly machine = hostname();
  private readonly id = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
  private readonly counters = makeCounters();
  private readonly beats: number[] = [0];
  private readonly servers = new Map<string, Bull.Worker>();
  private readonly known = new Map<string, KnownJob>();
  private readonly refused = new Set<string>();
  private readonly underWay = new Map<string, Promise<string>>();
  private readonly travelled = new TravelledFiles();
  private readonly deadline = new AbortController();
  private playing = 0;
  private lastTask = performance.now();
  private trouble: string | null = null;
  /** Last trouble of which the user was told; null after a task was played. Prevents repeated messages. */
  private said: string | null = null;

  constructor(private readonly options: QueueWorkerOptions) {
    // Each task in play adds a listener, and removes it at its end.
    setMaxListeners(0, this.deadline.signal);
    this.link = new RedisLink(options.address, (text) => this.say(text));
    this.pool = makePool({ workers: options.workers });
  }

  async serve(): Promise<void> {
    const { signal, onEvent, workers, graceMs } = this.options;
    const stopped = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    try {
      if (!(await this.connect())) return;
      onEvent({ event: 'ready', machine: this.machine, threads: workers, code: queuePrefix() });
      this.serveQueue(queuePrefix());
      while (!signal.aborted && !this.isIdle()) {
        // An unreachable server answers late or never.
        await Promise.race([this.beat(), stopped]);
        await setTimeout(BEAT_MS, undefined, { signal }).catch(() => {});
      }
      const timer = globalThis.setTimeout(() => this.deadline.abort(), signal.aborted ? graceMs : 0);
      await Promise.race([
        Promise.all([...this.servers.values()].map((server) => server.close())),
        // Does not wait for an unreachable server.
        this.untilCutOff(),
        setTimeout(graceMs + HAND_BACK_MS, undefined, { ref: false }),
      ]);
      clearTimeout(timer);
      // The report of a silent worker expires on the server in any case.
      const withdrawn = withdrawMachine(this.link, this.id).catch(() => {});
      await Promise.race([withdrawn, this.untilCutOff(), setTimeout(HAND_BACK_MS, undefined, { ref: false })]);
    } finally {
      this.deadline.abort();
      this.link.close();
      await this.pool.close();
      this.travelled.remove();
    }
  }

  /**
   * Waits for a connection to the server.
   * @returns false if the worker's signal comes first
   * @throws LepantoError if the server refuses, or has not answered within idleMs
   */
  private async connect(): Promise<boolean> {
    const { signal, idleMs } = this.options;
    const late = new AbortController();
    const stop = (): void => late.abort();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const timer = idleMs > 0 ? globalThis.setTimeout(stop, idleMs) : undefined;
    try {
      await this.link.open(late.signal);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Resolves once the server is unreachable and no task is being played. */
  private async untilCutOff(): Promise<void> {
    while (!(this.link.isAway && this.playing === 0)) await setTimeout(LOOK_MS, undefined, { ref: false });
  }

  private say(text: string): void {
    this.options.onEvent({ event: 'said', text });
  }

  private isIdle(): boolean {
    const { idleMs } = this.options;
    return idleMs > 0 && this.playing === 0 && performance.now() - this.lastTask > idleMs;
  }

  /** Writes the worker's report, takes a benchmark request, and looks for runs whose queues this worker may serve. */
  private async beat(): Promise<void> {
    const games = Number(Atomics.load(this.counters, GAMES_PLAYED));
    this.beats.push(games);
    if (this.beats.length > BEATS + 1) this.beats.shift();
    try {
      await reportMachine(this.link, {
        id: this.id,
        machine: this.machine,
        threads: this.options.workers,
        version: lepantoVersion,
        code: codeHash(),
        queues: [...this.servers.keys()],
        playing: this.playing,
        games,
        gamesPerSecond: ((games - this.beats[0]) * 1000) / (BEAT_MS * (this.beats.length - 1)),
        trouble: this.trouble,
      });
      if (this.trouble === null) await this.measure();
      for (const run of await this.link.texts('SMEMBERS', RUNS_KEY))
        if (!this.known.has(run) && !this.refused.has(run)) await this.learn(run);
    } catch {
      // The link reports outages of the server.
    }
  }

  /** Takes a request to benchmark this machine, if there is one, and runs the benchmark once all tasks are finished. */
  private async measure(): Promise<void> {
    const request = await takeRequest(this.link, this.machine);
    if (request === null) return;
    this.trouble = 'is being measured';
    for (const server of this.servers.values()) void server.pause(true);
    const measured = async (): Promise<void> => {
      while (this.playing > 0) await setTimeout(BEAT_MS, undefined, { signal: this.deadline.signal });
      await measureHere(this.link, this.machine, request);
    };
    measured()
      .catch((error: unknown) => this.say(messageOf(error)))
      .finally(() => this.goOn());
  }

  private goOn(): void {
    this.trouble = null;
    for (const server of this.servers.values()) server.resume();
  }

  /** Parses the job of a run. @throws LepantoError with the reason if this worker may not play it */
  private admit(content: string, run: string): Job {
    const { allowed } = this.options;
    const job = readJob(content, run);
    const strange =
      allowed === 'any'
        ? []
        : codeAmong(job).filter(
            ({ hash, name, source }) =>
              !allowed.includes(hash) && !(source === null && isCommandName(name) && allowed.includes(name)),
          );
    if (strange.length === 0) return job;
    const hashes = strange.map(({ hash }) => hash).join(',');
    return refuse(`it needs ${strange.map(describeCode).join(', ')}, which runs here with --allow-modules ${hashes}`);
  }

  private async learn(run: string): Promise<KnownJob | null> {
    const there = this.known.get(run);
    if (there !== undefined) return there;
    const text = await this.link.command('GET', keyOfRun(run));
    if (typeof text !== 'string') return null;
    let job: Job;
    let local: Job;
    try {
      job = this.admit(text, run);
      local = await this.unpack(job);
    } catch (error) {
      // An unreachable server or a full disk is no reason to refuse the run.
      if (!(error instanceof LepantoError) || error.code === 'queue') throw error;
      if (!this.refused.has(run)) this.say(`run ${run} is not played here: ${messageOf(error)}`);
      this.refused.add(run);
      return null;
    }
    const known = { job, store: openStore(job.store, run, this.link), local };
    this.known.set(run, known);
    this.serveQueue(job.queue);
    return known;
  }

  /**
   * Fetches the files that travel with a job. Returns the job with local paths in the names of its agents.
   * @throws LepantoError for a file or an agent that does not match the job
   */
  private async unpack(job: Job): Promise<Job> {
    for (const file of job.files) await this.fetch(job.id, file);
    const { travelled } = this;
    return withPlaces(job, {
      module: (code, source) => travelled.module(code, source),
      file: (file) => travelled.file(file).path,
    });
  }

  /**
   * Fetches a file of a run from Redis and writes it, unless this machine has it.
   * @throws LepantoError if its bytes do not match the job's hash, or are too many
   * @throws Error if Redis does not have the file
   */
  private async fetch(run: string, file: TravellingFile): Promise<void> {
    const { path, isThere } = this.travelled.file(file);
    if (isThere) return;
    const key = keyOfFiles(run);
    const size = Number(await this.link.command('HSTRLEN', key, file.hash));
    if (size > MOST_FILE_BYTES) refuse(`file ${file.name}: got ${size} bytes, wanted at most ${MOST_FILE_BYTES}`);
    const bytes = await this.link.bytes('HGET', key, file.hash);
    // A LepantoError would refuse the whole run, but the coordinator writes the file again.
    if (bytes === null) throw new Error(`run ${run}: got no ${file.name} in the queue`);
    if (contentHash(bytes) !== file.hash) refuse(`file ${file.name}: got bytes that do not match the job`);
    this.travelled.write(path, bytes);
  }

  private serveQueue(name: string): void {
    if (this.servers.has(name) || this.options.signal.aborted) return;
    const server = new this.library.Worker(name, (entry, token) => this.process(entry, token ?? ''), {
      connection: this.link.client,
      prefix: KEY_PREFIX,
      // One task per thread is played and one waits.
      concurrency: 2 * this.options.workers,
      lockDuration: LOCK_MS,
      stalledInterval: STALL_MS,
      maxStalledCount: MOST_STALLS,
      runRetryDelay: BEAT_MS,
    });
    // Without a listener Node would end the process. The link reports outages of the server.
    server.on('error', () => {});
    this.servers.set(name, server);
  }

  private async process(entry: Bull.Job, token: string): Promise<string> {
    const ref = readTask(entry.data);
    const id = entryId(ref);
    this.playing++;
    try {
      // A task that is delivered twice is played only once.
      const result = this.underWay.get(id) ?? this.playTask(ref);
      this.underWay.set(id, result);
      return await result;
    } catch (error) {
      if (!(error instanceof TroubleError)) {
        this.options.onEvent({ event: 'failed', ...ref, error: messageOf(error) });
        throw error;
      }
      this.pauseFor(error.message);
      // The task is handed back without a delay, because a delay would depend on the clock of this machine.
      await entry.moveToWait(token);
      throw new this.library.WaitingError();
    } finally {
      this.underWay.delete(id);
      this.playing--;
      this.lastTask = performance.now();
    }
  }

  /** Takes no tasks for TROUBLE_MS, so that other workers can take them. @param trouble the reason, for the user */
  private pauseFor(trouble: string): void {
    if (this.deadline.signal.aborted || this.trouble !== null) return;
    this.trouble = trouble;
    if (this.said !== trouble) this.say(`${trouble}; the task is handed back`);
    this.said = trouble;
    for (const server of this.servers.values()) void server.pause(true);
    globalThis.setTimeout(() => this.goOn(), TROUBLE_MS).unref();
  }

  private async isOver(run: string): Promise<boolean> {
    return (await around(this.link.command('EXISTS', keyOfRun(run)))) === 0;
  }

  /**
   * Returns the reason not to play a task: its result exists, or the run is over. Null if the task must be played.
   * @throws TroubleError if this machine cannot reach the store
   */
  private async findReason({ job, store }: KnownJob, task: number): Promise<string | null> {
    if (!(await store.isOpen())) {
      if (await this.isOver(job.id)) return 'the run is over';
      const folder = job.store.replace(/^\w+:/, '');
      throw new TroubleError(`got no ${folder} of run ${job.id}, wanted the directory that its coordinator sees`);
    }
    // This order matters, because a result is marked as recorded before it is removed from the store.
    if (await store.has(task)) return 'found';
    if ((await this.link.command('GETBIT', keyOfDone(job.id), task)) === 1) return 'recorded';
    // The end of the run is checked last, because the marks of recorded tasks are removed with the run, and a task
    // without a mark would be played again.
    return (await this.isOver(job.id)) ? 'the run is over' : null;
  }

  /**
   * Plays a task unless its result exists. Returns the name of this machine, or the reason why it was not played.
   * @throws TroubleError to hand the task back
   * @throws Error if the task cannot be played
   */
  private async playTask({ run, task }: TaskRef): Promise<string> {
    const known = await around(this.learn(run));
    if (known === null) return 'the run is over';
    const { job, store } = known;
    if (task >= job.tasks) refuseValue(`task of run ${run}`, task, `less than ${job.tasks}`);
    const reason = await around(this.findReason(known, task));
    if (reason !== null) return reason;
    const begin = performance.now();
    const { head, packed } = await this.callThread(known, task);
    try {
      const payload = packed === null ? null : Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
      await store.put(head, payload, this.deadline.signal);
    } catch (error) {
      if (await this.isOver(run)) return 'the run is over';
      throw new TroubleError(messageOf(error));
    }
    const seconds = (performance.now() - begin) / 1000;
    this.said = null;
    this.options.onEvent({ event: 'played', run, task, games: head.games, seconds });
    return this.machine;
  }

  private async callThread({ job, local, store }: KnownJob, task: number): Promise<PlayedTask> {
    const { work } = local;
    const own = makeCounters();
    const { folder } = store;
    const data: ThreadTask = { job: local, task, folder, machine: this.machine, counters: this.counters, own };
    const agents = work.kind === 'stats' ? [] : work.spec.agents;
    const watch = watchAgents(agents, { choiceMs: job.choiceMs, onWarning: (text) => this.say(text) });
    const label = `task ${task} of run ${job.id}`;
    const onCrash = (): void => uncount(data);
    const module = new URL('./perform-task.js', import.meta.url).href;
    const call = { module, name: 'performTask', data };
    const played = this.pool.call<PlayedTask>(call, { label, onCrash, ...(watch && { watch }) });
    const { signal } = this.deadline;
    let stop = (): void => {};
    const late = new Promise<never>((_, reject) => {
      stop = () => reject(new TroubleError('this worker ends'));
    });
    signal.addEventListener('abort', stop);
    try {
      signal.throwIfAborted();
      return await Promise.race([played, late]);
    } catch (error) {
      played.catch(() => {});
      if (signal.aborted) throw new TroubleError('this worker ends');
      const begin = `cannot write ${folder}`;
      if (folder === null || !messageOf(error).startsWith(begin)) throw error;
      // Names the folder instead of the file, so that all tasks report the same trouble.
      const reason = messageOf(error)
        .slice(begin.length)
        .replace(/^[^:]*/, '');
      throw new TroubleError((await this.isOver(job.id)) ? `run ${job.id} is over` : begin + reason);
    } finally {
      signal.removeEventListener('abort', stop);
      watch?.sumUp();
    }
  }
}

/**
 * Serves queues until the signal aborts, or until no task has arrived for `idleMs`.
 * @throws LepantoError if the server rejects the connection, or is configured to evict keys
 */
export const serveQueues = (options: QueueWorkerOptions): Promise<void> => new QueueWorker(options).serve();
