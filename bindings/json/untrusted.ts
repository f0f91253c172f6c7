// JSON from outside, looked at before it is parsed: depth, repeated keys and size are bounded.

/** JSON that is refused. The message names the offset in the text. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
}

/** Objects and lists within one another. */
export const MAX_DEPTH = 32;
/** Bytes of one game. */
export const MAX_GAME = 1 << 26;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** End of the string that begins at `at`: the offset of its closing quote. */
const endOfString = (text: string, at: number): number => {
  for (let i = at + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) i++;
    else if (code === QUOTE) return i;
  }
  throw new JsonError(`offset ${at}: got a string without an end`);
};

/** Keys seen in an object; null for a list. */
type Level = Set<string> | null;

/** Refuses deep nesting and keys that an object has twice, of which JSON.parse() would keep the last. */
const checkShape = (text: string): void => {
  const levels: Level[] = [];
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '"') {
      const end = endOfString(text, i);
      const keys = levels.at(-1);
      if (keys instanceof Set && /^\s*:/.test(text.slice(end + 1, end + 20))) {
        const key = text.slice(i + 1, end);
        if (keys.has(key)) throw new JsonError(`offset ${i}: got the key "${key.slice(0, 40)}" twice in an object`);
        keys.add(key);
      }
      i = end;
    } else if (character === '{' || character === '[') {
      if (levels.length === MAX_DEPTH)
        throw new JsonError(`offset ${i}: got more than ${MAX_DEPTH} levels of objects and lists`);
      levels.push(character === '{' ? new Set() : null);
    } else if (character === '}' || character === ']') levels.pop();
  }
};

/** What JSON.parse() says against a text; '' if nothing. */
const complaint = (text: string): string => {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

/** True if a text is wrong, whatever may follow it. */
const isWrong = (text: string): boolean => {
  const message = complaint(text);
  const [, position = text.length] = /position (\d+)/.exec(message) ?? [];
  return message.startsWith('Unexpected token') || message.includes('non-whitespace') || Number(position) < text.length;
};

/** Offset of the first character that is wrong: not every message of JSON.parse() has it. */
const offsetOf = (text: string): number => {
  let right = 0;
  let wrong = text.length + 1;
  while (wrong - right > 1) {
    const middle = (right + wrong) >> 1;
    if (isWrong(text.slice(0, middle))) wrong = middle;
    else right = middle;
  }
  return right;
};

/** @throws JsonError with the offset of what is wrong */
export const parseStrict = (text: string): unknown => {
  if (text.length > MAX_GAME)
    throw new JsonError(`offset ${MAX_GAME}: got a game of ${text.length} characters, wanted at most ${MAX_GAME}`);
  checkShape(text);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new JsonError(`offset ${offsetOf(text)}: not JSON: ${(error as Error).message.slice(0, 200)}`);
  }
};
