// Opens a store of results by its name, which nameStore() makes of the value of --store:
//
//   auto:DIR           a folder in the run's directory for workers that see it, Redis for the others (default)
//   folder:DIR         a folder that all machines see under this path
//   s3://BUCKET/PREFIX
//   redis
import { resolve } from 'node:path';
import { join } from 'node:path/posix';
import { UsageError } from '../../terminal/usage.js';
import { FolderStore } from './folder-store.js';
import type { Payload, PayloadHead } from './payload.js';
import type { RedisLink } from './redis-link.js';
import { RedisStore } from './redis-store.js';
import { readPlaceInStore, S3Store } from './s3-store.js';
import type { Store } from './store.js';

/** Name of the store's folder in the directory of a run. */
const INCOMING = 'incoming';

/**
 * Returns the name of the store that a user chose, for openStore(): 'auto:DIR', 'folder:DIR', 's3://…' or 'redis'.
 * @param given value of --store; undefined for the default
 * @param directory directory of the run; '' for none
 * @throws UsageError for an invalid value
 */
export const nameStore = (given: string | undefined, directory: string): string => {
  if (given === undefined) return directory === '' ? 'redis' : `auto:${resolve(directory, INCOMING)}`;
  if (given.startsWith('s3:')) readPlaceInStore(given);
  if (given === 'redis' || given.startsWith('s3:')) return given;
  if (given === '' || /^[a-z0-9]+:\/\//i.test(given))
    throw new UsageError(`--store: got "${given}", wanted a directory, s3://BUCKET/PREFIX or redis`);
  return `folder:${resolve(given)}`;
};

/** Store that uses a folder for machines that see it, and Redis for others. */
class PairedStore implements Store {
  folder: string | null = null;
  private inRedis: ReadonlySet<number> = new Set();

  constructor(
    private readonly shared: FolderStore,
    private readonly sent: RedisStore,
  ) {}

  async isOpen(): Promise<boolean> {
    this.folder = (await this.shared.isOpen()) ? this.shared.folder : null;
    return true;
  }

  async has(task: number): Promise<boolean> {
    return (await this.shared.has(task)) || this.sent.has(task);
  }

  put(head: PayloadHead, packed: Buffer | null, signal: AbortSignal): Promise<void> {
    return packed === null ? this.shared.put(head) : this.sent.put(head, packed, signal);
  }

  async tasks(): Promise<number[]> {
    const shared = await this.shared.tasks();
    this.inRedis = new Set(await this.sent.tasks());
    return [...new Set([...shared, ...this.inRedis])];
  }

  async take(task: number, most: number): Promise<Payload | null> {
    return (await this.shared.take(task, most)) ?? this.sent.take(task, most);
  }

  async remove(task: number): Promise<void> {
    await this.shared.remove(task);
    if (this.inRedis.has(task)) await this.sent.remove(task);
  }

  async open(): Promise<void> {
    await this.shared.open();
  }

  async clear(): Promise<void> {
    await this.shared.clear();
    await this.sent.clear();
  }
}

/** Returns the store of a run's results. @param name result of nameStore() @param run id of the run */
export const openStore = (name: string, run: string, link: RedisLink): Store => {
  const [, kind = '', path = ''] = /^(auto|folder):(.*)$/s.exec(name) ?? [];
  if (kind === 'auto') return new PairedStore(new FolderStore(path, run), new RedisStore(link, run));
  if (kind === 'folder') return new FolderStore(join(path, run), run);
  return name === 'redis' ? new RedisStore(link, run) : new S3Store(link, run, name);
};
