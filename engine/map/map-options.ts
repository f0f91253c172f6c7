// Reads and applies the options and edits in the name of a map: 'colonial,tsr,suez', 'loeb9,ice=no',
// 'standard,convoyable=DEN+SWE'.
//
//   NAME [, OPTION [= yes | no]] ... [, EDIT = ITEM + ITEM ...] ...
//
// Edits:
//   convoyable                  coastal provinces whose fleets can convoy, added to the map's list; `no` drops it
//   fleetBorders, armyBorders   pairs of places that become adjacent: BER-DEN
//   difficult                   pairs added to the map's difficult borders; also turns on the option difficult
import { LepantoError } from '../rules/error.js';
import { type MapOption, type MapRows, mapOptions, type ProvinceRow } from './compiled-map.js';

export const mapEditNames = ['convoyable', 'fleetBorders', 'armyBorders', 'difficult'] as const;
export type MapEditName = (typeof mapEditNames)[number];

/** Options to turn on or off, and edits: province tags for `convoyable`, pairs of tags ('BER-DEN') for the others. */
export interface MapChanges {
  readonly options: ReadonlyMap<MapOption, boolean>;
  readonly edits: ReadonlyMap<MapEditName, readonly string[]>;
}

const isOption = (name: string): name is MapOption => (mapOptions as readonly string[]).includes(name);
const isEdit = (name: string): name is MapEditName => (mapEditNames as readonly string[]).includes(name);

const optionNamed = (name: string): string =>
  [...mapOptions, ...mapEditNames].find((known) => known.toLowerCase() === name.toLowerCase()) ?? name;

const VALUES: ReadonlyMap<string, boolean> = new Map([
  ['yes', true],
  ['true', true],
  ['on', true],
  ['no', false],
  ['false', false],
  ['off', false],
]);

/**
 * Reads the options and edits after the name of a map, for example ['tsr', 'ice=no', 'convoyable=DEN+SWE'].
 * @throws LepantoError if an option is unknown, repeated or has an invalid value
 */
export const readMapChanges = (parts: readonly string[]): MapChanges => {
  const options = new Map<MapOption, boolean>();
  const edits = new Map<MapEditName, readonly string[]>();
  for (const part of parts) {
    const [given, value, ...rest] = part.trim().split('=');
    const name = optionNamed(given);
    const asOption = value === undefined ? true : VALUES.get(value.toLowerCase());
    if (isOption(name) && asOption !== undefined && rest.length === 0 && !options.has(name))
      options.set(name, asOption);
    else if (isEdit(name) && value !== undefined && rest.length === 0 && !edits.has(name))
      edits.set(name, value.toUpperCase().split('+'));
    else if (!isOption(name) && !isEdit(name))
      throw new LepantoError('map', `map: got option "${given}", wanted one of ${mapOptions.join(', ')}`);
    else throw new LepantoError('map', `map: got "${part}", wanted each option once, as ${given} or ${given}=no`);
  }
  return { options, edits };
};

/** Item of the edit `convoyable` that drops the map's list of convoyable coasts. */
const NO_COAST = 'NO';

/** Splits a space-separated list into words. Returns an empty list for undefined. */
const wordsOf = (text: string | undefined): string[] => (text ?? '').split(' ').filter((word) => word !== '');

/** True if a map supports an option: its rows have the field that the option needs. */
export const hasPlace = (rows: MapRows, option: MapOption): boolean => {
  if (option === 'buildAnywhere') return true;
  const places = {
    tsr: rows.railroad,
    suez: rows.canal,
    hongKong: rows.uncounted,
    ice: rows.ice,
    difficult: rows.difficult,
  };
  return places[option] !== undefined;
};

/** Returns a space-separated list of tags with `tag` appended if it is absent. */
const withTag = (list: string | undefined, tag: string): string => {
  const tags = wordsOf(list);
  return (tags.includes(tag) ? tags : [...tags, tag]).join(' ');
};

const pairOf = (rows: MapRows, name: MapEditName, item: string): readonly [string, string] => {
  const [a, b, ...rest] = item.split('-');
  if (b === undefined || rest.length > 0 || a === b)
    throw new LepantoError('map', `map ${rows.name}, ${name}: got "${item}", wanted two places like BER-DEN`);
  for (const tag of [a, b])
    if (!rows.provinces.some((row) => row.tag === tag.split('/')[0]))
      throw new LepantoError('map', `map ${rows.name}, ${name}: got "${tag}", wanted a province of the map`);
  return [a, b];
};

const addArmyBorder = (row: ProvinceRow, from: string, to: string): ProvinceRow =>
  row.tag === from ? { ...row, army: withTag(row.army, to) } : row;

