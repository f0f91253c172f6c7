// Says how large the result of a task can be. A coordinator unpacks nothing larger, whoever has put it into a store.
import { loadMap } from '../../../engine/internal.js';
import { MAX_GAME_MESSAGES } from '../../../selfplay/games/mailboxes.js';
import { MOST_CANDIDATES } from '../../../selfplay/games/targets.js';
import { MAX_GAME } from '../../../selfplay/records/record.js';
import { shardRange } from '../../../selfplay/records/run-spec.js';
import type { Job, JobWork } from './job.js';

/** More phases than a year has on any map. */
const PHASES_A_YEAR = 8;
/** Years of a game whose end is not stated. */
const MOST_YEARS = 10_000;
/** More bytes than the keys of a game with its first and last position, its scores and its agents have. */
const GAME_BYTES = 1 << 15;
/** More bytes than the keys of a phase have. */
const PHASE_BYTES = 600;
/** Bytes of an order with its result. */
const ORDER_BYTES = 5;
/** Bytes of a candidate without its orders. */
const CANDIDATE_BYTES = 14;
/** More bytes than the statistics of a file have, as JSON. */
const STATS_BYTES = 1 << 26;

/** Returns the most bytes of a recorded game. @param targets true if it has what agents weighed */
const gameBytes = (name: string, until: number, targets: boolean, rounds: number): number => {
  const map = loadMap(name);
  const years = until === 0 ? MOST_YEARS : Math.max(1, until - map.startYear + 1);
  const orders = ORDER_BYTES * map.locationCount;
  const weighed = targets ? map.powerCount * (MOST_CANDIDATES * (CANDIDATE_BYTES + orders) + PHASE_BYTES) : 0;
  const phases = (PHASES_A_YEAR * years + 2) * (PHASE_BYTES + orders + weighed);
  // A message has fields besides what counts as its weight, but fewer bytes than that.
  return Math.min(MAX_GAME, GAME_BYTES + phases + (rounds > 0 ? 2 * MAX_GAME_MESSAGES : 0));
};

const bytesOf = (work: JobWork, task: number): number => {
  if (work.kind === 'stats') return STATS_BYTES;
  const { spec } = work;
  const { map, until, rounds = 0 } = spec;
  if (work.kind === 'selfplay') {
    const [first, end] = shardRange(work.spec, task);
    return Math.max(1, end - first) * gameBytes(map, until, work.spec.targets === true, rounds);
  }
  // JSON with the game in base64, which has four letters for three bytes.
  return work.block * (GAME_BYTES + (work.whole === true ? 1.5 * gameBytes(map, until, false, rounds) : 0));
};

/** Returns the most bytes of the result of a task, unpacked. */
export const mostResultBytes = ({ work }: Pick<Job, 'work'>, task: number): number => bytesOf(work, task);
