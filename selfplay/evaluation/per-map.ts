// Tables that follow from a map alone.
import type { CompiledMap } from '../../engine/internal.js';

/** Makes something once for each map. */
export const perMap = <T>(make: (map: CompiledMap) => T): ((map: CompiledMap) => T) => {
  const made = new WeakMap<CompiledMap, T>();
  return (map) => {
    const known = made.get(map) ?? make(map);
    made.set(map, known);
    return known;
  };
};
