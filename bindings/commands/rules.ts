// lepanto rules: the presets and options of the rules, as a table or as JSON.
import { parseArgs } from 'node:util';
import { rulesByName, ruleValue } from '../../engine/rules.js';
import { orUsage } from '../cli/usage.js';
import { type OptionRow, presetAliases, presetMeanings, presetNames, ruleTable } from '../text/rule-options.js';

export const help = `
usage: lepanto rules [--json] [RULES ...]

Prints the presets of rule options, and every option: its values (the first is the default), its issue in chapter 4 of
DATC 3.2, who acts on it, and what it means. With RULES, the options of each: a preset, or a preset with options that
differ, as --rules of the other commands reads them: 2000,paradox=allHold.

  --json           one JSON object
`;

const column = (rows: readonly (readonly string[])[]): string => {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

const presetText = (): string => {
  const others = (name: string): string =>
    Object.entries(presetAliases)
      .filter(([, preset]) => preset === name)
      .map(([alias]) => alias)
      .join(', ');
  return column([
    ['PRESET', 'ALSO', 'MEANING'],
    ...presetNames.map((name) => [name, others(name), presetMeanings[name]]),
  ]);
};

const optionText = (rows: readonly OptionRow[]): string =>
  column([
    ['OPTION', 'SOURCE', 'ACTED ON BY', 'VALUES', 'MEANING'],
    ...rows.map((row) => [row.key, row.issue, row.actedOn, row.values.join(' '), row.meaning]),
  ]);

/** Options by preset: those that differ between presets, and the backup of the paradox rule. */
const differenceText = (rows: readonly OptionRow[]): string =>
  column([
    ['OPTION', ...presetNames],
    ...rows
      .filter((row) => row.key === 'paradoxBackup' || new Set(Object.values(row.presets)).size > 1)
      .map((row) => [row.key, ...presetNames.map((name) => row.presets[name])]),
  ]);

const chosenText = (names: readonly string[], rows: readonly OptionRow[]): string =>
  column([
    ['OPTION', ...names.map((name) => orUsage('rules', () => rulesByName(name)).name)],
    ...rows.map((row) => [row.key, ...names.map((name) => ruleValue(rulesByName(name), row.key))]),
  ]);

const asJson = (names: readonly string[], rows: readonly OptionRow[]): unknown => ({
  presets: presetNames.map((name) => ({
    name,
    aliases: Object.keys(presetAliases).filter((alias) => presetAliases[alias] === name),
    meaning: presetMeanings[name],
  })),
  options: rows,
  rules: names.map((name) => {
    const rules = orUsage('rules', () => rulesByName(name));
    return {
      name: rules.name,
      id: rules.id,
      options: Object.fromEntries(rows.map(({ key }) => [key, ruleValue(rules, key)])),
    };
  }),
});

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args,
    options: { json: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const rows = ruleTable();
  let text: string;
  if (values.json) text = JSON.stringify(asJson(positionals, rows), null, 2);
  else if (positionals.length > 0) text = chosenText(positionals, rows);
  else text = [presetText(), optionText(rows), differenceText(rows)].join('\n\n');
  process.stdout.write(`${text}\n`);
  return 0;
};
