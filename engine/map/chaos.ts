// Chaos: the standard map with one power for each centre, named after it. The game begins with builds.

import type { MapRows, PowerRow, ProvinceRow } from './compiled-map.js';
import { standardRows } from './standard.js';

/** 'St Petersburg' is STPETERSBURG: the name of a power is one word. */
const powerOf = ({ tag, name }: ProvinceRow): PowerRow => ({
  name: name.replaceAll(' ', '').toUpperCase(),
  homes: tag,
  units: '',
});

export const chaosRows: MapRows = {
  ...standardRows,
  name: 'chaos',
  start: 'W1900A',
  buildAnywhere: true,
  powers: standardRows.provinces
    .filter((province) => province.center)
    .map(powerOf)
    .sort((a, b) => (a.name < b.name ? -1 : 1)),
};
