// Runs `lepanto view`: serves pages with runs, replays and boards to the browser of this machine.

import { workersOption } from '../../../selfplay/crew/pool.js';
import { optionText, portOption, quietOption, readArguments } from '../../terminal/options.js';
import { servePages } from '../../web/serve-pages.js';

export const options = {
  ...portOption,
  json: { help: 'the address as a JSON object' },
  ...quietOption,
  workers: { ...workersOption.workers, help: `${workersOption.workers.help}, of searches` },
} as const;

export const help = `
usage: lepanto view [DIR] [OPTIONS]

Serves pages to the browser of this machine until Ctrl-C, and prints their
address: the runs under DIR (default: .) with the progress of those that are
running, scores by power, distributions, and games to filter and to watch;
arenas with the course of their gates; and a board for any position: it
adjudicates in the page, by any rules, and asks agents and lepanto search.

The server listens on 127.0.0.1 only, wants the random token in its address,
writes nothing, and reads only files of runs under DIR. It follows no links.

${optionText(options)}
`;

export const run = (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, options);
  return servePages('view', positionals, { ...values, agents: [], page: '' });
};
