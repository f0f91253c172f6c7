// Checks JSON from outside: bounds size, depth and number of values, and refuses repeated keys and invalid text with the
// offset. A quick count before JSON.parse() tells whether all is well; if not, a scan finds what is wrong and where.
import { LepantoError } from '../../../engine/rules/error.js';

/** The greatest depth of nested objects and lists. */
export const MAX_DEPTH = 32;
/** The most bytes of one game. A game of a hundred years with all its messages has some millions. */
export const MAX_GAME = 1 << 25;
/** The most values in one game: objects, lists, texts, numbers and so on. A phase has some hundreds. */
export const MAX_VALUES = 1 << 20;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;
const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const LOWER_E = 0x65;
const UPPER_E = 0x45;
const LOWER_U = 0x75;

const literals: ReadonlyMap<number, string> = new Map(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), word]),
);
const escapes = new Set(Array.from('"\\/bfnrt', (letter) => letter.charCodeAt(0)));

const isBlank = (code: number): boolean => code === SPACE || code === 0x0a || code === 0x0d || code === 0x09;
const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;
const isHex = (code: number): boolean => isDigit(code) || ((code | SPACE) >= 0x61 && (code | SPACE) <= 0x66);

/** An object or a list that has not ended. */
interface Level {
  /** Null for a list. */
  readonly keys: Set<string> | null;
  empty: boolean;
}

/** Reads JSON from beginning to end and keeps only its place in the text. */
class Scanner {
  declare private readonly text: string;
  declare private at: number;
  declare private values: number;
  declare private readonly levels: Level[];

  constructor(text: string) {
    this.text = text;
    this.at = 0;
    this.values = 0;
    this.levels = [];
  }

  private refuse(wanted: string): never {
    const { text, at } = this;
    const got = at < text.length ? JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0)) : 'the end';
    throw new LepantoError('json', `offset ${at}: not JSON: got ${got}, wanted ${wanted}`);
  }

  private code(): number {
    return this.text.charCodeAt(this.at);
  }

  private skipBlanks(): void {
    while (isBlank(this.code())) this.at++;
  }

  private expect(code: number, wanted: string): void {
    if (this.code() !== code) this.refuse(wanted);
    this.at++;
  }

  /** The whole text. */
  scan(): void {
    this.value();
    for (let level = this.levels.at(-1); level !== undefined; level = this.levels.at(-1)) this.member(level);
    this.skipBlanks();
    if (this.at < this.text.length) this.refuse('the end');
  }

  /** The next member of an object or list, or its end. */
  private member(level: Level): void {
    this.skipBlanks();
    const close = level.keys === null ? CLOSE_LIST : CLOSE_OBJECT;
    if (this.code() === close) {
      this.at++;
      this.levels.pop();
      return;
    }
    if (!level.empty) this.expect(COMMA, level.keys === null ? 'a comma or ]' : 'a comma or }');
    level.empty = false;
    if (level.keys !== null) this.key(level.keys);
    this.value();
  }

  private key(keys: Set<string>): void {
    this.skipBlanks();
    const begin = this.at;
    if (this.code() !== QUOTE) this.refuse('a key in double quotes');
    this.string();
    const written = this.text.slice(begin + 1, this.at - 1);
    const key = written.includes('\\') ? (JSON.parse(`"${written}"`) as string) : written;
    if (keys.has(key))
      throw new LepantoError('json', `offset ${begin}: got the key "${key.slice(0, 40)}" twice in an object`);
    keys.add(key);
    this.skipBlanks();
    this.expect(COLON, 'a colon');
  }

  /** A whole value, or the beginning of an object or list. */
  private value(): void {
    this.skipBlanks();
    if (++this.values > MAX_VALUES)
      throw new LepantoError('json', `offset ${this.at}: got more than ${MAX_VALUES} values`);
    const code = this.code();
    if (code === QUOTE) this.string();
    else if (code === OPEN_OBJECT || code === OPEN_LIST) this.open(code === OPEN_OBJECT);
    else if (code === MINUS || isDigit(code)) this.number();
    else this.literal(literals.get(code));
  }

  private open(isObject: boolean): void {
    if (this.levels.length === MAX_DEPTH)
      throw new LepantoError('json', `offset ${this.at}: got more than ${MAX_DEPTH} levels of objects and lists`);
    this.levels.push({ keys: isObject ? new Set() : null, empty: true });
    this.at++;
  }

  private string(): void {
    const { text } = this;
    const begin = this.at;
    let i = begin + 1;
    for (let code = text.charCodeAt(i); code !== QUOTE; code = text.charCodeAt(i)) {
      if (code === BACKSLASH) i = this.escape(i + 1);
      else if (code >= SPACE) i++;
      else {
        if (i >= text.length) throw new LepantoError('json', `offset ${begin}: not JSON: got a string without an end`);
        this.at = i;
        this.refuse('no control character in a string');
      }
    }
    this.at = i + 1;
  }

  /** @returns the offset after an escape sequence */
  private escape(i: number): number {
    const { text } = this;
    this.at = i;
    if (escapes.has(text.charCodeAt(i))) return i + 1;
    if (text.charCodeAt(i) !== LOWER_U) this.refuse('an escape like \\n or \\u00e9');
    for (this.at = i + 1; this.at < i + 5; this.at++) if (!isHex(this.code())) this.refuse('a hexadecimal digit');
    return i + 5;
  }

  private digits(): void {
    if (!isDigit(this.code())) this.refuse('a digit');
    while (isDigit(this.code())) this.at++;
  }

  private number(): void {
    if (this.code() === MINUS) this.at++;
    if (this.code() === ZERO) this.at++;
    else this.digits();
    if (this.code() === POINT) {
      this.at++;
      this.digits();
    }
    if (this.code() !== LOWER_E && this.code() !== UPPER_E) return;
    this.at++;
    if (this.code() === PLUS || this.code() === MINUS) this.at++;
    this.digits();
  }

  private literal(word: string | undefined): void {
    if (word === undefined) this.refuse('a value');
    for (const letter of word) this.expect(letter.charCodeAt(0), word);
  }
}

