// Reads the rules for running whole games: rules of adjudication, and options that only a runner of games can act on
// because they depend on more than the position.
import { type Rules, ruleOptions, rulesByName } from './options.js';
import {
  changedOptions,
  chosenValues,
  type OptionValues,
  type PresetChoices,
  readRuleText,
  ruleTextFor,
} from './rule-text.js';

/** Values of each option of running games, by its key. */
export const runningOptions = {
  /** The 1998 guide: a draw after 7 years without a capture, or 35 years; the last year has no adjustments. */
  longGameDraw: ['no', 'yes'],
} as const;

/** Values of the options of running games that presets choose instead of the first one, by preset. */
export const runningPresets: PresetChoices<typeof runningOptions> = { dptg: { longGameDraw: 'yes' } };

/** The rules of a run of whole games: rules of adjudication, and rules for the program that plays the games. */
export interface RunRules {
  /** Name of the rules: a preset, then changed options. runRulesByName() accepts it. */
  readonly name: string;
  /** Options of adjudication, used by the engine. */
  readonly adjudication: Rules;
  /** Options of running a game: end conditions other than the position. */
  readonly running: OptionValues<typeof runningOptions>;
}

/**
 * Returns the rules of a run with this name: a preset, then changed options of adjudication and of running games.
 * @throws LepantoError if a preset, option or value is unknown, or if an option is given two values
 */
export const runRulesByName = (text: string): RunRules => {
  const read = readRuleText(text, ruleOptions, runningOptions);
  const adjudication = rulesByName(ruleTextFor(read, ruleOptions));
  return {
    name: [adjudication.name, ...changedOptions(runningOptions, runningPresets, read)].join(','),
    adjudication,
    running: chosenValues(runningOptions, runningPresets, read),
  };
};
