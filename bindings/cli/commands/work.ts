// Runs `lepanto worker`: plays the shards of a queue until it is stopped.

import { defaultWorkers, workersOption } from '../../../selfplay/crew/pool.js';
import { isCommandName } from '../../../selfplay/question/agent-name.js';
import { wholeIn } from '../../../selfplay/question/option.js';
import { ADDRESS_VARIABLE, readAddress } from '../../cluster/queue/address.js';
import { type Allowed, serveQueues, type WorkerEvent } from '../../cluster/queue/queue-worker.js';
import { counted } from '../../reports/figures.js';
import { INTERRUPTED } from '../../terminal/interrupt.js';
import { addressOption, optionText, readArguments } from '../../terminal/options.js';
import { say } from '../../terminal/output.js';
import { UsageError } from '../../terminal/usage.js';

/** Milliseconds that a finished worker has to write its remaining output, before its process is ended. */
const EXIT_MS = 500;

const SECONDS = { ...wholeIn(0, 86_400), takes: 'SECONDS' } as const;

export const options = {
  ...addressOption,
  workers: { ...workersOption.workers, most: 1024, default: defaultWorkers() },
  'allow-modules': {
    takes: 'LIST',
    help: `hashes of modules and exec: commands that may run, separated by commas, or any; others are refused and their hash
      is printed. They run with your rights: allow only code that you know`,
  },
  grace: { ...SECONDS, default: 5, help: 'time for unfinished tasks after a signal, in seconds' },
  idle: { ...SECONDS, default: 0, help: 'time without work after which the worker ends, in seconds; 0: never' },
  json: { help: 'events as JSON lines on standard output' },
  quiet: { help: 'errors only' },
} as const;

export const help = `
usage: lepanto worker [redis://HOST:PORT] [OPTIONS]

Plays tasks of a queue with all processors until it is stopped: shards of
lepanto selfplay --queue and games of lepanto arena --queue, of the same version
of the code. It opens no port. Ctrl-C or SIGTERM hands back unfinished tasks.

The address is also read from ${ADDRESS_VARIABLE}, user and password from
LEPANTO_QUEUE_USER and LEPANTO_QUEUE_PASSWORD. rediss:// is TLS;
NODE_EXTRA_CA_CERTS is the file of your own certificate authority. It needs the
packages bullmq and ioredis, and @aws-sdk/client-s3 for --store s3://.

${optionText(options)}
`;

const readAllowed = (text: string | undefined): Allowed => {
  if (text === undefined) return [];
  if (text === 'any') return text;
  const allowed = text.split(',').map((one) => one.trim());
  const wrong = allowed.find((one) => !/^[0-9a-f]{16}$/.test(one) && !isCommandName(one));
  if (wrong !== undefined)
    throw new UsageError(
      `--allow-modules: got "${wrong}", wanted any, or hashes of 16 hexadecimal digits and exec: commands`,
    );
  return allowed;
};

const describe = (event: WorkerEvent): string => {
  switch (event.event) {
    case 'ready':
      return `${event.machine} plays with ${counted(event.threads, 'thread')} from the queue of ${event.code}`;
    case 'played':
      return `task ${event.task} of run ${event.run}: ${counted(event.games, 'game')} in ${event.seconds.toFixed(1)} s`;
    case 'failed':
      return `task ${event.task} of run ${event.run} failed: ${event.error}`;
    case 'said':
      return event.text;
  }
};

/**
 * Handles SIGINT and SIGTERM: the first aborts the returned signal, the second ends the process. code() returns the
 * exit code: INTERRUPTED after SIGINT, otherwise 0.
 */
const catchSignals = (): { readonly signal: AbortSignal; readonly code: () => number } => {
  const controller = new AbortController();
  let code = 0;
  const stop = (exit: number) => (): void => {
    if (controller.signal.aborted) process.exit(exit);
    code = exit;
    controller.abort();
  };
  process.on('SIGINT', stop(INTERRUPTED));
  // Schedulers stop a worker with SIGTERM, which is not a failure.
  process.on('SIGTERM', stop(0));
  return { signal: controller.signal, code: () => code };
};

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, options);
  const addresses = [...positionals, ...(values.queue === undefined ? [] : [values.queue])];
  if (addresses.length > 1) throw new UsageError(`worker: got ${addresses.length} addresses, wanted one`);
  const address = readAddress(addresses[0]);
  const { workers } = values;
  const allowed = readAllowed(values['allow-modules']);
  const [graceMs, idleMs] = [1000 * values.grace, 1000 * values.idle];
  const { signal, code } = catchSignals();
  const onEvent = (event: WorkerEvent): void => {
    if (values.json) process.stdout.write(`${JSON.stringify({ time: new Date().toISOString(), ...event })}\n`);
    else if (!values.quiet || event.event === 'failed' || event.event === 'said') say(describe(event));
  };
  await serveQueues({ address, workers, allowed, signal, graceMs, idleMs, onEvent });
  // Timers of BullMQ continue after the server is gone, and would keep the process alive.
  setTimeout(() => process.exit(code()), EXIT_MS).unref();
  return code();
};
