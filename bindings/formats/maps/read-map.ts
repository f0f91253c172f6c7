// What every reader of map files gives, and the names that all of them make.
import type { MapRows, ProvinceRow } from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';

/** A map that was read from a file of another program. */
export interface ReadMap {
  readonly rows: MapRows;
  /** What the rows do not hold of the file, one line each, for people. */
  readonly notes: readonly string[];
}

/** Gives the text of another file that a map file names; null if there is none. */
export type FindMapFile = (name: string) => string | null;

/** 'Papal States' is PAPAL_STATES: the name of a power is one word. */
export const powerName = (name: string): string =>
  name
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');

const plainName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** A province as a reader found it. Empty lists of borders are left out of its row. */
export interface FoundProvince {
  readonly tag: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly kind: ProvinceRow['kind'];
  readonly army: string;
  readonly fleet: ProvinceRow['fleet'];
}

/**
 * Rows of provinces, without the aliases that another one has as its tag, its name or an earlier alias.
 * @param notes gets a line for each name that two provinces have
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

/** The name of a map after a file or a variant: 'My Map' is my-map. */
export const mapName = (given: string): string =>
  given
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9_]+/g, '-')
    .slice(0, 64)
    .replace(/^[-_]+|-+$/g, '') || 'map';

/** Refuses the name of a file that another one names, if it has a folder. */
export const isPlainFileName = (name: string): boolean => /^[\w-][\w.-]*$/.test(name);

/** What is wrong with a map file. @param file its name, and the line where it is known */
export const fileRefusal = (file: string, message: string): LepantoError =>
  new LepantoError('map', `${file}: ${message}`);