/** What quickCount() finds in a text. */
interface Counts {
  keys: number;
  depth: number;
  values: number;
}

/** Counts, outside of strings, the colons, the greatest depth, and what may begin a value. For text that may be no JSON. */
const quickCount = (text: string): Counts => {
  let keys = 0;
  let deepest = 0;
  let depth = 0;
  let values = 1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      for (i++; i < text.length && text.charCodeAt(i) !== QUOTE; i++) if (text.charCodeAt(i) === BACKSLASH) i++;
    } else if (code === COLON) {
      keys++;
    } else if (code === COMMA) {
      values++;
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      values++;
      depth++;
      if (depth > deepest) deepest = depth;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      depth--;
    }
  }
  return { keys, depth: deepest, values };
};

/** Keys in a value and in all below it. */
const keysIn = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) {
    for (const entry of value as readonly unknown[]) keys += keysIn(entry);
    return keys;
  }
  for (const entry of Object.values(value)) keys += 1 + keysIn(entry);
  return keys;
};

/** The value of a text if it is JSON within the limits and no object has a key twice; undefined if it must be scanned. */
const parseQuickly = (text: string): unknown => {
  const { keys, depth, values } = quickCount(text);
  if (depth > MAX_DEPTH || values > MAX_VALUES) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    // A key that an object has twice is in the text twice, and once in the value.
    return keysIn(value) === keys ? value : undefined;
  } catch {
    return undefined;
  }
};

/** @throws LepantoError with the offset of what is wrong */
export const parseStrict = (text: string): unknown => {
  if (text.length > MAX_GAME)
    throw new LepantoError(
      'json',
      `offset ${MAX_GAME}: got a game of ${text.length} characters, wanted at most ${MAX_GAME}`,
    );
  const value = parseQuickly(text);
  if (value !== undefined) return value;
  new Scanner(text).scan();
  return JSON.parse(text);
};
