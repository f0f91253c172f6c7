// Reads and writes JSON whose ids have more digits than a number holds, as those of Discord have: they are bigints here, with
// the digits that were given.

/** A whole number of 16 digits or more behind a key that names a record or a game. */
const LONG_ID = /("(?:id|game|game_id|gameID|end)"\s*:\s*)(-?[1-9]\d{15,})(?=\s*[,}])/g;
/** Begins a text that stands for a bigint while JSON.parse() or JSON.stringify() work. */
const MARK = '\u0000';
const MARKED = /^\0-?\d+$/;
const MARKED_IN_JSON = /"\\u0000(-?\d+)"/g;

/**
 * Parses JSON. An id or the name of a game that is a whole number beyond Number.MAX_SAFE_INTEGER becomes a bigint.
 * @throws SyntaxError as JSON.parse() does
 */
export const parseJson = (text: string): unknown => {
  let isMarked = false;
  const marked = text.replace(LONG_ID, (all: string, key: string, digits: string) => {
    if (Number.isSafeInteger(Number(digits))) return all;
    isMarked = true;
    return `${key}"\\u0000${digits}"`;
  });
  if (!isMarked) return JSON.parse(text);
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) && MARKED.test(value) ? BigInt(value.slice(1)) : value,
  );
};

/** Writes JSON in which bigints are whole numbers with all their digits. */
export const stringifyJson = (value: unknown): string => {
  try {
    return JSON.stringify(value);
  } catch {
    // JSON.stringify() knows no bigint: rare, so the usual case pays nothing for it.
    const text = JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? `${MARK}${one}` : one));
    return text.replace(MARKED_IN_JSON, '$1');
  }
};
