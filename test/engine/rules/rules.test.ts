// Tests rules of adjudication by name, and the engine against the oracle under every preset.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DATC_3_2, ruleKeys, ruleOptions, rulesByName, ruleValue } from '../../../engine/rules/options.js';
import { presetNames } from '../../../engine/rules/rule-text.js';
import { compareRules, DENSE, singleOptions } from '../../oracle/differential-rules.js';

const names = suite('rules by name');

names('the default is all zeros', () => {
  for (const key of ruleKeys) assert.is(DATC_3_2[key], 0, key);
  assert.is(DATC_3_2.id, 0x3200);
  assert.is(DATC_3_2.name, 'datc-3.2');
});

names('presets, without regard to case and by the names that data files use', () => {
  assert.is(presetNames.length, 9);
  for (const name of presetNames) {
    assert.is(rulesByName(name).name, name);
    assert.is(rulesByName(name.toUpperCase()), rulesByName(name));
  }
  assert.is(rulesByName('DATC3.2'), DATC_3_2);
  assert.is(rulesByName('DATC2.4').name, 'datc-2.4');
  assert.is(rulesByName('2025EE').name, '2025ee');
});

names('ids tell presets and options apart', () => {
  const texts = [...presetNames, ...ruleKeys.flatMap((key) => ruleOptions[key].slice(1).map((one) => `${key}=${one}`))];
  const ids = new Set<number>();
  let read = 0;
  for (const text of texts) {
    // Options that need others are refused alone.
    if (/^(preferOwnConvoy|paradoxBackup)=/.test(text)) continue;
    ids.add(rulesByName(text).id);
    read++;
  }
  assert.is(ids.size, read);
});

names('single options change a preset', () => {
  const rules = rulesByName('2000, Paradox=AllHold');
  assert.is(rules.name, '2000,paradox=allHold');
  assert.is(rulesByName(rules.name), rules);
  assert.is(ruleValue(rules, 'paradox'), 'allHold');
  assert.is(ruleValue(rules, 'dislodgedNoEffect'), 'always');
  assert.is(rulesByName('paradox=szykman'), DATC_3_2, 'the value that the preset has anyway');
  assert.is(rulesByName('cutFromOrigin=yes').name, 'datc-3.2,cutFromOrigin=yes');
});

names('what a changed option leaves without effect is dropped', () => {
  assert.is(ruleValue(rulesByName('dptg,convoyRoutes=any'), 'preferOwnConvoy'), 'no');
  assert.is(ruleValue(rulesByName('2000,adjacentConvoy=written'), 'convoyFallback'), 'none');
});

names('unknown and contradictory rules are refused with what exists', () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    ['1999', /got preset "1999", wanted one of datc-3\.2, datc-2\.4, 1971/],
    ['', /got preset ""/],
    ['2000,foo=1', /got option "foo", wanted one of convoyRoutes, preferOwnConvoy/],
    ['2000,1982', /got "1982", wanted option=value after the preset/],
    ['2000,paradox=both', /got paradox=both, wanted paradox= one of szykman, 1971/],
    ['2000,paradox', /got paradox=, wanted/],
    ['paradox=1971,paradox=1982', /paradox is given twice: 1971 and 1982/],
    ['paradoxBackup=allHold', /paradoxBackup=allHold contradicts paradox=szykman, wanted paradox 1971 or 1982 or 2000/],
    ['preferOwnConvoy=yes', /preferOwnConvoy=yes contradicts convoyRoutes=any/],
    ['dptg,convoyFallback=broken', /convoyFallback=broken contradicts adjacentConvoy=written/],
  ];
  for (const [text, message] of refused) assert.throws(() => rulesByName(text), message, text);
});

names.run();

// ---- engine and oracle ----

const differential = suite('rules, engine and oracle');

const check = (name: string, sets: number): void => {
  const found = compareRules(rulesByName(name), sets, 23, DENSE, (text) => assert.unreachable(`${name}, ${text}`));
  assert.is(found, 0);
};

// Of presets, differential.slow.test.ts compares 5,000.
for (const name of [...presetNames, ...singleOptions])
  differential(`engine and oracle agree under ${name} on 600 sets`, () => check(name, 600));

differential.run();
