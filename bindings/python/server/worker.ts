// Thread of a batch server other than the first: a call of a thread pool that performs chunks until it is dismissed.
import { Claimer } from '../../../selfplay/crew/claims.js';
import { printToStderr } from '../../../selfplay/crew/streams.js';
import { ChunkPlayer } from './chunk-player.js';
import { setUp } from './config.js';
import { Core } from './core.js';
import { Memory } from './memory.js';
import type { ThreadData } from './server-threads.js';

const makeParts = ({ config, copy, shared }: ThreadData): [Core, Memory] => {
  printToStderr();
  const setup = setUp(config);
  const memory = new Memory(setup.layout, config.fd, copy);
  return [new Core(config, setup, memory, shared), memory];
};

/**
 * Work and memory of this thread, kept between calls of serve(), because a thread may leave the batch for another task
 * of its pool and return.
 */
let parts: [Core, Memory] | undefined;

/** Performs chunks of the batch until the thread is dismissed. */
export const serve = async (data: ThreadData): Promise<void> => {
  parts ??= makeParts(data);
  const [core, memory] = parts;
  const { shared, thread, faults } = data;
  const player = new ChunkPlayer(core, memory, thread, faults);
  await new Claimer(shared.claims, thread, player, faults).stay();
};
