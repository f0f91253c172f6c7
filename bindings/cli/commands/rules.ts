// Runs `lepanto rules`: prints the presets and options of the rules as a table or as JSON.
import { presetAliases, presetNames } from '../../../engine/internal.js';
import {
  type OptionRow,
  optionKinds,
  optionValues,
  presetMeanings,
  ruleTable,
} from '../../../engine/notation/text/rule-options.js';
import { makeTable, renderText, type Table, words } from '../../reports/table.js';
import { readRules } from '../../terminal/map-and-rules.js';
import { jsonOption, listText, optionText, readArguments } from '../../terminal/options.js';

/** Kinds of options of the rules, each with its meaning and the options of that kind. */
const kinds = Object.entries(optionKinds).map(([kind, acts]) => {
  const keys = ruleTable().filter((row) => row.kind === kind);
  return [kind, `${acts}. ${keys.map(({ key }) => key).join(', ')}`] as const;
});

export const options = jsonOption;

export const help = `
usage: lepanto rules [--json] [RULES ...]

Lists the presets of rules and every option: kind, values (the default first),
issue in chapter 4 of DATC 3.2, and meaning. With RULES, prints the options of
each: a preset, or a preset with other options, as --rules of other commands
reads them: 2000,paradox=allHold.

${optionText(options)}

Kinds of options:
${listText(kinds)}
`;

const aliasesOf = (name: string): string[] =>
  Object.keys(presetAliases).filter((alias) => presetAliases[alias] === name);

const presetTable = (): Table =>
  makeTable(presetNames, [
    words('PRESET', String),
    words('ALSO', (name) => aliasesOf(name).join(', ')),
    words('MEANING', (name) => presetMeanings[name]),
  ]);

const optionTable = (rows: readonly OptionRow[]): Table =>
  makeTable(rows, [
    words('OPTION', ({ key }) => key),
    words('KIND', ({ kind }) => kind),
    words('SOURCE', ({ issue }) => issue),
    words('VALUES', ({ values }) => values.join(' ')),
    words('MEANING', ({ meaning }) => meaning),
  ]);

/**
 * Returns a table of the options of the rules (rows) in each preset (columns). It has options that differ between
 * presets, and paradoxBackup.
 */
const differenceTable = (rows: readonly OptionRow[]): Table =>
  makeTable(
    rows.filter(({ key, presets }) => key === 'paradoxBackup' || new Set(Object.values(presets)).size > 1),
    [
      words('OPTION', ({ key }) => key),
      ...presetNames.map((name) => words<OptionRow>(name, (row) => row.presets[name])),
    ],
  );

const chosenTable = (names: readonly string[], rows: readonly OptionRow[]): Table =>
  makeTable(rows, [
    words('OPTION', ({ key }) => key),
    words('KIND', ({ kind }) => kind),
    ...names.map(readRules).map((rules) => {
      const values = optionValues(rules);
      return words<OptionRow>(rules.name, ({ key }) => values[key]);
    }),
  ]);

const asJson = (names: readonly string[], rows: readonly OptionRow[]): unknown => ({
  presets: presetNames.map((name) => ({ name, aliases: aliasesOf(name), meaning: presetMeanings[name] })),
  options: rows,
  rules: names.map((name) => {
    const rules = readRules(name);
    return { name: rules.name, id: rules.adjudication.id, options: optionValues(rules) };
  }),
});

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, options);
  const rows = ruleTable();
  const tables =
    positionals.length > 0
      ? [chosenTable(positionals, rows)]
      : [presetTable(), optionTable(rows), differenceTable(rows)];
  process.stdout.write(values.json ? `${JSON.stringify(asJson(positionals, rows))}\n` : renderText(tables));
  return 0;
};
