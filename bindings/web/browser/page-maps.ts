// Finds the maps of a page of positions: Lepanto's maps, and the map of the run that the page belongs to.
import {
  type CompiledMap,
  changeMap,
  loadMap,
  mapNames,
  presetNames,
  readMapChanges,
  takeMap,
} from '../../../engine/internal.js';
import type { OwnMap } from '../orders/asked-game.js';
import { byId, optionsOf } from './page.js';

export interface PageMaps {
  /** Returns the run's map in the form that requests to agents carry; null for any other map. */
  readonly ownOf: (map: CompiledMap) => OwnMap | null;
  /**
   * Returns the map with a name, which is the run's map if the name is its. @throws LepantoError for an unknown name
   */
  readonly mapNamed: (name: string) => CompiledMap;
}

export const pageMaps = (own: OwnMap | null): PageMaps => {
  const ownMap = own && changeMap(takeMap(own.rows), readMapChanges(own.name.split(',').slice(1)));
  return {
    ownOf: (map) => (map === ownMap ? own : null),
    mapNamed: (name) => (own && ownMap && name === own.name ? ownMap : loadMap(name)),
  };
};

/** Fills the page's lists of suggestions with the names of maps and of rule presets. */
export const offerNames = (): void => {
  for (const [id, names] of Object.entries({ maps: mapNames, presets: presetNames }))
    byId(id).replaceChildren(...optionsOf(names));
};
