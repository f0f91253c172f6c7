// Shards into replay, convert and stats: bytes flipped, cut and doubled, or records of another shape and content.
import { Packr, Unpackr } from 'msgpackr';
import type { Random } from '../../../engine/random.js';
import { splitShard } from '../../../selfplay/records/record.js';
import { baseGames } from './base-games.js';
import type { Campaign, Finding } from './campaign.js';
import { chance, changeBytes, changeJson, pick } from './draw.js';

const NAME = 'shards';
const packr = new Packr({ useRecords: false, variableMapSize: true });
const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true });

const BYTES = 'bytes:';

/** JSON has no bytes: they are text while the structure is changed. */
const asPlain = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return `${BYTES}${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value)) return value.map(asPlain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, asPlain(entry)]));
};

const fromPlain = (value: unknown): unknown => {
  if (typeof value === 'string' && value.startsWith(BYTES)) return Buffer.from(value.slice(BYTES.length), 'hex');
  if (Array.isArray(value)) return value.map(fromPlain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, fromPlain(entry)]));
};

const changeGame = (random: Random, game: Uint8Array): Buffer => {
  const plain = asPlain(unpackr.unpack(game));
  const changed = fromPlain(changeJson(random, plain, 1 + random.below(3)));
  const bytes = packr.pack(changed);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
};

const HEADER_SIZE = 8;

const changeShard = (random: Random, shard: Uint8Array): Buffer => {
  if (chance(random, 50)) return changeBytes(random, shard, 1 + random.below(4));
  const games = splitShard(shard);
  const changed = Array.from({ length: 1 + random.below(3) }, () => changeGame(random, pick(random, games)));
  return Buffer.concat([shard.subarray(0, HEADER_SIZE), ...changed]);
};

export const shardCampaign: Campaign = {
  name: NAME,
  about: 'shards of records into replay, convert and stats',
  round: async (session, round) => {
    const random = session.random(NAME, round);
    const { shard, manifest } = await baseGames(session);
    const directory = session.place(NAME);
    const bytes = changeShard(random, shard);
    session.write(`${directory}/manifest.json`, JSON.stringify(manifest));
    session.write(`${directory}/games-00000.lep`, bytes);
    const commands: readonly (readonly string[])[] = [
      ['replay', directory, '--verify', '--quiet'],
      ['replay', directory, '--json'],
      ['convert', directory, '-', '--quiet'],
      ['stats', directory, '--quiet'],
    ];
    const findings: Finding[] = [];
    for (const command of commands) {
      const fault = session.judge(await session.run(command), [0, 1]);
      if (fault === null) continue;
      session.keep(NAME, `${round}.lep`, bytes);
      findings.push({ campaign: NAME, round, kind: fault[0], command, what: fault[1] });
    }
    return { tries: 1, findings };
  },
};
