// Runs `lepanto rules`: prints the presets and options of the rules as a table or as JSON.
import { parseArgs } from 'node:util';
import { presetAliases, presetNames } from '../../../engine/internal.js';
import {
  type OptionRow,
  optionKinds,
  optionValues,
  presetMeanings,
  ruleTable,
} from '../../notation/text/rule-options.js';
import { type RuleSet, ruleSetByName } from '../../notation/text/rule-set.js';
import { orUsage } from '../shared/usage.js';

/** Characters in a line of the help. */
const HELP_WIDTH = 110;

/** The options of a kind, in lines under its name. */
const keysOf = (kind: string): string => {
  const lines: string[] = [];
  for (const { key, kind: own } of ruleTable()) {
    if (own !== kind) continue;
    const last = lines.length - 1;
    if (last >= 0 && lines[last].length + key.length < HELP_WIDTH) lines[last] += ` ${key}`;
    else lines.push(`${' '.repeat(17)}${key}`);
  }
  return lines.join('\n');
};

export const help = `
usage: lepanto rules [--json] [RULES ...]

Prints the presets of rule options, and every option: its kind, its values (the first is the default), its issue in
chapter 4 of DATC 3.2, and what it means. With RULES, the options of each: a preset, or a preset with options that
differ, as --rules of the other commands reads them: 2000,paradox=allHold.

  --json           one JSON object

Kinds of options, and what acts on each:
${Object.entries(optionKinds)
  .map(([kind, acts]) => `  ${kind.padEnd(15)}${acts}\n${keysOf(kind)}`)
  .join('\n')}
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
    ['OPTION', 'KIND', 'SOURCE', 'VALUES', 'MEANING'],
    ...rows.map((row) => [row.key, row.kind, row.issue, row.values.join(' '), row.meaning]),
  ]);

/** Options by preset: those that differ between presets, and the backup of the paradox rule. */
const differenceText = (rows: readonly OptionRow[]): string =>
  column([
    ['OPTION', ...presetNames],
    ...rows
      .filter((row) => row.key === 'paradoxBackup' || new Set(Object.values(row.presets)).size > 1)
      .map((row) => [row.key, ...presetNames.map((name) => row.presets[name])]),
  ]);

const readRules = (name: string): RuleSet => orUsage('rules', () => ruleSetByName(name));

const chosenText = (names: readonly string[], rows: readonly OptionRow[]): string => {
  const chosen = names.map(readRules);
  const values = chosen.map(optionValues);
  return column([
    ['OPTION', 'KIND', ...chosen.map(({ name }) => name)],
    ...rows.map(({ key, kind }) => [key, kind, ...values.map((one) => one[key])]),
  ]);
};

const asJson = (names: readonly string[], rows: readonly OptionRow[]): unknown => ({
  presets: presetNames.map((name) => ({
    name,
    aliases: Object.keys(presetAliases).filter((alias) => presetAliases[alias] === name),
    meaning: presetMeanings[name],
  })),
  options: rows,
  rules: names.map((name) => {
    const rules = readRules(name);
    return { name: rules.name, id: rules.adjudication.id, options: optionValues(rules) };
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
