// Measures what a learner in Python waits for: batches stepped by ids of the vocabulary, with DipNet's boards and
// legal masks, in a process of Python's own. Where python3 has no numpy or the package is not built, it says so instead.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { packageRoot } from '../../selfplay/version.js';
import { runChild } from './child.js';

/** Rates by name, or why there are none. */
export type LearnerRates = { readonly rates: Readonly<Record<string, number>> } | { readonly missing: string };

/** The package in the source tree, if `npm run build:python` has put the engine into it. */
const source = join(packageRoot, 'bindings', 'python', 'src');
const isBuilt = (): boolean => existsSync(join(source, 'lepanto', 'js'));

/** Phases of all games a second: with the choice of the actions, and in step() alone. */
const script = `
import json, sys, time
import lepanto

games, workers, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
with lepanto.Batch(games, workers=workers, actions='vocabulary', masks=True, until=1910, seed=1) as batch:
    def play(seconds):
        phases, stepping, begin = 0, 0.0, time.perf_counter()
        while phases == 0 or time.perf_counter() - begin < seconds:
            actions = batch.random_actions()
            before = time.perf_counter()
            batch.step(actions)
            stepping += time.perf_counter() - before
            phases += games
        return {'choose and step': phases / (time.perf_counter() - begin), 'step': phases / stepping}
    play(2 * seconds)
    print(json.dumps(play(seconds)))
`;

const environment = (): NodeJS.ProcessEnv => {
  const paths = [isBuilt() ? source : '', process.env.PYTHONPATH ?? ''].filter((path) => path !== '');
  const koffi = join(packageRoot, 'node_modules');
  return {
    ...process.env,
    ...(paths.length > 0 ? { PYTHONPATH: paths.join(delimiter) } : {}),
    NODE_PATH: [koffi, process.env.NODE_PATH ?? ''].filter((path) => path !== '').join(delimiter),
  };
};

/**
 * Runs Python once: LEPANTO_PYTHON, or python3 of the PATH.
 * @param seconds that are measured, after twice as long a warm-up
 * @param stop ends the process and rejects the promise
 */
export const measureLearner = async (
  games: number,
  workers: number,
  seconds: number,
  stop?: AbortSignal,
): Promise<LearnerRates> => {
  const python = process.env.LEPANTO_PYTHON ?? 'python3';
  try {
    const options = { env: environment(), ...(stop === undefined ? {} : { signal: stop }) };
    const args = ['-c', script, ...[games, workers, seconds].map(String)];
    const { code, output, errors } = await runChild(python, args, options);
    if (code === 0) return { rates: JSON.parse(output) };
    return { missing: `${python}: ${errors.trim().split('\n').at(-1) || `ended with code ${code}`}` };
  } catch (error) {
    stop?.throwIfAborted();
    return { missing: `${python}: ${(error as Error).message}` };
  }
};
