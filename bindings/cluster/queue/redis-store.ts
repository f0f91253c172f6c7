// Stores results in Redis, for small runs and for machines that share no folder.
//
//   lepanto:payload:RUN:TASK    a payload, which expires after an hour
//
// Workers pause while MOST_BYTES wait for the coordinator. Without a live coordinator, results that do not fit are
// dropped, so that workers are free for other runs. The coordinator has those tasks played again when it returns.
import { setTimeout } from 'node:timers/promises';
import { refuse } from '../../../engine/rules/shape.js';
import { keyOfCoordinator, keyOfRun } from './job.js';
import { mostPacked, type Payload, type PayloadHead, unpackPayload } from './payload.js';
import { KEY_PREFIX } from './redis-link.js';
import { SentStore } from './store.js';

/**
 * Largest size in bytes of all results of a run that wait in Redis: about fifteen shards. A server without append-only
 * file can lose them.
 */
const MOST_BYTES = 1 << 23;
const LIFETIME_SECONDS = 3600;
const PAUSE_MS = 100;

/**
 * Answers of the script PUT. KEPT: the payload is stored. FULL: there is no room yet. -1: the run is over, or there is
 * no room and no live coordinator.
 */
const KEPT = 1;
const FULL = 0;

/**
 * Lua script that stores a payload and its index entry in one atomic step. Returns KEPT, FULL or -1. KEYS:
 * payload, index, run, coordinator. ARGV: task, payload, lifetime in seconds, largest size of all payloads in bytes.
 */
const PUT = `
if redis.call('EXISTS', KEYS[3]) == 0 then return -1 end
local sum = 0
for _, bytes in ipairs(redis.call('HVALS', KEYS[2])) do sum = sum + (tonumber(bytes) or 0) end
if sum > 0 and sum + #ARGV[2] > tonumber(ARGV[4]) then return redis.call('EXISTS', KEYS[4]) == 1 and ${FULL} or -1 end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
redis.call('HSET', KEYS[2], ARGV[1], #ARGV[2])
redis.call('EXPIRE', KEYS[2], ARGV[3])
return ${KEPT}`;

/** Script that removes a payload and its index entry. KEYS: payload, index. ARGV: task. */
const REMOVE = `redis.call('DEL', KEYS[1]) return redis.call('HDEL', KEYS[2], ARGV[1])`;

export class RedisStore extends SentStore {
  async put({ task }: PayloadHead, packed: Buffer, signal: AbortSignal): Promise<void> {
    const keys = [this.keyOf(task), this.index, keyOfRun(this.run), keyOfCoordinator(this.run)];
    const values = [String(task), packed, LIFETIME_SECONDS, MOST_BYTES];
    while ((await this.link.command('EVAL', PUT, keys.length, ...keys, ...values)) === FULL)
      await setTimeout(PAUSE_MS, undefined, { signal });
  }

  async take(task: number, most: number): Promise<Payload | null> {
    const size = Number(await this.link.command('STRLEN', this.keyOf(task)));
    if (size > mostPacked(most))
      refuse(`result of task ${task}: got ${size} bytes, wanted at most ${mostPacked(most)}`);
    const packed = await this.link.bytes('GET', this.keyOf(task));
    if (packed !== null) return unpackPayload(packed, most);
    await this.remove(task);
    return null;
  }

  async remove(task: number): Promise<void> {
    await this.link.command('EVAL', REMOVE, 2, this.keyOf(task), this.index, String(task));
  }

  private keyOf(task: number): string {
    return `${KEY_PREFIX}:payload:${this.run}:${task}`;
  }
}
