// Maps and rules by name: workers and files name them, and the tables are found here.
import { DATC_3_2, type Rules } from '../engine/index.js';

export { loadMap, mapNames } from '../engine/map/index.js';

const presets: readonly Rules[] = [DATC_3_2];

/** Names that findRules() knows. */
export const rulesNames: readonly string[] = presets.map((rules) => rules.name);

/** @throws RangeError that lists the rule presets there are */
export const findRules = (name: string): Rules => {
  const found = presets.find((rules) => rules.name === name.toLowerCase());
  if (found === undefined) throw new RangeError(`rules: got "${name}", wanted one of ${rulesNames.join(', ')}`);
  return found;
};
