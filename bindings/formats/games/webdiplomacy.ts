// Parses games of webDiplomacy, which have numbers for places and countries, and one list of orders for all powers.
//
//   {"phases": [{"turn": 0, "phase": "Diplomacy", "units": [{"countryID": 1, "type": "Fleet", "terrID": 2,
//     "retreating": false}], "centers": [{"countryID": 1, "terrID": 2}], "orders": [{"countryID": 1, "terrID": 2,
//     "unitType": "Fleet", "type": "Move", "toTerrID": 53, "fromTerrID": null, "viaConvoy": false, "success": true,
//     "dislodged": false}]}]}
//
// This is history.json. The older interface (game/status) has `unitType` for a unit's `type`, 'Yes' and 'No' for
// booleans, 0 for no place and '' for no type, and fields about the game next to `phases`. In both formats:
//
// - Turn 0 is spring 1901, turn 1 fall 1901. Orders of builds and removals have the province as `terrID`, and no type.
// - Until winter, the centres of a fall are those of the spring. `Finished` repeats the centres of the last phase
//   played, so they are not read. Newer files also list provinces that are not centres; they are ignored.
// - A last retreat phase may list the dislodged units only.
// - Games with press list messages in their phases: {"message": "...", "fromCountryID": 1, "toCountryID": 2,
//   "timeSent": 1600000000}. Country 0 is all countries, or the site if it is the sender.
// - The success flags are not relied on: the orders are adjudicated, and the flags compared with the results.

import { COMPLETED, standard } from '../../../engine/internal.js';
import {
  asObject,
  describeValue,
  fieldOf,
  isObject,
  optional,
  refuse,
  wholeNumber,
} from '../../../engine/rules/shape.js';
import { GLOBAL, messageText } from '../../../selfplay/question/message.js';
import { type ReadMessages, readMessages } from './messages.js';
import type { RawGame, RawPhase, RawResult } from './raw.js';
import { FAILURE, SUCCESS, WAS_DISLODGED } from './recorded-results.js';

/** Locations in the order of terrID, which begins at 1. */
const TERRITORIES =
  'CLY EDI LVP YOR WAL LON POR SPA NAF TUN NAP ROM TUS PIE VEN APU GRE ALB SER BUL RUM CON SMY ANK ARM ' +
  'SYR SEV UKR WAR LVN MOS STP FIN SWE NWY DEN KIE BER PRU SIL MUN RUH HOL BEL PIC BRE PAR BUR MAR GAS ' +
  'BAR NWG NTH SKA HEL BAL BOT NAO IRI ENG MAO WES LYO TYS ION ADR AEG EAS BLA TYR BOH VIE TRI BUD GAL ' +
  'SPA/NC SPA/SC STP/NC STP/SC BUL/EC BUL/SC';
const territories = TERRITORIES.split(' ');
/** Powers in the order of countryID, which begins at 1. */
const countries = ['ENGLAND', 'FRANCE', 'ITALY', 'GERMANY', 'AUSTRIA', 'TURKEY', 'RUSSIA'];

const MAX_ENTRIES = 500;

/** Id of the variant Classic, the only one whose territories and countries are known here. */
const CLASSIC = 1;

const centerTags = new Set(Array.from(standard.centers, (province) => standard.provinceTags[province]));

const list = (record: object, name: string, what: string): readonly object[] => {
  const value = fieldOf(record, name);
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return refuse(`${what}, ${name}: got no list, wanted one`);
  if (value.length > MAX_ENTRIES) refuse(`${what}, ${name}: got ${value.length}, wanted at most ${MAX_ENTRIES}`);
  return value.map((entry, i) => asObject(entry, `${what}, ${name}, entry ${i + 1}`));
};

/**
 * Returns the name that a number in a record stands for: 1 stands for the first of `names`.
 * @param name field of the record that has the number
 * @param what place of the record, for errors
 * @throws LepantoError if the number is out of range
 */
const numberOf = (record: object, name: string, names: readonly string[], what: string): string => {
  const value = Number(fieldOf(record, name));
  const found = Number.isInteger(value) ? names[value - 1] : undefined;
  return (
    found ??
    refuse(`${what}, ${name}: got ${JSON.stringify(fieldOf(record, name))?.slice(0, 40)}, wanted 1 to ${names.length}`)
  );
};

const isPlace = (value: unknown): boolean => Number(value) > 0;

const isTrue = (value: unknown): boolean => value === true || value === 'Yes' || value === 1;

const PHASES: Readonly<Record<string, string>> = { Diplomacy: 'M', Retreats: 'R', Builds: 'A' };

const phaseName = (record: object, what: string): string => {
  const turn = fieldOf(record, 'turn');
  if (typeof turn !== 'number' || !Number.isInteger(turn) || turn < 0 || turn > 10_000)
    return refuse(`${what}, turn: got ${JSON.stringify(turn)?.slice(0, 40)}, wanted a whole number from 0`);
  const phase = String(fieldOf(record, 'phase'));
  if (phase === 'Finished') return COMPLETED;
  const letter = Object.hasOwn(PHASES, phase)
    ? PHASES[phase]
    : refuse(`${what}, phase: got "${phase.slice(0, 40)}", wanted one of ${Object.keys(PHASES).join(', ')}, Finished`);
  const season = letter === 'A' ? 'W' : turn % 2 === 0 ? 'S' : 'F';
  return `${season}${1901 + Math.floor(turn / 2)}${letter}`;
};

