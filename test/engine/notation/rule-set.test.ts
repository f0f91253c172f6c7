// Tests rules of all kinds by one name: who gets which options, the table of `lepanto rules`, and that records name only
// the options that act on them.
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DATC_READING, readingOptions } from '../../../engine/notation/text/reading-options.js';
import { optionKinds, optionValues, ruleTable } from '../../../engine/notation/text/rule-options.js';
import { DEFAULT_RULES, ruleSetByName } from '../../../engine/notation/text/rule-set.js';
import { DATC_3_2, ruleOptions, rulesByName } from '../../../engine/rules/options.js';
import { presetNames } from '../../../engine/rules/rule-text.js';
import { runningOptions, runRulesByName } from '../../../engine/rules/run-rules.js';
import { readManifest } from '../../../selfplay/records/manifest.js';
import { callLepanto, type Ended, makeFolder, runLepanto } from '../../tools/command.js';
import { saying } from '../../tools/errors.js';

const tables = {
  adjudication: ruleOptions,
  running: runningOptions,
  reading: readingOptions,
};

const sets = suite('rules of all kinds');

sets('every option is of one kind', () => {
  const keys = Object.values(tables).flatMap((table) => Object.keys(table));
  assert.is(new Set(keys).size, keys.length);
  assert.is(keys.length, 33);
  assert.equal(Object.keys(tables), Object.keys(optionKinds));
});

sets('the first value of each is that of DATC 3.2', () => {
  const first = Object.values(tables).flatMap((table) => Object.entries(table).map(([key, [value]]) => [key, value]));
  assert.equal(optionValues(DEFAULT_RULES), Object.fromEntries(first));
  assert.is(DEFAULT_RULES.adjudication, DATC_3_2);
  assert.equal(DEFAULT_RULES.reading, DATC_READING);
});

sets('a name gives each kind its own', () => {
  const rules = ruleSetByName('2000, waive=no, Paradox=allHold, longGameDraw=yes');
  assert.is(rules.name, '2000,paradox=allHold,longGameDraw=yes,waive=no');
  assert.is(rules.runName, '2000,paradox=allHold,longGameDraw=yes');
  assert.is(rules.adjudication, rulesByName('2000,paradox=allHold'));
  assert.equal(rules.running, { longGameDraw: 'yes' });
  assert.equal(rules.reading, { ...DATC_READING, waive: 'no', illegalMove: 'hold' });
  assert.equal(ruleSetByName(rules.name), rules);
  assert.is(ruleSetByName('waive=no,cutFromOrigin=yes').name, 'datc-3.2,cutFromOrigin=yes,waive=no');
  assert.is(ruleSetByName('1982,illegalMove=hold').name, '1982', 'the value that the preset has anyway');
});

sets('presets name all kinds at once', () => {
  const rows = ruleTable();
  for (const name of presetNames) {
    const rules = ruleSetByName(name);
    assert.equal([rules.name, rules.runName, rules.adjudication.name], [name, name, name]);
    assert.equal(optionValues(rules), Object.fromEntries(rows.map(({ key, presets }) => [key, presets[name]])));
  }
  const of = (name: string, ...keys: string[]): string[] => keys.map((key) => optionValues(ruleSetByName(name))[key]);
  assert.equal(of('dptg', 'paradox', 'longGameDraw', 'supportCoast'), ['dptg', 'yes', 'ignore']);
  assert.equal(of('strict-2003', 'expedited', 'longGameDraw', 'twoOrders'), ['yes', 'no', 'refuse']);
});

sets('the engine and the runner know their own options, and refuse the rest', () => {
  for (const [read, name, message] of [
    [rulesByName, '2000,waive=no', 'got option "waive", wanted one of convoyRoutes'],
    [rulesByName, '2000,longGameDraw=yes', 'got option "longGameDraw", wanted one of convoyRoutes'],
    [runRulesByName, '2000,waive=no', /got option "waive", wanted one of convoyRoutes.*, longGameDraw$/],
    [ruleSetByName, '2000,wave=no', /got option "wave", wanted one of .*, longGameDraw, .*, waive, illegalMove/],
    [ruleSetByName, '2000,waive=1', 'got waive=1, wanted waive= one of yes, no'],
    [ruleSetByName, 'waive=no,waive=yes', 'waive is given twice: no and yes'],
    [ruleSetByName, 'waive=no,paradoxBackup=dptg', 'paradoxBackup=dptg contradicts paradox=szykman'],
  ] as const)
    assert.throws(() => read(name), saying(message), `${read.name} ${name}`);
});

