// Answers JSON lines with JSON lines: the code that `lepanto adjudicate` and `lepanto legal` share.
import { createReadStream } from 'node:fs';
import type { Writable } from 'node:stream';
import type { CompiledMap } from '../../../engine/internal.js';
import { hasCode, LepantoError } from '../../../engine/rules/error.js';
import { type RecordId, readId } from '../../notation/json/adjudicate-record.js';
import type { RuleSet } from '../../notation/text/rule-set.js';
import { mapOptions, readArguments, readMap, readRules } from './options.js';
import { writeText } from './output.js';
import { startProgress } from './progress.js';
import { checkInput, oneOf, UsageError } from './usage.js';

/** The longest line that is read, in bytes. */
export const MAX_LINE = 1 << 22;

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = '\uFEFF';

/** A line of the input; null for one that is longer than MAX_LINE. */
export type InputLine = string | null;

/** First size of the buffer of a text; it grows. */
const FIRST_ROOM = 1 << 12;

/**
 * Joins the parts of a text in one buffer of at most twice its size, however small the parts are. Nothing is kept of a text
 * longer than MAX_LINE.
 */
class Gathering {
  declare private room: Buffer;
  /** Bytes, also of a text that is too long. */
  declare size: number;

  constructor() {
    this.room = Buffer.alloc(0);
    this.size = 0;
  }

  add(part: Buffer): void {
    const size = this.size + part.length;
    if (size <= MAX_LINE) {
      if (size > this.room.length) {
        const room = Buffer.allocUnsafe(Math.min(MAX_LINE, Math.max(FIRST_ROOM, 2 * size)));
        this.room.copy(room, 0, 0, this.size);
        this.room = room;
      }
      part.copy(this.room, this.size);
    }
    this.size = size;
  }

  /** The text; the next one begins. */
  take(): InputLine {
    const text = this.size > MAX_LINE ? null : this.room.toString('utf8', 0, this.size);
    this.size = 0;
    return text;
  }
}

/** Cuts bytes into lines. */
export class LineSplitter {
  declare private readonly line: Gathering;

  constructor() {
    this.line = new Gathering();
  }

  /** The lines that end in this chunk. */
  *split(chunk: Buffer): Generator<InputLine> {
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, begin)) {
      const part = chunk.subarray(begin, end);
      begin = end + 1;
      if (this.line.size === 0 && part.length <= MAX_LINE) yield part.toString('utf8');
      else {
        this.line.add(part);
        yield this.line.take();
      }
    }
    if (begin < chunk.length) this.line.add(chunk.subarray(begin));
  }

  /** A last line without its newline. */
  *rest(): Generator<InputLine> {
    if (this.line.size > 0) yield this.line.take();
  }
}

/** The id of what cannot be answered; null if it has none. */
export const idOf = (record: unknown): RecordId => {
  try {
    return readId(record);
  } catch {
    return null;
  }
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new LepantoError('record', `not JSON: ${(error as Error).message.slice(0, 200)}`);
  }
};

/** Output for an answer, and for an error; each ends its own last line. */
export interface Writer {
  readonly answer: (answer: object) => string;
  readonly error: (id: RecordId, line: number, error: string) => string;
}

const asJson: Writer = {
  answer: (answer) => `${JSON.stringify(answer)}\n`,
  error: (id, line, error) => `${JSON.stringify({ id, line, error })}\n`,
};

/** Answers lines one after the other, and counts. */
export class LineAnswerer {
  declare readonly answer: (record: unknown) => object;
  declare private readonly writer: Writer;
  /** Lines seen, blank ones too. */
  declare lines: number;
  /** Lines that got an error for an answer. */
  declare malformed: number;

  constructor(answer: (record: unknown) => object, writer: Writer = asJson) {
    this.answer = answer;
    this.writer = writer;
    this.lines = 0;
    this.malformed = 0;
  }

  private refuse(id: RecordId, error: string): string {
    this.malformed++;
    return this.writer.error(id, this.lines, error);
  }

  /** The answer to a line, with its newline; nothing for a blank line. */
  reply(line: InputLine): string {
    this.lines++;
    if (line === null) return this.refuse(null, `got a line of more than ${MAX_LINE} bytes`);
    const text = this.lines === 1 && line.startsWith(BYTE_ORDER_MARK) ? line.slice(1) : line;
    if (text.trim() === '') return '';
    let record: unknown;
    try {
      record = parseJson(text);
      return this.writer.answer(this.answer(record));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return this.refuse(idOf(record), hasCode(error, 'record') ? message : `internal error: ${message}`);
    }
  }
}

/** Bytes of answers that are written at once. */
const BATCH = 1 << 16;

/**
 * Answers every line of the input, in order. Lines that have come are answered before it waits for more: the other side may
 * send a line, read the answer, and send the next.
 * @param onBytes told how many bytes of input have been answered
 */
export const answerLines = async (
  input: AsyncIterable<Buffer>,
  output: Writable,
  answerer: LineAnswerer,
  onBytes: (bytes: number) => void = () => {},
): Promise<void> => {
  const splitter = new LineSplitter();
  let pending = '';
  const answer = async (lines: Iterable<InputLine>): Promise<boolean> => {
    for (const line of lines) {
      pending += answerer.reply(line);
      if (pending.length < BATCH) continue;
      if (!(await writeText(output, pending))) return false;
      pending = '';
    }
    if (pending !== '' && !(await writeText(output, pending))) return false;
    pending = '';
    return true;
  };
  for await (const chunk of input) {
    if (!(await answer(splitter.split(chunk)))) return;
    onBytes(chunk.length);
  }
  await answer(splitter.rest());
};

