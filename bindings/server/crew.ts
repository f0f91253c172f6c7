// Threads that share the chunks of a batch. The first thread works too; the others sleep in Atomics.wait between commands.
//
// Words of `sync`:
//   0  generation, counted up to wake the threads     4  command
//   1  next chunk to take                             5, 6  first row and end
//   2  threads that are done                          7, 8  arguments
//   3  threads in all, the first not counted          9  sum of what chunks returned
import { Worker } from 'node:worker_threads';
import type { ServerConfig } from './config.js';
import { ActionError, type Core } from './core.js';
import type { Memory } from './memory.js';

const GENERATION = 0;
const NEXT = 1;
const DONE = 2;
const COMMAND = 4;
const FIRST = 5;
const END = 6;
const ARGUMENT = 7;
const SUM = 9;
const SYNC_WORDS = 16;
/** Piping a thread's streams to ours would make our ends of the client's pipes non-blocking. */
export const OWN_STREAMS = { stdout: true, stderr: true } as const;
const ERROR_BYTES = 4096;

/** What is done with a chunk. */
export const work = ['reset', 'check', 'describe', 'decode', 'apply', 'random', 'copy', 'engine', 'quit'] as const;
export type Work = (typeof work)[number];

// Arrays that the client reads after a command, pushed chunk by chunk where the memory is no mapping.

/** What random steps change. */
const played = [
  'state',
  'streams',
  'episode_seed',
  'steps',
  'phases',
  'terminated',
  'truncated',
  'rewards',
  'long_game',
  'observation',
  'previous_orders',
  'deepmind_season',
  'deepmind_builds',
  'last_actions',
  'last_action_count',
];
/** What describe() writes beside the legal lists. */
const described = ['build_numbers', 'center_counts', 'order_counts', 'orderable', 'legal_offsets'];
const outputs: Partial<Record<Work, readonly string[]>> = {
  random: played,
  apply: [...played, ...described],
  describe: [...played, ...described],
};
const finals = ['final_scores', 'final_state', 'final_observation'];
/** Arrays that the client writes, by the work that reads them. */
const inputs: Partial<Record<Work, readonly string[]>> = {
  reset: ['mask', 'seeds'],
  check: [
    'mask',
    'state',
    'streams',
    'episode_seed',
    'steps',
    'phases',
    'long_game',
    'previous_orders',
    'deepmind_builds',
    'last_actions',
    'last_action_count',
  ],
  decode: ['actions'],
};

const crossRows = (memory: Memory, what: Work, first: number, end: number): void => {
  const { games } = memory.layout;
  const names = inputs[what] ?? [];
  for (const name of names)
    if (memory.has(name) && !(name === 'seeds' && first >= games)) memory.pull(name, first, end);
};

const showRows = (memory: Memory, core: Core, what: Work, first: number, end: number): void => {
  const names = outputs[what];
  if (names === undefined || memory.isMapped) return;
  const { games, chunk, chunkIds } = memory.layout;
  for (const name of names) if (memory.has(name)) memory.push(name, first, end);
  const index = first < games ? first / chunk : Math.ceil(games / chunk) + (first - games) / chunk;
  if (what !== 'random') memory.pushBytes('legal_ids', 4 * chunkIds * index, 4 * core.listed);
  if (core.hasEnded) for (const name of finals) if (memory.has(name)) memory.push(name, first, end);
};

/** Does its share of a command in one thread. */
export class ThreadShare {
  declare readonly core: Core;
  declare readonly memory: Memory;
  declare readonly sync: Int32Array;
  /** The error of the lowest game, that of a thread that has met several. */
  declare error: Error | null;

  constructor(core: Core, memory: Memory, sync: Int32Array) {
    this.core = core;
    this.memory = memory;
    this.sync = sync;
    this.error = null;
  }

  private perform(what: Work, first: number, end: number): number | Promise<void> {
    const { core, sync } = this;
    switch (what) {
      case 'reset':
        core.reset(first, end);
        return 0;
      case 'check':
        core.check(first, end);
        return 0;
      case 'describe':
        core.describe(first, end);
        return 0;
      case 'decode':
        core.decode(first, end);
        return 0;
      case 'random':
        return core.playRandom(first, end, sync[ARGUMENT], sync[ARGUMENT + 1]);
      case 'copy':
        core.copyTo(sync[ARGUMENT], first, end);
        return 0;
      case 'engine':
        return core.playEngine(sync[ARGUMENT], sync[ARGUMENT + 1]);
      case 'apply':
        return core.apply(first, end) ?? 0;
      default:
        return 0;
    }
  }

  private keep(error: unknown): void {
    const made = error instanceof Error ? error : new Error(String(error));
    const game = (e: Error | null): number => (e instanceof ActionError ? e.game : -1);
    if (this.error === null || game(made) < game(this.error)) this.error = made;
  }

