// Maps that differ from the standard one in powers and opening units alone. Names are those of the Python package
// `diplomacy`, so that its saved games can be read.
import type { MapRows, PowerRow } from './compiled-map.js';
import { standardRows } from './standard.js';

const powersNamed = (...names: readonly string[]): PowerRow[] =>
  standardRows.powers.filter(({ name }) => names.includes(name));

/** One unit and one home centre for each power, which may build in every centre that it owns. */
const onePerPower = (name: string, units: readonly string[]): MapRows => ({
  ...standardRows,
  name,
  buildAnywhere: true,
  powers: standardRows.powers.map((power, i) => ({ name: power.name, homes: units[i].slice(2), units: units[i] })),
});

/** Italy opens with a fleet in Rome. */
const fleetRome: MapRows = {
  ...standardRows,
  name: 'standard_fleet_rome',
  powers: standardRows.powers.map((power) =>
    power.name === 'ITALY' ? { ...power, units: 'F NAP, F ROM, A VEN' } : power,
  ),
};

export const openingRows: readonly MapRows[] = [
  fleetRome,
  { ...standardRows, name: 'standard_france_austria', powers: powersNamed('AUSTRIA', 'FRANCE') },
  { ...standardRows, name: 'standard_germany_italy', powers: powersNamed('GERMANY', 'ITALY') },
  onePerPower('standard_age_of_empires', ['A VIE', 'F LON', 'A PAR', 'A BER', 'F ROM', 'A MOS', 'A CON']),
  onePerPower('standard_age_of_empires_2', ['A VIE', 'F LON', 'A PAR', 'F BER', 'F ROM', 'A MOS', 'F CON']),
];
