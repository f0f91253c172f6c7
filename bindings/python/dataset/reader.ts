// The reader of datasets: the child process that reads recorded games into batches for a client of another language.
//
// It is started, mapped and spoken to as the batch server is (server/PROTOCOL.md): a line of JSON (ReaderConfig), a line
// of JSON as the answer, then requests and answers of fixed size (commands.ts). Its workers are a pool of selfplay/crew, because its
// tasks take milliseconds.
//
// Several requests may be under way: their samples are taken, and they are answered, in the order in which they came.
import { ftruncateSync } from 'node:fs';
import { LepantoError } from '../../../engine/rules/error.js';
import { makePool, type Pool } from '../../../selfplay/crew/pool.js';
import { lepantoVersion } from '../../../selfplay/version.js';
import { describeMap } from '../../formats/arrays/describe-map.js';
import { SharedArrays } from '../../formats/arrays/shared-arrays.js';
import type { EncodeTask } from '../../formats/dataset/encode-rows.js';
import { type Files, findGames, openFiles, type Places } from '../../formats/dataset/find-games.js';
import { checkPowers, type ReaderConfig, readReaderConfig } from '../../formats/dataset/reader-config.js';
import { layOutRows, ROWS_A_TASK, type RowLayout } from '../../formats/dataset/row-layout.js';
import { type Performers, performBy, pipeCommands, readerCommands } from '../server/commands.js';
import {
  answer,
  describeError,
  echoOf,
  FRAME_BYTES,
  parseFrame,
  runServer,
  type ServerRequest,
  writeOut,
} from '../server/pipe.js';
import { endWithClient } from '../server/watch.js';
import { SampleStream, type Taken } from './sample-stream.js';

const ENCODE = new URL('../../formats/dataset/encode-rows.js', import.meta.url).href;
const MOST_LINE = 1 << 24;

interface Answered {
  readonly value: number;
  readonly body: Buffer;
}

class Reader {
  private readonly memory: SharedArrays;
  private readonly pool: Pool;
  private readonly stream: SampleStream;
  /** The last request whose samples are being taken, and the last that is being answered. */
  private taken: Promise<unknown> = Promise.resolve();
  private answered: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly config: ReaderConfig,
    private readonly layout: RowLayout,
    places: Places,
  ) {
    this.memory = new SharedArrays(layout, config.fd);
    this.pool = makePool({ workers: config.workers });
    this.stream = new SampleStream(config, places, this.pool);
  }

  handshake({ files, agents, map, rules, missing }: Files, { count }: Places): string {
    return JSON.stringify({
      version: lepantoVersion,
      commands: { ...readerCommands, ...pipeCommands },
      mapped: this.memory.isMapped,
      size: this.layout.size,
      arrays: this.layout.shown.map(({ name, dtype, shape, offset }) => ({ name, dtype, shape, offset })),
      max_orders: this.layout.maxOrders,
      lists: this.layout.lists,
      rows_a_chunk: ROWS_A_TASK,
      map: describeMap(map),
      rules: { name: rules.name, id: rules.adjudication.id },
      games: count,
      files: files.map(({ path }) => path),
      missing,
      agents: [...agents.keys()],
    });
  }

  /** Begins a request at once, and answers it when those before it have been answered. */
  handle(request: ServerRequest): void {
    const { number } = request;
    const done = this.perform(request);
    const before = this.answered;
    this.answered = (async () => {
      try {
        await before;
        const { value, body } = await done;
        answer('.', number, value, body);
      } catch (error) {
        answer('!', number, 0, describeError(error));
      }
    })();
    // It is looked at later, when those before it are done.
    done.catch(() => {});
  }

  private readonly performers: Performers<typeof readerCommands, Promise<Answered>> = {
    seek: async ({ epoch, window, at }) => {
      await this.inTurn(() => this.stream.seek({ epoch, window, at }));
      return { value: 0, body: Buffer.alloc(0) };
    },
    // The body says where the epoch continues after the samples, and what has been read so far.
    take: async ({ slot }) => {
      if (slot < 0 || slot >= this.config.slots)
        throw new LepantoError('argument', `slot: got ${slot}, wanted 0 to ${this.config.slots - 1}`);
      return this.write(slot, await this.inTurn(() => this.stream.take(this.config.batchSize)));
    },
  };
  private readonly performOwn = performBy(readerCommands, this.performers);
  private async perform(request: ServerRequest): Promise<Answered> {
    const isEcho = request.command === pipeCommands.echo.letter;
    return isEcho ? { value: 0, body: echoOf(request) } : this.performOwn(request);
  }

  /** Uses the stream after the requests before have used it. */
  private inTurn<T>(use: () => T | Promise<T>): Promise<T> {
    const used = this.taken.then(use);
    this.taken = used.catch(() => {});
    return used;
  }

  private async write(slot: number, { blocks, samples, position }: Taken): Promise<Answered> {
    const count = samples.length / 3;
    const tasks: Promise<void>[] = [];
    for (let first = 0; first < count; first += ROWS_A_TASK)
      tasks.push(this.encode(slot, first, blocks, samples.subarray(3 * first, 3 * (first + ROWS_A_TASK))));
    await Promise.all(tasks);
    return { value: count, body: Buffer.from(JSON.stringify({ ...position, ...this.stream.tally })) };
  }

  private encode(
    slot: number,
    first: number,
    blocks: readonly SharedArrayBuffer[],
    samples: Int32Array,
  ): Promise<void> {
    const { config, memory } = this;
    // A copy: the whole list would travel with each part of it.
    const data: EncodeTask = { config, copy: memory.copy, slot, first, blocks, samples: samples.slice() };
    return this.pool.call({ module: ENCODE, name: 'encodeRows', data }, { label: `samples of slot ${slot}` });
  }
}

const start = (line: string): Reader => {
  const config = readReaderConfig(JSON.parse(line));
  const files = openFiles(config);
  checkPowers(config, files.map);
  const places = findGames(files);
  const layout = layOutRows(files.map, config);
  ftruncateSync(config.fd, layout.size);
  const reader = new Reader(config, layout, places);
  const { parent } = config;
  endWithClient(parent);
  writeOut(Buffer.from(`${reader.handshake(files, places)}\n`));
  return reader;
};

/** Hands each request of the client to the reader, until the client wants no more. */
const serve = async (): Promise<void> => {
  let reader: Reader | null = null;
  let rest = Buffer.alloc(0);
  for await (const data of process.stdin) {
    rest = Buffer.concat([rest, data as Buffer]);
    if (reader === null) {
      const end = rest.indexOf(10);
      if (end < 0 && rest.length > MOST_LINE)
        throw new LepantoError('file', `pipe: got a line of more than ${MOST_LINE} bytes`);
      if (end < 0) continue;
      reader = start(rest.toString('utf8', 0, end));
      rest = rest.subarray(end + 1);
    }
    for (;;) {
      // Zeros before a request: a client may fill up with them.
      while (rest.length > 0 && rest[0] === 0) rest = rest.subarray(1);
      if (rest.length < FRAME_BYTES) break;
      const request = parseFrame(rest.subarray(0, FRAME_BYTES));
      rest = rest.subarray(FRAME_BYTES);
      if (request.command === pipeCommands.quit.letter) return;
      reader.handle(request);
    }
  }
};

await runServer('dataset', serve);
