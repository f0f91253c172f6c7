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

/** The entries of an object; none where it is missing. */
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

/** An entry as map names have it, 'BER-DEN'. */
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
