// Parses saved games of the package `diplomacy`, and of dipcc's dialect.
//
//   {"id", "map", "rules", "phases": [{"name", "state": {"name", "units", "retreats", "centers", ...}, "orders",
//     "results", "messages"}]}
//
// dipcc writes fewer fields in `state`. Its older format has state_history, order_history and message_history, keyed by
// phase. Only units, retreats, centers, homes, zobrist_hash, orders, results and messages are read; everything else
// follows from them.

import { PHASE_LETTERS, SEASON_LETTERS } from '../../../engine/internal.js';
import type { ByPower } from '../../../engine/notation/json/position.js';
import { asObject, asTexts, describeValue, fieldOf, isObject, refuse } from '../../../engine/rules/shape.js';
import { type ReadMessages, readMessages, savedMessage } from './messages.js';
import type { RawGame, RawPhase, RawResult } from './raw.js';

/** Maximum number of phases in a game: more than a hundred years. */
export const MAX_PHASES = 2000;
const MAX_UNITS = 300;
const MAX_ORDERS = 1000;
const MAX_WORDS = 100;

/**
 * Parses lists of texts, keyed by power. A missing list is empty, and the power UNOWNED is left out.
 * @param what name of the value, for errors
 * @param most maximum length of a list
 * @throws LepantoError for any other value
 */
const byPower = (value: unknown, what: string, most: number): ByPower => {
  const found: ByPower = {};
  if (value === undefined || value === null) return found;
  for (const [power, entries] of Object.entries(asObject(value, what))) {
    if (power === 'UNOWNED') continue;
    // Guards against names such as __proto__.
    if (power in found && !Object.hasOwn(found, power)) refuse(`${what}: got the power ${power}, wanted one of a map`);
    // null is an order list that was never set.
    found[power] = entries === null ? [] : [...asTexts(entries, `${what} of ${power.slice(0, 20)}`, most)];
  }
  return found;
};

const isDislodged = (unit: string): boolean => unit.startsWith('*');

/** Splits units into standing and dislodged units. Removes the dislodged ones from `units`, and the '*' before them. */
const split = (units: ByPower): Pick<RawPhase, 'units' | 'dislodged'> => {
  const dislodged: ByPower = {};
  for (const power of Object.keys(units)) {
    if (!units[power].some(isDislodged)) continue;
    dislodged[power] = units[power].filter(isDislodged).map((unit) => unit.slice(1));
    units[power] = units[power].filter((unit) => !isDislodged(unit));
  }
  return { units, dislodged };
};

/**
 * Parses the results of a phase. dipcc writes an empty object, so its games have no results.
 * @param what place of the value, for errors
 * @throws LepantoError for anything but an object of at most MAX_ORDERS lists of words
 */
const readResults = (value: unknown, what: string): RawResult[] => {
  if (value === undefined || value === null) return [];
  const entries = Object.entries(asObject(value, what));
  if (entries.length > MAX_ORDERS) refuse(`${what}: got ${entries.length}, wanted at most ${MAX_ORDERS}`);
  return entries.map(([unit, words]) => ({
    unit,
    words: asTexts(words, `${what} of ${unit.slice(0, 20)}`, MAX_WORDS),
  }));
};

/** Parses a recorded hash. Returns null if there is none. @throws LepantoError unless it is text of decimal digits */
const readHash = (value: unknown, what: string): string | null => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return value;
  return refuse(`${what}, zobrist_hash: got ${describeValue(value)}, wanted a text of digits`);
};

const readState = (name: string, value: unknown, orders: unknown, results: unknown, what: string): RawPhase => {
  const state = asObject(value, `${what}, state`);
  const units = byPower(fieldOf(state, 'units'), `${what}, units`, MAX_UNITS);
  const centers = fieldOf(state, 'centers');
  const homes = fieldOf(state, 'homes');
  return {
    name,
    ...split(units),
    retreats: fieldOf(state, 'retreats') ?? null,
    centers: centers === undefined ? null : byPower(centers, `${what}, centers`, MAX_UNITS),
    homes: homes === undefined || homes === null ? null : byPower(homes, `${what}, homes`, MAX_UNITS),
    hash: readHash(fieldOf(state, 'zobrist_hash'), what),
    orders: byPower(orders, `${what}, orders`, MAX_ORDERS),
    results: readResults(results, `${what}, results`),
  };
};

/** Returns a phase name without zeros before the year. `diplomacy` writes four digits: 'S0001M' on ancmed is 'S1M'. */
const shortName = (name: string): string => name.slice(0, 20).replace(/^([SFW])0+(\d+[MRA])$/, '$1$2');

const nameOf = (record: object, what: string): string => {
  const name = fieldOf(record, 'name');
  return typeof name === 'string' ? shortName(name) : refuse(`${what}, name: got ${typeof name}, wanted text`);
};

const readPhase = (value: unknown, index: number): RawPhase => {
  const what = `phase ${index}`;
  const record = asObject(value, what);
  const [state, orders, results] = ['state', 'orders', 'results'].map((field) => fieldOf(record, field));
  return readState(nameOf(record, what), state, orders, results, what);
};

