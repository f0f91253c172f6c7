// Parses the address of a queue. Keeps its password out of messages, files and process lists.
import { UsageError } from '../../terminal/usage.js';

/** Address of a Redis or Valkey server, with the credentials of its user. */
export interface QueueAddress {
  /** Host name or IP address. */
  readonly host: string;
  /** TCP port; 6379 if the address names none. */
  readonly port: number;
  /** True for a connection over TLS (address rediss://). */
  readonly isSecure: boolean;
  /** Number of the Redis database, from 0. */
  readonly db: number;
  /** Name of the user; undefined for the default user. */
  readonly user: string | undefined;
  /** Password of the user; undefined for none. Never shown in messages. */
  readonly password: string | undefined;
  /** The address without user and password, as messages show it. */
  readonly shown: string;
}

/** Environment variable with the address, for commands without an address argument. */
export const ADDRESS_VARIABLE = 'LEPANTO_QUEUE_URL';
const USER_VARIABLE = 'LEPANTO_QUEUE_USER';
const PASSWORD_VARIABLE = 'LEPANTO_QUEUE_PASSWORD';
const WANTED = `wanted redis://HOST:PORT or rediss://HOST:PORT, as an argument or in ${ADDRESS_VARIABLE}`;

const schemes: Readonly<Record<string, boolean>> = {
  'redis:': false,
  'valkey:': false,
  'rediss:': true,
  'valkeys:': true,
};

const given = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

/**
 * Reads the address of a queue from an argument or from the environment. A password is read only from the environment:
 * from LEPANTO_QUEUE_PASSWORD or LEPANTO_QUEUE_URL.
 * @param argument address; undefined, empty or 'env': LEPANTO_QUEUE_URL
 * @throws UsageError for a missing or invalid address. The message does not repeat it, because it may contain a
 *   password
 */
export const readAddress = (argument: string | undefined, environment = process.env): QueueAddress => {
  const named = argument === 'env' ? undefined : given(argument);
  const text = named ?? given(environment[ADDRESS_VARIABLE]);
  if (text === undefined) throw new UsageError(`queue: got no address, ${WANTED}`);
  const parsed = URL.canParse(text) ? new URL(text) : null;
  if (parsed === null || !Object.hasOwn(schemes, parsed.protocol) || parsed.hostname === '')
    throw new UsageError(`queue: got no address of a Redis server, ${WANTED}`);
  const seen = 'got a password in an argument, where every user of this machine can read it';
  if (parsed.password !== '' && named !== undefined)
    throw new UsageError(`queue: ${seen}, wanted it in ${PASSWORD_VARIABLE}`);
  const db = /^\/?(\d{0,4})$/.exec(parsed.pathname)?.[1];
  if (db === undefined)
    throw new UsageError('queue: got a path in the address, wanted the number of a database or none');
  const port = parsed.port === '' ? 6379 : Number(parsed.port);
  return {
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port,
    isSecure: schemes[parsed.protocol],
    db: Number(db),
    user: given(environment[USER_VARIABLE]) ?? given(decodeURIComponent(parsed.username)),
    password: given(environment[PASSWORD_VARIABLE]) ?? given(decodeURIComponent(parsed.password)),
    shown: `${parsed.protocol}//${parsed.hostname}:${port}${db === '' || db === '0' ? '' : `/${db}`}`,
  };
};
