// Answers JSON lines with JSON lines: the code that `lepanto adjudicate` and `lepanto legal` share.
import { createReadStream } from 'node:fs';
import type { Writable } from 'node:stream';
import type { CompiledMap } from '../../../engine/internal.js';
import { hasCode, LepantoError } from '../../../engine/rules/error.js';
import { type RecordId, readId } from '../../notation/json/adjudicate-record.js';
import { Gathering, type InputLine, LineSplitter, MAX_LINE } from '../../notation/json/lines.js';
import type { RuleSet } from '../../notation/text/rule-set.js';
import { readMap, readRules } from './map-and-rules.js';
import { mapOptions, readArguments } from './options.js';
import { writeText } from './output.js';
import { startProgress } from './progress.js';
import { checkInput, oneOf, UsageError } from './usage.js';

const BYTE_ORDER_MARK = '\uFEFF';

/** The lines of an input. */
export async function* linesIn(input: AsyncIterable<Buffer>): AsyncGenerator<InputLine> {
  const splitter = new LineSplitter();
  for await (const chunk of input) yield* splitter.split(chunk);
  yield* splitter.rest();
}

/** The id of what cannot be answered; null if it has none. */
export const idOf = (record: unknown): RecordId => {
  try {
    return readId(record);
  } catch {
    return null;
  }
};

/** @throws LepantoError that says what is wrong */
const parseLine = (line: InputLine): unknown => {
  if (line === null) throw new LepantoError('record', `got a line of more than ${MAX_LINE} bytes`);
  try {
    return JSON.parse(line);
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
  /** Lines seen, blank ones too. */
  lines = 0;
  /** Lines that got an error for an answer. */
  malformed = 0;

  constructor(
    readonly answer: (record: unknown) => object,
    private readonly writer: Writer = asJson,
  ) {}

  private refuse(id: RecordId, error: string): string {
    this.malformed++;
    return this.writer.error(id, this.lines, error);
  }

  /** The answer to a line, with its newline; nothing for a blank line. */
  reply(line: InputLine): string {
    this.lines++;
    const text = this.lines === 1 && line?.startsWith(BYTE_ORDER_MARK) ? line.slice(1) : line;
    if (text?.trim() === '') return '';
    let record: unknown;
    try {
      record = parseLine(text);
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
  let lines = 0;
  let refused = 0;
  for await (const line of linesIn(input)) {
    lines++;
    if (line?.trim() === '') continue;
    let record: unknown;
    let answer: object | null;
    try {
      record = parseLine(line);
      answer = await reply(record);
    } catch (error) {
      if (!hasCode(error, 'record')) throw error;
      refused++;
      answer = { id: idOf(record), line: lines, error: error.message };
    }
    if (answer !== null && !(await writeText(output, `${JSON.stringify(answer)}\n`))) break;
  }
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
