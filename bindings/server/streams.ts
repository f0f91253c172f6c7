// The server's stdout is its channel to the client. Node would make a pipe non-blocking as soon as anything looks at
// process.stdout, and what an agent of a user prints there would be read as an answer.
import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';

const STDERR = 2;

/** In the calling thread: whatever is printed goes to stderr, at once. */
export const printToStderr = (): void => {
  const sink = new Writable({
    write: (chunk: Uint8Array, _encoding, done) => {
      try {
        writeSync(STDERR, chunk);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
  // The client may be gone: nobody reads then.
  sink.on('error', () => {});
  for (const name of ['stdout', 'stderr']) Object.defineProperty(process, name, { get: () => sink });
};
