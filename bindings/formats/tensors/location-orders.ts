// Lists locations in the order of nets' rows.
import type { CompiledMap, Location } from '../../../engine/internal.js';

export { dipnetLocations } from '../../../selfplay/nets/dipnet-rows.js';

/** Locations in the order of DeepMind's areas: every province with its coasts right after it. */
export const deepmindLocations = (map: CompiledMap): Location[] => {
  const order: Location[] = [];
  for (let p = 0; p < map.provinceCount; p++) {
    order.push(p);
    for (let i = 0; i < map.coastCount[p]; i++) order.push(map.firstCoast[p] + i);
  }
  return order;
};