sets.run();

// ---- lepanto rules ----

const command = suite('lepanto rules');

const capture = async (args: string[]): Promise<string> => {
  const { code, out } = await callLepanto(['rules', ...args]);
  assert.is(code, 0);
  return out;
};

command('the table has every preset and option, with its kind', async () => {
  const text = await capture([]);
  for (const name of presetNames) assert.ok(new RegExp(`^${name.replace('.', '\\.')} `, 'm').test(text), name);
  for (const { key, kind, meaning } of ruleTable())
    assert.ok(
      text
        .split('\n')
        .some((line) => line.startsWith(`${key} `) && line.includes(` ${kind} `) && line.includes(meaning)),
      key,
    );
  assert.ok(/^paradoxBackup .*szykman/m.test(text), 'the backup of the paradox rule is printed');
});

command('--json prints presets, options and the rules asked for as one object', async () => {
  const json = JSON.parse(await capture(['--json', 'DATC2.4', '2000,paradox=dptg,waive=no'])) as {
    presets: { name: string }[];
    options: { key: string; kind: string; values: string[] }[];
    rules: { name: string; id: number; options: Record<string, string> }[];
  };
  assert.equal(
    json.presets.map(({ name }) => name),
    [...presetNames],
  );
  assert.equal(
    json.options.map(({ key, kind, values }) => [key, kind, values]),
    Object.entries(tables).flatMap(([kind, table]) =>
      Object.entries(table).map(([key, values]) => [key, kind, values]),
    ),
  );
  assert.equal(
    json.rules.map(({ name, id }) => [name, id]),
    [
      ['datc-2.4', rulesByName('datc-2.4').id],
      ['2000,paradox=dptg,waive=no', rulesByName('2000,paradox=dptg').id],
    ],
  );
  assert.equal([json.rules[1].options.paradox, json.rules[1].options.waive], ['dptg', 'no']);
});

command('unknown rules are refused', async () => {
  const { code, err } = await callLepanto(['rules', '1999']);
  assert.is(code, 2);
  assert.match(err, /--rules: .*got preset "1999"/);
});

command.run();

// ---- what is recorded ----

const recorded = suite('rules of a run');
const temporary = makeFolder('rules');

const lepanto = (...args: readonly string[]): Ended => runLepanto(args);

recorded('options of reading orders are taken and not recorded: the run is the same without them', () => {
  const out = join(temporary, 'run');
  const play = (rules: string): Ended =>
    lepanto('selfplay', '--games', '1', '--until', '1901', '--rules', rules, '--out', out, '--quiet');
  assert.is(play('dptg,cutFromOrigin=no,waive=no,longGameDraw=no').code, 0);
  const { rules, command: again } = readManifest(out);
  const name = 'dptg,cutFromOrigin=no,longGameDraw=no';
  assert.equal(rules, { name, id: rulesByName('dptg,cutFromOrigin=no').id });
  assert.match(again ?? '', ` --rules ${name} `);
  assert.match(play(`${name},twoOrders=last`).out, /^games +1, 1 of them already recorded$/m);
  const other = play('dptg,cutFromOrigin=no');
  assert.is(other.code, 1);
  assert.match(other.err, 'holds another run: its rules is');
  assert.match(lepanto('replay', out, '--verify', '--quiet').out, /no difference$/m);
});

recorded('every command takes options of every kind', () => {
  const rules = '2000,paradox=allHold,waive=no,longGameDraw=yes';
  const small = ['--until', '1901', '--rules', rules, '--quiet'];
  assert.is(lepanto('arena', '--agents', 'hold,random', '--games', '7', ...small).code, 0);
  assert.is(lepanto('search', '--start', '--rules', rules, '--rollouts', '50', '--power', 'FRANCE', '--json').code, 0);
});

recorded.run();
