// Reports the progress of a queued run, as text or JSON.
import { group } from '../../reports/figures.js';
import { sayBeside } from '../../terminal/output.js';
import { UsageError } from '../../terminal/usage.js';
import { type QueueAddress, readAddress } from './address.js';
import type { CoordinatorEvent, QueueProgress } from './coordinator.js';
import { nameStore } from './open-store.js';

/** Largest number of machines whose speeds a progress note lists. For more machines the note has their number. */
const MOST_NAMES = 4;

/**
 * Returns the progress of a queued run as text, such as 'games/s: a 120, b 80; 12 shards waiting, 4 active, 1 failed'.
 * @param progress latest progress; null before the first
 * @param unit unit of the tasks in the plural, such as 'shards'
 */
export const progressNote = (progress: QueueProgress | null, unit: string): string => {
  if (progress === null) return 'looking for the queue';
  const { machines, waiting, active, failed } = progress;
  // Adds up the workers of each host.
  const speeds = new Map<string, number>();
  for (const { machine, gamesPerSecond } of machines) speeds.set(machine, (speeds.get(machine) ?? 0) + gamesPerSecond);
  const all = group(machines.reduce((sum, { gamesPerSecond }) => sum + gamesPerSecond, 0));
  const named = Array.from(speeds, ([machine, speed]) => `${machine} ${group(speed)}`).join(', ');
  const who = speeds.size === 0 ? 'no machine' : speeds.size > MOST_NAMES ? `${speeds.size} machines ${all}` : named;
  const lost = failed > 0 ? `, ${failed} failed` : '';
  return `games/s: ${who}; ${waiting} ${unit} waiting, ${active} active${lost}`;
};

export const threadsOf = (progress: QueueProgress | null): number =>
  progress?.machines.reduce((sum, { threads }) => sum + threads, 0) ?? 0;

export interface QueueReport {
  readonly onEvent: (event: CoordinatorEvent) => void;
  readonly progress: () => QueueProgress | null;
}

/**
 * Makes a report of a coordinator's events.
 * @param json true to print every event as a line of JSON on stdout
 * @param unit unit of the tasks, such as 'shard'
 */
export const makeQueueReport = (json: boolean, unit: string): QueueReport => {
  let last: QueueProgress | null = null;
  return {
    progress: () => last,
    onEvent: (event) => {
      if (json) process.stdout.write(`${JSON.stringify(event)}\n`);
      if (event.event === 'progress') last = event;
      else if (event.event === 'failed') sayBeside(`${unit} ${event.task} failed in every try: ${event.error}`);
      else if (event.event === 'said') sayBeside(event.text);
    },
  };
};

export interface QueueChoice {
  readonly address: QueueAddress | undefined;
  readonly store: string | undefined;
}

/**
 * Returns the address and the store that --queue and --store name; undefined for an option that is not given.
 * @param directory directory of the run; '' for none
 * @throws UsageError if one is invalid, or if --store is given without --queue
 */
export const readQueueChoice = (
  { queue, store }: { readonly queue?: string | undefined; readonly store?: string | undefined },
  directory: string,
): QueueChoice => {
  if (store !== undefined && queue === undefined) throw new UsageError('--store: got it without --queue, wanted both');
  // Rejects an invalid store before anything is created.
  nameStore(store, directory);
  return { address: queue === undefined ? undefined : readAddress(queue), store };
};
