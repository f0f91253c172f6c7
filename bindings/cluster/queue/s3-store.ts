// Keeps results in an S3-compatible store: BUCKET/PREFIX/RUN/PART. Keys, region and endpoint come from where the client of
// AWS looks for them: AWS_ACCESS_KEY_ID, AWS_REGION, AWS_ENDPOINT_URL_S3, its own files.
//
//   lepanto:parcels:RUN    parts whose results wait: a hint, so that the store is listed rarely
import { LepantoError } from '../../../engine/rules/error.js';
import { UsageError } from '../../cli/shared/usage.js';
import { loadS3, type S3Library } from './libraries.js';
import { type Parcel, type ParcelHead, unpackParcel } from './parcel.js';
import { KEY_PREFIX, type RedisLink } from './redis-link.js';
import type { Store } from './store.js';

/** The store is listed so often; between, the hints must do. */
const LIST_MS = 5000;

/** Where in which bucket. @throws UsageError */
export const readPlaceInStore = (address: string): { readonly bucket: string; readonly prefix: string } => {
  const [, bucket = '', rest = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,62})(?:\/(.*))?$/.exec(address) ?? [];
  if (bucket === '') throw new UsageError(`--store: got "${address}", wanted s3://BUCKET/PREFIX`);
  return { bucket, prefix: rest.replace(/\/+$/, '') };
};

export class S3Store implements Store {
  readonly folder = null;
  private readonly link: RedisLink;
  private readonly library: S3Library;
  private readonly client: InstanceType<S3Library['S3Client']>;
  private readonly bucket: string;
  private readonly base: string;
  private readonly index: string;
  private listedAt = Number.NEGATIVE_INFINITY;

  constructor(link: RedisLink, run: string, address: string) {
    const { bucket, prefix } = readPlaceInStore(address);
    this.link = link;
    this.library = loadS3();
    this.bucket = bucket;
    this.base = `${prefix === '' ? '' : `${prefix}/`}${run}/`;
    this.index = `${KEY_PREFIX}:parcels:${run}`;
    const endpoint = process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL;
    this.client = new this.library.S3Client({
      region: process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION ?? 'us-east-1',
      // A parcel has its own check, and not every store knows those of AWS.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // Other stores than that of AWS seldom have a name for each bucket.
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    });
  }

  async isOpen(): Promise<boolean> {
    return true;
  }

  async has(part: number): Promise<boolean> {
    return (await this.link.command('HEXISTS', this.index, String(part))) === 1;
  }

  async put({ part }: ParcelHead, packed: Buffer): Promise<void> {
    await this.send(new this.library.PutObjectCommand({ ...this.place(part), Body: packed }), 'write', part);
    await this.link.command('HSET', this.index, String(part), packed.length);
  }

  async parts(): Promise<number[]> {
    const hinted = (await this.link.texts('HKEYS', this.index)).map(Number);
    const now = performance.now();
    if (now - this.listedAt < LIST_MS) return hinted;
    this.listedAt = now;
    return [...new Set([...hinted, ...(await this.list())])];
  }

  async take(part: number): Promise<Parcel | null> {
    try {
      const answer = await this.client.send(new this.library.GetObjectCommand(this.place(part)));
      const body = answer.Body as { transformToByteArray(): Promise<Uint8Array<ArrayBuffer>> };
      const bytes = await body.transformToByteArray();
      return unpackParcel(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    } catch (error) {
      if ((error as Error).name !== 'NoSuchKey') throw error;
      await this.link.command('HDEL', this.index, String(part));
      return null;
    }
  }

  async remove(part: number): Promise<void> {
    await this.send(new this.library.DeleteObjectCommand(this.place(part)), 'remove', part);
    await this.link.command('HDEL', this.index, String(part));
  }

  /** @throws LepantoError if the store cannot be listed */
  async open(): Promise<void> {
    await this.list();
  }

  async clear(): Promise<void> {
    for (const part of await this.list()) await this.remove(part);
    await this.link.command('DEL', this.index);
    this.client.destroy();
  }

  private place(part: number): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.bucket, Key: `${this.base}${part}` };
  }

  private async send(command: object, what: string, part: number): Promise<void> {
    try {
      await this.client.send(command);
    } catch (error) {
      throw new LepantoError(
        'queue',
        `cannot ${what} s3://${this.bucket}/${this.base}${part}: ${(error as Error).message}`,
        {
          cause: error,
        },
      );
    }
  }

  private async list(): Promise<number[]> {
    const parts: number[] = [];
    let token: unknown;
    do {
      const input = {
        Bucket: this.bucket,
        Prefix: this.base,
        ...(token !== undefined && { ContinuationToken: token }),
      };
      const answer = await this.client.send(new this.library.ListObjectsV2Command(input));
      for (const { Key = '' } of (answer.Contents ?? []) as { Key?: string }[]) {
        const part = Key.slice(this.base.length);
        if (/^\d+$/.test(part)) parts.push(Number(part));
      }
      token = answer.NextContinuationToken;
    } while (token !== undefined);
    return parts;
  }
}
