// Runs `lepanto rules`: prints the presets and options of the rules as a table or as JSON.
import { presetAliases, presetNames } from '../../../engine/internal.js';
import {
  type OptionRow,
  optionKinds,
  optionValues,
  presetMeanings,
  ruleTable,
} from '../../../engine/notation/text/rule-options.js';
import { readRules } from '../../terminal/map-and-rules.js';
import { jsonOption, listText, optionText, readArguments } from '../../terminal/options.js';
import { columns } from '../../terminal/output.js';

/** Kinds of options with their meanings and their options. */
const kinds = Object.entries(optionKinds).map(([kind, acts]) => {
  const keys = ruleTable().filter((row) => row.kind === kind);
  return [kind, `${acts}. ${keys.map(({ key }) => key).join(', ')}`] as const;
});

export const help = `
usage: lepanto rules [--json] [RULES ...]

Prints the presets of rule options, and every option: its kind, its values (the
first is the default), its issue in chapter 4 of DATC 3.2, and its meaning. With
RULES, the options of each: a preset, or a preset with options that differ, as
--rules of the other commands reads them: 2000,paradox=allHold.

${optionText(jsonOption)}

Kinds of options, what each acts on, and its options:
${listText(kinds)}
`;

/** All columns begin at the left. */
const table = (rows: readonly (readonly string[])[]): string => columns(rows, rows[0].length);

const aliasesOf = (name: string): string[] =>
  Object.keys(presetAliases).filter((alias) => presetAliases[alias] === name);

const presetText = (): string =>
  table([
    ['PRESET', 'ALSO', 'MEANING'],
    ...presetNames.map((name) => [name, aliasesOf(name).join(', '), presetMeanings[name]]),
  ]);

const optionTable = (rows: readonly OptionRow[]): string =>
  table([
    ['OPTION', 'KIND', 'SOURCE', 'VALUES', 'MEANING'],
    ...rows.map((row) => [row.key, row.kind, row.issue, row.values.join(' '), row.meaning]),
  ]);

/** Options by preset: those that differ between presets, and the backup of the paradox rule. */
const differenceText = (rows: readonly OptionRow[]): string =>
  table([
    ['OPTION', ...presetNames],
    ...rows
      .filter((row) => row.key === 'paradoxBackup' || new Set(Object.values(row.presets)).size > 1)
      .map((row) => [row.key, ...presetNames.map((name) => row.presets[name])]),
  ]);

const chosenText = (names: readonly string[], rows: readonly OptionRow[]): string => {
  const chosen = names.map(readRules);
  const values = chosen.map(optionValues);
  return table([
    ['OPTION', 'KIND', ...chosen.map(({ name }) => name)],
    ...rows.map(({ key, kind }) => [key, kind, ...values.map((one) => one[key])]),
  ]);
};

const asJson = (names: readonly string[], rows: readonly OptionRow[]): unknown => ({
  presets: presetNames.map((name) => ({ name, aliases: aliasesOf(name), meaning: presetMeanings[name] })),
  options: rows,
  rules: names.map((name) => {
    const rules = readRules(name);
    return { name: rules.name, id: rules.adjudication.id, options: optionValues(rules) };
  }),
});

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, jsonOption);
  const rows = ruleTable();
  let text: string;
  if (values.json) text = JSON.stringify(asJson(positionals, rows), null, 2);
  else if (positionals.length > 0) text = chosenText(positionals, rows);
  else text = [presetText(), optionTable(rows), differenceText(rows)].join('\n\n');
  process.stdout.write(`${text}\n`);
  return 0;
};
