// Loads the packages that only runs over a queue need, and says how to install them. Their types are written here as far
// as they are used, so that Lepanto compiles where they are not installed.
import { createRequire } from 'node:module';
import { LepantoError } from '../../../engine/rules/error.js';

const require = createRequire(import.meta.url);

/** A connection of ioredis. */
export interface RedisClient {
  readonly status: string;
  call(command: string, ...args: readonly (string | number | Buffer)[]): Promise<unknown>;
  callBuffer(command: string, ...args: readonly (string | number | Buffer)[]): Promise<unknown>;
  on(event: string, listener: (error: Error) => void): unknown;
  disconnect(reconnect?: boolean): void;
}

/** States of a job. */
export type JobState = 'waiting' | 'active' | 'delayed' | 'completed' | 'failed' | 'prioritized' | 'paused' | 'unknown';

/** A job of BullMQ. */
export interface QueueJob {
  readonly id?: string;
  readonly data: unknown;
  readonly failedReason?: string;
  readonly attemptsMade: number;
  moveToDelayed(timestamp: number, token?: string): Promise<void>;
  retry(): Promise<void>;
}

interface Closable {
  on(event: string, listener: (...args: never[]) => void): unknown;
  close(force?: boolean): Promise<void>;
}

/** A queue of BullMQ. */
export interface JobQueue extends Closable {
  addBulk(jobs: readonly object[]): Promise<unknown>;
  getJobState(id: string): Promise<string>;
  getJob(id: string): Promise<QueueJob | undefined>;
  getJobs(states: readonly string[], first: number, last: number): Promise<(QueueJob | undefined)[]>;
  getJobCounts(...states: readonly string[]): Promise<Record<string, number>>;
  remove(id: string): Promise<number>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  isPaused(): Promise<boolean>;
}

/** A worker of BullMQ. */
export interface JobWorker extends Closable {
  pause(doNotWait?: boolean): Promise<void>;
  resume(): void;
}

/** What is used of BullMQ. */
export interface BullLibrary {
  readonly Queue: new (name: string, options: object) => JobQueue;
  readonly Worker: new (
    name: string,
    process: (job: QueueJob, token?: string) => Promise<unknown>,
    options: object,
  ) => JobWorker;
  readonly DelayedError: new () => Error;
}

type RedisLibrary = { readonly Redis: new (options: object) => RedisClient };

/** One command of the S3 client. */
type S3Command = new (input: object) => object;

/** What is used of the S3 client. */
export interface S3Library {
  readonly S3Client: new (
    options: object,
  ) => { send(command: object): Promise<Record<string, unknown>>; destroy(): void };
  readonly PutObjectCommand: S3Command;
  readonly GetObjectCommand: S3Command;
  readonly DeleteObjectCommand: S3Command;
  readonly ListObjectsV2Command: S3Command;
}

/** @throws LepantoError that says how to install what is missing */
const load = <T>(name: string, flag: string, install: string): T => {
  try {
    return require(name) as T;
  } catch (cause) {
    throw new LepantoError('package', `${flag}: got no package ${name}, wanted it installed: npm install ${install}`, {
      cause,
    });
  }
};

const QUEUE_PACKAGES = 'bullmq ioredis';

export const loadBull = (): BullLibrary => load('bullmq', 'queue', QUEUE_PACKAGES);
export const loadRedis = (): RedisLibrary => load('ioredis', 'queue', QUEUE_PACKAGES);
export const loadS3 = (): S3Library => load('@aws-sdk/client-s3', '--store s3', '@aws-sdk/client-s3');
