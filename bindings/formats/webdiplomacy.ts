// webDiplomacy's history.json, read: numbers for places and countries, one list of orders for all.
//
//   {"phases": [{"turn": 0, "phase": "Diplomacy", "units": [{"countryID": 1, "type": "Fleet", "terrID": 2}],
//     "centers": [{"countryID": 1, "terrID": 2}], "orders": [{"countryID": 1, "terrID": 2, "unitType": "Fleet",
//     "type": "Move", "toTerrID": 53, "fromTerrID": null, "viaConvoy": "No", "success": "Yes", "dislodged": "No"}]}]}
//
// Turn 0 is spring 1901, turn 1 fall 1901. What it says about success is not trusted: the orders are adjudicated.
import { asObject, fieldOf, refuse } from '../position.js';
import type { RawGame, RawPhase } from './raw.js';

/** Places from terrID 1 on. */
const TERRITORIES =
  'CLY EDI LVP YOR WAL LON POR SPA NAF TUN NAP ROM TUS PIE VEN APU GRE ALB SER BUL RUM CON SMY ANK ARM ' +
  'SYR SEV UKR WAR LVN MOS STP FIN SWE NWY DEN KIE BER PRU SIL MUN RUH HOL BEL PIC BRE PAR BUR MAR GAS ' +
  'BAR NWG NTH SKA HEL BAL BOT NAO IRI ENG MAO WES LYO TYS ION ADR AEG EAS BLA TYR BOH VIE TRI BUD GAL ' +
  'SPA/NC SPA/SC STP/NC STP/SC BUL/EC BUL/SC';
const territories = TERRITORIES.split(' ');
/** Powers from countryID 1 on. */
const countries = ['ENGLAND', 'FRANCE', 'ITALY', 'GERMANY', 'AUSTRIA', 'TURKEY', 'RUSSIA'];

const MAX_ENTRIES = 500;

const list = (record: object, name: string, what: string): readonly object[] => {
  const value = fieldOf(record, name);
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return refuse(`${what}, ${name}: got no list, wanted one`);
  if (value.length > MAX_ENTRIES) refuse(`${what}, ${name}: got ${value.length}, wanted at most ${MAX_ENTRIES}`);
  return value.map((entry, i) => asObject(entry, `${what}, ${name}, entry ${i + 1}`));
};

const numberOf = (record: object, name: string, names: readonly string[], what: string): string => {
  const value = Number(fieldOf(record, name));
  const found = Number.isInteger(value) ? names[value - 1] : undefined;
  return (
    found ??
    refuse(`${what}, ${name}: got ${JSON.stringify(fieldOf(record, name))?.slice(0, 40)}, wanted 1 to ${names.length}`)
  );
};

const isTrue = (value: unknown): boolean => value === true || value === 'Yes' || value === 1;

const PHASES: Readonly<Record<string, string>> = { Diplomacy: 'M', Retreats: 'R', Builds: 'A' };

const phaseName = (record: object, what: string): string => {
  const turn = fieldOf(record, 'turn');
  if (typeof turn !== 'number' || !Number.isInteger(turn) || turn < 0 || turn > 10_000)
    return refuse(`${what}, turn: got ${JSON.stringify(turn)?.slice(0, 40)}, wanted a whole number from 0`);
  const phase = String(fieldOf(record, 'phase'));
  if (phase === 'Finished') return 'COMPLETED';
  const letter = Object.hasOwn(PHASES, phase) ? PHASES[phase] : refuse(`${what}, phase: got "${phase.slice(0, 40)}"`);
  const season = letter === 'A' ? 'W' : turn % 2 === 0 ? 'S' : 'F';
  return `${season}${1901 + Math.floor(turn / 2)}${letter}`;
};

const unitText = (record: object, typeField: string, what: string): string =>
  `${fieldOf(record, typeField) === 'Fleet' ? 'F' : 'A'} ${numberOf(record, 'terrID', territories, what)}`;

const orderText = (record: object, what: string): string | null => {
  const place = (name: string): string => numberOf(record, name, territories, what);
  const type = String(fieldOf(record, 'type')).toLowerCase();
  const unit = unitText(record, 'unitType', what);
  switch (type) {
    case 'hold':
      return `${unit} H`;
    case 'move':
      return `${unit} - ${place('toTerrID')}${isTrue(fieldOf(record, 'viaConvoy')) ? ' VIA' : ''}`;
    case 'support hold':
      return `${unit} S ${place('toTerrID')}`;
    case 'support move':
      return `${unit} S ${place('fromTerrID')} - ${place('toTerrID')}`;
    case 'convoy':
      return `${unit} C ${place('fromTerrID')} - ${place('toTerrID')}`;
    case 'retreat':
      return `${unit} R ${place('toTerrID')}`;
    case 'disband':
    case 'destroy':
      return `${unit} D`;
    case 'build army':
      return `A ${place('toTerrID' in record && fieldOf(record, 'toTerrID') ? 'toTerrID' : 'terrID')} B`;
    case 'build fleet':
      return `F ${place('toTerrID' in record && fieldOf(record, 'toTerrID') ? 'toTerrID' : 'terrID')} B`;
    case 'wait':
      return 'WAIVE';
    default:
      return refuse(`${what}, type: got "${type.slice(0, 40)}"`);
  }
};

const byCountry = (entries: readonly object[], what: string, read: (entry: object, where: string) => string | null) => {
  const found: Record<string, string[]> = Object.fromEntries([...countries].sort().map((name) => [name, []]));
  entries.forEach((entry, i) => {
    const where = `${what}, entry ${i + 1}`;
    if (Number(fieldOf(entry, 'countryID')) === 0) return;
    const text = read(entry, where);
    if (text !== null) found[numberOf(entry, 'countryID', countries, where)].push(text);
  });
  return found;
};

const readPhase = (value: unknown, index: number): RawPhase => {
  const what = `phase ${index}`;
  const record = asObject(value, what);
  const units = list(record, 'units', what);
  const standing = units.filter((unit) => !isTrue(fieldOf(unit, 'retreating')));
  const retreating = units.filter((unit) => isTrue(fieldOf(unit, 'retreating')));
  const centers = list(record, 'centers', what);
  return {
    name: phaseName(record, what),
    units: byCountry(standing, `${what}, units`, (unit, where) => unitText(unit, 'type', where)),
    dislodged: byCountry(retreating, `${what}, units`, (unit, where) => unitText(unit, 'type', where)),
    retreats: null,
    centers:
      centers.length === 0
        ? null
        : byCountry(centers, `${what}, centers`, (c, where) => numberOf(c, 'terrID', territories, where).slice(0, 3)),
    orders: byCountry(list(record, 'orders', what), `${what}, orders`, orderText),
  };
};

/** True for what looks like a history of webDiplomacy. */
export const isWebDiplomacy = (value: object): boolean => {
  const phases = fieldOf(value, 'phases');
  return (
    Array.isArray(phases) &&
    phases.length > 0 &&
    typeof phases[0] === 'object' &&
    phases[0] !== null &&
    'turn' in phases[0]
  );
};

/** @throws RecordError that names the phase and the entry */
export const readWebDiplomacy = (value: object, phases: readonly unknown[]): RawGame => ({
  id: String(fieldOf(value, 'gameID') ?? fieldOf(value, 'id') ?? ''),
  map: 'standard',
  phases: phases.map(readPhase),
});
