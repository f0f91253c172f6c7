// Rule options as small integers, compiled once. Hot code reads them in rare paths only.
//
// The rulebooks, and those who judge by them, differ on the points below. Each option is a list of values; a Rules object
// holds the index of the value taken. Index 0 is the preference of DATC 3.2, so the default rules are all zeros. Issue
// numbers in comments are those of DATC 3.2, chapter 4. A preset is a named set of values.

/** Values of each option, by its key. */
export const ruleOptions = {
  // ---- convoys (4.A) ----
  /** 4.A.1: a convoy of several routes needs any of them, or all. */
  convoyRoutes: ['any', 'all'],
  /** An army that its own fleets can take refuses those of others. */
  preferOwnConvoy: ['no', 'yes'],
  /** 4.A.2 */
  paradox: ['szykman', '1971', '1982', '2000', 'allHold', 'dptg'],
  /** What decides where the paradox rule of a rulebook is silent. */
  paradoxBackup: ['szykman', 'allHold', 'dptg'],
  /** 4.A.3: when an army goes to an adjacent province by convoy. */
  adjacentConvoy: ['intent', 'always', 'opposite', 'oppositeIntact', 'landFirst', 'written'],
  /** 4.A.3: an army that wants a convoy goes by land after all if no route was ordered, or also if every route broke. */
  convoyFallback: ['none', 'unordered', 'broken'],
  /** 4.A.4: a convoyed army cuts a support against the province it comes from. */
  cutFromOrigin: ['no', 'yes'],
  /** 4.A.5: retreats to the province that a convoyed attacker came from. */
  retreatToConvoyOrigin: ['yes', 'no'],
  /** 4.A.6: a convoy's route written out in the army's order. */
  writtenPath: ['ignored', 'optional', 'compulsory', 'refused'],
  /** 4.A.7: a dislodged unit has no effect on its attacker's origin if they met head to head, or always. */
  dislodgedNoEffect: ['headToHead', 'always'],
  /** Support against a unit of the supporter's own power counts against other attackers. */
  ownSupportVsRivals: ['no', 'yes'],

  // ---- coasts (4.B) ----
  /** 4.B.1: a move that needs a coast and names none. */
  missingCoast: ['fails', 'default'],
  /** 4.B.2: the same where one coast only can be reached. */
  onlyCoast: ['taken', 'default', 'fails'],
  /** 4.B.3: a move to a coast that cannot be reached, though another could. */
  impossibleCoast: ['fails', 'ignored'],
  /** 4.B.4: the coast in a support. */
  supportCoast: ['optional', 'match', 'required', 'requiredIfTwo', 'forgiven', 'ignore', 'default'],
  /** 4.B.5: the wrong coast of the ordered fleet. */
  wrongOwnCoast: ['ignored', 'fails'],
  /** 4.B.6: a coast that is irrelevant or does not exist. */
  uselessCoast: ['ignored', 'fails'],
  /** 4.B.7: the coast missing in a build. */
  buildCoast: ['fails', 'default'],

  // ---- designations (4.C) ----
  missingType: ['valid', 'invalid', 'unlessBetter'],
  wrongType: ['valid', 'invalid', 'unlessBetter'],
  /** 4.C.3: a build without its type is an army inland; on a coast it fails, or is a fleet if a coast is named. */
  buildWithoutType: ['fleetByCoast', 'armyInland', 'fails'],
  fleetBuildInland: ['fails', 'army'],
  missingNation: ['valid', 'invalid', 'unlessBetter'],
  wrongNation: ['valid', 'invalid', 'unlessBetter'],

  // ---- too many, too few (4.D) ----
  laterSets: ['lastUnlessCombined', 'combine', 'combineUnlessReplaced', 'last', 'refuse'],
  unorderedSets: ['combine', 'hold', 'refuse'],
  twoOrders: ['first', 'last', 'hold', 'refuse'],
  surplusBuilds: ['first', 'last', 'none', 'refuse'],
  doubleBuilds: ['first', 'last', 'none', 'refuse'],
  surplusRemovals: ['first', 'last', 'disorder', 'refuse'],
  waive: ['yes', 'no'],
  /** 4.D.8: distance is counted to the centres that the power owns, or to its home centres. */
  disorderGoal: ['owned', 'home'],
  /** 4.D.8: how distance is counted, by the letters of the issue. */
  disorderMeasure: ['e', 'd', 'a', 'b', 'c'],
  /** 4.D.8: full names, or those of the Player's Technical Guide: Bothnia, Lyon, Saint Petersburg. */
  disorderNames: ['full', 'dptg'],
  disorderHoldSupport: ['works', 'fails'],

  // ---- what counts as an order (4.E) ----
  /** 4.E.1: an impossible move is ignored (another order for the unit counts), holds, holds and refuses support, or is refused. */
  illegalMove: ['ignore', 'hold', 'holdNoSupport', 'refuse'],
  /** 4.E.1: the convoy order of a fleet that is on a simple chain of fleets, though only on one that takes a detour. */
  superfluousConvoy: ['illegal', 'legal'],
  implicitOrders: ['no', 'yes'],
  perpetualOrders: ['no', 'yes'],
  proxyOrders: ['no', 'set', 'announced'],
  illegalUnit: ['removeNow', 'removeInWinter', 'leave', 'readjudicate'],

  // ---- the game ----
  /** Units that can change nothing any more vanish early (seed 004). */
  expedited: ['no', 'yes'],
  /** The 1998 guide: a draw after 7 years without a capture, or 35 years; the last year has no adjustments. */
  longGameDraw: ['no', 'yes'],
} as const;

