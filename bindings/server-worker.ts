// One more thread of a batch server.
import { parentPort, workerData } from 'node:worker_threads';
import { Memory } from './server-memory.js';
import { Share, serveThread, type ThreadData } from './server-pool.js';
import { makeCore, setUp } from './server-setup.js';
import { printToStderr } from './server-streams.js';

printToStderr();
const data = workerData as ThreadData;
const setup = await setUp(data.config);
const memory = new Memory(setup.layout, data.config.fd, data.copy);
const core = makeCore(data.config, setup, memory, new Int32Array(data.given));
const share = new Share(core, memory, new Int32Array(data.sync));
parentPort?.postMessage('ready');
await serveThread(share, data);
