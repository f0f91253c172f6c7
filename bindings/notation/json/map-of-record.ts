// The map that a record is played on: the one it names, with the options and changes that it states.
//
//   {"map": "colonial", "options": {"tsr": true}, "mapEdits": {"convoyable": ["DEN"], "fleetBorders": [["BER", "DEN"]]}}

import {
  type CompiledMap,
  changeMap,
  loadMap,
  type MapEditName,
  type MapOption,
  mapEditNames,
  mapOptions,
} from '../../../engine/internal.js';
import { asObject, asTexts, describeValue, fieldOf, quote, refuse } from '../../../engine/rules/shape.js';

/** The most entries of one edit. */
const MOST_EDITS = 256;

const namedMap = (value: unknown): CompiledMap => {
  if (typeof value !== 'string') return refuse(`map: got ${describeValue(value)}, wanted the name of a map`);
  return load(() => loadMap(value));
};

const load = (read: () => CompiledMap): CompiledMap => {
  try {
    return read();
  } catch (error) {
    return refuse((error as Error).message);
  }
};

const readOptions = (value: unknown): Map<MapOption, boolean> => {
  const options = new Map<MapOption, boolean>();
  if (value === undefined || value === null) return options;
  for (const [name, chosen] of Object.entries(asObject(value, 'options'))) {
    const option = mapOptions.find((known) => known === name);
    if (option === undefined) return refuse(`options: got ${quote(name)}, wanted one of ${mapOptions.join(', ')}`);
    if (typeof chosen !== 'boolean')
      return refuse(`options, ${name}: got ${describeValue(chosen)}, wanted true or false`);
    options.set(option, chosen);
  }
  return options;
};

const checkTag = (what: string, text: string): string =>
  /^[A-Z0-9]{3}(\/[A-Z]{1,2})?$/i.test(text) ? text.toUpperCase() : refuse(`${what}: got ${quote(text)}, wanted a tag`);

/** Entries as map names have them: 'DEN', 'BER-DEN'. */
const readEdit = (name: MapEditName, value: unknown): string[] => {
  const what = `mapEdits, ${name}`;
  if (name === 'convoyable') return asTexts(value, what, MOST_EDITS).map((text) => checkTag(what, text));
  if (!Array.isArray(value) || value.length > MOST_EDITS)
    return refuse(`${what}: got ${describeValue(value)}, wanted a list of at most ${MOST_EDITS} pairs`);
  const list: readonly unknown[] = value;
  return list.map((entry) => {
    const pair = asTexts(entry, what, 2).map((text) => checkTag(what, text));
    if (pair.length !== 2) refuse(`${what}: got ${describeValue(entry)}, wanted pairs like ["BER", "DEN"]`);
    return pair.join('-');
  });
};

const readEdits = (value: unknown): Map<MapEditName, readonly string[]> => {
  const edits = new Map<MapEditName, readonly string[]>();
  if (value === undefined || value === null) return edits;
  for (const [name, entries] of Object.entries(asObject(value, 'mapEdits'))) {
    const edit = mapEditNames.find((known) => known === name);
    if (edit === undefined) return refuse(`mapEdits: got ${quote(name)}, wanted one of ${mapEditNames.join(', ')}`);
    const read = readEdit(edit, entries);
    if (read.length > 0) edits.set(edit, read);
  }
  return edits;
};

/**
 * The map of a record: what its `map` names, or else `given`, with its `options` and `mapEdits`.
 * @throws LepantoError that names a map, option or edit that there is not, or that the map has no place for
 */
export const mapOf = (record: unknown, given: CompiledMap): CompiledMap => {
  const fields = asObject(record, 'record');
  const name = fieldOf(fields, 'map');
  const map = name === undefined || name === null ? given : namedMap(name);
  const options = readOptions(fieldOf(fields, 'options'));
  const edits = readEdits(fieldOf(fields, 'mapEdits'));
  return options.size + edits.size === 0 ? map : load(() => changeMap(map, { options, edits }));
};
