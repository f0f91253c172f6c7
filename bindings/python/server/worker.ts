// A thread of a batch server, beside the first one.
import { workerData } from 'node:worker_threads';
// Before anything that loads the engine.
import '../../../selfplay/workers/loan.js';
import { openNotes } from '../../../selfplay/workers/notes.js';
import { printToStderr } from '../../../selfplay/workers/streams.js';
import { makeCore, setUp } from './config.js';
import { Memory } from './memory.js';
import { loadOpponents } from './opponents.js';
import { serveThread, type ThreadData, ThreadShare } from './share.js';

printToStderr();
const { config, copy, shared, thread, faults, notes } = workerData as ThreadData;
openNotes(notes);
const setup = setUp(config);
const agents = await loadOpponents(setup.map, config.opponents);
const memory = new Memory(setup.layout, config.fd, copy);
const core = makeCore(config, setup, agents, memory, shared.given, shared.agentTexts, shared.log, shared.past);
await serveThread(new ThreadShare(core, memory, shared, thread, faults));
