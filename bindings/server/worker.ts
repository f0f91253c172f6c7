// One more thread of a batch server.
import { parentPort, workerData } from 'node:worker_threads';
import { makeCore, setUp } from './config.js';
import { serveThread, type ThreadData, ThreadShare } from './crew.js';
import { Memory } from './memory.js';
import { printToStderr } from './streams.js';

printToStderr();
const data = workerData as ThreadData;
const setup = await setUp(data.config);
const memory = new Memory(setup.layout, data.config.fd, data.copy);
const core = makeCore(data.config, setup, memory, new Int32Array(data.given));
const share = new ThreadShare(core, memory, new Int32Array(data.sync));
parentPort?.postMessage('ready');
await serveThread(share, data);
