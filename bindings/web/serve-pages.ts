// Serves the pages of a directory until Ctrl-C, for `lepanto view` and `lepanto play`.
import { once } from 'node:events';
import { LepantoError } from '../../engine/rules/error.js';
import { workersOption } from '../../selfplay/crew/pool.js';
import { statOf } from '../../selfplay/records/whole-file.js';
import { portOption, quietOption } from '../terminal/options.js';
import { sayBeside } from '../terminal/output.js';
import { asUsage, orUsage, UsageError } from '../terminal/usage.js';
import { makeEditorSearch } from './editor-search.js';
import { RunLibrary } from './run-library.js';
import { ServerAgents } from './server-agents.js';
import { viewServer } from './view-server.js';

/** Options that the commands that serve pages have in common. */
export const pageOptions = {
  ...portOption,
  json: { help: 'the address as a JSON object' },
  ...quietOption,
  workers: { ...workersOption.workers, help: `${workersOption.workers.help}, for searches` },
} as const;

export interface Served {
  readonly port: number;
  readonly workers: number;
  /** Names of agents that the server itself plays. */
  readonly agents: readonly string[];
  /** Time limit for one choice of these agents, in milliseconds; 0: no limit. Default: a minute. */
  readonly choiceMs?: number;
  /** True to print the address as a JSON object. */
  readonly json: boolean;
  /** True to print the address without a hint. */
  readonly quiet: boolean;
  /** Path below the token of the page whose address is printed. */
  readonly page: string;
}

/** Resolves at the first SIGINT (Ctrl-C) or SIGTERM. */
const untilAsked = async (): Promise<void> => {
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
};

/**
 * Serves the pages of a directory until Ctrl-C, prints their address, and returns the exit code.
 * @param command name of the command, for errors
 * @param positionals arguments of the command: the directory of the runs, by default the current one
 * @throws UsageError or LepantoError for a wrong directory, agent or port
 */
export const servePages = async (
  command: string,
  positionals: readonly string[],
  { port, workers, agents: names, choiceMs, json, quiet, page }: Served,
): Promise<number> => {
  const [directory = '.'] = positionals;
  if (positionals.length > 1) throw new UsageError(`${command}: got ${positionals.length} directories, wanted one`);
  if (!statOf(directory)?.isDirectory())
    throw new LepantoError('file', `${command}: got "${directory}", wanted a directory that exists`);
  const library = orUsage(command, () => new RunLibrary(directory));
  const agents = await ServerAgents.load(names, choiceMs, sayBeside).catch((error: Error) => {
    throw asUsage('agents', error);
  });
  const { search, close } = makeEditorSearch(workers);
  const server = viewServer({ library, search, agents, saves: command === 'play' });
  try {
    const address = await server.listen(port).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE')
        throw new UsageError(`--port: got ${port}, which is in use, wanted a free one, or 0`);
      throw error;
    });
    // Listens for signals before printing the address, because its reader may end the server at once.
    const asked = untilAsked();
    process.stdout.write(json ? `${JSON.stringify({ address: `${address}${page}` })}\n` : `${address}${page}\n`);
    if (process.stderr.isTTY && !quiet) process.stderr.write('Open it in a browser; Ctrl-C ends the server.\n');
    await asked;
  } finally {
    await server.close();
    await Promise.all([close(), agents.close()]);
  }
  return 0;
};
