// Standard output belongs to the command, or to the client of a server: what code of users prints must not mix with it.
import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';

const STDERR = 2;
/** A reader that is slow is waited for this long in all; then what was to be printed is lost. */
const PATIENCE_MS = 1000;

const clock = new Int32Array(new SharedArrayBuffer(4));

/** Also where the other end does not wait: a pipe may be full for a moment. */
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

/** In the calling thread: whatever is printed goes to stderr, at once, so that it is not lost if the thread ends. */
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
  // The client may be gone.
  sink.on('error', () => {});
  for (const name of ['stdout', 'stderr']) Object.defineProperty(process, name, { get: () => sink });
};
