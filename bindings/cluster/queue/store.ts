// Keeps results from the worker that played them to the coordinator that records them: a folder that both see, an
// S3-compatible store, or Redis itself.
import type { Payload, PayloadHead } from './payload.js';
import { KEY_PREFIX, type RedisLink } from './redis-link.js';

/** Where results wait. A task that is put twice has the same bytes both times. */
export interface Store {
  /** Where threads write the file of a task, before its head alone is put; null where packed payloads are put. */
  readonly folder: string | null;
  /** True if this machine can put results there. */
  isOpen(): Promise<boolean>;
  /** True if the result of a task is known to wait there. */
  has(task: number): Promise<boolean>;
  /** Puts a result; waits where too much is waiting already. @param packed null if the file is in the folder */
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
  /** Prepares it for a run, and removes what no run needs after it. */
  open(): Promise<void>;
  clear(): Promise<void>;
}

/**
 * A store of packed payloads, which every machine reaches.
 *
 *   lepanto:payloads:RUN        by task: bytes of its payload
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

  /** A payload without its entry is found by nobody. */
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
