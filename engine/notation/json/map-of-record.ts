// Reads the map of a record from its fields `map`, `options` and `mapEdits`.
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
} from '../../internal.js';
import {
  asObject,
  describeValue,
  fieldOf,
  listOf,
  oneOf,
  refuse,
  refuseValue,
  type Shape,
  text,
  trueOrFalse,
} from '../../rules/shape.js';

/** Maximum number of entries in one map edit. */
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

/**
 * Returns the entries of an object, or no entries for undefined and null.
 * @param where name of the field, for messages
 * @throws LepantoError for any other value that is not an object
 */
const entriesOf = (value: unknown, where: string): [string, unknown][] =>
  value === undefined || value === null ? [] : Object.entries(asObject(value, where));

const readOptions = (value: unknown): Map<MapOption, boolean> =>
  new Map(
    entriesOf(value, 'options').map(([name, chosen]) => [
      oneOf(mapOptions)(name, 'options'),
      trueOrFalse(chosen, `options, ${name}`),
    ]),
  );

const tag: Shape<string> = (value, where) => {
  const given = text(value, where);
  return /^[A-Z0-9]{3}(\/[A-Z]{1,2})?$/i.test(given) ? given.toUpperCase() : refuseValue(where, given, 'a tag');
};

/** Reads a pair of tags, ['BER', 'DEN'], and returns it in the form of map names, 'BER-DEN'. */
const pair: Shape<string> = (value, where) =>
  Array.isArray(value) && value.length === 2
    ? listOf(tag, 2, 2)(value, where).join('-')
    : refuseValue(where, value, 'pairs like ["BER", "DEN"]');

const readEdits = (value: unknown): Map<MapEditName, readonly string[]> => {
  const edits = entriesOf(value, 'mapEdits').map(([name, entries]): [MapEditName, string[]] => {
    const edit = oneOf(mapEditNames)(name, 'mapEdits');
    return [edit, listOf(edit === 'convoyable' ? tag : pair, 0, MOST_EDITS)(entries, `mapEdits, ${edit}`)];
  });
  return new Map(edits.filter(([, entries]) => entries.length > 0));
};

/**
 * Returns the map of a record, with the record's `options` and `mapEdits` applied.
 * @param given map of a record without a `map` field
 * @throws LepantoError if the map, an option or an edit is unknown, or does not fit the map
 */
export const mapOf = (record: unknown, given: CompiledMap): CompiledMap => {
  const fields = asObject(record, 'record');
  const name = fieldOf(fields, 'map');
  const map = name === undefined || name === null ? given : namedMap(name);
  const options = readOptions(fieldOf(fields, 'options'));
  const edits = readEdits(fieldOf(fields, 'mapEdits'));
  return options.size + edits.size === 0 ? map : load(() => changeMap(map, { options, edits }));
};
