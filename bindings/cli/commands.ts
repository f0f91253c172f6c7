// The table of `lepanto` subcommands, which the command and the website read.
import type { Command } from '../terminal/run-command.js';

/** A subcommand: short description, arguments of an example command line, and function that loads its module. */
export type CommandEntry = readonly [about: string, example: string, load: () => Promise<Command>];

/** Subcommands by name, in groups keyed by their heading, in the order of the help. */
export const groups: Readonly<Record<string, Readonly<Record<string, CommandEntry>>>> = {
  positions: {
    adjudicate: [
      'play one phase of positions, JSON lines in and out',
      'adjudicate positions.jsonl',
      () => import('./commands/adjudicate.js'),
    ],
    legal: ['list all legal orders of positions', 'legal positions.jsonl', () => import('./commands/legal.js')],
    search: [
      'search for good orders in a position',
      'search --start --power FRANCE --rollouts 1000',
      () => import('./commands/search.js'),
    ],
    draw: [
      'draw a board as SVG, PNG or text',
      'draw runs/mine --game 0 --phase S1901M --out board.svg',
      () => import('./commands/draw.js'),
    ],
    rules: ['list presets and options of the rules', 'rules', () => import('./commands/rules.js')],
    map: ['list maps, check and import map files', 'map show ancmed', () => import('./commands/map.js')],
  },
  games: {
    selfplay: [
      'play games between agents and record them',
      'selfplay --agents dumbbot --games 100 --out runs/mine',
      () => import('./commands/selfplay.js'),
    ],
    arena: [
      'compare agents by games against each other',
      'arena --agents dumbbot,guard --games 14 --until 1905',
      () => import('./commands/arena.js'),
    ],
    replay: [
      'print recorded games, or adjudicate them again',
      'replay runs/mine --game 0',
      () => import('./commands/replay.js'),
    ],
    find: [
      'find recorded games by orders, positions and results',
      "find runs/mine 'A VIE - TYR'",
      () => import('./commands/find.js'),
    ],
    stats: ['print statistics of recorded games', 'stats runs/mine', () => import('./commands/stats.js')],
    compare: [
      'find the phases in which two agents differ most',
      'compare runs/mine --agents guard,dumbbot --limit 5',
      () => import('./commands/compare.js'),
    ],
    convert: [
      'convert recorded games to another format',
      'convert runs/mine games.jsonl',
      () => import('./commands/convert.js'),
    ],
    tensors: [
      'write recorded games as arrays for learning',
      'tensors runs/mine --out tensors',
      () => import('./commands/tensors.js'),
    ],
    merge: [
      'merge the parts of a run',
      'merge runs/part-1 runs/part-2 --out runs/whole',
      () => import('./commands/merge.js'),
    ],
  },
  agents: {
    agents: ['list agents and their options', 'agents search', () => import('./commands/agents.js')],
    agent: [
      'answer requests for orders, JSON lines in and out',
      'agent --agent dumbbot',
      () => import('./commands/agent.js'),
    ],
    daide: [
      'serve games to bots that speak DAIDE',
      'daide --clients 1 --agents dumbbot',
      () => import('./commands/daide.js'),
    ],
  },
  pages: {
    view: ['show runs, replays and positions in the browser', 'view runs', () => import('./commands/view.js')],
    play: ['play against agents in the browser', 'play runs', () => import('./commands/play.js')],
  },
  machines: {
    worker: ['play tasks of a queue', 'worker redis://localhost:6379', () => import('./commands/work.js')],
    queue: [
      'list, pause, retry or drop runs of a queue',
      'queue redis://localhost:6379',
      () => import('./commands/queue.js'),
    ],
    bench: ['measure the speed of this machine', 'bench --quick', () => import('./commands/bench.js')],
    completion: ['write a completion script for a shell', 'completion bash', () => loadCompletion()],
  },
};

export const commands: Readonly<Record<string, CommandEntry>> = Object.assign({}, ...Object.values(groups));

/** Returns the completion command. When run, it loads all other commands, because it needs their options. */
const loadCompletion = async (): Promise<Command> => {
  const { complete, help } = await import('./commands/completion.js');
  const all = Object.entries(commands).filter(([name]) => name !== 'completion');
  const run = async (args: string[]): Promise<number> => {
    const completed = await Promise.all(
      all.map(async ([name, [about, , load]]) => ({ name, about, options: (await load()).options ?? {} })),
    );
    return complete(args, completed);
  };
  return { help, run };
};
