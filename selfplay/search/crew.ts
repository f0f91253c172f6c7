// Makes the workers of a pool the crew of a search.
import type { Pool } from '../workers/pool.js';
import { packSetup } from '../workers/setup.js';
import type { Sums } from './match.js';
import type { Crew, PackedTask } from './task.js';

const module = new URL('./task.js', import.meta.url).href;

/**
 * The crew of searchMoves() that works in a pool, which its owner closes. Of a budget in rollouts the answer is the same
 * for any number of workers, also if some of them crash.
 */
export const crewOf = (pool: Pool): Crew => ({
  workers: pool.workers,
  work: ({ game, ...problem }, tasks) => {
    const { map, rules, layout, bytes, offset } = game;
    const setup = packSetup(map, rules);
    const state = bytes.slice(offset, offset + layout.stride);
    return Promise.all(
      tasks.map((task) => {
        const data: PackedTask = { ...problem, setup, state, task };
        return pool.call<Sums[]>({ module, name: 'doPackedTask', data }, { label: `search, ${task.kind}` });
      }),
    );
  },
});
