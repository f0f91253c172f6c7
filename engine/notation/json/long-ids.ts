// Parses and writes JSON with ids beyond Number.MAX_SAFE_INTEGER, such as Discord ids. Such ids are bigints, so that no
// digit is lost.

/** Matches an integer of 16 or more digits after a key that names a record or a game. */
const LONG_ID = /("(?:id|game|game_id|gameID|end)"\s*:\s*)(-?[1-9]\d{15,})(?=\s*[,}])/g;
/** Prefix of a string that replaces a bigint during JSON.parse() and JSON.stringify(). */
const MARK = '\u0000';
const MARKED = /^\0-?\d+$/;
const MARKED_IN_JSON = /"\\u0000(-?\d+)"/g;

/**
 * Parses JSON. An integer id or game id beyond Number.MAX_SAFE_INTEGER becomes a bigint.
 * @throws SyntaxError if the text is not JSON
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

/** Writes a value as JSON. Bigints become integers with all their digits. */
export const stringifyJson = (value: unknown): string => {
  try {
    return JSON.stringify(value);
  } catch {
    // JSON.stringify() throws on bigints. They are rare, so only a failed call takes this slow path.
    const text = JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? `${MARK}${one}` : one));
    return text.replace(MARKED_IN_JSON, '$1');
  }
};
