// Serves pages to the browser of this machine, each under /TOKEN.
//
// The server listens only on the loopback interface and requires a random token in every address. It rejects requests
// for host names other than localhost, which prevents DNS rebinding.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LepantoError } from '../../engine/rules/error.js';
import type { Shape } from '../../engine/rules/shape.js';
import type { ShownPage } from './document.js';

const MAX_BODY = 1 << 20;

/** Number of unsent bytes of a response above which progress is not written to it, because its reader is slow. */
export const MOST_WAITING: number = 1 << 16;

export const SAFE_HEADERS = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

/** Error with which a request is rejected, with its HTTP status. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Calls a function on input of a request, and returns its result. @throws Refusal with status 400 if the function
 * throws
 */
export const asGiven = async <T>(act: () => T | Promise<T>): Promise<T> => {
  try {
    return await act();
  } catch (error) {
    throw new Refusal(400, (error as Error).message);
  }
};

/** A response: body, content type, and for a page its content security policy. */
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

/**
 * Parser of a query parameter. `text` is null if the parameter is missing.
 * @throws LepantoError naming the parameter if it is invalid
 */
type Parameter<T> = (text: string | null, name: string) => T;

/** Returns the text of a parameter, which may be empty. Undefined if the parameter is missing. */
export const text: Parameter<string | undefined> = (given) => given ?? undefined;

/** Returns the text of a parameter. Undefined if it is empty or missing. */
export const word: Parameter<string | undefined> = (given) => given || undefined;

/**
 * Returns a parameter as a whole number from 0. Undefined if it is empty or missing. @throws LepantoError for other
 * text
 */
export const whole: Parameter<number | undefined> = (text, name) => {
  if (text === null || text === '') return undefined;
  if (!/^\d{1,9}$/.test(text))
    throw new LepantoError('argument', `${name}: got "${text.slice(0, 20)}", wanted a whole number`);
  return Number(text);
};

/**
 * Returns a parser for a parameter that must be one of some words. Its result is undefined if the parameter is empty or
 * missing.
 */
export const oneOfWords =
  <W extends string>(words: readonly W[]): Parameter<W | undefined> =>
  (text, name) => {
    const found = words.find((one) => one === text);
    if (text && found === undefined)
      throw new LepantoError('argument', `${name}: got "${text.slice(0, 20)}", wanted one of ${words.join(', ')}`);
    return found;
  };

/** Parsers of the parameters of a query, keyed by name of the parameter. */
type Schema = Readonly<Record<string, Parameter<unknown>>>;

/** Parsed parameters of a query, keyed by name. */
export type QueryOf<S extends Schema> = { readonly [K in keyof S]: ReturnType<S[K]> };

/** A request whose query and body have been parsed for its route. */
export interface Asked<Q, B> {
  readonly query: Q;
  /** Query string of the address, without the question mark. */
  readonly search: string;
  readonly body: B;
  readonly response: ServerResponse;
}

/** Method and handler of requests to an address. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** True if errors of its requests are shown as a page, false for plain text. */
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

/** Answers a parsed request. Returns null if it has written the response itself, or if the client has disconnected. */
type Answer<Q, B> = (asked: Asked<Q, B>) => Sent | null | Promise<Sent | null>;

/**
 * Makes a route of GET requests.
 * @param query parsers of the parameters
 * @param isPage true if errors are shown as a page
 */
export const get = <S extends Schema>(query: S, answer: Answer<QueryOf<S>, null>, isPage = false): Route => ({
  method: 'GET',
  isPage,
  answer: async (given, _, response) =>
    answer({ query: await parsed(query, given), search: given.toString(), body: null, response }),
});

/** Makes a route of GET requests for a page. Errors are shown as a page too. @param query parsers of the parameters */
export const getPage = <S extends Schema>(
  query: S,
  answer: (asked: Asked<QueryOf<S>, null>) => ShownPage | Promise<ShownPage>,
): Route => get(query, async (asked) => page(await answer(asked)), true);

/**
 * Makes a route of POST requests with a JSON body.
 * @param query parsers of the parameters
 * @param body parser of the body
 * @param most largest body, in bytes; larger ones are refused with status 413
 */
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

  /**
   * Makes a server with a random token. It does not listen yet.
   * @param routes routes, keyed by path below the token
   * @param errorPage makes the page of an error
   * @param onClose called when the server stops listening
   */
  constructor(
    private readonly routes: Readonly<Record<string, Route>>,
    private readonly errorPage: (message: string) => ShownPage,
    private readonly onClose: () => void,
  ) {}

  /**
   * Starts listening, and returns the address for the browser. @param port 0 for any free port
   * @throws Error if the port cannot be used
   */
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
        throw new Refusal(405, `got ${request.method}, wanted ${route?.method ?? 'GET'}`);
      if (route === undefined) throw new Refusal(404, 'got an unknown address, wanted one of a link of these pages');
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

  /**
   * Checks the headers and the token of a request. Returns its path below the token, and its query.
   * @throws Refusal with status 403 for a wrong host, port, origin or token
   */
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
    if (origin !== undefined && origin !== `http://${host}`)
      throw new Refusal(403, 'got a request of another page, wanted one of these pages');
    const [path, query] = url.split('?', 2);
    const [, token = '', ...rest] = path.split('/');
    if (!isSame(token, this.token))
      throw new Refusal(403, 'got a wrong token, wanted that of the address that lepanto view has printed: open it');
    return { path: `/${rest.join('/')}`, query: new URLSearchParams(query) };
  }
}
