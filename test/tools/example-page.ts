// Makes the replay that the README links to, bindings/web/example-game.html: node dist/test/tools/example-page.js
import { fileURLToPath } from 'node:url';
import { makeFolder, runLepanto } from './command.js';

/** Where it lies. */
export const examplePage = fileURLToPath(new URL('../../../bindings/web/example-game.html', import.meta.url));

/** Plays the game and writes its page. @throws Error with what the command says */
export const writeExamplePage = (file: string): void => {
  const place = makeFolder('example');
  const lepanto = (...args: string[]): void => {
    const { code, err } = runLepanto(args, { cwd: place });
    if (code !== 0) throw new Error(err);
  };
  const agents = ['dumbbot', 'greedy', 'dumbbot', 'policy', 'dumbbot', 'dumbbot', 'dumbbot'].join(',');
  lepanto('selfplay', '--agents', agents, ...'--games 1 --until 1905 --seed 3 --out example --quiet'.split(' '));
  lepanto('replay', 'example', '--game', '0', '--html', file);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) writeExamplePage(examplePage);
