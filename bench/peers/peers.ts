// Compares the speed of Lepanto and the PyPI package `diplomacy` in one run: the same random playouts, on one thread.
//
//   node dist/bench/peers/peers.js [--seconds 20]
//
// Installs the package into a virtual environment in a temporary folder, which is removed afterwards. Both play from
// spring 1901 to the end of 1910 or a solo. Every unit, dislodged unit and build draws one of its possible orders
// uniformly: in the package as in its README, in Lepanto with the uniform sampler. The two take turns. Requires python3
// with venv, and a package registry.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeTable, numbers, renderText, words } from '../../bindings/reports/table.js';
import { runMain } from '../run/child.js';
import { chunkOf, LAST_YEAR, makePlay, warmUp } from '../run/playing.js';
import { median } from '../run/statistics.js';

const PACKAGE = 'diplomacy';
const TURNS = 3;

/** Result of one turn of one package. `phases` counts phases of all kinds. */
interface Played {
  readonly games: number;
  /** Number of movement phases. */
  readonly steps: number;
  readonly phases: number;
  readonly seconds: number;
}

const script = `
import json, random, sys, time
from diplomacy import Game

seed, seconds = int(sys.argv[1]), float(sys.argv[2])
random.seed(seed)

def play():
    game, steps, phases = Game(), 0, 0
    while not game.is_game_done and int(game.get_current_phase()[1:5]) <= ${LAST_YEAR}:
        phases += 1
        steps += game.phase_type == 'M'
        possible = game.get_all_possible_orders()
        for power in game.powers:
            places = game.get_orderable_locations(power)
            game.set_orders(power, [random.choice(possible[place]) for place in places if possible[place]])
        game.process()
    return steps, phases

play()
games = steps = phases = 0
begin = time.perf_counter()
while True:
    played = play()
    games, steps, phases = games + 1, steps + played[0], phases + played[1]
    spent = time.perf_counter() - begin
    if spent >= seconds:
        break
print(json.dumps({'games': games, 'steps': steps, 'phases': phases, 'seconds': spent}))
`;

/** Returns the last 400 characters of a failed command's stderr, or its error message, on one line. Pip prints a lot. */
const lastWords = (error: unknown): string => {
  const { stderr, message } = error as { stderr?: Buffer | string; message: string };
  const said = String(stderr ?? '').trim() || message;
  return said.replace(/\s+/g, ' ').slice(-400);
};

/**
 * Installs the package into a virtual environment. Returns the path of its Python and the version of the package.
 * @throws Error that names the failed step
 */
const install = (folder: string): { python: string; version: string } => {
  const step = (what: string, command: string, args: readonly string[]): string => {
    try {
      return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 300_000 });
    } catch (error) {
      throw new Error(`cannot compare, ${what} failed: ${lastWords(error)}`);
    }
  };
  step('python3 -m venv', 'python3', ['-m', 'venv', folder]);
  const python = join(folder, 'bin', 'python');
  step(`pip install ${PACKAGE}`, python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', PACKAGE]);
  const ask = `import importlib.metadata as m; print(m.version('${PACKAGE}'))`;
  const version = step(`importing ${PACKAGE}`, python, ['-c', ask]).trim();
  return { python, version };
};

const playPeer = (python: string, file: string, turn: number, seconds: number): Played =>
  JSON.parse(execFileSync(python, [file, String(turn), String(seconds)], { encoding: 'utf8' }));

const playLepanto = (turn: number): Played => {
  const play = makePlay('uniform', chunkOf('uniform'), turn);
  let [games, steps] = [0, 0];
  const begin = performance.now();
  while (performance.now() - begin < 1000) {
    steps += play.run();
    games += play.games;
  }
  return { games, steps, phases: 0, seconds: (performance.now() - begin) / 1000 };
};

const rates = (turns: readonly Played[], of: (played: Played) => number): number =>
  median(turns.map((played) => of(played) / played.seconds));

const show = (peer: readonly Played[], lepanto: readonly Played[], version: string): void => {
  const number = (value: number): string =>
    value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 2 : 0 });
  const row = (name: string, of: (played: Played) => number) => ({ name, a: rates(peer, of), b: rates(lepanto, of) });
  const table = makeTable(
    [row('phase-steps/s', (played) => played.steps), row('playouts/s', (played) => played.games)],
    [
      words('one thread', ({ name }) => name),
      numbers(`${PACKAGE} ${version}`, ({ a }) => number(a)),
      numbers('lepanto, uniform', ({ b }) => number(b)),
      numbers('ratio', ({ a, b }) => `${number(b / a)} x`),
    ],
  );
  process.stdout.write(renderText([table]));
  const phases = rates(peer, (played) => played.phases);
  console.log(
    `${PACKAGE}: ${number(phases)} phases/s with retreats and adjustments; medians of ${TURNS} measurements each`,
  );
};

const main = (args: string[]): void => {
  const { values } = parseArgs({ args, options: { seconds: { type: 'string', default: '20' } } });
  const seconds = Number(values.seconds);
  if (!(seconds > 0)) throw new Error(`--seconds: got "${values.seconds}", wanted a number above 0`);
  const folder = mkdtempSync(join(tmpdir(), 'lepanto-peers-'));
  try {
    process.stderr.write(`peers: installing ${PACKAGE}\n`);
    const { python, version } = install(folder);
    const file = join(folder, 'play.py');
    writeFileSync(file, script);
    warmUp('uniform', 500);
    const peer: Played[] = [];
    const lepanto: Played[] = [];
    for (let turn = 1; turn <= TURNS; turn++) {
      process.stderr.write(`peers: measurement ${turn} of ${TURNS}\n`);
      peer.push(playPeer(python, file, turn, seconds / TURNS));
      lepanto.push(playLepanto(turn));
    }
    show(peer, lepanto, version);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

await runMain(import.meta.url, main);
