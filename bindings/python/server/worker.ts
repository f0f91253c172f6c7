// A thread of a batch server, beside the first one.
import { workerData } from 'node:worker_threads';
// Before anything that loads the engine.
import '../../../selfplay/workers/loan.js';
import { openNotes } from '../../../selfplay/workers/notes.js';
import { printToStderr } from '../../../selfplay/workers/streams.js';
import { setUp } from './config.js';
import { Core } from './core.js';
import { Memory } from './memory.js';
import { loadOpponents } from './opponents.js';
import { serveThread, type ThreadData, ThreadShare } from './share.js';

printToStderr();
const { config, copy, shared, thread, faults, notes } = workerData as ThreadData;
openNotes(notes);
const setup = setUp(config);
const agents = await loadOpponents(setup.map, config.opponents);
const memory = new Memory(setup.layout, config.fd, copy);
const core = new Core(config, setup, agents, memory, shared);
await serveThread(new ThreadShare(core, memory, shared, thread, faults));
