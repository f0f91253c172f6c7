// Endings: Ctrl-C at any moment, output that is closed or full. One line or none, and no part of a file left behind.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Random } from '../../../engine/rules/random.js';
import { baseGames } from './base-games.js';
import type { Campaign, Finding, Session } from './campaign.js';
import { pick } from './draw.js';

const NAME = 'endings';
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

const interrupt = async (session: Session, random: Random, round: number): Promise<Finding[]> => {
  const out = join(session.place(NAME), `out-${round}`);
  session.place(NAME, `out-${round}`);
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
  const finding = { campaign: NAME, round, command: [...command, `(SIGINT after ${after} ms)`] };
  const findings: Finding[] = [];
  // Before it has taken over the signal a command is ended by it: nothing is begun then.
  const { code } = watched;
  if (code === null && late < 1000 && watched.out === '' && partsIn(out).length === 0) return [];
  const fault = session.judge({ ...watched, code }, [0, INTERRUPTED]);
  if (fault !== null) findings.push({ ...finding, kind: fault[0], what: fault[1] });
  else if (late > PATIENCE_MS)
    findings.push({ ...finding, kind: 'hang', what: `ended ${(late / 1000).toFixed(0)} s after it` });
  else if (code === INTERRUPTED && !/interrupted: /.test(watched.err))
    findings.push({ ...finding, kind: 'lines', what: `no word of it: ${watched.err.slice(0, 200)}` });
  if (partsIn(out).length > 0) findings.push({ ...finding, kind: 'kept', what: partsIn(out).join(', ') });
  rmSync(out, { recursive: true });
  return findings;
};

const full = async (session: Session, random: Random, round: number): Promise<Finding[]> => {
  const { run } = await baseGames(session);
  const command = pick<readonly string[]>(random, [
    ['--help'],
    ['rules', pick(random, ['--json', 'strict-2003'])],
    ['replay', run, pick(random, ['--verify', '--json', '--quiet'])],
    ['convert', run, '-'],
    ['stats', run, pick(random, ['--json', '--quiet'])],
    ['search', '--start', '--rollouts', '30', '--workers', '1'],
    ['arena', '--agents', 'random,hold', '--games', '1', '--until', '1901', '--workers', '1'],
    ['legal', join(session.place(NAME), 'position.jsonl')],
    ['adjudicate', join(session.place(NAME), 'position.jsonl')],
  ]);
  session.write(join(session.place(NAME), 'position.jsonl'), '{"phase": "S1901M", "units": {"ITALY": ["A ROM"]}}\n');
  const device = pick(random, ['/dev/full', 'closed']);
  const watched = await session.run(command, { output: device === 'closed' ? 'closed' : 'full' });
  const fault = session.judge(watched, device === 'closed' ? [0] : [1]);
  return fault === null
    ? []
    : [{ campaign: NAME, round, kind: fault[0], command: [...command, `(output ${device})`], what: fault[1] }];
};

export const endingCampaign: Campaign = {
  name: NAME,
  about: 'Ctrl-C at any moment, output that is full or closed',
  round: async (session, round) => {
    const random = session.random(NAME, round);
    const findings = await (random.below(2) === 0 ? interrupt : full)(session, random, round);
    return { tries: 1, findings };
  },
};
