// Defines the options for reading orders: the treatment of a missing or wrong coast, of two orders for a unit, and so
// on. They apply only when text becomes packed orders (interpret.ts). Numbers refer to DATC 3.2, chapter 4. The first
// value of each option is the preference of DATC 3.2.
import { chosenValues, type OptionValues, type PresetChoices } from '../../internal.js';

/**
 * Possible values of each option, keyed by option. rule-options.ts describes the options. They never change the coast
 * of a packed order.
 */
export const readingOptions = {
  // ---- coasts (4.B) ----
  missingCoast: ['fails', 'default'],
  onlyCoast: ['taken', 'default', 'fails'],
  impossibleCoast: ['fails', 'ignored'],
  supportCoast: ['optional', 'match', 'required', 'requiredIfTwo', 'forgiven', 'ignore', 'default'],
  wrongOwnCoast: ['ignored', 'fails'],
  uselessCoast: ['ignored', 'fails'],
  buildCoast: ['fails', 'default'],
  // ---- designations (4.C) ----
  missingType: ['valid', 'invalid', 'unlessBetter'],
  wrongType: ['valid', 'invalid', 'unlessBetter'],
  buildWithoutType: ['fleetByCoast', 'armyInland', 'fails'],
  fleetBuildInland: ['fails', 'army'],
  // ---- too many, too few (4.D) ----
  twoOrders: ['first', 'last', 'hold', 'refuse'],
  surplusBuilds: ['first', 'last', 'none', 'refuse'],
  doubleBuilds: ['first', 'last', 'none', 'refuse'],
  surplusRemovals: ['first', 'last', 'disorder', 'refuse'],
  waive: ['yes', 'no'],
  // ---- what counts as an order (4.E) ----
  illegalMove: ['ignore', 'hold', 'holdNoSupport', 'refuse'],
} as const;

/** Values of each preset that differ from the default. Options not listed keep their first value. */
export const readingPresets: PresetChoices<typeof readingOptions> = {
  '1971': { illegalMove: 'holdNoSupport' },
  '1982': { illegalMove: 'hold' },
  '2000': { illegalMove: 'hold' },
  '2023': { supportCoast: 'match', illegalMove: 'hold' },
  '2025ee': { supportCoast: 'match', illegalMove: 'hold' },
  'datc-2.4': { twoOrders: 'hold', illegalMove: 'hold' },
  dptg: { supportCoast: 'ignore', illegalMove: 'holdNoSupport' },
  'strict-2003': {
    supportCoast: 'requiredIfTwo',
    wrongOwnCoast: 'fails',
    uselessCoast: 'fails',
    missingType: 'invalid',
    wrongType: 'invalid',
    twoOrders: 'refuse',
    surplusBuilds: 'refuse',
    doubleBuilds: 'refuse',
    surplusRemovals: 'refuse',
    illegalMove: 'refuse',
  },
};

/** Chosen value of each option for reading orders. */
export type Reading = OptionValues<typeof readingOptions>;

/** Options for reading orders that DATC 3.2 prefers. The default. */
export const DATC_READING: Reading = chosenValues(readingOptions, readingPresets, {
  preset: 'datc-3.2',
  given: new Map(),
});
