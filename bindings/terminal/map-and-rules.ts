// The map and the rules that the options of a command name.
import type { CompiledMap, Power } from '../../engine/internal.js';
import { findPower } from '../../engine/notation/text/parse.js';
import { type RuleSet, ruleSetByName } from '../../engine/notation/text/rule-set.js';
import { openMap } from '../formats/maps/open-map.js';
import { orUsage, UsageError } from './usage.js';

interface MapValues {
  readonly map: string;
  readonly 'map-options'?: string | undefined;
}

export const readMap = ({ map, 'map-options': options }: MapValues): CompiledMap =>
  orUsage('map', () => openMap(map, options));

export const readRules = (name: string): RuleSet => orUsage('rules', () => ruleSetByName(name));

/** The year that --until names, or the last of so many years. @throws UsageError for a year before the map begins */
export const lastYear = ({ startYear }: CompiledMap, until: number | undefined, years: number): number => {
  if (until === undefined) return startYear + years - 1;
  if (until >= startYear) return until;
  throw new UsageError(`--until: got "${until}", wanted a whole number from ${startYear} on`);
};

/** The powers that --power names, separated by commas. @param wanted for a refusal */
export const readPowers = (map: CompiledMap, text: string, wanted: string): Power[] =>
  text.split(',').map((name) => {
    const power = findPower(map, name.trim());
    if (power < 0) throw new UsageError(`--power: got "${name}", wanted ${wanted}`);
    return power;
  });
