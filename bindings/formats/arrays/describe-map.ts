// Describes a map, and the rows and columns of net inputs on it, for clients.
import type { CompiledMap, Location } from '../../../engine/internal.js';
import { dipnetLocations } from '../../../selfplay/nets/dipnet-rows.js';
import { deepmindLocations } from '../tensors/deepmind.js';

const blockOf = (map: CompiledMap, what: string, nobody: string): string[] => [
  ...map.powerNames.map((name) => `${what} ${name}`),
  nobody,
];

const areas = {
  dipnet: ['land', 'water', 'coast'],
  deepmind: ['land or coastal province', 'sea', 'coast of a province'],
} as const;

/** Returns the names of a board's columns (formats/tensors/board.ts): 35 on the standard map. */
export const boardColumns = (map: CompiledMap, kind: keyof typeof areas): string[] => [
  ...['army', 'fleet', 'no unit'],
  ...blockOf(map, 'unit of', 'unit of nobody'),
  ...['build possible', 'removal possible', 'dislodged army', 'dislodged fleet', 'none dislodged'],
  ...blockOf(map, 'dislodged of', 'dislodged of nobody'),
  ...areas[kind],
  ...blockOf(map, 'centre of', 'centre of nobody'),
];

/**
 * Returns the names of the columns of DipNet's previous orders (selfplay/nets/dipnet-orders.ts): 40 on the standard
 * map.
 */
export const orderColumns = (map: CompiledMap): string[] => [
  ...['army', 'fleet', 'no order'],
  ...blockOf(map, 'order of', 'order of nobody'),
  ...['hold', 'move', 'support', 'convoy', 'no kind'],
  ...blockOf(map, 'helps', 'helps nobody'),
  ...blockOf(map, 'aims at', 'aims at nobody'),
  ...blockOf(map, 'centre of', 'centre of nobody'),
];

/**
 * Returns the row of each location in a matrix, indexed by location.
 * @param order locations in the order of the rows
 */
const rowsOf = (map: CompiledMap, order: readonly Location[]): number[] =>
  map.locationTags.map((_, location) => order.indexOf(location));

/** Returns the pairs of locations [from, to] between which armies and fleets can move. */
const movesOf = (map: CompiledMap): { readonly army: number[][]; readonly fleet: number[][] } => {
  const moves: [number[][], number[][]] = [[], []];
  for (let key = 0; key < 2 * map.locationCount; key++)
    for (let i = map.moveOffsets[key]; i < map.moveOffsets[key + 1]; i++)
      moves[key < map.locationCount ? 0 : 1].push([key % map.locationCount, map.moveTargets[i]]);
  return { army: moves[0], fleet: moves[1] };
};

/** Returns the description of a map, and of the rows and columns of net inputs on it, as an object for JSON. */
export const describeMap = (map: CompiledMap): object => ({
  name: map.name,
  id: map.id,
  powers: map.powerNames,
  provinces: map.provinceTags,
  province_names: map.provinceNames,
  locations: map.locationTags,
  rows: { dipnet: rowsOf(map, dipnetLocations(map)), deepmind: rowsOf(map, deepmindLocations(map)) },
  columns: { dipnet: boardColumns(map, 'dipnet'), deepmind: boardColumns(map, 'deepmind') },
  order_columns: orderColumns(map),
  moves: movesOf(map),
  location_province: Array.from(map.locationProvince),
  centers: Array.from(map.centers, (p) => map.provinceTags[p]),
  start_year: map.startYear,
});
