// The pipe between a client and its server. Requests and answers begin with a numbered frame of a fixed size
// (BATCH-PROTOCOL.md).
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
/** Longest line or body of a request, in bytes. Longer ones are refused. */
const LONGEST_BODY = 1 << 26;

/** Parses the frame of a request: command, number and four arguments. */
export const parseFrame = (frame: Buffer) => {
  const argument = (i: number): number => frame.readInt32LE(ARGUMENTS_AT + 4 * i);
  return {
    /** Letter of the command, from the tables in commands.ts. */
    command: String.fromCharCode(frame[0]),
    /** Number of the request, chosen by the client and repeated in the answer. */
    number: frame.readUInt32LE(NUMBER_AT),
    arguments: [argument(0), argument(1), argument(2), argument(3)] as const,
  };
};
export type ServerRequest = Readonly<ReturnType<typeof parseFrame>>;

/** Returns the body of an answer to `echo`: the arguments of the request. */
export const echoOf = ({ arguments: given }: ServerRequest): Buffer => Buffer.from(Int32Array.from(given).buffer);

/** Returns the name of an error for the client: 'ValueError' for errors with code 'record'. */
const kindOf = (error: Error): string => (hasCode(error, 'record') ? 'ValueError' : error.name);

/** Returns the body of an error answer: "NAME: MESSAGE", with the name and message of the error. */
export const describeError = (error: unknown): Buffer =>
  Buffer.from(error instanceof Error ? `${kindOf(error)}: ${error.message}` : String(error));

/** Error in the framing of the pipe. It ends the server, because the beginning of the next request is then unknown. */
export class PipeError extends Error {
  override readonly name = 'PipeError';
}

/**
 * Time that a read polls for the next request before it sleeps, in milliseconds. Waking a sleeping process on another
 * core takes about 60 us, twice the time of a request for one game. A client of single games sends its next request
 * within AWAKE_MS.
 */
const AWAKE_MS = 0.3;
/**
 * Maximum number of successive reads that skip polling. After a poll without a request one read skips it; each further
 * poll without a request doubles the number of reads that skip it.
 */
const MOST_SLEEPS = 1024;

/**
 * Opens stdin for non-blocking reads, and returns its file descriptor. Returns undefined if that is not possible, or if
 * there is only one core.
 */
const openWithoutWaiting = (): number | undefined => {
  if (process.platform !== 'linux' || availableParallelism() < 2) return undefined;
  try {
    return openSync('/proc/self/fd/0', constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
};

/** Reads requests from stdin with blocking reads, because a server is idle between commands. */
export class Pipe {
  private readonly buffer: Buffer = Buffer.alloc(1 << 16);
  private at = 0;
  private end = 0;
  private readonly awake = openWithoutWaiting();
  /**
   * `sleeps`: number of reads that still skip polling. `nextSleeps`: number of reads that will skip it after the next
   * poll without a request.
   */
  private sleeps = 0;
  private nextSleeps = 1;

  /** Waits for bytes and replaces the buffer by them. Returns false at the end of the pipe. */
  private fill(): boolean {
    this.at = 0;
    this.end = this.readAwake() ?? this.read(STDIN);
    return this.end > 0;
  }

  /** Reads bytes from a file descriptor into the buffer. Returns their number, or 0 at the end of the pipe. */
  private read(fd: number): number {
    try {
      return readSync(fd, this.buffer, 0, this.buffer.length, null);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EOF') throw error;
      return 0;
    }
  }

  /**
   * Polls for bytes without sleeping, and reads them into the buffer. Returns their number, 0 at the end of the pipe,
   * and undefined if none come within AWAKE_MS or if this read skips polling.
   */
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

  /**
   * Reads the next line, without its newline.
   * @throws PipeError if the pipe ends before a newline, or if the line is longer than LONGEST_BODY
   */
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

  /**
   * Reads the body of a request.
   * @param length number of bytes
   * @throws PipeError if the pipe ends within the body, or for a length below 0 or above LONGEST_BODY
   */
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

  /**
   * Reads the next request, or returns null at the end of the pipe. Skips zeros before the request, which clients use
   * as padding.
   * @throws PipeError if the pipe ends within the request
   */
  request(): ServerRequest | null {
    for (;;) {
      if (this.at === this.end && !this.fill()) return null;
      if (this.buffer[this.at] !== 0) break;
      this.at++;
    }
    return parseFrame(this.body(FRAME_BYTES));
  }
}

/** Writes all bytes to stdout, which the client reads. Blocks until they are written. */
export const writeOut = (bytes: Uint8Array): void => {
  for (let done = 0; done < bytes.length; ) done += writeSync(STDOUT, bytes, done);
};

/**
 * Writes the answer to a request to the client at once.
 * @param mark '.' for a value and a body, '!' for an error, whose text is the body
 * @param number number of the answered request
 */
export const answer = (mark: '.' | '!', number: number, value: number, body: Uint8Array): void => {
  const frame = Buffer.alloc(FRAME_BYTES + body.length, 0);
  frame[0] = mark.charCodeAt(0);
  frame.writeUInt32LE(number, NUMBER_AT);
  frame.writeDoubleLE(value, VALUE_AT);
  frame.writeUInt32LE(body.length, LENGTH_AT);
  frame.set(body, FRAME_BYTES);
  writeOut(frame);
};

/**
 * Runs a server and then ends the process, with code 1 after an error. Writes an error to the client, as a line of
 * JSON, and to stderr.
 * @param name name of the command in messages to stderr
 */
export const runServer = async (name: string, serve: () => Promise<void>): Promise<never> => {
  printToStderr();
  try {
    await serve();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // EPIPE: the client has ended and does not read the error.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') {
      writeOut(Buffer.from(`${JSON.stringify({ error: `${describeError(error)}` })}\n`));
      process.stderr.write(`lepanto ${name}: ${message}\n`);
    }
    process.exit(1);
  }
  process.exit(0);
};
