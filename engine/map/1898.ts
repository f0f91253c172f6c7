// 1898: the standard map, but each power begins with one unit and owns only the centre of that unit.

import type { MapRows } from './compiled-map.js';
import { standardRows } from './standard.js';

export const rows1898: MapRows = {
  ...standardRows,
  name: '1898',
  start: 'S1898M',
  powers: [
    { name: 'AUSTRIA', homes: 'BUD TRI VIE', owns: 'TRI', units: 'A TRI' },
    { name: 'ENGLAND', homes: 'EDI LON LVP', owns: 'EDI', units: 'F EDI' },
    { name: 'FRANCE', homes: 'BRE MAR PAR', owns: 'BRE', units: 'A BRE' },
    { name: 'GERMANY', homes: 'BER KIE MUN', owns: 'KIE', units: 'A KIE' },
    { name: 'ITALY', homes: 'NAP ROM VEN', owns: 'NAP', units: 'A NAP' },
    { name: 'RUSSIA', homes: 'MOS SEV STP WAR', owns: 'STP', units: 'A STP' },
    { name: 'TURKEY', homes: 'ANK CON SMY', owns: 'SMY', units: 'A SMY' },
  ],
};
