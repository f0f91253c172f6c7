// Formats results with marks, as the adjudicator behind the preset `strict-2003` does, or as in the text of DATC.
//
//   A PAR s A BUR; (cut)          F ENG c LON - BEL          A MUN - BUR; (failed)
//   F North Sea Convoys A Yorkshire - Belgium
import type { CompiledMap } from '../../../engine/internal.js';
import type { OrderEntry } from '../../../engine/notation/json/outcomes.js';

/** Verb of an order in canonical text. */
const VERB = / (S|C|R) /;

const lowerVerb = (order: string): string => order.replace(VERB, (verb) => verb.toLowerCase());

const FAILED: ReadonlySet<string> = new Set(['fails', 'cut', 'disrupted', 'invalid', 'illegal']);

const isParadox = (reason: string | null): boolean => reason?.includes('paradox') === true;

/** Returns the mark of an order's result: '(cut)'. '' for a result without a mark. */
const tagOf = ({ order, result, reason }: OrderEntry): string => {
  if (result === 'cut') return isParadox(reason) ? '(paradox)' : '(cut)';
  if (result === 'fails') return order === null ? '' : '(failed)';
  if (result === 'invalid') {
    const real = /^order was (.+)$/.exec(reason ?? '');
    if (real !== null) return real[1] === 'none' ? '(invalid)' : `(invalid) [${real[1]}]`;
    // A move whose convoy does not exist.
    return VERB.test(order ?? '') ? '(invalid)' : '(failed)';
  }
  return result === 'illegal' ? '(invalid)' : '';
};

/** Returns the order text. Without an order the unit holds, or disbands if it is dislodged (result `fails`). */
const orderOf = ({ order, unit, result }: OrderEntry): string =>
  order ?? `${unit ?? '?'} ${result === 'fails' ? 'D' : 'H'}`;

/**
 * Formats an order with its result. The verb of a failed order is in lower case. Marks follow a semicolon; the fate
 * comes last.
 * @param entry entry of adjudicateRecord(); a unit without an order is shown as holding
 */
export const formatOutcome = (entry: OrderEntry): string => {
  const order = orderOf(entry);
  const shown = FAILED.has(entry.result) ? lowerVerb(order) : order;
  const tags = [tagOf(entry), entry.fate === null ? '' : `(${entry.fate})`].filter((tag) => tag !== '');
  return tags.length === 0 ? shown : `${shown}; ${tags.join(' ')}`;
};

const longPlace = (map: CompiledMap, tag: string): string => {
  const [province, coast] = tag.split('/');
  const name = map.provinceNames[map.provinceTags.indexOf(province)] ?? province;
  return coast === undefined ? name : `${name}(${coast.toLowerCase()})`;
};

const LONG_VERBS: Readonly<Record<string, string>> = {
  S: 'Supports',
  C: 'Convoys',
  H: 'Hold',
  R: '-',
  D: 'Disband',
  VIA: 'via Convoy',
};

/**
 * Returns order text in the style of DATC: 'F North Sea Convoys A Yorkshire - Belgium', 'Build F St Petersburg(nc)'.
 * @param order canonical text: 'F NTH C A YOR - BEL'
 */
export const formatDatc = (map: CompiledMap, order: string): string => {
  const words = order.split(' ');
  const long = words.map(
    (word) => LONG_VERBS[word] ?? (word.length >= 3 && word !== 'WAIVE' ? longPlace(map, word) : word),
  );
  const isBuild = words.length === 3 && words[2] === 'B';
  return isBuild ? `Build ${long.slice(0, 2).join(' ')}` : long.join(' ').replace(/^WAIVE$/, 'Waive');
};

/** Replaces the tags of provinces in a text by their names: 'cut by A MUN' becomes 'cut by A Munich'. */
const longText = (map: CompiledMap, text: string): string =>
  text.replace(/\b[A-Z]{3}(\/[A-Z]{2})?\b/g, (tag) => longPlace(map, tag));

/**
 * Formats an order in the style of DATC, with its result in Lepanto's words: 'A Paris - Burgundy; fails, dislodged: A
 * Munich held'.
 * @param entry entry of adjudicateRecord(); a unit without an order is shown as holding
 */
export const formatDatcOutcome = (entry: OrderEntry, map: CompiledMap): string => {
  const { result, fate, reason } = entry;
  const order = orderOf(entry);
  // Text that could not be parsed is shown unchanged.
  const shown = result === 'illegal' ? order : formatDatc(map, order);
  const why = reason === null ? '' : `: ${longText(map, reason)}`;
  return `${shown}; ${result}${fate === null ? '' : `, ${fate}`}${why}`;
};
