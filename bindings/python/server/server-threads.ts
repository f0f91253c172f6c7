// Threads of a batch server: a crew (selfplay/crew/crew.ts) whose chunks are rows of games, or tasks such as rollouts.
import { Claimer } from '../../../selfplay/crew/claims.js';
import { Crew } from '../../../selfplay/crew/crew.js';
import type { Faults } from '../../../selfplay/crew/faults.js';
import { ChunkPlayer, isStepping, roundOf, rowsOf } from './chunk-player.js';
import type { ServerConfig } from './config.js';
import type { Core, Work } from './core.js';
import type { ThreadMemory } from './games.js';
import type { Memory } from './memory.js';

export interface ServerThreadsOptions {
  readonly config: ServerConfig;
  readonly memory: Memory;
  readonly shared: ThreadMemory;
  /** The object that performs work in the server's first thread. */
  readonly core: Core;
  /** For tests: simulated faults in all threads but the first. */
  readonly faults?: Faults;
}

/** Data with which a thread starts. */
export interface ThreadData {
  readonly config: ServerConfig;
  /** Copy of the arrays that all threads share, if the client's file is not mapped; null if it is. */
  readonly copy: SharedArrayBuffer | null;
  readonly shared: ThreadMemory;
  readonly thread: number;
  readonly faults: Faults | undefined;
}

const serverWorker = new URL('./worker.js', import.meta.url).href;

export class ServerThreads {
  declare readonly crew: Crew;
  /** Arguments of the current round of work, as roundOf() returns them. */
  private round: readonly number[] = [];

  constructor(private readonly options: ServerThreadsOptions) {
    const { config, memory, shared, core, faults } = options;
    const { workers, choiceMs } = config;
    const player = new ChunkPlayer(core, memory, null);
    this.crew = new Crew({
      workers,
      memory: shared.claims,
      callOf: (thread) => {
        const data: ThreadData = { config, copy: memory.copy, shared, thread, faults };
        return { module: serverWorker, name: 'serve', data };
      },
      first: new Claimer(shared.claims, workers, player),
      choiceMs,
      onLost: (thread, chunk) => this.restore(thread, chunk),
      ...(faults && { faults }),
    });
  }

  /**
   * Performs work on rows first .. end - 1 with all threads, a chunk at a time. `first` must begin a chunk.
   * @param a first argument of the work
   * @param b second argument of the work
   * @returns the sum of the chunks' results
   * @throws as Crew.play()
   */
  run(what: Work, first: number, end: number, a = 0, b = 0): Promise<number> {
    const { chunk } = this.options.memory.layout;
    this.round = roundOf(what, first, end, a, b);
    const nameOf = (index: number): string => {
      const [from, to] = rowsOf(index, this.round, chunk);
      return `${what} of games ${from} to ${to - 1}`;
    };
    const chunks = Math.max(0, Math.ceil((end - first) / chunk));
    return this.crew.play(chunks, this.round, nameOf);
  }

  /**
   * Performs work without rows with all threads, as a number of tasks. Returns the sum of the tasks' results.
   * @param a first argument of the work
   * @param b second argument of the work
   * @throws as Crew.play()
   */
  runTasks(what: Work, tasks: number, a = 0, b = 0): Promise<number> {
    this.round = roundOf(what, 0, 0, a, b);
    return this.crew.play(tasks, this.round, (task) => `${what}, task ${task}`);
  }

  /** Restores the rows of a chunk after its thread crashed, if the work of the round had changed them. */
  private restore(thread: number, chunk: number): void {
    const { memory } = this.options;
    if (isStepping(this.round)) memory.restoreRows(thread, ...rowsOf(chunk, this.round, memory.layout.chunk));
  }
}