export type RuleKey = keyof typeof ruleOptions;
/** Every option key, in the order of the table. */
export const ruleKeys = Object.keys(ruleOptions) as readonly RuleKey[];

/** The values of all options as indices into their lists. */
export interface Rules extends Readonly<Record<RuleKey, number>> {
  /** A preset, or a preset with the options that were changed: '2000,paradox=allHold'. rulesByName() reads it again. */
  readonly name: string;
  /** Hash of the options; files carry it. Equal for rules with equal options. */
  readonly id: number;
}

type Choices = { readonly [K in RuleKey]?: (typeof ruleOptions)[K][number] };

/** The presets: what differs from datc-3.2. Where a rulebook is silent they follow DATC 3.2. */
export const rulePresets = {
  'datc-3.2': {},
  '1971': {
    convoyRoutes: 'all',
    paradox: '1971',
    adjacentConvoy: 'oppositeIntact',
    retreatToConvoyOrigin: 'no',
    dislodgedNoEffect: 'always',
    disorderGoal: 'home',
    disorderMeasure: 'd',
    illegalMove: 'holdNoSupport',
  },
  '1982': {
    paradox: '1982',
    convoyFallback: 'unordered',
    retreatToConvoyOrigin: 'no',
    dislodgedNoEffect: 'always',
    disorderGoal: 'home',
    disorderMeasure: 'd',
    illegalMove: 'hold',
  },
  '2000': {
    paradox: '2000',
    convoyFallback: 'unordered',
    retreatToConvoyOrigin: 'no',
    dislodgedNoEffect: 'always',
    disorderGoal: 'home',
    disorderMeasure: 'd',
    illegalMove: 'hold',
  },
  '2023': {
    paradox: '2000',
    convoyFallback: 'unordered',
    dislodgedNoEffect: 'always',
    supportCoast: 'match',
    illegalMove: 'hold',
  },
  '2025ee': { paradox: '2000', dislodgedNoEffect: 'always', supportCoast: 'match', illegalMove: 'hold' },
  'datc-2.4': {
    convoyFallback: 'unordered',
    buildWithoutType: 'fleetByCoast',
    superfluousConvoy: 'legal',
    twoOrders: 'hold',
    disorderGoal: 'home',
    disorderMeasure: 'd',
    illegalMove: 'hold',
  },
  dptg: {
    convoyRoutes: 'all',
    preferOwnConvoy: 'yes',
    paradox: 'dptg',
    adjacentConvoy: 'written',
    cutFromOrigin: 'yes',
    ownSupportVsRivals: 'yes',
    supportCoast: 'ignore',
    disorderGoal: 'home',
    disorderMeasure: 'd',
    disorderNames: 'dptg',
    illegalMove: 'holdNoSupport',
    superfluousConvoy: 'legal',
    longGameDraw: 'yes',
  },
  s004: {
    adjacentConvoy: 'landFirst',
    retreatToConvoyOrigin: 'no',
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
    expedited: 'yes',
  },
} as const satisfies Record<string, Choices>;

export type PresetName = keyof typeof rulePresets;
/** Every preset, in the order of the table. (As keys of an object, years would come first.) */
export const presetNames: readonly PresetName[] = [
  'datc-3.2',
  'datc-2.4',
  '1971',
  '1982',
  '2000',
  '2023',
  '2025ee',
  'dptg',
  's004',
];

/** Other names that people and files use. Case, hyphens, dots, blanks and underscores never count. */
export const presetAliases: Readonly<Record<string, PresetName>> = {
  datc: 'datc-3.2',
  default: 'datc-3.2',
  szykman: 'datc-3.2',
  '2025': '2025ee',
  guide: 'dptg',
  seed004: 's004',
};

/** An option without effect unless another has one of these values. */
const needs: readonly (readonly [RuleKey, RuleKey, readonly string[]])[] = [
  ['preferOwnConvoy', 'convoyRoutes', ['all']],
  ['convoyFallback', 'adjacentConvoy', ['intent']],
  ['paradoxBackup', 'paradox', ['1971', '1982', '2000']],
];

