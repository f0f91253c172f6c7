// Runs a command of Lepanto that ends when its parent process ends, even if the parent is killed.
//
//   node end-with-parent.js FOLDER COMMAND...      FOLDER: directory to remove when the parent has ended; '' for none
//
// Standard input is a pipe that the parent keeps open and never writes to. It closes when the parent ends. A fork of
// the parent may keep the pipe open, so the parent's process id is checked too.
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
// Lets the process end when its command has finished, although the pipe is open.
(process.stdin as unknown as { readonly unref: () => void }).unref();
setInterval(() => {
  if (process.ppid !== parent) end();
}, EVERY_MS).unref();

const entry = new URL('../cli/lepanto.js', import.meta.url);
process.argv = [node, fileURLToPath(entry), ...command];
await import(entry.href);
