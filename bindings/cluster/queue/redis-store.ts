// Keeps results in Redis, for runs that are small or whose machines share nothing else.
//
//   lepanto:parcel:RUN:PART    a parcel, for an hour
//   lepanto:parcels:RUN        by part: bytes of its parcel
//
// Workers pause while MOST_BYTES wait: then the coordinator is away, or slower than they are.
import { setTimeout } from 'node:timers/promises';
import { keyOfRun } from './errand.js';
import { type Parcel, type ParcelHead, unpackParcel } from './parcel.js';
import { KEY_PREFIX, type RedisLink } from './redis-link.js';
import type { Store } from './store.js';

/**
 * What may wait, of one run: some fifteen shards, or a single one of any size. The coordinator takes what waits several times
 * a second, and a server without an append-only file loses it when it dies.
 */
export const MOST_BYTES = 1 << 23;
const LIFETIME_SECONDS = 3600;
const PAUSE_MS = 100;

/** What a script answers: the parcel waits, there is no room for it, or its run is over. */
const KEPT = 1;
const FULL = 0;

/** KEYS: parcel, index, run. ARGV: part, parcel, seconds, most bytes. One step, so that no parcel is without its entry. */
const PUT = `
if redis.call('EXISTS', KEYS[3]) == 0 then return -1 end
local sum = 0
for _, bytes in ipairs(redis.call('HVALS', KEYS[2])) do sum = sum + tonumber(bytes) end
if sum > 0 and sum + #ARGV[2] > tonumber(ARGV[4]) then return ${FULL} end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
redis.call('HSET', KEYS[2], ARGV[1], #ARGV[2])
redis.call('EXPIRE', KEYS[2], ARGV[3])
return ${KEPT}`;

/** KEYS: parcel, index. ARGV: part. */
const REMOVE = `redis.call('DEL', KEYS[1]) return redis.call('HDEL', KEYS[2], ARGV[1])`;

export class RedisStore implements Store {
  readonly folder = null;
  private readonly link: RedisLink;
  private readonly run: string;
  private readonly index: string;
  private readonly mostBytes: number;

  constructor(link: RedisLink, run: string, mostBytes = MOST_BYTES) {
    this.link = link;
    this.run = run;
    this.index = `${KEY_PREFIX}:parcels:${run}`;
    this.mostBytes = mostBytes;
  }

  async isOpen(): Promise<boolean> {
    return true;
  }

  async has(part: number): Promise<boolean> {
    return (await this.link.command('EXISTS', this.keyOf(part))) === 1;
  }

  async put({ part }: ParcelHead, packed: Buffer, signal: AbortSignal): Promise<void> {
    const keys = [this.keyOf(part), this.index, keyOfRun(this.run)];
    const values = [String(part), packed, LIFETIME_SECONDS, this.mostBytes];
    while ((await this.link.command('EVAL', PUT, keys.length, ...keys, ...values)) === FULL)
      await setTimeout(PAUSE_MS, undefined, { signal });
  }

  async parts(): Promise<number[]> {
    return (await this.link.texts('HKEYS', this.index)).map(Number);
  }

  async take(part: number): Promise<Parcel | null> {
    const packed = await this.link.bytes('GET', this.keyOf(part));
    if (packed !== null) return unpackParcel(packed);
    await this.remove(part);
    return null;
  }

  async remove(part: number): Promise<void> {
    await this.link.command('EVAL', REMOVE, 2, this.keyOf(part), this.index, String(part));
  }

  async open(): Promise<void> {}

  async clear(): Promise<void> {
    for (const part of await this.parts()) await this.remove(part);
  }

  private keyOf(part: number): string {
    return `${KEY_PREFIX}:parcel:${this.run}:${part}`;
  }
}
