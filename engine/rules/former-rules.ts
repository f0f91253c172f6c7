// Recognises the ids of rules in files written before version 0.2.0. Until then an id also covered the options of reading
// orders and of running games, so rules that adjudicate alike had different ids. Nothing here may change, because it
// describes existing files.

import { hashOption, keyByPlace, type Rules, ZERO_ID } from './options.js';
import { chosenValues, type OptionTable, type PresetChoices, type PresetName, presetNames } from './rule-text.js';

/** Options that were part of an id, though adjudication does not depend on them. */
export const formerOptions = {
  writtenPath: ['ignored', 'optional', 'compulsory', 'refused'],
  missingCoast: ['fails', 'default'],
  onlyCoast: ['taken', 'default', 'fails'],
  impossibleCoast: ['fails', 'ignored'],
  supportCoast: ['optional', 'match', 'required', 'requiredIfTwo', 'forgiven', 'ignore', 'default'],
  wrongOwnCoast: ['ignored', 'fails'],
  uselessCoast: ['ignored', 'fails'],
  buildCoast: ['fails', 'default'],
  missingType: ['valid', 'invalid', 'unlessBetter'],
  wrongType: ['valid', 'invalid', 'unlessBetter'],
  buildWithoutType: ['fleetByCoast', 'armyInland', 'fails'],
  fleetBuildInland: ['fails', 'army'],
  missingNation: ['valid', 'invalid', 'unlessBetter'],
  wrongNation: ['valid', 'invalid', 'unlessBetter'],
  laterSets: ['lastUnlessCombined', 'combine', 'combineUnlessReplaced', 'last', 'refuse'],
  unorderedSets: ['combine', 'hold', 'refuse'],
  twoOrders: ['first', 'last', 'hold', 'refuse'],
  surplusBuilds: ['first', 'last', 'none', 'refuse'],
  doubleBuilds: ['first', 'last', 'none', 'refuse'],
  surplusRemovals: ['first', 'last', 'disorder', 'refuse'],
  waive: ['yes', 'no'],
  disorderHoldSupport: ['works', 'fails'],
  illegalMove: ['ignore', 'hold', 'holdNoSupport', 'refuse'],
  implicitOrders: ['no', 'yes'],
  perpetualOrders: ['no', 'yes'],
  proxyOrders: ['no', 'set', 'announced'],
  illegalUnit: ['removeNow', 'removeInWinter', 'leave', 'readjudicate'],
  longGameDraw: ['no', 'yes'],
} as const satisfies OptionTable;

const formerPresets: PresetChoices<typeof formerOptions> = {
  '1971': { illegalMove: 'holdNoSupport' },
  '1982': { illegalMove: 'hold' },
  '2000': { illegalMove: 'hold' },
  '2023': { supportCoast: 'match', illegalMove: 'hold' },
  '2025ee': { supportCoast: 'match', illegalMove: 'hold' },
  'datc-2.4': { twoOrders: 'hold', illegalMove: 'hold' },
  dptg: { supportCoast: 'ignore', illegalMove: 'holdNoSupport', longGameDraw: 'yes' },
  s004: {
    writtenPath: 'refused',
    supportCoast: 'requiredIfTwo',
    wrongOwnCoast: 'fails',
    uselessCoast: 'fails',
    missingType: 'invalid',
    wrongType: 'invalid',
    wrongNation: 'invalid',
    laterSets: 'refuse',
    unorderedSets: 'refuse',
    twoOrders: 'refuse',
    surplusBuilds: 'refuse',
    doubleBuilds: 'refuse',
    surplusRemovals: 'refuse',
    illegalMove: 'refuse',
    illegalUnit: 'readjudicate',
  },
};

const formerKeys = Object.keys(formerOptions) as readonly (keyof typeof formerOptions)[];
/** Places of these options in the id, in the order of the table. */
const formerPlaces: readonly number[] = [
  9, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 35, 36, 38, 39, 40, 41, 43,
];
const LAST_PLACE = 43;

/** How many former options may differ from a preset: few enough to try all combinations and to rarely match by chance. */
const MOST_CHANGED = 3;

/** One place of an id: the index there, and the number of values to try, 0 if no other value may be tried. */
type Place = readonly [index: number, values: number];

const placesOf = (rules: Rules, preset: PresetName): readonly Place[] => {
  const chosen = chosenValues(formerOptions, formerPresets, { preset, given: new Map() });
  return Array.from({ length: LAST_PLACE + 1 }, (_, place) => {
    const own = keyByPlace[place];
    if (own !== undefined) return [rules[own], 0];
    const at = formerPlaces.indexOf(place);
    if (at < 0) return [0, 0];
    const list: readonly string[] = formerOptions[formerKeys[at]];
    return [list.indexOf(chosen[formerKeys[at]]), list.length];
  });
};

/** True if adding the places from one on turns a hash into an id, with at most `changes` of them given other values. */
const canBecome = (id: number, places: readonly Place[], hash: number, place: number, changes: number): boolean => {
  if (place > LAST_PLACE) return hash >>> 0 === id;
  const [own, values] = places[place];
  if (canBecome(id, places, hashOption(hash, place, own), place + 1, changes)) return true;
  if (changes === 0) return false;
  for (let value = 0; value < values; value++)
    if (value !== own && canBecome(id, places, hashOption(hash, place, value), place + 1, changes - 1)) return true;
  return false;
};

/**
 * True if a file from before version 0.2.0 with this id was written under rules that adjudicate as these do. Its other
 * options must be those of a preset with at most three changed. Takes about 20 ms if the answer is no.
 * @param id unsigned 32 bits
 */
export const isFormerId = (rules: Rules, id: number): boolean =>
  presetNames.some((preset) => canBecome(id, placesOf(rules, preset), ZERO_ID, 1, MOST_CHANGED));
