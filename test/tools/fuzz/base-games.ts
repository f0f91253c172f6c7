// Games that the campaigns change: a small run of records, and its games as saved games of all formats.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asFirstDipcc, asWebDiplomacy, webShapes } from '../foreign-shapes.js';
import { MIXED_AGENTS, type Saved } from '../saved-games.js';
import { oncePerSession } from './campaign.js';

export interface BaseGames {
  /** A directory of one shard, its check and its manifest. */
  readonly run: string;
  readonly shard: Uint8Array;
  readonly table: Uint8Array;
  /** Options of selfplay that play it. */
  readonly spec: readonly string[];
  readonly manifest: object;
  /** Saved games by format. */
  readonly saved: Readonly<Record<string, readonly object[]>>;
}

export const baseGames = oncePerSession(async (session): Promise<BaseGames> => {
  const run = join(session.place('base'), 'run');
  const spec = ['--games', '6', '--until', '1903', '--seed', String(session.seed), '--agents', MIXED_AGENTS];
  // Long enough on a machine that has much else to do.
  const patience = { seconds: 120, keep: 1 << 28 };
  await session.run(['selfplay', ...spec, '--out', run, '--quiet'], patience);
  const converted = async (dialect: string): Promise<Saved[]> => {
    const { out } = await session.run(['convert', run, '-', '--to', dialect, '--quiet'], patience);
    return out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Saved);
  };
  const diplomacy = await converted('diplomacy');
  const dipcc = await converted('dipcc');
  const web = webShapes.map((shape): [string, object[]] => [
    shape,
    diplomacy.map((game) => asWebDiplomacy(game, shape)),
  ]);
  return {
    run,
    spec,
    shard: readFileSync(join(run, 'games-00000.lep')),
    table: readFileSync(join(run, 'games-00000.table')),
    // Without its check, which would refuse every change before anything else does.
    manifest: { ...JSON.parse(readFileSync(join(run, 'manifest.json'), 'utf8')), check: undefined },
    saved: { diplomacy, dipcc, firstDipcc: diplomacy.map(asFirstDipcc), ...Object.fromEntries(web) },
  };
});
