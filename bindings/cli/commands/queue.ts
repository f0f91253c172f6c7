// Runs `lepanto queue`: lists the queues of a server, pauses them, and retries or drops runs.
import { ADDRESS_VARIABLE, readAddress } from '../../cluster/queue/address.js';
import { QueueAdmin, type QueueListing } from '../../cluster/queue/admin.js';
import { RedisLink } from '../../cluster/queue/redis-link.js';
import { counted, group } from '../../reports/figures.js';
import { addressOption, jsonOption, optionText, readArguments } from '../../terminal/options.js';
import { printable, sayBeside } from '../../terminal/output.js';
import { UsageError } from '../../terminal/usage.js';

export const options = {
  ...addressOption,
  ...jsonOption,
} as const;

export const help = `
usage: lepanto queue [redis://HOST:PORT] [ACTION] [--json]

Lists or changes the queues of a Redis or Valkey server. The address is also
read from ${ADDRESS_VARIABLE}.

  list          list runs, machines, failed tasks, and names of the queues for
                other tools of BullMQ (default)
  pause         let workers finish their tasks and take no more
  resume        let workers take tasks again
  retry [RUN]   try failed tasks again, of one run or of all that have a
                coordinator
  drop RUN      remove a run from the queue and end its coordinator; recorded
                games stay

${optionText(options)}
`;

/** Time limit for connecting to the server, in milliseconds. */
const PATIENCE_MS = 5000;

const actions = ['list', 'pause', 'resume', 'retry', 'drop'] as const;
type Action = (typeof actions)[number];

const isAction = (text: string): text is Action => actions.some((action) => action === text);

interface Request {
  readonly address: string | undefined;
  readonly action: Action;
  readonly run: string | undefined;
}

/**
 * Parses the arguments of `lepanto queue`: address, action and run. Both address and action are optional.
 * @throws UsageError for an unknown action, a missing run or too many arguments
 */
const readRequest = (words: readonly string[]): Request => {
  const [first, ...rest] = words;
  const hasAddress = first !== undefined && !isAction(first);
  const [action = 'list', run, ...more] = hasAddress ? rest : words;
  if (!isAction(action)) throw new UsageError(`queue: got "${action}", wanted one of ${actions.join(', ')}`);
  if (more.length > 0 || (run !== undefined && action !== 'retry' && action !== 'drop'))
    throw new UsageError(`queue ${action}: got "${more[0] ?? run}", wanted no more arguments`);
  if (action === 'drop' && run === undefined) throw new UsageError('queue drop: got no run, wanted one of queue list');
  return { address: hasAddress ? first : undefined, action, run };
};

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

const describe = (shown: string, { server, runs, unreadable, machines, queues }: QueueListing): string => {
  const most = server.maxBytes > 0 ? ` of ${megabytes(server.maxBytes)}` : '';
  const lines = [`${shown}  version ${server.version}, ${megabytes(server.usedBytes)}${most}`, '', 'runs'];
  for (const { id, about, tasks, recorded, waiting, active, failed } of runs) {
    const lost = failed.length > 0 ? `, ${failed.length} failed` : '';
    lines.push(
      `  ${id}  ${about}`,
      `    ${recorded} of ${tasks} recorded, ${waiting} waiting, ${active} active${lost}`,
    );
    for (const { task, error } of failed) lines.push(`    task ${task}: ${error}`);
  }
  lines.push(...unreadable.map((what) => `  ${what}`), 'machines');
  for (const { machine, threads, playing, gamesPerSecond, version, code, trouble } of machines) {
    const speed = group(gamesPerSecond);
    const wrong = trouble === null ? '' : `; ${trouble}`;
    lines.push(
      `  ${machine}  ${counted(threads, 'thread')}, ${counted(playing, 'task')}, ${speed} games/s, version ${version} ${code}${wrong}`,
    );
  }
  lines.push('queues');
  for (const { name, prefix, paused } of queues) lines.push(`  ${name}  prefix ${prefix}${paused ? ', paused' : ''}`);
  return lines.join('\n');
};

const retried = (tasks: number): string => `${counted(tasks, 'task')} ${tasks === 1 ? 'is' : 'are'} played again`;

const act = async (admin: QueueAdmin, { action, run }: Request): Promise<string> => {
  switch (action) {
    case 'pause':
      return `paused ${(await admin.switch('pause')).join(', ')}`;
    case 'resume':
      return `resumed ${(await admin.switch('resume')).join(', ')}`;
    case 'retry':
      return retried(await admin.retry(run));
    case 'drop':
      return `dropped ${run} and ${await admin.drop(run ?? '')} waiting tasks`;
    case 'list':
      return '';
  }
};

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, options);
  const request = readRequest(positionals);
  if (values.queue !== undefined && request.address !== undefined)
    throw new UsageError('--queue: got two addresses, wanted one');
  const address = readAddress(values.queue ?? request.address);
  const link = new RedisLink(address, sayBeside);
  const admin = new QueueAdmin(link);
  try {
    const server = await link.open(AbortSignal.timeout(PATIENCE_MS));
    const { action } = request;
    const listing = action === 'list' ? await admin.list(server) : null;
    const text = listing === null ? await act(admin, request) : describe(address.shown, listing);
    const answer = listing ?? { action, done: text };
    process.stdout.write(values.json ? `${JSON.stringify(answer)}\n` : printable(`${text}\n`));
  } finally {
    await admin.close();
    link.close();
  }
  return 0;
};
