// Runs `lepanto tensors`: writes recorded games as arrays that programs can map into memory.

import { makePool, type Pool, workersOption } from '../../../selfplay/crew/pool.js';
import { wholeIn } from '../../../selfplay/question/option.js';
import { tensorOptions } from '../../formats/dataset/tensor-config.js';
import { PART_GAMES, type TensorResult, writeTensors } from '../../formats/dataset/tensor-folder.js';
import { group, plural } from '../../reports/figures.js';
import { catchInterrupt, formatCommand, INTERRUPTED, sayInterrupted } from '../../terminal/interrupt.js';
import { readMap, readRules } from '../../terminal/map-and-rules.js';
import { jsonOption, optionText, quietOption, readArguments } from '../../terminal/options.js';
import { print, sayBeside } from '../../terminal/output.js';
import { startProgress } from '../../terminal/progress.js';
import { makeDirectory, sizeOfGames, UsageError } from '../../terminal/usage.js';

export const options = {
  out: {
    takes: 'DIR',
    help: `output directory: index.json, and a directory of .npy files for every ${PART_GAMES} games`,
  },
  encoder: tensorOptions.observations,
  'part-games': {
    ...wholeIn(1, 1 << 20),
    default: PART_GAMES,
    help: 'games in a part; a worker writes whole parts',
  },
  errors: tensorOptions.errors,
  replace: { help: 'replace DIR if it holds other games or options, or is of another version' },
  map: { takes: 'NAME', help: 'map (default: the map of the runs, or standard)' },
  rules: { takes: 'RULES', help: 'rules (default: those of the runs, or datc-3.2)' },
  ...workersOption,
  ...jsonOption,
  ...quietOption,
} as const;

export const help = `
usage: lepanto tensors PATH... --out DIR [OPTIONS]

Writes recorded games as NumPy arrays with observations and legal orders, for
learning: runs, games-*.lep, and files that lepanto convert reads. In Python,
lepanto.dataset.Dataset(DIR) maps them into memory; Dataset(RUN) writes such a
directory itself. A phase takes about 3 kB. Ctrl-C stops; the same command
resumes, and adds new games of a run. The files do not depend on the number of
workers.

${optionText(options)}
`;

const report = ({ index, parts }: TensorResult, out: string, seconds: number, json: boolean): void => {
  const { games, skipped, missing } = index;
  const samples = (index.parts ?? []).reduce((all, part) => all + part.samples, 0);
  const left = skipped === 0 ? '' : `, ${skipped} of them left out`;
  print(
    json,
    () => ({ games, samples, skipped, missing, parts, seconds, out }),
    () => `${group(games)} ${plural(games, 'game')}${left}, ${group(samples)} ${plural(samples, 'sample')} in ${out}\n`,
  );
};

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals: paths } = readArguments(args, options);
  const { out, quiet, json } = values;
  if (paths.length === 0) throw new UsageError('tensors: got no games, wanted runs or files of games');
  if (out === undefined) throw new UsageError('--out: got nothing, wanted a directory');
  const config = {
    paths,
    observations: values.encoder,
    errors: values.errors,
    map: values.map ?? null,
    rules: values.rules ?? null,
  };
  for (const path of paths) sizeOfGames(path);
  if (values.map !== undefined) readMap({ map: values.map });
  if (values.rules !== undefined) readRules(values.rules);
  const { workers, replace, 'part-games': partGames } = values;
  makeDirectory('--out', out);
  const begin = performance.now();
  const seconds = (): number => (performance.now() - begin) / 1000;
  const counters = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const interrupt = catchInterrupt('waiting up to 5 s for the parts that are being written');
  let stop = (): void => {};
  const onBegin = (games: number, kept: number): void => {
    const read = () => ({
      done: kept + Atomics.load(counters, 0),
      note: `${group(Atomics.load(counters, 1) / seconds())} samples/s`,
    });
    stop = startProgress({ total: Math.max(1, games), unit: 'games', quiet, read });
  };
  let result: TensorResult;
  let pool: Pool | undefined;
  try {
    const { signal } = interrupt;
    result = await writeTensors({
      ...{ config, directory: out, partGames, replace, counters, signal, onBegin, atOnce: 2 * workers },
      pool: () => {
        pool ??= makePool({ workers });
        return pool;
      },
    });
  } finally {
    interrupt.release();
    stop();
    await pool?.close();
  }
  if (result.done < result.parts) {
    const command = formatCommand(['tensors', ...args.filter((arg) => arg !== '--quiet')]);
    sayInterrupted(`${result.done} of ${result.parts} parts are written; to resume: ${command}`);
    return INTERRUPTED;
  }
  const { missing, trouble, disagreeing, fits } = result.index;
  for (const games of missing) sayBeside(games);
  if (trouble !== null) sayBeside(`left out: ${trouble}`);
  if (disagreeing > 0)
    sayBeside(
      `${group(disagreeing)} ${plural(disagreeing, 'game')} contradict the rules${fits.length > 0 ? `; they fit ${fits.join(' or ')}` : ''}`,
    );
  report(result, out, seconds(), json);
  return 0;
};
