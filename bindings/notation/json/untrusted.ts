// Reads JSON from outside: bounds its size, its depth and its number of values, and refuses repeated keys.
import { LepantoError } from '../../../engine/rules/error.js';

/** The greatest depth of nested objects and lists. */
export const MAX_DEPTH = 32;
/** The most bytes of one game. A game of a hundred years with all its messages has some millions. */
export const MAX_GAME = 1 << 25;
/** The most values in one game: objects, lists, texts, numbers and so on. A phase has some hundreds. */
export const MAX_VALUES = 1 << 20;

const refuse = (message: string): never => {
  throw new LepantoError('json', message);
};

/**
 * Counts brackets, commas and colons outside of strings, before JSON.parse() builds anything: each comma, and each object
 * or list that is not empty, stands for one value.
 * @returns the number of keys
 */
const checkLimits = (text: string): number => {
  let keys = 0;
  let depth = 0;
  let values = 1;
  let isEmpty = false;
  for (let i = 0; i < text.length; i++) {
    switch (text[i]) {
      case '"':
        for (i++; i < text.length && text[i] !== '"'; i++) if (text[i] === '\\') i++;
        break;
      case ':':
        keys++;
        break;
      case ',':
        values++;
        break;
      case '{':
      case '[':
        values++;
        if (++depth > MAX_DEPTH) refuse(`got more than ${MAX_DEPTH} levels of objects and lists`);
        isEmpty = true;
        continue;
      case '}':
      case ']':
        if (isEmpty) values--;
        depth--;
    }
    isEmpty = false;
    if (values > MAX_VALUES) refuse(`got more than ${MAX_VALUES} values`);
  }
  return keys;
};

/** Keys in a value and in all below it. */
const keysIn = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  let keys = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const entry of Object.values(value)) keys += keysIn(entry);
  return keys;
};

/** Reads JSON. @throws LepantoError that says which limit it exceeds, or where it is wrong */
export const parseStrict = (text: string): unknown => {
  if (text.length > MAX_GAME) refuse(`got a game of ${text.length} characters, wanted at most ${MAX_GAME}`);
  const keys = checkLimits(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refuse(`not JSON: ${(error as Error).message}`);
  }
  // JSON.parse() keeps the last of two equal keys.
  return keysIn(value) === keys ? value : refuse('got a key twice in an object');
};