/**
 * Answers lines one after the other where an answer takes its time. A line that is refused is answered with its error.
 * @param reply makes an answer, or null for none
 * @returns how many lines were refused
 */
export const replyToLines = async (
  input: AsyncIterable<Buffer>,
  output: Writable,
  reply: (record: unknown) => Promise<object | null>,
): Promise<number> => {
  const splitter = new LineSplitter();
  let lines = 0;
  let refused = 0;
  const answer = async (line: InputLine): Promise<object | null> => {
    let record: unknown;
    try {
      if (line === null) throw new LepantoError('record', `got a line of more than ${MAX_LINE} bytes`);
      record = parseJson(line);
      return await reply(record);
    } catch (error) {
      if (!hasCode(error, 'record')) throw error;
      refused++;
      return { id: idOf(record), line: lines, error: error.message };
    }
  };
  const answerAll = async (some: Iterable<InputLine>): Promise<boolean> => {
    for (const line of some) {
      lines++;
      if (line?.trim() === '') continue;
      const answered = await answer(line);
      if (answered !== null && !(await writeText(output, `${JSON.stringify(answered)}\n`))) return false;
    }
    return true;
  };
  for await (const chunk of input) if (!(await answerAll(splitter.split(chunk)))) return refused;
  await answerAll(splitter.rest());
  return refused;
};

// ---- the command ----

export const lineOptions = {
  ...mapOptions,
  quiet: { help: 'no progress and no count of malformed lines' },
} as const;

/** What --help says of these two differs between commands. */
const readOptions = {
  ...lineOptions,
  rules: { takes: 'RULES', default: 'datc-3.2', help: '' },
  format: { takes: 'FORMAT', default: 'json', help: '' },
} as const;

export type AnswerRecord = (record: unknown, map: CompiledMap, rules: RuleSet) => object;

/** Text of an answer. */
export type ShowAnswer = (answer: object, map: CompiledMap) => string;

const asText = (map: CompiledMap, show: ShowAnswer): Writer => ({
  answer: (answer) => `${show(answer, map)}\n`,
  error: (id, line, error) => `${id === null ? '' : `${id}, `}line ${line}: ${error}\n\n`,
});

interface Source {
  readonly stream: AsyncIterable<Buffer>;
  /** Bytes; null where that is not known beforehand. */
  readonly size: number | null;
}

/** A file, or standard input (-). @throws LepantoError if it cannot be read */
export const openInput = (file: string): Source => {
  if (file === '-') return { stream: process.stdin, size: null };
  const found = checkInput(file);
  return { stream: createReadStream(file), size: found.isFile() ? found.size : null };
};

/**
 * The whole text of FILE, or of standard input (-).
 * @throws LepantoError that names it, as soon as more than MAX_LINE bytes have come
 */
export const readInput = async (file: string): Promise<string> => {
  const text = new Gathering();
  for await (const chunk of openInput(file).stream) {
    text.add(chunk);
    if (text.size > MAX_LINE) break;
  }
  const whole = text.take();
  if (whole !== null) return whole;
  throw new LepantoError(
    'file',
    `${file === '-' ? 'standard input' : file}: got more than ${MAX_LINE} bytes, wanted one position`,
  );
};

/** Counts without a total: a line every few seconds while lines come in. */
const LINES_MS = 3000;
const startCount = (name: string, answerer: LineAnswerer, quiet: boolean): (() => void) => {
  if (quiet) return () => {};
  let last = 0;
  const timer = setInterval(() => {
    if (answerer.lines === last) return;
    last = answerer.lines;
    process.stderr.write(`${name}: ${last.toLocaleString('en-US')} lines\n`);
  }, LINES_MS);
  return () => clearInterval(timer);
};

/**
 * Runs a command that answers each line of FILE, or of standard input, with a line.
 * @param formats what --format takes besides json
 * @returns its exit code: 1 if any line was malformed
 */
export const runJsonLines = async (
  name: string,
  args: string[],
  answer: AnswerRecord,
  formats: Readonly<Record<string, ShowAnswer>> = {},
): Promise<number> => {
  const { values, positionals } = readArguments(args, readOptions);
  if (positionals.length > 1)
    throw new UsageError(`got ${positionals.length} files, wanted one, or none for standard input`);
  const map = readMap(values);
  const rules = readRules(values.rules);
  const format = oneOf('format', values.format, ['json', ...Object.keys(formats)]);
  const writer = format === 'json' ? asJson : asText(map, formats[format]);
  const answerer = new LineAnswerer((record) => answer(record, map, rules), writer);
  const { stream, size } = openInput(positionals[0] ?? '-');
  // On one terminal the answers would overwrite a bar.
  const quiet = values.quiet || process.stdout.isTTY === true;
  let bytes = 0;
  const stop =
    size === null || size === 0
      ? startCount(name, answerer, quiet)
      : startProgress({
          total: size,
          unit: 'bytes',
          quiet,
          read: () => ({ done: bytes, note: `${answerer.lines.toLocaleString('en-US')} lines` }),
        });
  try {
    await answerLines(stream, process.stdout, answerer, (n) => {
      bytes += n;
    });
  } finally {
    stop();
  }
  if (answerer.malformed > 0 && !values.quiet)
    process.stderr.write(`${name}: ${answerer.malformed} of ${answerer.lines} lines malformed\n`);
  return answerer.malformed > 0 ? 1 : 0;
};
