// What each rule option means, where it comes from and who acts on it: the cold half of engine/rules.ts, for people.
import {
  type PresetName,
  presetAliases,
  presetNames,
  type RuleKey,
  ruleKeys,
  ruleOptions,
  rulesByName,
  ruleValue,
} from '../../engine/rules.js';

/** Who acts on an option: the engine, the reading of orders, the runner of games, or nobody (what the preset says). */
export type ActedOn = 'engine' | 'orders' | 'games' | 'nobody';

/** Issue of DATC 3.2 (or the document), who acts on it, and what it is about. */
const about: Readonly<Record<RuleKey, readonly [issue: string, acts: ActedOn, meaning: string]>> = {
  convoyRoutes: ['4.A.1', 'engine', 'a convoy of several routes holds while any of them does, or only while all do'],
  preferOwnConvoy: ['1998 guide, step 1', 'engine', 'an army that its own fleets can take refuses foreign ones'],
  paradox: ['4.A.2', 'engine', 'the rule for convoys that decide over their own success'],
  paradoxBackup: ['4.A.2', 'engine', "what decides where a rulebook's own paradox rule is silent"],
  adjacentConvoy: ['4.A.3', 'engine', 'when an army goes to an adjacent province by convoy'],
  convoyFallback: ['4.A.3', 'engine', 'an army that wants a convoy goes by land if none was ordered, or if it broke'],
  cutFromOrigin: ['4.A.4', 'engine', 'a convoyed army cuts a support against the province it comes from'],
  retreatToConvoyOrigin: ['4.A.5', 'engine', 'a unit may retreat to where its convoyed attacker came from'],
  writtenPath: ['4.A.6', 'nobody', "the route of a convoy written in the army's order"],
  dislodgedNoEffect: [
    '4.A.7',
    'engine',
    "a dislodged unit has no effect on its attacker's origin: head to head, or always",
  ],
  ownSupportVsRivals: [
    '1998 guide, step 19',
    'engine',
    "support against one's own unit counts against other attackers",
  ],
  missingCoast: ['4.B.1', 'orders', 'a move without a coast where two can be reached'],
  onlyCoast: ['4.B.2', 'orders', 'a move without a coast where one can be reached'],
  impossibleCoast: ['4.B.3', 'orders', 'a move to a coast that cannot be reached, though another can'],
  supportCoast: ['4.B.4', 'orders', 'the coast in the support of a move'],
  wrongOwnCoast: ['4.B.5', 'orders', 'the wrong coast of the ordered fleet'],
  uselessCoast: ['4.B.6', 'orders', 'a coast that is irrelevant or does not exist'],
  buildCoast: ['4.B.7', 'orders', 'a fleet build without its coast'],
  missingType: ['4.C.1', 'orders', 'an order without A or F'],
  wrongType: ['4.C.2', 'orders', 'an order with the wrong one'],
  buildWithoutType: ['4.C.3', 'orders', 'a build without A or F'],
  fleetBuildInland: ['4.C.4', 'orders', 'a fleet built inland'],
  missingNation: ['4.C.5', 'nobody', 'a foreign unit named without its nation'],
  wrongNation: ['4.C.6', 'nobody', 'a foreign unit named with the wrong one'],
  laterSets: ['4.D.1', 'nobody', 'several order sets in a known order'],
  unorderedSets: ['4.D.2', 'nobody', 'several order sets in no known order'],
  twoOrders: ['4.D.3', 'orders', 'two orders for a unit'],
  surplusBuilds: ['4.D.4', 'orders', 'more builds than are due'],
  doubleBuilds: ['4.D.5', 'orders', 'two builds in one centre'],
  surplusRemovals: ['4.D.6', 'orders', 'more removals than are due'],
  waive: ['4.D.7', 'orders', 'builds may be waived'],
  disorderGoal: ['4.D.8', 'engine', 'civil disorder counts distance to the centres owned, or to the home centres'],
  disorderMeasure: ['4.D.8', 'engine', 'how that distance is counted (letters of the issue)'],
  disorderNames: ['4.D.8', 'engine', 'the names whose alphabet decides last'],
  disorderHoldSupport: ['4.D.9', 'nobody', 'units in civil disorder can be supported'],
  illegalMove: ['4.E.1', 'orders', 'a move that cannot be obeyed'],
  superfluousConvoy: ['4.E.1', 'orders', 'a convoy order of a fleet that only a detour would use'],
  implicitOrders: ['4.E.3', 'nobody', 'orders that others imply'],
  perpetualOrders: ['4.E.4', 'nobody', 'orders for later turns'],
  proxyOrders: ['4.E.5', 'nobody', 'orders given by another player'],
  illegalUnit: ['4.E.6', 'nobody', 'a unit that should not be there'],
  expedited: ['seed 004', 'engine', 'units that can change nothing any more vanish early'],
  longGameDraw: ['1998 guide, chapter II', 'games', 'a draw after 7 years without a capture, or after 35'],
};

/** What each preset is. */
export const presetMeanings: Readonly<Record<PresetName, string>> = {
  'datc-3.2': 'the preferences of the Diplomacy Adjudicator Test Cases 3.2 (2025); the default',
  'datc-2.4': 'those of DATC 2.4 (2004)',
  '1971': 'rulebook of 1971; impossible moves as Walker reads it',
  '1982': 'rulebook of 1982',
  '2000': 'rulebook of 2000',
  '2023': 'rulebook of 2023',
  '2025ee': 'rulebook of the 2025 English edition',
  dptg: "The Diplomacy Player's Technical Guide (1998)",
  s004: "an adjudicator's complements (2003)",
};

export interface OptionRow {
  readonly key: RuleKey;
  readonly issue: string;
  readonly actedOn: ActedOn;
  readonly meaning: string;
  readonly values: readonly string[];
  /** Value by preset. */
  readonly presets: Readonly<Record<PresetName, string>>;
}

/** Every option with its meaning and its value in each preset. */
export const ruleTable = (): readonly OptionRow[] =>
  ruleKeys.map((key) => {
    const [issue, actedOn, meaning] = about[key];
    const presets = Object.fromEntries(presetNames.map((name) => [name, ruleValue(rulesByName(name), key)]));
    return { key, issue, actedOn, meaning, values: ruleOptions[key], presets: presets as OptionRow['presets'] };
  });

export { presetAliases, presetNames };
