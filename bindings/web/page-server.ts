// A server of pages for the browser of this machine, each under /TOKEN.
//
// It listens on the loopback interface alone, answers to its own names alone (a name that a stranger's domain server
// points here is refused), and wants a random token in every address.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LepantoError } from '../../engine/rules/error.js';
import type { Shape } from '../../engine/rules/shape.js';
import type { ShownPage } from './document.js';

const MAX_BODY = 1 << 20;

/** Bytes that may wait for a reader that does not read: it is told no more until they are gone. */
export const MOST_WAITING: number = 1 << 16;

export const SAFE_HEADERS = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

/** Why a request is not answered, with the status of HTTP that says so. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Does what was asked for. @throws Refusal that says what is wrong with what was given */
export const asGiven = async <T>(act: () => T | Promise<T>): Promise<T> => {
  try {
    return await act();
  } catch (error) {
    throw new Refusal(400, (error as Error).message);
  }
};

/** What is sent, and what a page of it may do. */
export interface Sent {
  readonly body: string | Buffer;
  readonly type: string;
  readonly policy?: string;
}

export const page = ({ html, policy }: ShownPage): Sent => ({
  body: html,
  type: 'text/html; charset=utf-8',
  policy: `${policy}; frame-ancestors 'none'`,
});

export const json = (value: unknown): Sent => ({ body: JSON.stringify(value), type: 'application/json' });

// ---- routes ----

/** Reads a parameter of a query: null if it is not given. @throws LepantoError that names it */
type Parameter<T> = (text: string | null, name: string) => T;

/** Text, which may be empty; undefined if it is not given. */
export const text: Parameter<string | undefined> = (given) => given ?? undefined;

/** Text; undefined if it is empty or not given. */
export const word: Parameter<string | undefined> = (given) => given || undefined;

/** A whole number; undefined if it is empty or not given. */
export const whole: Parameter<number | undefined> = (text, name) => {
  if (text === null || text === '') return undefined;
  if (!/^\d{1,9}$/.test(text))
    throw new LepantoError('argument', `${name}: got "${text.slice(0, 20)}", wanted a whole number`);
  return Number(text);
};

/** One of some words; undefined if it is empty or not given. */
export const oneOfWords =
  <W extends string>(words: readonly W[]): Parameter<W | undefined> =>
  (text, name) => {
    const found = words.find((one) => one === text);
    if (text && found === undefined)
      throw new LepantoError('argument', `${name}: got "${text.slice(0, 20)}", wanted one of ${words.join(', ')}`);
    return found;
  };

/** The parameters of a query, by name. */
type Schema = Readonly<Record<string, Parameter<unknown>>>;

/** What a query says. */
export type QueryOf<S extends Schema> = { readonly [K in keyof S]: ReturnType<S[K]> };

/** A request that fits its route. */
export interface Asked<Q, B> {
  readonly query: Q;
  /** The part of the address behind the question mark. */
  readonly search: string;
  readonly body: B;
  readonly response: ServerResponse;
}

/** An address of the server. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** True if its errors are shown as a page. */
  readonly isPage: boolean;
  readonly answer: (query: URLSearchParams, request: IncomingMessage, response: ServerResponse) => Promise<Sent | null>;
}

const parsed = <S extends Schema>(schema: S, query: URLSearchParams): Promise<QueryOf<S>> =>
  asGiven(() => {
    const read = Object.entries(schema).map(([name, parameter]) => [name, parameter(query.get(name), name)]);
    return Object.fromEntries(read) as QueryOf<S>;
  });

const readBody = async (request: IncomingMessage, most: number): Promise<unknown> => {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > most) throw new Refusal(413, `got more than ${most} bytes`);
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    throw new Refusal(400, 'got no JSON');
  }
};

/** What answers a request: null if it writes the answer itself, or nobody waits for one. */
type Answer<Q, B> = (asked: Asked<Q, B>) => Sent | null | Promise<Sent | null>;

/** An address that is read. */
export const get = <S extends Schema>(query: S, answer: Answer<QueryOf<S>, null>, isPage = false): Route => ({
  method: 'GET',
  isPage,
  answer: async (given, _, response) =>
    answer({ query: await parsed(query, given), search: given.toString(), body: null, response }),
});

