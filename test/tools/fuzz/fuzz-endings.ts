// Endings: Ctrl-C at any moment, output that is closed or full. One line or none, and no part of a file left behind.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Random } from '../../../engine/rules/random.js';
import { baseGames } from './base-games.js';
import type { Campaign, Round, Session } from './campaign.js';
import { pick } from './random-input.js';

const INTERRUPTED = 130;
/** The longest that a command waits for what it is at when it is interrupted, and something for a slow machine. */
const PATIENCE_MS = 15_000;

const draw = async (session: Session, random: Random, out: string): Promise<readonly string[]> => {
  const { run } = await baseGames(session);
  return pick<readonly string[]>(random, [
    ['selfplay', '--games', '100000', '--until', '1905', '--out', join(out, 'run')],
    ['selfplay', '--games', '100000', '--agents', 'dumbbot', '--out', join(out, 'run'), '--workers', '1'],
    ['arena', '--agents', 'dumbbot,random', '--games', '100000', '--until', '1903'],
    ['search', '--start', '--rollouts', '100000000', '--workers', '2'],
    ['convert', run, join(out, 'games.jsonl')],
    ['convert', run, join(out, 'games.lep')],
    ['bench', '--out', join(out, 'bench.json')],
  ]);
};

/** Parts of files. */
const partsIn = (directory: string): string[] =>
  existsSync(directory)
    ? readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.part'))
    : [];

const interrupt = async (round: Round): Promise<void> => {
  const { random, session } = round;
  const out = round.place(`out-${round.number}`);
  const command = await draw(session, random, out);
  // Node itself needs some hundredths of a second before it hears anything.
  const after = 300 + random.below(4000);
  let ended = performance.now();
  const watched = await session.run(command, {
    feed: async (child) => {
      child.stdin?.end();
      await setTimeout(after);
      ended = performance.now();
      child.kill('SIGINT');
    },
  });
  const late = performance.now() - ended;
  const told = [...command, `(SIGINT after ${after} ms)`];
  // Before it has taken over the signal a command is ended by it: nothing is begun then.
  const { code } = watched;
  if (code === null && late < 1000 && watched.out === '' && partsIn(out).length === 0) return;
  const fault = session.judge(watched, [0, INTERRUPTED]);
  if (fault !== null) round.found(fault[0], told, fault[1]);
  else if (late > PATIENCE_MS) round.found('hang', told, `ended ${(late / 1000).toFixed(0)} s after it`);
  else if (code === INTERRUPTED && !/interrupted: /.test(watched.err))
    round.found('lines', told, `no word of it: ${watched.err.slice(0, 200)}`);
  if (partsIn(out).length > 0) round.found('kept', told, partsIn(out).join(', '));
  rmSync(out, { recursive: true });
};

const full = async (round: Round): Promise<void> => {
  const { random, session } = round;
  const { run } = await baseGames(session);
  const position = session.write(
    join(round.place(), 'position.jsonl'),
    '{"phase": "S1901M", "units": {"ITALY": ["A ROM"]}}\n',
  );
  const command = pick<readonly string[]>(random, [
    ['--help'],
    ['rules', pick(random, ['--json', 'strict-2003'])],
    ['replay', run, pick(random, ['--verify', '--json', '--quiet'])],
    ['convert', run, '-'],
    ['stats', run, pick(random, ['--json', '--quiet'])],
    ['search', '--start', '--rollouts', '30', '--workers', '1'],
    ['arena', '--agents', 'random,hold', '--games', '1', '--until', '1901', '--workers', '1'],
    ['legal', position],
    ['adjudicate', position],
  ]);
  const output = pick(random, ['full', 'closed'] as const);
  const fault = session.judge(await session.run(command, { output }), output === 'closed' ? [0] : [1]);
  if (fault !== null) round.found(fault[0], [...command, `(output ${output})`], fault[1]);
};

export const endingCampaign: Campaign = {
  name: 'endings',
  about: 'Ctrl-C at any moment, output that is full or closed',
  play: async (round) => {
    await (round.random.below(2) === 0 ? interrupt : full)(round);
  },
};
