// Types and functions that all readers of map files share.
import type { MapRows, ProvinceRow } from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';

/** A map that was read from a file. */
export interface ReadMap {
  readonly rows: MapRows;
  /** Notes for people about parts of the file that the rows do not contain, one line each. */
  readonly notes: readonly string[];
}

/** Returns the text of another file that a map file names, or null if it does not exist. */
export type FindMapFile = (name: string) => string | null;

/** Returns the name of a power as one word: PAPAL_STATES for 'Papal States'. */
export const powerName = (name: string): string =>
  name
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');

const plainName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** A province as found by a reader. Empty lists of borders are left out of its row. */
export interface FoundProvince {
  readonly tag: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly kind: ProvinceRow['kind'];
  readonly army: string;
  readonly fleet: ProvinceRow['fleet'];
}

/**
 * Returns rows of provinces. Drops an alias that is the tag, the name or an earlier alias of any province.
 * @param notes receives a line for each name that two provinces share
 */
export const provinceRows = (
  found: readonly FoundProvince[],
  centers: ReadonlySet<string>,
  notes: string[],
): ProvinceRow[] => {
  const owners = new Map<string, string>();
  for (const { tag, name } of found) for (const own of [tag, name]) owners.set(plainName(own), tag);
  const isFree = (alias: string, tag: string): boolean => {
    const plain = plainName(alias);
    const owner = owners.get(plain);
    if (owner !== undefined && owner !== tag) notes.push(`${tag}: the name "${alias}" means ${owner}, not ${tag}`);
    if (plain === '' || owner !== undefined) return false;
    owners.set(plain, tag);
    return true;
  };
  return found.map(({ tag, name, aliases, kind, army, fleet }) => {
    const free = aliases.filter((alias) => isFree(alias, tag));
    return {
      tag,
      name,
      kind,
      ...(centers.has(tag) && { center: true }),
      ...(army !== '' && { army }),
      ...(fleet !== undefined && { fleet }),
      ...(free.length > 0 && { aliases: free }),
    };
  });
};

/** Returns the name of a map, given the name of a file or variant: my-map for 'My Map'. 'map' if no letter is left. */
export const mapName = (given: string): string =>
  given
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9_]+/g, '-')
    .slice(0, 64)
    .replace(/^[-_]+|-+$/g, '') || 'map';

/** True if a map file may include a file of this name: letters, digits, `_`, `-` and `.`, so that it has no folder. */
export const isPlainFileName = (name: string): boolean => /^[\w-][\w.-]*$/.test(name);

/** Returns the error for a map file. @param file name of the file, with the line if known */
export const fileRefusal = (file: string, message: string): LepantoError =>
  new LepantoError('map', `${file}: ${message}`);
