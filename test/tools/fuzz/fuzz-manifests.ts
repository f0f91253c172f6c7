// Manifests of runs into all commands that read them: of another shape, empty, cut.
import { join } from 'node:path';
import type { Random } from '../../../engine/rules/random.js';
import { baseGames } from './base-games.js';
import { type Campaign, readersOf } from './campaign.js';
import { chance, changeBytes, changeJson, pick, strangeValue } from './random-input.js';

const drawManifest = (random: Random, manifest: object): string | Uint8Array => {
  const kind = random.below(10);
  if (kind < 6) return JSON.stringify(changeJson(random, manifest, 1 + random.below(2)));
  if (kind < 8) return changeBytes(random, Buffer.from(JSON.stringify(manifest)), 1 + random.below(3));
  return chance(random, 50)
    ? JSON.stringify(strangeValue(random))
    : pick(random, ['', ' ', '{}', 'null', '\uFEFF{}', '[1]']);
};

/** What readers must look at. */
const essence = (content: string | Uint8Array): string | null => {
  try {
    const { map, rules, games, seed } = JSON.parse(Buffer.from(content).toString('utf8'));
    return JSON.stringify([map.id, rules.id, games, seed]);
  } catch {
    return null;
  }
};

export const manifestCampaign: Campaign = {
  name: 'manifests',
  about: 'manifests of runs into replay, convert, stats and selfplay',
  play: async (round) => {
    const { random, session } = round;
    const { shard, manifest, spec } = await baseGames(session);
    const directory = round.place();
    const content = drawManifest(random, manifest);
    session.write(join(directory, 'games-00000.lep'), shard);
    session.write(join(directory, 'manifest.json'), content);
    const isRefused = essence(content) !== essence(JSON.stringify(manifest));
    const readers = readersOf(directory);
    await round.read(readers, () => isRefused);
    // It refuses another run, and writes a damaged manifest anew: then all is well.
    const again = ['selfplay', ...spec, '--out', directory, '--quiet'];
    if ((await round.run(again))?.code === 0 && (await session.run(readers[0])).code !== 0)
      round.found('kept', again, 'a manifest that cannot be read');
    round.keep('.json', content);
  },
};
