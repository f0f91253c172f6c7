// Parses the phases and periods in a query to keys of phases (selfplay/games/phase-key.ts).
import { PHASE_LETTERS, SEASON_LETTERS } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { quote } from '../../engine/rules/shape.js';
import * as T from '../../engine/rules/types.js';
import { KEYS_A_YEAR, keyOf } from '../../selfplay/games/phase-key.js';

/** A period: numbers of its first and last phase (selfplay/games/phase-key.ts), both included. */
export type Span = readonly [first: number, last: number];

export const ALWAYS: Span = [0, Number.POSITIVE_INFINITY];

/** Matches a year, a season or a phase: '1901', 'S1901', 'S1901M'. */
const TIME = /^([SFW]?)(\d{1,5})([MRA]?)$/i;

/** Returns the period that a year, a season or a phase spans. @throws LepantoError for any other text */
const spanOf = (text: string): Span => {
  const [, letter = '', year = '', kind = ''] = TIME.exec(text) ?? [];
  const season = SEASON_LETTERS.indexOf(letter.toUpperCase());
  const phase = PHASE_LETTERS.indexOf(kind.toUpperCase());
  const isPhase = kind === '' || (letter !== '' && (season === T.WINTER) === (phase === T.ADJUSTMENT));
  if (year === '' || !isPhase)
    throw new LepantoError('argument', `got ${quote(text)}, wanted a year, a season or a phase: 1901, S1901, S1901M`);
  if (letter === '') return [keyOf(Number(year), T.SPRING, T.MOVEMENT), KEYS_A_YEAR * Number(year) + KEYS_A_YEAR - 1];
  const begin = keyOf(Number(year), season, T.MOVEMENT);
  if (kind === '') return [begin, begin + 1];
  return [begin + (phase === T.RETREAT ? 1 : 0), begin + (phase === T.RETREAT ? 1 : 0)];
};

/**
 * Returns the number of a phase. A season stands for its movement phase, or for the adjustments of winter.
 * @throws LepantoError for any other text
 */
export const readKey = (text: string): number => {
  const [first, last] = spanOf(text);
  // A season spans two keys, its movement and its retreat phase.
  if (last - first > 1) throw new LepantoError('argument', `got ${quote(text)}, wanted a phase such as S1901M`);
  return first;
};

const WHEN = /\s+(in|before|after|by)\s+([SFW]?\d{1,5}[MRA]?)(?:\s+to\s+([SFW]?\d{1,5}[MRA]?))?$/i;

/**
 * Splits 'A VIE - TYR in S1901 to F1903' into the event and its period.
 * @throws LepantoError for an invalid period
 */
export const splitTime = (text: string): readonly [what: string, when: Span] => {
  const found = WHEN.exec(text.replace(/\b(s)pring\s+(?=\d)|\b(f)all\s+(?=\d)|\b(w)inter\s+(?=\d)/gi, '$1$2$3'));
  if (found === null) return [text, ALWAYS];
  const [whole, word, begin, end = begin] = found;
  const what = found.input.slice(0, -whole.length);
  const [first, last] = [spanOf(begin)[0], spanOf(end)[1]];
  if (end !== begin && word.toLowerCase() !== 'in')
    throw new LepantoError('argument', `got ${quote(whole.trim())}, wanted "in ${begin} to ${end}"`);
  if (last < first) throw new LepantoError('argument', `got ${begin} to ${end}, wanted the earlier one first`);
  const spans: Record<string, Span> = { in: [first, last], before: [0, first - 1], after: [last + 1, ALWAYS[1]] };
  return [what, spans[word.toLowerCase()] ?? [0, last]];
};