/** Returns a number that orders phase names by time. Infinity for text that is no phase name. */
const momentOf = (name: string): number => {
  const [, season = '', year = '', type = ''] = /^([SFW])(\d{1,5})([MRA])$/.exec(name) ?? [];
  return season === ''
    ? Number.POSITIVE_INFINITY
    : 9 * Number(year) + 3 * SEASON_LETTERS.indexOf(season) + PHASE_LETTERS.indexOf(type);
};

/**
 * Parses dipcc's older format and that of `diplomacy`'s server: histories keyed by phase, in any order, and possibly a
 * current state. Returns the phases in the order of time.
 * @throws LepantoError for an invalid value, or for more than MAX_PHASES phases
 */
const readHistories = (value: object): RawPhase[] => {
  const states = asObject(fieldOf(value, 'state_history'), 'state_history');
  const orders = asObject(fieldOf(value, 'order_history') ?? {}, 'order_history');
  const results = asObject(fieldOf(value, 'result_history') ?? {}, 'result_history');
  const names = Object.keys(states).sort((a, b) => momentOf(a) - momentOf(b) || 0);
  if (names.length > MAX_PHASES) refuse(`state_history: got ${names.length} phases, wanted at most ${MAX_PHASES}`);
  const phases = names.map((name) =>
    readState(
      shortName(name),
      fieldOf(states, name),
      fieldOf(orders, name),
      fieldOf(results, name),
      `phase ${name.slice(0, 20)}`,
    ),
  );
  const last = fieldOf(value, 'state');
  if (last !== undefined && last !== null)
    phases.push(readState(nameOf(asObject(last, 'state'), 'state'), last, {}, {}, 'state'));
  return phases;
};

/** Returns the list of phases of a game in any dialect. @throws LepantoError if it is missing, empty or too long */
export const phasesOf = (value: object): readonly unknown[] => {
  const phases = fieldOf(value, 'phases');
  if (!Array.isArray(phases))
    return refuse(`phases: got ${phases === undefined ? 'nothing' : typeof phases}, wanted a list`);
  if (phases.length === 0 || phases.length > MAX_PHASES)
    refuse(`phases: got ${phases.length}, wanted 1 to ${MAX_PHASES}`);
  return phases;
};

/** Reads all messages of a game: from its phases or message_history, and from its current phase. */
const readPress = (value: object): ReadMessages => {
  const phases = fieldOf(value, 'phases');
  const history = fieldOf(value, 'message_history');
  const lists: [name: unknown, list: unknown][] = [];
  for (const phase of Array.isArray(phases) ? phases : [])
    if (isObject(phase)) lists.push([fieldOf(phase, 'name'), fieldOf(phase, 'messages')]);
  if (isObject(history)) lists.push(...Object.entries(history));
  const state = fieldOf(value, 'state');
  if (isObject(state)) lists.push([fieldOf(state, 'name'), fieldOf(value, 'messages')]);
  const byPhase = new Map<string, unknown[]>();
  for (const [name, list] of lists) {
    if (!Array.isArray(list) || typeof name !== 'string') continue;
    const phase = shortName(name);
    byPhase.set(phase, [...(byPhase.get(phase) ?? []), ...list]);
  }
  return readMessages(byPhase, savedMessage());
};

/**
 * Maps with other names in other programs: dipcc's France against Austria, and Welfare Diplomacy, which uses the
 * standard map.
 */
const MAP_NAMES: Readonly<Record<string, string>> = {
  __proto__: null as never,
  fva: 'standard_france_austria',
  standard_welfare: 'standard',
};

/** Rules of the package `diplomacy` and of Welfare Diplomacy that Lepanto cannot play. */
const UNPLAYED = ['WELFARE', 'BUILD_ANY', 'DONT_SKIP_PHASES', 'HOLD_WIN', 'SHARED_VICTORY'];

/** Parses a saved game in any dialect of `diplomacy`. @throws LepantoError that names an invalid phase and field */
export const readSavedGame = (value: object): RawGame => {
  // The package's server uses the names game_id and map_name.
  const map = fieldOf(value, 'map') ?? fieldOf(value, 'map_name') ?? 'standard';
  if (typeof map !== 'string') return refuse(`map: got ${describeValue(map)}, wanted a name`);
  const rules = fieldOf(value, 'rules');
  const named = [...(Array.isArray(rules) ? rules : []), ...(map === 'standard_welfare' ? ['WELFARE'] : [])];
  return {
    id: String(fieldOf(value, 'id') ?? fieldOf(value, 'game_id') ?? ''),
    map: MAP_NAMES[map] ?? map,
    unplayed: UNPLAYED.filter((rule) => named.includes(rule)),
    wording: 'diplomacy',
    ...readPress(value),
    phases: Object.hasOwn(value, 'state_history') ? readHistories(value) : phasesOf(value).map(readPhase),
  };
};
