// Documents each option of the rules: its meaning, its source and the part of the project that applies it.
import {
  chosenValues,
  type OptionTable,
  type PresetChoices,
  type PresetName,
  presetNames,
  ruleKeys,
  ruleOptions,
  rulePresets,
  ruleValue,
} from '../../internal.js';
import { runningOptions, runningPresets } from '../../rules/run-rules.js';
import { readingOptions, readingPresets } from './reading-options.js';
import type { RuleSet } from './rule-set.js';

/** Kinds of options, with a description of where each kind applies. */
export const optionKinds = {
  adjudication: 'adjudication itself, everywhere; the id in saved games is made of these',
  running: 'the running of games from their start: selfplay, the arena, batches of the Python package',
  reading: 'the reading of order text: adjudicate, games of other programs, text given to a batch',
} as const;
export type OptionKindName = keyof typeof optionKinds;

type About<T extends OptionTable> = Readonly<Record<keyof T, readonly [source: string, meaning: string]>>;

/**
 * Options of one kind: their values, the values of the presets, and for each option its source (an issue of DATC 3.2 or
 * another document) and its meaning.
 */
interface OptionFamily<T extends OptionTable> {
  readonly kind: OptionKindName;
  readonly options: T;
  readonly presets: PresetChoices<T>;
  readonly about: About<T>;
}

const adjudication: OptionFamily<typeof ruleOptions> = {
  kind: 'adjudication',
  options: ruleOptions,
  presets: rulePresets,
  about: {
    convoyRoutes: [
      '4.A.1',
      'a convoy over several routes succeeds while any route or only while all routes are intact',
    ],
    preferOwnConvoy: ['1998 guide, step 1', 'an army that own fleets can convoy refuses foreign fleets'],
    paradox: ['4.A.2', 'the rule for convoys that decide over their own success'],
    paradoxBackup: ['4.A.2', "the rule where a rulebook's own paradox rule is silent"],
    adjacentConvoy: ['4.A.3', 'when an army goes to an adjacent province by convoy'],
    convoyFallback: ['4.A.3', 'an army that wants a convoy goes by land if none was ordered, or if it was disrupted'],
    cutFromOrigin: ['4.A.4', 'a convoyed army cuts a support against the province it comes from'],
    retreatToConvoyOrigin: ['4.A.5', 'a unit may retreat to where its convoyed attacker came from'],
    dislodgedNoEffect: ['4.A.7', "a dislodged unit has no effect on its attacker's origin: head to head, or always"],
    ownSupportVsRivals: ['1998 guide, step 19', "support against one's own unit counts against other attackers"],
    disorderGoal: ['4.D.8', 'civil disorder counts distance to the centres owned, or to the home centres'],
    disorderMeasure: ['4.D.8', 'measure of that distance (letters of the issue)'],
    disorderNames: ['4.D.8', 'the names whose alphabetical order decides between units at the same distance'],
    superfluousConvoy: ['4.E.1', 'a convoy order of a fleet that only a detour would use'],
    expedited: ['strict-2003', 'units without any possible effect are removed early'],
  },
};

const running: OptionFamily<typeof runningOptions> = {
  kind: 'running',
  options: runningOptions,
  presets: runningPresets,
  about: {
    longGameDraw: ['1998 guide, chapter II', 'a draw after 7 years without a capture, or after 35 years in all'],
  },
};

const reading: OptionFamily<typeof readingOptions> = {
  kind: 'reading',
  options: readingOptions,
  presets: readingPresets,
  about: {
    missingCoast: ['4.B.1', 'a move without a coast where two can be reached'],
    onlyCoast: ['4.B.2', 'a move without a coast where one can be reached'],
    impossibleCoast: ['4.B.3', 'a move to a coast that cannot be reached, though another can'],
    supportCoast: ['4.B.4', 'the coast in the support of a move'],
    wrongOwnCoast: ['4.B.5', 'the wrong coast of the ordered fleet'],
    uselessCoast: ['4.B.6', 'a coast that is irrelevant or does not exist'],
    buildCoast: ['4.B.7', 'a fleet build without its coast'],
    missingType: ['4.C.1', 'an order without A or F'],
    wrongType: ['4.C.2', 'an order with A for a fleet or F for an army'],
    buildWithoutType: ['4.C.3', 'a build without A or F'],
    fleetBuildInland: ['4.C.4', 'a fleet built inland'],
    twoOrders: ['4.D.3', 'two orders for a unit'],
    surplusBuilds: ['4.D.4', 'more builds than are due'],
    doubleBuilds: ['4.D.5', 'two builds in one centre'],
    surplusRemovals: ['4.D.6', 'more removals than are due'],
    waive: ['4.D.7', 'builds may be waived'],
    illegalMove: ['4.E.1', 'a move that cannot be obeyed'],
  },
};

/** Description of each preset, keyed by its name. */
export const presetMeanings: Readonly<Record<PresetName, string>> = {
  'datc-3.2': 'the preferences of DATC 3.2 (2025); the default',
  'datc-2.4': 'the preferences of DATC 2.4 (2004)',
  '1971': 'rulebook of 1971; impossible moves as Walker reads it',
  '1982': 'rulebook of 1982',
  '2000': 'rulebook of 2000',
  '2023': 'rulebook of 2023',
  '2025ee': 'rulebook of the 2025 English edition',
  dptg: "The Diplomacy Player's Technical Guide (1998)",
  'strict-2003': 'an adjudicator of 2003: refuses inexact orders, removes hopeless units early',
};

/** One option in the output of `lepanto rules`. */
export interface OptionRow {
  readonly key: string;
  readonly issue: string;
  readonly kind: OptionKindName;
  readonly meaning: string;
  readonly values: readonly string[];
  /** Value of the option in each preset, keyed by preset name. */
  readonly presets: Readonly<Record<PresetName, string>>;
}

const rowsOf = <T extends OptionTable>({ kind, options, presets, about }: OptionFamily<T>): OptionRow[] => {
  const byPreset = presetNames.map(
    (preset) => [preset, chosenValues(options, presets, { preset, given: new Map() })] as const,
  );
  return Object.keys(options).map((key) => {
    const [issue, meaning] = about[key];
    const values = Object.fromEntries(byPreset.map(([preset, chosen]) => [preset, chosen[key]]));
    return { key, issue, kind, meaning, values: options[key], presets: values as OptionRow['presets'] };
  });
};

/** Returns every option with its meaning and its value in each preset, grouped by kind. */
export const ruleTable = (): readonly OptionRow[] => [...rowsOf(adjudication), ...rowsOf(running), ...rowsOf(reading)];

/** Returns the value of every option as text, keyed by option. */
export const optionValues = (rules: RuleSet): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(ruleKeys.map((key) => [key, ruleValue(rules.adjudication, key)])),
  ...rules.running,
  ...rules.reading,
});
