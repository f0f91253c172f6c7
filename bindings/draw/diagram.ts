// A geometry for a map that has none: each province a disc, each pair of neighbours joined by a line.
import type { CompiledMap } from '../../engine/internal.js';
import type { GeometryData } from './geometry.js';

export const diagramOf = (map: CompiledMap): GeometryData => {
  throw new Error(`draw: got the map ${map.name}, wanted one with a geometry`);
};
