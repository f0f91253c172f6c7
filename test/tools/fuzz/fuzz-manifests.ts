// Manifests of runs into all commands that read them: of another shape, empty, cut.
import { join } from 'node:path';
import type { Random } from '../../../engine/random.js';
import { baseGames } from './base-games.js';
import type { Campaign, Finding } from './campaign.js';
import { chance, changeBytes, changeJson, pick, strangeValue } from './draw.js';

const NAME = 'manifests';

const drawManifest = (random: Random, manifest: object): string | Uint8Array => {
  const kind = random.below(10);
  if (kind < 6) return JSON.stringify(changeJson(random, manifest, 1 + random.below(2)));
  if (kind < 8) return changeBytes(random, Buffer.from(JSON.stringify(manifest)), 1 + random.below(3));
  return chance(random, 50)
    ? JSON.stringify(strangeValue(random))
    : pick(random, ['', ' ', '{}', 'null', '\uFEFF{}', '[1]']);
};

export const manifestCampaign: Campaign = {
  name: NAME,
  about: 'manifests of runs into replay, convert, stats and selfplay',
  round: async (session, round) => {
    const random = session.random(NAME, round);
    const { shard, manifest } = await baseGames(session);
    const directory = session.place(NAME);
    const content = drawManifest(random, manifest);
    session.write(join(directory, 'games-00000.lep'), shard);
    session.write(join(directory, 'manifest.json'), content);
    const commands: readonly (readonly string[])[] = [
      ['replay', directory, '--verify', '--quiet'],
      ['convert', directory, '-', '--quiet'],
      ['stats', directory, '--quiet'],
      ['selfplay', '--games', '6', '--until', '1903', '--out', directory, '--resume', '--quiet'],
    ];
    const findings: Finding[] = [];
    for (const command of commands) {
      const fault = session.judge(await session.run(command), [0, 1, 2]);
      if (fault === null) continue;
      session.keep(NAME, `${round}.json`, content);
      findings.push({ campaign: NAME, round, kind: fault[0], command, what: fault[1] });
    }
    return { tries: 1, findings };
  },
};
