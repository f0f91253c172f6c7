// Splits order text into tokens: words, and the few signs that mean something. Everything else is space.
import { LepantoError } from '../../../engine/rules/error.js';

/** The most characters that one order may have. */
export const MAX_TEXT = 200;

export interface Token {
  /** As it was written. */
  readonly text: string;
  /** In lower case without accents; '-' for every dash and arrow. */
  readonly plain: string;
}

/** A word in the form in which names are compared: lower case, no accents, no spaces, no punctuation. */
export const plainWord = (text: string): string =>
  /^[a-z0-9]*$/i.test(text)
    ? text.toLowerCase()
    : text
        .toLowerCase()
        .normalize('NFKD')
        .replace(/[^\p{L}\p{N}]/gu, '');

const ARROWS = /[-=~‐‑‒–—―−]*(?:>|→|➔|➜|⇒|⟶)+|[‐‑‒–—―−-]+/gu;
const APOSTROPHES = /['’‘`´]/gu;
/** Signs that begin the result of an order in the notation of adjudicators: 'A PAR S BUR; (cut)', '[A BUR - MUN]'. */
const COMMENT = /[;[\]].*$/su;
const TOKENS = /[\p{L}\p{N}\p{M}]+|[-/()]|[^\s\p{L}\p{N}.,:*"_]/gu;

/** The word that is no part of a name, unless it is one. */
export const ARTICLE = 'the';

/** Splits the text of one order. @throws LepantoError if the text is too long */
export const tokenize = (text: string): readonly Token[] => {
  if (text.length > MAX_TEXT)
    throw new LepantoError('notation', `got ${text.length} characters, wanted at most ${MAX_TEXT}`);
  const bare = text.replace(COMMENT, '').replace(APOSTROPHES, '').replace(ARROWS, '-');
  const tokens: Token[] = [];
  for (const [found] of bare.matchAll(TOKENS)) {
    tokens.push({ text: found, plain: plainWord(found) || found });
  }
  return tokens;
};
