// Cuts bytes into lines, of which none takes more memory than it may.

/** The longest line that is read, in bytes. */
export const MAX_LINE = 1 << 22;

const NEWLINE = 0x0a;

/** A line of the input; null for one that is longer than MAX_LINE. */
export type InputLine = string | null;

/** Makes text of the bytes of a line. */
export type Decode = (bytes: Buffer) => string;

const decodeLeniently: Decode = (bytes) => bytes.toString('utf8');

/** First size of the buffer of a text; it grows. */
const FIRST_ROOM = 1 << 12;

/**
 * Joins the parts of a text in one buffer of at most twice its size, however small the parts are. Nothing is kept of a text
 * longer than MAX_LINE.
 */
export class Gathering {
  private room: Buffer = Buffer.alloc(0);
  /** Bytes, also of a text that is too long. */
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

  /** The text; the next one begins. */
  take(decode: Decode = decodeLeniently): InputLine {
    const text = this.size > MAX_LINE ? null : decode(this.room.subarray(0, this.size));
    this.size = 0;
    return text;
  }
}

/** Cuts bytes into lines. */
export class LineSplitter {
  private readonly line = new Gathering();

  /** @param decode by default what is not UTF-8 becomes U+FFFD */
  constructor(private readonly decode: Decode = decodeLeniently) {}

  /** The lines that end in this chunk. */
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

  /** A last line without its newline. */
  *rest(): Generator<InputLine> {
    if (this.line.size > 0) yield this.line.take(this.decode);
  }
}
