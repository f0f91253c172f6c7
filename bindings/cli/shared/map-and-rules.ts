// The map and the rules that the options of a command name.
import type { CompiledMap } from '../../../engine/internal.js';
import { openMap } from '../../notation/maps/open-map.js';
import { type RuleSet, ruleSetByName } from '../../notation/text/rule-set.js';
import { orUsage } from './usage.js';

interface MapValues {
  readonly map: string;
  readonly 'map-options'?: string | undefined;
}

export const readMap = ({ map, 'map-options': options }: MapValues): CompiledMap =>
  orUsage('map', () => openMap(map, options));

export const readRules = (name: string): RuleSet => orUsage('rules', () => ruleSetByName(name));
