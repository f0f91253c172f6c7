// A thread of a batch server, other than the first one: a call of a pool that does not end.
import { printToStderr } from '../../../selfplay/crew/streams.js';
import { setUp } from './config.js';
import { Core } from './core.js';
import { Memory } from './memory.js';
import { loadOpponents } from './opponents.js';
import { serveThread, type ThreadData, ThreadShare } from './share.js';

/** Serves the commands of the batch. Rejects if an agent cannot be loaded. */
export const serve = async ({ config, copy, shared, thread, faults }: ThreadData): Promise<never> => {
  printToStderr();
  const setup = setUp(config);
  const agents = await loadOpponents(setup.map, config.opponents);
  const memory = new Memory(setup.layout, config.fd, copy);
  const core = new Core(config, setup, agents, memory, shared);
  return serveThread(new ThreadShare(core, memory, shared, thread, faults));
};
