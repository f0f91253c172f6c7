// Finds rules under which a recorded game replays without disagreements.
import { type CompiledMap, presetNames } from '../../../engine/internal.js';
import { type RuleSet, ruleSetByName } from '../../../engine/notation/text/index.js';
import { hasCode } from '../../../engine/rules/error.js';
import type { RawGame, RawPhase } from './raw.js';
import { agreesUntil } from './replay-raw.js';

/**
 * Rules of the package `diplomacy`: an army falls back to its land route when the convoy fails, and civil disorder
 * removes the units farthest from home.
 */
export const PACKAGE_RULES = 'datc-3.2,convoyFallback=unordered,disorderGoal=home,disorderMeasure=d';

/** True for a movement phase with a recorded position. The result of such a phase does not depend on earlier phases. */
const isKnown = ({ name, units, centers }: RawPhase): boolean =>
  name.endsWith('M') && units !== null && centers !== null;

/**
 * Returns the names of presets, and of rules of other programs, under which a game replays without disagreements. Empty
 * if there are no such rules, or if the game has no disagreements under `tried`. Hashes of positions are not compared.
 * @param tried rules under which the game has already been replayed
 */
export const fittingRules = (map: CompiledMap, raw: RawGame, tried: RuleSet): string[] => {
  const { phases } = raw;
  const wrong = agreesUntil(map, tried, raw, 0, phases.length);
  if (wrong === phases.length) return [];
  // Most rules fail at the same phase as `tried`, so that phase is tried first, from the last known position before it.
  const begin = Math.max(0, phases.slice(0, wrong).findLastIndex(isKnown));
  const agrees = (rules: RuleSet, first: number, end: number): boolean => {
    try {
      return agreesUntil(map, rules, raw, first, end) === end;
    } catch (error) {
      // The phase was not replayed under `tried`, and its text is invalid.
      if (hasCode(error, 'record')) return false;
      throw error;
    }
  };
  const fits = (rules: RuleSet): boolean => agrees(rules, begin, wrong + 1) && agrees(rules, 0, phases.length);
  return [...presetNames, PACKAGE_RULES].filter((name) => name !== tried.name && fits(ruleSetByName(name)));
};
