// Keeps tables that follow from a map alone.
import type { CompiledMap } from './compiled-map.js';

/** Returns a function that calls `make` once for each map, and then returns the same result again. */
export const perMap = <T extends object>(make: (map: CompiledMap) => T): ((map: CompiledMap) => T) => {
  const made = new WeakMap<CompiledMap, T>();
  return (map) => {
    const known = made.get(map);
    if (known !== undefined) return known;
    const fresh = make(map);
    made.set(map, fresh);
    return fresh;
  };
};
