// Runs `lepanto play`: serves a page for games against agents, or writes the page as static files.

import { choiceMsOption } from '../../../selfplay/crew/watchdog.js';
import { optionText, readArguments } from '../../terminal/options.js';
import { makeDirectory, UsageError } from '../../terminal/usage.js';
import { pageOptions, servePages } from '../../web/serve-pages.js';
import { writePlayground } from '../../web/view-pages.js';

export const options = {
  agents: { takes: 'A,B', help: 'agents that the server runs, each exec:COMMAND or ./FILE.js' },
  files: { takes: 'DIR', help: 'directory for the page as static files, instead of a server' },
  'choice-ms': choiceMsOption,
  ...pageOptions,
} as const;

export const help = `
usage: lepanto play [DIR] [OPTIONS]

Serves a page to play against agents in the browser of this machine until
Ctrl-C, and prints its address. Orders are clicks, drags or text; phases can be
played again as branches. The agents of Lepanto run in the browser; modules and
exec: bots run on the server if --agents names them. Their errors are shown in
the page and counted at the end. The server also has the pages of lepanto view
for the runs under DIR. It writes only games that the page saves, as new files
in DIR.

--files writes the page for any server of static files. Once opened, it needs no
network.

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
    throw new UsageError('--files: got agents or a directory with it, wanted neither: static files have no server');
  makeDirectory('--files', files);
  const bytes = writePlayground(files);
  process.stdout.write(`${files}: ${bytes} bytes; open it by any server of files, like python3 -m http.server\n`);
  return 0;
};
