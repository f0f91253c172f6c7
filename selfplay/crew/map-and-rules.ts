// Sends a map and rules to a worker. Sends names if possible, which is cheaper than copying a map.
import { type CompiledMap, compileMap, loadMap, mapNames, type Rules, rulesByName } from '../../engine/internal.js';

/** Packs a map and rules for a worker. Built-in maps and their variants are packed as a name, other maps as rows. */
export const packMapAndRules = (map: CompiledMap, rules: Rules) => {
  const { name: plainName } = map.rows.base ?? map.rows;
  const ships = mapNames.includes(plainName) && loadMap(map.name).id === map.id;
  return { map: map.name, mapId: map.id, rows: ships ? null : map.rows, rules: rules.name };
};

/** A map and rules as they are sent to a worker. `rows` is null if the worker can load the map by name. */
export type PackedMapAndRules = ReturnType<typeof packMapAndRules>;

const maps = new Map<number, CompiledMap>();
const ruleSets = new Map<string, Rules>();

const known = <K, V>(cache: Map<K, V>, key: K, make: () => V): V => {
  const there = cache.get(key);
  if (there !== undefined) return there;
  const made = make();
  cache.set(key, made);
  return made;
};

/**
 * Returns, in a worker, the map and rules of a packed pair. Equal pairs give the same objects, because the engine
 * rebuilds its tables when the map object changes.
 */
export const openMapAndRules = ({
  map,
  mapId,
  rows,
  rules,
}: PackedMapAndRules): { map: CompiledMap; rules: Rules } => ({
  map: known(maps, mapId, () => (rows === null ? loadMap(map) : compileMap(rows))),
  rules: known(ruleSets, rules, () => rulesByName(rules)),
});
