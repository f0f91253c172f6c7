// Defines stores, which hold results between the worker that played them and the coordinator that records them: a
// shared folder, an S3-compatible store, or Redis.
import type { Payload, PayloadHead } from './payload.js';
import { KEY_PREFIX, type RedisLink } from './redis-link.js';

/** Store of results of one run. If a task is put twice, both results have the same bytes. */
export interface Store {
  /** Folder for the files of tasks, of which put() then stores only the head; null if put() stores packed payloads. */
  readonly folder: string | null;
  /** Returns true if this machine can put results into the store. */
  isOpen(): Promise<boolean>;
  /** Returns true if the store is known to have the result of a task. */
  has(task: number): Promise<boolean>;
  /**
   * Puts a result into the store. Waits while the store is full.
   * @param packed packed payload; null if the result is a file in `folder`
   * @param signal ends the wait
   */
  put(head: PayloadHead, packed: Buffer | null, signal: AbortSignal): Promise<void>;
  /** Returns the numbers of the tasks whose results are in the store. */
  tasks(): Promise<number[]>;
  /**
   * Returns the result of a task, or null if there is none.
   * @param most largest size of the unpacked result, in bytes
   * @throws LepantoError if the result is damaged or larger
   */
  take(task: number, most: number): Promise<Payload | null>;
  /** Removes the result of a task after it is recorded, or if it is damaged. */
  remove(task: number): Promise<void>;
  /** Prepares the store for the run. Called by the coordinator. */
  open(): Promise<void>;
  /** Removes all results from the store. Called after the end of the run. */
  clear(): Promise<void>;
}

/**
 * A store of packed payloads that every machine can reach.
 *
 *   lepanto:payloads:RUN        size of each waiting payload in bytes, keyed by task
 */
export abstract class SentStore implements Store {
  readonly folder = null;
  protected readonly index = `${KEY_PREFIX}:payloads:${this.run}`;

  constructor(
    protected readonly link: RedisLink,
    protected readonly run: string,
  ) {}

  async isOpen(): Promise<boolean> {
    return true;
  }

  /** Returns true if the index in Redis has an entry for a task. Payloads without an entry are ignored. */
  async has(task: number): Promise<boolean> {
    return (await this.link.command('HEXISTS', this.index, String(task))) === 1;
  }

  async tasks(): Promise<number[]> {
    const names = await this.link.texts('HKEYS', this.index);
    const strange = names.filter((name) => !/^\d{1,9}$/.test(name) || String(Number(name)) !== name);
    if (strange.length > 0) await this.link.command('HDEL', this.index, ...strange);
    return names.filter((name) => !strange.includes(name)).map(Number);
  }

  async open(): Promise<void> {}

  async clear(): Promise<void> {
    for (const task of await this.tasks()) await this.remove(task);
  }

  abstract put(head: PayloadHead, packed: Buffer, signal: AbortSignal): Promise<void>;
  abstract take(task: number, most: number): Promise<Payload | null>;
  abstract remove(task: number): Promise<void>;
}
