// Redirects output of user code to stderr. Standard output is reserved for the command, or for the client of a server.
import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';

const STDERR = 2;
/**
 * Maximum time that one write waits for a slow reader of stderr, in milliseconds. The rest of the output is then lost.
 */
const PATIENCE_MS = 1000;

const clock = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes all bytes to stderr. Waits while stderr is a full pipe.
 * @throws Error of the system, or if the pipe stays full for PATIENCE_MS
 */
const writeAll = (bytes: Uint8Array): void => {
  for (let at = 0, waited = 0; at < bytes.length; ) {
    try {
      at += writeSync(STDERR, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || waited++ === PATIENCE_MS) throw error;
      Atomics.wait(clock, 0, 0, 1);
    }
  }
};

/**
 * Redirects process.stdout and process.stderr of the calling thread to stderr. Writes are synchronous, so that no
 * output is lost if the thread ends.
 */
export const printToStderr = (): void => {
  const sink = new Writable({
    write: (chunk: Uint8Array, _encoding, done) => {
      try {
        writeAll(chunk);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
  // Ignores write errors: the reader of stderr may have closed it.
  sink.on('error', () => {});
  for (const name of ['stdout', 'stderr']) Object.defineProperty(process, name, { get: () => sink });
};
