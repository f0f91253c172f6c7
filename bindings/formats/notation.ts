// Results in the notation of an adjudicator of the field (rules/rules.md, section 5) and in the running text of DATC.
//
//   A PAR s A BUR; (cut)          F ENG c LON - BEL          A MUN - BUR; (failed)
//   F North Sea Convoys A Yorkshire - Belgium
import type { CompiledMap } from '../../engine/index.js';
import type { OrderEntry } from '../adjudicate.js';

/** Verbs of canonical order text. */
const VERB = / (S|C|R) /;

const lowerVerb = (order: string): string => order.replace(VERB, (verb) => verb.toLowerCase());

const FAILED: ReadonlySet<string> = new Set(['fails', 'cut', 'disrupted', 'invalid', 'illegal']);

const isParadox = (reason: string | null): boolean => reason?.includes('paradox') === true;

/** The tag of an outcome; '' for none. */
const tagOf = ({ result, reason }: OrderEntry): string => {
  if (result === 'cut') return isParadox(reason) ? '(paradox)' : '(cut)';
  if (result === 'fails') return '(failed)';
  if (result === 'invalid') {
    const real = /^order was (.+)$/.exec(reason ?? '');
    return real === null || real[1] === 'none' ? '(invalid)' : `(invalid) [${real[1]}]`;
  }
  return result === 'illegal' ? '(invalid)' : '';
};

/**
 * One order with what became of it: the letter small where it failed, the tags after a semicolon, a fate last.
 * @param entry of adjudicateRecord(); a unit without an order is shown as holding
 */
export const formatOutcome = (entry: OrderEntry): string => {
  const order = entry.order ?? `${entry.unit ?? '?'} H`;
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
 * Canonical order text as DATC writes it: 'F North Sea Convoys A Yorkshire - Belgium', 'Build F St Petersburg(nc)'.
 * @param order canonical text, 'F NTH C A YOR - BEL'
 */
export const formatDatc = (map: CompiledMap, order: string): string => {
  const words = order.split(' ');
  const long = words.map(
    (word) => LONG_VERBS[word] ?? (word.length >= 3 && word !== 'WAIVE' ? longPlace(map, word) : word),
  );
  const isBuild = words.length === 3 && words[2] === 'B';
  return isBuild ? `Build ${long.slice(0, 2).join(' ')}` : long.join(' ').replace(/^WAIVE$/, 'Waive');
};
