// Defines the options of adjudication and compiles them to small integers. Hot code rarely reads them.
//
// Rulebooks and adjudicators differ on these options. Each option is a list of values, and a Rules object stores the
// index of the chosen value. Index 0 is the preference of DATC 3.2, so the default rules are all zeros. A preset is a
// named set of values. Issue numbers in comments refer to DATC 3.2, chapter 4. Options for reading orders and for
// running games have separate tables (rule-text.ts) and do not affect adjudication.
import { LepantoError } from './error.js';
import {
  changedOptions,
  chosenValues,
  type OptionValues,
  type PresetChoices,
  type RuleText,
  readRuleText,
} from './rule-text.js';

/** Values of each option (see `lepanto rules`). Append new values at the end, because ids are made of the indices. */
export const ruleOptions = {
  // ---- convoys (4.A) ----
  convoyRoutes: ['any', 'all'],
  preferOwnConvoy: ['no', 'yes'],
  paradox: ['szykman', '1971', '1982', '2000', 'allHold', 'dptg'],
  paradoxBackup: ['szykman', 'allHold', 'dptg'],
  adjacentConvoy: ['intent', 'always', 'opposite', 'oppositeIntact', 'landFirst', 'written'],
  convoyFallback: ['none', 'unordered', 'broken'],
  cutFromOrigin: ['no', 'yes'],
  retreatToConvoyOrigin: ['yes', 'no'],
  dislodgedNoEffect: ['headToHead', 'always'],
  ownSupportVsRivals: ['no', 'yes'],
  // ---- civil disorder (4.D) ----
  disorderGoal: ['owned', 'home'],
  disorderMeasure: ['e', 'd', 'a', 'b', 'c'],
  disorderNames: ['full', 'dptg'],
  // ---- what counts as an order (4.E) ----
  superfluousConvoy: ['illegal', 'legal'],
  // ---- the end of units ----
  expedited: ['no', 'yes'],
} as const;

export type RuleKey = keyof typeof ruleOptions;
/** Keys of all options, in the order of ruleOptions. */
export const ruleKeys = Object.keys(ruleOptions) as readonly RuleKey[];

/** Adjudication rules: the value of each option, as an index into its list in ruleOptions. */
export interface Rules extends Readonly<Record<RuleKey, number>> {
  /** Preset and changed options: '2000,paradox=allHold'. rulesByName() accepts it. */
  readonly name: string;
  /** Hash of the options, an unsigned 32-bit integer stored in files. Equal for rules with equal options. */
  readonly id: number;
}

/** Values chosen by each preset. Omitted options have their first value. */
export const rulePresets: PresetChoices<typeof ruleOptions> = {
  '1971': {
    convoyRoutes: 'all',
    paradox: '1971',
    adjacentConvoy: 'oppositeIntact',
    retreatToConvoyOrigin: 'no',
    dislodgedNoEffect: 'always',
    disorderGoal: 'home',
    disorderMeasure: 'd',
  },
  '1982': {
    paradox: '1982',
    convoyFallback: 'unordered',
    retreatToConvoyOrigin: 'no',
    dislodgedNoEffect: 'always',
    disorderGoal: 'home',
    disorderMeasure: 'd',
  },
  '2000': {
    paradox: '2000',
    convoyFallback: 'unordered',
    retreatToConvoyOrigin: 'no',
    dislodgedNoEffect: 'always',
    disorderGoal: 'home',
    disorderMeasure: 'd',
  },
  '2023': { paradox: '2000', convoyFallback: 'unordered', dislodgedNoEffect: 'always' },
  '2025ee': { paradox: '2000', dislodgedNoEffect: 'always' },
  'datc-2.4': {
    convoyFallback: 'unordered',
    disorderGoal: 'home',
    disorderMeasure: 'd',
    superfluousConvoy: 'legal',
  },
  dptg: {
    convoyRoutes: 'all',
    preferOwnConvoy: 'yes',
    paradox: 'dptg',
    adjacentConvoy: 'written',
    cutFromOrigin: 'yes',
    ownSupportVsRivals: 'yes',
    disorderGoal: 'home',
    disorderMeasure: 'd',
    disorderNames: 'dptg',
    superfluousConvoy: 'legal',
  },
  'strict-2003': { adjacentConvoy: 'landFirst', retreatToConvoyOrigin: 'no', expedited: 'yes' },
};

