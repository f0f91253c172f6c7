// Holds a connection to Redis or Valkey. Retries until it is connected, and reports each outage once.

import { setTimeout } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { LepantoError } from '../../../engine/rules/error.js';
import type { QueueAddress } from './address.js';
import { loadRedis } from './libraries.js';

/** Prefix of all keys in Redis, including those of BullMQ. */
export const KEY_PREFIX = 'lepanto';

/** Milliseconds after which a command without an answer fails. A broken connection may not report an error. */
const ANSWER_MS = 10_000;
/**
 * Milliseconds without an answer after which the connection is replaced. Longer than BullMQ's wait for a job
 * (drainDelay).
 */
const SOCKET_MS = 12_000;
const RETRY_MS = 1000;

/** Patterns of error messages that a retry cannot fix, each with advice for the user. */
const fatal: readonly (readonly [RegExp, string])[] = [
  [/WRONGPASS|NOAUTH|invalid password|without any password|invalid username/i, 'set LEPANTO_QUEUE_PASSWORD'],
  [/NOPERM/, 'give its user the commands of BullMQ'],
  [/self[- ]signed|unable to (verify|get)|certif|altnames/i, 'name the file of its authority in NODE_EXTRA_CA_CERTS'],
  [/wrong version number|packet length too long|SSL routines/i, 'use redis:// for a server without TLS'],
];

/** Facts about a server, from its INFO. */
export interface ServerFacts {
  readonly version: string;
  /** Setting maxmemory-policy of the server: its action when its memory is full. */
  readonly policy: string;
  readonly usedBytes: number;
  /** Memory limit of the server, in bytes; 0 for none. */
  readonly maxBytes: number;
}

type Argument = string | number | Buffer;

const inTime = async <T>(promise: Promise<T>, what: string): Promise<T> => {
  const answered = new AbortController();
  const late = setTimeout(ANSWER_MS, undefined, { signal: answered.signal, ref: false }).then(() => {
    throw new LepantoError('queue', `${what}: got no answer in ${ANSWER_MS / 1000} s`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    late.catch(() => {});
    answered.abort();
  }
};

export class RedisLink {
  readonly client: Redis;
  private readonly copies: Redis[] = [];
  private readonly refused: Promise<never>;
  /** True while the server does not answer. */
  isAway = false;

  /**
   * Begins to connect; open() waits for the server.
   * @param say called once when the server becomes unreachable, and once when it answers again
   */
  constructor(
    readonly address: QueueAddress,
    say: (sentence: string) => void,
  ) {
    const { host, port, db, user, password, isSecure, shown } = address;
    const { Redis: Client } = loadRedis();
    this.client = new Client({
      ...{ host, port, db, keepAlive: 5000, connectTimeout: 5000, connectionName: 'lepanto' },
      ...(user !== undefined && { username: user }),
      ...(password !== undefined && { password }),
      ...(isSecure && { tls: {} }),
      // BullMQ requires this: commands wait until the server is back.
      maxRetriesPerRequest: null,
      socketTimeout: SOCKET_MS,
      retryStrategy: (tries: number) => Math.min(RETRY_MS, 50 * tries),
    });
    // BullMQ waits for jobs over a copy of the connection, which it closes only if the server answers.
    const duplicate = this.client.duplicate.bind(this.client);
    this.client.duplicate = (...given) => {
      const copy = duplicate(...given);
      this.copies.push(copy);
      return copy;
    };
    this.refused = new Promise((_, reject) => {
      this.client.on('error', (error) => {
        const advice = fatal.find(([pattern]) => pattern.test(error.message))?.[1];
        if (advice !== undefined) reject(new LepantoError('queue', `${shown} refuses: ${error.message}; ${advice}`));
        if (this.isAway) return;
        this.isAway = true;
        say(`${shown} does not answer (${error.message || 'connection refused'}); trying again`);
      });
    });
    this.refused.catch(() => {});
    this.client.on('ready', () => {
      if (this.isAway) say(`${shown} answers again`);
      this.isAway = false;
    });
  }

  /**
   * Waits until the server answers, and returns facts about it.
   * @param signal ends the wait; default: no limit
   * @throws LepantoError if the server rejects the connection, is configured to evict keys, or has not answered by the
   *   signal
   */
  async open(signal?: AbortSignal): Promise<ServerFacts> {
    const over = new AbortController();
    const ready = new Promise<void>((resolve) => {
      if (this.client.status === 'ready') resolve();
      this.client.on('ready', () => resolve());
      if (signal?.aborted) resolve();
      signal?.addEventListener('abort', () => resolve(), { once: true, signal: over.signal });
    });
    await Promise.race([ready, this.refused]).finally(() => over.abort());
    if (this.client.status !== 'ready') throw new LepantoError('queue', `${this.address.shown}: got no answer`);
    const facts = await this.readFacts();
    const got = `${this.address.shown}: got maxmemory-policy ${facts.policy}`;
    if (facts.policy !== '' && facts.policy !== 'noeviction')
      throw new LepantoError('queue', `${got}, wanted noeviction, without which a full server drops jobs`);
    return facts;
  }

  private async readFacts(): Promise<ServerFacts> {
    const text = String(await this.command('INFO'));
    const field = (name: string): string => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(text)?.[1] ?? '';
    return {
      version: field('valkey_version') || field('redis_version'),
      policy: field('maxmemory_policy'),
      usedBytes: Number(field('used_memory')),
      maxBytes: Number(field('maxmemory')),
    };
  }

  /**
   * Sends a command to the server and returns its answer.
   * @param name name of the Redis command: 'GET'
   * @param rest arguments of the command
   * @throws LepantoError if there is no answer within ANSWER_MS
   */
  command(name: string, ...rest: readonly Argument[]): Promise<unknown> {
    return inTime(this.client.call(name, ...rest), `${this.address.shown}, ${name}`);
  }

  /**
   * Sends a command and returns its answer as bytes; null if the answer is no text.
   * @throws LepantoError if there is no answer within ANSWER_MS
   */
  async bytes(name: string, ...rest: readonly Argument[]): Promise<Buffer | null> {
    const answer = await inTime(this.client.callBuffer(name, ...rest), `${this.address.shown}, ${name}`);
    return Buffer.isBuffer(answer) ? answer : null;
  }

  async texts(name: string, ...rest: readonly Argument[]): Promise<string[]> {
    const answer = await this.command(name, ...rest);
    return Array.isArray(answer) ? answer.map(String) : [];
  }

  inTime<T>(promise: Promise<T>): Promise<T> {
    return inTime(promise, this.address.shown);
  }

  close(): void {
    for (const client of [this.client, ...this.copies]) client.disconnect();
  }
}
