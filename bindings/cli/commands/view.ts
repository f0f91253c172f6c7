// Runs `lepanto view`: serves pages with runs, replays and boards to the browser of this machine.

import { optionText, readArguments } from '../../terminal/options.js';
import { pageOptions, servePages } from '../../web/serve-pages.js';

export const options = pageOptions;

export const help = `
usage: lepanto view [DIR] [OPTIONS]

Serves pages to the browser of this machine until Ctrl-C, and prints their
address: runs and arenas under DIR (default: .), also running ones, with scores,
plots, gates, and games to filter and watch; and a board for any position, to
adjudicate by any rules, ask agents, and search.

The server listens on 127.0.0.1 only, requires the random token in its address,
writes no files, and reads only runs under DIR. It follows no symbolic links.

${optionText(options)}
`;

export const run = (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, options);
  return servePages('view', positionals, { ...values, agents: [], page: '' });
};
