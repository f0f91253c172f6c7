// Finds the rules under which a recorded game replays without a disagreement.
import { type CompiledMap, presetNames } from '../../../engine/internal.js';
import { type RuleSet, ruleSetByName } from '../../../engine/notation/text/index.js';
import { hasCode } from '../../../engine/rules/error.js';
import type { RawGame, RawPhase } from './raw.js';
import { agreesUntil } from './replay-raw.js';

/**
 * The rules of the package `diplomacy`: an army without its convoy goes by land if it can, and civil disorder removes the
 * units farthest from home.
 */
export const PACKAGE_RULES = 'datc-3.2,convoyFallback=unordered,disorderGoal=home,disorderMeasure=d';

/** True for moves from a position that is recorded: they depend on nothing before it. */
const isKnown = ({ name, units, centers }: RawPhase): boolean =>
  name.endsWith('M') && units !== null && centers !== null;

/**
 * Presets, and rules of programs that record games, under which a game replays without a disagreement; none for a game
 * that agrees already. Hashes of positions have no part in it.
 * @param tried rules by which the game has been replayed
 */
export const fittingRules = (map: CompiledMap, raw: RawGame, tried: RuleSet): string[] => {
  const { phases } = raw;
  const wrong = agreesUntil(map, tried, raw, 0, phases.length);
  if (wrong === phases.length) return [];
  // Most rules disagree as soon as those did, which is met early from the last moves before.
  const begin = Math.max(0, phases.slice(0, wrong).findLastIndex(isKnown));
  const agrees = (rules: RuleSet, first: number, end: number): boolean => {
    try {
      return agreesUntil(map, rules, raw, first, end) === end;
    } catch (error) {
      // A phase that was not played before, and cannot be read.
      if (hasCode(error, 'record')) return false;
      throw error;
    }
  };
  const fits = (rules: RuleSet): boolean => agrees(rules, begin, wrong + 1) && agrees(rules, 0, phases.length);
  return [...presetNames, PACKAGE_RULES].filter((name) => name !== tried.name && fits(ruleSetByName(name)));
};