const LETTERS: Readonly<Record<string, string>> = { army: 'A ', fleet: 'F ' };

/** Returns the letter of a record's unit with a blank, 'A ' or 'F '; '' if the record has no unit type. */
const letterOf = (record: object): string =>
  LETTERS[String(fieldOf(record, 'unitType') ?? fieldOf(record, 'type')).toLowerCase()] ?? '';

const unitText = (record: object, what: string): string =>
  `${letterOf(record)}${numberOf(record, 'terrID', territories, what)}`;

/** Returns an order as text; null if the record has no order. @throws LepantoError for an unknown type */
const orderText = (record: object, what: string): string | null => {
  const place = (name: string): string => numberOf(record, name, territories, what);
  const site = (): string => place(isPlace(fieldOf(record, 'toTerrID')) ? 'toTerrID' : 'terrID');
  const type = String(fieldOf(record, 'type')).toLowerCase();
  if (type === 'wait') return 'WAIVE';
  const unit = unitText(record, what);
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
      return `${unit} D`;
    case 'destroy':
      return `${site()} D`;
    case 'build army':
      return `A ${site()} B`;
    case 'build fleet':
      return `F ${site()} B`;
    default:
      return refuse(`${what}, type: got "${type.slice(0, 40)}", wanted an order of webDiplomacy`);
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

/**
 * Returns the units of a phase, keyed by power. Null if the standing units are wanted and only dislodged ones are
 * listed.
 * @param retreating true for the dislodged units, false for the standing ones
 */
const readUnits = (units: readonly object[], what: string, retreating: boolean): RawPhase['units'] => {
  const some = units.filter((unit) => isTrue(fieldOf(unit, 'retreating')) === retreating);
  if (!retreating && some.length === 0 && units.length > 0) return null;
  return byCountry(some, `${what}, units`, unitText);
};

const readCenters = (centers: readonly object[], what: string): RawPhase['centers'] => {
  const seen = new Set<string>();
  const isNew = (tag: string): boolean => centerTags.has(tag) && !seen.has(tag) && seen.add(tag).size > 0;
  return byCountry(centers, `${what}, centers`, (center, where) => {
    const tag = numberOf(center, 'terrID', territories, where).slice(0, 3);
    return isNew(tag) ? tag : null;
  });
};

/**
 * Returns the flags of an order as words: 'success' or 'failure', and 'dislodged'. Null for a waive, or if there are no
 * flags. The success flag of a hold has no meaning.
 */
const readResult = (record: object, what: string): RawResult | null => {
  if (/^wait$/i.test(String(fieldOf(record, 'type'))) || fieldOf(record, 'success') === undefined) return null;
  const unit = unitText(record, what);
  const words = [isTrue(fieldOf(record, 'success')) ? SUCCESS : FAILURE];
  if (isTrue(fieldOf(record, 'dislodged'))) words.push(WAS_DISLODGED);
  return { unit: /^[AF] /.test(unit) ? unit : `A ${unit}`, words };
};

const country = (record: object, name: string, none: string): string =>
  fieldOf(record, name) === 0 ? none : numberOf(record, name, countries, 'message');

const readPress = (phases: readonly unknown[]): ReadMessages => {
  const lists = phases.flatMap((phase, index): [string, unknown[]][] => {
    const messages = isObject(phase) ? fieldOf(phase, 'messages') : undefined;
    return Array.isArray(messages) ? [[phaseName(phase as object, `phase ${index}`), messages]] : [];
  });
  return readMessages(lists, (record) => ({
    round: 0,
    sender: country(record, 'fromCountryID', 'SYSTEM'),
    recipients: [country(record, 'toCountryID', GLOBAL)],
    time: optional(wholeNumber(0))(fieldOf(record, 'timeSent'), 'timeSent'),
    text: messageText(fieldOf(record, 'message'), 'message'),
  }));
};

const readPhase = (value: unknown, index: number): RawPhase => {
  const what = `phase ${index}`;
  const record = asObject(value, what);
  const name = phaseName(record, what);
  const [units, centers, orders] = ['units', 'centers', 'orders'].map((field) => list(record, field, what));
  return {
    name,
    units: units.length === 0 ? null : readUnits(units, what, false),
    dislodged: readUnits(units, what, true) ?? {},
    retreats: null,
    homes: null,
    hash: null,
    centers: centers.length === 0 || name === COMPLETED ? null : readCenters(centers, what),
    orders: byCountry(orders, `${what}, orders`, orderText),
    results: orders.flatMap((order, i) => readResult(order, `${what}, orders, entry ${i + 1}`) ?? []),
  };
};

/** True if a value looks like a history of webDiplomacy. */
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

/** Parses a history of webDiplomacy. @throws LepantoError that names the phase and the entry of an invalid value */
export const readWebDiplomacy = (value: object, phases: readonly unknown[]): RawGame => {
  const variant = fieldOf(value, 'variantID') ?? CLASSIC;
  if (Number(variant) !== CLASSIC) refuse(`variantID: got ${describeValue(variant)}, wanted ${CLASSIC} (Classic)`);
  const id = fieldOf(value, 'gameID') ?? fieldOf(value, 'id') ?? '';
  return {
    id: String(id),
    map: standard.name,
    wording: 'webdiplomacy',
    ...readPress(phases),
    phases: phases.map(readPhase),
  };
};
