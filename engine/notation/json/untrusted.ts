// Parses untrusted JSON. Limits its size, its depth and its number of values, and rejects duplicate keys.
import { LepantoError } from '../../rules/error.js';
import { parseJson } from './long-ids.js';

/** Maximum depth of nested objects and lists. */
export const MAX_DEPTH = 32;
/** Maximum size of one game, in characters. A game of a hundred years with all its messages has a few million. */
export const MAX_GAME = 1 << 25;
/** Maximum number of JSON values in one game, objects and lists included. A phase has a few hundred. */
export const MAX_VALUES = 1 << 20;

const refuse = (message: string): never => {
  throw new LepantoError('json', message);
};

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c] as const;
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d] as const;

/**
 * True if the text is UTF-16 decoded as UTF-8: it begins with a damaged byte order mark, or NULs alternate with
 * letters.
 */
const isUtf16 = (text: string): boolean => /^(?:\uFFFD\uFFFD)?\0?[^\0]\0/.test(text);

/** Returns a message about an error of JSON.parse(). Detects UTF-16, which PowerShell writes by default. */
export const describeJsonError = (text: string, error: unknown): string =>
  isUtf16(text)
    ? 'got UTF-16, wanted UTF-8 (PowerShell: | Out-File -Encoding utf8)'
    : `not JSON: ${(error as Error).message.slice(0, 200)}`;

/**
 * Returns the index of the closing quote of the string that begins at `at`, or an index past the text if there is none.
 */
const endOfString = (text: string, at: number): number => {
  let i = at + 1;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) return i;
    if (code === BACKSLASH) i++;
  }
  return i;
};

/**
 * Checks depth and number of values before JSON.parse() allocates memory. Counts brackets, commas and colons outside
 * strings: each comma, and each object or list that is not empty, stands for one value.
 * @returns the number of keys, including duplicates
 * @throws LepantoError if a limit is exceeded
 */
const checkLimits = (text: string): number => {
  let keys = 0;
  let depth = 0;
  let values = 1;
  let isEmpty = false;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        i = endOfString(text, i);
        break;
      case COLON:
        keys++;
        break;
      case COMMA:
        values++;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        values++;
        if (++depth > MAX_DEPTH) refuse(`got more than ${MAX_DEPTH} levels of objects and lists`);
        isEmpty = true;
        continue;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (isEmpty) values--;
        depth--;
    }
    isEmpty = false;
    if (values > MAX_VALUES) refuse(`got more than ${MAX_VALUES} values`);
  }
  return keys;
};

/** Returns the number of keys in an object or list and in all nested values. */
const keysIn = (value: object): number => {
  let keys = 0;
  if (Array.isArray(value)) {
    for (const entry of value) if (typeof entry === 'object' && entry !== null) keys += keysIn(entry);
    return keys;
  }
  for (const name in value) {
    const entry = (value as Record<string, unknown>)[name];
    keys++;
    if (typeof entry === 'object' && entry !== null) keys += keysIn(entry);
  }
  return keys;
};

/**
 * Parses untrusted JSON.
 * @throws LepantoError if the text is not JSON, exceeds a limit, or has the same key twice in an object
 */
export const parseStrict = (text: string): unknown => {
  if (text.length > MAX_GAME) refuse(`got a game of ${text.length} characters, wanted at most ${MAX_GAME}`);
  const keys = checkLimits(text);
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    return refuse(describeJsonError(text, error));
  }
  // JSON.parse() silently keeps the last of two equal keys, so a duplicate makes the counts differ.
  const found = typeof value === 'object' && value !== null ? keysIn(value) : 0;
  return found === keys ? value : refuse('got a key twice in an object');
};
