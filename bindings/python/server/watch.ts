// Ends the server when its client is gone although the pipe is still open: a child of the client may have kept its end.
import { workerData } from 'node:worker_threads';

const { parent } = workerData as { readonly parent: number };
const EVERY_MS = 500;

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, EVERY_MS);
