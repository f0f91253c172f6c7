// Reads the options for maps, rules, years and powers.
import type { CompiledMap, Power } from '../../engine/internal.js';
import { findPower } from '../../engine/notation/text/parse.js';
import { type RuleSet, ruleSetByName } from '../../engine/notation/text/rule-set.js';
import { openMap } from '../formats/maps/open-map.js';
import { orUsage, UsageError } from './usage.js';

interface MapValues {
  readonly map: string;
  readonly 'map-options'?: string | undefined;
}

/** Opens the map named by --map, with --map-options. @throws UsageError for an unknown or invalid map or option */
export const readMap = ({ map, 'map-options': options }: MapValues): CompiledMap =>
  orUsage('map', () => openMap(map, options));

/** Returns the rules named by --rules. @throws UsageError for an unknown name */
export const readRules = (name: string): RuleSet => orUsage('rules', () => ruleSetByName(name));

/**
 * Returns the year given by --until (undefined without it), or by default the last of the map's first `years` years.
 * @throws UsageError for a year before the map begins
 */
export const lastYear = ({ startYear }: CompiledMap, until: number | undefined, years: number): number => {
  if (until === undefined) return startYear + years - 1;
  if (until >= startYear) return until;
  throw new UsageError(`--until: got "${until}", wanted a whole number from ${startYear} on`);
};

/**
 * Returns the powers given by --power, separated by commas.
 * @param wanted description of valid names, for the error
 * @throws UsageError for an unknown power
 */
export const readPowers = (map: CompiledMap, text: string, wanted: string): Power[] =>
  text.split(',').map((name) => {
    const power = findPower(map, name.trim());
    if (power < 0) throw new UsageError(`--power: got "${name}", wanted ${wanted}`);
    return power;
  });
