// The pipe between a client and its server: frames of fixed size, each with a number, as PROTOCOL.md lays them out.
import { constants, openSync, readSync, writeSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { hasCode } from '../../../engine/rules/error.js';
import { printToStderr } from '../../../selfplay/crew/streams.js';

const STDIN = 0;
const STDOUT = 1;

export const FRAME_BYTES = 24;
const NUMBER_AT = 4;
const ARGUMENTS_AT = 8;
const VALUE_AT = 8;
const LENGTH_AT = 16;
/** Bytes of a line or of a body: a request that is longer is none. */
const LONGEST_BODY = 1 << 26;

/** The request of a frame: what a client wants done. */
export const parseFrame = (frame: Buffer) => {
  const argument = (i: number): number => frame.readInt32LE(ARGUMENTS_AT + 4 * i);
  return {
    /** One character. */
    command: String.fromCharCode(frame[0]),
    /** The client's own; the answer has it too. */
    number: frame.readUInt32LE(NUMBER_AT),
    arguments: [argument(0), argument(1), argument(2), argument(3)] as const,
  };
};
export type ServerRequest = Readonly<ReturnType<typeof parseFrame>>;

/** The request that was echoed: its arguments, as the client compares them. */
export const echoOf = ({ arguments: given }: ServerRequest): Buffer => Buffer.from(Int32Array.from(given).buffer);

/** The kind of an error: 'ValueError' for a value that a request may not have. */
const kindOf = (error: Error): string => (hasCode(error, 'record') ? 'ValueError' : error.name);

/** What a refusal says: the kind of the error and what is wrong. */
export const describeError = (error: unknown): Buffer =>
  Buffer.from(error instanceof Error ? `${kindOf(error)}: ${error.message}` : String(error));

/** Ends the server: what comes next on the pipe could not be told apart. */
export class PipeError extends Error {
  override readonly name = 'PipeError';
}

/**
 * How long a read stays awake for the next request, in milliseconds. To wake a process that sleeps on another core takes some
 * 60 us, twice that of a request for one game; a client that plays game by game asks again sooner than this.
 */
const AWAKE_MS = 0.3;
/** Each time that this was in vain, twice as many reads as before sleep at once, up to so many. */
const MOST_SLEEPS = 1024;

/** Stdin for reads that do not wait; undefined where there is none, or one core alone. */
const openWithoutWaiting = (): number | undefined => {
  if (process.platform !== 'linux' || availableParallelism() < 2) return undefined;
  try {
    return openSync('/proc/self/fd/0', constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
};

/** Blocking reads and writes: between commands nothing else is to be done. */
export class Pipe {
  private readonly buffer: Buffer = Buffer.alloc(1 << 16);
  private at = 0;
  private end = 0;
  private readonly awake = openWithoutWaiting();
  /** Reads that are still to sleep at once, and their number after the next one in vain. */
  private sleeps = 0;
  private nextSleeps = 1;

  /** Waits for more bytes; false at the end of the pipe. */
  private fill(): boolean {
    this.at = 0;
    this.end = this.readAwake() ?? this.read(STDIN);
    return this.end > 0;
  }

  /** Reads bytes; returns their number, 0 at the end of the pipe. */
  private read(fd: number): number {
    try {
      return readSync(fd, this.buffer, 0, this.buffer.length, null);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EOF') throw error;
      return 0;
    }
  }

  /** read() without sleeping; undefined if nothing comes soon, or lately nothing came. */
  private readAwake(): number | undefined {
    if (this.awake === undefined || this.sleeps-- > 0) return undefined;
    const end = performance.now() + AWAKE_MS;
    do {
      try {
        const count = this.read(this.awake);
        this.nextSleeps = 1;
        return count;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      }
    } while (performance.now() < end);
    this.sleeps = this.nextSleeps;
    this.nextSleeps = Math.min(2 * this.nextSleeps, MOST_SLEEPS);
    return undefined;
  }

  /** The next line, without its end. @throws PipeError if there is none */
  line(): string {
    const parts: Buffer[] = [];
    for (let size = 0; ; ) {
      if (this.at === this.end && !this.fill()) throw new PipeError('pipe: got its end within a line');
      const found = this.buffer.subarray(0, this.end).indexOf(10, this.at);
      const stop = found >= 0 ? found : this.end;
      parts.push(Buffer.from(this.buffer.subarray(this.at, stop)));
      size += stop - this.at;
      if (size > LONGEST_BODY) throw new PipeError(`pipe: got a line of more than ${LONGEST_BODY} bytes`);
      this.at = found >= 0 ? found + 1 : stop;
      if (found >= 0) return Buffer.concat(parts).toString('utf8');
    }
  }

  /** So many bytes. @throws PipeError at the end of the pipe, or if they are more than a body may have */
  body(length: number): Buffer {
    if (length < 0 || length > LONGEST_BODY)
      throw new PipeError(`pipe: got a body of ${length} bytes, wanted at most ${LONGEST_BODY}`);
    const body = Buffer.alloc(length);
    for (let done = 0; done < length; ) {
      if (this.at === this.end && !this.fill()) throw new PipeError('pipe: got its end within a request');
      const count = this.buffer.copy(body, done, this.at, this.end);
      this.at += count;
      done += count;
    }
    return body;
  }

  /** The next request; null at the end of the pipe. Zeros before it are skipped: a client may fill up with them. */
  request(): ServerRequest | null {
    for (;;) {
      if (this.at === this.end && !this.fill()) return null;
      if (this.buffer[this.at] !== 0) break;
      this.at++;
    }
    return parseFrame(this.body(FRAME_BYTES));
  }
}

/** Writes bytes to the client, all of them. */
export const writeOut = (bytes: Uint8Array): void => {
  for (let done = 0; done < bytes.length; ) done += writeSync(STDOUT, bytes, done);
};

/** Answers a request in one piece: with a value and a body, or with '!' and the text of an error. */
export const answer = (mark: '.' | '!', number: number, value: number, body: Uint8Array): void => {
  const frame = Buffer.alloc(FRAME_BYTES + body.length, 0);
  frame[0] = mark.charCodeAt(0);
  frame.writeUInt32LE(number, NUMBER_AT);
  frame.writeDoubleLE(value, VALUE_AT);
  frame.writeUInt32LE(body.length, LENGTH_AT);
  frame.set(body, FRAME_BYTES);
  writeOut(frame);
};

/** Serves the client of this process, and ends it. What goes wrong is told to the client and to the terminal. */
export const runServer = async (name: string, serve: () => Promise<void>): Promise<never> => {
  printToStderr();
  try {
    await serve();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // A client that is gone reads no answer.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') {
      writeOut(Buffer.from(`${JSON.stringify({ error: `${describeError(error)}` })}\n`));
      process.stderr.write(`lepanto ${name}: ${message}\n`);
    }
    process.exit(1);
  }
  process.exit(0);
};
