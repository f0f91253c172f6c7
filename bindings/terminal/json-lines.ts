// Answers lines of JSON with lines of JSON, for adjudicate, legal, agent, and search --lines.
import { createReadStream } from 'node:fs';
import type { Writable } from 'node:stream';
import type { CompiledMap } from '../../engine/internal.js';
import { type RecordId, readId } from '../../engine/notation/json/adjudicate-record.js';
import { Gathering, type InputLine, LineSplitter, MAX_LINE } from '../../engine/notation/json/lines.js';
import { parseJson, stringifyJson } from '../../engine/notation/json/long-ids.js';
import { describeJsonError } from '../../engine/notation/json/untrusted.js';
import type { RuleSet } from '../../engine/notation/text/rule-set.js';
import { hasCode, LepantoError } from '../../engine/rules/error.js';
import { counted, group, plural } from '../reports/figures.js';
import { readMap, readRules } from './map-and-rules.js';
import { mapOptions, readArguments, type rulesOption } from './options.js';
import { say, writeText } from './output.js';
import { withProgress } from './progress.js';
import { checkInput, UsageError } from './usage.js';

const BYTE_ORDER_MARK = '\uFEFF';

/** Yields the lines of an input, each as text, or null for a line of more than MAX_LINE bytes. */
async function* linesIn(input: AsyncIterable<Buffer>): AsyncGenerator<InputLine> {
  const splitter = new LineSplitter();
  for await (const chunk of input) yield* splitter.split(chunk);
  yield* splitter.rest();
}

/** Returns the id of a record; null if the record has none, or if its id is invalid. */
export const idOf = (record: unknown): RecordId => {
  try {
    return readId(record);
  } catch {
    return null;
  }
};

/** Parses a line as JSON. @throws LepantoError if it is too long (null) or not JSON */
const parseLine = (line: InputLine): unknown => {
  if (line === null) throw new LepantoError('record', `got a line of more than ${MAX_LINE} bytes`);
  try {
    return parseJson(line);
  } catch (error) {
    throw new LepantoError('record', describeJsonError(line, error));
  }
};

/** Formats answers and errors as text that ends with a line break. */
export interface Writer {
  readonly answer: (answer: object) => string;
  readonly error: (id: RecordId, line: number, error: string) => string;
}

const asJson: Writer = {
  answer: (answer) => `${stringifyJson(answer)}\n`,
  error: (id, line, error) => `${stringifyJson({ id, line, error })}\n`,
};

type Answer = object | null;

/** A JSON text (null if it is too long), and the number of lines that it spans. */
type JoinedText = readonly [text: InputLine, lines: number];

