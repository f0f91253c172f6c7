// Reads the order vocabulary of another project from the user's copy, and maps it to vocabulary(map).
//
// The vocabularies of dipcc and DipNet are lists of order text: 'A PAR - BUR', 'F NTH C A YOR - BEL', 'A ANK B;F CON B'
// (all builds of a turn in one entry). The file is a JSON list, JSON lists by unit, or plain text with one entry per
// line. Entries spell out the types and coasts of all units, which follow from the position in Lepanto, so several
// entries can be the same order here.
import { type CompiledMap, orderType, vocabulary, WAIVE } from '../../../engine/internal.js';
import { parseStrict } from '../../../engine/notation/json/untrusted.js';
import { formatOrder, type Units } from '../../../engine/notation/text/index.js';
import { LepantoError } from '../../../engine/rules/error.js';

/** Another project's vocabulary, mapped to vocabulary(map). */
export interface MappedVocabulary {
  /** Entries (order texts) as in the file, in the same order. */
  readonly entries: readonly string[];
  /** Indices in vocabulary(map) for each entry, one per order of the entry. Empty if the entry cannot be mapped. */
  readonly ids: readonly (readonly number[])[];
  /** Entries that are not orders of vocabulary(map). */
  readonly unmapped: readonly string[];
  /** Orders of vocabulary(map) without an entry, as text without unit types. */
  readonly missing: readonly string[];
}

const MAX_ENTRIES = 1_000_000;

/**
 * Parses the entries of a vocabulary file, in order: a JSON list, JSON lists by unit, or plain text with one entry per
 * line.
 * @throws LepantoError that describes the invalid entry
 */
export const readVocabulary = (text: string): string[] => {
  const trimmed = text.trim();
  if (!trimmed.startsWith('[') && !trimmed.startsWith('{')) return trimmed.split(/\r?\n/).filter((line) => line !== '');
  const value = parseStrict(trimmed);
  const lists = Array.isArray(value) ? [value] : Object.values(value as object);
  const entries = lists.flat();
  if (entries.length > MAX_ENTRIES)
    throw new LepantoError('record', `vocabulary: got ${entries.length} entries, wanted at most ${MAX_ENTRIES}`);
  return entries.map((entry, i) => {
    if (typeof entry === 'string') return entry;
    throw new LepantoError('record', `vocabulary, entry ${i + 1}: got ${typeof entry}, wanted the text of an order`);
  });
};

/**
 * Returns an order without the parts that follow from the position: types of ordered and helped units, and coasts that
 * a support or convoy names.
 */
const plain = (order: string): string => {
  const words = order.trim().toUpperCase().split(/\s+/);
  if (words.at(-1) === 'B' || words[0] === 'WAIVE') return words.join(' ');
  const [, location, verb, ...rest] = words;
  const others = rest.filter((word) => word !== 'A' && word !== 'F');
  const places = verb === 'S' || verb === 'C' ? others.map((word) => word.replace(/\/.*$/, '')) : others;
  return [location, verb, ...places].join(' ');
};

/** Units for formatting an order of the vocabulary. Their type is removed from the text. */
const somewhere: Units = { unitAt: () => 2, unitLocation: (province) => province };

/** Returns indices in vocabulary(map), keyed by text from plain(). A disband and a removal have the same text. */
const placesByText = (map: CompiledMap): Map<string, number[]> => {
  const places = new Map<string, number[]>();
  vocabulary(map).orders.forEach((order, id) => {
    const text = orderType(order) === WAIVE ? 'WAIVE' : plain(formatOrder(map, order, somewhere));
    places.set(text, [...(places.get(text) ?? []), id]);
  });
  return places;
};

/**
 * Maps the entries of another vocabulary to indices in vocabulary(map), and lists the unmapped ones of both.
 * @param entries entries from readVocabulary()
 */
export const mapVocabulary = (map: CompiledMap, entries: readonly string[]): MappedVocabulary => {
  const places = placesByText(map);
  const meant = new Set<number>();
  const unmapped: string[] = [];
  const ids = entries.map((entry) => {
    const found = entry.split(';').map((order) => places.get(plain(order)) ?? []);
    if (found.some((one) => one.length === 0)) {
      unmapped.push(entry);
      return [];
    }
    for (const id of found.flat()) meant.add(id);
    return found.flat();
  });
  const { orders } = vocabulary(map);
  const missing = Array.from(orders.keys())
    .filter((id) => !meant.has(id))
    .map((id) => (orderType(orders[id]) === WAIVE ? 'WAIVE' : plain(formatOrder(map, orders[id], somewhere))));
  return { entries, ids, unmapped, missing };
};
