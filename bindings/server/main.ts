// The batch server: the child process that a client of another language steps games with.
//
// The client opens a file of shared memory, starts this with the file as an inherited descriptor, and writes one line of
// JSON (ServerConfig). The answer is a line of JSON too: the table of arrays, the map and its vocabulary. After that every
// command is one byte on the pipe, with its arguments in the array `control`, and is answered by one byte: '.' or, if it
// failed, '!' with the length (u32, little-endian) and the text of the error.
//
//   s  plays a phase of games control[0] .. control[1]    d  describes games control[0] .. control[1]
//   p  random steps, control[2] of them by sampler [3]    l  takes over positions that the client wrote (mask)
//   r  resets the games of mask with their seeds          x  plays game control[2] with the actions of control[3] children
//   e  the engine alone for control[2] milliseconds, sampler [3]
//   j  a line of JSON, answered by '.', a length and JSON q  ends; so does the end of the pipe
import { ftruncateSync, readSync, writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { scoreNames, stateLayout, vocabulary } from '../../engine/internal.js';
import { lepantoVersion } from '../../selfplay/records/version.js';
import { givenSize, makeCore, readConfig, type ServerConfig, type Setup, setUp } from './config.js';
import { OWN_STREAMS, ServerCrew, ThreadShare } from './crew.js';
import { Memory } from './memory.js';
import { printToStderr } from './streams.js';

const STDIN = 0;
const STDOUT = 1;
const LONGEST_LINE = 1 << 26;

/** Blocking reads of the pipe. */
class Pipe {
  declare private buffer: Buffer;
  declare private at: number;
  declare private end: number;
  constructor() {
    this.buffer = Buffer.alloc(1 << 16);
    this.at = 0;
    this.end = 0;
  }
  /** The next byte; -1 at the end of the pipe. */
  byte(): number {
    if (this.at === this.end) {
      this.end = this.read();
      this.at = 0;
      if (this.end === 0) return -1;
    }
    return this.buffer[this.at++];
  }
  private read(): number {
    try {
      return readSync(STDIN, this.buffer, 0, this.buffer.length, null);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EOF') return 0;
      throw error;
    }
  }
  line(): string {
    const parts: Buffer[] = [];
    for (let size = 0; ; ) {
      if (this.at === this.end) {
        this.end = this.read();
        this.at = 0;
        if (this.end === 0) throw new Error('pipe: got its end within a line');
      }
      const found = this.buffer.indexOf(10, this.at);
      const stop = found >= 0 && found < this.end ? found : this.end;
      parts.push(Buffer.from(this.buffer.subarray(this.at, stop)));
      size += stop - this.at;
      if (size > LONGEST_LINE) throw new Error(`pipe: got a line of more than ${LONGEST_LINE} bytes`);
      this.at = stop < this.end ? stop + 1 : stop;
      if (stop < this.end) return Buffer.concat(parts).toString('utf8');
    }
  }
}

const write = (bytes: Uint8Array): void => {
  for (let done = 0; done < bytes.length; ) done += writeSync(STDOUT, bytes, done);
};

const withLength = (mark: string, text: string): Buffer => {
  const body = Buffer.from(text);
  const head = Buffer.alloc(5, mark);
  head.writeUInt32LE(body.length, 1);
  return Buffer.concat([head, body]);
};

const DONE = Buffer.from('.');

const handshake = ({ map, rules, layout, agents }: Setup, memory: Memory): string => {
  const { orders } = vocabulary(map);
  const { stride, units, coasts, owners, contested, dislodged, maxDislodged } = stateLayout(map);
  return JSON.stringify({
    version: lepantoVersion,
    mapped: memory.isMapped,
    size: layout.size,
    arrays: layout.sections.map(({ name, dtype, shape, offset, kept }) => ({ name, dtype, shape, offset, kept })),
    games: layout.games,
    children: layout.children,
    chunk: layout.chunk,
    max_orders: layout.maxOrders,
    state: { stride, units, coasts, owners, contested, dislodged, max_dislodged: maxDislodged },
    map: {
      name: map.name,
      id: map.id,
      powers: map.powerNames,
      provinces: map.provinceTags,
      locations: map.locationTags,
      location_province: Array.from(map.locationProvince),
      centers: Array.from(map.centers, (p) => map.provinceTags[p]),
      start_year: map.startYear,
    },
    rules: { name: rules.name, id: rules.adjudication.id },
    scores: scoreNames,
    opponents: agents.flatMap((agent, q) => (agent === null ? [] : [map.powerNames[q]])),
    vocabulary: Array.from(orders),
  });
};

type Command = (pool: ServerCrew, control: Int32Array) => Promise<unknown>;

const commands = (config: ServerConfig, setup: Setup): Readonly<Record<string, Command>> => {
  const { games, chunk } = setup.layout;
  return {
    s: async (pool, control) => {
      const [first, end] = control;
      await pool.run('decode', first, end);
      await pool.run('apply', first, end);
    },
    d: (pool, control) => pool.run('describe', control[0], control[1]),
    p: async (pool, control) => {
      const played = await pool.run('random', control[0], control[1], control[2], control[3]);
      control[8] = played;
    },
    e: async (pool, control) => {
      // A chunk for each thread: of no games.
      control[8] = await pool.run('engine', 0, config.workers * chunk, control[2], control[3]);
    },
    r: async (pool) => {
      await pool.run('reset', 0, games);
      await pool.run('describe', 0, games);
    },
    l: async (pool) => {
      await pool.run('check', 0, games);
      await pool.run('describe', 0, games);
    },
    x: async (pool, control) => {
      const end = games + control[3];
      await pool.run('copy', games, end, control[2]);
      await pool.run('decode', games, end);
      await pool.run('apply', games, end);
    },
  };
};

const serve = async (
  pipe: Pipe,
  config: ServerConfig,
  setup: Setup,
  memory: Memory,
  pool: ServerCrew,
): Promise<void> => {
  const table = commands(config, setup);
  const control = memory.int32('control');
  for (let byte = pipe.byte(); byte >= 0; byte = pipe.byte()) {
    const command = String.fromCharCode(byte);
    if (command === 'q') return;
    try {
      if (command === 'j') {
        // Loaded when it is first wanted: a batch that only steps starts without it.
        const { answerControl } = await import('./control.js');
        write(withLength('.', JSON.stringify(answerControl(setup, memory, JSON.parse(pipe.line())) ?? null)));
        continue;
      }
      const run = Object.hasOwn(table, command) ? table[command] : null;
      if (run === null) throw new RangeError(`command: got ${JSON.stringify(command)}, wanted one of sdprlxejq`);
      memory.pull('control', 0, control.length);
      await run(pool, control);
      if (command === 'p' || command === 'e') memory.push('control', 0, control.length);
      write(DONE);
    } catch (error) {
      write(withLength('!', error instanceof Error ? `${error.name}: ${error.message}` : String(error)));
    }
  }
};

const start = async (pipe: Pipe, config: ServerConfig): Promise<void> => {
  const setup = await setUp(config);
  ftruncateSync(config.fd, setup.layout.size);
  const memory = new Memory(setup.layout, config.fd);
  const given = new SharedArrayBuffer(4 * givenSize(setup.map, setup.layout));
  const pool = await ServerCrew.start(config, memory, given, (sync) => {
    return new ThreadShare(makeCore(config, setup, memory, new Int32Array(given)), memory, sync);
  });
  new Worker(new URL('./watch.js', import.meta.url), {
    workerData: { parent: config.parent },
    ...OWN_STREAMS,
  }).unref();
  write(Buffer.from(`${handshake(setup, memory)}\n`));
  await serve(pipe, config, setup, memory, pool);
};

const main = async (): Promise<void> => {
  printToStderr();
  const pipe = new Pipe();
  try {
    await start(pipe, readConfig(JSON.parse(pipe.line())));
    process.exit(0);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // A client that is gone reads no answer.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') {
      write(Buffer.from(`${JSON.stringify({ error: message })}\n`));
      process.stderr.write(`lepanto server: ${message}\n`);
    }
    process.exit(1);
  }
};

await main();
