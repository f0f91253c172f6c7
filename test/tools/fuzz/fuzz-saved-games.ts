// Saved games of every format into convert and replay: changed in their structure, or cut and flipped as bytes.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../../engine/rules/random.js';
import { baseGames } from './base-games.js';
import { type Campaign, type FoundFault, type Session, tryReaders } from './campaign.js';
import { chance, changeBytes, changeJson, pick } from './draw.js';

const NAME = 'saved-games';
const GAMES = 10;

type Saved = Awaited<ReturnType<typeof baseGames>>['saved'];

interface SavedShape {
  readonly phases: readonly { readonly state: { zobrist_hash: string } }[];
}

const drawGame = (random: Random, saved: Saved): string =>
  JSON.stringify(changeJson(random, pick(random, pick(random, Object.values(saved))), random.below(4)));

/** One file: JSON lines, or one document with bytes changed. */
const drawFile = (random: Random, saved: Saved): [name: string, content: string | Uint8Array, games: number] => {
  if (chance(random, 65))
    return ['games.jsonl', Array.from({ length: GAMES }, () => drawGame(random, saved)).join('\n'), GAMES];
  const text = JSON.stringify(pick(random, pick(random, Object.values(saved))), null, chance(random, 50) ? 1 : 0);
  return ['game.json', changeBytes(random, Buffer.from(text), 1 + random.below(3)), 1];
};

/** A game that must not pass: of a map that is no name, or with a hash of another position. */
const drawWrong = (random: Random, { diplomacy }: Saved): string => {
  const game = structuredClone(pick(random, diplomacy)) as SavedShape;
  if (chance(random, 50))
    return JSON.stringify({ ...game, map: pick<unknown>(random, [7, true, [], {}, ['standard']]) });
  const { state } = pick(random, game.phases);
  state.zobrist_hash = (BigInt(state.zobrist_hash) ^ (1n << BigInt(random.below(63)))).toString();
  return JSON.stringify(game);
};

/** A file that was written from what was read must be right by itself. */
const tryFile = async (session: Session, path: string): Promise<FoundFault[]> => {
  const out = join(session.place(NAME), 'out.lep');
  rmSync(out, { force: true });
  const commands: readonly (readonly string[])[] = [
    ['convert', path, out, '--quiet', '--json'],
    ['replay', path, '--verify', '--quiet', '--json'],
    ['replay', path, '--game', '0', '--quiet'],
  ];
  const findings: FoundFault[] = [];
  let agrees = false;
  for (const command of commands) {
    const ended = await session.run(command);
    const fault = session.judge(ended, [0, 1]);
    if (fault !== null) findings.push({ kind: fault[0], command, what: fault[1] });
    agrees ||= command[0] === 'convert' && ended.code === 0;
  }
  // What did not agree goes on from recorded positions, and does not follow from its orders.
  if (!agrees || !existsSync(out)) return findings;
  const command = ['replay', out, '--verify', '--quiet'];
  const { code, err } = await session.run(command);
  if (code !== 0) findings.push({ kind: 'kept', command, what: `converted, and then: ${err.slice(0, 300)}` });
  return findings;
};

export const savedGameCampaign: Campaign = {
  name: NAME,
  about: 'saved games of every format into convert and replay',
  round: async (session, round) => {
    const random = session.random(NAME, round);
    const { saved } = await baseGames(session);
    const [name, content, games] = drawFile(random, saved);
    const path = session.write(join(session.place(NAME), name), content);
    const found = await tryFile(session, path);
    if (found.length > 0) session.keep(NAME, `${round}-${name}`, content);
    const wrong = drawWrong(random, saved);
    const wrongPath = session.write(join(session.place(NAME), 'wrong.json'), wrong);
    const readers = [
      ['convert', wrongPath, '--quiet'],
      ['replay', wrongPath, '--verify', '--quiet'],
    ];
    const kept = await tryReaders(session, readers, () => true);
    if (kept.length > 0) session.keep(NAME, `${round}-wrong.json`, wrong);
    found.push(...kept);
    return { tries: games + 1, findings: found.map((finding) => ({ campaign: NAME, round, ...finding })) };
  },
};
