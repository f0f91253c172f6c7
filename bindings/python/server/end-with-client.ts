// Ends a server when its client has ended but the pipe is still open, because a child of the client inherited it. Runs in a
// thread outside the pool, because it must run while the first thread blocks and must not keep the process alive.
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const EVERY_MS = 500;

/**
 * Kills this process when the client ends. The watching thread has its own output streams, because piping them to those
 * of this process would make these non-blocking.
 * @param parent process id of the client
 */
export const endWithClient = (parent: number): void =>
  new Worker(new URL(import.meta.url), { workerData: { parent }, stdout: true, stderr: true }).unref();

if (!isMainThread) {
  const { parent } = workerData as { readonly parent: number };
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, EVERY_MS);
}
