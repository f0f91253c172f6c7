// The table of the subcommands of `lepanto`, which the command and the site read.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Command } from '../terminal/run-command.js';

/** Loads a command that is a program of its own: it runs in a process of its own, with the terminal of this one. */
const program = (path: string) => async (): Promise<Command> => {
  const run = async (args: string[]): Promise<number> => {
    const child = spawn(process.execPath, [fileURLToPath(new URL(path, import.meta.url)), ...args], {
      stdio: 'inherit',
    });
    // The program answers Ctrl-C. A terminal sends it to both processes, and the program takes two in one moment as one.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
    const [code] = (await once(child, 'close')) as [number | null];
    return code ?? 1;
  };
  return { help: null, run };
};

/** Subcommands: what each does, and how it is loaded. */
export const commands: Readonly<Record<string, readonly [about: string, load: () => Promise<Command>]>> = {
  adjudicate: ['play one phase of positions, JSON lines in and out', () => import('./commands/adjudicate.js')],
  legal: ['list all legal orders of positions', () => import('./commands/legal.js')],
  selfplay: ['play games, record them, say how they went', () => import('./commands/selfplay.js')],
  merge: ['put the parts of a run into one directory', () => import('./commands/merge.js')],
  replay: ['print recorded games, or adjudicate them again', () => import('./commands/replay.js')],
  find: ['find recorded games by orders, positions and results', () => import('./commands/find.js')],
  compare: ['find the phases in which two agents differ most', () => import('./commands/compare.js')],
  draw: ['draw a board: SVG, PNG, or in the terminal', () => import('./commands/draw.js')],
  convert: ['turn recorded games of one format into another', () => import('./commands/convert.js')],
  tensors: ['write recorded games as arrays that programs map', () => import('./commands/tensors.js')],
  view: ['show runs, replays and a position editor in the browser', () => import('./commands/view.js')],
  play: ['play against agents in the browser', () => import('./commands/play.js')],
  stats: ['what happened in recorded games', () => import('./commands/stats.js')],
  agents: ['list agents and their options', () => import('./commands/agents.js')],
  agent: ['answer requests for orders, JSON lines in and out', () => import('./commands/agent.js')],
  search: ['find orders for a position by rollouts', () => import('./commands/search.js')],
  arena: ['play agents against each other', () => import('./commands/arena.js')],
  worker: ['play what waits in a queue', () => import('./commands/work.js')],
  queue: ['what waits in a queue; pause, retry, drop', () => import('./commands/queue.js')],
  daide: ['tables for bots that speak DAIDE', () => import('./commands/daide.js')],
  rules: ['presets and options of the rules', () => import('./commands/rules.js')],
  map: ['list maps, check map files, import those of other programs', () => import('./commands/map.js')],
  bench: ['measure how fast it is here', program('../../bench/command.js')],
};
