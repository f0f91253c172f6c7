// What every reader of map files gives, and the names that all of them make.
import type { MapRows } from '../../../engine/internal.js';

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

/** Aliases of provinces by their tags: those that no other province has as its tag, its name or an earlier alias. */
export const freeAliases = (
  provinces: readonly { readonly tag: string; readonly name: string; readonly aliases: readonly string[] }[],
): string[][] => {
  const taken = new Set(provinces.flatMap(({ tag, name }) => [plainName(tag), plainName(name)]));
  return provinces.map(({ aliases }) =>
    aliases.filter((alias) => {
      const plain = plainName(alias);
      if (plain === '' || taken.has(plain)) return false;
      taken.add(plain);
      return true;
    }),
  );
};

/** Refuses the name of a file that another one names, if it has a folder. */
export const isPlainFileName = (name: string): boolean => /^[\w-][\w.-]*$/.test(name);
