// Worker threads for one search after the other.

import { Piscina } from 'piscina';
import { threadArguments } from '../workers/threads.js';
import type { Sums } from './match.js';
import type { Crew, Task } from './monte-carlo.js';
import type { CrewTask } from './search-worker.js';

export interface CrewPool extends Crew {
  /** Ends the threads. */
  readonly close: () => Promise<void>;
}

/** Starts the threads. The map of a position must be one that loadMap() knows by name. */
export const makeCrew = (workers: number): CrewPool => {
  const pool = new Piscina<CrewTask, Sums[]>({
    filename: new URL('./search-worker.js', import.meta.url).href,
    execArgv: threadArguments,
    minThreads: workers,
    maxThreads: workers,
    idleTimeout: Number.POSITIVE_INFINITY,
    recordTiming: false,
  });
  return {
    workers,
    work: ({ game, candidates, options, seed }, tasks) => {
      const { map, rules, layout, bytes, offset } = game;
      const state = bytes.slice(offset, offset + layout.stride);
      const common = { map: map.name, mapId: map.id, rules: rules.name, state, candidates, options, seed };
      return Promise.all(tasks.map((task: Task) => pool.run({ ...common, task })));
    },
    close: () => pool.destroy(),
  };
};
