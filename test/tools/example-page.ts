// Makes the replay that the README links to, bindings/web/example-game.html: node dist/test/tools/example-page.js
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { entry } from './command.js';

/** Where it lies. */
export const examplePage = fileURLToPath(new URL('../../../bindings/web/example-game.html', import.meta.url));

/** Plays the game and writes its page. @throws Error with what the command says */
export const writeExamplePage = (file: string): void => {
  const place = mkdtempSync(join(tmpdir(), 'lepanto-example-'));
  const lepanto = (...args: string[]): void => {
    const { status, stderr } = spawnSync(process.execPath, [entry, ...args], { cwd: place, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  };
  try {
    const agents = ['dumbbot', 'greedy', 'dumbbot', 'policy', 'dumbbot', 'dumbbot', 'dumbbot'].join(',');
    lepanto('selfplay', '--agents', agents, ...'--games 1 --until 1905 --seed 3 --out example --quiet'.split(' '));
    lepanto('replay', 'example', '--game', '0', '--html', file);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
};

if (process.argv[1] === fileURLToPath(import.meta.url)) writeExamplePage(examplePage);
