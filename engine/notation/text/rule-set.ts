// Parses the value of --rules, which sets options of all kinds: '2000,paradox=allHold,twoOrders=last'.
import { changedOptions, chosenValues, readRuleText, ruleOptions, ruleTextFor } from '../../internal.js';
import { type RunRules, runningOptions, runRulesByName } from '../../rules/run-rules.js';
import { type Reading, readingOptions, readingPresets } from './reading-options.js';

/** Complete rules: options for adjudication, for running games and for reading orders. */
export interface RuleSet extends RunRules {
  /** Preset and all changed options, in the form that ruleSetByName() accepts. */
  readonly name: string;
  /** Name without the options for reading orders, for runs and arenas. runRulesByName() accepts it. */
  readonly runName: string;
  /** Options for reading orders. */
  readonly reading: Reading;
}

const made = new Map<string, RuleSet>();

/**
 * Returns the rules with a name: '2000,paradox=allHold'. The name is a preset or its alias, then changed options of any
 * kind, separated by commas. Without a preset, the options change datc-3.2. Case is ignored.
 * @throws LepantoError for an unknown preset, option or value; the message lists the possible ones
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

/** The preferences of DATC 3.2 for all options. The default. */
export const DEFAULT_RULES: RuleSet = ruleSetByName('datc-3.2');
