// Pure: the seven capitals, each next to all others, and an army in each.
import type { MapRows, PowerRow, ProvinceRow } from './compiled-map.js';

const capitals = [
  { power: 'AUSTRIA', tag: 'VIE', name: 'Vienna' },
  { power: 'ENGLAND', tag: 'LON', name: 'London' },
  { power: 'FRANCE', tag: 'PAR', name: 'Paris' },
  { power: 'GERMANY', tag: 'BER', name: 'Berlin' },
  { power: 'ITALY', tag: 'ROM', name: 'Rome' },
  { power: 'RUSSIA', tag: 'MOS', name: 'Moscow' },
  { power: 'TURKEY', tag: 'CON', name: 'Constantinople' },
] as const;

export const pureRows: MapRows = {
  name: 'pure',
  start: 'S1901M',
  powers: capitals.map(({ power, tag }): PowerRow => ({ name: power, homes: tag, units: `A ${tag}` })),
  provinces: capitals.map(
    ({ tag, name }): ProvinceRow => ({
      tag,
      name,
      kind: 'land',
      center: true,
      army: capitals
        .filter((other) => other.tag !== tag)
        .map((other) => other.tag)
        .join(' '),
    }),
  ),
};
