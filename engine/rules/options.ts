// Holds the options of adjudication as small integers, compiled once. Hot code reads them on rare paths only.
//
// Rulebooks and adjudicators differ on the points below. Each option is a list of values, and a Rules object holds the
// index of the chosen one. Index 0 is the preference of DATC 3.2, so the default rules are all zeros. Issue numbers in
// comments are those of DATC 3.2, chapter 4. A preset is a named set of values. Other kinds of options, for reading
// orders and for running games, have tables of their own (rule-text.ts) and change nothing here.
import { LepantoError } from './error.js';
import {
  changedOptions,
  chosenValues,
  type OptionValues,
  type PresetChoices,
  type RuleText,
  readRuleText,
} from './rule-text.js';

/** Values of each option, by its key. Add a new value at the end: an id is made of the indices. */
export const ruleOptions = {
  // ---- convoys (4.A) ----
  /** 4.A.1: a convoy of several routes needs any of them, or all. */
  convoyRoutes: ['any', 'all'],
  /** An army that its own fleets can take refuses those of others. */
  preferOwnConvoy: ['no', 'yes'],
  /** 4.A.2 */
  paradox: ['szykman', '1971', '1982', '2000', 'allHold', 'dptg'],
  /** The paradox rule that decides where that of a rulebook is silent. */
  paradoxBackup: ['szykman', 'allHold', 'dptg'],
  /** 4.A.3: when an army goes to an adjacent province by convoy. */
  adjacentConvoy: ['intent', 'always', 'opposite', 'oppositeIntact', 'landFirst', 'written'],
  /**
   * 4.A.3: an army ordered to go by convoy goes by land if no route was ordered, or also if every route was disrupted.
   */
  convoyFallback: ['none', 'unordered', 'broken'],
  /** 4.A.4: a convoyed army cuts a support against the province it comes from. */
  cutFromOrigin: ['no', 'yes'],
  /** 4.A.5: retreats to the province that a convoyed attacker came from. */
  retreatToConvoyOrigin: ['yes', 'no'],
  /** 4.A.7: a dislodged unit has no effect on its attacker's origin if they met head to head, or always. */
  dislodgedNoEffect: ['headToHead', 'always'],
  /** Support against a unit of the supporter's own power counts against other attackers. */
  ownSupportVsRivals: ['no', 'yes'],

  // ---- civil disorder (4.D) ----
  /** 4.D.8: distance is counted to the centres that the power owns, or to its home centres. */
  disorderGoal: ['owned', 'home'],
  /** 4.D.8: how distance is counted, by the letters of the issue. */
  disorderMeasure: ['e', 'd', 'a', 'b', 'c'],
  /** 4.D.8: full names, or those of the Player's Technical Guide: Bothnia, Lyon, Saint Petersburg. */
  disorderNames: ['full', 'dptg'],

  // ---- what counts as an order (4.E) ----
  /** 4.E.1: the convoy order of a fleet that is on a simple chain of fleets, though only on one that takes a detour. */
  superfluousConvoy: ['illegal', 'legal'],

  // ---- the end of units ----
  /** Units that can change nothing any more are removed early, as the adjudicator of the preset strict-2003 does. */
  expedited: ['no', 'yes'],
} as const;

export type RuleKey = keyof typeof ruleOptions;
/** Every option key, in the order of the table. */
export const ruleKeys = Object.keys(ruleOptions) as readonly RuleKey[];

/** The values of all options as indices into their lists. */
export interface Rules extends Readonly<Record<RuleKey, number>> {
  /** A preset, or a preset with the options that were changed: '2000,paradox=allHold'. rulesByName() reads it again. */
  readonly name: string;
  /** Hash of the options, unsigned 32 bits; files carry it. Equal for rules with equal options. */
  readonly id: number;
}

/** The values that the presets choose. */
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

/** An option without effect unless another has one of these values. */
const needs: readonly (readonly [RuleKey, RuleKey, readonly string[]])[] = [
  ['preferOwnConvoy', 'convoyRoutes', ['all']],
  ['convoyFallback', 'adjacentConvoy', ['intent']],
  ['paradoxBackup', 'paradox', ['1971', '1982', '2000']],
];

/**
 * Indices of the values. If a changed option leaves another without effect, the other falls back to its first value if
 * the preset chose it, and is refused if the text asked for it.
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
 * Place of each option in the id, from 1. A new option takes place 44, and so on: the missing places were taken before
 * version 0.2 and stay empty.
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

/** The id of rules whose options are all 0. */
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
 * The rules of adjudication by name: a preset or an alias of one, then options that differ, separated by commas:
 * '2000,paradox=allHold'. A name that begins with an option changes datc-3.2. Case is ignored. Equal rules are the same
 * object.
 * @throws LepantoError that says what was given and what exists
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

/** The value of an option as a word. */
export const ruleValue = <K extends RuleKey>(rules: Rules, key: K): (typeof ruleOptions)[K][number] =>
  ruleOptions[key][rules[key]];

export const DATC_3_2: Rules = rulesByName('datc-3.2');

/**
 * 4.A.3: true if an army that is ordered to an adjacent province by convoy may go by land instead, because no route is
 * ordered, or because the rules do not heed the words.
 */
export const fallsBackToLand = (rules: Rules): boolean =>
  ruleValue(rules, 'convoyFallback') !== 'none' || !['intent', 'written'].includes(ruleValue(rules, 'adjacentConvoy'));
