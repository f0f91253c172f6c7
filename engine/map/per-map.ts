// Caches tables that depend only on a map.
import type { CompiledMap } from './compiled-map.js';

/** Wraps `make` in a cache: it is called once for each map, and its result is returned again for the same map. */
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
