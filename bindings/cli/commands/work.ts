// Runs `lepanto worker`: plays what waits in a queue, until it is stopped.
import { parseArgs } from 'node:util';
import { defaultWorkers } from '../../../selfplay/workers/pool.js';
import { ADDRESS_VARIABLE, readAddress } from '../../cluster/queue/address.js';
import { type Allowed, serveQueues, type WorkerEvent } from '../../cluster/queue/queue-worker.js';
import { INTERRUPTED } from '../shared/interrupt.js';
import { parseWhole, UsageError } from '../shared/usage.js';

const MAX_WORKERS = 1024;
const MAX_SECONDS = 86_400;

export const help = `
usage: lepanto worker [redis://HOST:PORT] [OPTIONS]

Plays shards of runs that wait in a queue, with all processors, until it is stopped: those of lepanto selfplay --queue and
lepanto arena --queue, of the same version of the code alone. It opens no port. The address may stand in ${ADDRESS_VARIABLE},
user and password in LEPANTO_QUEUE_USER and LEPANTO_QUEUE_PASSWORD; rediss:// is TLS, NODE_EXTRA_CA_CERTS names the file of a
certificate authority of your own. It needs the packages bullmq and ioredis, and @aws-sdk/client-s3 where runs use
--store s3://. Ctrl-C or SIGTERM hands back what it cannot finish.

  --workers W           threads (one for each processor: ${defaultWorkers()} here)
  --allow-modules LIST  runs agents of users whose hashes are listed, separated by commas, or any; without it those runs
                        are refused, and the hash is said. A module may do whatever this user may: allow what you know
  --grace SECONDS       after a signal, waits so long for shards that are being played (5)
  --idle SECONDS        ends when nothing has waited for so long (0: never)
  --json                events as JSON lines on stdout
  --quiet               says only what is wrong
`;

const optionTypes = {
  workers: { type: 'string' },
  'allow-modules': { type: 'string' },
  grace: { type: 'string', default: '5' },
  idle: { type: 'string', default: '0' },
  json: { type: 'boolean', default: false },
  quiet: { type: 'boolean', default: false },
} as const;

const readAllowed = (text: string | undefined): Allowed => {
  if (text === undefined) return [];
  if (text === 'any') return text;
  const hashes = text.split(',').map((hash) => hash.trim());
  const wrong = hashes.find((hash) => !/^[0-9a-f]{16}$/.test(hash));
  if (wrong !== undefined)
    throw new UsageError(`--allow-modules: got "${wrong}", wanted any, or hashes of 16 hexadecimal digits`);
  return hashes;
};

const describe = (event: WorkerEvent): string => {
  switch (event.event) {
    case 'ready':
      return `${event.machine} plays with ${event.threads} threads what waits in ${event.code}`;
    case 'played':
      return `task ${event.task} of run ${event.run}: ${event.games} games in ${event.seconds.toFixed(1)} s`;
    case 'failed':
      return `task ${event.task} of run ${event.run} failed: ${event.error}`;
    case 'said':
      return event.text;
  }
};

/** Ends at the first signal in order, at the second at once. */
const catchSignals = (): { readonly signal: AbortSignal; readonly code: () => number } => {
  const controller = new AbortController();
  let code = 0;
  const stop = (exit: number) => (): void => {
    if (controller.signal.aborted) process.exit(exit);
    code = exit;
    controller.abort();
  };
  process.on('SIGINT', stop(INTERRUPTED));
  // How a scheduler ends a worker is no failure.
  process.on('SIGTERM', stop(0));
  return { signal: controller.signal, code: () => code };
};

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: optionTypes });
  if (positionals.length > 1) throw new UsageError(`worker: got ${positionals.length} addresses, wanted one`);
  const address = readAddress(positionals[0]);
  const workers = parseWhole('workers', values.workers ?? String(defaultWorkers()), 1, MAX_WORKERS);
  const allowed = readAllowed(values['allow-modules']);
  const graceMs = 1000 * parseWhole('grace', values.grace, 0, MAX_SECONDS);
  const idleMs = 1000 * parseWhole('idle', values.idle, 0, MAX_SECONDS);
  const { signal, code } = catchSignals();
  const onEvent = (event: WorkerEvent): void => {
    if (values.json) process.stdout.write(`${JSON.stringify({ time: new Date().toISOString(), ...event })}\n`);
    else if (!values.quiet || event.event === 'failed' || event.event === 'said')
      process.stderr.write(`lepanto: ${describe(event)}\n`);
  };
  await serveQueues({ address, workers, allowed, signal, graceMs, idleMs, onEvent });
  return code();
};