  /** Takes chunks until none is left. */
  async run(): Promise<void> {
    const { sync, memory } = this;
    const what = work[sync[COMMAND]];
    const { chunk } = memory.layout;
    this.error = null;
    const end = sync[END];
    for (;;) {
      const first = sync[FIRST] + Atomics.add(sync, NEXT, 1) * chunk;
      if (first >= end) return;
      const last = Math.min(first + chunk, end);
      try {
        crossRows(memory, what, first, last);
        this.core.hasEnded = false;
        const result = this.perform(what, first, last);
        if (typeof result === 'number') Atomics.add(sync, SUM, result);
        else await result;
        showRows(memory, this.core, what, first, last);
      } catch (error) {
        this.keep(error);
      }
    }
  }
}

/** What a worker thread is given. */
export interface ThreadData {
  readonly config: ServerConfig;
  readonly copy: SharedArrayBuffer | null;
  readonly sync: SharedArrayBuffer;
  readonly given: SharedArrayBuffer;
  readonly errors: SharedArrayBuffer;
  readonly index: number;
}

/** Writes an error where the first thread finds it: its game + 2, its length, then its text. */
const writeError = (errors: SharedArrayBuffer, index: number, error: Error | null): void => {
  const head = new Int32Array(errors, index * ERROR_BYTES, 2);
  head[0] = error === null ? 0 : error instanceof ActionError ? error.game + 2 : 1;
  if (error === null) return;
  const text = Buffer.from(error.message).subarray(0, ERROR_BYTES - 8);
  new Uint8Array(errors, index * ERROR_BYTES + 8, text.length).set(text);
  head[1] = text.length;
};

/** The loop of a worker thread. */
export const serveThread = async (share: ThreadShare, data: ThreadData): Promise<void> => {
  const { sync } = share;
  for (let seen = 0; ; ) {
    // The client may have died with this thread alone awake: the first thread ends the process then.
    if (Atomics.wait(sync, GENERATION, seen) === 'timed-out') continue;
    seen = Atomics.load(sync, GENERATION);
    if (work[sync[COMMAND]] === 'quit') return;
    await share.run();
    writeError(data.errors, data.index, share.error);
    Atomics.add(sync, DONE, 1);
    Atomics.notify(sync, DONE);
  }
};

export class ServerCrew {
  declare private readonly share: ThreadShare;
  declare private readonly sync: Int32Array;
  declare private readonly errors: SharedArrayBuffer;
  declare private readonly threads: number;

  private constructor(share: ThreadShare, sync: Int32Array, errors: SharedArrayBuffer, threads: number) {
    this.share = share;
    this.sync = sync;
    this.errors = errors;
    this.threads = threads;
  }

  /** Starts the other threads; resolves when all of them wait. */
  static async start(
    config: ServerConfig,
    memory: Memory,
    given: SharedArrayBuffer,
    makeShare: (sync: Int32Array) => ThreadShare,
  ): Promise<ServerCrew> {
    const sync = new SharedArrayBuffer(4 * SYNC_WORDS);
    const threads = config.workers - 1;
    const errors = new SharedArrayBuffer(ERROR_BYTES * Math.max(1, threads));
    const ready: Promise<void>[] = [];
    for (let index = 0; index < threads; index++) {
      const workerData: ThreadData = { config, copy: memory.copy, sync, given, errors, index };
      const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData, ...OWN_STREAMS });
      worker.on('error', (error) => {
        process.stderr.write(`lepanto server, thread ${index + 1}: ${error.stack ?? error.message}\n`);
        process.exit(1);
      });
      ready.push(new Promise((resolve) => worker.once('message', () => resolve())));
    }
    await Promise.all(ready);
    const words = new Int32Array(sync);
    return new ServerCrew(makeShare(words), words, errors, threads);
  }

  private firstError(): Error | null {
    let found = this.share.error;
    let game = found instanceof ActionError ? found.game : -1;
    for (let index = 0; index < this.threads; index++) {
      const [mark, length] = new Int32Array(this.errors, index * ERROR_BYTES, 2);
      if (mark === 0 || (found !== null && mark - 2 >= game)) continue;
      game = mark - 2;
      const text = Buffer.from(new Uint8Array(this.errors, index * ERROR_BYTES + 8, length)).toString('utf8');
      found = game >= 0 ? new ActionError(game, text) : new Error(text);
    }
    return found;
  }

  /**
   * Does something with the chunks of rows first .. end, all threads together; first must begin a chunk.
   * @returns the sum of what the chunks returned
   * @throws the error of the lowest game that had one
   */
  async run(what: Work, first: number, end: number, a = 0, b = 0): Promise<number> {
    const { sync, threads } = this;
    sync[NEXT] = 0;
    sync[DONE] = 0;
    sync[COMMAND] = work.indexOf(what);
    sync[FIRST] = first;
    sync[END] = end;
    sync[ARGUMENT] = a;
    sync[ARGUMENT + 1] = b;
    sync[SUM] = 0;
    if (threads > 0) {
      Atomics.add(sync, GENERATION, 1);
      Atomics.notify(sync, GENERATION);
    }
    await this.share.run();
    for (let done = Atomics.load(sync, DONE); done < threads; done = Atomics.load(sync, DONE))
      Atomics.wait(sync, DONE, done);
    const error = this.firstError();
    if (error !== null) throw error;
    return sync[SUM];
  }
}