/** Dependencies: [option, other option, values]. The option has no effect unless the other has one of the values. */
const needs: readonly (readonly [RuleKey, RuleKey, readonly string[]])[] = [
  ['preferOwnConvoy', 'convoyRoutes', ['all']],
  ['convoyFallback', 'adjacentConvoy', ['intent']],
  ['paradoxBackup', 'paradox', ['1971', '1982', '2000']],
];

/**
 * Returns the index of each option's value in its list of ruleOptions. An option without effect is reset to its first
 * value if the preset chose it.
 * @param given values that the text chose, by option
 * @throws LepantoError if the text chose a value for an option without effect
 */
const indicesOf = (
  values: OptionValues<typeof ruleOptions>,
  given: ReadonlyMap<string, string>,
): Record<RuleKey, number> => {
  const indices = {} as Record<RuleKey, number>;
  for (const key of ruleKeys) {
    const list: readonly string[] = ruleOptions[key];
    indices[key] = list.indexOf(values[key]);
  }
  for (const [key, other, wanted] of needs) {
    if (indices[key] === 0 || wanted.includes(values[other])) continue;
    if (given.has(key))
      throw new LepantoError(
        'rules',
        `rules: ${key}=${values[key]} contradicts ${other}=${values[other]}, wanted ${other} ${wanted.join(' or ')}`,
      );
    indices[key] = 0;
  }
  return indices;
};

/**
 * Number of each option in the id, from 1. Give new options 44 and above: the unused lower numbers belonged to options
 * before version 0.2 and must stay unused.
 */
const places: Readonly<Record<RuleKey, number>> = {
  convoyRoutes: 1,
  preferOwnConvoy: 2,
  paradox: 3,
  paradoxBackup: 4,
  adjacentConvoy: 5,
  convoyFallback: 6,
  cutFromOrigin: 7,
  retreatToConvoyOrigin: 8,
  dislodgedNoEffect: 10,
  ownSupportVsRivals: 11,
  disorderGoal: 32,
  disorderMeasure: 33,
  disorderNames: 34,
  superfluousConvoy: 37,
  expedited: 42,
};

/** Id of the rules whose options are all 0. */
const ZERO_ID = 0x3200;

const keysByPlace = ruleKeys.toSorted((a, b) => places[a] - places[b]);

const idOf = (indices: Readonly<Record<RuleKey, number>>): number => {
  let id = ZERO_ID;
  for (const key of keysByPlace)
    if (indices[key] !== 0) id = Math.imul(id ^ (indices[key] * 64 + places[key]), 0x0100_0193) ^ (id >>> 13);
  return id >>> 0;
};

const compileRules = (text: RuleText): Rules => {
  const indices = indicesOf(chosenValues(ruleOptions, rulePresets, text), text.given);
  const name = [text.preset, ...changedOptions(ruleOptions, rulePresets, text)].join(',');
  return Object.freeze({ ...indices, name, id: idOf(indices) });
};

const compiled = new Map<string, Rules>();

/**
 * Returns the adjudication rules with this name: a preset or its alias, then changed options, separated by commas, as
 * in '2000,paradox=allHold'. A name that begins with an option changes datc-3.2. Case is ignored. Equal rules return
 * the same object.
 * @throws LepantoError if a preset, option or value is unknown; the message lists the valid ones
 */
export const rulesByName = (text: string): Rules => {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const rules = compileRules(readRuleText(text, ruleOptions));
  const same = compiled.get(rules.name) ?? rules;
  compiled.set(rules.name, same);
  compiled.set(text, same);
  return same;
};

/** Returns the value of an option as a word: for example 'szykman' for 'paradox'. */
export const ruleValue = <K extends RuleKey>(rules: Rules, key: K): (typeof ruleOptions)[K][number] =>
  ruleOptions[key][rules[key]];

export const DATC_3_2: Rules = rulesByName('datc-3.2');

/**
 * True if an army ordered to an adjacent province by convoy may go by land instead, because no convoy route is ordered
 * or because the rules ignore the wording of the order (DATC 4.A.3).
 */
export const fallsBackToLand = (rules: Rules): boolean =>
  ruleValue(rules, 'convoyFallback') !== 'none' || !['intent', 'written'].includes(ruleValue(rules, 'adjacentConvoy'));
