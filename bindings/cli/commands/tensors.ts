// Runs `lepanto tensors`: writes the samples of recorded games as arrays that programs map into memory.
import { parseArgs } from 'node:util';
import { scoreNames } from '../../../engine/internal.js';
import { defaultWorkers } from '../../../selfplay/workers/pool.js';
import { datasetObservations, samplings, troubleModes } from '../../python/dataset/reader-config.js';
import { type TensorResult, writeTensors } from '../../python/dataset/tensor-folder.js';
import { catchInterrupt, formatCommand, INTERRUPTED, sayInterrupted } from '../shared/interrupt.js';
import { sayBeside } from '../shared/output.js';
import { startProgress } from '../shared/progress.js';
import { makeDirectory, parseWhole, UsageError } from '../shared/usage.js';

const PART_GAMES = '256';
const MAX_WORKERS = 256;

export const help = `
usage: lepanto tensors PATH... --out DIR [OPTIONS]

Writes recorded games as arrays of numpy, encoded and with their legal orders, for learning at the speed of the disk: runs,
games-*.lep, and files that lepanto convert reads. In Python lepanto.tensors.Tensors(DIR) maps them into memory, shuffles
them and yields the batches of lepanto.dataset.Dataset. A phase takes about 9 kB with dipnet.
The same command goes on with a folder that was stopped; Ctrl-C stops it. The files do not depend on the number of workers.

  --out DIR        where they go: DIR/index.json, and DIR/part-00000/NAME.npy for every ${PART_GAMES} games
  --encoder NAME   observations: ${datasetObservations.join(', ')} (dipnet)
  --per KIND       a sample is a phase with the orders of all powers, or one power in it: ${samplings.join(', ')} (phase)
  --score NAME     scoring system of the returns: ${scoreNames.join(', ')}
                   (sum_of_squares)
  --targets        adds what agents weighed: policy, values, targeted (of runs by lepanto selfplay --targets)
  --part-games N   games in a part (${PART_GAMES}); a worker writes whole parts
  --errors MODE    raise stops at a game that cannot be read or played; skip leaves it out (raise)
  --map NAME       map (that of the runs, or standard)
  --rules RULES    rules (those of the runs, or datc-3.2)
  --workers W      threads (one for each processor: ${defaultWorkers()} here)
  --json           one JSON object
  --quiet          no progress
`;

const oneOf = <T extends string>(option: string, text: string, words: readonly T[]): T => {
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  throw new UsageError(`--${option}: got "${text}", wanted one of ${words.join(', ')}`);
};

const report = ({ index, parts }: TensorResult, out: string, seconds: number, json: boolean): void => {
  const sum = (key: 'samples' | 'skipped'): number => (index.parts ?? []).reduce((all, part) => all + part[key], 0);
  const samples = sum('samples');
  const skipped = sum('skipped');
  if (json) {
    process.stdout.write(`${JSON.stringify({ games: index.games, samples, skipped, parts, seconds, out })}\n`);
    return;
  }
  const left = skipped === 0 ? '' : `, ${skipped} of them left out`;
  process.stdout.write(
    `${index.games.toLocaleString('en-US')} games${left}, ${samples.toLocaleString('en-US')} samples in ${out}\n`,
  );
};

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals: paths } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      out: { type: 'string' },
      encoder: { type: 'string', default: 'dipnet' },
      per: { type: 'string', default: 'phase' },
      score: { type: 'string', default: 'sum_of_squares' },
      targets: { type: 'boolean', default: false },
      'part-games': { type: 'string', default: PART_GAMES },
      errors: { type: 'string', default: 'raise' },
      map: { type: 'string' },
      rules: { type: 'string' },
      workers: { type: 'string', default: String(defaultWorkers()) },
      json: { type: 'boolean', default: false },
      quiet: { type: 'boolean', default: false },
    },
  });
  const { out, quiet, json } = values;
  if (paths.length === 0) throw new UsageError('tensors: got no games, wanted runs or files of games');
  if (out === undefined) throw new UsageError('--out: got nothing, wanted a directory');
  const config = {
    paths,
    observations: oneOf('encoder', values.encoder, datasetObservations),
    per: oneOf('per', values.per, samplings),
    score: oneOf('score', values.score, scoreNames),
    trouble: oneOf('errors', values.errors, troubleModes),
    targets: values.targets,
    map: values.map ?? null,
    rules: values.rules ?? null,
  };
  const partGames = parseWhole('part-games', values['part-games'], 1, 1 << 20);
  const workers = parseWhole('workers', values.workers, 1, MAX_WORKERS);
  makeDirectory('--out', out);
  const begin = performance.now();
  const seconds = (): number => (performance.now() - begin) / 1000;
  const counters = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const interrupt = catchInterrupt('waiting up to 5 s for the parts that are being written');
  let stop = (): void => {};
  const onBegin = (games: number, kept: number): void => {
    const read = () => ({
      done: kept + Atomics.load(counters, 0),
      note: `${Math.round(Atomics.load(counters, 1) / seconds()).toLocaleString('en-US')} samples/s`,
    });
    stop = startProgress({ total: Math.max(1, games), unit: 'games', quiet, read });
  };
  let result: TensorResult;
  try {
    const { signal } = interrupt;
    result = await writeTensors({ config, directory: out, partGames, workers, counters, signal, onBegin });
  } finally {
    interrupt.release();
    stop();
  }
  if (result.done < result.parts) {
    const command = formatCommand(['tensors', ...args.filter((arg) => arg !== '--quiet')]);
    sayInterrupted(`${result.done} of ${result.parts} parts are written; to go on: ${command}`);
    return INTERRUPTED;
  }
  if (result.trouble !== null) sayBeside(`left out: ${result.trouble}`);
  report(result, out, seconds(), json);
  return 0;
};
