// Saved games of every format into convert and replay: changed in their structure, or cut and flipped as bytes.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../../engine/rules/random.js';
import { baseGames } from './base-games.js';
import { type Campaign, type Round, readersOf } from './campaign.js';
import { chance, changeBytes, changeJson, pick } from './random-input.js';

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
const tryFile = async (round: Round, path: string): Promise<void> => {
  const out = join(round.place(), 'out.lep');
  rmSync(out, { force: true });
  const converted = await round.run(['convert', path, out, '--quiet', '--json']);
  await round.run(['replay', path, '--verify', '--quiet', '--json']);
  await round.run(['replay', path, '--game', '0', '--quiet']);
  // What did not agree goes on from recorded positions, and does not follow from its orders.
  if (converted?.code !== 0 || !existsSync(out)) return;
  const command = ['replay', out, '--verify', '--quiet'];
  const { code, err } = await round.session.run(command);
  if (code !== 0) round.found('kept', command, `converted, and then: ${err.slice(0, 300)}`);
};

export const savedGameCampaign: Campaign = {
  name: 'saved-games',
  about: 'saved games of every format into convert and replay',
  play: async (round) => {
    const { random, session } = round;
    const { saved } = await baseGames(session);
    const [name, content, games] = drawFile(random, saved);
    await tryFile(round, session.write(join(round.place(), name), content));
    round.keep(`-${name}`, content);
    const wrong = drawWrong(random, saved);
    const path = session.write(join(round.place(), 'wrong.json'), wrong);
    const [verify, convert] = readersOf(path);
    await round.read([verify, convert], () => true);
    round.keep('-wrong.json', wrong);
    round.tries = games + 1;
  },
};