const addFleetBorder = (row: ProvinceRow, from: string, to: string): ProvinceRow => {
  const [tag, coast] = from.split('/');
  if (row.tag !== tag) return row;
  if (coast === undefined) {
    if (row.fleet !== undefined && typeof row.fleet !== 'string')
      throw new LepantoError('map', `fleetBorders: got ${tag}, wanted one of its coasts`);
    return { ...row, fleet: withTag(row.fleet, to) };
  }
  if (row.fleet === undefined || typeof row.fleet === 'string' || row.fleet[coast] === undefined)
    throw new LepantoError('map', `fleetBorders: got ${from}, wanted a coast of the map`);
  return { ...row, fleet: { ...row.fleet, [coast]: withTag(row.fleet[coast], to) } };
};

const withBorders = (rows: MapRows, name: 'fleetBorders' | 'armyBorders', items: readonly string[]): MapRows => {
  const add = name === 'armyBorders' ? addArmyBorder : addFleetBorder;
  let { provinces } = rows;
  for (const item of items) {
    const [a, b] = pairOf(rows, name, item);
    provinces = provinces.map((row) => add(add(row, a, b), b, a));
  }
  return { ...rows, provinces };
};

const withEdits = (rows: MapRows, edits: MapChanges['edits']): MapRows => {
  let changed = rows;
  for (const name of ['fleetBorders', 'armyBorders'] as const) {
    const items = edits.get(name);
    if (items !== undefined) changed = withBorders(changed, name, items);
  }
  const difficult = edits.get('difficult');
  if (difficult !== undefined) {
    const pairs = difficult.map((item) => pairOf(rows, 'difficult', item).join('-'));
    const own = rows.difficult === undefined ? [] : [rows.difficult];
    changed = { ...changed, difficult: [...own, ...pairs].join(' ') };
  }
  const convoyable = edits.get('convoyable');
  if (convoyable !== undefined) {
    const own = convoyable.includes(NO_COAST) ? [] : wordsOf(rows.convoyable);
    const all = new Set([...own, ...convoyable.filter((tag) => tag !== NO_COAST)]);
    const { convoyable: _, ...others } = changed;
    changed = all.size === 0 ? others : { ...others, convoyable: [...all].join(' ') };
  }
  return changed;
};

/** Returns the options in force on a map. */
const optionsOf = (rows: MapRows): MapOption[] => [
  ...(rows.options ?? []),
  ...(rows.buildAnywhere === true ? (['buildAnywhere'] as const) : []),
];

const nameOf = (base: MapRows, inForce: ReadonlySet<MapOption>, edits: MapChanges['edits']): string => {
  const usual = optionsOf(base);
  const parts: string[] = [base.name];
  for (const option of mapOptions) {
    if (inForce.has(option) === usual.includes(option)) continue;
    // The edit `difficult` already implies the option.
    if (option === 'difficult' && inForce.has(option) && edits.has('difficult')) continue;
    parts.push(inForce.has(option) ? option : `${option}=no`);
  }
  for (const name of mapEditNames) {
    const own = name === 'convoyable' ? wordsOf(base.convoyable) : [];
    const items = edits.get(name) ?? [];
    const isBare = items.includes(NO_COAST) && own.length > 0;
    const added = items.filter((item) => item !== NO_COAST && (isBare || !own.includes(item)));
    const said = [...(isBare ? ['no'] : []), ...[...new Set(added)].sort()];
    if (said.length > 0) parts.push(`${name}=${said.join('+')}`);
  }
  return parts.join(',');
};

/** Returns the changes in the name of a map together with further ones. The last value of an option counts. */
const addChanges = (rows: MapRows, { options, edits }: MapChanges): MapChanges => {
  const before = readMapChanges(rows.name.split(',').slice(1));
  const all = new Map(before.edits);
  for (const [name, items] of edits) all.set(name, [...(all.get(name) ?? []), ...items]);
  return { options: new Map([...before.options, ...options]), edits: all };
};

/**
 * Returns the rows of a map with changed options or edits. Its name lists them in a canonical spelling. Returns the
 * base map if nothing differs from it.
 * @throws LepantoError if the map does not support an option, or an edit names an unknown place
 */
export const withMapChanges = (rows: MapRows, changes: MapChanges): MapRows => {
  const base = rows.base ?? rows;
  const { options, edits } = rows.base === undefined ? changes : addChanges(rows, changes);
  const edited = withEdits(base, edits);
  const inForce = new Set(optionsOf(base));
  if (edits.has('difficult')) inForce.add('difficult');
  for (const [option, value] of options) {
    if (!hasPlace(edited, option))
      throw new LepantoError('map', `map ${base.name}: got option ${option}, wanted one that this map has`);
    if (value) inForce.add(option);
    else inForce.delete(option);
  }
  const name = nameOf(base, inForce, edits);
  if (name === base.name) return base;
  const own = mapOptions.filter((option) => option !== 'buildAnywhere' && inForce.has(option));
  return { ...edited, name, options: own, buildAnywhere: inForce.has('buildAnywhere'), base };
};
