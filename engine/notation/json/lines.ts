// Splits bytes into lines with bounded memory, for untrusted input.

/** Maximum length of a line, in bytes. */
export const MAX_LINE = 1 << 22;

const NEWLINE = 0x0a;

/** A line of the input, without its newline. Null if the line is longer than MAX_LINE. */
export type InputLine = string | null;

/** Decodes the bytes of a line. */
export type Decode = (bytes: Buffer) => string;

const decodeLeniently: Decode = (bytes) => bytes.toString('utf8');

/** Initial size of the buffer of a line, in bytes. */
const FIRST_ROOM = 1 << 12;

/**
 * Joins the parts of a line in one buffer. The buffer has at most twice the size of the line, or 4 KiB, even if the
 * parts are tiny. Drops the whole line if it is longer than MAX_LINE.
 */
export class Gathering {
  private room: Buffer = Buffer.alloc(0);
  /** Length of the line so far, in bytes, including discarded parts. */
  size = 0;

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

  /** Returns the line and starts the next one. Returns null if the line was longer than MAX_LINE. */
  take(decode: Decode = decodeLeniently): InputLine {
    const text = this.size > MAX_LINE ? null : decode(this.room.subarray(0, this.size));
    this.size = 0;
    return text;
  }
}

/** Splits a stream of chunks of bytes into lines. Lines longer than MAX_LINE become null. */
export class LineSplitter {
  private readonly line = new Gathering();

  /**
   * Makes a splitter at the start of a stream.
   * @param decode decodes each line; by default UTF-8, with U+FFFD for invalid bytes
   */
  constructor(private readonly decode: Decode = decodeLeniently) {}

  /** Yields each line that ends in a chunk. Keeps the last incomplete line for the next chunk. */
  *split(chunk: Buffer): Generator<InputLine> {
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, begin)) {
      const part = chunk.subarray(begin, end);
      begin = end + 1;
      if (this.line.size === 0 && part.length <= MAX_LINE) yield this.decode(part);
      else {
        this.line.add(part);
        yield this.line.take(this.decode);
      }
    }
    if (begin < chunk.length) this.line.add(chunk.subarray(begin));
  }

  /** Yields the last line if it has no newline. Call it after the last chunk. */
  *rest(): Generator<InputLine> {
    if (this.line.size > 0) yield this.line.take(this.decode);
  }
}
