// Runs a command of Lepanto for a process that may be killed: it ends with that process, and leaves nothing behind.
//
//   node leash.js FOLDER COMMAND...      FOLDER: what to remove when the parent is gone; '' for nothing
//
// Standard input is a pipe that the parent holds and never writes to: its end is that of the parent. Where a fork of the
// parent keeps the pipe open, the number of the parent's process tells.
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const EVERY_MS = 500;

const [node, , folder, ...command] = process.argv;
const parent = process.ppid;

const end = (): void => {
  if (folder !== '') rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  process.kill(process.pid, 'SIGKILL');
};

process.stdin.on('end', end).on('error', end).resume();
// A pipe keeps a process alive; this one is done when its command is.
(process.stdin as unknown as { readonly unref: () => void }).unref();
setInterval(() => {
  if (process.ppid !== parent) end();
}, EVERY_MS).unref();

const entry = new URL('../cli/lepanto.js', import.meta.url);
process.argv = [node, fileURLToPath(entry), ...command];
await import(entry.href);