/** A page that is read. */
export const getPage = <S extends Schema>(
  query: S,
  answer: (asked: Asked<QueryOf<S>, null>) => ShownPage | Promise<ShownPage>,
): Route => get(query, async (asked) => page(await answer(asked)), true);

/** An address that JSON is sent to. @param most bytes of it */
export const post = <S extends Schema, B>(
  query: S,
  body: Shape<B>,
  answer: Answer<QueryOf<S>, B>,
  most = MAX_BODY,
): Route => ({
  method: 'POST',
  isPage: false,
  answer: async (given, request, response) => {
    const read = await readBody(request, most);
    const fitting = await asGiven(() => body(read, 'request'));
    return answer({ query: await parsed(query, given), search: given.toString(), body: fitting, response });
  },
});

// ---- the server ----

const isSame = (got: string, wanted: string): boolean => {
  const [a, b] = [Buffer.from(got), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
};

export class PageServer {
  readonly token = randomBytes(16).toString('hex');
  private port = 0;
  private readonly server = createServer((request, response) => void this.respond(request, response));

  /** @param errorPage makes the page of an error, with a way back @param onClose called when it stops listening */
  constructor(
    private readonly routes: Readonly<Record<string, Route>>,
    private readonly errorPage: (message: string) => ShownPage,
    private readonly onClose: () => void,
  ) {}

  /** Begins to listen. @param port 0 for any that is free @returns the address for the browser */
  async listen(port: number): Promise<string> {
    this.server.listen({ port, host: '127.0.0.1' });
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.port}/${this.token}/`;
  }

  close(): Promise<void> {
    this.onClose();
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let isPage = false;
    try {
      const { path, query } = this.check(request);
      const route = Object.hasOwn(this.routes, path) ? this.routes[path] : undefined;
      isPage = request.method === 'GET' && (route?.isPage ?? !path.startsWith('/api/'));
      if (request.method !== (route?.method ?? 'GET'))
        throw new Refusal(405, `got ${request.method}, wanted another method`);
      if (route === undefined) throw new Refusal(404, 'got an unknown address');
      const sent = await route.answer(query, request, response);
      if (sent !== null) this.send(response, sent);
    } catch (error) {
      this.refuse(response, error, isPage);
    }
  }

  private refuse(response: ServerResponse, error: unknown, isPage: boolean): void {
    if (response.destroyed || response.writableEnded) return;
    const status = error instanceof Refusal ? error.status : 500;
    const message = error instanceof Error ? error.message : String(error);
    const plain = { body: `${message}\n`, type: 'text/plain; charset=utf-8', policy: "default-src 'none'" };
    if (response.headersSent) response.end(JSON.stringify({ error: message }));
    else this.send(response, isPage ? page(this.errorPage(message)) : plain, status);
  }

  private send(response: ServerResponse, { body, type, policy }: Sent, status = 200): void {
    const headers = { 'Content-Type': type, ...(policy !== undefined && { 'Content-Security-Policy': policy }) };
    response.writeHead(status, { ...SAFE_HEADERS, ...headers }).end(body);
  }

  /** The part of an address behind the token. @throws Refusal for any other host, origin or token */
  private check({ headers: { host = '', origin }, url = '' }: IncomingMessage): {
    path: string;
    query: URLSearchParams;
  } {
    const [name, port, ...more] = host.split(':');
    if (more.length > 0 || (name !== '127.0.0.1' && name !== 'localhost'))
      throw new Refusal(403, 'got another host, wanted 127.0.0.1 or localhost');
    if (port !== String(this.port))
      throw new Refusal(
        403,
        `got port ${(port ?? '80').slice(0, 8)}, wanted ${this.port}, as lepanto view has printed it: forward the same one, ssh -L ${this.port}:127.0.0.1:${this.port}, or name yours, lepanto view --port`,
      );
    if (origin !== undefined && origin !== `http://${host}`) throw new Refusal(403, 'got a request of another page');
    const [path, query] = url.split('?', 2);
    const [, token = '', ...rest] = path.split('/');
    if (!isSame(token, this.token))
      throw new Refusal(403, 'got no valid token: open the address that lepanto view has printed');
    return { path: `/${rest.join('/')}`, query: new URLSearchParams(query) };
  }
}
