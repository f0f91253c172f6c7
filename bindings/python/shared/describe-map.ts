// What a client is told about a map.
import type { CompiledMap } from '../../../engine/internal.js';
import { dipnetLocations } from '../../../selfplay/nets/dipnet-rows.js';

export const describeMap = (map: CompiledMap): object => ({
  name: map.name,
  id: map.id,
  powers: map.powerNames,
  provinces: map.provinceTags,
  locations: map.locationTags,
  dipnet_rows: dipnetLocations(map).map((location) => map.locationTags[location]),
  location_province: Array.from(map.locationProvince),
  centers: Array.from(map.centers, (p) => map.provinceTags[p]),
  start_year: map.startYear,
});
