// Reads rules of all kinds by one name, as every --rules takes it: '2000,paradox=allHold,twoOrders=last'.
import { changedOptions, chosenValues, readRuleText, ruleOptions, ruleTextFor } from '../../internal.js';
import { type RunRules, runningOptions, runRulesByName } from '../../rules/run-rules.js';
import { type Reading, readingOptions, readingPresets } from './reading-options.js';

/** The rules of a name, each kind for the part that acts on it. */
export interface RuleSet extends RunRules {
  /** A preset, or a preset with the options of any kind that were changed: ruleSetByName() reads it again. */
  readonly name: string;
  /** The part of the name for runs and arenas: adjudication and running games. runRulesByName() reads it. */
  readonly runName: string;
  /** How order text is read. */
  readonly reading: Reading;
}

const made = new Map<string, RuleSet>();

/**
 * The rules of a name: a preset or an alias of one, then options of any kind that differ, separated by commas:
 * '2000,paradox=allHold'. A name that begins with an option changes datc-3.2. Case is ignored.
 * @throws LepantoError that says what was given and what exists
 */
export const ruleSetByName = (text: string): RuleSet => {
  const known = made.get(text);
  if (known !== undefined) return known;
  const read = readRuleText(text, ruleOptions, runningOptions, readingOptions);
  const run = runRulesByName(ruleTextFor(read, { ...ruleOptions, ...runningOptions }));
  const rules: RuleSet = Object.freeze({
    ...run,
    name: [run.name, ...changedOptions(readingOptions, readingPresets, read)].join(','),
    runName: run.name,
    reading: chosenValues(readingOptions, readingPresets, read),
  });
  made.set(text, rules);
  return rules;
};

/** DATC 3.2 in everything. */
export const DEFAULT_RULES: RuleSet = ruleSetByName('datc-3.2');
