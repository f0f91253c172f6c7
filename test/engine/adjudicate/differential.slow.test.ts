// Tests that the engine agrees with the oracle on 100,000 sets of the standard map, on 50,000 of maps with rules of their
// own, and on 5,000 under each preset.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rulesByName } from '../../../engine/rules/options.js';
import { presetNames } from '../../../engine/rules/rule-text.js';
import { compareFamilies } from '../../oracle/compare-families.js';
import { compareRules, DENSE } from '../../oracle/differential-rules.js';

compareFamilies(1);

const presets = suite('presets');
for (const name of presetNames)
  presets(`engine and oracle agree under ${name} on 5,000 sets`, () => {
    const differs = (text: string): void => assert.unreachable(`${name}, ${text}`);
    assert.is(compareRules(rulesByName(name), 5000, 23, DENSE, differs), 0);
  });
presets.run();
