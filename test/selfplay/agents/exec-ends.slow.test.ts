// Tests that no bot, and nothing that a bot has started, outlives Lepanto, however Lepanto ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { entry, makeFolder } from '../../tools/command.js';
import { until } from '../../tools/running.js';

const directory = makeFolder('ends');
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A process that has ended waits for its parent.
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

/** A shell that hears no signal and no end of its input, with a child; it hangs at its first request, or ends at it. */
const writeBot = (name: string, last: string): { readonly command: string; readonly pids: () => number[] } => {
  const path = join(directory, name);
  const list = `${path}.pids`;
  const hello = JSON.stringify({ hello: { protocol: 'lepanto-agent', version: 1, name } });
  writeFileSync(
    path,
    `trap '' TERM INT HUP PIPE
     sleep 1000 &
     echo $! >> ${list}
     echo $$ >> ${list}
     read -r line
     echo '${hello}'
     read -r line
     echo asked >> ${list}
     ${last}`,
  );
  return {
    command: `exec:sh ${path}`,
    pids: () => {
      const words = existsSync(list) ? readFileSync(list, 'utf8').trim().split('\n') : [];
      return words.includes('asked') ? words.filter((word) => word !== 'asked').map(Number) : [];
    },
  };
};

const arena = (bot: string): ChildProcess => {
  const args = ['arena', '--agents', `${bot},hold`, ...'--games 7 --until 1901 --quiet'.split(' ')];
  return spawn(process.execPath, [entry, ...args], { stdio: 'ignore' });
};

const ends = suite('bots: the end of Lepanto');

if (process.platform !== 'win32') {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const)
    ends(`a bot that hangs ends with Lepanto after ${signal}`, async () => {
      const { command, pids } = writeBot(signal, 'while :; do sleep 1000; done');
      const run = arena(command);
      const ended = once(run, 'exit');
      await until('the first request', () => pids().length > 0);
      assert.ok(pids().every(isAlive));
      // A command may take the first one as a wish to end, and the second one as an order.
      for (let i = 0; i < 2; i++) run.kill(signal);
      await ended;
      await until('the end of the bot', () => !pids().some(isAlive));
    });

  ends('what a bot has started ends with it', async () => {
    const { command, pids } = writeBot('children', 'exit 0');
    const [code] = await once(arena(command), 'exit');
    assert.is(code, 1);
    assert.ok(pids().length > 2, 'it is started more than once');
    await until('the end of its children', () => !pids().some(isAlive));
  });
}

ends.run();
