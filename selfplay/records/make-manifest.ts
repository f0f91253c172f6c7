// Makes the manifest of a new run.
import { addedMaps, loadMap } from '../../engine/internal.js';
import { runRulesByName } from '../../engine/rules/run-rules.js';
import { codeOfAgents } from '../agents/agent-code.js';
import { lepantoVersion } from '../version.js';
import type { Manifest } from './manifest.js';
import { MESSAGES_VERSION, PLAIN_VERSION, RECORD_VERSION, TARGETS_VERSION } from './record-writer.js';
import type { RunSpec } from './run-spec.js';
import { gamesPerShard } from './shard-size.js';

/** Specification of a run that may be seated: each game records its own agents (Manifest.seated). */
type RunOrSeated = RunSpec & Pick<Manifest, 'seated'>;

const versionOf = ({ seated = false, rounds = 0, targets = false }: RunOrSeated): number => {
  if (seated) return RECORD_VERSION;
  if (rounds > 0) return MESSAGES_VERSION;
  return targets ? TARGETS_VERSION : PLAIN_VERSION;
};

/**
 * Makes the manifest of a new run.
 * @param commit commit of the package; null if unknown
 * @param command command line that plays the same games; left out by default
 * @throws LepantoError for an unknown map, rules or agent
 */
export const makeManifest = (spec: RunOrSeated, commit: string | null, command?: string): Manifest => {
  const map = loadMap(spec.map);
  const { name: plainName } = map.rows.base ?? map.rows;
  const rows = addedMaps().find((added) => added.name === plainName);
  const { name, adjudication } = runRulesByName(spec.rules);
  const { agents, games, until, seed, stalemate = 0, chance = 0, rounds = 0 } = spec;
  const code = codeOfAgents(agents, spec.botVersion);
  return {
    format: 'lepanto-games',
    versions: {
      records: versionOf(spec),
      lepanto: lepantoVersion,
      node: process.versions.node,
    },
    commit,
    map: { name: map.name, id: map.id, ...(rows !== undefined && { rows }) },
    rules: { name, id: adjudication.id },
    agents,
    ...(spec.seated === true && { seated: true }),
    seed,
    games,
    until,
    ...(stalemate > 0 && { stalemate }),
    ...(chance > 0 && { chance }),
    shardGames: gamesPerShard(spec),
    ...(spec.targets === true ? { targets: true } : {}),
    ...(rounds > 0 && { rounds }),
    ...(Object.keys(code).length > 0 && { code }),
    ...(command !== undefined && { command }),
  };
};
