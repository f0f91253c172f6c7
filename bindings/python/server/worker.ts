// A thread of a batch server, other than the first one: a call of a pool that plays until it is dismissed.
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

/** A thread that has left the batch for another call may come back to it. */
let parts: [Core, Memory] | undefined;

/** Plays chunks of the batch. */
export const serve = async (data: ThreadData): Promise<void> => {
  parts ??= makeParts(data);
  const [core, memory] = parts;
  const { shared, thread, faults } = data;
  const player = new ChunkPlayer(core, memory, thread, faults);
  await new Claimer(shared.claims, thread, player, faults).stay();
};
