// Computes the statistics of a large run over a queue. Each task is one shard, read by a machine that sees the
// directory.
import { makeStats, type Stats } from '../../../selfplay/records/stats.js';
import { addSums } from '../../../selfplay/records/summary.js';
import { MissingGames, openSource, type Source } from '../../formats/games/recorded-run.js';
import { type CountedGames, countGames } from '../../formats/games/shard-tasks.js';
import { type CoordinatorOptions, coordinate, type FailedTask } from './coordinator.js';
import { makeJob } from './job.js';
import type { Payload } from './payload.js';

/**
 * Returns the statistics of the games in one shard. Called by a worker of the queue. @throws LepantoError if the shard
 * cannot be opened
 */
export const readStatsOf = (path: string): CountedGames => countGames(openSource(path));

export interface GatheredStats {
  readonly stats: Stats;
  readonly failed: readonly FailedTask[];
}

/**
 * Counts the games of a directory that all machines see, and returns their statistics.
 * @param reportFault called with each error of a file. missing: true if games are missing
 */
export const gatherStats = async (
  source: Source,
  reportFault: (text: string, missing: boolean) => void,
  options: CoordinatorOptions,
): Promise<GatheredStats> => {
  const { files, map, rules, path } = source;
  const read: CountedGames[] = [];
  const job = makeJob({
    ...{ about: `stats of ${path}`, tasks: files.length, store: 'redis', choiceMs: 0, place: '' },
    work: { kind: 'stats', files, map: map.name, rules: rules.runName },
  });
  const record = async ({ head, bytes }: Payload): Promise<void> => {
    read[head.task] = JSON.parse(Buffer.from(bytes).toString('utf8')) as CountedGames;
  };
  const missing = new MissingGames(source);
  const failed = await coordinate({ job, missing: [...files.keys()], record, isRecorded: async () => false }, options);
  const stats = makeStats(map.powerCount);
  for (const [task, file] of files.entries()) {
    const stray = missing.before(file);
    if (stray !== null) reportFault(`${file}: ${stray}`, false);
    const counted = read[task];
    if (counted === undefined || stray !== null) continue;
    for (const [text, isMissing] of counted.faults) reportFault(text, isMissing);
    missing.add(counted.missing);
    addSums(stats, counted.stats);
  }
  for (const { task, error } of failed) reportFault(`${files[task]}: ${error}`, false);
  const lack = missing.end();
  if (lack !== null) reportFault(`${path}: ${lack}`, true);
  return { stats, failed };
};
