// The threads of a batch: a crew (selfplay/crew/crew.ts) whose chunks are rows of games, or rollouts.
import { Claimer } from '../../../selfplay/crew/claims.js';
import { Crew } from '../../../selfplay/crew/crew.js';
import type { Faults } from '../../../selfplay/crew/faults.js';
import { ChunkPlayer, isStepping, KEPT_STRIDE, roundOf, type ThreadMemory } from './chunk-player.js';
import type { ServerConfig } from './config.js';
import type { Core, Work } from './core.js';
import type { Memory } from './memory.js';

export interface ServerThreadsOptions {
  readonly config: ServerConfig;
  readonly memory: Memory;
  readonly shared: ThreadMemory;
  /** What the first thread plays with; null if it does not play. */
  readonly core: Core | null;
  /** Threads that are slow are replaced so many times at most. Default: twice as often as there are workers. */
  readonly mostReplacements?: number;
  /** For tests: what is to go wrong in the first thread, and in the others. */
  readonly firstFaults?: Faults;
  readonly faults?: Faults;
}

/** What a thread is given. */
export interface ThreadData {
  readonly config: ServerConfig;
  /** The copy of the games that all threads share; null if their memory is mapped. */
  readonly copy: SharedArrayBuffer | null;
  readonly shared: ThreadMemory;
  readonly thread: number;
  readonly faults: Faults | undefined;
}

const serverWorker = new URL('./worker.js', import.meta.url).href;

export class ServerThreads {
  declare readonly crew: Crew;
  /** Rows that the round steps; null if it steps none. */
  private stepped: readonly [first: number, end: number] | null = null;

  constructor(private readonly options: ServerThreadsOptions) {
    const { config, memory, shared, core, mostReplacements, firstFaults, faults } = options;
    const { workers, choiceMs } = config;
    const player = core && new ChunkPlayer(core, memory, shared, null, firstFaults);
    this.crew = new Crew({
      workers,
      memory: shared.claims,
      callOf: (thread) => {
        const data: ThreadData = { config, copy: memory.copy, shared, thread, faults };
        return { module: serverWorker, name: 'serve', data };
      },
      first: player && new Claimer(shared.claims, workers, player.play, firstFaults),
      choiceMs,
      onLost: (thread, chunk) => this.restore(thread, chunk),
      ...(mostReplacements !== undefined && { mostReplacements }),
      ...(faults && { faults }),
    });
  }

  /**
   * Does something with the chunks of rows first .. end, all threads together; first must begin a chunk.
   * @returns the sum of what the chunks returned
   * @throws as Crew.play()
   */
  run(what: Work, first: number, end: number, a = 0, b = 0): Promise<number> {
    const { chunk } = this.options.memory.layout;
    const isStep = isStepping(what);
    this.stepped = isStep ? [first, end] : null;
    const nameOf = (index: number): string => {
      const [from, to] = this.rowsOf(index, first, end);
      return `${what} of games ${from} to ${to - 1}`;
    };
    const chunks = Math.max(0, Math.ceil((end - first) / chunk));
    return this.crew.play(chunks, roundOf(what, first, end, a, b), nameOf, isStep);
  }

  /** Does work without rows: a number of tasks, all threads together. */
  runTasks(what: Work, tasks: number, a = 0, b = 0): Promise<number> {
    this.stepped = null;
    return this.crew.play(tasks, roundOf(what, 0, 0, a, b), (task) => `${what}, task ${task}`);
  }

  private rowsOf(chunk: number, first: number, end: number): [number, number] {
    const size = this.options.memory.layout.chunk;
    const from = first + chunk * size;
    return [from, Math.min(from + size, end)];
  }

  /** Puts the rows of a chunk back as they were. Before the thread had kept them it had not touched them. */
  private restore(thread: number, chunk: number): void {
    const { memory, shared } = this.options;
    if (this.stepped !== null && shared.kept[KEPT_STRIDE * thread] === chunk + 1)
      memory.restoreRows(thread, ...this.rowsOf(chunk, ...this.stepped));
  }
}
