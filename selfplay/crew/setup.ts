// Sends map and rules to a worker: by name if they have one, so that tables need not be copied.
import { type CompiledMap, compileMap, loadMap, mapNames, type Rules, rulesByName } from '../../engine/internal.js';

/** Without rows for a map that ships with Lepanto: its name is enough. */
export const packSetup = (map: CompiledMap, rules: Rules) => {
  const { name: plainName } = map.rows.base ?? map.rows;
  const ships = mapNames.includes(plainName) && loadMap(map.name).id === map.id;
  return { map: map.name, mapId: map.id, rows: ships ? null : map.rows, rules: rules.name };
};

export type PackedSetup = ReturnType<typeof packSetup>;

const maps = new Map<number, CompiledMap>();
const ruleSets = new Map<string, Rules>();

const known = <K, V>(cache: Map<K, V>, key: K, make: () => V): V => {
  const there = cache.get(key);
  if (there !== undefined) return there;
  const made = make();
  cache.set(key, made);
  return made;
};

/** In the worker: the same objects each time, since the engine prepares its tables anew for another map. */
export const openSetup = ({ map, mapId, rows, rules }: PackedSetup): { map: CompiledMap; rules: Rules } => ({
  map: known(maps, mapId, () => (rows === null ? loadMap(map) : compileMap(rows))),
  rules: known(ruleSets, rules, () => rulesByName(rules)),
});
