// Reads the statistics of a huge run over a queue: a shard is a task, read by a machine that sees the directory.
import { addGame, makeStats, mergeStats, type Stats } from '../../../selfplay/records/stats.js';
import { openSource, recordsOf, type Source, wholeRecord } from '../../formats/games/recorded-run.js';
import { type CoordinatorOptions, coordinate, type FailedTask } from './coordinator.js';
import { makeJob } from './job.js';
import type { Payload } from './payload.js';

/** What a machine has read. */
interface ReadStats {
  readonly stats: Stats;
  readonly faults: readonly { readonly text: string; readonly missing: boolean }[];
}

/** For JSON, which has no form for maps: they are lists of entries there. */
export const writeMaps = (_: string, value: unknown): unknown =>
  value instanceof Map ? { entries: [...value] } : value;
const readMaps = (_: string, value: unknown): unknown => {
  const { entries } = Object(value) as { readonly entries?: unknown };
  return Array.isArray(entries) ? new Map(entries as [unknown, unknown][]) : value;
};

export const readStatsOf = (path: string): ReadStats => {
  const source = openSource(path);
  const stats = makeStats(source.map.powerCount);
  const faults: { text: string; missing: boolean }[] = [];
  for (const { where, game, error, missing } of recordsOf(source)) {
    try {
      if (game === null) faults.push({ text: `${where}: ${error}`, missing });
      else addGame(stats, source.map, source.rules.adjudication, wholeRecord(source, game));
    } catch (problem) {
      faults.push({ text: (problem as Error).message, missing: false });
    }
  }
  return { stats, faults };
};

export interface GatheredStats {
  readonly stats: Stats;
  readonly failed: readonly FailedTask[];
}

/** Counts the games of a directory that all machines see. @param tell is told what is wrong with files */
export const gatherStats = async (
  source: Source,
  tell: (text: string, missing: boolean) => void,
  options: CoordinatorOptions,
): Promise<GatheredStats> => {
  const { files, map, rules, path } = source;
  const read: ReadStats[] = [];
  const job = makeJob({
    ...{ about: `stats of ${path}`, tasks: files.length, store: 'redis', choiceMs: 0, place: '' },
    work: { kind: 'stats', files, map: map.name, rules: rules.runName },
  });
  const record = async ({ head, bytes }: Payload): Promise<void> => {
    read[head.task] = JSON.parse(Buffer.from(bytes).toString('utf8'), readMaps) as ReadStats;
  };
  const missing = [...files.keys()];
  const failed = await coordinate({ job, missing, record, isRecorded: async () => false }, options);
  const stats = makeStats(map.powerCount);
  // In the order of the files, in which one machine meets orders and years for the first time.
  for (const task of read.filter((one) => one !== undefined)) {
    for (const { text, missing } of task.faults) tell(text, missing);
    mergeStats(stats, task.stats);
  }
  for (const { task, error } of failed) tell(`${files[task]}: ${error}`, false);
  return { stats, failed };
};
