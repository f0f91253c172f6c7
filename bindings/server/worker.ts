// A thread of a batch server, beside the first one.
import { workerData } from 'node:worker_threads';
import { makeCore, setUp } from './config.js';
import { Memory } from './memory.js';
import { loadOpponents } from './opponents.js';
import { askedOf, serveThread, type ThreadData, ThreadShare } from './share.js';
import { printToStderr } from './streams.js';

printToStderr();
const { config, copy, shared, thread, faults } = workerData as ThreadData;
const setup = setUp(config);
const agents = await loadOpponents(setup.map, config.opponents);
const memory = new Memory(setup.layout, config.fd, copy);
const core = makeCore(config, setup, agents, memory, shared.given, askedOf(shared, thread));
await serveThread(new ThreadShare(core, memory, shared, thread, faults));