/** True for the first line of an object that continues on the next line. */
const goesOn = (line: InputLine): boolean => line !== null && /^\uFEFF?\s*\{(.*[,{[:])?\s*$/.test(line);

/**
 * Joins the lines of JSON objects that span several lines. An object ends with a line that begins with a closing brace,
 * or before the next object.
 */
export class TextJoiner {
  private begun: string[] = [];

  /** Adds a line and yields the texts that the line completes: none, one or two. */
  *add(line: InputLine): Generator<JoinedText> {
    if (line === null || line.startsWith('{')) yield* this.rest();
    if (line === null || (this.begun.length === 0 && !goesOn(line))) yield [line, 1];
    else {
      this.begun.push(line);
      if (line.startsWith('}')) yield* this.rest();
    }
  }

  /** Yields the unfinished object, if there is one. Call it after the last line of the input. */
  *rest(): Generator<JoinedText> {
    const { begun } = this;
    if (begun.length === 0) return;
    this.begun = [];
    const size = begun.reduce((sum, line) => sum + line.length + 1, 0);
    yield [size > MAX_LINE ? null : begun.join('\n'), begun.length];
  }
}

/**
 * Yields the JSON texts of an input, each with the number of its first line, from 1. A text is a line, or an object
 * over several lines. It is null if it is too long.
 */
export async function* textsIn(input: AsyncIterable<Buffer>): AsyncGenerator<readonly [text: InputLine, line: number]> {
  const joiner = new TextJoiner();
  let line = 1;
  function* numbered(texts: Iterable<JoinedText>): Generator<readonly [InputLine, number]> {
    for (const [text, lines] of texts) {
      yield [text, line];
      line += lines;
    }
  }
  for await (const one of linesIn(input)) yield* numbered(joiner.add(one));
  yield* numbered(joiner.rest());
}

/** Answers JSON texts one after another, and counts their lines. */
export class LineAnswerer {
  /** Number of lines so far, including blank ones. */
  lines = 0;
  /** Number of lines that were answered with an error. */
  malformed = 0;

  /**
   * Creates an answerer that writes with `writer`, by default as JSON.
   * @param answer returns the answer to a record, or null for none. An error that it throws becomes an answer; a
   *   promise
   *   may be rejected so only by an error about the record (code 'record')
   */
  constructor(
    readonly answer: (record: unknown) => Answer | Promise<Answer>,
    private readonly writer: Writer = asJson,
  ) {}

  /**
   * Returns the answer to a text, with its line end. '' for a blank line, and if there is no answer. The answer to an
   * invalid text is an error, and counts as malformed. Rejects with any error of a promised answer that is not about
   * the record.
   * @param line the text; null if it is too long
   * @param lines number of lines that the text spans
   */
  reply(line: InputLine, lines = 1): string | Promise<string> {
    const number = this.lines + 1;
    this.lines += lines;
    const text = number === 1 && line?.startsWith(BYTE_ORDER_MARK) ? line.slice(1) : line;
    if (text?.trim() === '') return '';
    let record: unknown;
    const show = (answer: Answer): string => (answer === null ? '' : this.writer.answer(answer));
    const refuse = (error: string): string => {
      this.malformed++;
      return this.writer.error(idOf(record), number, error);
    };
    try {
      record = parseLine(text);
      const answer = this.answer(record);
      if (!(answer instanceof Promise)) return show(answer);
      return answer.then(show, (error) => {
        if (!hasCode(error, 'record')) throw error;
        return refuse(error.message);
      });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return refuse(hasCode(error, 'record') ? message : `internal error: ${message}`);
    }
  }
}

/** Number of characters from which collected answers are written. */
const BATCH = 1 << 16;

/**
 * Answers every line of an input, in order. All complete lines are answered before waiting for more input, so that the
 * other side can send a line, read the answer, and send the next. Stops once the reader of the output has closed it.
 * @param onBytes called with the size of each chunk of input that has been answered, in bytes
 * @param joiner joins objects that span several lines; undefined if each line is a text
 */
export const answerLines = async (
  input: AsyncIterable<Buffer>,
  output: Writable,
  answerer: LineAnswerer,
  onBytes: (bytes: number) => void = () => {},
  joiner?: TextJoiner,
): Promise<void> => {
  const splitter = new LineSplitter();
  function* texts(lines: Iterable<InputLine>): Generator<JoinedText> {
    for (const line of lines)
      if (joiner === undefined) yield [line, 1];
      else yield* joiner.add(line);
  }
  const answer = async (lines: Iterable<JoinedText>): Promise<boolean> => {
    let pending = '';
    for (const [text, count] of lines) {
      const reply = answerer.reply(text, count);
      pending += typeof reply === 'string' ? reply : await reply;
      if (typeof reply === 'string' && pending.length < BATCH) continue;
      if (pending !== '' && !(await writeText(output, pending))) return false;
      pending = '';
    }
    return pending === '' || writeText(output, pending);
  };
  for await (const chunk of input) {
    if (!(await answer(texts(splitter.split(chunk))))) return;
    onBytes(chunk.length);
  }
  await answer(texts(splitter.rest()));
  if (joiner !== undefined) await answer(joiner.rest());
};

// ---- the command ----

export const lineOptions = {
  ...mapOptions,
  quiet: { help: 'no progress and no count of malformed lines' },
} as const;

type LineOptions = typeof lineOptions &
  ReturnType<typeof rulesOption> & {
    readonly format?: { readonly words: readonly string[]; readonly default: string; readonly help: string };
  };

export type AnswerRecord = (record: unknown, map: CompiledMap, rules: RuleSet) => object;

/** Formats an answer as text, without the last line end. map: the map of the command. */
export type ShowAnswer = (answer: object, map: CompiledMap) => string;

const asText = (map: CompiledMap, show: ShowAnswer): Writer => ({
  answer: (answer) => `${show(answer, map)}\n`,
  error: (id, line, error) => `${id === null ? '' : `${id}, `}line ${line}: ${error}\n\n`,
});

interface Source {
  readonly stream: AsyncIterable<Buffer>;
  /** Size of the input in bytes; null if unknown. */
  readonly size: number | null;
}

/**
 * Tells the user that a command waits for input, if standard input is a terminal.
 * @param what kind of input: 'positions'
 */
export const tellTerminal = (what: string): void => {
  if (process.stdin.isTTY === true) say(`reading ${what} from standard input; end with Ctrl-D`);
};

/** Opens a file, or standard input for '-'. @throws LepantoError if it cannot be read */
export const openInput = (file: string): Source => {
  if (file === '-') {
    tellTerminal('positions');
    return { stream: process.stdin, size: null };
  }
  const found = checkInput(file);
  return { stream: createReadStream(file), size: found.isFile() ? found.size : null };
};

/**
 * Reads a whole file, or standard input for '-'.
 * @throws LepantoError that names it, as soon as it exceeds MAX_LINE bytes
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

/**
 * Runs a command that answers each line of a file, or of standard input, with a line.
 * @param name name of the command, for messages
 * @param args arguments of the command
 * @param options table of the command's options; the words of `format` must be json and the keys of `formats`
 * @param answer returns the answer to a parsed line
 * @param formats functions that format answers as text, by value of --format
 * @returns exit code of the command: 1 if any line was malformed
 * @throws UsageError for invalid arguments or more than one file
 */
export const runJsonLines = async (
  name: string,
  args: string[],
  options: LineOptions,
  answer: AnswerRecord,
  formats: Readonly<Record<string, ShowAnswer>> = {},
): Promise<number> => {
  const { values, positionals } = readArguments(args, options);
  if (positionals.length > 1)
    throw new UsageError(`got ${counted(positionals.length, 'file')}, wanted one, or none for standard input`);
  const map = readMap(values);
  const rules = readRules(values.rules);
  const show = formats[String(values.format)];
  if (show !== undefined && args.includes('--json'))
    throw new UsageError(`--json: got it with --format ${values.format}, wanted one of the two`);
  const writer = show === undefined ? asJson : asText(map, show);
  const answerer = new LineAnswerer((record) => answer(record, map, rules), writer);
  const { stream, size } = openInput(positionals[0] ?? '-');
  // On a terminal, answers would be mixed with the progress bar.
  const quiet = values.quiet || process.stdout.isTTY === true;
  let bytes = 0;
  const count = (): string => `${group(answerer.lines)} ${plural(answerer.lines, 'line')}`;
  const progress =
    size === null || size === 0
      ? { total: 0, unit: 'lines', read: () => ({ done: answerer.lines, note: '' }) }
      : { total: size, unit: 'bytes', read: () => ({ done: bytes, note: count() }) };
  const onBytes = (n: number): void => {
    bytes += n;
  };
  await withProgress({ ...progress, quiet }, () =>
    answerLines(stream, process.stdout, answerer, onBytes, new TextJoiner()),
  );
  if (answerer.malformed > 0 && !values.quiet)
    process.stderr.write(`${name}: ${answerer.malformed} of ${counted(answerer.lines, 'line')} malformed\n`);
  return answerer.malformed > 0 ? 1 : 0;
};
