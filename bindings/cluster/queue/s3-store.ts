// Stores results in an S3-compatible store, as BUCKET/PREFIX/RUN/TASK. Keys, region and endpoint are configured as for
// the AWS client: AWS_ACCESS_KEY_ID, AWS_REGION, AWS_ENDPOINT_URL_S3, or its configuration files.
//
//   lepanto:payloads:RUN    tasks whose results wait: a hint in Redis, so that the store is listed rarely

import type { S3Client } from '@aws-sdk/client-s3';
import { LepantoError } from '../../../engine/rules/error.js';
import { refuse } from '../../../engine/rules/shape.js';
import { UsageError } from '../../terminal/usage.js';
import { loadS3 } from './libraries.js';
import { mostPacked, type Payload, type PayloadHead, unpackPayload } from './payload.js';
import type { RedisLink } from './redis-link.js';
import { SentStore } from './store.js';

/** Milliseconds between two listings of the store. Between them only the hints in Redis are read. */
const LIST_MS = 5000;

/** Parses s3://BUCKET/PREFIX. prefix: '' if none is given. @throws UsageError if the address is invalid */
export const readPlaceInStore = (address: string): { readonly bucket: string; readonly prefix: string } => {
  const [, bucket = '', rest = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,62})(?:\/(.*))?$/.exec(address) ?? [];
  if (bucket === '') throw new UsageError(`--store: got "${address}", wanted s3://BUCKET/PREFIX`);
  return { bucket, prefix: rest.replace(/\/+$/, '') };
};

export class S3Store extends SentStore {
  private readonly library = loadS3();
  private readonly client: S3Client;
  private readonly bucket: string;
  private readonly base: string;
  private listedAt = Number.NEGATIVE_INFINITY;

  constructor(link: RedisLink, run: string, address: string) {
    super(link, run);
    const { bucket, prefix } = readPlaceInStore(address);
    this.bucket = bucket;
    this.base = `${prefix === '' ? '' : `${prefix}/`}${run}/`;
    const endpoint = process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL;
    this.client = new this.library.S3Client({
      region: process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION ?? 'us-east-1',
      // Payloads have a CRC, and not every store supports the checksums of AWS.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // Stores other than AWS seldom have a host name for each bucket.
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    });
  }

  async put({ task }: PayloadHead, packed: Buffer): Promise<void> {
    const command = new this.library.PutObjectCommand({ ...this.place(task), Body: packed });
    await this.named('write', task, this.client.send(command));
    await this.link.command('HSET', this.index, String(task), packed.length);
  }

  override async tasks(): Promise<number[]> {
    const hinted = await super.tasks();
    const now = performance.now();
    if (now - this.listedAt < LIST_MS) return hinted;
    this.listedAt = now;
    return [...new Set([...hinted, ...(await this.list())])];
  }

  async take(task: number, most: number): Promise<Payload | null> {
    try {
      const answer = await this.client.send(new this.library.GetObjectCommand(this.place(task)));
      const parts: Uint8Array[] = [];
      let size = 0;
      for await (const part of (answer.Body ?? []) as AsyncIterable<Uint8Array>) {
        parts.push(part);
        size += part.length;
        if (size > mostPacked(most))
          refuse(`result of task ${task}: got ${size} bytes, wanted at most ${mostPacked(most)}`);
      }
      return unpackPayload(Buffer.concat(parts), most);
    } catch (error) {
      if ((error as Error).name !== 'NoSuchKey') throw error;
      await this.link.command('HDEL', this.index, String(task));
      return null;
    }
  }

  async remove(task: number): Promise<void> {
    await this.named('remove', task, this.client.send(new this.library.DeleteObjectCommand(this.place(task))));
    await this.link.command('HDEL', this.index, String(task));
  }

  /** Checks that the store can be used. @throws LepantoError if it cannot be listed */
  override async open(): Promise<void> {
    await this.list();
  }

  override async clear(): Promise<void> {
    for (const task of await this.list()) await this.remove(task);
    await this.link.command('DEL', this.index);
    this.client.destroy();
  }

  private place(task: number): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.bucket, Key: `${this.base}${task}` };
  }

  /** Awaits a request. @param what its verb, for the error @throws LepantoError that names the object if it fails */
  private async named(what: string, task: number, done: Promise<unknown>): Promise<void> {
    try {
      await done;
    } catch (cause) {
      const object = `s3://${this.bucket}/${this.base}${task}`;
      throw new LepantoError('queue', `cannot ${what} ${object}: ${(cause as Error).message}`, { cause });
    }
  }

  private async list(): Promise<number[]> {
    const { client, bucket, base } = this;
    const pages = this.library.paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: base });
    const tasks: number[] = [];
    for await (const { Contents = [] } of pages)
      for (const { Key = '' } of Contents) {
        const task = Key.slice(this.base.length);
        if (/^\d+$/.test(task)) tasks.push(Number(task));
      }
    return tasks;
  }
}
