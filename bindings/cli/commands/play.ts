// Runs `lepanto play`: serves a page for games against agents, or writes the page as static files.

import { workersOption } from '../../../selfplay/crew/pool.js';
import { choiceMsOption } from '../../../selfplay/crew/watchdog.js';
import { optionText, portOption, quietOption, readArguments } from '../../terminal/options.js';
import { makeDirectory, UsageError } from '../../terminal/usage.js';
import { servePages } from '../../web/serve-pages.js';
import { writePlayground } from '../../web/view-pages.js';

export const options = {
  agents: { takes: 'A,B', help: 'agents that the server plays: exec:COMMAND and ./FILE.js' },
  files: { takes: 'FOLDER', help: 'write the page as static files instead' },
  'choice-ms': choiceMsOption,
  ...portOption,
  json: { help: 'the address as a JSON object' },
  ...quietOption,
  workers: { ...workersOption.workers, help: `${workersOption.workers.help}, of searches` },
} as const;

export const help = `
usage: lepanto play [DIR] [OPTIONS]

Serves a page to play on to the browser of this machine until Ctrl-C, and
prints its address: orders by clicks, by dragging or as text, for one human or
several, against the agents of Lepanto, which run in the browser. Phases can be
played again: each becomes a branch. The server is that of lepanto view, with
the runs under DIR; a replay has a link to play on from any phase. It writes
nothing but games that are saved in the page, as new files in DIR.

Bots in processes of their own and modules run in threads of the server, and
only those that --agents names. What such a bot gets wrong is shown in the page,
and counted at the end. With --files the page is written into FOLDER, for any
server of static files: all of it runs in the browser, and once opened, also
without a network.

${optionText(options)}
`;

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, options);
  const { agents, files, port, workers, json, quiet, 'choice-ms': choiceMs } = values;
  if (files === undefined) {
    const names = (agents ?? '').split(',').filter((name) => name !== '');
    return servePages('play', positionals, { port, workers, agents: names, choiceMs, json, quiet, page: 'play' });
  }
  if (agents !== undefined || positionals.length > 0)
    throw new UsageError('--files: got agents or a directory too, wanted it alone: static files have no server');
  makeDirectory('--files', files);
  const bytes = writePlayground(files);
  process.stdout.write(`${files}: ${bytes} bytes; open it by any server of files, like python3 -m http.server\n`);
  return 0;
};
