// Computes upper bounds for the sizes of results. A coordinator rejects larger results, because stores are untrusted.
import { loadMap } from '../../../engine/internal.js';
import { MAX_GAME_MESSAGES } from '../../../selfplay/games/mailboxes.js';
import { MOST_CANDIDATES } from '../../../selfplay/games/targets.js';
import { MAX_GAME } from '../../../selfplay/records/record.js';
import { shardRange } from '../../../selfplay/records/run-spec.js';
import type { Job, JobWork } from './job.js';

/** Upper bound of the number of phases in a year, on any map. */
const PHASES_A_YEAR = 8;
/** Number of years that is assumed for a game without a last year. */
const MOST_YEARS = 10_000;
/** Upper bound of a game's field names, first and last position, scores and agents, in bytes. */
const GAME_BYTES = 1 << 15;
/** Upper bound of the field names of a phase, in bytes. */
const PHASE_BYTES = 600;
/** Size of an order with its result, in bytes. */
const ORDER_BYTES = 5;
/** Size of a candidate (an order set that an agent compared) without its orders, in bytes. */
const CANDIDATE_BYTES = 14;
/** Upper bound of the statistics of a file as JSON, in bytes. */
const STATS_BYTES = 1 << 26;

/**
 * Returns an upper bound of the size of a recorded game, in bytes.
 * @param name name of the map
 * @param until last year of the game; 0 for none
 * @param targets true if it has the agents' targets
 * @param rounds number of rounds of messages in a phase
 */
const gameBytes = (name: string, until: number, targets: boolean, rounds: number): number => {
  const map = loadMap(name);
  const years = until === 0 ? MOST_YEARS : Math.max(1, until - map.startYear + 1);
  const orders = ORDER_BYTES * map.locationCount;
  const weighed = targets ? map.powerCount * (MOST_CANDIDATES * (CANDIDATE_BYTES + orders) + PHASE_BYTES) : 0;
  const phases = (PHASES_A_YEAR * years + 2) * (PHASE_BYTES + orders + weighed);
  // The factor 2 covers fields of messages that do not count as their weight; these are smaller than the weight.
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
  // JSON with the game in base64, which takes four letters for three bytes.
  return work.block * (GAME_BYTES + (work.whole === true ? 1.5 * gameBytes(map, until, false, rounds) : 0));
};

/** Returns an upper bound of the size of a task's unpacked result, in bytes. */
export const mostResultBytes = ({ work }: Pick<Job, 'work'>, task: number): number => bytesOf(work, task);
