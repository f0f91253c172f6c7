// Ends a server when its client is gone although the pipe is still open: a child of the client may have kept its end. This
// is a thread outside the pool, because it must run while the first thread blocks and must not keep the process alive.
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const EVERY_MS = 500;

/** Watches the process of the client from here on. Its streams are its own: piped to ours they would unblock the pipes. */
export const endWithClient = (parent: number): void =>
  new Worker(new URL(import.meta.url), { workerData: { parent }, stdout: true, stderr: true }).unref();

if (!isMainThread) {
  const { parent } = workerData as { readonly parent: number };
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, EVERY_MS);
}
