// Runs `lepanto view`: shows runs and a position editor in the browser of this machine.

import { once } from 'node:events';
import { statOf } from '../../../selfplay/records/whole-file.js';
import { makeEditorSearch } from '../../web/editor-search.js';
import { RunLibrary } from '../../web/run-library.js';
import { ViewServer } from '../../web/view-server.js';
import { optionText, readArguments, readWorkers, workersOption } from '../shared/options.js';
import { orUsage, parseWhole, UsageError } from '../shared/usage.js';

const options = {
  port: { takes: 'P', default: '0', help: 'port; 0: any that is free' },
  workers: { takes: 'W', help: `${workersOption.workers.help}, of searches` },
} as const;

export const help = `
usage: lepanto view [DIR] [OPTIONS]

Serves pages to the browser of this machine until Ctrl-C, and prints their
address: the runs under DIR (default: .) with the progress of those that are
running, scores by power, distributions, and games to filter and to watch;
training runs with their gates and curves; and a position editor that
adjudicates in the page, by any rules, and asks lepanto search.

The server listens on 127.0.0.1 only, wants the random token in its address,
writes nothing, and reads only files of runs under DIR. It follows no links.

${optionText(options)}
`;

/** Ends with the first Ctrl-C, or when another program asks for it. */
const untilAsked = async (): Promise<void> => {
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
};

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, options);
  const [directory = '.'] = positionals;
  if (positionals.length > 1) throw new UsageError(`view: got ${positionals.length} directories, wanted one`);
  if (!statOf(directory)?.isDirectory()) throw new UsageError(`view: got "${directory}", wanted a directory`);
  const port = parseWhole('port', values.port, 0, 65_535);
  const workers = readWorkers(values.workers);
  const library = orUsage('view', () => new RunLibrary(directory));
  const { search, close } = makeEditorSearch(workers);
  const server = new ViewServer(library, search);
  try {
    const address = await server.listen(port).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE')
        throw new UsageError(`--port: got ${port}, which is in use, wanted a free one, or 0`);
      throw error;
    });
    // Before the address is printed: its reader may end the server at once.
    const asked = untilAsked();
    process.stdout.write(`${address}\n`);
    if (process.stderr.isTTY) process.stderr.write('Open it in a browser; Ctrl-C ends the server.\n');
    await asked;
  } finally {
    await server.close();
    await close();
  }
  return 0;
};