const fold = (text: string): string => text.toLowerCase().replace(/[-_.\s]/g, '');

const presetByFoldedName = new Map<string, PresetName>([
  ...presetNames.map((name): [string, PresetName] => [fold(name), name]),
  ...Object.entries(presetAliases).map(([alias, name]): [string, PresetName] => [fold(alias), name]),
]);

const readPreset = (text: string): PresetName => {
  const name = presetByFoldedName.get(fold(text));
  if (name !== undefined) return name;
  throw new RangeError(`rules: got preset "${text.trim()}", wanted one of ${presetNames.join(', ')}`);
};

const readOption = (text: string): readonly [RuleKey, number] => {
  const at = text.indexOf('=');
  const word = at < 0 ? text : text.slice(0, at);
  const key = ruleKeys.find((one) => fold(one) === fold(word));
  if (key === undefined)
    throw new RangeError(
      at < 0
        ? `rules: got "${text.trim()}", wanted option=value after the preset`
        : `rules: got option "${word.trim()}", wanted one of ${ruleKeys.join(', ')}`,
    );
  const values: readonly string[] = ruleOptions[key];
  const given = at < 0 ? '' : text.slice(at + 1);
  const value = values.findIndex((one) => fold(one) === fold(given));
  if (value >= 0) return [key, value];
  throw new RangeError(`rules: got ${key}=${given.trim()}, wanted ${key}= one of ${values.join(', ')}`);
};

const valuesOf = (preset: PresetName): Record<RuleKey, number> => {
  const choices: Choices = rulePresets[preset];
  const values = {} as Record<RuleKey, number>;
  for (const key of ruleKeys) {
    const list: readonly string[] = ruleOptions[key];
    const chosen = choices[key];
    values[key] = chosen === undefined ? 0 : list.indexOf(chosen);
  }
  return values;
};

const readOptions = (texts: readonly string[]): Map<RuleKey, number> => {
  const given = new Map<RuleKey, number>();
  for (const text of texts) {
    const [key, value] = readOption(text);
    const earlier = given.get(key);
    if (earlier !== undefined && earlier !== value)
      throw new RangeError(`rules: ${key} is given twice: ${ruleOptions[key][earlier]} and ${ruleOptions[key][value]}`);
    given.set(key, value);
  }
  return given;
};

/** Drops what a preset says where a changed option leaves it without effect; refuses it where it was asked for. */
const settleNeeds = (values: Record<RuleKey, number>, given: ReadonlyMap<RuleKey, number>): void => {
  for (const [key, other, wanted] of needs) {
    const now = ruleOptions[other][values[other]];
    if (values[key] === 0 || wanted.includes(now)) continue;
    if (given.has(key))
      throw new RangeError(
        `rules: ${key}=${ruleOptions[key][values[key]]} contradicts ${other}=${now}, wanted ${other} ${wanted.join(' or ')}`,
      );
    values[key] = 0;
  }
};

const hash = (values: Readonly<Record<RuleKey, number>>): number => {
  let h = 0x3200;
  ruleKeys.forEach((key, i) => {
    if (values[key] !== 0) h = Math.imul(h ^ (values[key] * 64 + i + 1), 0x0100_0193) ^ (h >>> 13);
  });
  return h >>> 0;
};

const compileRules = (preset: PresetName, given: ReadonlyMap<RuleKey, number>): Rules => {
  const values = valuesOf(preset);
  const own = { ...values };
  for (const [key, value] of given) values[key] = value;
  settleNeeds(values, given);
  const changed = ruleKeys.filter((key) => given.has(key) && values[key] !== own[key]);
  const name = [preset, ...changed.map((key) => `${key}=${ruleOptions[key][values[key]]}`)].join(',');
  return Object.freeze({ ...values, name, id: hash(values) });
};

const compiled = new Map<string, Rules>();

/**
 * The rules of a name: a preset or an alias of one, then options that differ, separated by commas:
 * '2000,paradox=allHold'. An option first stands on datc-3.2. Case does not count. Equal rules are the same object.
 * @throws RangeError that says what was given and what exists
 */
export const rulesByName = (text: string): Rules => {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const parts = text.split(',').map((part) => part.trim());
  const named = !parts[0].includes('=');
  const rules = compileRules(
    named ? readPreset(parts[0]) : 'datc-3.2',
    readOptions((named ? parts.slice(1) : parts).filter((part) => part !== '')),
  );
  const same = compiled.get(rules.name) ?? rules;
  compiled.set(rules.name, same);
  compiled.set(text, same);
  return same;
};

/** The value of an option as a word. */
export const ruleValue = (rules: Rules, key: RuleKey): string => ruleOptions[key][rules[key]];

export const DATC_3_2: Rules = rulesByName('datc-3.2');
