// Plays a self-play run over a queue. The records are the same as those of a local run.

import { CHOICE_MS } from '../../../selfplay/crew/watchdog.js';
import { GameTable } from '../../../selfplay/records/game-table.js';
import { makeCounters, type RunOptions, type RunResult, runSelfplay } from '../../../selfplay/records/run.js';
import { shardCount } from '../../../selfplay/records/run-spec.js';
import { GAMES_PLAYED, STEPS_PLAYED } from '../../../selfplay/records/shard.js';
import { sized } from '../../../selfplay/records/shard-size.js';
import { makeDirectories } from '../../../selfplay/records/whole-file.js';
import type { QueueAddress } from './address.js';
import { type CoordinatorEvent, coordinate, type FailedTask } from './coordinator.js';
import { makeJob } from './job.js';
import { nameStore } from './open-store.js';
import type { Payload, PayloadHead } from './payload.js';

/** Options of a self-play run over a queue. */
export interface QueueRunOptions extends Omit<RunOptions, 'elsewhere' | 'pool'> {
  /** Address of the queue, from readAddress(). */
  readonly address: QueueAddress;
  /** Store of the results, as in --store. Default: the run's directory for workers that see it, Redis for others. */
  readonly store?: string | undefined;
  /** Called with each event of the coordinator. */
  readonly onEvent?: (event: CoordinatorEvent) => void;
}

/** Result of a self-play run over a queue. */
export interface QueueRunResult extends RunResult {
  /** Shards that failed in all their tries. The same run without a queue plays them. */
  readonly failed: readonly FailedTask[];
}

const agentsOf = (agents: readonly string[]): string => [...new Set(agents)].join(', ');

/** Returns the game table in the head of a result, or null if it is missing or damaged. */
const tableIn = ({ table }: PayloadHead): GameTable | null => {
  try {
    return table === undefined ? null : new GameTable(new Uint8Array(Buffer.from(table, 'base64')));
  } catch {
    return null;
  }
};

/**
 * Plays a run on the machines that serve a queue. Its files are the same as those of runSelfplay(), byte for byte.
 * @throws LepantoError as runSelfplay() does, or if the server rejects the connection
 */
export const playRunByQueue = async (options: QueueRunOptions): Promise<QueueRunResult> => {
  const spec = sized(options.spec);
  const { directory, address, counters = makeCounters(), choiceMs = CHOICE_MS } = options;
  const { index, count } = options.share ?? { index: 0, count: 1 };
  let failed: readonly FailedTask[] = [];
  // The directory must exist, because the job's id has its real path.
  makeDirectories(directory);
  const task = count > 1 ? `, task ${index + 1} of ${count}` : '';
  const job = makeJob({
    // The number of games in a shard is explicit, so that a run resumed with that number in its manifest is the same
    // job.
    work: { kind: 'selfplay', spec },
    about: `selfplay, ${spec.games.toLocaleString('en-US')} games of ${agentsOf(spec.agents)} on ${spec.map}${task}`,
    tasks: shardCount(spec),
    store: nameStore(options.store, directory),
    choiceMs,
    place: directory,
  });
  const result = await runSelfplay({
    ...options,
    counters,
    elsewhere: async (missing, recorder, signal) => {
      const record = async ({ head, bytes, path }: Payload): Promise<void> => {
        const { task, crc, games } = head;
        const table = tableIn(head);
        const { phaseSteps } = await recorder.record(task, { table, bytes, crc, ...(path !== undefined && { path }) });
        Atomics.add(counters, GAMES_PLAYED, BigInt(games));
        Atomics.add(counters, STEPS_PLAYED, BigInt(phaseSteps));
      };
      // The coordinator runs even if no task is missing, because a killed earlier start may have left keys and results
      // behind.
      const undertaking = { job, missing, record, isRecorded: recorder.isRecorded };
      failed = await coordinate(undertaking, { address, signal, onEvent: options.onEvent });
    },
  });
  return { ...result, failed };
};
