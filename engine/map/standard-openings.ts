// Defines maps with the provinces of the standard map and other powers or opening units. Their names match the Python
// package `diplomacy`, so that its saved games can be read.
import type { MapRows, PowerRow, ProvinceRow } from './compiled-map.js';
import { standardRows } from './standard.js';

const powersNamed = (...names: readonly string[]): PowerRow[] =>
  standardRows.powers.filter(({ name }) => names.includes(name));

/**
 * Makes a map where each power begins with one unit and one home centre and may build in every centre that it owns.
 * @param units one unit for each standard power, separated by commas: 'A VIE, F LON'
 */
const onePerPower = (name: string, units: string): MapRows => ({
  ...standardRows,
  name,
  buildAnywhere: true,
  powers: units
    .split(', ')
    .map((unit, i) => ({ name: standardRows.powers[i].name, homes: unit.slice(2), units: unit })),
});

/** Standard map where Italy begins with a fleet in Rome. */
export const fleetRome: MapRows = {
  ...standardRows,
  name: 'standard_fleet_rome',
  powers: standardRows.powers.map((power) =>
    power.name === 'ITALY' ? { ...power, units: 'F NAP, F ROM, A VEN' } : power,
  ),
};

/** 1898: each power begins with one unit and owns only that unit's centre. */
export const year1898: MapRows = {
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

/** Makes the power of a centre. Its name is one word: 'St Petersburg' becomes STPETERSBURG. */
const powerOf = ({ tag, name }: ProvinceRow): PowerRow => ({
  name: name.replaceAll(' ', '').toUpperCase(),
  homes: tag,
  units: '',
});

/** Chaos: one power for each centre, with the centre's name. The game begins with builds. */
export const chaos: MapRows = {
  ...standardRows,
  name: 'chaos',
  start: 'W1900A',
  buildAnywhere: true,
  powers: standardRows.provinces
    .filter((province) => province.center)
    .map(powerOf)
    .sort((a, b) => (a.name < b.name ? -1 : 1)),
};

// Maps for two players. The home centres of the other five powers are neutral and empty, and 18 of the 34 centres win.
// godip, webDiplomacy (ClassicFvA, ClassicGvI) and dipcc (fva) use the same start and end. On Playdiplomacy the side
// named as the defender wins a game that lasts to the end of 1912.

/** Map for two players, France and Austria. */
export const franceAustria: MapRows = {
  ...standardRows,
  name: 'standard_france_austria',
  powers: powersNamed('AUSTRIA', 'FRANCE'),
};

/** Map for two players, Germany and Italy. */
export const germanyItaly: MapRows = {
  ...standardRows,
  name: 'standard_germany_italy',
  powers: powersNamed('GERMANY', 'ITALY'),
};

/** Age of Empires: each power begins with one unit and may build in every centre that it owns. */
export const ageOfEmpires: MapRows = onePerPower(
  'standard_age_of_empires',
  'A VIE, F LON, A PAR, A BER, F ROM, A MOS, A CON',
);

/** Age of Empires with fleets in Berlin and Constantinople. */
export const ageOfEmpires2: MapRows = onePerPower(
  'standard_age_of_empires_2',
  'A VIE, F LON, A PAR, F BER, F ROM, A MOS, F CON',
);
