// Agents of users into arena and selfplay: every kind of hostile-agents.ts in its turn, at a moment that is drawn.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../../engine/rules/random.js';
import type { Watched } from '../peak-memory.js';
import type { Campaign, Fault, FaultKind, Session } from './campaign.js';
import { type HostileAgent, hostileAgents } from './hostile-agents.js';
import { pick } from './random-input.js';

/** A thread with so little memory is full at once. */
const SMALL = '--max-old-space-size=800';

/** A moment that comes in every game to the end of 1902. */
const drawMoment = (random: Random): string =>
  pick(random, [
    'game.phase === 0',
    'game.phase === 0 && game.season === 1',
    'game.phase === 0 && game.year === 1902',
    'game.phase === 0 && game.year === 1902 && game.season === 1',
  ]);

const drawCommand = (random: Random, path: string, out: string): readonly string[] => {
  const other = pick(random, ['random', 'dumbbot', 'hold', 'policy']);
  const seed = String(random.below(1000));
  const workers = String(1 + random.below(2));
  const common = ['--until', '1902', '--seed', seed, '--workers', workers, '--quiet', '--json'];
  if (random.below(2) === 0)
    return ['arena', '--agents', `${path},${other}`, '--games', String(1 + random.below(8)), ...common];
  const seats = Array.from({ length: 7 }, () => (random.below(3) === 0 ? path : other));
  seats[random.below(7)] = path;
  return ['selfplay', '--agents', seats.join(','), '--games', String(1 + random.below(8)), '--out', out, ...common];
};

const isOneObject = (text: string): boolean => {
  try {
    return text.endsWith('}\n') && typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
};

/** Words of V8 that are the agent's own count for nothing. */
const withoutThrown = (watched: Watched): Watched => ({ ...watched, err: watched.err.replace(/: threw .*/g, '') });

const judge = (session: Session, agent: HostileAgent, path: string, watched: Watched): Fault | null => {
  const { class: kind, innerWords, limit, outcome, says, where } = agent;
  const isPrinted = kind === 'prints' || (kind === 'thread' && outcome === 'plays');
  const codes = outcome === 'refused' ? (where === 'loading' ? [2] : [1]) : [0];
  const seen = isPrinted ? { ...watched, err: '' } : innerWords === true ? withoutThrown(watched) : watched;
  const fault = session.judge(seen, codes);
  if (fault !== null && !(fault[0] === 'memory' && limit === 'memory')) return fault;
  if (outcome === 'refused' ? watched.out !== '' : !isOneObject(watched.out))
    return ['answers', `standard output: ${JSON.stringify(watched.out.slice(0, 100))}`];
  const { err } = watched;
  if (outcome === 'plays') return null;
  if (!err.includes(`agent ${path}`) || !says.test(err)) return ['answers', `wanted ${says}, got ${err.slice(0, 300)}`];
  const isNamed = / for [A-Z]+ in [SFW]\d+[MRA] of game \d+: /.test(err);
  return where === 'answer' && outcome === 'refused' && !isNamed
    ? ['answers', `no power or phase: ${err.slice(0, 300)}`]
    : null;
};

export const agentCampaign: Campaign = {
  name: 'agents',
  about: "users' agents into arena and selfplay",
  play: async (round) => {
    const { number, random, session } = round;
    const agent = hostileAgents[number % hostileAgents.length];
    const path = session.write(join(round.place(), `agent-${number}.mjs`), agent.source(drawMoment(random)));
    const out = join(round.place(), 'run');
    const drawn = drawCommand(random, path, out);
    const command = agent.limit === 'time' ? [...drawn, '--choice-ms', '1000'] : drawn;
    const options = agent.limit === 'memory' ? { env: { NODE_OPTIONS: SMALL } } : {};
    const found = (kind: FaultKind, what: string): void =>
      round.found(kind, command, `${agent.class}, ${agent.name}: ${what}`);
    const fault = judge(session, agent, path, await session.run(command, options));
    if (fault !== null) found(...fault);
    else if (command[0] === 'selfplay' && agent.outcome !== 'refused') {
      const { code, out: said } = await session.run(['replay', out, '--verify', '--quiet']);
      if (code !== 0) found('kept', `records that replay --verify refuses: ${said.slice(0, 200)}`);
    }
    round.keep('.mjs', agent.source('true'));
    rmSync(out, { recursive: true, force: true });
  },
};
