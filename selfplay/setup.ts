// Maps and rules by name: workers and files name them, and the tables are found here.
import { type CompiledMap, DATC_3_2, type Rules, standard } from '../engine/index.js';

const maps: readonly CompiledMap[] = [standard];
const rulePresets: readonly Rules[] = [DATC_3_2];

const find = <T extends { readonly name: string }>(what: string, all: readonly T[], name: string): T => {
  const found = all.find((one) => one.name === name);
  if (found === undefined)
    throw new RangeError(`${what}: got "${name}", wanted one of ${all.map((one) => one.name).join(', ')}`);
  return found;
};

/** @throws RangeError that lists the maps there are */
export const findMap = (name: string): CompiledMap => find('map', maps, name);
/** @throws RangeError that lists the rule presets there are */
export const findRules = (name: string): Rules => find('rules', rulePresets, name);
