// The maps of a page of positions: those that ship, and that of the run which the page was opened from.
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
import { byId, element } from './page.js';

export interface PageMaps {
  /** The run's, as agents are told it; null for any other map. */
  readonly ownOf: (map: CompiledMap) => OwnMap | null;
  /** @throws LepantoError for a name that is no map's */
  readonly mapNamed: (name: string) => CompiledMap;
}

export const pageMaps = (own: OwnMap | null): PageMaps => {
  const ownMap = own && changeMap(takeMap(own.rows), readMapChanges(own.name.split(',').slice(1)));
  return {
    ownOf: (map) => (map === ownMap ? own : null),
    mapNamed: (name) => (own && ownMap && name === own.name ? ownMap : loadMap(name)),
  };
};

/** Fills the lists of names that the fields of the page offer. */
export const offerNames = (): void => {
  for (const [id, names] of Object.entries({ maps: mapNames, presets: presetNames }))
    byId(id).replaceChildren(...names.map((value) => element('option', { value })));
};
