// Writes folders of tensors, for a client in another language. Reads a JSON request from standard input:
//
//   {"folders": [{"paths": [...], "out": DIR}, ...], "observations", "errors", "map", "rules", "workers"}
//
// Standard error has the progress and any error, in the same form as on the command line. All folders share the worker
// threads, because a folder of few games does not keep them busy.
import { fieldReader, fields, listOf, oneOf, orElse, text } from '../../engine/rules/shape.js';
import { callConcurrently } from '../../selfplay/crew/concurrent-calls.js';
import { makePool, workersOption } from '../../selfplay/crew/pool.js';
import { optionShape } from '../../selfplay/question/option.js';
import { tensorObservations, troubleModes } from '../formats/dataset/tensor-config.js';
import { PART_GAMES, writeTensors } from '../formats/dataset/tensor-folder.js';
import { group } from '../reports/figures.js';
import { say } from '../terminal/output.js';
import { startProgress } from '../terminal/progress.js';
import { endWithClient } from './server/end-with-client.js';

const MOST = 1 << 20;

// No other process wants the folders. The next client finishes them.
endWithClient(process.ppid);

let input = '';
for await (const data of process.stdin.setEncoding('utf8')) input += data;

try {
  const field = fieldReader(JSON.parse(input), 'request');
  const folders = field(
    'folders',
    listOf(fields<{ paths: string[]; out: string }>({ paths: listOf(text, 1, MOST), out: text }), 1, MOST),
  );
  const options = {
    observations: field('observations', oneOf(tensorObservations)),
    errors: field('errors', oneOf(troubleModes)),
    map: field('map', orElse(text, null)),
    rules: field('rules', orElse(text, null)),
  };
  const workers = field('workers', optionShape(workersOption.workers));
  const counters = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const begin = performance.now();
  const pool = makePool({ workers });
  const isAlone = folders.length === 1;
  let done = 0;
  let stop = (): void => {};
  /** Shows the games of one folder, or the folders of many. */
  const show = (total: number, unit: string, kept: number): void => {
    const read = () => ({
      done: isAlone ? kept + Atomics.load(counters, 0) : done,
      note: `${group(Atomics.load(counters, 1) / ((performance.now() - begin) / 1000))} samples/s`,
    });
    stop = startProgress({ total: Math.max(1, total), unit, quiet: false, read });
  };
  if (!isAlone) show(folders.length, 'runs', 0);
  try {
    await callConcurrently(folders.length, 2 * workers, async (turn) => {
      const { paths, out } = folders[turn];
      await writeTensors({
        ...{ config: { ...options, paths }, directory: out, partGames: PART_GAMES, replace: true },
        ...{ pool: () => pool, atOnce: 2 * workers, counters, signal: new AbortController().signal },
        onBegin: (games, kept) => {
          if (isAlone) show(games, 'games', kept);
        },
      });
      done++;
    });
  } finally {
    stop();
    await pool.close();
  }
} catch (error) {
  say((error as Error).message);
  process.exitCode = 1;
}
