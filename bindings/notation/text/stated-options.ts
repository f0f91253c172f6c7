// Defines options that presets state and nothing acts on: they concern order sets, players and positions that no
// interface of Lepanto has. Issue numbers are those of DATC 3.2, chapter 4; the first value is the preference of DATC
// 3.2.
import type { PresetChoices } from '../../../engine/internal.js';

/** Values of each option, by its key. */
export const statedOptions = {
  /** 4.A.6: a convoy's route written out in the army's order. */
  writtenPath: ['ignored', 'optional', 'compulsory', 'refused'],
  missingNation: ['valid', 'invalid', 'unlessBetter'],
  wrongNation: ['valid', 'invalid', 'unlessBetter'],
  laterSets: ['lastUnlessCombined', 'combine', 'combineUnlessReplaced', 'last', 'refuse'],
  unorderedSets: ['combine', 'hold', 'refuse'],
  disorderHoldSupport: ['works', 'fails'],
  implicitOrders: ['no', 'yes'],
  perpetualOrders: ['no', 'yes'],
  proxyOrders: ['no', 'set', 'announced'],
  illegalUnit: ['removeNow', 'removeInWinter', 'leave', 'readjudicate'],
} as const;

/** The values that the presets choose. */
export const statedPresets: PresetChoices<typeof statedOptions> = {
  s004: {
    writtenPath: 'refused',
    wrongNation: 'invalid',
    laterSets: 'refuse',
    unorderedSets: 'refuse',
    illegalUnit: 'readjudicate',
  },
};
