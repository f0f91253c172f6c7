// Runs `lepanto merge`: copies the parts of a run into one directory, and reports missing shards.

import { shardName } from '../../../selfplay/records/manifest.js';
import { mergeRuns } from '../../../selfplay/records/merge.js';
import { counted } from '../../reports/figures.js';
import { formatCommand } from '../../terminal/interrupt.js';
import { jsonOption, optionText, quietOption, readArguments } from '../../terminal/options.js';
import { print, sayBeside } from '../../terminal/output.js';
import { withProgress } from '../../terminal/progress.js';
import { runArguments } from '../../terminal/run-arguments.js';
import { makeDirectory, UsageError } from '../../terminal/usage.js';

export const options = {
  out: { takes: 'DIR', help: 'directory of the whole run' },
  partial: { help: 'exit code 0 even if shards are missing' },
  ...jsonOption,
  ...quietOption,
} as const;

export const help = `
usage: lepanto merge PART... --out DIR [OPTIONS]

Copies the shards (games-*.lep) of all parts of a run (lepanto selfplay --shard
I/N) to DIR and checks them. DIR may be one of the parts, or hold some shards.
Missing, damaged and different shards are listed with the command that plays
them (exit code 1).

${optionText(options)}
`;

/** Maximum number of missing shards that are named in a message. */
const MOST_NAMED = 8;

const namesOf = (shards: readonly number[]): string =>
  shards.slice(0, MOST_NAMED).map(shardName).join(', ') + (shards.length > MOST_NAMED ? ', ...' : '');

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals: parts } = readArguments(args, options);
  const { out, partial, json, quiet } = values;
  if (parts.length === 0) throw new UsageError('merge: got no directory, wanted the parts of a run');
  if (out === undefined) throw new UsageError('--out: got nothing, wanted a directory');
  makeDirectory('--out', out);
  let done = 0;
  const leftOut: string[] = [];
  const onLeftOut = (file: string, what: string): void => {
    leftOut.push(file);
    sayBeside(`${file} is left out: ${what}`);
  };
  const progress = { total: parts.length, unit: 'parts', quiet, read: () => ({ done, note: '' }) };
  const { manifest, shards, copied, missing } = await withProgress(progress, () =>
    mergeRuns({ parts, directory: out, onLeftOut, onPart: () => done++ }),
  );
  const spec = { ...manifest, map: manifest.map.name, rules: manifest.rules.name };
  const command = formatCommand(['selfplay', ...runArguments(spec), '--out', out]);
  const rest = missing.length === 0 ? '' : `missing       ${namesOf(missing)}\nplay them     ${command}\n`;
  print(
    json,
    () => ({ shards, copied, missing, left_out: leftOut, out, command }),
    () => `${shards - missing.length} of ${counted(shards, 'shard')}, ${copied} of them copied now, in ${out}\n${rest}`,
  );
  return missing.length === 0 || partial ? 0 : 1;
};
